"""datasketch: MinHash of 128 permutations, and LSH at 0.8."""

import json
import sys

from datasketch import MinHash, MinHashLSH


def shingles(text):
    words = text.lower().split()
    return {" ".join(words[i : i + 3]).encode() for i in range(max(1, len(words) - 2))}


lsh = MinHashLSH(threshold=0.8, num_perm=128)
parent = {}


def root(x):
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


with open(sys.argv[1]) as lines:
    for line in lines:
        doc = json.loads(line)
        sketch = MinHash(num_perm=128)
        sketch.update_batch(shingles(doc["text"]))
        parent[doc["id"]] = doc["id"]
        for other in lsh.query(sketch):
            parent[root(doc["id"])] = root(other)
        lsh.insert(doc["id"], sketch)
members = {}
for id in parent:
    members.setdefault(root(id), []).append(id)
for label, group in members.items():
    if len(group) > 1:
        for id in group:
            print(id, label, sep="\t")

"""rensa: R-MinHash of 128 permutations, and LSH at 0.8 in 16 bands."""

import json
import sys

from rensa import RMinHash, RMinHashLSH


def shingles(text):
    words = text.lower().split()
    return [" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))]


lsh = RMinHashLSH(threshold=0.8, num_perm=128, num_bands=16)
ids = []
parent = {}


def root(x):
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x


with open(sys.argv[1]) as lines:
    for line in lines:
        doc = json.loads(line)
        sketch = RMinHash(num_perm=128, seed=1)
        sketch.update(shingles(doc["text"]))
        parent[doc["id"]] = doc["id"]
        for other in lsh.query(sketch):
            parent[root(doc["id"])] = root(ids[other])
        lsh.insert(len(ids), sketch)
        ids.append(doc["id"])
members = {}
for id in parent:
    members.setdefault(root(id), []).append(id)
for label, group in members.items():
    if len(group) > 1:
        for id in group:
            print(id, label, sep="\t")

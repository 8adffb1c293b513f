"""datasketch: MinHash of 128 permutations, and LSH, whose bands it chooses for the threshold."""

import json
import sys

from datasketch import MinHash, MinHashLSH


def shingles(text):
    words = text.split()
    return {" ".join(words[i : i + 3]).encode() for i in range(len(words) - 2)}


lsh = MinHashLSH(threshold=float(sys.argv[3]), num_perm=128)
print("a,b")
with open(sys.argv[1]) as lines:
    for line in lines:
        doc = json.loads(line)
        sketch = MinHash(num_perm=128)
        sketch.update_batch(shingles(doc["text"]))
        for other in lsh.query(sketch):
            print(other, doc["id"], sep=",")
        lsh.insert(doc["id"], sketch)

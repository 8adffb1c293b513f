"""rensa: R-MinHash of 128 permutations, and LSH in bands that its user chooses: 16 of 8 at 0.8."""

import json
import sys

from rensa import RMinHash, RMinHashLSH


def shingles(text):
    words = text.split()
    return [" ".join(words[i : i + 3]) for i in range(len(words) - 2)]


bands = {"0.5": 32, "0.7": 16, "0.8": 16, "0.9": 8}[sys.argv[3]]
lsh = RMinHashLSH(threshold=float(sys.argv[3]), num_perm=128, num_bands=bands)
ids = []
print("a,b")
with open(sys.argv[1]) as lines:
    for line in lines:
        doc = json.loads(line)
        sketch = RMinHash(num_perm=128, seed=1)
        sketch.update(shingles(doc["text"]))
        for other in lsh.query(sketch):
            print(ids[other], doc["id"], sep=",")
        lsh.insert(len(ids), sketch)
        ids.append(doc["id"])

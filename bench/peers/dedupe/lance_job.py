"""Lance: a MinHash LSH index at its defaults, 128 hashes in 16 bands, asked by a search for each text. A search gives
the rows that its sketches say are nearest, here 100; those whose estimate is below the threshold are left out."""

import json
import sys

import lance
import pyarrow
from lance.query import MinHashQuery

with open(sys.argv[1]) as lines:
    docs = [json.loads(line) for line in lines]
table = lance.write_dataset(pyarrow.Table.from_pylist(docs), sys.argv[2] + "/docs.lance")
table.create_scalar_index("text", "MINHASHLSH")
print("a,b")
for doc in docs:
    found = table.to_table(columns=["id", "_distance"], nearest=MinHashQuery(doc["text"], "text"), limit=100)
    for other, distance in zip(found["id"].to_pylist(), found["_distance"].to_pylist()):
        if distance <= 1 - float(sys.argv[3]) + 1e-6:
            print(doc["id"], other, sep=",")

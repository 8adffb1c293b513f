"""gaoya: MinHash of 128 values in 16 bands, texts cut by itself; it keeps what its sketches say is at the threshold."""

import json
import sys

from gaoya.minhash import MinHashStringIndex

index = MinHashStringIndex(32, float(sys.argv[3]), 16, 8, None, "word", True, (3, 3))
print("a,b")
with open(sys.argv[1]) as lines:
    for line in lines:
        doc = json.loads(line)
        for other in index.query(doc["text"]):
            print(other, doc["id"], sep=",")
        index.insert_document(int(doc["id"]), doc["text"])

"""SetSimilaritySearch: an exact join of sets in memory."""

import json
import sys

from SetSimilaritySearch import all_pairs


def shingles(text):
    words = text.split()
    return {" ".join(words[i : i + 3]) for i in range(len(words) - 2)}


with open(sys.argv[1]) as lines:
    docs = [json.loads(line) for line in lines]
ids = [doc["id"] for doc in docs]
print("a,b")
for a, b, _ in all_pairs([shingles(doc["text"]) for doc in docs], "jaccard", float(sys.argv[3])):
    print(ids[a], ids[b], sep=",")

"""datasketch: LSH Ensemble by containment of the query, with so many partitions as
the argument says, or with the argument forest the ten nearest of an LSH Forest.
What they find is not verified, as the library leaves that to its user."""

import datasketch

from common import *

KIND = sys.argv[3]

documents = sets()
say_version("datasketch")
sketching, inserting = Clock(), Clock()
signatures = []
for chunk in chunks(len(documents)):
    chunk_tokens = [tokens(documents[i]) for i in chunk]
    with sketching:
        signatures += datasketch.MinHash.bulk(chunk_tokens, num_perm=PERMUTATIONS)
say("sketching", len(documents) / sketching.seconds, "docs/s")


def ensemble(threshold):
    """Returns an index; each is made for one threshold and holds no empty sets."""
    index = datasketch.MinHashLSHEnsemble(threshold=threshold, num_perm=PERMUTATIONS, num_part=int(KIND))
    index.index((i, s, len(documents[i])) for i, s in enumerate(signatures) if len(documents[i]) > 0)
    return index


def forest():
    index = datasketch.MinHashLSHForest(num_perm=PERMUTATIONS)
    for i, s in enumerate(signatures):
        index.add(i, s)
    index.index()
    return index


if KIND == "forest":
    with inserting:
        index = forest()
    say("load and index", len(documents) / (sketching.seconds + inserting.seconds), "docs/s")
    answer_nearest(lambda q: [n for n in index.query(signatures[q], NEAREST + 1) if n != q][:NEAREST])
else:
    with inserting:
        indexes = [ensemble(threshold) for threshold in THRESHOLDS]
    say("load and index", len(documents) / (sketching.seconds + inserting.seconds), "docs/s")
    for threshold, index in zip(THRESHOLDS, indexes):
        answer_containment(threshold, lambda q: list(index.query(signatures[q], len(documents[q]))))

"""datasketch: MinHash signatures of the sets in an LSH index. What it finds is
not verified, as the library leaves that to its user."""

import datasketch

from common import *

documents = sets()
say_version("datasketch")
sketching, inserting, joining = Clock(), Clock(), Clock()
signatures = []
for chunk in chunks(len(documents)):
    chunk_tokens = [tokens(documents[i]) for i in chunk]
    with sketching:
        signatures += datasketch.MinHash.bulk(chunk_tokens, num_perm=PERMUTATIONS)
say("sketching", len(documents) / sketching.seconds, "docs/s")
index = datasketch.MinHashLSH(threshold=0.8, num_perm=PERMUTATIONS)
with inserting:
    for i, signature in enumerate(signatures):
        index.insert(i, signature)
say("load and index", len(documents) / (sketching.seconds + inserting.seconds), "docs/s")
answer_queries(lambda q: index.query(signatures[q]))
with joining:
    pairs = [(i, n) for i, signature in enumerate(signatures) for n in index.query(signature) if n > i]
say("pairs", joining.seconds, "s")
write_pairs(pairs)

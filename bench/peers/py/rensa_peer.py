"""rensa: MinHash signatures in an LSH index, unverified. Of simdb's sets, or with
the argument texts of shingles made here of the lower-cased words."""

import rensa

from common import *

FROM_TEXTS = len(sys.argv) > 3 and sys.argv[3] == "texts"
BANDS = 16  # of 8 rows: half of the pairs at 0.7 collide, 95 of 100 at 0.8

documents = texts() if FROM_TEXTS else sets()
say_version("rensa")
sketching, inserting, joining = Clock(), Clock(), Clock()


def shingles(text):
    words = text.lower().split()
    return [" ".join(words[i : i + 3]) for i in range(max(len(words) - 2, 1))]


signatures = []
for chunk in chunks(len(documents)):
    if FROM_TEXTS:
        with sketching:
            signatures += rensa.RMinHash.from_token_sets([shingles(documents[i]) for i in chunk], PERMUTATIONS, 1)
    else:
        chunk_tokens = [tokens(documents[i]) for i in chunk]
        with sketching:
            signatures += rensa.RMinHash.from_token_sets(chunk_tokens, PERMUTATIONS, 1)
say("sketching", len(documents) / sketching.seconds, "docs/s")
index = rensa.RMinHashLSH(0.8, PERMUTATIONS, BANDS)
with inserting:
    index.insert_many(signatures)
say("load and index", len(documents) / (sketching.seconds + inserting.seconds), "docs/s")
answer_queries(lambda q: index.query(signatures[q]))
with joining:
    pairs = [(i, n) for i, found in enumerate(index.query_all(signatures)) for n in found if n > i]
say("pairs", joining.seconds, "s")
write_pairs(pairs)

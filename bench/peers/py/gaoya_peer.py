"""gaoya: MinHash LSH of texts, which it cuts into words itself. Of what it finds
it keeps what its sketches say is at 0.8."""

from gaoya.minhash import MinHashStringIndex

from common import *

documents = texts()
say_version("gaoya")
loading, joining = Clock(), Clock()
index = MinHashStringIndex(32, 0.8, 16, 8, None, "word", True, (3, 3))
with loading:
    index.par_bulk_insert_docs(list(range(len(documents))), documents)
say("load and index", len(documents) / loading.seconds, "docs/s")
answer_queries(lambda q: index.query(documents[q]))
with joining:
    pairs = [(i, n) for i, found in enumerate(index.par_bulk_query(documents)) for n in found if n > i]
say("pairs", joining.seconds, "s")
write_pairs(pairs)

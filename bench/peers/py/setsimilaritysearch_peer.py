"""SetSimilaritySearch: exact searches and joins of the sets, in memory."""

from SetSimilaritySearch import SearchIndex, all_pairs

from common import *

documents = [one_set.tolist() for one_set in sets()]
say_version("SetSimilaritySearch")
loading, joining = Clock(), Clock()
with loading:
    index = SearchIndex(documents, similarity_func_name="jaccard", similarity_threshold=0.8)
say("load and index", len(documents) / loading.seconds, "docs/s")
answer_queries(lambda q: [n for n, _ in index.query(documents[q])])
del index
with joining:
    pairs = [(a, b) for a, b, _ in all_pairs(documents, similarity_func_name="jaccard", similarity_threshold=0.8)]
say("pairs", joining.seconds, "s")
write_pairs(pairs)

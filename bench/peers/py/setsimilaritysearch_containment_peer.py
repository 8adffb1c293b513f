"""SetSimilaritySearch: exact searches by containment of the query, in memory.

Its index of containment has every member of every set, whatever the threshold, so
one index answers at both."""

from SetSimilaritySearch import SearchIndex

from common import *

documents = [one_set.tolist() for one_set in sets()]
say_version("SetSimilaritySearch")
loading = Clock()
with loading:
    index = SearchIndex(documents, similarity_func_name="containment", similarity_threshold=THRESHOLDS[0])
say("load and index", len(documents) / loading.seconds, "docs/s")
for threshold in THRESHOLDS:
    index.similarity_threshold = threshold
    answer_containment(threshold, lambda q: [n for n, _ in index.query(documents[q])])

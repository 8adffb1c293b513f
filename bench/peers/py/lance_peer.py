"""Lance: the texts in a table with its MinHash LSH index, 128 hashes in 16 bands. The rows that its sketches say are
nearest are verified."""

import lance
import pyarrow
from lance.query import MinHashQuery

from common import *

ROWS = 50

documents, shingles = texts(), sets()
say_version("pylance")
folder = os.path.join(ANSWERS, "docs.lance")
loading = Clock()
with loading:
    table = lance.write_dataset(pyarrow.table({"n": pyarrow.array(range(len(documents)), "u4"), "text": documents}), folder)
    table.create_scalar_index("text", "MINHASHLSH")
say("load and index", len(documents) / loading.seconds, "docs/s")


def search(q):
    found = table.to_table(columns=["n"], nearest=MinHashQuery(documents[q], "text"), limit=ROWS)
    return verified(shingles, q, found["n"].to_pylist())


answer_queries(search)
say_disk(folder)

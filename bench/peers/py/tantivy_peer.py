"""tantivy: full-text search. The hits that are most like a text, by the 25 words that "more like this" chooses, are verified."""

import tantivy

from common import *

HITS = 50

documents, shingles = texts(), sets()
say_version("tantivy")
schema = tantivy.SchemaBuilder().add_unsigned_field("n", stored=True).add_text_field("body").build()
folder = os.path.join(ANSWERS, "index")
os.makedirs(folder)
index = tantivy.Index(schema, folder)
loading = Clock()
with loading:
    writer = index.writer(num_threads=int(os.environ.get("GOMAXPROCS", "1")))
    for i, text in enumerate(documents):
        writer.add_document(tantivy.Document(n=i, body=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
say("load and index", len(documents) / loading.seconds, "docs/s")


def search(q):
    fields = {"body": [documents[q]]}
    query = tantivy.Query.more_like_this_document_fields_query(schema, fields, min_doc_frequency=2, min_term_frequency=1)
    return verified(shingles, q, [searcher.doc(address)["n"][0] for _, address in searcher.search(query, HITS, count=False).hits])


answer_queries(search)
say_disk(folder)

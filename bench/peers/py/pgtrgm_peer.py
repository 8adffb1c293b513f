"""PostgreSQL with pg_trgm: the texts in a table with an index of their trigrams.

Its similarity is the resemblance of character trigrams of words, another measure
than simdb's; recall and precision say how far its answers at 0.8 agree."""

from psycopg2.extras import execute_values

from common import *
from postgres import server

documents = texts()
with server() as cursor:
    cursor.execute("CREATE EXTENSION pg_trgm")
    cursor.execute("CREATE TABLE docs (n int PRIMARY KEY, body text)")
    loading = Clock()
    with loading:
        for chunk in chunks(len(documents)):
            execute_values(cursor, "INSERT INTO docs VALUES %s", [(i, documents[i]) for i in chunk], page_size=CHUNK)
        cursor.execute("CREATE INDEX ON docs USING gin (body gin_trgm_ops)")
        cursor.execute("ANALYZE docs")
    say("load and index", len(documents) / loading.seconds, "docs/s")
    cursor.execute("SET pg_trgm.similarity_threshold = 0.8")

    def search(q):
        cursor.execute("SELECT n FROM docs WHERE body %% %s", (documents[q],))
        return [n for (n,) in cursor.fetchall()]

    answer_queries(search)

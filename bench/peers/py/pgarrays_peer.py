"""PostgreSQL: the sets as arrays of int in a table with a GIN index of their
members, by the argument with the extension intarray or with what there is without
it, plain.

Each shingle gets a number, the rarest the lowest; numbering counts as loading. A
document with a share t of the n shingles of a query has one of any n - ceil(tn) + 1
of them: the index finds what overlaps with the rarest so many, and what it finds
is counted in SQL."""

import math
from fractions import Fraction

import psycopg2
from psycopg2.extras import execute_values

from common import *
from postgres import server

INTARRAY = sys.argv[3] == "intarray"


def numbered(hashes):
    """Returns the sets with numbers for hashes, the rarest first."""
    sizes = [len(one_set) for one_set in hashes]
    _, dense, counts = numpy.unique(numpy.concatenate(hashes), return_inverse=True, return_counts=True)
    rank = numpy.empty(len(counts), "<i4")
    rank[numpy.argsort(counts, kind="stable")] = numpy.arange(len(counts), dtype="<i4")
    return [numpy.sort(one_set) for one_set in numpy.split(rank[dense], numpy.cumsum(sizes)[:-1])]


def literal(numbers):
    return "{" + ",".join(map(str, numbers.tolist())) + "}"


documents = sets()
with server() as cursor:
    operators, shared = "array_ops", "(SELECT count(*) FROM unnest(a) x WHERE x = ANY (%(all)s::int[]))"
    if INTARRAY:
        operators, shared = "gin__int_ops", "icount(a & %(all)s::int[])"
        try:
            cursor.execute("CREATE EXTENSION intarray")
        except psycopg2.Error as e:
            sys.exit(f"no intarray, install postgresql-contrib: {e}".strip())
    cursor.execute("CREATE TABLE docs (n int PRIMARY KEY, a int[])")
    loading = Clock()
    with loading:
        documents = numbered(documents)
        for chunk in chunks(len(documents)):
            execute_values(cursor, "INSERT INTO docs VALUES %s", [(i, literal(documents[i])) for i in chunk], page_size=CHUNK)
        cursor.execute(f"CREATE INDEX ON docs USING gin (a {operators})")
        cursor.execute("ANALYZE docs")
    say("load and index", len(documents) / loading.seconds, "docs/s")
    cursor.execute("SET jit = off")  # compiling takes longer than a query
    cursor.execute("SET enable_seqscan = off")  # it is chosen for long arrays, and is slower

    def containing(threshold):
        exact = Fraction(str(threshold))

        def search(q):
            members = documents[q]
            need = math.ceil(exact * len(members))
            if need == 0:
                return []
            cursor.execute(f"SELECT n FROM docs WHERE a && %(some)s::int[] AND {shared} >= %(need)s",
                           {"some": literal(members[: len(members) - need + 1]), "all": literal(members), "need": need})
            return [n for (n,) in cursor.fetchall()]

        return search

    def nearest(q):
        cursor.execute(f"""SELECT n FROM (SELECT n, {shared} AS s, cardinality(a) AS size FROM docs
                               WHERE a && %(all)s::int[] AND n <> %(q)s) AS d
                           ORDER BY s / (size + %(length)s - s)::float8 DESC, n LIMIT {NEAREST}""",
                       {"all": literal(documents[q]), "q": q, "length": len(documents[q])})
        return [n for (n,) in cursor.fetchall()]

    for threshold in THRESHOLDS:
        answer_containment(threshold, containing(threshold))
    answer_nearest(nearest)

"""DuckDB: an exact self join in SQL. Two sets that are similar enough share one of the rarest shingles of each."""

import os
import sys

import duckdb

t = float(sys.argv[3])
db = duckdb.connect(sys.argv[2] + "/docs.duckdb", config={"threads": int(os.environ["OMP_NUM_THREADS"])})
db.execute(
    f"""
    CREATE TABLE word AS SELECT id, unnest(words) AS word, unnest(range(len(words))) AS place
        FROM (SELECT id::INT AS id, string_split(text, ' ') AS words
            FROM read_json('{sys.argv[1]}', columns = {{id: 'VARCHAR', text: 'VARCHAR'}}, maximum_object_size = 33554432));
    CREATE TABLE one AS SELECT DISTINCT id, shingle
        FROM (SELECT id, word || ' ' || lead(word) OVER text || ' ' || lead(word, 2) OVER text AS shingle
            FROM word WINDOW text AS (PARTITION BY id ORDER BY place)) WHERE shingle IS NOT NULL;
    CREATE TABLE number AS SELECT shingle, row_number() OVER (ORDER BY count(*), shingle) AS token FROM one GROUP BY shingle;
    CREATE TABLE sets AS SELECT id, token, count(*) OVER (PARTITION BY id) AS size,
        row_number() OVER (PARTITION BY id ORDER BY token) AS place FROM one JOIN number USING (shingle);
    CREATE TABLE prefix AS SELECT id, token, size FROM sets WHERE place <= size - ceil({t} * size - 1e-9) + 1;
    CREATE TABLE candidate AS SELECT DISTINCT a.id AS a, b.id AS b, a.size AS sizea, b.size AS sizeb
        FROM prefix a JOIN prefix b ON a.token = b.token AND a.id < b.id
        WHERE a.size >= {t} * b.size - 1e-9 AND b.size >= {t} * a.size - 1e-9;
    CREATE TABLE member AS SELECT candidate.*, token FROM candidate JOIN sets ON id = a;
    COPY (SELECT a, b FROM member JOIN sets ON id = b AND sets.token = member.token
        GROUP BY a, b, sizea, sizeb HAVING count(*) >= {t} * (sizea + sizeb - count(*)) - 1e-9) TO '/dev/stdout' (FORMAT csv);
    """
)

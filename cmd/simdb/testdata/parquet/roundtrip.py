"""Parquet and Arrow between simdb and the programs that most people have them from.

Every type that pyarrow and duckdb write is imported, and compared with what is exported;
what simdb writes is read back. The command is the first argument.
"""
import datetime
import decimal
import json
import math
import os
import subprocess
import sys
import tempfile

import duckdb
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq

SIMDB = os.path.abspath(sys.argv[1])
os.chdir(tempfile.mkdtemp())


def run(*args, code=0):
    """Runs simdb and returns what it writes."""
    done = subprocess.run([SIMDB, *args], capture_output=True)
    assert done.returncode == code, (args, done.returncode, done.stderr.decode())
    return done.stdout


def imported(path, *flags):
    """Returns the metadata of the documents of a file, by id, as simdb has it."""
    db = path + ".simdb"
    run("import", "--quiet", *flags, db, path)
    lines = [json.loads(x, parse_float=decimal.Decimal) for x in run("export", db).splitlines()]
    return {d["id"]: {k: v for k, v in d.items() if k not in ("collection", "id", "text")} for d in lines}


utc = datetime.timezone.utc
when = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901)
D = decimal.Decimal
# type, value, what simdb has of it
types = {
    "bool": (pa.bool_(), True, True),
    "int8": (pa.int8(), -8, -8),
    "int16": (pa.int16(), -16, -16),
    "int32": (pa.int32(), -32, -32),
    "int64": (pa.int64(), -(2**63), -(2**63)),
    "uint8": (pa.uint8(), 255, 255),
    "uint16": (pa.uint16(), 65535, 65535),
    "uint32": (pa.uint32(), 2**32 - 1, 2**32 - 1),
    "uint64": (pa.uint64(), 2**64 - 1, 2**64 - 1),
    "half": (pa.float16(), 1.5, D("1.5")),
    "float": (pa.float32(), 0.1, D("0.1")),
    "double": (pa.float64(), 0.1, D("0.1")),
    "nan": (pa.float64(), math.nan, None),
    "decimal": (pa.decimal128(38, 10), D("-12345678901234567890.0123456789"), D("-12345678901234567890.0123456789")),
    "decimal256": (pa.decimal256(60, 2), D("9" * 50 + ".25"), D("9" * 50 + ".25")),
    "string": (pa.string(), 'täx"t\n', 'täx"t\n'),
    "large_string": (pa.large_string(), "large", "large"),
    "string_view": (pa.string_view(), "view", "view"),
    "binary": (pa.binary(), b"bytes", "bytes"),
    "fixed": (pa.binary(3), b"abc", "abc"),
    "dictionary": (pa.dictionary(pa.int32(), pa.string()), "word", "word"),
    "date32": (pa.date32(), when.date(), "2026-01-02"),
    "time32": (pa.time32("ms"), datetime.time(3, 4, 5, 678000), "03:04:05.678"),
    "time64": (pa.time64("us"), when.time(), "03:04:05.678901"),
    "ts_ms": (pa.timestamp("ms", "UTC"), when.replace(microsecond=678000, tzinfo=utc), "2026-01-02T03:04:05.678Z"),
    "ts_us": (pa.timestamp("us", "UTC"), when.replace(tzinfo=utc), "2026-01-02T03:04:05.678901Z"),
    "ts_ns": (pa.timestamp("ns", "UTC"), when.replace(tzinfo=utc), "2026-01-02T03:04:05.678901Z"),
    "ts_local": (pa.timestamp("us"), when, "2026-01-02T03:04:05.678901"),
    "list": (pa.list_(pa.int32()), [1, None, 3], [1, None, 3]),
    "empty": (pa.list_(pa.int32()), [], []),
    "fixed_list": (pa.list_(pa.float32(), 2), [0.5, 1.5], [D("0.5"), D("1.5")]),
    "lists": (pa.list_(pa.list_(pa.string())), [["a"], [], None, ["b", "c"]], [["a"], [], None, ["b", "c"]]),
    "struct": (pa.struct([("x", pa.int32()), ("y", pa.list_(pa.string()))]), {"x": 1, "y": ["a"]}, {"x": 1, "y": ["a"]}),
    "structs": (pa.list_(pa.struct([("x", pa.int32())])), [{"x": 1}, None, {"x": None}], [{"x": 1}, None, {"x": None}]),
    "map": (pa.map_(pa.string(), pa.int32()), [("a", 1), ("b", None)], {"a": 1, "b": None}),
    "map_int": (pa.map_(pa.int32(), pa.string()), [(1, "a")], {"1": "a"}),
}

# Every type, by every compression and both versions of pages: a row with values, one of NULLs.
columns = {"id": pa.array(["v", "null"]), "text": pa.array(["one two three", ""])}
for name, (kind, value, _) in types.items():
    columns[name] = pa.array([value, None], kind)
table = pa.table(columns)
want = {"v": {n: w for n, (_, _, w) in types.items()}, "null": {n: None for n in types}}
for codec in ("none", "snappy", "gzip", "brotli", "zstd", "lz4"):
    for version in ("1.0", "2.0"):
        for dictionary in (True, False):
            path = f"t-{codec}-{version}-{dictionary}.parquet"
            pq.write_table(table, path, compression=codec, data_page_version=version, use_dictionary=dictionary)
            got = imported(path)
            for row in want:
                for name in types:
                    assert got[row][name] == want[row][name], (path, row, name, got[row][name], want[row][name])
pq.write_table(pa.table({"id": ["a"], "text": ["x"], "t": pa.array([when], pa.timestamp("ns"))}), "int96.parquet", use_deprecated_int96_timestamps=True)
assert imported("int96.parquet")["a"]["t"] == "2026-01-02T03:04:05.678901Z"
for encoding in ("DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY", "PLAIN"):
    path = f"{encoding}.parquet"
    pq.write_table(pa.table({"id": [f"id-{i:05}" for i in range(5000)], "text": [f"text of {i}" for i in range(5000)]}), path,
                   use_dictionary=False, column_encoding={"id": encoding, "text": encoding}, row_group_size=700)
    assert len(imported(path)) == 5000, path

# duckdb's own types.
con = duckdb.connect()
con.execute("""COPY (SELECT 'a' AS id, 'one two' AS text, 170141183460469231731687303715884105727::HUGEINT::VARCHAR AS huge,
  UUID '01234567-89ab-cdef-0123-456789abcdef' AS uuid, INTERVAL '1 month 2 days 3 seconds' AS span, 1.25::DECIMAL(9,2) AS price,
  MAP {'k': [1, 2]} AS m, {'a': {'b': DATE '2026-01-02'}} AS s, '{"j": 1}'::JSON AS j, 'red'::ENUM('red', 'blue') AS e,
  TIME '03:04:05' AS t, TIMESTAMP '2026-01-02 03:04:05' AS ts) TO 'duck.parquet'""")
got = imported("duck.parquet")["a"]
assert got == {"huge": "170141183460469231731687303715884105727", "uuid": "01234567-89ab-cdef-0123-456789abcdef", "span": "P1M2DT3.000S",
               "price": D("1.25"), "m": {"k": [1, 2]}, "s": {"a": {"b": "2026-01-02"}}, "j": {"j": 1}, "e": "red", "t": "03:04:05",
               "ts": "2026-01-02T03:04:05"}, got

# What is exported: read by both, and imported again it is the same database.
db = "t-zstd-2.0-True.parquet.simdb"
run("query", db, "CREATE COLLECTION \"other one\"; INSERT INTO \"other one\" (id, text, collection) VALUES ('b', 'one two three four', 'mine')")
for kind in ("parquet", "arrow"):
    with open("out." + kind, "wb") as f:
        f.write(run("export", "--format", kind, db))
out = pq.read_table("out.parquet")
assert out.column_names == ["collection", "id", "text", "metadata"] and out.num_rows == 3, out
assert pa.ipc.open_stream("out.arrow").read_all().to_pydict() == out.to_pydict()
assert con.execute("SELECT count(*), any_value(metadata->>'int8') FROM 'out.parquet' WHERE id = 'v'").fetchall() == [(1, "-8")]
run("import", "--quiet", "back.simdb", "out.parquet")
assert run("export", "back.simdb") == run("export", db)

# What is queried: typed columns, the exact similarity beside the double.
query = "SIMILAR TO 'v' IN docs, \"other one\" WHERE sim >= 0.1"
with open("q.parquet", "wb") as f:
    f.write(run("query", "--format", "parquet", db, query))
rows = pq.read_table("q.parquet")
kinds = {f.name: str(f.type) for f in rows.schema}
assert (kinds["id"], kinds["sim"], kinds["shared"], kinds["union"]) == ("string", "double", "int64", "int64"), kinds
arrow = pa.ipc.open_stream(run("query", "--format", "arrow", db, query)).read_all()
assert arrow.to_pydict() == rows.to_pydict()
want = [json.loads(x) for x in run("query", "--format", "ndjson", db, query).splitlines()]
assert rows.to_pylist() == want, (rows.to_pylist(), want)
rows = con.execute("SELECT * FROM 'q.parquet'").fetchall()
assert len(rows) == len(want) == 1
print(f"parquet: {len(types)} types × 24 files, duckdb's, exports and answers: the same both ways")

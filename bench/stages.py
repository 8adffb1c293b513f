"""Runs the stages of simdb scale on a cluster of two workers, and compares the pairs with those of one database.

    python bench/stages.py [-n N] [--on ray|spark] [--s3] [--sim 0.8] [--memory GiB] [--dir DIR] CORPUS.jsonl[.gz]

The corpus becomes a dataset of Parquet. On Ray, one worker is killed after the first share of stage deal. With
--s3, the dataset and the pairs lie in an S3 server (moto). It prints the progress, the cost of each stage, and
that of one database, and fails unless all rows are equal and in the same order. It needs the package simdb with
the command, pyarrow, ray or pyspark, and moto[server] for --s3.
"""

import argparse
import gzip
import itertools
import json
import logging
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow.fs import FileSystem, copy_files

from simdb._command import command
from simdb._stages import call


def write_parts(corpus, documents, parts, folder):
    """Writes the documents as files of Parquet in rotation of batches, and returns their number."""
    schema = pa.schema([("id", pa.string()), ("text", pa.string())])
    files = [pq.ParquetWriter(folder / f"part-{i:03}.parquet", schema, compression="zstd") for i in range(parts)]
    count, size = 0, max(min(documents // parts, 20_000), 1)
    with (gzip.open if corpus.suffix == ".gz" else open)(corpus, "rt", encoding="utf-8") as lines:
        for n, batch in enumerate(batched(itertools.islice(lines, documents), size)):
            rows = [json.loads(line) for line in batch]
            ids = [str(row.get("id", count + i)) for i, row in enumerate(rows)]
            files[n % parts].write_table(pa.table([ids, [row["text"] for row in rows]], schema))
            count += len(rows)
    for file in files:
        file.close()
    return count


def batched(items, size):
    while batch := list(itertools.islice(items, size)):
        yield batch


def run(on, memory, arguments, cleanup):
    """Runs the stages, on Ray with a worker killed midway, and returns the output."""
    address, kill = "local[2]", None
    if on == "ray":
        from ray.cluster_utils import Cluster
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": 100 << 20})
        cleanup.callback(cluster.shutdown)
        nodes = [cluster.add_node(num_cpus=1, memory=(memory + 1) << 30, object_store_memory=100 << 20) for _ in range(2)]
        cluster.wait_for_nodes()
        address, kill = cluster.address, lambda: cluster.remove_node(nodes[0], allow_graceful=False)
    process = subprocess.Popen([sys.executable, "-m", f"simdb.{on}", "run", "--address", address, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    log = []
    for line in process.stderr:
        log.append(line)
        if " left" in line:
            print(line, end="", flush=True)
        if kill and line.startswith("deal 1 of"):
            kill()
            kill = None
            print("-- a worker is killed", flush=True)
    table = process.stdout.read()
    if process.wait() or on == "ray" and kill:
        sys.exit(f"FAIL: the run ended with {process.returncode}, a worker was killed: {kill is None}\n" + "".join(log[-40:]))
    return table


def rows_of(uri):
    """Yields the rows of the pairs that the run wrote, in order."""
    store, path = FileSystem.from_uri(uri)
    for n in itertools.count():
        try:
            stream = store.open_input_file(f"{path}/pairs/part-{n:05}.parquet")
        except FileNotFoundError:
            return
        with stream:
            for batch in pq.ParquetFile(stream).iter_batches():
                yield from batch.to_pylist()


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("corpus", type=Path)
    p.add_argument("-n", type=int, default=100_000, help="documents (default: 100,000)")
    p.add_argument("--on", choices=["ray", "spark"], default="ray")
    p.add_argument("--s3", action="store_true", help="input and output in an S3 server")
    p.add_argument("--sim", default="0.8")
    p.add_argument("--memory", type=int, default=1, help="GiB of a task (default: 1)")
    p.add_argument("--parts", type=int, default=16, help="files of the dataset (default: 16)")
    p.add_argument("--dir", type=Path, default=None, help="folder for all files (default: a temporary one)")
    args = p.parse_args()
    with ExitStack() as cleanup:
        folder = Path(tempfile.mkdtemp(prefix="simdb-stages-", dir=args.dir))
        cleanup.callback(shutil.rmtree, folder, ignore_errors=True)
        dataset = folder / "dataset"
        dataset.mkdir()
        count = write_parts(args.corpus, args.n, args.parts, dataset)
        inputs, out = str(dataset), str(folder / "out")
        if args.s3:
            from moto.server import ThreadedMotoServer
            logging.getLogger("werkzeug").setLevel(logging.ERROR)
            server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
            server.start()
            cleanup.callback(server.stop)
            port = server.get_host_and_port()[1]
            options = f"?endpoint_override=127.0.0.1:{port}&scheme=http&region=us-east-1"
            inputs, out = f"s3://key:secret@bucket/dataset{options}", f"s3://key:secret@bucket/out{options}"
            store = FileSystem.from_uri(f"s3://key:secret@bucket{options}&allow_bucket_creation=true")[0]
            store.create_dir("bucket")
            copy_files(str(dataset), "bucket/dataset", destination_filesystem=store)
        table = run(args.on, args.memory, ["--sim", args.sim, "--memory", f"{args.memory}GiB", "--clusters", "--out", out, str(folder / "work"), inputs], cleanup)
        print(table[table.index("stage ") : table.index(" pairs\n") + 6])  # Ray prints messages around it
        if args.s3 and not any((folder / "work/inputs").rglob("*.parquet")):
            sys.exit("FAIL: nothing was copied from the object store")

        db, query = str(folder / "db"), f"SIMILAR PAIRS WHERE sim >= {args.sim}"
        for name, words in (("import", ["import", "--quiet", db, str(dataset)]), ("pairs", ["query", "--format", "csv", db, query])):
            done = call(*words)
            print(f"one database, {name}: {done.cpu:.1f} CPU s, read {done.read / 1e6:.1f} MB, written {done.written / 1e6:.1f} MB, peak {done.peak / 1e6:.1f} MB")
        want = subprocess.Popen([command(), "query", "--format", "ndjson", db, query], stdout=subprocess.PIPE)
        rows = 0
        for line, row in itertools.zip_longest(want.stdout, rows_of(out)):
            if line is None or row is None or json.loads(line) != row:
                sys.exit(f"FAIL: row {rows + 1} is {row}, of one database {line}")
            rows += 1
        if want.wait() or not rows:
            sys.exit(f"FAIL: one database gives {rows} rows, and ends with {want.returncode}")
        size = sum(f.stat().st_size for f in (folder / "work").rglob("*") if f.is_file() and "inputs" not in f.parts)
        print(f"ok: {count:,} documents on {args.on}{' and S3' if args.s3 else ''}, {rows:,} pairs, equal to one database; WORKDIR {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()

"""A cluster of four nodes (processes) on this machine, one of which is killed in the middle,
gives the pairs of one database.

    python test_driver.py PATH_OF_SIMDB

Without Ray it says so and ends with 0.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import ray  # noqa: F401
    from ray.cluster_utils import Cluster
except ImportError as e:
    print(f"SKIP: ray cannot be had here: {e}; pip install -r requirements.txt")
    sys.exit(0)

HERE = pathlib.Path(__file__).parent
SHARES = 12


def write_inputs(folder, documents=12000, parts=12):
    """Writes texts, many of which are changed copies of others, as parts of JSON lines."""
    r = random.Random(19)
    texts, paths = [], []
    for part in range(parts):
        path = folder / f"part-{part:02}.jsonl"
        with open(path, "w") as f:
            for i in range(documents // parts):
                if texts and r.random() < 0.4:
                    words = list(r.choice(texts))
                    for _ in range(r.randrange(8)):
                        words[r.randrange(len(words))] = f"w{r.randrange(20000)}"
                else:
                    words = [f"w{r.randrange(20000)}" for _ in range(r.randrange(20, 200))]
                texts.append(words)
                f.write(json.dumps({"id": f"{part:02}-{i:05}", "text": " ".join(words)}) + "\n")
        paths.append(str(path))
    return paths


def main():
    simdb = str(pathlib.Path(sys.argv[1]).resolve())

    def command(*args):
        return subprocess.run([simdb, *args], check=True, capture_output=True, text=True).stdout

    folder = pathlib.Path(tempfile.mkdtemp(prefix="simdb-ray-"))
    inputs = write_inputs(folder)
    command("import", "--quiet", str(folder / "db"), *inputs)
    want = command("query", "--format", "csv", str(folder / "db"), "SIMILAR PAIRS WHERE sim >= 0.5")
    work = str(folder / "work")
    command("scale", "plan", "--sim", "0.5", work, *inputs)

    node = {"num_cpus": 1, "memory": 2 << 30, "object_store_memory": 100 << 20}
    cluster = Cluster(initialize_head=True, head_node_args=node)
    nodes = [cluster.add_node(**node) for _ in range(3)]
    cluster.wait_for_nodes()
    try:
        driver = subprocess.Popen(
            [sys.executable, str(HERE / "driver.py"), "--address", cluster.address,
             "--simdb", simdb, "--shares", str(SHARES), "--clusters", work],
            stdout=subprocess.PIPE, text=True)
        killed = False
        for line in driver.stdout:
            print(line, end="")
            if line.startswith("deal 1 of") and not killed:
                killed = True
                cluster.remove_node(nodes[0], allow_graceful=False)
                print("-- a node is killed")
        code = driver.wait()
    finally:
        cluster.shutdown()
    got = command("scale", "collect", "--format", "csv", work)
    rows = got.count("\n") - 1
    if code != 0 or not killed or got != want or rows < 1000:
        sys.exit(f"FAIL: the driver ended with {code}, a node was killed: {killed}, {rows} rows, "
                 f"those of one database: {got == want}; see {folder}")
    subprocess.run(["rm", "-r", str(folder)], check=True)
    print(f"ok: {rows} rows, those of one database")


if __name__ == "__main__":
    main()

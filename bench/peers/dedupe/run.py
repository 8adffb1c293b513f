"""The same job in simdb, datasketch, rensa and text-dedup: groups of near-duplicates of a file of JSON lines.

    python run.py [FILE.jsonl[.gz]…]

Without a file it draws 20,000 texts. It says how many lines of code each job has, how long it took with
reading the file, how many pairs of resemblance 0.8 or more are in no common group (missed), and how
many documents it puts into a group with none that they resemble so (wrong). Truth is counted here, by
comparing all that share a shingle.

text-dedup asks for Spark, which this job of it does not use. Without: pip install --no-deps text-dedup, and
click, click-option-group, datasets, numpy, regex, rich, scipy, tqdm, psutil and xxhash.
"""

import collections
import gzip
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
JOBS = ["simdb", "datasketch", "rensa", "textdedup"]
MOST = 20_000


def drawn():
    """Texts of 60 words, of which a third are the one before with a few words replaced."""
    r = random.Random(1)
    words = [f"w{i}" for i in range(20_000)]
    text = []
    for i in range(MOST):
        if i % 3 == 1:
            for _ in range(r.randrange(1, 4)):
                text[r.randrange(60)] = r.choice(words)
        else:
            text = r.choices(words, k=60)
        yield {"id": f"d{i}", "text": " ".join(text)}


def read(name):
    with (gzip.open if name.endswith(".gz") else open)(name, "rt") as lines:
        for n, line in zip(range(MOST), lines):
            doc = json.loads(line)
            yield {"id": f"d{n}", "text": " ".join(re.findall(r"[a-z0-9]+", doc["text"].lower()))}  # words that all read alike


def similar_pairs(docs):
    """All pairs of resemblance 0.8 or more. Two such share one of the rarest fifth of the shingles of either."""
    sets = {}
    for d in docs:
        w = d["text"].split()
        if len(w) >= 3:
            sets[d["id"]] = {" ".join(w[i : i + 3]) for i in range(len(w) - 2)}
    count = collections.Counter(s for one in sets.values() for s in one)
    seen, pairs = collections.defaultdict(list), set()
    for id, one in sets.items():
        rare = sorted(one, key=lambda s: (count[s], s))[: len(one) - -(-4 * len(one) // 5) + 1]
        for other in {o for s in rare for o in seen[s]}:
            shared = len(one & sets[other])
            if 5 * shared >= 4 * (len(one) + len(sets[other]) - shared):
                pairs.add((other, id))
        for s in rare:
            seen[s].append(id)
    return pairs


def measure(name, docs):
    pairs = similar_pairs(docs)
    alike = {id for p in pairs for id in p}
    print(f"\n{name}: {len(docs)} texts, {sum(len(d['text']) for d in docs) / 1e6:.1f} MB, {len(pairs)} similar pairs\n")
    print("| | lines of code | seconds | missed pairs | wrong documents |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "docs.jsonl")
        file.write_text("".join(json.dumps(d) + "\n" for d in docs))
        for job in JOBS:
            code = [ln for ln in (HERE / f"{job}_job.py").read_text().splitlines() if ln.strip() and not ln.startswith(('"""', "#"))]
            start = time.perf_counter()
            ran = subprocess.run([sys.executable, HERE / f"{job}_job.py", file, Path(folder, job)], capture_output=True, text=True)
            seconds = time.perf_counter() - start
            if ran.returncode != 0:
                print(f"| {job} | {len(code)} | failed: {ran.stderr.strip().splitlines()[-1]} | | |")
                continue
            group = dict(line.split("\t") for line in ran.stdout.splitlines())
            missed = sum(group.get(a) is None or group.get(a) != group.get(b) for a, b in pairs)
            print(f"| {job} | {len(code)} | {seconds:.1f} | {missed} | {len(group.keys() - alike)} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        measure("drawn", list(drawn()))
    for name in sys.argv[1:]:
        measure(Path(name).name, list(read(name)))

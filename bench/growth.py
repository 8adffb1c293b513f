"""Measures how the stages of simdb scale grow with a generated corpus.

    go build ./cmd/simdb && python3 bench/growth.py ./simdb FOLDER 100000 300000 1000000 3000000 10000000

Writes parts of 100,000 texts of 2 kB to FOLDER (600 bytes a text, compressed) and runs the stages at 0.8 on growing
numbers of them. Prints a table of CPU-s, peak memory of the process, bytes of each stage and counts, and for each figure
the exponent of its growth with its standard error: the slope of a line through the logarithms.
"""

import json
import math
import os
import shutil
import subprocess
import sys

PART = 100_000
STAGES = ["analyse", "order", "deal", "join", "clusters"]


def part(gencorpus, folder, i):
    path = f"{folder}/part-{i:03}.jsonl.zst"
    if not os.path.exists(path):
        make = f"{gencorpus} -from {i * PART} -n {PART} | zstd -q -1 -o {path}.tmp && mv {path}.tmp {path}"
        subprocess.run(["bash", "-c", "set -o pipefail; " + make], check=True)
    return path


def run(simdb, stage, work):
    """Runs a stage and returns its CPU seconds, its peak memory in MB and the bytes of its files."""
    child = subprocess.Popen([simdb, "scale", stage, work], stderr=subprocess.PIPE)
    message = child.stderr.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{stage}: {message}")
    written = sum(f.stat().st_size for f in os.scandir(f"{work}/{stage}"))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, written


def counts(work, stage, name):
    return sum(json.load(open(f)).get("counts", {}).get(name, 0) for f in (e.path for e in os.scandir(f"{work}/{stage}")) if f.endswith(".json"))


def exponent(ns, ys):
    xs, ys = [math.log(n) for n in ns], [math.log(y) for y in ys]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    sxx = sum((x - mx) ** 2 for x in xs)
    slope = sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sxx
    rest = sum((y - my - slope * (x - mx)) ** 2 for x, y in zip(xs, ys))
    return slope, math.sqrt(rest / max(len(xs) - 2, 1) / sxx)


def main(simdb, folder, *sizes):
    sizes = [int(n) for n in sizes]
    os.makedirs(folder, exist_ok=True)
    gencorpus = f"{folder}/gencorpus"
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run(["go", "-C", here, "build", "-o", os.path.abspath(gencorpus), "./gencorpus"], check=True)
    figures = {}
    print("| documents | " + " | ".join(f"{s}: CPU-s, MB of memory, MB written" for s in STAGES) + " | all: CPU-s | candidates | pairs |")
    print("| --- " * (len(STAGES) + 4) + "|")
    for n in sizes:
        parts = [part(gencorpus, folder, i) for i in range(n // PART)]
        work = f"{folder}/work"
        shutil.rmtree(work, ignore_errors=True)
        subprocess.run([simdb, "scale", "plan", "--sim", "0.8", work, *parts], check=True)
        rows = {s: run(simdb, s, work) for s in STAGES}
        cpu = sum(r[0] for r in rows.values())
        candidates, pairs = counts(work, "join", "candidates"), counts(work, "join", "pairs")
        cells = [f"{r[0]:.1f}, {r[1]:.0f}, {r[2] / 1e6:.0f}" for r in rows.values()]
        print(f"| {n:,} | " + " | ".join(cells) + f" | {cpu:.0f} | {candidates:,} | {pairs:,} |", flush=True)
        for name, value in [*((s, r[0]) for s, r in rows.items()), ("all", cpu), ("candidates", candidates), ("pairs", pairs)]:
            figures.setdefault(name, []).append(value)
        shutil.rmtree(work)
    for name, values in figures.items():
        if len(values) > 2 and min(values) > 0:
            slope, error = exponent(sizes, values)
            print(f"{name}: exponent {slope:.3f} ± {error:.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])

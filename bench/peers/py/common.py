"""What the peers written in Python share: inputs, answers, figures.

The folder of inputs is described in bench/speed/export.go, that of answers in
answers.go. Figures are JSON lines on standard output.
"""

import importlib.metadata
import json
import os
import struct
import sys
import time

import numpy

INPUTS, ANSWERS = sys.argv[1], sys.argv[2]
PERMUTATIONS = 128
THRESHOLDS = 0.8, 0.5  # of containment
NEAREST = 10
QUERY_SECONDS = 20  # further queries are left out
CHUNK = 1000  # documents whose tokens are made at once, before the clock starts


def say(name, value=0.0, unit="", note=""):
    print(json.dumps({"name": name, "value": value, "unit": unit, "note": note}), flush=True)


def say_version(package):
    say("version", note=importlib.metadata.version(package))


def texts():
    with open(os.path.join(INPUTS, "texts.jsonl"), encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line in lines]


def sets():
    """Returns the shingle hashes of each document as an array of u64."""
    with open(os.path.join(INPUTS, "sets.bin"), "rb") as file:
        packed = file.read()
    all_sets, at = [], 0
    while at < len(packed):
        (count,) = struct.unpack_from("<I", packed, at)
        all_sets.append(numpy.frombuffer(packed, "<u8", count, at + 4))
        at += 4 + 8 * count
    return all_sets


def tokens(one_set):
    """Returns the hashes of a set as bytes, which is what MinHash libraries take."""
    packed = one_set.tobytes()
    return [packed[i : i + 8] for i in range(0, len(packed), 8)]


def queries():
    return numpy.fromfile(os.path.join(INPUTS, "queries.bin"), "<u4")


def chunks(count):
    return (range(i, min(i + CHUNK, count)) for i in range(0, count, CHUNK))


def answer_queries(search, name="queries.bin", what="query", own=False):
    """Times search(q) for each query and writes the numbers it returns, without
    the query's own unless it is wanted."""
    took, answers = [], []
    begun = time.perf_counter()
    for q in queries():
        if time.perf_counter() - begun > QUERY_SECONDS:
            break
        start = time.perf_counter()
        found = search(int(q))
        took.append(time.perf_counter() - start)
        answers.append([int(n) for n in found if own or int(n) != int(q)])
    with open(os.path.join(ANSWERS, name), "wb") as file:
        for found in answers:
            file.write(struct.pack("<I", len(found)))
            file.write(numpy.array(found, "<u4").tobytes())
    took.sort()
    say(what + ", median", took[len(took) // 2] * 1e6, "µs")
    say(what + ", 99 of 100", took[len(took) * 99 // 100] * 1e6, "µs")


def verified(sets, q, candidates):
    """Returns the candidates that resemble document q at 0.8, by the sets of shingles."""

    def similar(a, b):
        shared = len(numpy.intersect1d(a, b, assume_unique=True))
        return shared > 0 and 5 * shared >= 4 * (len(a) + len(b) - shared)

    return [n for n in candidates if similar(sets[q], sets[n])]


def say_disk(folder):
    files = (os.path.join(at, name) for at, _, names in os.walk(folder) for name in names)
    say("disk", sum(os.path.getsize(path) for path in files) / 1e6, "MB")


def answer_containment(threshold, search):
    """answer_queries for the documents that hold such a share of the query."""
    hundredths = round(100 * threshold)
    answer_queries(search, f"containment-{hundredths}.bin", f"containment {threshold}")


def answer_nearest(search):
    """answer_queries for the NEAREST documents of highest resemblance."""
    answer_queries(search, "nearest.bin", "ten nearest")


def write_pairs(pairs):
    numpy.array(pairs, "<u4").tofile(os.path.join(ANSWERS, "pairs.bin"))


class Clock:
    """Adds up the seconds spent inside of with blocks."""

    def __init__(self):
        self.seconds = 0.0

    def __enter__(self):
        self.start = time.perf_counter()

    def __exit__(self, *_):
        self.seconds += time.perf_counter() - self.start

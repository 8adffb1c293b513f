"""faiss: fingerprints in a binary index, by the argument flat, hash or multi-hash.

The multi-hash index has four tables of 16 bits; flipping so many bits of each,
a third of the distance, it finds everything."""

import faiss

from common import *

KIND = sys.argv[3]
faiss.omp_set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
fingerprints = numpy.fromfile(os.path.join(INPUTS, "fingerprints.bin"), "u1").reshape(-1, 8)
say_version("faiss-cpu")
loading = Clock()
with loading:
    index = {
        "flat": lambda: faiss.IndexBinaryFlat(64),
        "hash": lambda: faiss.IndexBinaryHash(64, 16),
        "multi-hash": lambda: faiss.IndexBinaryMultiHash(64, 4, 16),
    }[KIND]()
    index.add(fingerprints)
say("load and index", len(fingerprints) / loading.seconds, "docs/s")


def search(probes, bits):
    """Returns the documents within so many bits of each probe; radii are exclusive."""
    limits, _, found = index.range_search(probes, bits + 1)
    return [found[limits[i] : limits[i + 1]] for i in range(len(probes))]


for name, bits, flips in (("far.bin", 12, 3), ("near.bin", 3, 0)):
    if KIND != "flat":
        index.nflip = flips
    answer_queries(lambda q: search(fingerprints[q : q + 1], bits)[0], name, f"{bits} bits", own=True)
    if bits == 12:
        took = []
        numbers = queries()
        for i in range(0, len(numbers) - 7, 8):
            probes = fingerprints[numbers[i : i + 8]]
            start = time.perf_counter()
            search(probes, bits)
            took.append((time.perf_counter() - start) / 8)
        took.sort()
        say("12 bits, each of 8", took[len(took) // 2] * 1e6, "µs")

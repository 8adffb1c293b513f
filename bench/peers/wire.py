"""What lies between Python and the engine takes: python wire.py [DOCUMENTS]. See docs/decisions/0072."""

import os
import random
import statistics
import sys
import tempfile
import time

import simdb

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000


def cpu(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def texts():
    r = random.Random(1)
    words = [f"w{i}" for i in range(20_000)]
    return ({"id": f"d{i:07}", "text": " ".join(r.choices(words, k=50)), "year": 2000 + i % 25} for i in range(COUNT))


docs = list(texts())
for wire, unix in [("Unix socket", True), ("port", False)]:
    with tempfile.TemporaryDirectory() as folder, simdb.open(folder + "/x.simdb", unix=unix) as db:
        pid = db._server._process.pid

        def measured(what, work):
            ours, theirs, start = time.process_time(), cpu(pid), time.perf_counter()
            work()
            seconds, ours, theirs = time.perf_counter() - start, time.process_time() - ours, cpu(pid) - theirs
            print(f"{wire}: {what} {COUNT / seconds:,.0f} a second; CPU {ours * 1e6 / COUNT:.1f} us here, {theirs * 1e6 / COUNT:.1f} us there", flush=True)

        measured("documents put", lambda: db.put_many(docs))
        measured("rows read", lambda: [None for _ in db.query("SELECT id, year FROM docs")])
        measured("rows read into pandas", lambda: db.query("SELECT id, year FROM docs").to_pandas())
        beyond = []
        for i in range(1000):
            start = time.perf_counter()
            with db.nearest(docs[i * COUNT // 1000]["id"], 5) as rows:
                list(rows)
            answer = (time.perf_counter() - start) * 1000
            beyond.append(answer - rows.elapsed_ms)
        print(f"{wire}: a search takes {statistics.median(beyond):.3f} ms beyond the server's time (best tenth {sorted(beyond)[100]:.3f})")

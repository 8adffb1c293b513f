"""simdb beside tools that find near-duplicates, on the same real texts: how much each finds, and what that takes.

    python run.py [-n 50000] [-seed 1] [-thresholds 0.8,0.5,0.7,0.9] [-only simdb,rensa] [-raw DIR/exact.jsonl] [FILE.jsonl[.gz]]

FILE is what bench/realtext writes, or any lines with an id and a text. Without one it draws 20,000 texts. All
tools read the same words, in shingles of three; share.py says how they are written. Each runs in a process of its
own, on one core, at its usual settings for the threshold. simdb's pairs count as the exact answer; those of 50 documents
are counted again by brute force, and the run ends if they differ. Figures replace those of exact.jsonl;
RESULTS.md gets its tables from them, and bench/plots draws them.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

import report
from judge import Truth
from share import Share

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
ALL = ["0.8", "0.5", "0.7", "0.9"]
# The thresholds that a tool has settings for, and how many documents it is given at most.
TOOLS = {
    "datasketch": (ALL, None),
    "rensa": (ALL, None),
    "gaoya": (["0.8"], None),
    "textdedup": (ALL, None),
    "datatrove": (["0.8"], None),
    "lance": (["0.8"], None),
    "duckdb": (["0.8"], 20_000),
    "setsimilaritysearch": (["0.8"], 20_000),
}
DRAWN = 20_000


def drawn():
    """Texts of 60 words, of which a third are the one before with a few words replaced."""
    r = random.Random(1)
    vocabulary = [f"w{i}" for i in range(20_000)]
    text = []
    for i in range(DRAWN):
        if i % 3 == 1:
            for _ in range(r.randrange(1, 4)):
                text[r.randrange(60)] = r.choice(vocabulary)
        else:
            text = r.choices(vocabulary, k=60)
        yield {"text": " ".join(text), "lang": "drawn"}, i


def tree(pid):
    try:
        top = psutil.Process(pid)
        return [top, *top.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def memory(pid):
    """What a process and those below it hold, in all and of anonymous memory."""
    held = []
    for p in tree(pid):
        try:
            held.append(p.memory_info())
        except psutil.NoSuchProcess:
            pass
    return sum(m.rss for m in held), sum(m.rss - m.shared for m in held)


def start(name, arguments, answer, limits):
    """Runs a job on one core. Returns its figures, with the reason if it failed."""
    env = os.environ | dict.fromkeys(["GOMAXPROCS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS", "LANCE_CPU_THREADS"], "1")
    command = ["taskset", "-c", str(limits.core), sys.executable, HERE / f"{name}_job.py", *map(str, arguments)]
    begun, most, anonymous, failed = time.monotonic(), 0, 0, ""
    errors = Path(f"{answer}.errors")
    with open(answer, "w") as out, open(errors, "w") as err:
        job = subprocess.Popen(command, stdout=out, stderr=err, env=env, start_new_session=True)
        status, used = None, None
        try:
            while status is None:
                time.sleep(0.05)
                held, own = memory(job.pid)
                most, anonymous = max(most, held), max(anonymous, own)
                if time.monotonic() - begun > limits.time:
                    failed = f"took more than {limits.time:.0f} s"
                elif own > limits.memory:
                    failed = f"held more than {limits.memory / 1e9:.0f} GB"
                if failed:
                    os.killpg(job.pid, signal.SIGKILL)
                pid, ended, used = os.wait4(job.pid, 0 if failed else os.WNOHANG)
                status = ended if pid else None
        finally:
            if status is None:
                os.killpg(job.pid, signal.SIGKILL)
    job.returncode = os.waitstatus_to_exitcode(status)
    if job.returncode and not failed:
        failed = (errors.read_text().strip().splitlines() or [f"exit code {job.returncode}"])[-1]
    return {"seconds": time.monotonic() - begun, "cpu": used.ru_utime + used.ru_stime, "rss": most, "anonymous": anonymous, "failed": failed}


def compare(share, folder, o, say):
    run = lambda name, arguments, answer: start(name, arguments, answer, o)
    stored = run("simdb", [share.file, folder, "import"], folder / "imported")
    answers = {}
    for t in ["0.5", *(t for t in o.thresholds if t != "0.5")]:  # the lowest is the truth of all
        answers[t] = folder / f"simdb-{t}"
        took = {"failed": stored["failed"]} if stored["failed"] else run("simdb", [share.file, folder, t], answers[t])
        if took["failed"]:
            raise SystemExit(f"simdb at {t}: {took['failed']}")
        if t == "0.5":
            truth = Truth(share, answers[t])
            checked, pairs = truth.check(o.seed)
            say({"tool": "brute force", "documents": checked, "pairs": pairs})
        whole = {name: stored[name] + took[name] for name in ("seconds", "cpu")}
        whole |= {name: max(stored[name], took[name]) for name in ("rss", "anonymous")}
        figures = truth.judge(answers[t], round(100 * float(t)), share.ranks >= 0)
        if figures["recall"] not in (1, None) or figures["precision"] not in (1, None):
            raise SystemExit(f"simdb at {t} differs from its own pairs at 0.5")
        say({"tool": "simdb", "threshold": t, "documents": share.n, "failed": "", "import cpu": stored["cpu"], **whole, **figures})
    for name, (thresholds, most) in TOOLS.items():
        if o.only and name not in o.only:
            continue
        file, among = share.part(most or share.n, folder / f"{name}.jsonl")
        for t in [t for t in o.thresholds if t in thresholds]:
            with tempfile.TemporaryDirectory(dir=folder) as work:
                answer = folder / f"{name}-{t}"
                took = run(name, [file, work, t], answer)
            figures = {} if took["failed"] else truth.judge(answer, round(100 * float(t)), among)
            say({"tool": name, "threshold": t, "documents": int(among.sum()), **took, **figures})
            if took["failed"]:
                break


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("file", nargs="?")
    parse.add_argument("-n", type=int, default=50_000, help="documents, about so many")
    parse.add_argument("-seed", type=int, default=1)
    parse.add_argument("-thresholds", type=lambda s: s.split(","), default=ALL)
    parse.add_argument("-only", type=lambda s: s.split(","), help="tools to run beside simdb")
    parse.add_argument("-time", type=float, default=1800, help="seconds that a tool may take")
    parse.add_argument("-memory", type=float, default=10e9, help="bytes of anonymous memory that it may hold")
    parse.add_argument("-core", type=int, default=0, help="the core that all run on")
    parse.add_argument("-raw", default=str(HERE / "exact.jsonl"), help="where the figures go, and beside it tables")
    parse.add_argument("-dir", help="folder for inputs and answers; default a temporary one")
    o = parse.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    with tempfile.TemporaryDirectory(dir=o.dir) as folder:
        folder = Path(folder)
        os.environ["SIMDB"] = str(folder / "simdb")
        subprocess.run(["go", "build", "-o", folder / "simdb", "./cmd/simdb"], cwd=ROOT, check=True, env=os.environ | {"CGO_ENABLED": "0"})
        share = Share(o.file or drawn(), o.n, o.seed, folder / "docs.jsonl")
        raw = Path(o.raw)
        with open(raw, "w") as lines:

            def say(figures):
                print(report.line(figures), file=sys.stderr)
                print(json.dumps(figures), file=lines, flush=True)

            say({"tool": "inputs", "documents": share.n, "bytes": share.bytes, "file": Path(o.file or "drawn").name, "seed": o.seed})
            compare(share, folder, o, say)
    report.write(raw)


if __name__ == "__main__":
    main()

"""RESULTS.md, and the figures that bench/plots draws."""

import csv
import json
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
TITLE = """# Deduplication tools on real texts: all tables

Written by [run.py](run.py) (`make bench-exact`) from [exact.jsonl](exact.jsonl); do not edit. [docs/exact.md](../../../docs/exact.md)
describes the tools, the method and the findings. A class of sim is closed below and open above; tools with groups only are judged by groups.
A document is wrongly grouped if no exact chain of pairs connects it to the rest of its group.

"""
PLOTS = """
![share of the pairs that each tool finds, by sim](recall.svg)

![documents per second of a core at 0.8, and recall](cost.svg)
"""
HEAD = ["", "documents", "documents/s a core", "seconds", "memory, MB", "with files, MB"]
HEAD += ["recall", "precision", "recall in groups", "precision in groups", "wrongly grouped"]
NAMES = {"textdedup": "text-dedup", "lance": "Lance", "duckdb": "DuckDB", "setsimilaritysearch": "SetSimilaritySearch"}


def by_threshold(figures):
    return sorted(figures, key=lambda f: f["threshold"])


def rate(f):
    return f["documents"] / f["cpu"]


def ratio(x):
    """A share, rounded so that only 0 and 1 look like them."""
    if x is None:
        return "–"
    return f"{x:.0f}" if x in (0, 1) else f"{min(max(x, 0.001), 0.999):.3f}"


def tool(f):
    return NAMES.get(f["tool"], f["tool"])


def line(f):
    if "threshold" not in f:
        return json.dumps(f)
    head = f"{f['tool']} {f['threshold']}: {f['seconds']:.0f} s, {f['cpu']:.0f} s of a core, {f['anonymous'] / 1e6:.0f} MB"
    if f["failed"]:
        return f"{head}, failed: {f['failed']}"
    return f"{head}, recall {ratio(f.get('recall'))}, in groups {ratio(f['recall in groups'])}, precision {ratio(f.get('precision'))}"


def table(head, rows):
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in [head, ["---"] * len(head), *rows])


def ran(f):
    cells = [tool(f), f"{f['documents']:,}"]
    if f["failed"]:
        return [*cells, f"failed: {f['failed'].replace('|', ' ')}", *["–"] * 8]
    found = [ratio(f.get("recall")), ratio(f.get("precision")), ratio(f["recall in groups"]), ratio(f["precision in groups"]), f"{f['wrongly grouped']:,}"]
    return [*cells, f"{rate(f):,.0f}", f"{f['seconds']:,.0f}", f"{f['anonymous'] / 1e6:,.0f}", f"{f['rss'] / 1e6:,.0f}", *found]


def by_class(figures, what, kind):
    names = list(dict.fromkeys(k.split(kind + " ", 1)[1] for f in figures for k in f if k.startswith(f"{what}, {kind} ")))
    rows = [[tool(f), *(ratio(f.get(f"{what}, {kind} {name}")) for name in names)] for f in figures]
    return table(["", *names], [row for row in rows if any(cell != "–" for cell in row[1:])])


def tables(figures):
    of = {f["tool"]: f for f in figures}
    measured = [f for f in figures if "threshold" in f]
    at = [f for f in measured if f["threshold"] == "0.8"]
    good = [f for f in at if not f["failed"]]
    inputs, checked = of["inputs"], of["brute force"]
    yield f"{inputs['documents']:,} documents of {inputs['file']}, {inputs['bytes'] / 1e6:,.0f} MB of words, "
    exact = [f for f in by_threshold(measured) if f["tool"] == "simdb"]
    yield f"seed {inputs['seed']}. {', '.join('{pairs:,} pairs at {threshold}'.format(**f) for f in exact)}. "
    yield f"Brute force gave the same {checked['pairs']:,} pairs of {checked['documents']} documents.\n\n"
    yield "At 0.8:\n\n"
    yield table(HEAD, map(ran, at))
    for what, kind, title in [
        ("recall", "sim", "Recall by sim"),
        ("recall", "size", "Recall by shingles of the smaller text"),
        ("precision", "size", "Precision by shingles of the smaller text"),
        ("recall", "lang", "Recall by language"),
        ("precision", "lang", "Precision by language"),
    ]:
        yield f"\n{title}:\n\n" + by_class(good, what, kind)
    others = [[f["threshold"], *ran(f)] for f in by_threshold(measured) if f["threshold"] != "0.8"]
    if others:
        yield "\nAt other thresholds:\n\n" + table(["threshold", *HEAD], others)


def plots(figures, folder):
    good = [f for f in figures if f.get("failed") == ""]
    curves = [[tool(f), sim, recall] for f in good if f["threshold"] == "0.8" for sim, recall in f["curve"]]
    costs = [[tool(f), f["recall"] if "recall" in f else f["recall in groups"], rate(f)] for f in good if f["threshold"] == "0.8"]
    files = {"recall.csv": [["series", "sim", "share found"], *curves], "cost.csv": [["series", "recall", "documents/s a core"], *costs]}
    for name, rows in files.items():
        with open(folder / name, "w", newline="") as out:
            csv.writer(out, lineterminator="\n").writerows(rows)
    subprocess.run(["go", "run", ".", *(folder.resolve() / name for name in files)], cwd=ROOT / "bench/plots", check=True)


def write(raw):
    figures = [json.loads(text) for text in raw.read_text().splitlines()]
    page = HERE / "RESULTS.md" if raw.parent.resolve() == HERE else raw.with_suffix(".md")
    page.write_text(TITLE + "".join(tables(figures)) + PLOTS)
    plots(figures, raw.parent)


if __name__ == "__main__":
    write(HERE / "exact.jsonl")

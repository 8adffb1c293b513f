"""The stages of simdb scale by a cluster that loses shares and damages files, and their Parquet files."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import simdb
from simdb._stages import DAMAGED, INCOMPLETE, Done, Output, Run, Share, main


class Local:
    """Runs shares one after another, in this process."""

    cores = 2

    def __init__(self, faults: Sequence[Path | Exception | Done | None] = ()) -> None:
        self.faults = list(faults)  # one for each call of results: a file to damage before, or the result of its first share
        self.calls: list[int] = []

    def results(self, shares: Sequence[Share], memory: int) -> Iterator[tuple[int, Done | Exception]]:
        assert memory >= 1 << 28
        self.memory = memory
        self.calls.append(len(shares))
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, Path):
            with fault.open("r+b") as file:
                file.seek(20)
                file.write(b"damage")
        for n, share in enumerate(shares):
            yield n, fault if n == 0 and isinstance(fault, (Done, Exception)) else share()


DOCS = [{"id": f"{n}", "text": " ".join(f"w{m}" for m in range(n // 3, n // 3 + 30))} for n in range(60)]
LOST = RuntimeError("the node is lost")


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    folder = tmp_path / "dataset"
    folder.mkdir()
    for part in range(3):
        (folder / f"part-{part}.jsonl").write_text("".join(json.dumps(d) + "\n" for d in DOCS[part::3]))
    (folder / "_SUCCESS").touch()
    return folder


def pairs(out: Path) -> list[tuple[str, str, int, int]]:
    return [(row["a"], row["b"], row["shared"], row["union"]) for row in pq.ParquetFile(out / "pairs" / "part-00000.parquet").read().to_pylist()]


def command_line(monkeypatch: pytest.MonkeyPatch, cluster: Local, *args: object) -> None:
    monkeypatch.setattr(sys, "argv", ["simdb.test", "run", *map(str, args)])
    main("test", lambda address: cluster)


def test_lost_shares_and_damaged_files(tmp_path: Path, dataset: Path, db: simdb.DB, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    work, out = tmp_path / "work", tmp_path / "out"
    # One share of analyse is lost; deal finds a damaged file, so everything begins again and finds only this file missing.
    cluster = Local([LOST, None, Done(1, "no space left"), None, work / "analyse/00001"])
    command_line(monkeypatch, cluster, "--sim", "0.5", "--clusters", "--out", out, work, dataset)
    said = capfd.readouterr()
    assert cluster.calls == [3, 1, 1, 1, 3, 3, 1, 3, 1, 1], said
    assert "analyse 3 of 3, " in said.err and "analyse: 1 of 3 shares failed; the first: RuntimeError: the node is lost" in said.err
    assert "order: 1 of 1 shares failed; the first: no space left" in said.err and "analyse/00001 is damaged" in said.err
    assert "60 documents, 60 sets, " in said.out
    table = {line.split()[0]: line.split()[1:] for line in said.out.splitlines()[1:-1]}
    assert [table[s][1] for s in ("analyse", "order", "deal")] == ["1", "1", "0"] and float(table["all"][6]) > 1
    db.put_many(DOCS)
    want = [(p.a, p.b, p.shared, p.union) for p in db.pairs(sim=0.5)]
    assert len(want) > 100 and pairs(out) == want
    groups = pq.ParquetFile(out / "clusters" / "part-00000.parquet").read().to_pylist()
    assert [(g["cluster"], g["id"], g["size"]) for g in groups] == [(m.cluster, m.id, m.size) for m in db.clusters(sim=0.5)]


def test_damage_that_collect_finds(tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, out = tmp_path / "work", tmp_path / "out"
    command_line(monkeypatch, Local(), "--sim", "0.5", "--out", tmp_path / "first", work, dataset)
    with (work / "join/00000").open("r+b") as file:
        file.seek(20)
        file.write(b"damage")
    command_line(monkeypatch, Local(), "--sim", "0.5", "--out", out, work, dataset)
    assert pairs(out) == pairs(tmp_path / "first")


def test_a_share_that_always_fails(tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Local([LOST] * 3)
    with pytest.raises(SystemExit, match="analyse failed 3 times; run the command again to continue. RuntimeError: the node is lost"):
        command_line(monkeypatch, cluster, "--retries", "2", "--out", tmp_path / "out", tmp_path / "work", dataset)
    assert cluster.calls == [3, 1, 1]
    command_line(monkeypatch, Local(), "--out", tmp_path / "out", tmp_path / "work", dataset)  # continues
    assert pairs(tmp_path / "out")


def test_inputs_of_an_object_store(tmp_path: Path, dataset: Path) -> None:
    first, cluster = dataset / "part-0.jsonl", Local()
    run = Run(cluster, str(tmp_path / "work"))
    run.plan(["--sim", "0.5"], [f"file://{dataset}", f"file://{first}"])
    copied = run.costs["copy"].read
    assert copied == sum(f.stat().st_size for f in (*dataset.iterdir(), first))
    run.plan(["--sim", "0.5"], [f"file://{dataset}", f"file://{first}"])
    assert run.costs["copy"].read == copied, "what is there was copied again"
    run.all()
    assert run.counts()[0]["documents"] == 80
    assert not [run.costs[s] for s in ("analyse", "order", "deal", "join") if not run.costs[s].cpu or min(run.costs[s].read, run.costs[s].written) < 500]
    first.write_text(first.read_text() + "\n")
    with pytest.raises(simdb.Error, match="has been made for other inputs"):
        run.plan(["--sim", "0.5"], [f"file://{dataset}", f"file://{first}"])
    with pytest.raises(simdb.Error, match="contains no files"):
        run.plan([], [f"file://{tmp_path}/nothing"])


def test_output(tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    out, lines = tmp_path / "out", dataset / "part-0.jsonl"
    lines.write_text('{"id":"a","text":"one two three four"}\n{"id":"b"}\n')
    with pytest.raises(SystemExit) as e:
        command_line(monkeypatch, Local(), "--out", out, tmp_path / "work", lines)
    assert e.value.code == INCOMPLETE and "1 records of the input rejected" in capsys.readouterr().err
    empty = pq.ParquetFile(out / "pairs" / "part-00000.parquet").read()
    assert len(empty) == 0 and [str(f.type) for f in empty.schema] == ["string", "string", "double", "uint64", "uint64"]
    with pytest.raises(simdb.Error, match="is not empty; name another --out"):
        Output(str(out))


def test_a_command_ends_with_its_worker(tmp_path: Path) -> None:
    simdb.open(tmp_path / "db").close()
    path = tmp_path / "socket"
    share = "import sys; from simdb._stages import call; print(call(*sys.argv[1:]))"
    worker = subprocess.Popen([sys.executable, "-P", "-c", share, "serve", "--addr", f"unix:{path}", str(tmp_path / "db")])

    def serves() -> bool:
        with socket.socket(socket.AF_UNIX) as s:
            return s.connect_ex(str(path)) == 0

    while not serves():
        assert worker.poll() is None
        time.sleep(0.01)
    worker.kill()
    worker.wait()
    for _ in range(3000):
        if not serves():
            return
        time.sleep(0.01)
    pytest.fail("the command outlives the worker")


def test_verify(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    with simdb.open(str(tmp_path / "docs.simdb")) as db:
        db.put_many(DOCS)
        want = {(p.a, p.b): (p.shared, p.union) for p in db.pairs(sim=0.5)}
    claims = tmp_path / "claims.jsonl"
    claims.write_text("".join(json.dumps({"a": a, "b": b}) + "\n" for a, b in want) + '{"a": "0", "b": "59"}\n{"a": "0", "b": "nosuch"}\n')
    arguments = ["--sim", "0.5", "--shares", "2", "--memory", "1GiB", str(claims), str(tmp_path / "docs.simdb")]
    monkeypatch.setattr(sys, "argv", ["simdb.test", "verify", "--out", str(tmp_path / "out"), *arguments])
    cluster = Local([LOST])
    with pytest.raises(SystemExit) as e:
        main("test", lambda address: cluster)
    assert e.value.code == INCOMPLETE and cluster.calls == [2, 1] and cluster.memory > 2 << 30
    rows = [json.loads(line) for line in (tmp_path / "out/part-00000.ndjson").read_text().splitlines()]
    assert {(r["a"], r["b"]): (r["shared"], r["union"]) for r in rows if r["similar"]} == want and len(rows) == len(want) + 2
    said = capfd.readouterr()
    assert "verify: 1 of 2 shares failed" in said.err and "the first id that no text has: nosuch" in said.err and "verify " in said.out
    monkeypatch.setattr(sys, "argv", ["simdb.test", "verify", "--out", str(tmp_path / "other"), *arguments])
    with pytest.raises(SystemExit, match="docs.simdb is damaged"):
        main("test", lambda address: Local([Done(DAMAGED, "a text is damaged")]))

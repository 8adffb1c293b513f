"""The stages of ``simdb scale`` on a cluster: shares, retries, repairs, progress and cost.

Nothing here depends on a scheduler: a :class:`Cluster` runs shares anywhere and yields their results. All
state is in files of the work directory, so a run that was interrupted continues when it is started again.
"""

import argparse
import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from ._command import command
from ._errors import Error

STAGES = ("analyse", "order", "deal", "join", "clusters")
INCOMPLETE, DAMAGED = 3, 5  # exit codes: some records were rejected; an intermediate file is damaged
REPAIRS = 10  # returns to the first stage, so that a run ends on a disk that damages every write
PLAN_FLAGS = ("sim", "unit", "k", "using", "memory", "id-field", "text-field")
VERIFY_FLAGS = ("sim", "using", "ignoring", "in", "pairs", "groups", "format", "memory")
FILE_ROWS = 5_000_000  # of a file of Parquet


@dataclass(frozen=True)
class Done:
    """The end of a share: exit code and last output, CPU seconds, bytes read and written, peak memory in bytes."""

    code: int = 0
    message: str = ""
    cpu: float = 0
    read: int = 0
    written: int = 0
    peak: int = 0


Share = Callable[[], Done]


class Cluster(Protocol):
    """Runs shares on nodes that all see the work directory under the same path."""

    cores: int

    def results(self, shares: Sequence[Share], memory: int) -> Iterator[tuple[int, Done | Exception]]:
        """Yields number and result of each share as it ends, or the exception of the scheduler that gave it up."""


_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def _end_with_parent() -> None:
    """Makes the kernel kill this process with its parent; a command would otherwise outlive the worker, in the same memory."""
    if _libc:
        _libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def call(*args: str) -> Done:
    """Runs the command simdb, and measures it. It is the share of a stage."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([command(), *args], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, preexec_fn=_end_with_parent)
        seen, moved = Path(f"/proc/{process.pid}"), {"VmHWM": 0, "rchar": 0, "wchar": 0}
        if seen.exists():  # Linux
            # ru_maxrss of wait4 would contain the memory of this process, before the call of exec.
            while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
                moved |= {"VmHWM": max(moved["VmHWM"], *(int(line.split()[1]) for line in (seen / "status").read_text().splitlines() if "VmHWM" in line), 0)}
                time.sleep(0.02)
            moved |= {name: int(n) for name, n in (line.split(": ") for line in (seen / "io").read_text().splitlines())}
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        message = errors.read().decode(errors="replace").strip()
    return Done(process.returncode, message, used.ru_utime + used.ru_stime, moved["rchar"], moved["wchar"], moved["VmHWM"] * 1024)


def fetch(uri: str, files: Sequence[tuple[str, Path, int, int]]) -> Done:
    """Copies objects to files of the work directory, unless they are there. Each has a source, a target, a size and a time."""
    from pyarrow.fs import FileSystem
    store, begin, copied = FileSystem.from_uri(uri)[0], time.process_time(), 0
    for source, target, size, changed in files:
        if target.exists() and (target.stat().st_size, target.stat().st_mtime_ns) == (size, changed):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f"{target.name}.{uuid.uuid4()}.tmp")
        with store.open_input_stream(source, compression=None) as stream, temporary.open("wb") as file:
            shutil.copyfileobj(stream, file, 4 << 20)
        if temporary.stat().st_size != size:
            return Done(1, f"{source} changed while it was copied")
        os.utime(temporary, ns=(changed, changed))  # the manifest contains the time
        temporary.replace(target)
        copied += size
    return Done(cpu=time.process_time() - begin, read=copied, written=copied)


@dataclass
class Cost:
    """The cost of a stage over all its shares; ``peak`` is the largest of a share."""

    stage: str
    shares: int = 0
    retried: int = 0
    wall: float = 0
    cpu: float = 0
    read: int = 0
    written: int = 0
    peak: int = 0

    def add(self, done: Done) -> None:
        self.shares, self.cpu, self.peak = self.shares + 1, self.cpu + done.cpu, max(self.peak, done.peak)
        self.read, self.written = self.read + done.read, self.written + done.written


class Run:
    """A run of all stages in a work directory. ``costs`` has the cost of each stage so far."""

    def __init__(self, cluster: Cluster, workdir: str, shares: int = 0, retries: int = 3, clusters: bool = False) -> None:
        self.cluster, self.workdir, self.retries = cluster, Path(workdir).absolute(), retries
        self.most = shares or 4 * cluster.cores
        self.stages = STAGES if clusters else STAGES[:-1]
        self.costs: dict[str, Cost] = {}
        self.incomplete = False  # a share rejected records, or lacked texts

    def plan(self, flags: Sequence[str], inputs: Sequence[str]) -> None:
        """Copies inputs of object stores to the work directory, and writes the manifest."""
        paths = [self._copy(path, self.workdir / "inputs" / str(n)) if "://" in path else path for n, path in enumerate(inputs)]
        planned = subprocess.run([command(), "scale", "plan", *flags, "--", str(self.workdir), *paths], capture_output=True, text=True)
        if planned.returncode:
            raise Error(planned.stderr.strip())

    def _copy(self, uri: str, target: Path) -> str:
        from pyarrow.fs import FileSelector, FileSystem, FileType
        store, root = FileSystem.from_uri(uri)
        found = [store.get_file_info(root)]
        if found[0].type == FileType.Directory:
            found = [f for f in store.get_file_info(FileSelector(root, recursive=True)) if f.is_file and f.base_name[0] not in "._"]
        if not found or not found[0].is_file:
            raise Error(f"{uri} contains no files; name a file or a folder of files")
        files = [(f.path, target / (os.path.relpath(f.path, root) if f.path != root else f.base_name), f.size, f.mtime_ns or 0) for f in found]
        n = min(self.most, len(files))
        if not self._stage("copy", [partial(fetch, uri, files[i::n]) for i in range(n)], 1 << 28):
            raise Error(f"{uri} could not be copied")
        return str(target)

    def all(self, collect: Callable[[], bool] = lambda: True) -> None:
        """Runs all stages, and goes back to the first one after damage: only missing files are made again.

        ``collect`` reads the results and returns whether their files were whole.
        """
        memory = self._json("manifest.json")["memory"]
        for _ in range(REPAIRS):
            if all(self._stage(stage, self._shares(stage), memory) for stage in self.stages) and collect():
                return
        raise Error(f"files were damaged {REPAIRS} times; check the disk of {self.workdir}")

    def verify(self, flags: Sequence[str], answers: str, db: str, memory: int) -> None:
        """Runs ``simdb verify`` in shares, whose parts go to the work directory, with so many bytes for each."""
        paths = ("--", answers, db)
        shares = [partial(call, "verify", *flags, "--out", str(self.workdir), "--task", f"{i + 1}/{self.most}", *paths) for i in range(self.most)]
        if not self._stage("verify", shares, memory):
            raise Error(f"{db} is damaged; simdb check says where")

    def _json(self, name: str) -> Any:
        return json.loads((self.workdir / name).read_text())

    def _shares(self, stage: str) -> list[Share]:
        plan = self._json("manifest.json")
        tasks = {"order": plan["partitions"], "clusters": 1}.get(stage, len(plan["inputs"]))
        if stage == "join":
            tasks = self._json("order/00000.json")["counts"]["joins"]
        n = max(min(self.most, tasks), 1)
        return [partial(call, "scale", stage, "--task", f"{i + 1}/{n}", str(self.workdir)) for i in range(n)]

    def _stage(self, stage: str, shares: Sequence[Share], memory: int) -> bool:
        """Runs the shares of a stage, failed ones again. Returns False if one found and removed a damaged file."""
        cost = self.costs.setdefault(stage, Cost(stage))
        begin, shown, whole, count = time.monotonic(), 0.0, True, len(shares)
        for attempt in range(self.retries + 1):
            failed: dict[int, str] = {}
            ended = count - len(shares)
            for n, done in self.cluster.results(shares, memory):
                if isinstance(done, Exception):
                    failed[n] = f"{type(done).__name__}: {done}"
                    continue
                cost.add(done)
                if done.code in (DAMAGED, INCOMPLETE):
                    whole, self.incomplete = whole and done.code != DAMAGED, self.incomplete or done.code == INCOMPLETE
                    print(f"{stage}: {done.message}", file=sys.stderr, flush=True)
                elif done.code:
                    failed[n] = done.message or f"exit code {done.code}"
                    continue
                ended, spent = ended + 1, time.monotonic() - begin
                if spent - shown >= 1 or ended in (1, count):
                    shown = spent
                    print(f"{stage} {ended} of {count}, {spent:.1f} s, {spent / ended * (count - ended):.1f} s left", file=sys.stderr, flush=True)
            if not failed or not whole:  # after damage, other shares fail for that reason alone
                break
            first = next(iter(failed.values())).splitlines()
            print(f"{stage}: {len(failed)} of {count} shares failed; the first: {first[-1] if first else ''}", file=sys.stderr, flush=True)
            if attempt == self.retries:
                raise Error(f"{stage} failed {attempt + 1} times; run the command again to continue. " + "\n".join(first))
            cost.retried, shares = cost.retried + len(failed), [shares[n] for n in failed]
        cost.wall += time.monotonic() - begin
        return whole

    def counts(self) -> tuple[dict[str, int], int, str]:
        """Returns the counts of documents, sets, candidates and pairs, the number of rejected records, and the first of them."""
        sums, rejected, first = dict.fromkeys(("documents", "sets", "candidates", "pairs"), 0), 0, ""
        for path in sorted([*self.workdir.glob("analyse/*.json"), *self.workdir.glob("join/*.json")]):
            record = json.loads(path.read_text())
            for name in sums.keys() & record["counts"].keys() if record["stage"] == path.parent.name else ():
                sums[name] += record["counts"][name]
            rejects = record.get("rejects", {})
            rejected, first = rejected + rejects.get("count", 0), first or rejects.get("first", "")
        return sums, rejected, first

    def table(self) -> str:
        """Returns the cost of each stage as a table."""
        total = Cost("all", peak=max(c.peak for c in self.costs.values()))
        lines = [f"{'stage':10}{'shares':>8}{'retried':>9}{'wall s':>9}{'CPU s':>9}{'read MB':>10}{'written MB':>12}{'peak MB':>9}"]
        for c in (*self.costs.values(), total):
            lines.append(f"{c.stage:10}{c.shares:8}{c.retried:9}{c.wall:9.1f}{c.cpu:9.1f}{c.read / 1e6:10.1f}{c.written / 1e6:12.1f}{c.peak / 1e6:9.1f}")
            for name in ("shares", "retried", "wall", "cpu", "read", "written") if c is not total else ():
                setattr(total, name, getattr(total, name) + getattr(c, name))
        return "\n".join(lines)


class Output:
    """The folder of Parquet files that a run writes, on a local disk or in an object store."""

    def __init__(self, uri: str) -> None:
        from pyarrow.fs import FileSelector, FileSystem
        self.store, self.path = FileSystem.from_uri(uri if "://" in uri else os.path.abspath(uri))
        if self.store.get_file_info(FileSelector(self.path, allow_not_found=True)):
            raise Error(f"{uri} is not empty; name another --out, or empty it")

    def write(self, workdir: Path, clusters: bool) -> bool:
        """Writes the pairs, or else the groups, in the order of ``simdb scale collect``. Returns False after damage."""
        import pyarrow as pa
        from pyarrow import json as pj
        columns = {"cluster": pa.string(), "id": pa.string(), "size": pa.uint64()} if clusters else {
            "a": pa.string(), "b": pa.string(), "sim": pa.float64(), "shared": pa.uint64(), "union": pa.uint64()}  # fmt: skip
        folder, schema = f"{self.path}/{'clusters' if clusters else 'pairs'}", pa.schema(list(columns.items()))
        args = [command(), "scale", "collect", *(["--clusters"] if clusters else []), str(workdir)]
        process = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdout and process.stderr
        self.store.create_dir(folder)
        batches: Iterator[Any] = iter([pa.record_batch([[]] * len(schema), schema)])
        if process.stdout.peek(1):  # type: ignore[attr-defined]
            parse = pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error")
            batches = iter(pj.open_json(process.stdout, pj.ReadOptions(block_size=16 << 20), parse))
        n, batch = 0, next(batches, None)
        while batch is not None:
            batch = self._file(f"{folder}/part-{n:05}.parquet", batch, batches)
            n += 1
        message, code = process.stderr.read().decode(), process.wait()
        if code:
            self.store.delete_dir(folder)
            if code != DAMAGED:
                raise Error(message.strip())
            print(f"collect: {message.strip()}", file=sys.stderr, flush=True)
        return code == 0

    def _file(self, path: str, batch: Any, batches: Iterator[Any]) -> Any:
        """Writes a file of about FILE_ROWS rows. Returns the first batch of the next file, or None."""
        from pyarrow import parquet
        rows = 0
        with self.store.open_output_stream(path) as stream, parquet.ParquetWriter(stream, batch.schema, compression="zstd") as file:
            while batch is not None and rows < FILE_ROWS:
                file.write_batch(batch)
                rows, batch = rows + len(batch), next(batches, None)
        return batch


def _bytes(size: str) -> int:
    """Parses a size as the flag --memory does."""
    number = re.fullmatch(r"([0-9.]+) *([kMGT]?)(i?)B?", size, re.IGNORECASE)
    if not number:
        raise Error(f"--memory {size}: want a size such as 512MB or 2GiB")
    return int(float(number[1]) * (1024 if number[3] else 1000) ** " KMGT".index(number[2].upper() or " "))


def main(name: str, start: Callable[[str | None], Cluster]) -> None:
    """Runs the command line of a platform. ``start`` connects to a cluster at an address."""
    p = argparse.ArgumentParser(prog=f"python -m simdb.{name}", description="Find all similar pairs of texts, or verify those of another tool, on a cluster.")
    commands = p.add_subparsers(dest="command", required=True)
    every = commands.add_parser("run", help="run all stages; run it again to continue after an interruption")
    every.add_argument("workdir", metavar="WORKDIR", help="a folder that all nodes see under the same path")
    every.add_argument("inputs", metavar="IN", nargs="+", help="Parquet, Arrow, JSONL or CSV, a folder of such files, or a database; or a URI such as s3://bucket/folder")
    every.add_argument("--out", required=True, metavar="URI", help="folder for Parquet files: a path, or a URI such as s3://bucket/pairs")
    every.add_argument("--clusters", action="store_true", help="also write the groups")
    check = commands.add_parser("verify", help="run simdb verify in shares; run it again to continue")
    check.add_argument("answers", metavar="FILE", help="the pairs or groups of another tool")
    check.add_argument("db", metavar="DB", help="a database with the texts, which all nodes see under the same path")
    check.add_argument("--out", required=True, dest="workdir", metavar="DIR", help="a folder for the parts of the answer, which all nodes see")
    for parser, names in (every, PLAN_FLAGS), (check, VERIFY_FLAGS):
        for flag in names:
            parser.add_argument(f"--{flag}", help=f"as in simdb scale plan --{flag}" if parser is every else f"as in simdb verify --{flag}")
        parser.add_argument("--address", help="of the cluster (default: that of the environment, otherwise this machine)")
        parser.add_argument("--shares", type=int, default=0, help="most shares of a stage (default: four for each core)")
        parser.add_argument("--retries", type=int, default=3, help="of a share that fails (default: 3)")
    args = p.parse_args()
    names = VERIFY_FLAGS if args.command == "verify" else PLAN_FLAGS
    flags = [word for flag in names if (value := getattr(args, flag.replace("-", "_"))) is not None for word in (f"--{flag}", value)]
    try:
        if args.command == "verify":
            run = Run(start(args.address), args.workdir, args.shares, args.retries)
            run.verify(flags, args.answers, args.db, 2 * _bytes(args.memory or "256MiB") + (1 << 29))
            print(run.table())
            sys.exit(INCOMPLETE if run.incomplete else 0)
        out = Output(args.out)
        run = Run(start(args.address), args.workdir, args.shares, args.retries, args.clusters)
        run.plan(flags, args.inputs)
        run.all(lambda: all(out.write(run.workdir, clusters) for clusters in ([False, True] if args.clusters else [False])))
    except Error as e:
        sys.exit(f"simdb.{name}: {e}")
    except KeyboardInterrupt:
        sys.exit(f"simdb.{name}: interrupted; run the command again to continue")
    counts, rejected, first = run.counts()
    print(run.table())
    print(", ".join(f"{count:,} {of}" for of, count in counts.items()))
    if rejected:
        print(f"simdb.{name}: {rejected} records of the input rejected, everything else is in the answer; the first: {first}", file=sys.stderr)
        sys.exit(INCOMPLETE)

"""The command behind a database: how it begins, and how it ends."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import simdb
from simdb._server import _Connection


def gone(pid: int) -> bool:
    """Whether a process has ended; waits for it."""
    for _ in range(600):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] if os.path.exists(f"/proc/{pid}/stat") else "Z"
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


def test_a_connection_is_used_again(db: simdb.DB) -> None:
    db.put("a", "one two three")
    first = db._server._idle[0]
    assert [m.id for m in db.similar("a", sim=0.1)] == [] and len(db) == 1
    with pytest.raises(simdb.NotFound):
        db.get("b")
    assert db._server._idle == [first]


@pytest.mark.parametrize(
    "answer, error",
    [
        (b"HTTP/1.1 431 Too Large\r\nConnection: close\r\n\r\n431 Too Large", ConnectionResetError),  # of Go's own, which has no length
        (b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{}", ConnectionResetError),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", ConnectionResetError),
        (b"HTTP/1.1", ConnectionResetError),
        (b"", ConnectionResetError),
    ],
)
def test_answers_that_break_off(answer: bytes, error: type[Exception]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        c = _Connection(f"http://127.0.0.1:{server.getsockname()[1]}/")
        other, _ = server.accept()
        with other:
            other.sendall(answer)
        with pytest.raises(error):
            c.answered()
            c.body()
        assert not c.free
        c.close()


@pytest.mark.parametrize("unix", [True, False])
def test_over_either_wire(tmp_path: Path, unix: bool) -> None:
    path = tmp_path / "x.simdb"
    with simdb.open(path, unix=unix) as db:
        db.put("a", "one two three")
    with simdb.open(path, unix=unix, read_only=True, memory="64MiB") as db:
        assert db.get("a").text == "one two three"
        with pytest.raises(simdb.ReadOnly):
            db.put("b", "x")
        with pytest.raises(simdb.ReadOnly):
            db.query("DROP COLLECTION docs")


def test_one_process_writes(tmp_path: Path) -> None:
    with simdb.open(tmp_path / "x.simdb"), pytest.raises(simdb.Unavailable, match="open in another process"):
        simdb.open(tmp_path / "x.simdb")
    with pytest.raises(simdb.Error, match="nosuch"):
        simdb.open(tmp_path / "nosuch.simdb", create=False)
    (tmp_path / "file").write_text("x")
    with pytest.raises(simdb.Error, match="is a file"):
        simdb.open(tmp_path / "file")


def test_use_after_close(tmp_path: Path) -> None:
    db = simdb.open(tmp_path / "x.simdb")
    db.put_many((str(i), "text " * 500) for i in range(500))
    rows = db.query("SELECT id, text FROM docs")
    next(rows)
    pid = db._server._process.pid
    db.close()
    db.close()
    assert gone(pid)
    for call in (lambda: db.get("1"), lambda: db.similar("1"), lambda: list(rows)):
        with pytest.raises((simdb.Closed, simdb.Error)):
            call()


def test_a_server_that_dies_is_an_error(tmp_path: Path) -> None:
    for in_answer in (False, True):
        db = simdb.open(tmp_path / "x.simdb")
        db.put_many((str(i), f"text {i} " * 200) for i in range(3000))
        rows = db.query("SELECT id, text FROM docs")
        next(rows)
        os.kill(db._server._process.pid, signal.SIGKILL)
        with pytest.raises(simdb.ServerDied, match="by signal 9"):
            if in_answer:
                list(rows)
            db.put("x", "y")
        with pytest.raises(simdb.ServerDied):
            db.put_many([("x", "y")])
        db.close()


def child(program: str, path: Path) -> subprocess.Popen[str]:
    """A Python of its own that has a database, and prints the pid of its server first."""
    lines = "import simdb, sys, os\ndb = simdb.open(sys.argv[1])\nprint(db._server._process.pid, flush=True)\n"
    args = [sys.executable, "-P", "-c", lines + textwrap.dedent(program), str(path)]
    return subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)


SLOW = """
db.query("CREATE COLLECTION slow WITH (patricia = on)")
db.put_many(((str(i), " ".join(str(i * j % 7919) for j in range(300))) for i in range(1500)), collection="slow")
"""


def test_ctrl_c_ends_the_child_with_python(tmp_path: Path) -> None:
    p = child(SLOW + "print('asks', flush=True)\nlist(db.pairs(using='patricia', sim=0.01, collection='slow'))", tmp_path / "x.simdb")
    assert p.stdout is not None and p.stderr is not None
    pid = int(p.stdout.readline())
    assert p.stdout.readline() == "asks\n"
    os.killpg(p.pid, signal.SIGINT)
    assert "KeyboardInterrupt" in p.stderr.read()
    p.wait()
    assert gone(pid)


def test_ctrl_c_ends_a_request_alone(tmp_path: Path) -> None:
    program = SLOW + "try:\n print('asks', flush=True)\n list(db.pairs(using='patricia', sim=0.01, collection='slow'))\nexcept KeyboardInterrupt: print(len(db))"
    p = child(program, tmp_path / "x.simdb")
    assert p.stdout is not None
    p.stdout.readline(), p.stdout.readline()
    os.killpg(p.pid, signal.SIGINT)
    assert p.stdout.read() == "1500\n" and p.wait() == 0


def test_the_child_does_not_outlive_a_python_that_is_killed(tmp_path: Path) -> None:
    p = child("print('open', flush=True)\nimport time\ntime.sleep(600)", tmp_path / "x.simdb")
    assert p.stdout is not None
    pid = int(p.stdout.readline())
    p.stdout.readline()
    p.kill()
    p.wait()
    assert gone(pid)
    simdb.open(tmp_path / "x.simdb").close()


def test_a_fork_leaves_the_database_to_its_parent(tmp_path: Path) -> None:
    program = "db.put('a', 'one two')\nif os.fork() == 0: print(db.get('a').id); sys.exit()\nos.wait()\nprint(db.get('a').text)"
    p = child(program, tmp_path / "x.simdb")
    assert p.stdout is not None
    p.stdout.readline()
    assert p.stdout.read() == "a\none two\n" and p.wait() == 0


def test_a_pipe_that_stays_open_does_not_hold_up_the_end(tmp_path: Path) -> None:
    db = simdb.open(tmp_path / "x.simdb")
    process = db._server._process
    assert process.stdin is not None
    held = os.dup(process.stdin.fileno())  # as a fork has it that C has made
    db.put("a", "one two")
    db.close()
    os.close(held)
    assert process.returncode == 0


LIVES_ON = "import signal, time\nfork = os.fork()\nif fork == 0: time.sleep(600)\n"


def test_a_fork_that_lives_on_does_not_hold_up_the_end(tmp_path: Path) -> None:
    p = child(LIVES_ON + "db.close()\nprint(db._server._process.returncode)\nos.kill(fork, signal.SIGKILL)", tmp_path / "x.simdb")
    assert p.stdout is not None
    p.stdout.readline()
    assert p.stdout.read() == "0\n" and p.wait() == 0


def test_the_child_does_not_live_on_with_a_fork(tmp_path: Path) -> None:
    p = child(LIVES_ON + "print('forked', flush=True)\ntime.sleep(600)", tmp_path / "x.simdb")
    assert p.stdout is not None
    pid = int(p.stdout.readline())
    assert p.stdout.readline() == "forked\n"
    p.kill()
    p.wait()
    ended = gone(pid)
    os.killpg(p.pid, signal.SIGKILL)
    assert ended


def test_the_console_script_runs(tmp_path: Path) -> None:
    from simdb._command import command

    assert subprocess.run([command(), "version"], capture_output=True, text=True, check=True).stdout.startswith("simdb")

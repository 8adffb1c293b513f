"""The server process of one database, and requests to it.

The module starts ``simdb serve`` on a Unix socket of this user; where Python has none, on a port of this machine with a token.
The server ends with its standard input, so it never outlives this process. Each request has its own connection: closing it ends the work.
"""

import contextlib
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
import weakref
from collections.abc import Generator, Iterable, Iterator
from typing import Any

from ._command import command
from ._errors import Closed, Error, ServerDied, Unavailable, told
from ._records import ENCODER, utf8

_IDLE_SECONDS = 60  # the server closes a connection that rests for two minutes
_BUSY_SECONDS = 60  # for which a request is sent again while the server has too many
_PIECE_BYTES = 1 << 16
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)")


class _Connection:
    """A connection to the server with a subset of HTTP/1.1; http.client took longer than a search."""

    rests = 0.0  # start of the idle time
    free = False  # the response was read to the end, and the connection is reusable
    _last = False  # the server closes the connection

    def __init__(self, address: str) -> None:
        if address.startswith("unix:"):
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.connect(address[5:])
        else:
            host, _, port = address.removeprefix("http://").rstrip("/").rpartition(":")
            self._socket = socket.create_connection((host, int(port)))
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._arrived = bytearray()  # received, but not read yet

    def close(self) -> None:
        self._socket.close()

    def send(self, data: bytes) -> bool:
        """Sends data; False if the server reads no more, as after an early response."""
        try:
            self._socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            self._last = True
        return not self._last

    def _receive(self) -> None:
        data = self._socket.recv(_PIECE_BYTES)
        if not data:
            raise ConnectionResetError("it was closed within an answer")
        self._arrived += data

    def _until(self, mark: bytes) -> bytearray:
        """Reads up to a mark."""
        while (at := self._arrived.find(mark)) < 0:
            self._receive()
        return self._read(at + len(mark))

    def _read(self, size: int) -> bytearray:
        while len(self._arrived) < size:
            self._receive()
        data = self._arrived[:size]
        del self._arrived[:size]
        return data

    def answered(self) -> int:
        """Reads the head of a response and returns its status."""
        head = self._until(b"\r\n\r\n").lower()
        length = _LENGTH.search(head)
        self._length = int(length[1]) if length else -1
        self._last |= b"\r\nconnection: close\r\n" in head
        return int(head[9:12])

    def pieces(self) -> Iterator[bytearray]:
        """Yields the body of the response as it arrives; a body without a length is chunked."""
        if self._length >= 0:
            yield self._read(self._length)
        else:
            while size := int(self._until(b"\r\n"), 16):
                yield self._read(size + 2)[:-2]
            self._read(2)
        self.free = not self._last

    def body(self) -> dict[str, Any]:
        return dict(json.loads(b"".join(self.pieces()).decode()))


class Server:
    """The server of a database for this process."""

    def __init__(self, path: str, *, read_only: bool, create: bool, memory: str | None, unix: bool) -> None:
        self._idle: list[_Connection] = []  # its methods are atomic
        self._headers = "Host: localhost\r\nContent-Type: application/json\r\n"
        self._dir = tempfile.mkdtemp(prefix="simdb-")
        args = [command(), "serve", "--until-eof", "--max-rows", str(2**31 - 1), "--max-time", "87600h"]
        args += [] if memory is None else ["--memory", memory]
        args += [] if read_only else ["--allow-writes"] + ["--create"] * create
        if unix:
            args += ["--addr", "unix:" + os.path.join(self._dir, "s")]
        else:
            token, file = secrets.token_hex(16), os.path.join(self._dir, "token")
            with open(os.open(file, os.O_CREAT | os.O_WRONLY, 0o600), "w") as f:
                f.write(token)
            args += ["--addr", "127.0.0.1:0", "--token-file", file]
            self._headers += f"Authorization: Bearer {token}\r\n"
        # A group of its own: Ctrl-C is for this process, which ends the request, or itself.
        group: dict[str, Any] = {"start_new_session": True} if os.name != "nt" else {"creationflags": 0x200}  # CREATE_NEW_PROCESS_GROUP
        with open(os.path.join(self._dir, "words"), "wb") as words:
            self._process = subprocess.Popen([*args, "--", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=words, **group)
        _SERVERS.add(self)
        self.close = weakref.finalize(self, _end, self._process, self._dir, os.getpid())
        try:
            assert self._process.stdout is not None
            self._address = self._process.stdout.readline().decode().strip()
            if not self._address:  # exit code 4 says that it cannot have the database now
                kind = Unavailable if self._process.wait() == 4 else Error
                raise kind(self._words() or "simdb serve ended without a word")
        except BaseException:
            self.close()
            raise

    def _words(self) -> str:
        with contextlib.suppress(OSError), open(os.path.join(self._dir, "words"), "rb") as f:
            return f.read()[-2000:].decode(errors="replace").strip().removeprefix("simdb: ")
        return ""

    def _broken(self, cause: BaseException) -> Error:
        """Returns the exception for a broken connection."""
        if not self.close.alive:
            return Closed("the database was closed while it was answering")
        try:
            code = self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return Error(f"the connection to the server of the database broke: {cause!r}")
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        return ServerDied(f"the server of the database has ended {how}: {self._words() or 'without a word'}")

    def _connection(self) -> _Connection:
        with contextlib.suppress(IndexError):  # none rests
            while c := self._idle.pop():
                if time.monotonic() - c.rests < _IDLE_SECONDS:
                    return c
                c.close()
        return _Connection(self._address)

    @contextlib.contextmanager
    def _asked(self, method: str, path: str, body: Any, accept: str = "application/json") -> Iterator[_Connection]:
        """Yields a connection with the response to a request. A connection is reused only if its response was read to the end."""
        if not self.close.alive:
            raise Closed("the database is closed; simdb.open opens it again")
        data = utf8([ENCODER.encode(body)]) if isinstance(body, dict) else b""
        streamed = not (body is None or isinstance(body, dict))
        length = "Transfer-Encoding: chunked\r\nExpect: 100-continue" if streamed else f"Content-Length: {len(data)}"
        head = f"{method} /api/v1/{path} HTTP/1.1\r\n{self._headers}Accept: {accept}\r\n{length}\r\n\r\n".encode()
        c, pouring, wait, until = None, False, 0.01, time.monotonic() + _BUSY_SECONDS
        try:
            while True:
                c = c if c and c.free else self._connection()
                c.free = False
                c.send(head + data)
                if (status := c.answered()) == 100:
                    pouring = True
                    if all(c.send(b"%x\r\n%b\r\n" % (len(piece), piece)) for piece in body):
                        c.send(b"0\r\n\r\n")
                    pouring = False
                    status = c.answered()
                if status == 200:
                    break
                failure = c.body().get("error", {})
                if failure.get("code") != "busy" or time.monotonic() > until:
                    raise told(failure)
                if not c.free:
                    c.close()
                time.sleep(wait := min(2 * wait, 1))
            yield c
        except (OSError, json.JSONDecodeError) as e:
            if pouring:  # the fault is of what is sent, not of the connection
                raise
            raise self._broken(e) from e
        finally:
            if c and c.free:
                c.rests = time.monotonic()
                self._idle.append(c)
            elif c:
                c.close()

    def ask(self, method: str, path: str, body: dict[str, Any] | Iterable[bytes] | None = None) -> dict[str, Any]:
        """Returns the response, a JSON object. A body that is not a dict is streamed."""
        with self._asked(method, path, body) as answer:
            return answer.body()

    def lines(self, path: str, body: dict[str, Any]) -> Generator[list[dict[str, Any]], None, None]:
        """Yields the lines of a streamed response in lists of those that have arrived. The last line is the end."""
        with self._asked("POST", path, body, "application/x-ndjson") as answer:
            rest, last = bytearray(), {}
            for piece in answer.pieces():
                whole, _, rest = (rest + piece).rpartition(b"\n")
                if not whole:
                    continue
                events: list[dict[str, Any]] = json.loads("[" + whole.decode().replace("\n", ",") + "]")
                last = events[-1]
                if last["event"] == "error":
                    raise told(last["error"])
                yield events
            if last.get("event") != "end":
                raise ConnectionResetError("an answer has no end")


def _end(process: subprocess.Popen[bytes], directory: str, owner: int) -> None:
    """Ends the server, which closes the database first."""
    if os.getpid() != owner:  # a fork: the server belongs to the parent
        return
    with process:  # closes the pipes last: a second signal would end the server at once
        if os.name != "nt":
            process.terminate()  # another process may hold its standard input open
        elif process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
    shutil.rmtree(directory, ignore_errors=True)


def _forked() -> None:
    """Releases in a fork the connections and pipes of the parent, because the end of a pipe ends the server."""
    for server in _SERVERS:
        server._idle = []
        if server._process.stdin is not None:
            server._process.stdin.close()


_SERVERS: weakref.WeakSet[Server] = weakref.WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)

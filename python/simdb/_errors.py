"""What may go wrong: one class for each thing that a caller can act on."""

from typing import Any


class Error(Exception):
    """The base of all errors of this module."""


class Invalid(Error, ValueError):
    """An argument cannot be meant so. The message says what to write."""


class StatementError(Invalid):
    """A statement, or a piece of one such as ``where``, is wrong.

    ``line`` and ``column`` count from 1, in code points; ``hint`` is what may be meant, or "".
    """

    line, column, hint = 0, 0, ""


class NotFound(Error, LookupError):
    """There is no such document, collection or group."""


class Exists(Error):
    """The id is there, or ``unique_sim`` of the collection keeps the document out."""


class ReadOnly(Error):
    """The database was opened with ``read_only=True``."""


class TooLarge(Error):
    """A text, or what was asked for, exceeds a limit."""


class Unavailable(Error):
    """The database takes no requests now: another process has it, or too many come at a time."""


class Closed(Error):
    """The database was closed before."""


class ServerDied(Error):
    """The command that serves the database has ended. The message has its last words."""


class RecordsRejected(Invalid):
    """Some records are no documents. The others are stored: ``result`` tells how many.

    ``rejects`` has the first of them, with ``line`` (from 1), ``id`` if there is one, and ``reason``.
    """

    result: Any = None
    rejects: list[dict[str, Any]] = []


_KINDS: dict[str, type[Error]] = {
    "invalid": Invalid, "rejected": StatementError, "not_found": NotFound, "exists": Exists, "read_only": ReadOnly,
    "too_large": TooLarge, "busy": Unavailable, "unavailable": Unavailable}  # fmt: skip


def told(failure: dict[str, Any]) -> Error:
    """The exception for an error as the API tells it."""
    e = _KINDS.get(failure.get("code", ""), Error)(failure.get("message", "the server gave no reason"))
    if isinstance(e, StatementError):
        e.line, e.column, e.hint = failure.get("line", 0), failure.get("column", 0), failure.get("hint", "")
    return e

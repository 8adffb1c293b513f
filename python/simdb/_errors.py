"""Exceptions: one class for each error that a caller can handle."""

from typing import Any


class Error(Exception):
    """The base of all errors of this module."""


class Invalid(Error, ValueError):
    """An argument is invalid. The message describes valid values."""


class StatementError(Invalid):
    """A statement, or a part such as ``where``, is malformed.

    ``line`` and ``column`` count from 1, in code points; ``hint`` is a suggestion, or "".
    """

    line, column, hint = 0, 0, ""


class NotFound(Error, LookupError):
    """The document, collection or group does not exist."""


class Exists(Error):
    """The id exists, or ``unique_sim`` of the collection rejects the document."""


class ReadOnly(Error):
    """The database was opened with ``read_only=True``."""


class TooLarge(Error):
    """A text or a result exceeds a limit."""


class Unavailable(Error):
    """The database accepts no requests now: another process has it open, or there are too many requests."""


class Closed(Error):
    """The database is closed."""


class ServerDied(Error):
    """The server process of the database has ended. The message contains its last output."""


class RecordsRejected(Invalid):
    """Some records are not documents. The others are stored; ``result`` has the counts.

    ``rejects`` lists the first rejected records, with ``line`` (from 1), ``id`` if present, and ``reason``.
    """

    result: Any = None
    rejects: list[dict[str, Any]] = []


_KINDS: dict[str, type[Error]] = {
    "invalid": Invalid, "rejected": StatementError, "not_found": NotFound, "exists": Exists, "read_only": ReadOnly,
    "too_large": TooLarge, "busy": Unavailable, "unavailable": Unavailable}  # fmt: skip


def told(failure: dict[str, Any]) -> Error:
    """Returns the exception for an error of the API."""
    e = _KINDS.get(failure.get("code", ""), Error)(failure.get("message", "the server gave no reason"))
    if isinstance(e, StatementError):
        e.line, e.column, e.hint = failure.get("line", 0), failure.get("column", 0), failure.get("hint", "")
    return e

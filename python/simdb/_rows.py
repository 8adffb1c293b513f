"""Rows of a result: as an iterator, a table or a frame."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from . import _html

if TYPE_CHECKING:
    import pandas, polars, pyarrow  # noqa: E401

T = TypeVar("T")

_SHOWN = 20
FRACTIONS = ("sim", "share", "score", "similarity", "weight", "whole")  # JSON has 1 for 1.0


class Match(NamedTuple):
    """A document similar to the target.

    ``sim`` is from 0 to 1; ``shared`` of ``union`` are the whole numbers that it is made of, None where
    the measure has none. ``dist`` is in bits, of ``simhash``. ``collection`` is None if one was searched.
    """

    id: str
    sim: float
    shared: int | None = None
    union: int | None = None
    dist: int | None = None
    si: int | None = None
    weight: float | None = None
    whole: float | None = None
    collection: str | None = None


class Pair(NamedTuple):
    """Two similar documents with their similarity; the fields are those of :class:`Match`."""

    a: str
    b: str
    sim: float
    shared: int | None = None
    union: int | None = None
    dist: int | None = None
    weight: float | None = None
    whole: float | None = None
    a_collection: str | None = None
    b_collection: str | None = None


class Member(NamedTuple):
    """A document of a cluster of ``size`` documents. ``cluster`` is the smallest id among them."""

    cluster: str
    id: str
    size: int
    collection: str | None = None


class Group(NamedTuple):
    """A group of a grouping: its number, its size, and the kept document."""

    group: int
    size: int
    keeper: str


class Source(NamedTuple):
    """A document that contains passages of a text: its ``share``, ``chars`` of ``of`` characters in ``passages``."""

    id: str
    share: float
    chars: int
    of: int
    passages: int
    longest: int
    collection: str | None = None


class Rows(Iterator[T], Generic[T]):
    """Rows of a result, computed while they are read, in bounded memory, and only once.

    Leave them early with ``close()``, or by ``with``: that ends the work for them. ``columns`` is there
    from the start, ``notes`` (what one should know of the answer) when all rows were read.
    """

    def __init__(self, events: Generator[list[dict[str, Any]], None, None], make: Callable[[dict[str, Any]], T]) -> None:
        self._events = events
        self._make = make
        self._ready: deque[dict[str, Any]] = deque()
        self.columns: list[str] = []
        self.notes: list[str] = []
        self.plan: dict[str, Any] | None = None
        self.elapsed_ms = 0.0  # of the server
        while not self.columns and self._more():
            pass

    def _more(self) -> bool:
        """Reads the rows that have arrived; False at the end."""
        for events in self._events:
            for e in events:
                kind = e["event"]
                if kind == "row":
                    self._ready.append(e["row"])
                elif kind == "columns":
                    self.columns = e["columns"]
                elif kind == "end":
                    self.columns = e["answer"]["columns"]
                    self.notes, self.plan, self.elapsed_ms = (e["answer"][name] for name in ("notes", "plan", "elapsed_ms"))
            return True
        return False

    def _dicts(self) -> Iterator[dict[str, Any]]:
        fractions = [c for c in self.columns if c in FRACTIONS]
        while self._ready or self._more():
            while self._ready:
                row = self._ready.popleft()
                for c in fractions:
                    if row[c].__class__ is int:
                        row[c] = float(row[c])
                yield row

    def __next__(self) -> T:
        return self._make(next(self._dicts()))

    def __iter__(self) -> Iterator[T]:
        return map(self._make, self._dicts())

    def close(self) -> None:
        """Cancels the work for unread rows."""
        self._ready.clear()
        self._events.close()

    def __enter__(self) -> Rows[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _columns(self) -> dict[str, list[Any]]:
        """Returns the unread rows by column."""
        lists: dict[str, list[Any]] = {c: [] for c in self.columns}
        for row in self._dicts():
            for c, value in row.items():
                lists[c].append(value)
        return lists

    def to_dicts(self) -> list[dict[str, Any]]:
        """Returns the unread rows, each by its columns."""
        return list(self._dicts())

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the unread rows as a pandas frame."""
        import pandas
        return pandas.DataFrame(self._columns(), columns=self.columns)

    def to_arrow(self) -> pyarrow.Table:
        """Returns the unread rows as an Arrow table."""
        import pyarrow
        return pyarrow.table(self._columns())

    def to_polars(self) -> polars.DataFrame:
        """Returns the unread rows as a polars frame."""
        import polars
        return polars.DataFrame(self._columns(), strict=False)

    def _repr_html_(self) -> str:
        """Shows the first rows as a table, without consuming them."""
        while len(self._ready) <= _SHOWN and self._more():
            pass
        below = [f"the first {_SHOWN} rows"] if len(self._ready) > _SHOWN else []
        rows = ([row[c] for c in self.columns] for row in islice(self._ready, _SHOWN))
        return _html.table(self.columns, rows, "; ".join(below + self.notes))

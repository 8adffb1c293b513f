"""Duplicates, similar pairs and groups of a dataset, found in a temporary database."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, TypeVar, overload

from ._db import DB, Sim, exact, keeping, open
from ._errors import Invalid
from ._records import Document, kind_of, rows, text_of
from ._rows import FRACTIONS

D = TypeVar("D")
Settings = Mapping[str, str | int | bool] | None


@overload
def dedupe(data: D, *, text: str = ..., sim: Sim = ..., keep: str = ..., using: str | None = ..., settings: Settings = ..., report: Literal[False] = ...) -> D: ...


@overload
def dedupe(
    data: D, *, text: str = ..., sim: Sim = ..., keep: str = ..., using: str | None = ..., settings: Settings = ..., report: Literal[True], passages: bool = ...
) -> tuple[D, Any]: ...


def dedupe(
    data: Any, *, text: str = "text", sim: Sim = 0.8, keep: str = "first", using: str | None = None, settings: Settings = None,
    report: bool = False, passages: bool = False,
) -> Any:
    """Returns a dataset without the rows whose text is similar to a kept text; with ``report``, also the reasons.

    ``data`` is a frame or series of pandas or polars, a table of Arrow, a dataset of Hugging Face, streamed
    or not, or a list of mappings or texts; the answer is of the same kind, its rows in the same order. ``text``
    names the compared field. Two rows are similar from ``sim`` on, by the measure ``using``; ``settings``
    are those of the collection behind, as ``{"k": 5, "unit": "char"}`` for shingles of five characters. ``keep``
    is ``first``, ``last`` or ``longest``. No two kept rows are similar, and each removed row is similar to a
    kept one. Texts lie in a temporary folder meanwhile, and memory has one batch of them.

    ``report=True`` returns the dataset and a frame with one line per removed row (a list of dicts if ``data``
    is no frame or table): ``row`` and ``keeper``, the kept row, as labels of the index of pandas, otherwise
    as numbers from 0; ``sim``, ``shared`` and ``union``, or the columns of another measure. ``passages=True``
    adds the lists of the common passages, each of more than 15 characters, the longest first.

    >>> rows = [{"text": "one two three four"}, {"text": "One two three four!"}, {"text": "five six seven"}]
    >>> simdb.dedupe(rows)
    [{'text': 'one two three four'}, {'text': 'five six seven'}]
    >>> kept, report = simdb.dedupe(rows, report=True)
    >>> report
    [{'row': 1, 'keeper': 0, 'sim': 1.0, 'shared': 2, 'union': 2}]
    """
    if isinstance(data, Iterator):
        raise Invalid(f"data is read twice, and this {type(data).__name__} can be read once; give a list, a frame or a dataset")
    if kind_of(data) == "pyarrow" and not hasattr(data, "take"):
        raise Invalid(f"rows cannot be left out of a {type(data).__name__}; read it as a table")
    if passages and not report:
        raise Invalid("passages=True adds a column to the report; give report=True too")
    statement = f"SELECT DUPLICATES FROM docs {'USING ' + using if using else ''} WHERE sim >= {exact(sim)} KEEP {keeping(keep)}"
    with _stored(data, text, settings, labels=report) as (db, count):
        found = db.query(statement)
        goes = sorted((row for row in found if not row["keep"]), key=lambda row: row["id"])
        kept = _without(data, {int(row["id"]) for row in goes}, count)
        names = {"id": "row", "like": "keeper", **{c: c for c in found.columns if c not in ("cluster", "id", "keep", "like")}}
        return (kept, _frame(data, db, goes, names, passages)) if report else kept


def pairs(
    data: Any, *, text: str = "text", sim: Sim = 0.8, using: str | None = None, settings: Settings = None, limit: int | None = None, passages: bool = False
) -> Any:
    """Returns all pairs of similar rows of a dataset, the most similar first, as a frame like the report of :func:`dedupe`.

    Its columns are ``a`` and ``b``, labels of the index of pandas, otherwise numbers of rows from 0; ``sim``,
    ``shared`` and ``union``; on request ``passages``. ``limit`` is the maximum number of pairs: n equal texts
    have n·(n-1)/2. Other arguments are those of :func:`dedupe`; ``data`` may also be readable only once.

    >>> simdb.pairs(["one two three four", "five six seven", "zero one two three four"], sim=0.5)
    [{'a': 0, 'b': 2, 'sim': 0.6666666666666666, 'shared': 2, 'union': 3}]
    """
    with _stored(data, text, settings, labels=True) as (db, _):
        found = db.pairs(sim=sim, using=using, limit=limit)
        return _frame(data, db, found.to_dicts(), {c: c for c in found.columns}, passages)


def groups(data: Any, *, text: str = "text", sim: Sim = 0.8, using: str | None = None, settings: Settings = None) -> Any:
    """Returns the number of the group of each row: similar pairs join rows into groups, directly or through others.

    The result goes beside the rows, as in ``df["group"] = simdb.groups(df)``: a series of pandas with the
    same index, a series of polars, an array of Arrow, otherwise a list. Groups are numbered from 0 in the
    order of their first rows. A row similar to no other is a group of its own. The arguments are those of
    :func:`dedupe`; ``data`` may also be readable only once.

    >>> simdb.groups(["one two three four", "five six seven", "One two three four!"])
    [0, 1, 0]
    """
    with _stored(data, text, settings) as (db, count):
        first = {int(m.id): int(m.cluster) for m in db.clusters(sim=sim, using=using)}
    numbers: dict[int, int] = {}
    column = [numbers.setdefault(first.get(n, n), len(numbers)) for n in range(count)]
    kind = kind_of(data)
    if kind == "pandas":
        import pandas
        return pandas.Series(column, index=getattr(data, "index", None), dtype="int64", name="group")
    if kind == "polars":
        import polars
        return polars.Series("group", column, polars.Int64)
    if kind == "pyarrow":
        import pyarrow
        return pyarrow.array(column, pyarrow.int64())
    return column


@contextmanager
def _stored(data: Any, text: str, settings: Settings, *, labels: bool = False) -> Iterator[tuple[DB, int]]:
    """Yields a temporary database of the texts, with the numbers of the rows as ids, and the number of rows.

    With ``labels``, the index of pandas must identify the rows.
    """
    if labels and not getattr(getattr(data, "index", None), "is_unique", True):
        raise Invalid("a label occurs twice in the index, but labels name the rows of the answer; reset the index")
    with tempfile.TemporaryDirectory(prefix="simdb-") as folder, open(os.path.join(folder, "d.simdb")) as db:
        if settings:
            db.query(f"CREATE COLLECTION docs WITH ({', '.join(f'{name} = ?' for name in settings)})", list(settings.values())).close()
        yield db, db.put_many(_numbered(data, text)).imported


def _numbered(data: Any, text: str) -> Iterator[Document]:
    if kind_of(data) == "datasets" and not isinstance(data, dict) and text in (data.column_names or ()):
        data = data.select_columns([text])
    for n, row in enumerate(rows(data)):
        if isinstance(row, Mapping) and text not in row:
            raise Invalid(f"row {n} has no field {text!r}; pass text= with the name of one of its fields: {', '.join(map(str, row))}")
        value = text_of(row[text] if isinstance(row, Mapping) else row)
        if value is None:
            raise Invalid(f"row {n} has no text; leave such rows out, or fill them with ''")
        if not isinstance(value, str):
            raise Invalid(f"row {n} has a value of type {type(value).__name__} where a text belongs; pass text= with the name of a field of texts")
        yield Document(f"{n:012}", value)


def _without(data: Any, goes: set[int], count: int) -> Any:
    """Returns the rows of a dataset without the rows of these numbers."""
    stays = [n for n in range(count) if n not in goes]
    kind = kind_of(data)
    if kind == "datasets" and not hasattr(data, "select"):  # a stream
        return data.filter(lambda _, n: n not in goes, with_indices=True)
    if kind in ("pandas", "polars"):
        return (data.iloc if hasattr(data, "iloc") else data)[stays]
    if kind == "pyarrow":
        import pyarrow
        return data.take(pyarrow.array(stays, pyarrow.int64()))
    if kind == "datasets":
        return data.select(stays)
    return [row for n, row in enumerate(data) if n not in goes]


def _frame(data: Any, db: DB, found: list[dict[str, Any]], names: Mapping[str, str], passages: bool) -> Any:
    """Returns pairs of rows as a frame of the kind of the data.

    ``names`` maps the columns of the answer to those of the frame; the first two are the ids of the rows.
    """
    a, b, *_ = names
    count = len(found)
    for row in found:
        if passages:
            shown = db.query("COMPARE ? WITH ? USING patricia(min=15) SHOW PASSAGES", [row[a], row[b]])
            row["passages"] = sorted((passage["text"] for passage in shown), key=len, reverse=True)
        row[a], row[b] = int(row[a]), int(row[b])
    # A line that is cut off again gives the columns of an empty frame their types.
    lines = found or [{"passages": ["text"], **{c: 0.0 if c in FRACTIONS else 0 for c in names}}]
    named = {**names, **({"passages": "passages"} if passages else {})}
    columns: dict[str, list[Any]] = {name: [row[c] for row in lines] for c, name in named.items()}
    kind = kind_of(data)
    if kind == "pandas":
        import pandas
        frame = pandas.DataFrame(columns)[:count]
        return frame.assign(**{name: data.index[frame[name]] for name in (names[a], names[b]) if hasattr(data, "iloc")})
    if kind == "polars":
        import polars
        return polars.DataFrame(columns, strict=False)[:count]
    if kind == "pyarrow":
        import pyarrow
        return pyarrow.table(columns)[:count]
    return [dict(zip(columns, line)) for line in zip(*columns.values())][:count]

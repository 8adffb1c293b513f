"""Deduplication of a dataset in a temporary database."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from ._db import Sim, exact, open
from ._errors import Invalid
from ._records import Document, kind_of, plain, rows

D = TypeVar("D")


def dedupe(data: D, *, text: str = "text", sim: Sim = 0.8, keep: str = "first", using: str | None = None) -> D:
    """Returns the rows of a dataset without the rows whose text is similar to a kept text.

    ``data`` is a frame or series of pandas or polars, a table of Arrow, a dataset of Hugging Face, streamed
    or not, or a list of mappings or texts; the answer is of the same kind, its rows in the same order. ``text``
    names the field compared. Two rows are similar from ``sim`` on, by the measure ``using``. ``keep`` is
    ``first``, ``newest`` or ``longest``. No two rows that are kept are similar, and each that goes is
    similar to one that is kept. Texts lie in a temporary folder meanwhile, and memory has one batch of them.

    >>> rows = [{"text": "one two three four"}, {"text": "One two three four!"}, {"text": "five six seven"}]
    >>> simdb.dedupe(rows)
    [{'text': 'one two three four'}, {'text': 'five six seven'}]
    """
    if isinstance(data, Iterator):
        raise Invalid(f"data is read twice, and this {type(data).__name__} can be read once; give a list, a frame or a dataset")
    with tempfile.TemporaryDirectory(prefix="simdb-") as folder, open(os.path.join(folder, "d.simdb")) as db:
        count = db.put_many(_numbered(data, text)).imported
        statement = f"SELECT DUPLICATES FROM docs {'USING ' + using if using else ''} WHERE sim >= {exact(sim)} KEEP {keep}"
        goes = {int(row["id"]) for row in db.query(statement) if not row["keep"]}
    kept: D = _without(data, goes, count)
    return kept


def _numbered(data: Any, text: str) -> Iterator[Document]:
    if kind_of(data) == "datasets" and not isinstance(data, dict):
        data = data.select_columns([text])
    for n, row in enumerate(rows(data)):
        value = row[text] if isinstance(row, Mapping) else row
        if plain(value) is None:
            raise Invalid(f"row {n} has no {text}; leave such rows out, or fill them with ''")
        yield Document(f"{n:012}", value)


def _without(data: Any, goes: set[int], count: int) -> Any:
    """Returns the rows of a dataset without the rows of these numbers."""
    stays = [n for n in range(count) if n not in goes]
    kind = kind_of(data)
    if kind == "datasets" and not hasattr(data, "select"):  # a stream
        return data.filter(lambda _, n: n not in goes, with_indices=True)
    if kind in ("pandas", "polars"):
        return (data.iloc if kind == "pandas" else data)[stays]
    if kind in ("pyarrow", "datasets"):
        return (data.take if kind == "pyarrow" else data.select)(stays)
    return [row for n, row in enumerate(data) if n not in goes]

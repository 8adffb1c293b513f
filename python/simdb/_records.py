"""Documents in whatever holds them: frames, tables, datasets, iterables."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from json.encoder import JSONEncoder, encode_basestring
from typing import Any, NamedTuple

from ._errors import Invalid

BATCH_ROWS = 1000
_PIECE_BYTES = 1 << 18
_ENCODER = JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_RESERVED = re.compile(r"(meta\.)*(collection|id|text)")


class Document(NamedTuple):
    """A text with its id and metadata, an object of JSON. ``size`` is in bytes."""

    id: str
    text: str
    metadata: Mapping[str, Any] | None = None
    collection: str | None = None
    size: int | None = None


def rows(data: Any) -> Iterator[Mapping[str, Any]]:
    """The rows of a dataset as mappings, a batch of them in memory at a time."""
    kind = type(data).__module__.split(".")[0]
    if kind == "pandas":
        parts = (data.iloc[at : at + BATCH_ROWS].to_dict("list") for at in range(0, len(data), BATCH_ROWS))
    elif kind == "polars":
        parts = (part.to_dict(as_series=False) for part in data.iter_slices(BATCH_ROWS))
    elif kind == "pyarrow":
        parts = (part.to_pydict() for part in _batches(data))
    elif kind == "datasets":
        parts = data.iter(BATCH_ROWS)
    else:
        yield from data
        return
    for columns in parts:
        yield from (dict(zip(columns, values)) for values in zip(*columns.values()))


def _batches(data: Any) -> Iterator[Any]:
    """The batches of an Arrow table, of a file of Parquet, or of a reader of batches."""
    if hasattr(data, "iter_batches"):
        yield from data.iter_batches(BATCH_ROWS)
    elif hasattr(data, "to_batches"):  # a table, or a dataset of files
        yield from data.to_batches(**{"max_chunksize" if hasattr(data, "num_rows") else "batch_size": BATCH_ROWS})
    else:
        yield from data


def documents(data: Any, id: str, text: str) -> Iterator[Document]:
    """The documents of a dataset: mappings with an id and a text, Documents, or tuples of id and text."""
    for n, row in enumerate(rows(data)):
        if isinstance(row, tuple):
            yield row if isinstance(row, Document) else Document(*row[:3])
        elif not isinstance(row, Mapping):
            raise Invalid(f"record {n} is {type(row).__name__}; want a mapping, a Document or a tuple of id and text")
        else:
            for name, what in ((id, "id"), (text, "text")):
                if name not in row:
                    raise Invalid(f"record {n} has no field {name!r}; say {what}= with the name of one that it has: {', '.join(map(str, row))}")
            yield Document(row[id], row[text], {k: v for k, v in row.items() if k != id and k != text} if len(row) > 2 else None)


def encoded(docs: Iterable[Document], collection: str) -> Iterator[bytes]:
    """Lines of JSON as ``simdb export`` writes them, in pieces."""
    lines: list[str] = []
    size = 0
    for d in docs:
        line = f'{{"collection":{_json(d.collection or collection)},"id":{_json(_id(d.id))},"text":{_json(d.text)}'
        for name, value in d.metadata.items() if d.metadata else ():
            if (value := plain(value)) is not None:
                line += f",{_json(_renamed(str(name)))}:{_json(value)}"
        lines.append(line + "}\n")
        size += len(line)
        if size >= _PIECE_BYTES:
            yield "".join(lines).encode()
            lines, size = [], 0
    if lines:
        yield "".join(lines).encode()


def _id(value: Any) -> Any:
    """An id as JSON has it. A column of whole numbers with gaps has them as floats in pandas."""
    value = plain(value)
    return str(int(value)) if value.__class__ is int or isinstance(value, float) and value.is_integer() else value


def _json(value: Any) -> str:
    """A value as JSON; a string by the shortest way, as texts are most of what is put."""
    return encode_basestring(value) if value.__class__ is str else _ENCODER.encode(value)


@lru_cache
def _renamed(name: str) -> str:
    """A metadata field of a name that a line has for itself gets "meta." before it, as in an export."""
    return "meta." + name if _RESERVED.fullmatch(name) else name


def plain(value: Any) -> Any:
    """A value as JSON has it: numbers of numpy are numbers, times are text, NaN and NA are None."""
    if value is None or value.__class__ in (str, int, bool):
        return value
    if isinstance(value, float):
        return value if value - value == 0 else None
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(v) for v in value]
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return str(value)

"""Conversion of frames, tables, datasets and iterables to documents."""

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import count
from json.encoder import JSONEncoder, encode_basestring
from typing import Any, NamedTuple

from ._errors import Invalid

BATCH_ROWS = 1000
_PIECE_BYTES = 1 << 18
ENCODER = JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_SURROGATE = re.compile("[\ud800-\udfff]")
_RESERVED = re.compile(r"(meta\.)*(collection|id|text)")


class Document(NamedTuple):
    """A text with its id and metadata, a JSON object. ``size`` is in bytes."""

    id: str
    text: str
    metadata: Mapping[str, Any] | None = None
    collection: str | None = None
    size: int | None = None


def rows(data: Any) -> Iterator[Mapping[str, Any]]:
    """Yields the rows of a dataset as mappings, or the texts of a series, with one batch in memory at a time."""
    if isinstance(data, (str, bytes, Mapping)):
        raise Invalid(f"data is a {type(data).__name__}; give a list, a frame, a table or a dataset of documents")
    kind = kind_of(data)
    if kind == "pandas" and hasattr(data, "columns"):
        parts = (data.iloc[at : at + BATCH_ROWS].to_dict("list") for at in range(0, len(data), BATCH_ROWS))
    elif kind == "polars" and hasattr(data, "iter_slices"):
        parts = (part.to_dict(as_series=False) for part in data.iter_slices(BATCH_ROWS))
    elif kind == "pyarrow" and not hasattr(data, "type"):  # no array
        parts = (part.to_pydict() for part in _batches(data))
    elif kind == "datasets":
        parts = data.iter(BATCH_ROWS)
    else:
        yield from data.to_pylist() if kind == "pyarrow" else data
        return
    for columns in parts:
        yield from (dict(zip(columns, values)) for values in zip(*columns.values()))


def _batches(data: Any) -> Iterator[Any]:
    """Yields the batches of an Arrow table, a Parquet file, or a reader of batches."""
    if hasattr(data, "iter_batches"):
        yield from data.iter_batches(BATCH_ROWS)
    elif hasattr(data, "to_batches"):  # a table, or a dataset of files
        yield from data.to_batches(**{"max_chunksize" if hasattr(data, "num_rows") else "batch_size": BATCH_ROWS})
    else:
        yield from data


def kind_of(data: Any) -> str:
    """Returns the package that defines the type of a dataset."""
    return type(data).__module__.split(".")[0]


def documents(data: Any, id: str | None, text: str) -> Iterator[Document]:
    """Yields the documents of a dataset of mappings with a text, Documents, tuples of id and text, or texts.

    The id is the field ``id``, otherwise the index of pandas, or the number of the row.
    """
    if kind_of(data) == "datasets" and isinstance(data, Mapping):
        for split, part in data.items():
            yield from (d if _id(d.id) is None else d._replace(id=f"{split}/{_id(d.id)}") for d in documents(part, id, text))
        return
    keys = data.index if kind_of(data) == "pandas" and hasattr(data, "iloc") else count()
    field, first = id, True
    for n, (key, row) in enumerate(zip(keys, rows(data))):
        if isinstance(row, tuple):
            yield row if isinstance(row, Document) else Document(*row[:3])
            continue
        if first:
            field = id or ("id" if isinstance(row, Mapping) and "id" in row else None)
            if field is None and not isinstance(keys, count) and not keys.is_unique:
                raise Invalid("a label occurs twice in the index, but labels serve as ids; pass id= with the name of a field, or reset the index")
        key = "/".join(map(str, key)) if isinstance(key, tuple) else key
        if not isinstance(row, Mapping):
            if not isinstance(row, (str, bytes)) and plain(row) is not None:
                raise Invalid(f"record {n} is {type(row).__name__}; want a mapping, a Document, a tuple of id and text, or a text")
            first = False
            yield Document(key, row)
            continue
        for name, what in ((field, "id"), (text, "text")):
            if first and name is not None and name not in row:
                raise Invalid(f"record {n} has no field {name!r}; pass {what}= with the name of one of its fields: {', '.join(map(str, row))}")
        first = False
        meta = {k: v for k, v in row.items() if k != field and k != text}
        value: Any = row.get(text)  # a missing one is rejected with its place
        yield Document(key if field is None else row.get(field, ""), value, meta or None)


def encoded(docs: Iterable[Document], collection: str) -> Iterator[bytes]:
    """Yields JSON lines in the format of ``simdb export``, in pieces."""
    lines: list[str] = []
    size = 0
    for d in docs:
        line = f'{{"collection":{_json(d.collection or collection)},"id":{_json(_id(d.id))},"text":{_json(text_of(d.text))}'
        for name, value in d.metadata.items() if d.metadata else ():
            if (value := plain(value)) is not None:
                line += f",{_json(_renamed(str(name)))}:{_json(value)}"
        lines.append(line + "}\n")
        size += len(line)
        if size >= _PIECE_BYTES:
            yield utf8(lines)
            lines, size = [], 0
    if lines:
        yield utf8(lines)


def utf8(parts: list[str]) -> bytes:
    """Joins parts in UTF-8. A lone surrogate becomes U+FFFD, with a warning."""
    try:
        return "".join(parts).encode()
    except UnicodeEncodeError:
        odd = [p for p in parts if _SURROGATE.search(p)]
        warnings.warn(f"half a surrogate pair is stored as U+FFFD, {len(odd)} times, first in {odd[0][:80]!r}", UnicodeWarning, stacklevel=2)
        return "".join(parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def whole(id: Any, text: Any) -> tuple[str, str]:
    """Returns the id and the text of a document; raises if one is missing."""
    key, value = _id(id), text_of(text)
    for what, v in (("id", key), ("text", value)):
        if not isinstance(v, str):
            raise Invalid(f"the {what} of document {id!r} is {'missing' if v is None else type(v).__name__}; want a str")
    return utf8([key]).decode(), value


def text_of(value: Any) -> Any:
    """Returns a text; None for any missing value of pandas."""
    return value if isinstance(value, str) else value.decode("utf-8", "replace") if isinstance(value, bytes) else plain(value)


def _id(value: Any) -> Any:
    """Returns an id. pandas stores a column of whole numbers with gaps as floats."""
    value = plain(value)
    return str(int(value)) if value.__class__ is int or isinstance(value, float) and value.is_integer() else value


def _json(value: Any) -> str:
    """Encodes a value as JSON; strings by the fastest way, because texts are most of the data."""
    return encode_basestring(value) if value.__class__ is str else ENCODER.encode(value)


@lru_cache
def _renamed(name: str) -> str:
    """Adds the prefix "meta." to metadata fields with a reserved name, as an export does."""
    return "meta." + name if _RESERVED.fullmatch(name) else name


def plain(value: Any) -> Any:
    """Converts a value for JSON: numpy numbers to numbers, times to text, NaN and NA to None."""
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

"""A database: storing, searching and reading documents."""

from __future__ import annotations

import io
import os
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypedDict, Unpack
from urllib.parse import urlencode

from . import _html
from ._errors import Invalid, RecordsRejected
from ._records import Document, documents, encoded, plain, whole
from ._rows import Group, Match, Member, Pair, Rows, Source
from ._server import Server

Sim = float | str | Fraction
Params = Sequence[Any] | Mapping[str, Any]
Names = str | Sequence[str] | None

_SIM = re.compile(r"\d+(\.\d+)?([eE]-?\d+)?%?|\d+/\d+")


class Search(TypedDict, total=False):
    """Keyword arguments of the search methods; see :class:`DB`."""

    sim: Sim | None
    using: str | None
    where: str | None
    params: Params
    collection: Names
    limit: int | None


class Text(str):
    """A text as an argument in place of an id: ``db.compare("a", simdb.Text("…"))``."""


class Like(NamedTuple):
    """The similar document that prevented a put, with its similarity."""

    id: str
    sim: float
    shared: int | None = None
    union: int | None = None
    dist: int | None = None


class Imported(NamedTuple):
    """Counts of stored documents: with new ids, replacing others, and so on."""

    imported: int
    replaced: int
    skipped: int
    similar: int
    rejected: int


class Score(NamedTuple):
    """The score of two texts by one measure. ``sim`` is None if the measure has no value for one of them."""

    measure: str
    sim: float | None
    shared: int | None
    union: int | None
    dist: int | None


class Passage(NamedTuple):
    """A common passage of two texts: ``a`` and ``b`` are its start and end in each, in characters."""

    a: tuple[int, int]
    b: tuple[int, int]
    chars: int
    text: str


class Comparison(NamedTuple):
    """The comparison of two texts. A notebook shows both texts with the passages marked."""

    a: Document
    b: Document
    scores: list[Score]
    passages: list[Passage]
    notes: list[str]

    def _repr_html_(self) -> str:
        texts = (_html.marked(self.a.text, (p.a for p in self.passages)), _html.marked(self.b.text, (p.b for p in self.passages)))
        scores = _html.table(Score._fields, (s for s in self.scores if s.sim is not None), "; ".join(self.notes))
        return _html.side_by_side((self.a.id or "text", self.b.id or "text"), texts) + scores


def open(
    path: str | os.PathLike[str], *, read_only: bool = False, create: bool = True, memory: str | None = None, unix: bool | None = None
) -> DB:
    """Opens the database in a directory, and creates a missing one unless ``create`` is False.

    One process may open a database for writing, and others with ``read_only`` at the same time.
    ``memory`` is the memory for caches, such as ``"1GiB"``. ``unix`` selects a Unix socket, the default
    where Python supports them, or with False a port of this machine.

    >>> with simdb.open("texts.simdb") as db:
    ...     _ = db.put("a", "the trick is to look at many small pieces")
    ...     [m.id for m in db.similar(text="The trick is to look at many small pieces!", sim=0.8)]
    ['a']
    """
    unix = hasattr(socket, "AF_UNIX") if unix is None else unix
    return DB(Server(os.fspath(path), read_only=read_only, create=create, memory=memory, unix=unix))


class DB:
    """An open database. Close it, or use ``with``; otherwise it closes when Python exits.

    Search methods accept

    - ``sim``: the exact threshold, as 0.8, ``"80%"``, ``"4/5"`` or a Fraction. None means the default
      of the language: 0.8 for most measures;
    - ``using``: the measure in the syntax of USING: ``"containment(of='query')"``;
    - ``where``: a condition on metadata in the syntax of WHERE: ``"year > 2020"``, with ``params`` for
      its ``?`` (a sequence) or ``:name`` (a mapping);
    - ``collection``: the searched collection, or several; ``docs`` by default;
    - ``limit``: the maximum number of rows.

    An instance is safe for use by several threads. Ctrl-C ends a request and leaves the database open.
    """

    def __init__(self, server: Server) -> None:
        self._server = server

    def close(self) -> None:
        """Closes the database and waits until it is closed. A second call does nothing."""
        self._server.close()

    def __enter__(self) -> DB:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Documents.

    def put(self, id: str, text: str, metadata: Mapping[str, Any] | None = None, *, collection: str = "docs") -> bool:
        """Stores a document, durably, replacing a document of the same id. Returns True if it replaced one.

        >>> db.put("lecture", "Shingles overlap like those on a roof.", {"year": 2026})
        False
        """
        id, text = whole(id, text)
        body = {"text": text, "metadata": plain(metadata)}
        return bool(self._server.ask("PUT", "document?" + urlencode({"collection": collection, "id": id}), body)["replaced"])

    def put_unless_similar(
        self, id: str, text: str, metadata: Mapping[str, Any] | None = None, *,
        sim: Sim | None = None, measure: str = "jaccard", arguments: Mapping[str, Any] | None = None, collection: str = "docs",
    ) -> Like | None:
        """Stores a document, durably, unless a document of another id is similar. Returns that document, or None.

        The search and the put are one atomic step. The default of ``sim`` is ``unique_sim`` of the
        collection, or 0.8.

        >>> db.put_unless_similar("roofs", "Shingles overlap like those on a roof!", sim=0.9)
        Like(id='lecture', sim=1.0, shared=5, union=5, dist=None)
        """
        unless: dict[str, Any] = {"measure": measure, "arguments": dict(arguments or {})}
        if sim is not None:
            unless["threshold"] = exact(sim)
        id, text = whole(id, text)
        body = {"text": text, "metadata": plain(metadata), "unless_similar": unless}
        like = self._server.ask("PUT", "document?" + urlencode({"collection": collection, "id": id}), body)["like"]
        return like and Like(**{**like, "sim": float(like["sim"])})

    def put_many(
        self, data: Any, *, id: str | None = None, text: str = "text", collection: str = "docs",
        unless_similar: Sim | None = None, keep: str = "first", if_exists: str = "replace",
    ) -> Imported:
        """Stores many documents in a stream, in bounded memory; all are durable when it returns.

        ``data`` is a frame or series of pandas or polars, a table or reader of Arrow, a dataset of Hugging
        Face, or any iterable of mappings, :class:`Document`, tuples of id and text, or texts. ``id`` and
        ``text`` name two of its fields; the others become metadata. Without a field ``id`` the ids come from
        the index of pandas, or are the numbers of the rows from 0. For a ``DatasetDict`` they are ``split/id``.
        A row without a text (None, NaN, NA) is rejected with its line and id, and the others are stored.
        ``unless_similar`` is a threshold: of texts that resemble each other as much, ``keep`` selects one:
        ``first``, ``last`` or ``longest``. ``if_exists`` is ``replace``, ``skip`` or ``error``.

        >>> db.put_many([{"id": "b", "text": "one two three", "year": 2026}, ("c", "four five six")])
        Imported(imported=2, replaced=0, skipped=0, similar=0, rejected=0)
        """
        asked = {"if_exists": if_exists, "keep": keeping(keep), "id_field": "id", **({} if unless_similar is None else {"unless_similar": exact(unless_similar)})}
        return self._import(encoded(documents(data, id, text), collection), asked)

    def import_file(self, path: str | os.PathLike[str], *, id: str | None = None, text: str | None = None, collection: str = "docs") -> Imported:
        """Stores the texts of a file, as ``simdb import`` does: JSON lines, CSV, an archive, compressed or not.

        ``id`` and ``text`` name the fields or columns of a record.
        """
        fields = {"id_field": id, "text_field": text}
        asked = {"name": os.path.basename(path), "collection": collection, **{name: field for name, field in fields.items() if field is not None}}
        with io.open(path, "rb") as file:
            return self._import(iter(lambda: file.read(1 << 18), b""), asked)

    def _import(self, body: Iterator[bytes], asked: dict[str, Any]) -> Imported:
        answer = self._server.ask("POST", "import?" + urlencode(asked), body)
        result = Imported(*(answer[name] for name in Imported._fields))
        if result.rejected:
            first = answer["rejects"][0]
            where = f"line {first['line']}" if "line" in first else first["source"]
            where += f", id {first['id']!r}" if first.get("id") else ""
            e = RecordsRejected(f"{result.rejected} rejected, the others are stored; the first is {where}: {first['reason']}")
            e.result, e.rejects = result, answer["rejects"]
            raise e
        return result

    def get(self, id: str, *, collection: str = "docs") -> Document:
        """Returns a document, or raises :class:`NotFound`.

        >>> db.get("lecture").metadata
        {'year': 2026}
        """
        d = self._server.ask("GET", "document?" + urlencode({"collection": collection, "id": id}))
        return Document(d["id"], d["text"], d["metadata"], d["collection"], d["size"])

    def delete(self, *ids: str, collection: str = "docs") -> int:
        """Deletes documents and returns the number of deleted documents. A missing id is not an error.

        >>> db.delete("lecture", "nosuch")
        1
        """
        statement = f"DELETE FROM {_name(collection)} WHERE id IN ({', '.join('?' * len(ids))})"
        return sum(row["deleted"] for row in self.query(statement, ids)) if ids else 0

    def __len__(self) -> int:
        """The number of documents in all collections."""
        return sum(row["documents"] for row in self.query("SHOW COLLECTIONS"))

    # Searches.

    def query(self, statement: str, params: Params = ()) -> Rows[dict[str, Any]]:
        """Runs a statement of the query language and returns its rows; ``params`` are the values of ``?`` or ``:name``.

        >>> db.query("SELECT id, year FROM docs WHERE year > ?", [2020]).to_dicts()
        [{'id': 'lecture', 'year': 2026}]
        """
        return self._rows(statement, params, dict)

    def _rows(self, statement: str, params: Params, make: Any) -> Rows[Any]:
        return Rows(self._server.lines("query", {"statement": statement, "params": plain(params) or None}), make)

    def _search(self, what: str, first: Sequence[Any], kind: Any, *, against: Names = None, **how: Unpack[Search]) -> Rows[Any]:
        """Returns the rows of a search. ``first`` has the values for each ``?`` of the target."""
        if unknown := set(how) - set(Search.__annotations__):
            raise TypeError(f"unknown argument {min(unknown)!r}; there are {', '.join(Search.__annotations__)}")
        sim, where, params = how.get("sim"), how.get("where"), how.get("params", ())
        tests = ([] if sim is None else [f"sim >= {exact(sim)}"]) + ([f"({where})"] if where else [])
        given: Params = [*first, *params]
        if isinstance(params, Mapping):
            given = {**params, **dict(zip(["target"], first))}
            what = what.replace("?", ":target")
        clauses = [what, _in("IN", how.get("collection")), _in("AGAINST", against)]
        clauses += [f"USING {using}"] if (using := how.get("using")) else []
        clauses += ["WHERE " + " AND ".join(tests)] if tests else []
        clauses += [f"LIMIT {int(limit)}"] if (limit := how.get("limit")) is not None else []
        return self._rows(" ".join(clauses), given, lambda row: kind(**row))

    def similar(self, id: str | None = None, *, text: str | None = None, **how: Unpack[Search]) -> Rows[Match]:
        """Returns the documents similar to a stored document or a text, the most similar first.

        >>> for m in db.similar(text="shingles overlap like those on a roof", sim=0.5):
        ...     print(m.id, m.shared, "of", m.union)
        lecture 5 of 5
        """
        return self._search("SIMILAR TO " + _target(id, text), [id if text is None else text], Match, **how)

    def nearest(self, id: str | None = None, n: int = 10, *, text: str | None = None, **how: Unpack[Search]) -> Rows[Match]:
        """Returns the ``n`` most similar documents, with any similarity above 0.

        >>> [m.sim for m in db.nearest(text="those on a roof", n=1)]
        [0.4]
        """
        return self._search(f"SIMILAR TO {_target(id, text)} NEAREST {int(n)}", [id if text is None else text], Match, **how)

    def pairs(self, *, against: Names = None, **how: Unpack[Search]) -> Rows[Pair]:
        """Returns all pairs of similar documents, the most similar first; ``against`` has the collections of ``b``."""
        return self._search("SIMILAR PAIRS", [], Pair, against=against, **how)

    def clusters(self, **how: Unpack[Search]) -> Rows[Member]:
        """Returns the members of the groups that similar pairs connect, one per row, the largest group first."""
        return self._search("CLUSTERS", [], Member, **how)

    def groups(self, name: str, *, min_size: int = 1) -> Rows[Group]:
        """Returns the groups of a grouping, the largest first; ``CREATE GROUPS`` in a query creates a grouping.

        >>> db.query("CREATE GROUPS copies ON docs WHERE sim >= 0.8").to_dicts()
        [{'created': 'copies'}]
        >>> list(db.groups("copies"))
        [Group(group=1, size=1, keeper='lecture')]
        """
        return self._rows(f"GROUPS {_name(name)} WHERE size >= ? ORDER BY size DESC", [min_size], lambda row: Group(**row))

    def sources(self, id: str | None = None, *, text: str | None = None, min: int = 30, collection: Names = None) -> Rows[Source]:
        """Returns the documents that contain passages of a text, of more than ``min`` characters.

        >>> for s in db.sources(text="He said: shingles overlap like those on a roof.", min=10):
        ...     print(s.id, s.chars, "of", s.of, "characters")
        lecture 38 of 47 characters
        """
        return self._search("SOURCES OF " + _target(id, text), [id if text is None else text], Source, collection=collection, using=f"coverage(min={int(min)})")

    def compare(self, a: str, b: str, *, min: int = 15, collection: str = "docs") -> Comparison:
        """Compares two texts by every measure, with their common passages of more than ``min`` characters.

        Each is an id, or a :class:`Text` that need not be stored. A notebook shows both texts.

        >>> c = db.compare(simdb.Text("He said: Shingles overlap like those on a roof."), "lecture")
        >>> c.scores[0].measure, c.scores[0].sim, c.passages[0].text
        ('overlap', 1.0, 'Shingles overlap like those on a roof.')
        """
        sides = [{"text" if isinstance(s, Text) else "id": s, "collection": collection} for s in (a, b)]
        answer = self._server.ask("POST", "compare", {"a": sides[0], "b": sides[1], "min": min})
        docs = [Document(s["id"] or "", s["text"], None, s["collection"], s["size"]) for s in (answer["a"], answer["b"])]
        scores = [Score(s["measure"], None if s["sim"] is None else float(s["sim"]), s["shared"], s["union"], s["dist"]) for s in answer["measures"]]
        places = [(tuple(p["a"]["chars"]), tuple(p["b"]["chars"]), p["chars"]) for p in answer["passages"]]
        passages = [Passage(a, b, chars, docs[0].text[slice(*a)]) for a, b, chars in places]
        return Comparison(docs[0], docs[1], scores, passages, answer["notes"])

    def passages(self, a: str, b: str, *, min: int = 15, collection: str = "docs") -> list[Passage]:
        """Returns the common passages of two texts of more than ``min`` characters, as :meth:`compare` does."""
        return self.compare(a, b, min=min, collection=collection).passages


def _target(id: str | None, text: str | None) -> str:
    if (id is None) == (text is None):
        raise Invalid("name a document by its id, or give text=, and not both")
    return "TEXT ?" if id is None else "?"


def exact(sim: Sim) -> str:
    """Formats a similarity for a statement, exactly."""
    text = sim if isinstance(sim, str) else str(sim) if isinstance(sim, Fraction) else repr(plain(sim))
    if not _SIM.fullmatch(text):
        raise Invalid(f"a similarity is a number such as 0.8, '80%' or '4/5', not {sim!r}")
    return text


def keeping(keep: str) -> str:
    """Returns the word of the language for a ``keep``, which has the names of pandas."""
    if keep not in ("first", "last", "longest"):
        raise Invalid(f"keep is 'first', 'last' or 'longest', not {keep!r}")
    return "newest" if keep == "last" else keep


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _in(word: str, collections: Names) -> str:
    names = [collections] if isinstance(collections, str) else collections or []
    return f"{word} {', '.join(map(_name, names))}" if names else ""

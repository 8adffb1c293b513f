"""Real pandas, polars, Arrow and Hugging Face: in, out, and without duplicates."""

from __future__ import annotations

import datetime
import tracemalloc
from pathlib import Path
from typing import Any

import datasets
import numpy
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import simdb
from simdb._frames import _without
from simdb._records import documents, encoded

ROWS = [
    {"url": "a", "body": "one two three four five", "n": 1},
    {"url": "b", "body": "six seven eight nine ten", "n": 2},
    {"url": "c", "body": "One two three four five.", "n": 3},
]


def frames(folder: Path) -> dict[str, Any]:
    table = pyarrow.Table.from_pylist(ROWS)
    pyarrow.parquet.write_table(table, folder / "x.parquet")
    return {
        "list": ROWS,
        "pandas": pandas.DataFrame(ROWS, index=[7, 7, 9]),
        "polars": polars.DataFrame(ROWS),
        "arrow": table,
        "dataset": datasets.Dataset.from_list(ROWS),
        "stream": datasets.Dataset.from_list(ROWS).to_iterable_dataset(),
        "parquet": pyarrow.parquet.ParquetFile(folder / "x.parquet"),
        "reader": table.to_reader(),
    }


def listed(data: Any) -> list[dict[str, Any]]:
    if isinstance(data, pandas.DataFrame):
        return data.to_dict("records")  # type: ignore[return-value]
    if isinstance(data, polars.DataFrame):
        return data.to_dicts()
    return data.to_pylist() if isinstance(data, pyarrow.Table) else list(data)


def types(frame: Any) -> str:
    return str(frame.dtypes if isinstance(frame, pandas.DataFrame) else frame.schema)


KINDS = ["list", "pandas", "polars", "arrow", "dataset", "stream", "parquet", "reader"]


@pytest.mark.parametrize("kind", KINDS)
def test_all_are_stored_alike(db: simdb.DB, tmp_path: Path, kind: str) -> None:
    assert db.put_many(frames(tmp_path)[kind], id="url", text="body").imported == 3
    assert db.get("c") == simdb.Document("c", "One two three four five.", {"n": 3}, "docs", 24)


@pytest.mark.parametrize("kind", KINDS[:6])
@pytest.mark.parametrize(("keep", "left"), [("first", "ab"), ("last", "bc"), ("longest", "bc")])
def test_dedupe(tmp_path: Path, kind: str, keep: str, left: str) -> None:
    data = frames(tmp_path)[kind]
    kept = simdb.dedupe(data, text="body", sim=0.9, keep=keep)
    assert isinstance(kept, type(data))
    assert listed(kept) == [r for r in ROWS if str(r["url"]) in left]
    if kind == "pandas" and keep == "first":
        assert list(kept.index) == [7, 7]


@pytest.mark.parametrize("kind", KINDS)
def test_reasons_are_frames_of_the_same_kind(tmp_path: Path, kind: str) -> None:
    frame_of = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "arrow": pyarrow.Table, "parquet": pyarrow.Table, "reader": pyarrow.Table}.get(kind, list)
    data = frames(tmp_path)[kind]
    names: list[Any] = [0, 1, 2]
    if kind == "pandas":
        data.index = names = ["x", "y", "z"]
    pairs = simdb.pairs(data, text="body", sim=0.9)
    assert isinstance(pairs, frame_of) and listed(pairs) == [{"a": names[0], "b": names[2], "sim": 1.0, "shared": 3, "union": 3}]
    if kind in ("parquet", "reader"):
        with pytest.raises(simdb.Invalid, match="this RecordBatchReader can be read once|left out of a ParquetFile; read it as a table"):
            simdb.dedupe(data, text="body")
        return
    for sim in (0.9, 1):
        kept, report = simdb.dedupe(data, text="body", sim=sim, keep="longest", report=True, passages=True)
        assert isinstance(kept, type(data)) and [r["url"] for r in listed(kept)] == ["b", "c"] and isinstance(report, frame_of)
        assert listed(report) == [{"row": names[0], "keeper": names[2], "sim": 1.0, "shared": 3, "union": 3, "passages": [ROWS[0]["body"]]}]
    for gone in ({2}, {0, 1, 2}):  # an empty report has the columns and types of a full one
        part = _without(data, gone, 3)
        kept, none = simdb.dedupe(part, text="body", report=True, passages=True)
        assert listed(kept) == listed(part) and isinstance(none, frame_of) and listed(none) == []
        assert isinstance(none, list) or types(none) == types(report)


def test_groups_stand_beside_the_rows(tmp_path: Path) -> None:
    data = frames(tmp_path)
    for kind in ("list", "dataset", "stream"):
        assert simdb.groups(data[kind], text="body") == [0, 1, 0]
    data["pandas"]["group"] = simdb.groups(data["pandas"], text="body")
    assert data["pandas"]["group"].tolist() == [0, 1, 0] and str(data["pandas"]["group"].dtype) == "int64"
    assert data["polars"].with_columns(simdb.groups(data["polars"], text="body"))["group"].to_list() == [0, 1, 0]
    for kind in ("arrow", "reader", "parquet"):
        column = simdb.groups(data[kind], text="body")
        assert data["arrow"].append_column("group", column)["group"].to_pylist() == [0, 1, 0]
    assert data["dataset"].add_column("group", simdb.groups(data["dataset"], text="body"))["group"][:] == [0, 1, 0]
    assert simdb.groups(pandas.DataFrame({"text": []})).tolist() == []


def test_labels_name_rows_of_pandas(tmp_path: Path) -> None:
    data = frames(tmp_path)["pandas"]
    for call in (lambda: simdb.dedupe(data, text="body", report=True), lambda: simdb.pairs(data, text="body")):
        with pytest.raises(simdb.Invalid, match="a label occurs twice in the index"):
            call()
    days = pandas.date_range("2026-01-01", periods=3)
    kept, report = simdb.dedupe(data.set_index(days)["body"], report=True)
    assert kept.tolist() == ["one two three four five", "six seven eight nine ten"]
    assert report["row"].tolist() == [days[2]] and report["keeper"].dtype == days.dtype
    several = simdb.pairs(data.set_index(["n", "url"]), text="body")
    assert several["a"].tolist() == [(1, "a")] and several["b"].tolist() == [(3, "c")]
    assert data.set_index(["n", "url"]).loc[several["b"].tolist()]["body"].tolist() == ["One two three four five."]
    assert simdb.pairs(polars.Series(data["body"].tolist())).to_dicts() == [{"a": 0, "b": 2, "sim": 1.0, "shared": 3, "union": 3}]
    assert simdb.dedupe(pandas.array(data["body"].tolist())).tolist() == kept.tolist()


def test_columns_are_those_of_the_measure(tmp_path: Path) -> None:
    data = frames(tmp_path)["pandas"].reset_index(drop=True)
    assert list(simdb.pairs(data, text="body", using="simhash", sim=0.9).columns) == ["a", "b", "sim", "dist"]
    assert simdb.dedupe(["one two three four", "zero one two three four"], using="dice", report=True)[1] == [{"row": 1, "keeper": 0, "sim": 0.8, "shared": 2, "union": 3}]
    assert len(simdb.pairs(["same words here"] * 5, limit=3)) == 3 and len(simdb.pairs(["same words here"] * 5)) == 10


def test_answers_as_frames(db: simdb.DB) -> None:
    db.put_many(ROWS, id="url", text="body")
    want = [{"a": "a", "b": "c", "sim": 1.0, "shared": 3, "union": 3}]
    assert db.pairs(sim=0.9).to_pandas().to_dict("records") == want
    assert db.pairs(sim=0.9).to_arrow().to_pylist() == want
    assert db.pairs(sim=0.9).to_polars().to_dicts() == want
    assert str(db.pairs(sim=0.9).to_pandas()["sim"].dtype) == "float64"
    empty = db.pairs(sim=0.9, where="a.n > 100")
    assert list(empty.to_pandas().columns) == ["a", "b", "sim", "shared", "union"]


def test_values_of_frames(db: simdb.DB) -> None:
    moment = datetime.datetime(2026, 1, 31, 12, tzinfo=datetime.timezone.utc)
    frame = pandas.DataFrame(
        {"id": [1, 2], "text": ["a b", "c d"], "when": [moment, None], "x": [1.5, float("nan")], "l": [numpy.array([1, 2]), None], "c": pandas.array([1, None], dtype="Int64")}
    )
    db.put_many(frame)
    assert db.get("1").metadata == {"when": "2026-01-31T12:00:00+00:00", "x": 1.5, "l": [1, 2], "c": 1}
    assert db.get("2").metadata is None


@pytest.mark.parametrize("kind", [None, "Int64", "object"])
def test_an_id_that_a_frame_lacks_is_rejected(db: simdb.DB, kind: Any) -> None:
    with pytest.raises(simdb.RecordsRejected, match='1 rejected.* line 2: field "id" is null'):
        db.put_many(pandas.DataFrame({"id": pandas.Series([1, None, 3], dtype=kind), "text": ["a", "b", "c"]}))
    assert {row["id"] for row in db.query("SELECT id FROM docs")} == {"1", "3"}


NAN = float("nan")


@pytest.mark.parametrize(
    "texts",
    [
        ["one two", None, "three", NAN],
        numpy.array(["one two", None, "three", NAN], dtype=object),
        pandas.Series(["one two", None, "three", NAN]),
        pandas.Series(["one two", pandas.NA, "three", None], dtype="string"),
        pandas.array(["one two", pandas.NA, "three", None]),
        polars.Series(["one two", None, "three", None]),
        pyarrow.array(["one two", None, "three", None]),
        pyarrow.chunked_array([["one two", None], ["three", None]]),
        [{"text": t} for t in ["one two", None, "three", NAN]],
        pandas.DataFrame({"text": ["one two", None, "three", NAN]}),
        polars.DataFrame({"text": ["one two", None, "three", None]}),
        datasets.Dataset.from_dict({"text": ["one two", None, "three", None]}),
        [(0, "one two"), (1, NAN), (2, b"three"), (3, pandas.NaT)],
    ],
)
def test_texts_alone_and_missing_ones(db: simdb.DB, texts: Any) -> None:
    with pytest.raises(simdb.RecordsRejected, match="2 rejected, the others are stored; the first is line 2, id '1': field \"text\" is null") as e:
        db.put_many(texts)
    assert [(r["line"], r["id"]) for r in e.value.rejects] == [(2, "1"), (4, "3")]
    assert [(row["id"], row["text"]) for row in db.query("SELECT id, text FROM docs ORDER BY id")] == [("0", "one two"), ("2", "three")]


def test_the_index_of_pandas_is_the_ids(db: simdb.DB) -> None:
    series = pandas.Series(["one", "two"], index=["x", "y"])
    db.put_many(series)
    db.put_many(pandas.DataFrame({"text": ["three", "four"], "n": [1, NAN]}, index=pandas.MultiIndex.from_tuples([("a", 1), ("a", 2)])))
    assert {row["id"] for row in db.query("SELECT id FROM docs")} == {"x", "y", "a/1", "a/2"}
    assert db.get("a/1").metadata == {"n": 1.0} and db.get("a/2").metadata is None
    with pytest.raises(simdb.Invalid, match="a label occurs twice"):
        db.put_many(pandas.concat([series, series]))
    assert simdb.dedupe(pandas.Series(["one two three", "One two three!", "x"], index=[3, 4, 5])).to_dict() == {3: "one two three", 5: "x"}
    with pytest.raises(simdb.Invalid, match="row 1 has no text"):
        simdb.dedupe(["one", NAN])


def test_splits_are_folders(db: simdb.DB) -> None:
    splits = datasets.DatasetDict({"train": datasets.Dataset.from_dict({"text": ["one", "two"]}), "test": datasets.Dataset.from_dict({"text": ["three"], "id": ["x"]})})
    assert db.put_many(splits).imported == 3
    assert {row["id"] for row in db.query("SELECT id FROM docs")} == {"train/0", "train/1", "test/x"}
    with pytest.raises(simdb.Invalid, match="data is a DatasetDict"):
        simdb.dedupe(splits)


def test_half_a_surrogate_pair(db: simdb.DB) -> None:
    with pytest.warns(UnicodeWarning, match="half a surrogate pair is stored as U.FFFD, 2 times, first in"):
        db.put_many([("a", "one \ud800 two"), ("b", "whole \ud83d\ude00"), ("c", "plain")])
    assert db.get("a").text == "one \ufffd two" and db.get("b").text == "whole \U0001f600"
    with pytest.warns(UnicodeWarning):
        db.put("d\udc00", "three \udc00", {"m\ud800": "\ud800"})
    assert db.get("d\ufffd").text == "three \ufffd"


def test_memory_is_bounded(db: simdb.DB) -> None:
    text = "some words of a text that is long enough to count " * 40
    docs = ({"id": i, "text": text} for i in range(5000))  # 10 MB
    tracemalloc.start()
    for _ in encoded(documents(docs, "id", "text"), "docs"):
        pass
    assert tracemalloc.get_traced_memory()[1] < 3 << 20
    tracemalloc.stop()

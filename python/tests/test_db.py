"""What a database answers, and how it says no."""

from __future__ import annotations

import gzip
import json
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any, cast

import pytest

import simdb

WORDS = [f"word{i}" for i in range(500)]


def texts(n: int, seed: int = 1) -> list[str]:
    """Texts of which each third is the one before it with another word in it."""
    r = random.Random(seed)
    out: list[str] = []
    for i in range(n):
        words = out[-1].split() if i % 3 == 1 else r.choices(WORDS, k=40)
        if i % 3 == 1:
            words[r.randrange(40)] = "changed"
        out.append(" ".join(words))
    return out


def shingles(text: str) -> set[tuple[str, ...]]:
    w = text.split()
    return {tuple(w[i : i + 3]) for i in range(len(w) - 2)}


def test_answers_are_those_of_brute_force(db: simdb.DB) -> None:
    docs = texts(300)
    assert db.put_many(enumerate(docs)) == simdb.Imported(300, 0, 0, 0, 0)
    sets = [shingles(t) for t in docs]
    want: set[tuple[str, str, int, int]] = set()
    for i, a in enumerate(sets):
        for j in range(i):
            shared, union = len(a & sets[j]), len(a | sets[j])
            if shared / union >= 0.5:
                want.add((min(str(i), str(j)), max(str(i), str(j)), shared, union))
    got = {(p.a, p.b, p.shared, p.union) for p in db.pairs(sim=0.5)}
    assert got == want and len(want) >= 100
    first = min(want)
    assert first[1:] in {(m.id, m.shared, m.union) for m in db.similar(first[0], sim=Fraction(1, 2))}
    assert [m.id for m in db.nearest(text=docs[int(first[0])], n=1)] == [first[0]]
    assert {(m.cluster, m.size) for m in db.clusters(sim="50%")} == {(p[0], 2) for p in want}


def test_reports_are_those_of_brute_force() -> None:
    docs = texts(300) + texts(3)
    sets = [shingles(t) for t in docs]
    counts = {(i, j): (len(sets[i] & sets[j]), len(sets[i] | sets[j])) for j in range(len(docs)) for i in range(j)}
    similar = {places: (a / b, a, b) for places, (a, b) in counts.items() if a / b >= 0.5}
    found = simdb.pairs(docs, sim=0.5)
    assert {(p["a"], p["b"]): (p["sim"], p["shared"], p["union"]) for p in found} == similar and len(similar) >= 100
    assert found == sorted(found, key=lambda p: -p["sim"])
    kept, report = simdb.dedupe(docs, sim=0.5, report=True)
    gone = {r["row"]: r["keeper"] for r in report}
    stay = [n for n in range(len(docs)) if n not in gone]
    assert kept == [docs[n] for n in stay] and list(gone) == sorted(gone) and not set(gone) & set(gone.values())
    assert not any(places in similar for places in combinations(stay, 2))
    for r in report:
        assert (r["sim"], r["shared"], r["union"]) == similar[r["keeper"], r["row"]]
    first = list(range(len(docs)))
    while any(first[i] != first[j] for i, j in similar):
        for i, j in similar:
            first[i] = first[j] = min(first[i], first[j])
    order = list(dict.fromkeys(first))
    assert simdb.groups(docs, sim=0.5) == [order.index(f) for f in first] and len(order) < len(docs)


def test_metadata_and_names_come_back(db: simdb.DB) -> None:
    meta = {"id": 1, "text": ["x"], "collection": None, "meta.id": 2.5, "año": {"b": True}, "": "empty", "meta.x": 3}
    db.put_many([simdb.Document('odd "id"\n', "a text\u2028 \U0001f600", meta, 'of "them"')])
    got = db.get('odd "id"\n', collection='of "them"')
    assert got.text == "a text\u2028 \U0001f600"
    assert got.metadata == {k: v for k, v in meta.items() if v is not None}
    assert [m.id for m in db.similar(text="a text \U0001f600", sim=0.1, collection=['of "them"'])] == ['odd "id"\n']


def test_where_takes_parameters(db: simdb.DB) -> None:
    db.put_many({"id": f"d{y}", "text": "one two three four", "year": y} for y in range(2020, 2026))
    by_place = db.similar("d2020", where="year > ? AND year < ?", params=[2021, 2024])
    by_name = db.similar("d2020", where="year > :a AND year < :b", params={"a": 2021, "b": 2024}, limit=1)
    assert [m.id for m in by_place] == ["d2022", "d2023"] and [m.id for m in by_name] == ["d2022"]


def test_put_many_says_what_it_did(db: simdb.DB, tmp_path: Path) -> None:
    same = [("a", "one two three four five"), ("b", "One two three four five!"), ("a", "one two three four five six")]
    assert db.put_many(same[:2], unless_similar=0.9).similar == 1
    assert db.put_many([same[2]]).replaced == 1
    assert db.put_many([same[0]], if_exists="skip").skipped == 1
    with pytest.raises(simdb.Exists):
        db.put_many([same[0]], if_exists="error")
    with pytest.raises(simdb.RecordsRejected, match="line 2, id 'y': field \"text\" is a number") as e:
        db.put_many([("x", "good"), {"id": "y", "text": 5}])
    assert e.value.result.imported == 1 and db.get("x").text == "good"
    with pytest.raises(simdb.Invalid, match="record 0 has no field 'id'; pass id="):
        db.put_many([{"url": "x", "text": "y"}], id="id")
    with pytest.raises(simdb.Invalid, match="record 0 is int"):
        db.put_many([5])
    file = tmp_path / "docs.jsonl.gz"
    file.write_bytes(gzip.compress(b"\n".join(json.dumps({"url": i, "body": f"text {i}"}).encode() for i in range(2000))))
    assert db.import_file(file, collection="files", id="url", text="body").imported == 2000


def test_a_record_without_an_id_is_rejected(db: simdb.DB) -> None:
    docs = [(1, "one"), (2.0, "two"), (None, "three"), (float("nan"), "four"), (1.5, "five"), ("3.0", "six"), (0, "seven")]
    with pytest.raises(simdb.RecordsRejected, match='2 rejected, the others are stored; the first is line 3: field "id" is null') as e:
        db.put_many(docs)
    assert e.value.result == simdb.Imported(5, 0, 0, 0, 2)
    assert {row["id"] for row in db.query("SELECT id FROM docs")} == {"1", "2", "1.5", "3.0", "0"}


def test_dedupe_refuses_what_can_be_read_once() -> None:
    rows = [{"text": "one two three"}, {"text": "One two three!"}]
    with pytest.raises(simdb.Invalid, match="this generator can be read once; give a list, a frame or a dataset"):
        simdb.dedupe(row for row in rows)
    assert simdb.dedupe(rows) == rows[:1]
    assert simdb.groups(row for row in rows) == [0, 0]
    assert simdb.pairs(row for row in rows) == [{"a": 0, "b": 1, "sim": 1.0, "shared": 1, "union": 1}]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda rows: simdb.dedupe(rows, text="body"), "row 0 has no field 'body'; pass text= with the name of one of its fields: text, n"),
        (lambda rows: simdb.pairs(rows, text="n"), "row 0 has a value of type int where a text belongs"),
        (lambda rows: simdb.groups([None]), "row 0 has no text; leave such rows out"),
        (lambda rows: simdb.dedupe(rows, keep="newest"), "keep is 'first', 'last' or 'longest', not 'newest'"),
        (lambda rows: simdb.dedupe(rows, keep=cast(Any, False)), "keep is 'first', 'last' or 'longest', not False"),
        (lambda rows: simdb.dedupe(rows, report=cast(Any, False), passages=True), "give report=True too"),
        (lambda rows: simdb.dedupe(rows, sim=80), "did you mean 80%"),
        (lambda rows: simdb.groups(rows, settings={"k": 0}), "want a whole number from 1 to 100"),
        (lambda rows: simdb.pairs(rows, using="nosuch"), "nosuch"),
    ],
)
def test_errors_of_datasets_say_what_to_do(call: Any, message: str) -> None:
    with pytest.raises(simdb.Invalid, match=message):
        call([{"text": "one two three", "n": 1}])


def test_passages_of_a_report() -> None:
    rows = ["Put a kettle on the stove. The trick is to look at many small pieces.", "no", "The trick is to look at many small pieces! Put a kettle on the stove."]
    want = ["The trick is to look at many small pieces", "Put a kettle on the stove"]
    (pair,) = simdb.pairs(rows, sim=0.1, passages=True)
    assert [p.strip(" .!") for p in pair["passages"]] == want
    _, report = simdb.dedupe(rows, sim=0.1, report=True, passages=True)
    assert [p.strip(" .!") for p in report[0]["passages"]] == want and (report[0]["row"], report[0]["keeper"]) == (2, 0)
    assert simdb.pairs(["one two", "One two!"], settings={"k": 1}, sim=1, passages=True)[0]["passages"] == []


def test_a_source_that_fails_is_its_own_error(db: simdb.DB) -> None:
    def source() -> Iterator[tuple[str, str]]:
        yield from ((str(i), "a text that is long enough " * 40) for i in range(1000))
        raise FileNotFoundError("of the source")

    with pytest.raises(FileNotFoundError, match="of the source"):
        db.put_many(source())
    db.put("after", "it is still open")
    assert db.get("after").size == 16


def test_a_source_may_ask_the_database(db: simdb.DB) -> None:
    db.put("a", "one two three")
    db.put_many((f"b{i}", db.get("a").text) for i in range(5))
    assert len(db) == 6


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (simdb.NotFound, lambda db: db.get("nosuch")),
        (simdb.NotFound, lambda db: db.similar("nosuch")),
        (simdb.NotFound, lambda db: db.similar("a", collection="nosuch")),
        (simdb.NotFound, lambda db: db.groups("nosuch")),
        (simdb.StatementError, lambda db: db.query("SIMILAR TO")),
        (simdb.StatementError, lambda db: db.similar("a", where="yaer > 3")),
        (simdb.Invalid, lambda db: db.similar("a", sim="high")),
        (simdb.Invalid, lambda db: db.similar("a", sim=float("nan"))),
        (simdb.Invalid, lambda db: db.similar("a", text="b")),
        (simdb.Invalid, lambda db: db.similar()),
        (simdb.Invalid, lambda db: db.put_unless_similar("x", "y", measure="nosuch")),
        (simdb.TooLarge, lambda db: db.put("big", "x" * (17 << 20))),
        (simdb.Invalid, lambda db: db.put("none", None)),
        (simdb.Invalid, lambda db: db.put("nan", float("nan"))),
        (simdb.Invalid, lambda db: db.put(float("nan"), "text")),
        (simdb.Invalid, lambda db: db.put_many({"a": "text"})),
        (simdb.Invalid, lambda db: db.put_many("text")),
        (TypeError, lambda db: db.similar("a", smi=0.5)),
        (TypeError, lambda db: db.put_many([], keeep="first")),
    ],
)
def test_errors_have_kinds(db: simdb.DB, kind: type[Exception], call: Any) -> None:
    db.put("a", "one two three")
    with pytest.raises(kind):
        call(db)
    assert db.get("a").text == "one two three"  # whatever was refused, it goes on


def test_a_statement_error_has_its_place(db: simdb.DB) -> None:
    with pytest.raises(simdb.StatementError, match="did you mean 80%") as e:
        db.query("SIMILAR TO 'a' WHERE sim >= 80")
    assert (e.value.line, e.value.column) == (1, 29)


def test_answers_may_be_read_side_by_side(db: simdb.DB) -> None:
    db.put_many(enumerate(texts(300)))
    rows = db.query("SELECT id FROM docs")
    for row in rows:
        assert db.get(row["id"]).id == row["id"]
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(len(list(db.pairs(sim=0.5))))) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(found) == 6 and len(set(found)) == 1


def test_rows_that_are_left_end_their_work(db: simdb.DB) -> None:
    db.put_many(enumerate(texts(2000)))
    for _ in range(20):  # more than the requests that the server works on at a time
        with db.query("SELECT id, text FROM docs") as rows:
            next(rows)
    assert len(db.query("SELECT id FROM docs").to_dicts()) == 2000


def full(db: simdb.DB) -> list[simdb.Rows[Any]]:
    """Answers that are begun and not read on, as many as the server works on at a time."""
    db.put_many(enumerate("text " * 5000 for _ in range(1000)))
    return [db.query("SELECT id, text FROM docs") for _ in range(8)]


def test_a_busy_server_is_asked_again(db: simdb.DB) -> None:
    begun = full(db)
    sent: list[int] = []
    calls: list[Any] = [
        lambda: db.put("x", "one two"),
        lambda: db.query("SELECT id FROM docs LIMIT 1").to_dicts(),
        lambda: db.put_many((str(i), "many") for i in range(3) if sent.append(i) is None),  # type: ignore[func-returns-value]
    ]
    with ThreadPoolExecutor() as threads:
        answers = [threads.submit(call) for call in calls]
        time.sleep(1.5)  # so long that the server refuses all three once
        assert not sent and not any(a.done() for a in answers)
        for rows in begun:
            rows.close()
        assert answers[0].result() is False and len(answers[1].result()) == 1
        assert answers[2].result().replaced == 3 and sent == [0, 1, 2]


def test_a_server_that_stays_busy_is_unavailable(db: simdb.DB, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("simdb._server._BUSY_SECONDS", 0)
    begun = full(db)
    with pytest.raises(simdb.Unavailable, match="8 requests are being answered already"):
        db.get("1")
    with pytest.raises(simdb.Unavailable, match="8 requests are being answered already"):
        db.put_many((str(i), "never taken") for i in range(10**9))
    begun[0].close()
    assert db.get("1").id == "1"


def test_conditional_puts(db: simdb.DB) -> None:
    assert db.put_unless_similar("a", "one two three four") is None
    assert db.put_unless_similar("b", "one two three four five", sim="1/2") == simdb.Like("a", 2 / 3, 2, 3)
    like = db.put_unless_similar("b", "one two three", sim=1, measure="containment", collection="docs")
    assert like is not None and like.id == "a"


def test_compare_marks_what_is_shared(db: simdb.DB) -> None:
    db.put("a", "Ünïcode first: the trick is to look at many small pieces, <b>bold</b>.")
    c = db.compare("a", simdb.Text("He says that the trick is to look at many small pieces & more"))
    assert [c.a.text[p.a[0] : p.a[1]] for p in c.passages] == [c.b.text[p.b[0] : p.b[1]] for p in c.passages]
    html = c._repr_html_()
    assert ">the trick is to look at many small pieces</mark>" in html.replace("> the", ">the") and "&lt;b&gt;" in html and "<b>" not in html


def test_tables_in_notebooks_leave_the_rows(db: simdb.DB) -> None:
    db.put_many(enumerate(texts(90)))
    rows = db.pairs(sim=0.5)
    html = rows._repr_html_()
    assert html.count("<tr>") == 21 and "the first 20 rows" in html
    assert len(list(rows)) == 30

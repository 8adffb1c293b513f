"""The documents show what works: the docstrings, and the ```pycon blocks of the guide's pages."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

import simdb

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
MODULES = [simdb, simdb._db, simdb._frames]
DOCSTRINGS = [t for m in MODULES for t in doctest.DocTestFinder().find(m) if t.examples]


def run(test: doctest.DocTest, names: dict[str, object]) -> None:
    test.globs = names
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    assert doctest.DocTestRunner(optionflags=flags).run(test).failed == 0


@pytest.mark.parametrize("test", DOCSTRINGS, ids=lambda t: t.name)
def test_docstring(test: doctest.DocTest, db: simdb.DB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if not test.name.endswith("DB.put"):
        db.put("lecture", "Shingles overlap like those on a roof.", {"year": 2026})
    run(test, {"simdb": simdb, "db": db})


def test_all_methods_have_docstrings() -> None:
    for name in simdb.__all__:
        assert getattr(simdb, name).__doc__, name
    for name, method in vars(simdb.DB).items():
        assert name.startswith("_") or method.__doc__, name


@pytest.mark.parametrize("page", ["python.md"])
def test_page(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of a page are one session, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```pycon\n(.*?)^```$", (GUIDE / page).read_text(), re.M | re.S)
    assert len(blocks) > 3
    run(doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, page, 0), {})

"""Doctests have a database of their own, and run in an empty folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import simdb


@pytest.fixture
def db(tmp_path: Path) -> Iterator[simdb.DB]:
    with simdb.open(tmp_path / "x.simdb") as opened:
        yield opened


@pytest.fixture(autouse=True)
def _doctests(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if not isinstance(request.node, pytest.DoctestItem):
        yield
        return
    monkeypatch.chdir(tmp_path)
    with simdb.open("of-doctests.simdb") as opened:
        opened.put("lecture", "Shingles overlap like those on a roof.", {"year": 2026})
        names: dict[str, Any] = request.getfixturevalue("doctest_namespace")
        names.update(simdb=simdb, db=opened)
        if request.node.name.endswith("DB.put"):
            opened.delete("lecture")
        yield
        names.clear()

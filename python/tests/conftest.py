from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import simdb


@pytest.fixture
def db(tmp_path: Path) -> Iterator[simdb.DB]:
    with simdb.open(tmp_path / "x.simdb") as opened:
        yield opened

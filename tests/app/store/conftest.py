"""What the tests of the store share."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

_MEMORY = Path("/dev/shm")


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder in memory where there is one: a disk makes each of hundreds of commits wait; tests.kill uses it."""
    with tempfile.TemporaryDirectory(prefix="voxcpm-", dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
        yield Path(folder)

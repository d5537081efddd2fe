"""Sounds that were worked out once and are needed again, on the disk: those of a long dub need not fit into memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from app.core.store import errors


class Shelf:
    """Keeps float32 [n] by name in one file at ``path``, which goes with the folder that it lies in."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._places: dict[str, tuple[int, int]] = {}
        self._length = 0

    def put(self, name: str, samples: np.ndarray) -> None:
        """Keep a sound under a name that is new. Raises the StoreErrors of a disk that does not take it."""
        with errors.files(self._path), self._path.open("ab") as file:
            file.write(np.ascontiguousarray(samples, np.float32).tobytes())
        self._places[name] = (self._length, len(samples))
        self._length += 4 * len(samples)

    def get(self, name: str) -> np.ndarray:
        """Return the sound that was kept under a name. Raises the StoreErrors of a disk that does not give it."""
        offset, count = self._places[name]
        with errors.files(self._path):
            return np.fromfile(self._path, np.float32, count, offset=offset)

"""An array that grows at its end without copying itself every time."""

from __future__ import annotations

import numpy as np

_FIRST_ROWS = 1024


class GrowingArray:
    """Rows of float32 appended one block after another: [n] with ``width`` None, else [n, width]."""

    def __init__(self, width: int | None = None) -> None:
        self._width = width
        self._length = 0
        self._data = np.zeros(self._shape(_FIRST_ROWS), np.float32)

    def __len__(self) -> int:
        return self._length

    def append(self, block: np.ndarray) -> None:
        """Add ``block`` at the end. Raises ValueError when its width differs."""
        if block.shape[1:] != self._data.shape[1:]:
            raise ValueError(f"a block of shape {block.shape} does not fit rows of shape {self._data.shape[1:]}")
        needed = self._length + len(block)
        if needed > len(self._data):
            larger = np.zeros(self._shape(max(needed, 2 * len(self._data))), np.float32)
            larger[: self._length] = self._data[: self._length]
            self._data = larger
        self._data[self._length : needed] = block
        self._length = needed

    def view(self) -> np.ndarray:
        """Return what is there so far; later appends do not change it."""
        seen = self._data[: self._length]
        seen.flags.writeable = False
        return seen

    def _shape(self, rows: int) -> tuple[int, ...]:
        return (rows,) if self._width is None else (rows, self._width)

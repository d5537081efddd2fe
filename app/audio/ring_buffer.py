"""A ring of mono samples with one writer and one reader, without a lock."""

from __future__ import annotations

import numpy as np


class RingBuffer:
    """Float32 mono samples between one writing thread and one reading callback.

    Only the reader moves ``_read``, only the writer moves ``_written``; each is a single assignment of an int, which
    the other thread sees either before or after. ``keep`` samples that were read stay readable, see ``rewind``.
    """

    def __init__(self, capacity: int, keep: int = 0) -> None:
        self._data = np.zeros(capacity + keep, np.float32)
        self._keep = keep
        self._written = 0
        self._read = 0

    @property
    def filled(self) -> int:
        """Samples that wait to be read."""
        return self._written - self._read

    @property
    def free(self) -> int:
        """Samples that can be written now."""
        return max(0, len(self._data) - self._keep - self.filled)

    @property
    def taken(self) -> int:
        """Samples read since the ring was made."""
        return self._read

    @property
    def written(self) -> int:
        """Samples written since the ring was made."""
        return self._written

    def write(self, samples: np.ndarray) -> int:
        """Append as many of ``samples`` [n] as fit; returns how many did."""
        count = min(len(samples), self.free)
        start = self._written % len(self._data)
        first = min(count, len(self._data) - start)
        self._data[start : start + first] = samples[:first]
        self._data[: count - first] = samples[first:count]
        self._written += count
        return count

    def read_into(self, out: np.ndarray) -> int:
        """Fill the beginning of ``out`` [n] with what is there; returns how many samples that were."""
        read = self._read
        count = min(len(out), self._written - read)
        start = read % len(self._data)
        first = min(count, len(self._data) - start)
        out[:first] = self._data[start : start + first]
        out[first:count] = self._data[: count - first]
        self._read = read + count
        return count

    def skip(self, count: int) -> int:
        """Read and forget up to ``count`` samples; returns how many."""
        count = min(count, self.filled)
        self._read += count
        return count

    def rewind(self, count: int) -> int:
        """Un-read up to ``count`` samples, at most ``keep``; called by the reader. Returns how many."""
        count = min(count, self._keep, self._read)
        self._read -= count
        return count

"""What the player can play."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from app.core.takes import Take


class SoundSource(Protocol):
    """Mono sound that can be read from any place and may still grow."""

    @property
    def sample_rate(self) -> int:
        """Hz."""
        ...

    @property
    def length(self) -> int:
        """Samples there are by now."""
        ...

    @property
    def is_growing(self) -> bool:
        """Whether more may come."""
        ...

    def read(self, start: int, count: int) -> np.ndarray:
        """Return up to ``count`` samples from ``start``, float32."""
        ...


class ArraySource:
    """A whole sound: ``samples`` float32 [n] at ``sample_rate`` Hz."""

    is_growing = False

    def __init__(self, samples: np.ndarray, sample_rate: int) -> None:
        self._samples = samples
        self.sample_rate = sample_rate

    @property
    def length(self) -> int:
        """All samples."""
        return len(self._samples)

    def read(self, start: int, count: int) -> np.ndarray:
        """Return a stretch of it."""
        return self._samples[start : start + count]


class TakeSource:
    """A take as a sound to play, at the take's own rate."""

    def __init__(self, take: Take) -> None:
        self.take = take

    @property
    def sample_rate(self) -> int:
        """The take's rate in Hz."""
        return self.take.sample_rate

    @property
    def length(self) -> int:
        """Samples made so far."""
        return len(self.take.samples)

    @property
    def is_growing(self) -> bool:
        """Whether the take is still being made."""
        return self.take.is_growing

    def read(self, start: int, count: int) -> np.ndarray:
        """Return a stretch of the take."""
        return self.take.samples[start : start + count]

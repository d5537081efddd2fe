"""Faster or slower with the pitch kept, block by block, so that a sound that still grows can be played so too."""

from __future__ import annotations

import numpy as np

_BLOCK_SECONDS = 0.5
_CONTEXT_SECONDS = 0.12  # read on either side of a block: what the stretcher makes at its very ends is not used
_OVERLAP_SECONDS = 0.02  # after stretching
_SEARCH_SECONDS = 0.008  # how far a block may be moved so that its wave fits the one before

SLOWEST, FASTEST = 0.5, 2.0


class BlockStretcher:
    """Stretches blocks with Signalsmith Stretch (python-stretch) and joins them where their waves fit.

    The stretcher takes whole sounds. Each block is stretched with some of what lies around it; at a join the new
    block is moved by up to 8 ms to where it is most alike, and both are crossed over (synchronous overlap and add:
    Roucos and Wilgus, "High quality time-scale modification for speech", ICASSP 1985). The places of blocks come from
    the source, so the moves do not add up.
    """

    def __init__(self, sample_rate: int, speed: float) -> None:
        """``speed`` 0.5..2, 2 = twice as fast; ``sample_rate`` in Hz."""
        if not SLOWEST <= speed <= FASTEST:
            raise ValueError(f"a speed of {speed:g} is not between {SLOWEST:g} and {FASTEST:g}")
        self._rate = sample_rate
        self._speed = speed
        self._overlap = round(_OVERLAP_SECONDS * sample_rate)
        self._search = round(_SEARCH_SECONDS * sample_rate)
        self._tail: np.ndarray | None = None  # what is to be crossed over with the next block
        self.block = round(_BLOCK_SECONDS * sample_rate)
        self.least = self.block // 2  # shorter ones sound rough
        self.context = round(_CONTEXT_SECONDS * sample_rate)

    def stretch(self, samples: np.ndarray, before: int, count: int, *, last: bool) -> np.ndarray:
        """Return the sound of ``count`` of ``samples`` [n] float32, of which ``before`` are context to the left.

        Without ``last`` at least ``context`` samples have to follow; with it, all that is left is returned.
        """
        import python_stretch

        stretcher = python_stretch.Signalsmith.Stretch()
        stretcher.preset(1, self._rate)
        stretcher.timeFactor = self._speed
        made = np.asarray(stretcher.process(np.ascontiguousarray(samples)[None]), np.float32)[0]
        start = round(before / self._speed)
        end = len(made) if last else round((before + count) / self._speed)
        if self._tail is not None:
            start += self._best_shift(made, start)
            fresh = made[start : start + len(self._tail)]
            ramp = np.linspace(0.0, 1.0, len(fresh), dtype=np.float32)
            made = made.copy()
            made[start : start + len(fresh)] = self._tail[: len(fresh)] * (1 - ramp) + fresh * ramp
        self._tail = None if last else made[end : end + self._overlap].copy()
        return made[start:end]

    def _best_shift(self, made: np.ndarray, start: int) -> int:
        """Where, within the search range around ``start``, ``made`` is most like the tail."""
        assert self._tail is not None
        low = max(0, start - self._search)
        window = made[low : start + self._search + len(self._tail)].astype(np.float64)
        if len(window) <= len(self._tail):
            return 0
        tail = self._tail.astype(np.float64)
        alike = np.correlate(window, tail, "valid")
        energy = np.convolve(window**2, np.ones(len(tail)), "valid")
        return int(np.argmax(alike / np.sqrt(energy + 1e-9))) + low - start

"""The lowest and highest sample of every stretch of a sound, fast enough to draw hours of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.core.growing import GrowingArray

BLOCK = 128  # samples under one entry of the lowest level
_FACTOR = 4  # entries of one level under one of the next
_PIECE = BLOCK * 8192  # samples looked at in one go, so that other threads have their turn


@dataclass(frozen=True)
class Columns:
    """Lows and highs [n] of the stretches between neighbours of ``borders`` [n + 1] (samples)."""

    borders: np.ndarray
    lows: np.ndarray
    highs: np.ndarray


class PeakPyramid:
    """Minima and maxima of blocks of 128 samples, of 4 such blocks, of 16, and so on. It grows with its sound.

    It takes 2 % of the memory of the sound. Values that are no numbers are left out.
    """

    def __init__(self) -> None:
        self._levels = [(GrowingArray(), GrowingArray())]

    @property
    def covered(self) -> int:
        """Samples that lie under whole blocks of the lowest level."""
        return len(self._levels[0][0]) * BLOCK

    def extend(self, samples: np.ndarray) -> None:
        """Take in what ``samples`` float32 [n], the whole sound so far, has more than the last time."""
        end = len(samples) // BLOCK * BLOCK
        for start in range(self.covered, end, _PIECE):
            blocks = samples[start : min(end, start + _PIECE)].reshape(-1, BLOCK)
            self._append(0, np.fmin.reduce(blocks, axis=1), np.fmax.reduce(blocks, axis=1))

    def columns(self, samples: np.ndarray, start: int, stop: int, count: int) -> Columns:
        """Return the peaks of ``samples`` [start, stop) in about ``count`` columns.

        The borders of columns are moved to those of blocks, by at most half a column: so every sample lies under
        exactly one column and each low and high is exact. Fewer than ``count`` samples make one column each.
        """
        start, stop = max(0, start), min(stop, len(samples))
        count = max(1, min(count, stop - start))
        if stop <= start:
            empty = np.zeros(0, np.float32)
            return Columns(np.zeros(1, np.int64), empty, empty)
        level, block = self._level_for((stop - start) / count)
        borders = np.round(np.linspace(start, stop, count + 1) / block).astype(np.int64)
        borders = np.unique(borders)
        if len(borders) < 2:
            borders = np.array([borders[0], borders[0] + 1])
        if level < 0:
            part = samples[borders[0] : borders[-1]]
            lows, highs = part, part
        else:
            lows, highs = self._part(level, block, samples, borders[0], borders[-1])
        at = borders[:-1] - borders[0]
        low = np.fmin.reduceat(lows, at)
        high = np.fmax.reduceat(highs, at)
        return Columns(np.minimum(borders * block, len(samples)), np.nan_to_num(low), np.nan_to_num(high))

    def _level_for(self, width: float) -> tuple[int, int]:
        """The highest level with at least two entries under a column, and the samples under one; -1: samples."""
        level, block = -1, 1
        for candidate in range(len(self._levels)):
            size = BLOCK * _FACTOR**candidate
            if size * 2 > width:
                break
            level, block = candidate, size
        return level, block

    def _part(
        self, level: int, block: int, samples: np.ndarray, first: int, last: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The entries [first, last) of a level; those that are not made yet are made of the samples."""
        lows, highs = (array.view()[first:last] for array in self._levels[level])
        missing = last - first - len(lows)
        if missing <= 0:
            return lows, highs
        tail = samples[(first + len(lows)) * block : last * block]
        at = np.arange(0, len(tail), block)
        if not len(at):
            at, tail = np.zeros(1, np.int64), np.zeros(1, np.float32)
        return (
            np.concatenate([lows, np.fmin.reduceat(tail, at)]),
            np.concatenate([highs, np.fmax.reduceat(tail, at)]),
        )

    def _append(self, level: int, lows: np.ndarray, highs: np.ndarray) -> None:
        for array, values in zip(self._levels[level], (lows, highs), strict=True):
            array.append(values)
        if level + 1 == len(self._levels):
            if len(self._levels[level][0]) < _FACTOR:
                return
            self._levels.append((GrowingArray(), GrowingArray()))
        above = self._levels[level + 1]
        done, end = len(above[0]) * _FACTOR, len(self._levels[level][0]) // _FACTOR * _FACTOR
        if end > done:
            below = [array.view()[done:end].reshape(-1, _FACTOR) for array in self._levels[level]]
            self._append(level + 1, np.fmin.reduce(below[0], axis=1), np.fmax.reduce(below[1], axis=1))

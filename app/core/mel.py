"""The mel spectrogram of a take, in tiles: only those that are looked at are ever computed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

BANDS = 80
FLOOR_DB = -100.0
TILE = 128  # columns
_WINDOW_SECONDS = 0.04
_HOP_SECONDS = 0.005  # of the finest level
_LOOKS = 4  # windows that a column of a coarser level is the mean of
LEVELS = 16


@dataclass(frozen=True)
class TileKey:
    """A tile: ``level`` 0 is the finest, each next one has columns twice as long; ``index`` counts from the start."""

    level: int
    index: int


def hop_seconds(level: int) -> float:
    """The time between two columns of a level."""
    return _HOP_SECONDS * 2**level


def level_for(seconds_per_pixel: float) -> int:
    """The coarsest level that still has a column per pixel."""
    level = int(np.floor(np.log2(max(seconds_per_pixel, _HOP_SECONDS) / _HOP_SECONDS)))
    return min(max(0, level), LEVELS - 1)


def tiles_between(start: float, stop: float, level: int) -> list[TileKey]:
    """The tiles of a level that cover the seconds from ``start`` to ``stop``."""
    span = TILE * hop_seconds(level)
    return [TileKey(level, index) for index in range(int(max(0.0, start) // span), int(max(0.0, stop) // span) + 1)]


def columns_ready(key: TileKey, length: int, sample_rate: int, *, growing: bool) -> int:
    """How many columns of a tile can be computed from ``length`` samples."""
    hop = hop_seconds(key.level) * sample_rate
    # The last window of a column has to be whole while more may come.
    reach = hop / 2 + (_WINDOW_SECONDS * sample_rate / 2 if growing else 0)
    first = key.index * TILE
    usable = int((length - reach) // hop) + 1 if growing else int(np.ceil(length / hop))
    return min(max(0, usable - first), TILE)


def band_centres(sample_rate: int) -> np.ndarray:
    """The middle frequencies of the bands in Hz, [80]."""
    return _from_mel(np.linspace(0, _to_mel(sample_rate / 2), BANDS + 2))[1:-1]


def mel_tile(samples: np.ndarray, sample_rate: int, key: TileKey, columns: int) -> np.ndarray:
    """Return the level of each band in ``columns`` columns of a tile, float32 [80, columns] in dB, at least -100.

    0 dB is a sine of full scale. Windows are 40 ms (Hann). Columns of coarser levels are the mean power of four
    windows spread over them, so hours take no longer than minutes. Bands are triangles on the mel scale of
    O'Shaughnessy (1987), mel = 2595 log10(1 + f / 700).
    """
    size = round(_WINDOW_SECONDS * sample_rate)
    hop = hop_seconds(key.level) * sample_rate
    looks = 1 if key.level == 0 else min(_LOOKS, 2**key.level)
    middles = ((key.index * TILE + np.arange(columns))[:, None] + (np.arange(looks) + 0.5) / looks) * hop
    starts = np.round(middles.reshape(-1) - size / 2).astype(np.int64)
    window = np.hanning(size + 1)[:-1].astype(np.float32)
    frames = np.zeros((len(starts), size), np.float32)
    # Read window by window: at coarse levels what lies between them is never touched.
    for row, start in enumerate(starts):
        low, high = max(0, start), min(start + size, len(samples))
        if high > low:
            frames[row, low - start : high - start] = samples[low:high]
    np.nan_to_num(frames, copy=False)
    spectra = np.abs(np.fft.rfft(frames * window, axis=1)) / (window.sum() / 2)
    power = (spectra**2) @ _filters(sample_rate, size)
    power = power.reshape(columns, looks, BANDS).mean(axis=1)
    return np.maximum(10 * np.log10(power.T + 1e-12), FLOOR_DB).astype(np.float32)


@lru_cache(maxsize=8)
def _filters(sample_rate: int, size: int) -> np.ndarray:
    """Triangles [size // 2 + 1, 80] whose peak is 1; a band narrower than a bin takes its nearest bin."""
    edges = _from_mel(np.linspace(0, _to_mel(sample_rate / 2), BANDS + 2))
    bins = np.fft.rfftfreq(size, 1 / sample_rate)
    rising = (bins[:, None] - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - bins[:, None]) / (edges[2:] - edges[1:-1])
    filters = np.clip(np.minimum(rising, falling), 0, None)
    nearest = np.abs(bins[:, None] - edges[1:-1]).argmin(axis=0)
    empty = filters.max(axis=0) < 0.5
    filters[nearest[empty], np.flatnonzero(empty)] = 1.0
    filters.flags.writeable = False
    return filters


def _to_mel(hertz: float) -> float:
    return float(2595 * np.log10(1 + hertz / 700))


def _from_mel(mel: np.ndarray) -> np.ndarray:
    return 700 * (10 ** (mel / 2595) - 1)

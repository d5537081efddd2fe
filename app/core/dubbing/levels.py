"""Loudness and true peak of long sounds, piece by piece, so that an hour need not fit into memory.

Sound is an array of float32 [n, channels] that may lie on the disk (``numpy.memmap``).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

PIECE = 1 << 19  # samples that are looked at at once
TARGETS = (-16.0, -19.0, -23.0)
TRUE_PEAK_DB = -1.0
_OVERSAMPLING = 4
_CONTEXT = 4096  # samples on either side of a piece: more than the filters of soxr reach
_LOOK_SECONDS = 0.003
_BLOCK_SECONDS, _STEPS = 0.4, 4  # gating blocks of BS.1770: 400 ms, 75 % overlapped
_ABSOLUTE, _RELATIVE, _OFFSET = -70.0, -10.0, -0.691
SILENT = -70.0

Samples = np.ndarray


def integrated_loudness(samples: Samples, rate: int) -> float:
    """Return the integrated loudness of [n, channels] in LUFS (ITU-R BS.1770-4); -70 for silence.

    The filters are pyloudnorm's; blocks and gates are those of the standard, over pieces of bounded size.
    """
    powers = _block_powers(samples, rate)
    if not len(powers):
        return SILENT
    levels = _OFFSET + 10 * np.log10(np.maximum(powers, 1e-30))
    loud = powers[levels >= _ABSOLUTE]
    if not len(loud):
        return SILENT
    gate = _OFFSET + 10 * math.log10(float(loud.mean())) + _RELATIVE
    loud = powers[(levels >= _ABSOLUTE) & (levels > gate)]
    return _OFFSET + 10 * math.log10(float(loud.mean())) if len(loud) else SILENT


def _block_powers(samples: Samples, rate: int) -> np.ndarray:
    """Power of each gating block [blocks], summed over channels (left and right weigh 1)."""
    from pyloudnorm import Meter  # not needed to open the window
    from scipy.signal import lfilter

    step = round(_BLOCK_SECONDS * rate) // _STEPS
    count = len(samples) // step
    if count < _STEPS:
        return np.zeros(0)
    steps = np.zeros(count)
    for channel in range(samples.shape[1]):
        filters = [(one.b, one.a) for one in Meter(rate)._filters.values()]
        states = [np.zeros(max(len(a), len(b)) - 1) for b, a in filters]
        size = max(1, PIECE // step) * step
        for start in range(0, count * step, size):
            values = np.asarray(samples[start : min(start + size, count * step), channel], np.float64)
            for number, (b, a) in enumerate(filters):
                values, states[number] = lfilter(b, a, values, zi=states[number])
            squares = (values**2).reshape(-1, step).sum(axis=1)
            steps[start // step : start // step + len(squares)] += squares
    sums = np.convolve(steps, np.ones(_STEPS), "valid")
    return np.asarray(sums / (step * _STEPS))


def true_peak_db(samples: Samples) -> float:
    """Return the true peak of [n, channels] in dB of full scale: of the sound oversampled four times by soxr."""
    peak = 0.0
    for start, stop, values in _pieces(samples):
        peak = max(peak, float(_sample_peaks(values)[start:stop].max(initial=0.0)))
    return 20 * math.log10(peak) if peak > 0 else -math.inf


def limit(samples: Samples, rate: int, ceiling_db: float) -> None:
    """Bring the true peak of [n, channels] down to ``ceiling_db``, in place.

    The gain needed at each sample is held for 3 ms on either side and smoothed over the same time, so it is there
    before a peak comes and never above what the peak needs.
    """
    from scipy.ndimage import minimum_filter1d
    from scipy.signal import oaconvolve

    ceiling, look = 10 ** (ceiling_db / 20), max(1, round(_LOOK_SECONDS * rate))
    window = np.hanning(2 * look + 3)[1:-1]
    window /= window.sum()
    kept = np.zeros((0, samples.shape[1]), np.float32)  # as it was: the context of the next piece
    for start in range(0, len(samples), PIECE):
        stop = min(start + PIECE, len(samples))
        first = start - len(kept)
        values = np.concatenate([kept, np.asarray(samples[start : min(stop + _CONTEXT, len(samples))])])
        kept = values[max(0, stop - first - _CONTEXT) : stop - first].copy()
        peaks = _sample_peaks(values)
        if peaks.max(initial=0.0) <= ceiling:
            continue
        needed = np.minimum(1.0, ceiling / np.maximum(peaks, 1e-9))
        gain = oaconvolve(np.pad(minimum_filter1d(needed, 2 * look + 1), look, mode="edge"), window, "valid")
        inside = gain[start - first : stop - first]
        samples[start:stop] = values[start - first : stop - first] * inside[:, None].astype(np.float32)


def _pieces(samples: Samples) -> Iterator[tuple[int, int, Samples]]:
    """Pieces with what stands around them, and where in them they begin and end."""
    for start in range(0, len(samples), PIECE):
        stop = min(start + PIECE, len(samples))
        first, last = max(0, start - _CONTEXT), min(len(samples), stop + _CONTEXT)
        yield start - first, stop - first, np.asarray(samples[first:last], np.float32)


def _sample_peaks(values: Samples) -> np.ndarray:
    """For each sample the highest that the oversampled sound comes to around it, over all channels: float64 [n]."""
    import soxr

    highest = np.abs(values).max(axis=1).astype(np.float64)
    if highest.max(initial=0.0) < 0.05:  # far below any ceiling, whatever lies between the samples
        return highest
    fine = np.abs(np.asarray(soxr.resample(values, 1, _OVERSAMPLING))).max(axis=1)
    fine = np.pad(fine, (0, max(0, _OVERSAMPLING * len(values) - len(fine))))[: _OVERSAMPLING * len(values)]
    between = fine.reshape(-1, _OVERSAMPLING).max(axis=1)
    highest = np.maximum(highest, between)
    highest[1:] = np.maximum(highest[1:], between[:-1])
    return highest

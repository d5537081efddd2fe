"""How loud a take is, and what makes several equally loud."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np

_LEAST_SECONDS = 0.4  # one gating block of BS.1770; anything shorter has no loudness
_SILENT = -70.0  # the absolute gate of BS.1770, in LUFS


def loudness(samples: np.ndarray, sample_rate: int) -> float:
    """Return the integrated loudness of mono ``samples`` float32 [n] in LUFS (ITU-R BS.1770-4, by pyloudnorm).

    Under 0.4 s there is no such figure: then it is the level of the root mean square, moved by the -0.691 dB of the
    standard. -70 stands for silence and for nothing at all.
    """
    if len(samples) < _LEAST_SECONDS * sample_rate:
        power = float(np.mean(np.square(samples, dtype=np.float64))) if len(samples) else 0.0
        return max(_SILENT, 10 * math.log10(power) - 0.691) if power > 0 else _SILENT
    import pyloudnorm

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the logarithm of silence
        value = float(pyloudnorm.Meter(sample_rate).integrated_loudness(np.asarray(samples, np.float64)))
    return max(_SILENT, value) if math.isfinite(value) else _SILENT


def matching_gains(sounds: Sequence[tuple[np.ndarray, int]]) -> list[float]:
    """Return what to turn each of ``sounds`` (samples float32 [n], rate in Hz) up by, in LU, to make all equally loud.

    They go down to the loudness of the quietest: no gain is above 0, so nothing clips. Silence is left as it is.
    """
    measured = [loudness(samples, rate) for samples, rate in sounds]
    audible = [value for value in measured if value > _SILENT]
    if not audible:
        return [0.0] * len(measured)
    target = min(audible)
    return [target - value if value > _SILENT else 0.0 for value in measured]

"""Where in a sound somebody speaks, and where it is still: stretches between pauses, by the level of short frames."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

FRAME_SECONDS = 0.01
_BELOW_SPEECH_DB = 30.0  # what lies so far below the loud frames is a pause
_LEAST_DB = -60.0  # below full scale; nothing quieter is speech
_LEAST_SPEECH = 0.03  # shorter is a click
_LOUD = 95  # percentile of the frames that speech is measured by
LEAST_PAUSE = 0.15  # shorter is the closure of a consonant


@dataclass(frozen=True)
class Stretch:
    """From ``start`` to ``stop`` in seconds."""

    start: float
    stop: float

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.stop - self.start


def frame_levels(samples: np.ndarray, sample_rate: int) -> np.ndarray:
    """Return the root mean square of every 10 ms of ``samples`` float32 [n], in dB of full scale, float64 [frames]."""
    size = max(1, round(FRAME_SECONDS * sample_rate))
    count = len(samples) // size
    if count == 0:
        return np.full(0, -120.0)
    power = np.mean(np.square(samples[: count * size].reshape(count, size), dtype=np.float64), axis=1)
    return 10 * np.log10(np.maximum(power, 1e-12))


def speech(samples: np.ndarray, sample_rate: int, least_pause: float = LEAST_PAUSE) -> list[Stretch]:
    """Return the stretches of speech in mono ``samples`` float32 [n], in order; none in silence.

    Two are apart when at least ``least_pause`` seconds between them lie 30 dB below the loud frames.
    """
    levels = frame_levels(samples, sample_rate)
    if not len(levels):
        return []
    threshold = max(_LEAST_DB, float(np.percentile(levels, _LOUD)) - _BELOW_SPEECH_DB)
    active = np.concatenate([[False], levels > threshold, [False]])
    edges = np.flatnonzero(np.diff(active.astype(np.int8)))
    size = max(1, round(FRAME_SECONDS * sample_rate)) / sample_rate
    runs = [Stretch(start * size, stop * size) for start, stop in zip(edges[::2], edges[1::2], strict=True)]
    joined: list[Stretch] = []
    for run in runs:
        if joined and run.start - joined[-1].stop < least_pause:
            joined[-1] = Stretch(joined[-1].start, run.stop)
        else:
            joined.append(run)
    return [run for run in joined if run.seconds >= _LEAST_SPEECH]


def pauses(stretches: list[Stretch]) -> list[Stretch]:
    """Return what lies between stretches of speech."""
    return [Stretch(one.stop, other.start) for one, other in itertools.pairwise(stretches)]

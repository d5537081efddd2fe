"""The notice that can be heard: a short rhythm before or behind the sound that tells that a machine made it.

The rhythm is that of GB 45438-2025, "short long, short short" (AI in Morse code): it needs no language and no voice.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

import numpy as np

from app.marks import long
from app.marks.watermark import Samples

Audible = Literal["none", "start", "end", "both"]
PLACES: tuple[Audible, ...] = get_args(Audible)

_SHORT, _LONG, _BETWEEN, _LETTERS = 0.1, 0.3, 0.1, 0.3  # seconds
_AROUND = 0.5  # of silence between the notice and the sound
_RAMP = 0.008
_PITCH = 880.0  # Hz
_LEAST, _MOST = 0.02, 0.2  # root mean square
_LOUD = 0.25  # of the samples are taken for speech when the level is measured
_MEASURED = 1 << 22  # samples


def notice(rate: int, level: float) -> np.ndarray:
    """Return the rhythm, float32 [n] at ``rate`` Hz, as loud as speech of the root mean square ``level``."""
    amplitude = np.sqrt(2) * min(max(level, _LEAST), _MOST)
    parts = []
    for letter in ((_SHORT, _LONG), (_SHORT, _SHORT)):
        for seconds in letter:
            at = np.arange(round(seconds * rate)) / rate
            ramp = np.clip(np.minimum(at, seconds - at) / _RAMP, 0, 1)
            parts += [amplitude * ramp * np.sin(2 * np.pi * _PITCH * at), np.zeros(round(_BETWEEN * rate))]
        parts.append(np.zeros(round((_LETTERS - _BETWEEN) * rate)))
    return np.concatenate(parts[:-2]).astype(np.float32)


def with_notice(samples: Samples, rate: int, where: Audible, path: Path) -> Samples:
    """Return float32 [n] or [n, channels] with the notice at ``where``; long sound comes to lie at ``path``."""
    if where == "none":
        return samples
    beeps = notice(rate, _level(samples))
    still = np.zeros(round(_AROUND * rate), np.float32)
    before = np.concatenate([beeps, still]) if where in ("start", "both") else still[:0]
    behind = np.concatenate([still, beeps]) if where in ("end", "both") else still[:0]
    if samples.ndim == 2:
        before, behind = (np.repeat(part[:, None], samples.shape[1], axis=1) for part in (before, behind))
    if not long.is_long(len(samples), rate):
        return np.concatenate([before, np.asarray(samples, np.float32), behind])
    shape = (len(before) + len(samples) + len(behind), *samples.shape[1:])
    made = np.memmap(path, np.float32, "w+", shape=shape)
    made[: len(before)] = before
    for start in range(0, len(samples), _MEASURED):
        piece = samples[start : start + _MEASURED]
        made[len(before) + start : len(before) + start + len(piece)] = piece
    made[len(before) + len(samples) :] = behind
    return made


def _level(samples: Samples) -> float:
    """The root mean square of the louder part of the beginning, of all channels together."""
    values = np.sort(np.asarray(samples[:_MEASURED], np.float64).ravel() ** 2)
    louder = values[-max(1, round(_LOUD * len(values))) :]
    return float(np.sqrt(louder.mean()))

"""A stretch of a dub to listen to while it is being worked on: quick, without the care that a mix is made with."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from app.core.dubbing.bed import ducking
from app.core.dubbing.fit import Placed
from app.core.dubbing.mixing import SoundOf
from app.core.dubbing.speech import render

LEVEL = -19.0  # LUFS of each cue


def heard_cue(one: Placed, sound_of: SoundOf) -> tuple[np.ndarray, int]:
    """Return a cue as it will be heard, as fast and without the silence at its ends: float32 [n] and its rate (Hz)."""
    samples, rate = sound_of(one.take)
    sound = render(samples, rate, speed=one.speed, rate=rate, level=LEVEL)
    return np.clip(sound.samples, -1.0, 1.0).astype(np.float32), rate


def excerpt(
    placed: Sequence[Placed],
    sound_of: SoundOf,
    start_ms: int,
    length_ms: int,
    rate: int,
    bed: np.ndarray | None = None,
    duck_db: float = -15.0,
    tick: Callable[[], None] = lambda: None,
) -> np.ndarray:
    """Return what is heard from ``start_ms`` on, float32 [n] at ``rate`` Hz.

    ``bed``: the original sound float32 [n] at the same rate. ``tick`` is called for each cue; what it raises ends it.
    """
    first, length = start_ms * rate // 1000, length_ms * rate // 1000
    made = np.zeros(length, np.float32)
    spoken = []
    for one in placed:
        if not one.take or one.end < start_ms or one.start >= start_ms + length_ms:
            continue
        tick()
        samples, own_rate = sound_of(one.take)
        sound = render(samples, own_rate, speed=one.speed, rate=rate, level=LEVEL)
        at = round(one.start * rate / 1000) - sound.onset - first
        spoken.append((at + sound.onset, at + len(sound.samples)))
        part = sound.samples[max(0, -at) :][: max(0, length - max(0, at))]
        made[max(0, at) : max(0, at) + len(part)] += part
    if bed is not None and first < len(bed):
        part = np.asarray(bed[first : first + length], np.float32)
        places, gains = ducking(spoken, rate, duck_db)
        made[: len(part)] += part * np.interp(np.arange(len(part)), places, gains).astype(np.float32)
    return np.clip(made, -1.0, 1.0)

"""The sound of one cue: where its speech begins and ends, joined from parts, stretched, and brought to its level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.core.loudness import loudness

ONSET_DBFS = -40.0
ONSET = 10 ** (ONSET_DBFS / 20)
"""The first sample above this level is where speech begins."""
_QUIETEST = -70.0
_FLOOR_DB = 45.0  # below the loudest sample: softer than that is not speech
_BEFORE_MS, _AFTER_MS, _FADE_MS = 40, 90, 5
_MOST_GAIN_DB = 30.0

Samples = np.ndarray


@dataclass(frozen=True, eq=False)
class CueSound:
    """Float32 [n] at the rate of the mix; ``onset``: the sample that lies at the start of the cue.

    ``quiet``: no sample is above -40 dBFS, so the onset is only where the sound begins.
    """

    samples: Samples
    onset: int
    quiet: bool = False


def span(samples: Samples) -> tuple[int, int]:
    """Return the first and behind the last sample of float32 [n] that is not silence; 0, 0 where all is."""
    peak = float(np.abs(samples).max(initial=0.0))
    if peak <= 0.0:
        return 0, 0
    loud = np.flatnonzero(np.abs(samples) > peak * 10 ** (-_FLOOR_DB / 20))
    return int(loud[0]), int(loud[-1]) + 1


def trimmed(samples: Samples, sample_rate: int) -> Samples:
    """Return float32 [n] without the silence at both ends, but for what leads in and rings out, faded."""
    first, last = span(samples)
    if first == last:
        return samples[:0]
    start = max(0, first - _BEFORE_MS * sample_rate // 1000)
    stop = min(len(samples), last + _AFTER_MS * sample_rate // 1000)
    return faded(samples[start:stop], sample_rate)


def faded(samples: Samples, sample_rate: int) -> Samples:
    """Return a copy that begins and ends without a click."""
    made = np.array(samples, np.float32)
    count = min(len(made) // 2, _FADE_MS * sample_rate // 1000)
    if count:
        ramp = np.linspace(0.0, 1.0, count, endpoint=False, dtype=np.float32)
        made[:count] *= ramp
        made[-count:] *= ramp[::-1]
    return made


def joined(
    parts: Sequence[tuple[Samples, int]], lead_ms: int, sample_rate: int
) -> tuple[Samples, list[tuple[int, int]]]:
    """Join parts (float32 [n], silence behind it in ms) to one sound, with silence of ``lead_ms`` before.

    Each part loses its own silence at the joins, so that the pauses are as long as they say. Returns also from where to
    where each part speaks, in ms.
    """
    pieces, spans = [np.zeros(lead_ms * sample_rate // 1000, np.float32)], list[tuple[int, int]]()
    length = len(pieces[0])
    for samples, pause_ms in parts:
        part = trimmed(samples, sample_rate)
        first, last = span(part)
        spans.append((1000 * (length + first) // sample_rate, 1000 * (length + last) // sample_rate))
        pieces += [part, np.zeros(pause_ms * sample_rate // 1000, np.float32)]
        length += len(pieces[-2]) + len(pieces[-1])
    return np.concatenate(pieces), spans


def speech_ms(samples: Samples, sample_rate: int) -> int:
    """Return how long a sound is from the first to the last sample that is not silence, in ms; pauses count."""
    first, last = span(samples)
    return round(1000 * (last - first) / sample_rate)


def stretched(samples: Samples, sample_rate: int, speed: float) -> Samples:
    """Return float32 [n] faster (above 1) or slower with the pitch kept, by Signalsmith Stretch."""
    if speed == 1.0 or not len(samples):
        return samples
    import python_stretch  # not needed to open the window

    # The stretcher smears what stands at its very ends: silence there keeps the speech whole.
    pad = sample_rate // 5
    stretcher = python_stretch.Signalsmith.Stretch()
    stretcher.preset(1, sample_rate)
    stretcher.timeFactor = speed
    padded = np.pad(np.asarray(samples, np.float32), pad)
    made = np.asarray(stretcher.process(np.ascontiguousarray(padded)[None]), np.float32)[0]
    edge = max(0, round(pad / speed) - sample_rate // 50)
    return made[edge : len(made) - edge]


def render(samples: Samples, sample_rate: int, *, speed: float, rate: int, level: float) -> CueSound:
    """Make of a take (float32 [n]) the sound of a cue at ``rate`` Hz, at the loudness ``level`` in LUFS."""
    return levelled(*shaped(samples, sample_rate, speed=speed, rate=rate), level)


def shaped(samples: Samples, sample_rate: int, *, speed: float, rate: int) -> tuple[Samples, float]:
    """Make of a take (float32 [n]) the sound of a cue at ``rate`` Hz as loud as it is; returns its LUFS too."""
    sound = trimmed(samples, sample_rate)
    sound = trimmed(stretched(sound, sample_rate, speed), sample_rate) if speed != 1.0 else sound
    if rate != sample_rate and len(sound):
        import soxr  # not needed to open the window

        sound = np.asarray(soxr.resample(sound, sample_rate, rate), np.float32)
    return sound, loudness(sound, rate)


def levelled(sound: Samples, measured: float, level: float) -> CueSound:
    """Bring a shaped sound of ``measured`` LUFS to ``level``.

    One that is silent, or so short or soft that it would have to be raised by more than 30 dB, stays softer.
    """
    if measured > _QUIETEST:
        sound = sound * np.float32(10 ** (min(level - measured, _MOST_GAIN_DB) / 20))
    above = np.flatnonzero(np.abs(sound) > ONSET)
    return CueSound(sound, int(above[0]), False) if len(above) else CueSound(sound, 0, True)

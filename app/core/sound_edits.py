"""What a person changes in a recording before it is used: a cut and repairs. The recording itself is never touched."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from app.core.activity import FRAME_SECONDS, Stretch, frame_levels

EASE_SECONDS = 0.02  # over which a voice that breaks off fades out
_REST_SECONDS = 0.25  # of silence behind it
_CUT_FADE_SECONDS = 0.003  # at a cut in the middle of sound, so that it does not click
_SNAP_SECONDS = 0.25  # how far a cut is moved to reach a pause
_PAUSE_SECONDS = 0.05  # from the voice into the pause
_SPIKE_PEAK, _SPIKE_RATIO = 10.0, 1000.0  # far outside full scale and far above nearly all other samples


@dataclass(frozen=True, eq=False)
class RawSound:
    """A recording as it is in its file: float32 [n, channels] with one or two channels, at ``sample_rate`` Hz.

    Values may be no numbers. ``whole_seconds`` is the length of the file, of which this may be the beginning.
    """

    samples: np.ndarray
    sample_rate: int
    whole_seconds: float

    @property
    def seconds(self) -> float:
        """Its length."""
        return len(self.samples) / self.sample_rate


@dataclass(frozen=True)
class Edits:
    """A cut from ``start`` to ``end`` seconds (None: to the end) of a recording, and repairs of what lies between.

    ``mend``: broken samples are bridged. ``channel``: that one alone (0 or 1), not the mean. ``offset``: a constant
    offset is taken away. ``gain_db``: louder or quieter. ``ease_in``/``ease_out``: sound that breaks off fades, and
    silence follows it.
    """

    start: float = 0.0
    end: float | None = None
    mend: bool = False
    channel: int | None = None
    offset: bool = False
    gain_db: float = 0.0
    ease_in: bool = False
    ease_out: bool = False

    @property
    def is_none(self) -> bool:
        """Whether the recording is used as it is."""
        return self == Edits()

    @property
    def cuts(self) -> bool:
        """Whether something is left out, so that a transcript of the whole may not fit."""
        return self.start > 0 or self.end is not None

    def cut(self, start: float, end: float, seconds: float) -> Edits:
        """The same with another cut of a recording of so many ``seconds``; a cut to its very end has no end."""
        frame = FRAME_SECONDS / 2
        first = 0.0 if start <= frame else round(start, 4)
        return replace(self, start=first, end=None if end >= seconds - frame else round(end, 4))


def mono(sound: RawSound, channel: int | None) -> np.ndarray:
    """Return a channel, or the mean of all, float32 [n]."""
    return _mono(sound.samples, channel)


def within(sound: RawSound, edits: Edits) -> tuple[int, int]:
    """Return the first sample that is used and the one behind the last."""
    rate, length = sound.sample_rate, len(sound.samples)
    first = min(max(0, round(edits.start * rate)), length)
    return first, length if edits.end is None else min(max(first, round(edits.end * rate)), length)


def broken(samples: np.ndarray) -> np.ndarray:
    """Return where ``samples`` [n] are no numbers, or lone spikes far outside full scale, bool [n]."""
    found = ~np.isfinite(samples)
    size = np.abs(np.where(found, 0.0, samples))
    if size.max(initial=0.0) > _SPIKE_PEAK:
        found |= size > max(_SPIKE_PEAK, _SPIKE_RATIO * float(np.quantile(size, 0.999)))
    return found


def bridged(samples: np.ndarray, bad: np.ndarray) -> np.ndarray:
    """Return ``samples`` float32 [n] with those of ``bad`` on a straight line between their neighbours."""
    good = np.flatnonzero(~bad)
    if len(good) == len(samples):
        return samples
    if not len(good):
        return np.zeros_like(samples)
    mended = samples.copy()
    mended[bad] = np.interp(np.flatnonzero(bad), good, samples[good])
    return mended


def without_offset(samples: np.ndarray) -> np.ndarray:
    """Return finite ``samples`` float32 [n] without their mean."""
    if not len(samples):
        return samples
    return (samples - np.mean(samples, dtype=np.float64)).astype(np.float32)


def render(sound: RawSound, edits: Edits) -> np.ndarray:
    """Return what is used of ``sound``, mono float32 [n]; finite only where it was, or is mended."""
    if edits.is_none:
        return mono(sound, None)
    rate, length = sound.sample_rate, len(sound.samples)
    first, last = within(sound, edits)
    used = _mono(sound.samples[first:last], edits.channel)
    if edits.mend:
        used = bridged(used, broken(used))
    if edits.offset and np.isfinite(used).all():
        used = without_offset(used)
    used = used.copy()
    used *= np.float32(10 ** (edits.gain_db / 20))
    _fade(used, EASE_SECONDS if edits.ease_in else _CUT_FADE_SECONDS if first else 0.0, rate, at_end=False)
    cut_end = _CUT_FADE_SECONDS if last < length else 0.0
    _fade(used, EASE_SECONDS if edits.ease_out else cut_end, rate, at_end=True)
    if edits.ease_out:
        used = np.concatenate([used, np.zeros(round(_REST_SECONDS * rate), np.float32)])
    return used


def snapped(seconds: float, samples: np.ndarray, sample_rate: int, stretches: list[Stretch]) -> float:
    """Return the place nearest to ``seconds`` that lies in a pause, or the stillest one near; at most 0.25 s away.

    ``samples`` float32 [n] are the whole recording, ``stretches`` its speech in seconds.
    """
    total = len(samples) / sample_rate
    seconds = min(max(0.0, seconds), total)
    at = next((number for number, one in enumerate(stretches) if one.start < seconds < one.stop), None)
    if at is None or seconds in (0.0, total):
        return seconds
    inside = stretches[at]
    before = stretches[at - 1].stop if at else 0.0
    behind = stretches[at + 1].start if at + 1 < len(stretches) else total
    places = [
        inside.start - min(_PAUSE_SECONDS, (inside.start - before) / 2),
        inside.stop + min(_PAUSE_SECONDS, (behind - inside.stop) / 2),
    ]
    nearest = min(places, key=lambda place: abs(place - seconds))
    if abs(nearest - seconds) <= _SNAP_SECONDS:
        return nearest
    low, high = max(0.0, seconds - _SNAP_SECONDS / 2), min(total, seconds + _SNAP_SECONDS / 2)
    levels = frame_levels(samples[round(low * sample_rate) : round(high * sample_rate)], sample_rate)
    return low + (int(np.argmin(levels)) + 0.5) * FRAME_SECONDS


def _mono(samples: np.ndarray, channel: int | None) -> np.ndarray:
    if samples.shape[1] == 1:
        return samples[:, 0]
    if channel is not None:
        return np.ascontiguousarray(samples[:, channel])
    # Not mean(axis=1): on rows of two that takes ten times as long.
    return np.asarray((samples[:, 0] + samples[:, 1]) / np.float32(2))


def _fade(samples: np.ndarray, seconds: float, rate: int, *, at_end: bool) -> None:
    count = min(round(seconds * rate), len(samples))
    if count < 2:
        return
    rise = (0.5 - 0.5 * np.cos(np.pi * np.arange(count) / (count - 1))).astype(np.float32)
    if at_end:
        samples[-count:] *= rise[::-1]
    else:
        samples[:count] *= rise

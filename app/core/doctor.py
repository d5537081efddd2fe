"""What is wrong with a recording that is to be a reference or a prompt, and what would mend it.

Rules of thumb on levels of short frames; nothing is heard or understood. Each finding that can be mended carries the
edits that do so. There is no removal of noise: what does it well is far larger than all of this.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from app.core.activity import FRAME_SECONDS, Stretch, frame_levels, speech
from app.core.sound_edits import Edits, RawSound, bridged, broken, mono, render, within, without_offset

MOST_SECONDS = 30.0
"""Longest reference or prompt that is used."""
LEAST_SECONDS = 0.3
GOOD_SECONDS = 3.0
LOOKED_AT_SECONDS = 120.0
"""As much of a longer file is looked at."""

ERROR, WARNING, HINT = "error", "warning", "hint"

_WINDOW_SECONDS = 15.0  # of a long recording; more adds nothing to the likeness
_MOST_BROKEN = 0.1
_SILENT_PEAK = 1e-4
_OFFSET = 0.02
_QUIET_DB = -38.0  # of the speech
_GOOD_DB = -20.0
_HIGHEST_DB = -1.0  # of the peak after a change of level
_NOISY_DB = 22.0  # from the speech down to the noise
_NOISY_SHORT_DB = 14.0  # in a few words without any pause, whose softest sounds are not so far down
_LEAST_STILL = 0.1  # seconds
_FLOOR = 3  # percentile of the frames that the noise is measured by
_LONG_SILENCE, _KEPT_BEFORE, _KEPT_BEHIND = 0.6, 0.15, 0.25  # seconds at the ends
_CUT_START_DB, _CUT_END_DB = -6.0, -14.0  # the outermost frames of a voice that breaks off, from the speech
_CUT_FRAMES = 2
_FLAT, _FLAT_RUN, _FLAT_COUNT = 3e-5, 3, 4  # of the peak; samples at 48 kHz; places
_LEAST_LEVELS = 1000  # of coarser samples nobody can tell whether they are clipped
_SIDES_DB, _SIDES_ALIKE, _SIDES_OPPOSED = 10.0, 0.5, -0.5


@dataclass(frozen=True)
class Finding:
    """Something about a recording: ``code`` is stable, ``values`` its numbers by name.

    ``severity``: error (it cannot be used so), warning, or hint. ``mended`` are the edits with which it is gone; None
    where nothing here mends it.
    """

    code: str
    severity: str
    values: Mapping[str, float] = field(default_factory=dict, hash=False)
    mended: Edits | None = None


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What is used of a recording with some edits: mono float32 [n] at its own rate, and what is found in it."""

    samples: np.ndarray
    sample_rate: int
    edits: Edits
    findings: tuple[Finding, ...]

    @property
    def seconds(self) -> float:
        """The length of what is used."""
        return len(self.samples) / self.sample_rate

    @property
    def error(self) -> Finding | None:
        """The first reason why it cannot be used; None when it can."""
        return next((finding for finding in self.findings if finding.severity == ERROR), None)


def diagnose(sound: RawSound, edits: Edits, *, exact: bool = False) -> Diagnosis:
    """Look at ``sound`` as ``edits`` make it. ``exact``: a transcript has to fit, so nothing is left out unasked."""
    samples = render(sound, edits)
    findings = [*_of_channels(sound, edits), *_of_sound(samples, sound, edits, exact)]
    order = {ERROR: 0, WARNING: 1, HINT: 2}
    return Diagnosis(samples, sound.sample_rate, edits, tuple(sorted(findings, key=lambda one: order[one.severity])))


def _of_channels(sound: RawSound, edits: Edits) -> list[Finding]:
    """What two channels tell of each other; one with more voice and less noise in it mends that."""
    if sound.samples.shape[1] < 2 or edits.channel is not None:
        return []
    first, last = within(sound, edits)
    part = sound.samples[first : min(last, first + round(MOST_SECONDS * sound.sample_rate))]
    left, right = (without_offset(bridged(side, broken(side))) for side in np.ascontiguousarray(part.T))
    powers = [float(np.mean(np.square(side, dtype=np.float64))) if len(side) else 0.0 for side in (left, right)]
    if max(powers) < _SILENT_PEAK**2:
        return []
    better = 0 if _clearness(left, sound.sample_rate) >= _clearness(right, sound.sample_rate) else 1
    mended = replace(edits, channel=better)
    difference = 10 * math.log10(max(powers) / max(min(powers), 1e-12))
    if difference > _SIDES_DB:
        louder = replace(edits, channel=int(powers[1] > powers[0]))
        return [Finding("sides_level", WARNING, {"difference": min(difference, 99.0)}, louder)]
    alike = float(np.mean(left * right, dtype=np.float64)) / math.sqrt(powers[0] * powers[1])
    if alike < _SIDES_OPPOSED:
        return [Finding("sides_opposed", WARNING, {}, mended)]
    if alike < _SIDES_ALIKE:
        return [Finding("sides_differ", WARNING, {}, mended)]
    return []


def _of_sound(samples: np.ndarray, sound: RawSound, edits: Edits, exact: bool) -> list[Finding]:
    rate, seconds = sound.sample_rate, len(samples) / sound.sample_rate
    whole = replace(edits, start=0.0, end=None) if edits.cuts else None
    if seconds < LEAST_SECONDS:
        code = "too_short" if len(samples) else "empty"
        return [Finding(code, ERROR, {"seconds": seconds, "least": LEAST_SECONDS}, whole)]
    findings = []
    bad = broken(samples)
    if bad.any():
        share = float(np.mean(bad))
        if share > _MOST_BROKEN:
            return [Finding("too_broken", ERROR, {"percent": 100 * share})]
        findings.append(Finding("broken", WARNING, {"count": int(bad.sum())}, replace(edits, mend=True)))
        samples = bridged(samples, bad)
    offset = float(np.mean(samples, dtype=np.float64))
    if abs(offset) > _OFFSET:
        findings.append(Finding("offset", WARNING, {"percent": 100 * offset}, replace(edits, offset=True)))
        samples = without_offset(samples)
    peak = float(np.abs(samples).max())
    stretches = speech(samples, rate)
    if peak < _SILENT_PEAK or not stretches:
        return [*findings, Finding("silent", ERROR, {}, whole)]
    findings += _of_level(samples, rate, stretches, edits)
    findings += _of_length(samples, sound, stretches, edits, exact)
    findings += _of_ends(samples, rate, stretches, edits)
    return findings


def _of_level(samples: np.ndarray, rate: int, stretches: list[Stretch], edits: Edits) -> list[Finding]:
    findings = []
    levels = frame_levels(samples, rate)
    peak, spoken = float(np.abs(samples).max()), _spoken_level(levels, stretches, rate)
    gain = min(_GOOD_DB - spoken, _HIGHEST_DB - 20 * math.log10(peak))
    levelled = replace(edits, gain_db=round(edits.gain_db + gain, 1))
    if peak > 1.0:
        findings.append(Finding("too_loud", WARNING, {"peak": peak}, levelled))
    elif spoken < _QUIET_DB and gain > 1.0:
        findings.append(Finding("quiet", WARNING, {"level": spoken}, levelled))
    if _clipped_places(samples, rate) >= _FLAT_COUNT:
        findings.append(Finding("clipped", WARNING))
    distance = spoken - float(np.percentile(levels, _FLOOR))
    still = len(samples) / rate - sum(stretch.seconds for stretch in stretches)
    short = len(samples) < GOOD_SECONDS * rate and still < _LEAST_STILL
    if distance < (_NOISY_SHORT_DB if short else _NOISY_DB):
        findings.append(Finding("noisy", WARNING, {"distance": distance}))
    return findings


def _of_length(
    samples: np.ndarray, sound: RawSound, stretches: list[Stretch], edits: Edits, exact: bool
) -> list[Finding]:
    seconds = len(samples) / sound.sample_rate
    if seconds > MOST_SECONDS:
        best = best_window(samples, sound.sample_rate, stretches)
        mended = edits.cut(edits.start + best.start, edits.start + best.stop, sound.seconds)
        values = {"seconds": seconds if edits.cuts else sound.whole_seconds, "most": MOST_SECONDS}
        return [Finding("long", ERROR if exact else WARNING, values, mended)]
    spoken = sum(stretch.seconds for stretch in stretches)
    if spoken < GOOD_SECONDS:
        return [Finding("short", HINT, {"seconds": spoken, "good": GOOD_SECONDS})]
    return []


def _of_ends(samples: np.ndarray, rate: int, stretches: list[Stretch], edits: Edits) -> list[Finding]:
    findings: list[Finding] = []
    seconds = len(samples) / rate
    first, last = stretches[0].start, stretches[-1].stop
    before, behind = first > _LONG_SILENCE, seconds - last > _LONG_SILENCE
    if before or behind:
        start = edits.start + (max(0.0, first - _KEPT_BEFORE) if before else 0.0)
        kept = last + _KEPT_BEHIND if behind else seconds
        mended = replace(edits, start=round(start, 4), end=round(edits.start + kept, 4) if behind else edits.end)
        findings.append(Finding("silence", HINT, {"before": first, "behind": seconds - last}, mended))
    levels = frame_levels(samples, rate)
    spoken = _spoken_level(levels, stretches, rate)
    if not edits.ease_in and float(levels[:_CUT_FRAMES].max()) > spoken + _CUT_START_DB:
        findings.append(Finding("cut_start", WARNING, {}, _from_a_pause(stretches, seconds, edits)))
    # The last samples may be less than a frame.
    tail = samples[-round(_CUT_FRAMES * FRAME_SECONDS * rate) :]
    level = 10 * math.log10(max(float(np.mean(np.square(tail, dtype=np.float64))), 1e-12))
    if not edits.ease_out and level > spoken + _CUT_END_DB:
        findings.append(Finding("cut_end", WARNING, {}, _to_a_pause(stretches, seconds, edits)))
    return findings


def _to_a_pause(stretches: list[Stretch], seconds: float, edits: Edits) -> Edits:
    """End in the last pause that leaves most of it and enough, or else fade out."""
    if len(stretches) > 1 and stretches[-2].stop >= max(GOOD_SECONDS, seconds / 2):
        gap = stretches[-1].start - stretches[-2].stop
        return replace(edits, end=round(edits.start + stretches[-2].stop + min(_KEPT_BEHIND, gap / 2), 4))
    return replace(edits, ease_out=True)


def _from_a_pause(stretches: list[Stretch], seconds: float, edits: Edits) -> Edits:
    if len(stretches) > 1 and seconds - stretches[1].start >= max(GOOD_SECONDS, seconds / 2):
        gap = stretches[1].start - stretches[0].stop
        return replace(edits, start=round(edits.start + stretches[1].start - min(_KEPT_BEFORE, gap / 2), 4))
    return replace(edits, ease_in=True)


def best_window(samples: np.ndarray, rate: int, stretches: list[Stretch]) -> Stretch:
    """Return the part of at most 15 s with the most speech between pauses; a hard cut where there is no pause."""
    seconds = len(samples) / rate
    best, most = Stretch(0.0, min(seconds, _WINDOW_SECONDS)), -1.0
    for number, first in enumerate(stretches):
        start, spoken = max(0.0, first.start - _KEPT_BEFORE), 0.0
        for at, stretch in enumerate(stretches[number:], number):
            following = stretches[at + 1].start if at + 1 < len(stretches) else seconds
            stop = min(stretch.stop + _KEPT_BEHIND, (stretch.stop + following) / 2)
            if stop - start > _WINDOW_SECONDS:
                break
            spoken += stretch.seconds
            if spoken > most + 0.5:  # a little more is no reason to begin later
                best, most = Stretch(start, stop), spoken
    return best


def _spoken_level(levels: np.ndarray, stretches: list[Stretch], rate: int) -> float:
    """Mean power of the frames within ``stretches``, in dB of full scale."""
    inside = np.zeros(len(levels), bool)
    frame = max(1, round(FRAME_SECONDS * rate)) / rate
    for stretch in stretches:
        inside[round(stretch.start / frame) : round(stretch.stop / frame)] = True
    power = np.mean(10 ** (levels[inside] / 10)) if inside.any() else 1e-12
    return float(10 * np.log10(max(power, 1e-12)))


def _clearness(samples: np.ndarray, rate: int) -> float:
    """From the loud frames down to the still ones, in dB; -1 where there is no voice."""
    if not speech(samples, rate):
        return -1.0
    levels = frame_levels(samples, rate)
    return float(np.percentile(levels, 95) - np.percentile(levels, _FLOOR))


def _clipped_places(samples: np.ndarray, rate: int) -> int:
    """Places where several samples in a row stand at the highest or the lowest value."""
    values = np.unique(samples[:: max(1, len(samples) // 20000)])
    steps = np.diff(values)
    peak = float(np.abs(samples).max())
    if not len(steps) or peak < _LEAST_LEVELS * float(steps.min()):
        return 0
    run = max(_FLAT_RUN, round(_FLAT_RUN * rate / 48000))
    places = 0
    for side in (samples, -samples):
        top = float(side.max())
        if top < peak / 4:
            continue
        flat = np.concatenate([[False], side >= top * (1 - _FLAT), [False]])
        edges = np.flatnonzero(np.diff(flat.astype(np.int8)))
        places += int(np.count_nonzero(edges[1::2] - edges[::2] >= run))
    return places


def speech_of(sound: RawSound, edits: Edits) -> list[Stretch]:
    """Return where somebody speaks in the whole recording, whatever is cut off, in seconds."""
    samples = mono(sound, edits.channel)
    return speech(bridged(samples, broken(samples)), sound.sample_rate)

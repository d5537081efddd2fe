"""Audio on its way to the model: read, checked, mended where that is safe, cut and resampled. Loads no torch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import soxr

from voxcpm.audio_file import SILENT_PEAK, AudioSource, Finding, Recording, Samples, read_audio, write_wav
from voxcpm.errors import AudioError

__all__ = [
    "MAX_SECONDS",
    "MIN_SECONDS",
    "AudioSource",
    "Finding",
    "PreparedAudio",
    "Recording",
    "Samples",
    "prepare_reference",
    "read_audio",
    "resample",
    "trim_silence",
    "write_wav",
]

MIN_SECONDS = 0.3
"""Shortest audio taken from people: one spoken syllable, about two patches. Less has no voice to take."""
MAX_SECONDS = 30.0
"""Longest reference or prompt by default. More fills the context and adds nothing to the likeness."""

_GOOD_SECONDS = 3.0
_QUIET_PEAK = 10 ** (-30 / 20)
_SCALED_PEAK = 0.95  # room for the overshoot of resampling
_MOST_BROKEN = 0.1  # share of samples that are no numbers, up to which the rest is worth mending
_SPIKE_PEAK, _SPIKE_RATIO = 10.0, 1000.0  # far outside full scale and far above nearly all other samples
_OFFSET, _OFFSET_SECONDS = 0.05, 0.25  # a shorter piece can have a mean of its own without an offset
_CLIPPED_SHARE = 1e-3
_CUT_SHARE, _CUT_SECONDS, _CUT_FRAME = 0.2, 5.0, 0.04  # where before the limit a pause is looked for, and how finely


@dataclass(frozen=True, eq=False)
class PreparedAudio:
    """Audio ready for the encoder: ``samples`` float32 [n], mono, finite, at ``sample_rate`` Hz.

    ``start_seconds`` and ``end_seconds`` say which part of the original it is. ``transcript_stale`` is set when speech
    may have been cut off, so that a transcript of the whole no longer matches.
    """

    samples: Samples
    sample_rate: int
    start_seconds: float
    end_seconds: float
    findings: tuple[Finding, ...]
    transcript_stale: bool


def prepare_reference(
    recording: Recording | AudioSource,
    sample_rate: int,
    *,
    min_seconds: float = MIN_SECONDS,
    max_seconds: float = MAX_SECONDS,
    trim: bool = False,
) -> PreparedAudio:
    """Check ``recording``, mend what can be mended, and bring it to ``sample_rate`` Hz.

    Mended, each with a finding: values that are no numbers, isolated spikes, a constant offset, a peak above full
    scale, too great a length (cut at a pause before ``max_seconds``); with ``trim`` silence at both ends. Audio that
    needs none of this and has the right rate passes through sample for sample. A source that is not read yet is read
    only as far as it is used.

    Raises AudioError with the reason ``empty``, ``too_short``, ``silent`` or ``not_finite``, and those of
    :func:`read_audio`.
    """
    if not isinstance(recording, Recording):
        recording = read_audio(recording, max_seconds=max_seconds)
    rate, samples = recording.sample_rate, recording.samples
    if not len(samples):
        raise AudioError("empty", "the audio has no samples; record it again or choose another file")
    if len(samples) < min_seconds * rate:
        raise AudioError(
            "too_short",
            f"the audio is {_rounded_down(len(samples), rate, 2)} s long and at least {min_seconds:g} s are needed; "
            f"{_GOOD_SECONDS:g} to {max_seconds:g} s of speech work well",
        )
    findings = list(recording.findings)
    begin, longer = recording.start_seconds, _is_longer(recording, max_seconds)
    if longer:
        first = _first_sound(samples, rate)
        begin += first / rate
        samples = samples[first : first + max(1, int(max_seconds * rate))]
    samples = _without_broken_values(samples, findings)
    samples = _without_offset(samples, rate, findings)
    samples = _within_full_scale(samples, findings)
    start, end = 0, _last_pause(samples, rate) if longer else len(samples)
    _check_loudness(samples[start:end], findings)
    if trim:
        voiced = _voiced_range(samples[start:end], rate)
        if voiced != (start, end):
            findings.append(Finding("trimmed", "silence at the ends was trimmed"))
        start, end = voiced
    used = samples[start:end]
    start_seconds, end_seconds = begin + start / rate, begin + end / rate
    if longer:
        findings.append(
            Finding(
                "cut",
                f"the audio is {recording.seconds:.1f} s long; {start_seconds:.2f} to {end_seconds:.2f} s of it is "
                "used, and a transcript must cover that part and no more",
                "warning",
                {"seconds": recording.seconds, "start": start_seconds, "end": end_seconds},
            )
        )
    elif len(used) < _GOOD_SECONDS * rate:
        findings.append(
            Finding(
                "short",
                f"{_rounded_down(len(used), rate, 1)} s is short; {_GOOD_SECONDS:g} s or more carry a voice better",
                values={"seconds": float(_rounded_down(len(used), rate, 1)), "good": _GOOD_SECONDS},
            )
        )
    result = resample(used, rate, sample_rate)
    if not np.isfinite(result).all():
        raise AudioError("not_finite", "the audio could not be mended: it still holds values that are no numbers")
    return PreparedAudio(result, sample_rate, start_seconds, end_seconds, tuple(findings), longer)


def resample(samples: Samples, rate_in: int, rate_out: int) -> Samples:
    """float32 [n] at ``rate_in`` Hz -> float32 [round(n * rate_out / rate_in)] at ``rate_out`` Hz.

    Equal rates give ``samples`` itself.
    """
    if rate_in == rate_out or not len(samples):
        return samples
    result = soxr.resample(np.ascontiguousarray(samples, dtype=np.float32), rate_in, rate_out, quality="HQ")
    wanted = max(1, round(len(samples) * rate_out / rate_in))
    if len(result) < wanted:
        result = np.pad(result, (0, wanted - len(result)))
    return np.ascontiguousarray(result[:wanted], dtype=np.float32)


def trim_silence(samples: Samples, rate: int, *, top_db: float = 35.0, margin_seconds: float = 0.2) -> Samples:
    """``samples`` float32 [n] without silence at both ends, but for ``margin_seconds`` of it.

    Frames of 2048 samples every 512 count as sound by their root mean square (RMS). The start is that of the first
    frame, centred on its place, within ``top_db`` of the loudest frame. The end is one step after the last such frame,
    or the end of the last frame within ``top_db`` of the highest peak, whichever is earlier: the second rule drops a
    long tail of noise. All silence: unchanged.
    """
    start, end = _voiced_range(samples, rate, top_db=top_db, margin_seconds=margin_seconds)
    return samples[start:end]


def _rounded_down(count: int, rate: int, digits: int) -> str:
    """``count`` samples in seconds, never more than there are: "3.0 s is short of 3 s" would contradict itself."""
    return f"{count * 10**digits // rate / 10**digits:.{digits}f}"


# -- mending --------------------------------------------------------------------------------------------------


def _without_broken_values(samples: Samples, findings: list[Finding]) -> Samples:
    """NaN, infinite values and lone spikes replaced by a straight line between their neighbours."""
    broken = ~np.isfinite(samples)
    count = int(np.count_nonzero(broken))
    if count > _MOST_BROKEN * len(samples):
        raise AudioError(
            "not_finite", f"{count} of {len(samples)} samples are no numbers; the file is damaged, export it again"
        )
    size = np.abs(samples, dtype=np.float64)
    size[broken] = 0.0
    if size.max() > _SPIKE_PEAK:
        spikes = size > max(_SPIKE_PEAK, _SPIKE_RATIO * float(np.quantile(size, 0.999)))
        broken |= spikes
        count = int(np.count_nonzero(broken))
    if not count:
        return samples
    good = np.flatnonzero(~broken)
    mended = samples.copy()
    mended[broken] = np.interp(np.flatnonzero(broken), good, samples[good])
    findings.append(
        Finding(
            "not_finite",
            f"{count} broken samples (no number, or a lone spike) were bridged over",
            "warning",
            {"count": count},
        )
    )
    return mended


def _without_offset(samples: Samples, rate: int, findings: list[Finding]) -> Samples:
    offset = float(np.mean(samples, dtype=np.float64))
    if abs(offset) <= _OFFSET or len(samples) < _OFFSET_SECONDS * rate:
        return samples
    message = f"a constant offset of {offset:.2f} of full scale was removed"
    findings.append(Finding("offset", message, "warning", {"offset": offset}))
    return (samples - np.float64(offset)).astype(np.float32)


def _within_full_scale(samples: Samples, findings: list[Finding]) -> Samples:
    peak = float(np.abs(samples).max())
    if peak > 1.0:
        message = f"the peak was {peak:.2f} times full scale; the level was lowered"
        findings.append(Finding("too_loud", message, "warning", {"peak": peak}))
        return (samples * np.float64(_SCALED_PEAK / peak)).astype(np.float32)
    if peak > 0.98 and np.count_nonzero(np.abs(samples) >= 0.999 * peak) > max(4, _CLIPPED_SHARE * len(samples)):
        findings.append(
            Finding(
                "clipped",
                "the recording is overdriven (clipped); the voice will sound better from a clean one",
                "warning",
            )
        )
    return samples


def _check_loudness(samples: Samples, findings: list[Finding]) -> None:
    peak = float(np.abs(samples).max())
    if peak < SILENT_PEAK:
        raise AudioError("silent", "the audio is silent; check the microphone, or choose a part with speech")
    if peak < _QUIET_PEAK:
        findings.append(
            Finding("quiet", "the recording is very quiet; noise will be heard along with the voice", "warning")
        )


# -- cutting --------------------------------------------------------------------------------------------------


def _is_longer(recording: Recording, max_seconds: float) -> bool:
    held = len(recording.samples) / recording.sample_rate
    unread = recording.seconds - recording.start_seconds - held > 1.5 / recording.sample_rate
    return unread or held > max_seconds


def _first_sound(samples: Samples, rate: int) -> int:
    """Start of the first quarter second with sound in it; 0 if there is none."""
    block = max(1, rate // 4)
    for start in range(0, len(samples), block):
        if not np.abs(samples[start : start + block]).max() < SILENT_PEAK:
            return start
    return 0


def _last_pause(samples: Samples, rate: int) -> int:
    """The quietest place shortly before the end, as an index."""
    limit = len(samples)
    frame = max(1, int(_CUT_FRAME * rate))
    span = int(min(_CUT_SHARE * limit, _CUT_SECONDS * rate))
    count = span // frame
    if count < 2:
        return limit
    frames = samples[limit - count * frame : limit].reshape(count, frame).astype(np.float64)
    energy = np.mean(frames**2, axis=1)
    # A pause is quiet for longer than one frame; of equally quiet places the latest is taken.
    smooth = np.convolve(np.pad(energy, 1, mode="edge"), np.ones(3), mode="valid")
    quietest = count - 1 - int(np.argmin(smooth[::-1]))
    return limit - count * frame + quietest * frame + frame // 2


_FRAME, _STEP = 2048, 512


def _voiced_range(samples: Samples, rate: int, *, top_db: float = 35.0, margin_seconds: float = 0.2) -> tuple[int, int]:
    length = len(samples)
    peak = float(np.abs(samples).max()) if length else 0.0
    if peak <= 0.0:
        return 0, length
    factor = 10.0 ** (-top_db / 20.0)
    centred = _frame_levels(np.pad(samples, _FRAME // 2))
    loud = np.flatnonzero(centred > max(factor * centred.max(), 1e-5))
    start, end = (int(loud[0]) * _STEP, min(length, (int(loud[-1]) + 1) * _STEP)) if len(loud) else (0, length)
    voiced = np.flatnonzero(_frame_levels(samples) >= factor * peak)
    if len(voiced):
        end = min(end, int(voiced[-1]) * _STEP + _FRAME)
    margin = int(margin_seconds * rate)
    return max(0, start - margin), min(length, end + margin)


def _frame_levels(samples: Samples) -> Samples:
    """RMS of each whole frame."""
    if len(samples) < _FRAME:
        return np.zeros(0, np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(samples, _FRAME)[::_STEP]
    return np.sqrt(np.einsum("ij,ij->i", frames, frames, dtype=np.float64) / _FRAME).astype(np.float32)

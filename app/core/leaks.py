"""Sound that does not belong to the text, before it begins or after it ends."""

from __future__ import annotations

import re

import numpy as np

from app.core.activity import Stretch, speech
from app.core.mel import TileKey, hop_seconds, mel_tile

_BREAKS = re.compile(r"[.,;:!?…—。，；：！？、\n]+")
_LEAST_GAP = 0.15  # seconds of silence between what leaked and the text
_SHARE_OF_PHRASE = 0.45  # a piece that is shorter than this share of the phrase that should stand there
_LONGEST = 1.2  # seconds; what leaks is a syllable or a word
_PIECE = 0.3  # seconds of the end of the reference that are looked for
_REACH = 1.5  # seconds at each end of the take in which they are looked for
_ALIKE = 0.94  # correlation of mel pictures; in flite speech of one voice other words reached 0.91, copies had 0.97


def count_letters(text: str) -> int:
    """Return how many letters and digits ``text`` has; a Chinese character counts as three, as it takes as long."""
    return sum(3 if ord(char) > 0x2E7F else 1 for char in text if char.isalnum())


def by_pauses(text: str, stretches: list[Stretch]) -> tuple[float, float]:
    """Return the seconds of a piece at head and tail that is too short for the phrase that ``text`` has there.

    0 where there is none: a piece is told by the silence behind (or before) it, and by how long the words to the
    first (or last) punctuation should take at the rate of the whole.
    """
    phrases = [letters for phrase in _BREAKS.split(text) if (letters := count_letters(phrase))]
    if len(stretches) < 2 or not phrases:
        return 0.0, 0.0
    per_letter = sum(stretch.seconds for stretch in stretches) / sum(phrases)
    found = []
    for end, next_to_it, letters in (
        (stretches[0], stretches[1], phrases[0]),
        (stretches[-1], stretches[-2], phrases[-1]),
    ):
        gap = max(next_to_it.start - end.stop, end.start - next_to_it.stop)
        short = end.seconds < min(_LONGEST, _SHARE_OF_PHRASE * letters * per_letter)
        found.append(end.seconds if gap >= _LEAST_GAP and short else 0.0)
    return found[0], found[1]


def of_reference(
    samples: np.ndarray, sample_rate: int, reference: np.ndarray, reference_rate: int
) -> tuple[bool, bool]:
    """Whether the end of ``reference`` is heard at the head or the tail of ``samples`` (both float32 [n])."""
    spoken = speech(reference, reference_rate)
    if not spoken or not len(samples):
        return False, False
    stop = round(spoken[-1].stop * reference_rate)
    piece = reference[max(0, stop - round(_PIECE * reference_rate)) : stop]
    reach = round(_REACH * sample_rate)
    top = min(sample_rate, reference_rate)
    wanted = _picture(piece, reference_rate, top)
    return (
        _likeness(wanted, _picture(samples[:reach], sample_rate, top)) >= _ALIKE,
        _likeness(wanted, _picture(samples[-reach:], sample_rate, top)) >= _ALIKE,
    )


def _picture(samples: np.ndarray, sample_rate: int, top: int) -> np.ndarray:
    """The mel spectrogram in dB, float32 [80, columns], of what both sounds can hold (half of ``top`` Hz)."""
    if sample_rate != top:
        import soxr

        samples = np.asarray(soxr.resample(np.asarray(samples, np.float32), sample_rate, top), np.float32)
    return mel_tile(samples, top, TileKey(0, 0), int(len(samples) / top / hop_seconds(0)))


def _likeness(wanted: np.ndarray, inside: np.ndarray) -> float:
    """The largest correlation of ``wanted`` with any place of ``inside``, -1..1; -1 where it does not fit in."""
    width = wanted.shape[1]
    if width == 0 or inside.shape[1] < width:
        return -1.0
    windows = np.lib.stride_tricks.sliding_window_view(np.maximum(inside, -80.0), width, axis=1)
    flat = windows.transpose(1, 0, 2).reshape(windows.shape[1], -1).astype(np.float64)
    flat = flat - flat.mean(axis=1, keepdims=True)
    one = np.maximum(wanted, -80.0).astype(np.float64).ravel()
    one = one - one.mean()
    norms = np.linalg.norm(flat, axis=1) * np.linalg.norm(one)
    return float(np.max(np.divide(flat @ one, norms, out=np.full(len(flat), -1.0), where=norms > 0)))

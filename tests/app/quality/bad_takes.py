"""Takes made bad on purpose, of flite speech: clean, a word dropped, repeated, clipped, leaked head and tail."""

from __future__ import annotations

import io
import subprocess
from functools import lru_cache

import numpy as np
import soundfile

from app.core.activity import speech

TEXT = "The old bridge was closed last winter because the water was too high."
DROPPED = "The old bridge was closed last because the water was too high."
REPEATED = "The old bridge was closed last winter last winter because the water was too high."
REFERENCE = "The quick brown fox jumps over the lazy dog."
VOICES = ("slt", "rms")


@lru_cache(maxsize=32)
def say(text: str, voice: str) -> tuple[np.ndarray, int]:
    """Return float32 [n] and its rate."""
    done = subprocess.run(
        ["flite", "-voice", voice, "-t", text, "-o", "/dev/stdout"], check=True, capture_output=True, timeout=60
    )
    samples, rate = soundfile.read(io.BytesIO(done.stdout), dtype="float32")
    return samples, rate


def end_of_reference(voice: str) -> np.ndarray:
    """The last word of the reference, as it leaks into the takes of models."""
    samples, rate = say(REFERENCE, voice)
    stop = speech(samples, rate)[-1].stop
    return samples[round((stop - 0.35) * rate) : round(stop * rate)]


def leaked(voice: str, *, head: bool, gap: float) -> np.ndarray:
    """A clean take with the end of the reference before or behind it, ``gap`` seconds away."""
    samples, rate = say(TEXT, voice)
    silence = np.zeros(round(gap * rate), np.float32)
    parts = [end_of_reference(voice), silence, samples] if head else [samples, silence, end_of_reference(voice)]
    return np.concatenate(parts)


def clipped(voice: str) -> np.ndarray:
    """A take that was far too loud."""
    samples, _ = say(TEXT, voice)
    return np.clip(4 * samples / np.abs(samples).max(), -1.0, 1.0).astype(np.float32)

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

# Every format that leaves: its suffix, libsndfile's names, and the sample rate it is tried at.
FORMATS = {
    "wav16": ("wav", "WAV", "PCM_16", 48000),
    "wav24": ("wav", "WAV", "PCM_24", 44100),
    "wavf": ("wav", "WAV", "FLOAT", 48000),
    "rf64": ("wav", "RF64", "PCM_16", 48000),
    "flac": ("flac", "FLAC", "PCM_24", 48000),
    "mp3": ("mp3", "MP3", "MPEG_LAYER_III", 44100),
    "opus": ("ogg", "OGG", "OPUS", 48000),
    "vorbis": ("ogg", "OGG", "VORBIS", 44100),
}


def voiced(seconds: float = 1.5, rate: int = 48000, seed: int = 0) -> np.ndarray:
    """Something like a voice, float32 [n]: harmonics that wander, with pauses and a little breath."""
    rng = np.random.default_rng(seed)
    time = np.arange(int(seconds * rate)) / rate
    pitch = 130 + 30 * np.sin(2 * np.pi * 0.7 * time + seed)
    phase = 2 * np.pi * np.cumsum(pitch) / rate
    tone = sum(np.sin(k * phase) / k for k in range(1, 25))
    syllables = np.clip(np.sin(2 * np.pi * 3.1 * time), 0, 1) ** 0.5
    return (0.12 * tone * syllables + 0.002 * rng.normal(size=len(time))).astype(np.float32)


@pytest.fixture(params=FORMATS)
def written(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """A file of each format without marks, and its kind."""
    kind, form, subtype, rate = FORMATS[request.param]
    path = tmp_path / f"plain.{kind}"
    # An odd number of bytes where the format allows one.
    samples = voiced(0.4, rate)[: rate // 4 * 2 // 2 * 2 - 1]
    soundfile.write(path, samples, rate, format=form, subtype=subtype)
    return path, kind

"""The file formats that sound leaves in, and writing one with libsndfile."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from app.marks.errors import ExportError
from app.marks.label import Kind
from app.marks.watermark import Samples

FormatName = Literal["wav", "flac", "mp3", "opus"]
SUFFIXES: dict[str, FormatName] = {".wav": "wav", ".flac": "flac", ".mp3": "mp3", ".opus": "opus", ".ogg": "opus"}
_RATES = {
    "mp3": (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000),
    "opus": (8000, 12000, 16000, 24000, 48000),
}
_SUBTYPES = {
    "wav": {"16": "PCM_16", "24": "PCM_24", "float": "FLOAT"},
    "flac": {"16": "PCM_16", "24": "PCM_24"},
}
_WAV_LONGEST = (1 << 32) - (1 << 20)  # bytes of sound, with room for the marks
_BLOCK = 1 << 18  # samples that are handed over at once


@dataclass(frozen=True)
class Format:
    """How sound is written. ``bits`` (16, 24 or float) is for WAV and FLAC, ``quality`` (0..1) for MP3 and Opus.

    Raises ValueError for what does not exist.
    """

    name: FormatName = "wav"
    bits: Literal["16", "24", "float"] = "24"
    quality: float = 0.7

    def __post_init__(self) -> None:
        if self.name in _SUBTYPES and self.bits not in _SUBTYPES[self.name]:
            raise ValueError(f"{self.name} is not written with {self.bits} bits; choose 16 or 24.")
        if not 0.0 <= self.quality <= 1.0:
            raise ValueError(f"The quality is between 0 and 1, not {self.quality}.")

    @property
    def kind(self) -> Kind:
        """The container, as the readers of marks name it."""
        return "ogg" if self.name == "opus" else self.name

    def rate_for(self, sample_rate: int) -> int:
        """The sample rate (Hz) that is written: the same where the format has it, else the next higher one."""
        rates = _RATES.get(self.name)
        return sample_rate if rates is None else next((rate for rate in rates if rate >= sample_rate), rates[-1])


def format_for(path: Path, bits: Literal["16", "24", "float"] = "24", quality: float = 0.7) -> Format:
    """The format that a file's name asks for.

    Raises:
        ExportError: it asks for none that is written here.
    """
    name = SUFFIXES.get(path.suffix.lower())
    if name is None:
        raise ExportError(f"{path}: end the name in {', '.join(SUFFIXES)}.")
    return Format(name, bits, quality)


def encode(path: Path, samples: Samples, sample_rate: int, form: Format) -> None:
    """Write ``samples`` (float32 [n] or [n, channels]) to ``path``; integer formats are cut off at full scale.

    Raises:
        ExportError: too long for a WAV, or a rate that the format has not.
        OSError: the file cannot be written.
    """
    import soundfile  # not needed to open the window

    size = {"16": 2, "24": 3, "float": 4}[form.bits]
    if form.name == "wav" and samples.size * size > _WAV_LONGEST:
        raise ExportError("A WAV file holds 4 GiB at most. Save this one as FLAC, or in parts.")
    options: dict[str, object] = {"format": form.name.upper(), "subtype": _SUBTYPES.get(form.name, {}).get(form.bits)}
    if form.name == "mp3":
        options |= {
            "subtype": "MPEG_LAYER_III",
            "bitrate_mode": "VARIABLE",
            "compression_level": min(0.99, 1.0 - form.quality),
        }
    elif form.name == "opus":
        options |= {"format": "OGG", "subtype": "OPUS", "compression_level": min(0.99, 1.0 - form.quality)}
    channels = 1 if samples.ndim == 1 else samples.shape[1]
    try:
        with soundfile.SoundFile(path, "w", sample_rate, channels, **options) as file:
            for start in range(0, len(samples), _BLOCK):
                block = samples[start : start + _BLOCK]
                file.write(block if form.bits == "float" and form.name == "wav" else np.clip(block, -1.0, 1.0))
    except soundfile.LibsndfileError as error:
        raise OSError(error.error_string.strip(" .")) from error


def rate_of(path: Path) -> int:
    """The sample rate of a file of ours (Hz).

    Raises:
        OSError: it cannot be read.
    """
    import soundfile

    try:
        return int(soundfile.info(path).samplerate)
    except soundfile.LibsndfileError as error:
        raise OSError(str(error)) from error

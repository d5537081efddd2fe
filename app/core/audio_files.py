"""A first look at an audio file: can it be read, and how long is it?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class AudioFileInfo:
    """What the header says. ``seconds`` long, ``sample_rate`` in Hz."""

    path: str
    seconds: float
    sample_rate: int
    channels: int


class AudioFileError(Exception):
    """The file cannot be used. ``reason`` is missing, unreadable or empty."""

    def __init__(self, reason: str, details: str = "") -> None:
        super().__init__(details or reason)
        self.reason = reason
        self.details = details


def inspect(path: str) -> AudioFileInfo:
    """Read the header of an audio file, whatever its name ends in. Raises AudioFileError."""
    from app.core.sound_files import probe  # not needed to open the window

    return probe(Path(path))

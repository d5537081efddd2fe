"""Sounds that are not saved: recordings of the microphone and cut copies, as private files until the program ends."""

from __future__ import annotations

import uuid
from pathlib import Path

import numpy as np

from app.core.sound_edits import bridged, broken
from app.core.sound_files import keep

_LONGEST_NAME = 80


def write_private(folder: Path, name: str, samples: np.ndarray, sample_rate: int) -> Path:
    """Write mono float32 [n] as a FLAC called ``name`` into a folder of its own in ``folder``; returns its path.

    ``folder`` is the store's temporary one, which nobody else may read and which goes when the program ends. What is
    no number is bridged over. Raises OSError.
    """
    own = folder / uuid.uuid4().hex
    own.mkdir(mode=0o700)
    path = own / f"{name[:_LONGEST_NAME]}.flac"
    path.write_bytes(keep(bridged(samples, broken(samples)), sample_rate).to_flac())
    return path

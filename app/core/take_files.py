"""Where takes go: names for several takes, and nothing overwritten by accident."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path


class OutputError(OSError):
    """A file cannot be written where it should go; the message says why and what to do."""


def numbered(path: Path, count: int) -> list[Path]:
    """Return ``count`` names after one: ``take.wav``, or ``take_1.wav``, ``take_2.wav``, ..."""
    if count == 1:
        return [path]
    return [path.with_name(f"{path.stem}_{number}{path.suffix}") for number in range(1, count + 1)]


def check_outputs(paths: Iterable[Path], *, force: bool, suffixes: Sequence[str]) -> None:
    """Make sure that takes can go to these files, before any work is done.

    Raises:
        OutputError: a name that ends in none of ``suffixes``, a name twice, a missing or closed folder, or a file that
            exists without ``force``.
    """
    seen: set[Path] = set()
    for path in paths:
        place = path.resolve()
        if path.suffix.lower() not in suffixes:
            raise OutputError(f"{path}: end the name in {' or '.join(suffixes)}.")
        if place in seen:
            raise OutputError(f"{path} is named for two takes.")
        seen.add(place)
        if place.is_dir():
            raise OutputError(f"{path} is a folder. Give the name of a file.")
        if not place.parent.is_dir():
            raise OutputError(f"The folder {place.parent} does not exist. Make it first.")
        if place.exists() and not force:
            raise OutputError(f"{path} exists and is not overwritten. Choose another name or add --force.")
        if not os.access(place.parent, os.W_OK):
            raise OutputError(f"The folder {place.parent} cannot be written to.")

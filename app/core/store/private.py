"""Folders that only their owner may enter, and files that outlast a cut of the power."""

from __future__ import annotations

import os
from pathlib import Path

from app.core.atomic_file import sync_names


def private_folder(path: Path) -> Path:
    """Make ``path`` and what is missing above it, closed to others. A folder that is there stays as it is.

    Raises:
        OSError: it cannot be made.
    """
    if not path.is_dir():
        private_folder(path.parent)
        path.mkdir(mode=0o700, exist_ok=True)
        sync_names(path.parent)
    return path


def sync_file(path: Path) -> None:
    """Make the content of a file last."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

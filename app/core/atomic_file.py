"""Small files that are either as they were or as they should be, whatever happens while they are written.

Stands by itself, so that saving the settings at the end loads nothing of the store.
"""

from __future__ import annotations

import contextlib
import os
import sys
import uuid
from pathlib import Path


def write_atomically(path: Path, data: bytes, *, private: bool = True) -> None:
    """Put ``data`` in the place of ``path``, readable by its owner alone if ``private``. When this returns, it lasts.

    Raises:
        OSError: nothing was changed, and nothing is left of the attempt.
    """
    part = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
    try:
        with os.fdopen(create_private(part), "wb") if private else part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        sync_names(path.parent)
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def create_private(path: Path) -> int:
    """Open a new file for writing that only its owner may read; return the descriptor. OSError if it exists."""
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o600)


def sync_names(folder: Path) -> None:
    """Make the names in a folder last. Windows keeps them by itself and cannot open a folder."""
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

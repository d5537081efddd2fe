"""Files of takes that other programs were given by drag or copy: plain sound, so it goes when its take goes."""

from __future__ import annotations

import contextlib
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

FOLDER = "outgoing"  # in the data folder; in it a folder for each take, named by its uid
_KEPT_SECONDS = 7 * 24 * 3600  # a program may go on using the file that it was given


def remove(folder: Path, uids: Sequence[str]) -> None:
    """Remove what takes left in the data folder ``folder``."""
    for uid in uids:
        shutil.rmtree(folder / FOLDER / uid, ignore_errors=True)


def remove_old(folder: Path, now: float | None = None) -> None:
    """Remove what stands in the data folder ``folder`` for more than a week; ``now`` in seconds since 1970."""
    now = time.time() if now is None else now
    with contextlib.suppress(OSError):
        for old in (folder / FOLDER).iterdir():
            if now - old.stat().st_mtime > _KEPT_SECONDS:
                shutil.rmtree(old, ignore_errors=True)

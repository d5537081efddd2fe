"""Files that are whole or not there: temporary names in the target's folder, flushed, then named in one step."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from app.core.atomic_file import sync_names
from app.marks.errors import ExportError

_TEMPORARY = re.compile(r"\.saving-[0-9a-f]{32}\.[a-z0-9]+")
_ABANDONED_SECONDS = 24 * 3600.0
_LITTLE = 64 << 10  # bytes: a disk with less is full


def check_target(path: Path, *, overwrite: bool) -> None:
    """Refuse a place that cannot be written to, before any work.

    Raises:
        ExportError: a missing or closed folder, a folder of that name, or a file of that name without ``overwrite``.
    """
    if path.is_dir():
        raise ExportError(f"{path} is a folder. Give the name of a file.")
    if not path.parent.is_dir():
        raise ExportError(f"The folder {path.parent} does not exist. Make it first, or choose another.")
    if not os.access(path.parent, os.W_OK):
        raise ExportError(f"The folder {path.parent} cannot be written to. Choose another.")
    if os.path.lexists(path) and not overwrite:
        raise ExportError(f"{path} exists and is not overwritten. Choose another name, or say that it may be replaced.")


@contextlib.contextmanager
def temporary_files(path: Path) -> Iterator[Iterator[Path]]:
    """Give names beside ``path`` for the steps of making it; what still stands under them at the end is removed."""
    _sweep(path.parent)
    names: list[Path] = []

    def more() -> Iterator[Path]:
        while True:
            names.append(path.with_name(f".saving-{uuid.uuid4().hex}{path.suffix.lower()}"))
            yield names[-1]

    try:
        yield more()
    finally:
        for name in names:
            with contextlib.suppress(OSError):
                name.unlink()


def cannot_write(path: Path, error: OSError) -> ExportError:
    """What to tell people when ``path`` could not be written. A full disk is found out from the disk itself.

    The encoders say of a full disk only that something went wrong.
    """
    with contextlib.suppress(OSError):
        if error.errno in (errno.ENOSPC, errno.EDQUOT) or shutil.disk_usage(path.parent).free < _LITTLE:
            return ExportError(f"{path} cannot be written: the disk is full. Make room, or choose another place.")
    reason = error.strerror or str(error)
    return ExportError(f"{path} cannot be written: {reason}. Choose another place.")


def flush(path: Path) -> None:
    """Wait until a file's content is on the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def publish(temporary: Path, path: Path, *, overwrite: bool) -> None:
    """Give a finished file its name in one step, and wait until the name is on the disk.

    Raises:
        ExportError: a file of that name came into being meanwhile and may not be replaced.
        OSError: the folder cannot be written to.
    """
    if overwrite:
        temporary.replace(path)
    else:
        try:
            os.link(temporary, path)  # the one step that fails where the name is taken
        except FileExistsError as error:
            raise ExportError(f"{path} came into being meanwhile and is not overwritten.") from error
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EACCES):
                raise
            check_target(path, overwrite=False)  # a disk without links (FAT): the next best
            temporary.replace(path)
    sync_names(path.parent)


def _sweep(folder: Path) -> None:
    """Remove what a killed export left here; a running one is younger than a day."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _TEMPORARY.fullmatch(entry.name) and time.time() - entry.stat().st_mtime > _ABANDONED_SECONDS:
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)

"""A wish to go back to a backup: written down while the data is open, fulfilled by the next program that opens it."""

from __future__ import annotations

import contextlib
import logging
from pathlib import Path

from app.core.atomic_file import write_atomically
from app.core.store import errors
from app.core.store.store import Store

log = logging.getLogger(__name__)

_WISH = "restore-next"


def wish(folder: Path, number: int) -> None:
    """Have the backup of ``number`` put in place before the data is opened again. Raises StoreError."""
    path = folder / _WISH
    with errors.files(path):
        write_atomically(path, str(number).encode())


def wished(folder: Path) -> int | None:
    """The number of the backup that is wished for; None for none."""
    try:
        return int((folder / _WISH).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def forget_wish(folder: Path) -> None:
    """Leave everything as it is."""
    with contextlib.suppress(OSError):
        (folder / _WISH).unlink(missing_ok=True)


def fulfil(folder: Path) -> int | None:
    """Go back to the backup that is wished for and return its number; None where none is or it cannot be done.

    While another program has the data open the wish stays.
    """
    number = wished(folder)
    if number is None:
        return None
    try:
        Store.restore(folder, number)
    except errors.InUseError:
        log.warning("Backup %d is restored when no other program has the saved data open", number)
        return None
    except errors.StoreError as error:
        log.warning("Backup %d could not be restored (%s)", number, type(error).__name__)
        number = None
    forget_wish(folder)
    return number

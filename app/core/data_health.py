"""Whether the saved data is whole: the database, the stored files, the audit log; and which backups there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.core.store.backups import Backup, list_backups

if TYPE_CHECKING:
    from pathlib import Path

    from app.core.library import Library

BACKUPS = "backups"


@dataclass(frozen=True)
class Health:
    """What a full check found. ``database`` is in SQLite's words; ``lost`` are ids of stored files that are gone.

    ``audit`` is empty, intact, unsigned or broken.
    """

    database: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    audit: str = "empty"

    @property
    def is_whole(self) -> bool:
        """Whether nothing is wrong; an unsigned end of the log is not."""
        return not self.database and not self.lost and self.audit != "broken"


@dataclass(frozen=True)
class BackupFile:
    """A backup with its length in bytes."""

    backup: Backup
    size: int


def check(library: Library) -> Health:
    """Check everything that can be checked without keys. Raises StoreError where the data cannot be opened."""
    store = library.store
    found = store.database.integrity()
    if found:
        return Health(tuple(found))
    return Health((), tuple(store.blobs.lost()), library.audit.verify().state)


def backups_in(folder: Path) -> tuple[BackupFile, ...]:
    """The backups of the data folder ``folder``, newest first; also while the database itself cannot be opened."""
    found = []
    for backup in list_backups(folder / BACKUPS):
        try:
            found.append(BackupFile(backup, backup.path.stat().st_size))
        except OSError:  # dropped meanwhile
            continue
    return tuple(found)

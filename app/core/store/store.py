"""The data folder of the studio: database, stored files, keys and backups, for window and command line alike."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs
from filelock import FileLock, Timeout

from app.core.settings import APP_NAME
from app.core.store import errors, keyrings
from app.core.store.backups import Backups, list_backups, restore_from
from app.core.store.blobs import Blobs
from app.core.store.database import Database
from app.core.store.keys import Keys
from app.core.store.master import Master, ScryptCost
from app.core.store.private import private_folder

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

log = logging.getLogger(__name__)

DATABASE_NAME = "library.db"
FOLDER_VARIABLE = "VOXCPM_DATA"
PASSPHRASE_VARIABLE = "VOXCPM_PASSPHRASE"
_LOCK = "lock"


def default_data_folder() -> Path:
    """Return where this user's voices and takes live: ``VOXCPM_DATA``, or the system's place for such data."""
    given = os.environ.get(FOLDER_VARIABLE, "")
    return Path(given).expanduser() if given else _usual_folder()


def _usual_folder() -> Path:
    return Path(platformdirs.user_data_dir(APP_NAME, appauthor=False))


class Store:
    """An open data folder. Several programs may have the same one open; each has its own ``temporary`` folder.

    Make one with ``Store.open``; close it, or use it in a ``with`` statement.
    """

    def __init__(
        self, folder: Path, database: Database, temporary: Path, lock: FileLock | None, master: Master
    ) -> None:
        self.folder = folder
        self.database = database
        self.temporary = temporary
        self.backups = Backups(database, folder / "backups")
        self.blobs = Blobs(database, folder / "blobs", temporary)
        self.keys = Keys(database, master, self.backups.catch_up)
        self._lock = lock
        self._maintenance: threading.Thread | None = None

    @classmethod
    def open(
        cls,
        folder: Path | None = None,
        *,
        readonly: bool = False,
        passphrase: str | None = None,
        find_keyring: Callable[[], KeyringBackend | None] = keyrings.system_keyring,
        cost: ScryptCost | None = None,
    ) -> Store:
        """Open a data folder, making it if need be: bring it up to date, check it, sweep what was temporary.

        A backup that is due is made by a thread of its own, see ``wait_for_maintenance``.
        ``passphrase`` comes from ``VOXCPM_PASSPHRASE`` where it is not given. Keys are looked for on first need:
        a wrong passphrase is told by ``keys.notice`` and by what needs a key, not here.

        Raises:
            DamagedError: the database is not intact, or has vanished; ``Store.restore`` brings the newest intact
                backup back.
            ForeignError, NewerError, MigrationError, BusyError, DiskFullError, ReadOnlyError, StoreAccessError: see
                there.
        """
        if folder is None:
            folder = default_data_folder()
            if not readonly and folder == _usual_folder() and folder.is_dir():
                with contextlib.suppress(OSError):  # made by a part of the studio that did not close it to others
                    folder.chmod(0o700)
        if not (folder / DATABASE_NAME).exists() and list_backups(folder / "backups"):
            raise errors.DamagedError(
                f"{folder / DATABASE_NAME} is missing, and there are backups of it. Restore the newest intact one."
            )
        database = Database.open(folder / DATABASE_NAME, readonly=readonly)
        temporary, lock = folder / "temp", None
        try:
            if found := database.integrity():  # all of it: 0.1 s for 10,000 takes, and the quick one misses lost rows
                raise errors.DamagedError(
                    f"{database.path} is damaged ({found[0]}). Restore the newest intact backup; the damaged file is "
                    "kept."
                )
            if not readonly:
                with errors.files(folder):
                    temporary, lock = _own_temporary(folder / "temp")
        except BaseException:
            database.close()
            raise
        passphrase = passphrase or os.environ.get(PASSPHRASE_VARIABLE) or None
        store = cls(folder, database, temporary, lock, Master(database, passphrase, find_keyring, cost))
        if not readonly:
            store._maintenance = threading.Thread(target=store._maintain, name="store maintenance")
            store._maintenance.start()
        return store

    @staticmethod
    def restore(folder: Path | None = None, number: int | None = None) -> Path:
        """Put the newest intact backup, or that of ``number``, in place of the database; return which one it was.

        The database that was there is kept beside it for 30 days, or until a voice is deleted.

        Raises:
            InUseError: a program has the folder open.
            NoBackupError, DiskFullError, ReadOnlyError, StoreAccessError: nothing was changed.
        """
        folder = folder or default_data_folder()
        with errors.files(folder), FileLock(_gate(folder / "temp"), mode=0o600):
            if _sweep(folder / "temp"):
                raise errors.InUseError("A window or command of the studio has the saved data open. Close it first.")
            return restore_from(folder / DATABASE_NAME, folder / "backups", number)

    def keep_up(self) -> bool:
        """Make the backup of the day unless there is one, and tidy up after it; whether one was made.

        Raises StoreError: what is left is done the next time.
        """
        self.backups.catch_up()
        if self.backups.run_if_due() is None:
            return False
        if not self.backups.drop_old_damaged(time.time()):  # else what it knows could not be brought back with it
            self.blobs.sweep()
        return True

    def wait_for_maintenance(self) -> None:
        """Return when the backup that was due at opening is done, or has failed (which is logged)."""
        if self._maintenance is not None:
            self._maintenance.join()

    def close(self) -> None:
        """Close the database and remove the temporary folder, after the backup; nothing else may be under way."""
        self.wait_for_maintenance()
        self.database.close()
        if self._lock is not None:
            shutil.rmtree(self.temporary, ignore_errors=True)
            self._lock.release()
            shutil.rmtree(self.temporary, ignore_errors=True)  # Windows keeps a locked file

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _maintain(self) -> None:
        """Do what can wait if it fails: the store is open and sound."""
        try:
            self.keep_up()
        except errors.StoreError:
            log.warning("The saved data could not be backed up or tidied up", exc_info=True)


def _gate(temp: Path) -> Path:
    return private_folder(temp) / "gate"


def _own_temporary(temp: Path) -> tuple[Path, FileLock]:
    """Sweep what programs that ended left in ``temp`` and make a folder that is swept when this program has ended."""
    with FileLock(_gate(temp), mode=0o600):  # nobody sweeps a folder between its making and its locking
        _sweep(temp)
        own = private_folder(temp / uuid.uuid4().hex)
        lock = FileLock(own / _LOCK, mode=0o600)
        lock.acquire(timeout=0)
    return own, lock


def _sweep(temp: Path) -> int:
    """Remove the folders of programs that have ended; return how many others there are."""
    living = 0
    for path in temp.iterdir():
        if not path.is_dir():
            continue
        lock = FileLock(path / _LOCK)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            living += 1
            continue
        shutil.rmtree(path, ignore_errors=True)
        lock.release()
        shutil.rmtree(path, ignore_errors=True)
    return living

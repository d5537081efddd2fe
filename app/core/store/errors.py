"""What can go wrong with the store, one class per kind; every message says what happened and what to do."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

_SIDE_FILES = 64 << 10  # bytes that SQLite needs beside a database to open it


class StoreError(Exception):
    """Base of everything below: something about saved voices, takes, records or keys could not be done."""


class DiskFullError(StoreError):
    """There is no room left; nothing that was saved before is touched."""


class ReadOnlyError(StoreError):
    """The folder or file cannot be written to."""


class StoreAccessError(StoreError):
    """The system did not let a file be opened, read or written."""


class DamagedError(StoreError):
    """The database is not intact."""


class BusyError(StoreError):
    """Another window or command kept the database to itself for too long."""


class ForeignError(StoreError):
    """The file is the database of another program."""


class NewerError(StoreError):
    """The database was written by a newer version of the studio."""


class MigrationError(StoreError):
    """The database could not be brought up to this version; it is as it was before."""


class InUseError(StoreError):
    """Another window or command has the store open."""


class NoBackupError(StoreError):
    """There is no intact backup."""


class BlobError(StoreError):
    """Base of what can go wrong with a stored file."""


class BlobMissingError(BlobError):
    """A stored file is not there."""


class BlobDamagedError(BlobError):
    """A stored file is not what was put in, or the key is another one."""


class KeysError(StoreError):
    """Base of what can go wrong with keys."""


class KeysLockedError(KeysError):
    """The master key is not at hand: a passphrase is needed, or the keyring of this computer."""


class WrongPassphraseError(KeysLockedError):
    """The passphrase is not the one that was chosen."""


class WeakPassphraseError(KeysError, ValueError):
    """The passphrase is too short to protect anything."""


class KeyringError(KeysError):
    """The keyring of this computer does not answer, or keeps nothing."""


class KeyExistsError(KeysError):
    """There is a key for this voice already."""


class KeyMissingError(KeysError):
    """There was never a key for this voice."""


class KeyLostError(KeysError):
    """The key was made while nothing lasting protected it, and the program has ended since."""


class KeyDestroyedError(KeysError):
    """The voice was deleted and its key with it; what it protected cannot be read any more."""


def from_sqlite(error: sqlite3.Error, path: Path) -> StoreError | None:
    """Return what ``error`` means for people, or None when it is about the statement and not about the file.

    The code is the primary result code of https://www.sqlite.org/rescode.html.
    """
    code = getattr(error, "sqlite_errorcode", None)
    if code is None and "decode to UTF-8" in str(error):  # Python's own word, for a text that was changed on the disk
        code = sqlite3.SQLITE_CORRUPT
    match None if code is None else code & 0xFF:
        case sqlite3.SQLITE_FULL:
            return _full(path)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return _closed(path)
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return DamagedError(f"{path} is damaged. Restore the newest intact backup; the damaged file is kept.")
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return BusyError(f"Another window or command is writing to {path}. Wait until it is done and try again.")
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_IOERR if (meant := _of_the_disk(path)) is not None:
            return meant
        case sqlite3.SQLITE_CANTOPEN:
            return StoreAccessError(f"{path} cannot be opened. Check that its folder exists and may be read.")
        case sqlite3.SQLITE_IOERR:
            return StoreAccessError(f"The disk did not read or write {path} ({error}). Check the disk and try again.")
    return None


def _of_the_disk(path: Path) -> StoreError | None:
    """What the disk itself says where SQLite only says that it could not: its side files need a place of their own."""
    try:
        if path.exists() and not os.access(path.parent, os.W_OK):
            return _closed(path)
        if shutil.disk_usage(path.parent).free < _SIDE_FILES:
            return _full(path)
    except OSError:  # the folder is gone
        pass
    return None


def _full(path: Path) -> DiskFullError:
    return DiskFullError(f"The disk is full: nothing was saved to {path}. Make room and try again.")


def _closed(path: Path) -> ReadOnlyError:
    return ReadOnlyError(f"{path} cannot be written to. Check who may read and write its folder.")


@contextlib.contextmanager
def files(path: Path) -> Iterator[None]:
    """Turn an OSError about ``path`` into DiskFullError, ReadOnlyError or StoreAccessError."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _full(path) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise _closed(path) from error
        if error.errno in (errno.ENOENT, errno.ENOTDIR):
            missing = error.filename or path
            raise StoreAccessError(f"{missing} is not there (any more). Check the name and its folder.") from error
        said = f"The disk did not read or write {path} ({error.strerror or error}). Check the disk and try again."
        raise StoreAccessError(said) from error

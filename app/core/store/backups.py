"""Copies of the database: the newest of each of 7 days, 4 weeks and 12 months; and the way back from them.

Which copy is newer is told by a number in its name, never by a clock. A backup never keeps what was destroyed: keys of
deleted voices are taken out of all of them.
"""

from __future__ import annotations

import contextlib
import logging
import re
import shutil
import sqlite3
import threading
from collections.abc import Callable, Hashable, Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from app.core.atomic_file import sync_names
from app.core.store import errors
from app.core.store.database import APPLICATION_ID, Database, remove_halves
from app.core.store.private import sync_file

log = logging.getLogger(__name__)

DAYS, WEEKS, MONTHS = 7, 4, 12
DAMAGED_DAYS = 30
"""A database that a restore replaced is kept that long, and with it the stored files that only it knows."""
_NAME = re.compile(r"(\d{8})-(\d{4}-\d\d-\d\d)\.db")
_SIDES = ("-wal", "-shm", "-journal")
TABLES_OF_VOICE = ("consent_versions", "voice_files", "voice_latents", "foreign_signers", "voice_uses")
FORGET_VOICE = (
    "UPDATE voices SET state = 'deleted', card = NULL, head = NULL, cause = NULL, complaint = NULL, "
    "reference_until = NULL, raw_until = NULL WHERE voice_id = ?"
)


class Backup(NamedTuple):
    """One copy. ``number`` rises with each; ``made_on`` is what the calendar of this computer said."""

    number: int
    made_on: date
    path: Path


def list_backups(folder: Path) -> list[Backup]:
    """Return the copies in ``folder``, newest first; other files there are passed over."""
    found = []
    for path in folder.iterdir() if folder.is_dir() else ():
        if match := _NAME.fullmatch(path.name):
            with contextlib.suppress(ValueError):  # no such day
                found.append(Backup(int(match[1]), date.fromisoformat(match[2]), path))
    return sorted(found, reverse=True)


def number_of(path: Path) -> int:
    """The number in the name of a backup. ValueError for another file."""
    match = _NAME.fullmatch(path.name)
    if match is None:
        raise ValueError(f"{path.name} is no backup")
    return int(match[1])


def worth_keeping(backups: Sequence[Backup]) -> list[Backup]:
    """Return which of the copies (newest first) stay: two, and the newest of each of 7 days, 4 weeks, 12 months."""
    kept: set[Backup] = set(backups[:2])  # should one be damaged
    spans: tuple[tuple[int, Callable[[date], Hashable]], ...] = (
        (DAYS, lambda day: day),
        (WEEKS, lambda day: day.isocalendar()[:2]),
        (MONTHS, lambda day: (day.year, day.month)),
    )
    for count, span_of in spans:
        newest: dict[Hashable, Backup] = {}
        for backup in backups:
            if len(newest) < count or span_of(backup.made_on) in newest:
                newest.setdefault(span_of(backup.made_on), backup)
        kept |= set(newest.values())
    return [backup for backup in backups if backup in kept]


class Backups:
    """The copies of ``database`` in ``folder``; ``today`` returns the day of this computer."""

    def __init__(self, database: Database, folder: Path, today: Callable[[], date] = date.today) -> None:
        self._database = database
        self._folder = folder
        self._today = today
        self._lock = threading.Lock()

    def run_if_due(self) -> Path | None:
        """Make a copy unless the newest one is of today, and drop those that are not worth keeping any more.

        Raises as ``run``.
        """
        remove_halves(self._folder)  # of a program that was killed, and they hold what may have been deleted since
        newest = list_backups(self._folder)[:1]
        if newest and newest[0].made_on == self._today():
            return None
        return self.run()

    def run(self) -> Path:
        """Make a copy now, and look that it is intact.

        Raises:
            DiskFullError, ReadOnlyError, StoreAccessError, DamagedError: no copy was made; the older ones are there.
        """
        with self._lock:
            there = list_backups(self._folder)
            number = there[0].number + 1 if there else 1
            path = self._folder / f"{number:08d}-{self._today().isoformat()}.db"
            self._database.backup(path)
            if not _is_good(path):
                path.unlink(missing_ok=True)
                raise errors.DamagedError(f"The backup of {self._database.path} is not intact. Check the disk.")
            there = list_backups(self._folder)
            with errors.files(self._folder):
                for backup in set(there) - set(worth_keeping(there)):
                    backup.path.unlink(missing_ok=True)
                sync_names(self._folder)
        log.info("The database was backed up as %s", path.name)
        return path

    def catch_up(self) -> None:
        """Take destroyed keys and deleted takes out of all copies and give them the present passphrase.

        Nothing to do is quick.
        Damaged databases that a restore has kept go when a key is destroyed: nothing can be taken out of them.
        The log of the database is emptied too. What a crash or a long reader prevents is done at the next start.
        """
        with self._lock:
            with self._database.read() as connection:
                if not connection.execute("SELECT 1 FROM store_facts WHERE name = 'backups_behind'").fetchone():
                    return
                gone = [tuple(row) for row in connection.execute("SELECT name FROM destroyed_keys")]
                slots = [tuple(row) for row in connection.execute("SELECT * FROM master_slots")]
                takes, stones = _deleted_takes(connection), _tombstones(connection)
            if not self._database.scrub():
                return  # somebody is reading what is to be gone
            amended = [
                _amend(path, gone, slots, takes, stones) for path in sorted(self._folder.glob("*.db"))
            ]  # all, come what may
            if not all(amended):
                return
            if gone:
                self._remove_damaged()
            with self._database.write() as connection:
                same = len(gone) == connection.execute("SELECT count(*) FROM destroyed_keys").fetchone()[0]
                same = same and len(takes) == len(_deleted_takes(connection))
                if same and slots == [tuple(row) for row in connection.execute("SELECT * FROM master_slots")]:
                    connection.execute("DELETE FROM store_facts WHERE name = 'backups_behind'")

    def drop_old_damaged(self, now: float) -> bool:
        """Delete what a restore has kept once it is ``DAMAGED_DAYS`` old (``now``: seconds); whether any is left."""
        path, left = self._database.path, False
        for kept in path.parent.glob(f"{path.name}.damaged-*"):
            with errors.files(kept):
                old = now - kept.stat().st_mtime > DAMAGED_DAYS * 24 * 3600
                if old:
                    kept.unlink(missing_ok=True)
            left = left or not old
        return left

    def _remove_damaged(self) -> None:
        path = self._database.path
        for kept in path.parent.glob(f"{path.name}.damaged-*"):
            log.warning("%s was deleted: it may hold the key of a deleted voice", kept.name)
            with errors.files(kept):
                kept.unlink(missing_ok=True)


def _deleted_takes(connection: sqlite3.Connection) -> list[str]:
    if not _has(connection, "deleted_takes"):
        return []
    return [row[0] for row in connection.execute("SELECT take_id FROM deleted_takes")]


def _remove_takes(connection: sqlite3.Connection, takes: list[str]) -> None:
    if not _has(connection, "takes"):
        return
    found = False
    for take_id in takes:
        row = connection.execute("SELECT seq FROM takes WHERE take_id = ?", (take_id,)).fetchone()
        if row is not None:
            found = True
            connection.execute("DELETE FROM take_search WHERE rowid = ?", row)
            connection.execute("DELETE FROM takes WHERE seq = ?", row)
            connection.execute("DELETE FROM blob_uses WHERE owner = ?", (f"take:{take_id}",))
    if found:  # the index keeps what was deleted until its parts are merged
        connection.execute("INSERT INTO take_search (take_search) VALUES ('optimize')")


def _tombstones(connection: sqlite3.Connection) -> list[tuple[str, bytes]]:
    if not _has(connection, "tombstones"):
        return []
    return [(row[0], bytes(row[1])) for row in connection.execute("SELECT voice_id, stone FROM tombstones")]


def _remove_voices(connection: sqlite3.Connection, stones: list[tuple[str, bytes]]) -> None:
    """Make deleted voices deleted here too: after a restore they must not stand there again as locked ones."""
    if not _has(connection, "tombstones"):
        return
    for voice_id, stone in stones:
        there = connection.execute("SELECT 1 FROM voices WHERE voice_id = ? AND state <> 'deleted'", (voice_id,))
        if there.fetchone() is None:
            continue
        connection.execute(FORGET_VOICE, (voice_id,))
        for table in TABLES_OF_VOICE:
            if _has(connection, table):
                connection.execute(f"DELETE FROM {table} WHERE voice_id = ?", (voice_id,))
        connection.execute("DELETE FROM blob_uses WHERE owner = ?", (f"voice:{voice_id}",))
        connection.execute("INSERT OR IGNORE INTO tombstones VALUES (?, ?)", (voice_id, stone))


def _has(connection: sqlite3.Connection, table: str) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,)).fetchone() is not None


def _amend(
    path: Path,
    gone: list[tuple[str]],
    slots: list[tuple[object, ...]],
    takes: list[str],
    stones: list[tuple[str, bytes]],
) -> bool:
    """Change one copy. A damaged one is deleted: it serves nobody and may hold what should be gone."""
    try:
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("BEGIN IMMEDIATE")
            _remove_takes(connection, takes)
            _remove_voices(connection, stones)
            if _has(connection, "keys"):
                connection.executemany("DELETE FROM keys WHERE name = ?", gone)
                connection.executemany("INSERT OR IGNORE INTO destroyed_keys VALUES (?)", gone)
                connection.execute("DELETE FROM master_slots")
                connection.executemany("INSERT INTO master_slots VALUES (?, ?, ?, ?, ?, ?, ?)", slots)
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        if not isinstance(errors.from_sqlite(error, path), errors.DamagedError):
            log.warning("The backup %s could not be brought up to date yet (%s)", path.name, error)
            return False
        log.warning("The backup %s is damaged and was deleted", path.name)
        path.unlink(missing_ok=True)
    return True


def restore_from(database_path: Path, folder: Path, number: int | None = None) -> Path:
    """Put an intact copy in place of the database, which is kept beside it: the newest one, or the one of ``number``.

    Returns the copy's path. No program may have the database open.

    Raises:
        NoBackupError: no copy is intact; nothing was changed.
        DiskFullError, ReadOnlyError, StoreAccessError: the copy could not be put in place.
    """
    for backup in list_backups(folder):
        if number is not None and backup.number != number:
            continue
        if not _is_good(backup.path):
            log.warning("The backup %s is not intact", backup.path.name)
            continue
        part = database_path.with_name(database_path.name + ".restored")
        with errors.files(database_path):
            part.unlink(missing_ok=True)
        source = Database(backup.path, readonly=True, busy_seconds=5.0)
        try:
            source.backup(part)
        finally:
            source.close()
        with errors.files(database_path):
            _set_aside(database_path)
            part.replace(database_path)
            sync_names(database_path.parent)
        log.warning("The database was restored from %s", backup.path.name)
        return backup.path
    which = "intact backup" if number is None else f"intact backup with the number {number}"
    raise errors.NoBackupError(f"There is no {which} in {folder}. The database was left as it is.")


def _set_aside(path: Path) -> None:
    """Give a damaged database a second name and take its log away, which must not be applied to the restored one.

    The first name stays until the restored file replaces it: where there is none, a new database would be made.
    """
    number = 1
    while path.with_name(f"{path.name}.damaged-{number}").exists():
        number += 1
    kept = path.with_name(f"{path.name}.damaged-{number}")
    if path.exists():
        try:
            kept.hardlink_to(path)
        except OSError:  # a disk without hard links
            shutil.copyfile(path, kept)
            sync_file(kept)
    for side in _SIDES:
        old = path.with_name(path.name + side)
        if old.exists():
            old.replace(kept.with_name(kept.name + side))
    sync_names(path.parent)


def _is_good(path: Path) -> bool:
    try:
        uri = path.absolute().as_uri() + "?mode=rw"  # so that a change that was cut short is undone
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
            ours = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
            return ours and [tuple(row) for row in connection.execute("PRAGMA integrity_check")] == [("ok",)]
    except sqlite3.Error:
        return False

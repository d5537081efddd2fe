"""One SQLite database, used by several threads and programs at once; what ``write`` has returned from lasts."""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from app.core.atomic_file import create_private, sync_names
from app.core.store import errors, migration
from app.core.store.keyless import keyless
from app.core.store.migration import Migration
from app.core.store.migrations import MIGRATIONS
from app.core.store.private import private_folder, sync_file

log = logging.getLogger(__name__)

APPLICATION_ID = 0x56435350  # "VCSP"
_BUSY_SECONDS = 20.0
_SCRUB_SECONDS = 1.0
_MOST_IDLE = 4
"""Connections that stay open for the next that needs one."""


class _Session:
    """A connection, and what the thread that uses it is in the middle of."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.depth = 0
        self.writing = False
        self.after_commit: list[Callable[[], None]] = []


class Database:
    """The database at ``path``. Threads may share it: each has a connection to itself while it uses one.

    Connections are lent and given back, not kept with the thread: what belongs to a thread goes while Python takes the
    thread apart, where closing a connection crashed (threads that Qt begins, one for every piece of work).

    Every failure of the disk or the file is a class of ``app.core.store.errors``; errors of a statement itself
    (``sqlite3.IntegrityError`` and the like) pass as they are. Make one with ``Database.open``.
    """

    def __init__(self, path: Path, *, readonly: bool, busy_seconds: float) -> None:
        self.path = path
        self.readonly = readonly
        self._busy_seconds = busy_seconds
        self._lent: dict[int, _Session] = {}  # by thread
        self._idle: list[_Session] = []
        self._lending = threading.Lock()
        self._writer = threading.Lock()
        self._closed = False
        self._newest = 0

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        readonly: bool = False,
        migrations: Sequence[Migration] = MIGRATIONS,
        busy_seconds: float = _BUSY_SECONDS,
    ) -> Database:
        """Open the database, make it if need be, and bring it up to date; an old one is backed up beside it first.

        ``busy_seconds`` >= 0 is how long a writer waits for another one.

        Raises:
            ForeignError: the file belongs to another program.
            NewerError: a newer version wrote it.
            DamagedError, BusyError, ReadOnlyError, DiskFullError, StoreAccessError: see there.
            MigrationError: a step failed; nothing was changed.
        """
        migration.check(migrations)
        database = cls(path, readonly=readonly, busy_seconds=busy_seconds)
        database._newest = migrations[-1].number if migrations else 0
        try:
            if not readonly:
                database._make_file()
            database._migrate(migrations)
        except BaseException:
            database.close()
            raise
        return database

    def close(self) -> None:
        """Close all connections; nothing may be under way."""
        with self._lending:
            self._closed = True
            sessions = [*self._idle, *self._lent.values()]
            self._idle.clear()
        for session in sessions:
            session.connection.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextlib.contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Give a connection that sees one moment of the database. Inside ``write`` it sees what was written so far."""
        with self._translated(), self._session() as session:
            if session.depth == 0:
                session.connection.execute("BEGIN")
            session.depth += 1
            try:
                if session.depth == 1:  # the moment is that of the first look, so look now
                    session.connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
                yield session.connection
            finally:
                session.depth -= 1
                if session.depth == 0 and session.connection.in_transaction:
                    session.connection.execute("ROLLBACK")

    @contextlib.contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Give a connection that writes: all of it or, after an exception, nothing. What returned lasts.

        Writers take turns, between threads and between programs. A ``write`` inside a ``write`` of the same thread
        joins it: it lasts when the outer one returns, and an exception that leaves the inner one undoes the inner part.

        Raises:
            RuntimeError: the thread is inside ``read``, which would not see what is written.
        """
        with self._session() as session:
            if session.writing:
                with self._translated(), self._nested(session):
                    yield session.connection
                return
            if session.depth:
                raise RuntimeError("finish reading before writing")
            with self._translated():
                if self.readonly:
                    raise errors.ReadOnlyError(f"{self.path} was opened for reading only.")
                if not self._writer.acquire(timeout=self._busy_seconds):
                    raise errors.BusyError(
                        f"Something else is still being saved to {self.path}. Try again in a moment."
                    )
                try:
                    session.connection.execute("BEGIN IMMEDIATE")
                    session.writing, session.depth = True, 1
                    try:
                        self._refuse_newer(session.connection)
                        yield session.connection
                        session.connection.execute("COMMIT")
                    except BaseException:
                        session.after_commit.clear()
                        if session.connection.in_transaction:
                            session.connection.execute("ROLLBACK")
                        raise
                    finally:
                        session.writing, session.depth = False, 0
                finally:
                    self._writer.release()
            callbacks, session.after_commit = session.after_commit, []
        for callback in callbacks:
            try:
                callback()
            except errors.StoreError:  # what was written lasts all the same, so the writer must not hear of a failure
                log.warning("Tidying up after a change is left for later", exc_info=True)

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` once the write under way lasts, and not if it is undone. Only inside ``write``.

        The callback finishes what a crash may leave undone as well, so it can be done later; it may write itself.
        A StoreError in it is logged.
        """
        session = self._lent.get(threading.get_ident())
        if session is None or not session.writing:
            raise RuntimeError("after_commit belongs inside write")
        session.after_commit.append(callback)

    def refuse_inside_write(self) -> None:
        """Raise RuntimeError when this thread is writing: what follows must not be undone with it."""
        session = self._lent.get(threading.get_ident())
        if session is not None and session.writing:
            raise RuntimeError("not inside write")

    def integrity(self, *, quick: bool = False) -> list[str]:
        """Return what is wrong with the file, in SQLite's words; empty when all is well.

        ``quick`` leaves out the comparison of indexes with their tables, and of tables with each other.
        """
        try:
            with self.read() as connection:
                rows = connection.execute(f"PRAGMA {'quick_check' if quick else 'integrity_check'}").fetchall()
                found = [str(row[0]) for row in rows if row[0] != "ok"]
                broken = [] if quick else connection.execute("PRAGMA foreign_key_check").fetchall()
                without = [] if quick or found else keyless(connection)
        except errors.DamagedError as error:
            return [str(error.__cause__ or error)]
        return found + [f"a row of {row[0]} refers to nothing in {row[2]}" for row in broken] + without

    def backup(self, target: Path) -> None:
        """Copy one moment of the database to the new file ``target``, which lasts and is whole, or is not there.

        Raises:
            DiskFullError, ReadOnlyError, StoreAccessError: the copy could not be written; nothing is left of it.
        """
        # Two programs may back up at the same moment, so that each writes under a name of its own.
        part = target.with_name(f"{target.name}.{os.getpid()}.{uuid.uuid4().hex[:8]}.part")
        with errors.files(target):
            private_folder(target.parent)
            remove_halves(target.parent)
            os.close(create_private(part))
        try:
            copy = sqlite3.connect(part)
            try:
                copy.execute("PRAGMA synchronous = OFF")  # the whole file is made to last below
                with self._translated(), self._session() as session:
                    session.connection.backup(copy)
                    copy.execute("PRAGMA journal_mode = DELETE")  # a single file, whoever opens it
            finally:
                copy.close()
            with errors.files(target):
                sync_file(part)
                part.replace(target)
                sync_names(target.parent)
        except BaseException:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
            raise

    def scrub(self) -> bool:
        """Empty the write-ahead log, so that no file keeps what was deleted. False: somebody was still reading."""
        with self._translated(), self._session() as session:
            connection = session.connection
            connection.execute(f"PRAGMA busy_timeout = {int(1000 * min(_SCRUB_SECONDS, self._busy_seconds))}")
            try:
                return bool(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0)
            finally:
                connection.execute(f"PRAGMA busy_timeout = {int(1000 * self._busy_seconds)}")

    def _make_file(self) -> None:
        with errors.files(self.path):
            private_folder(self.path.parent)
            if self.path.exists():
                return
            with contextlib.suppress(FileExistsError):
                os.close(create_private(self.path))  # SQLite gives its side files the same rights
            sync_names(self.path.parent)

    def _connect(self) -> sqlite3.Connection:
        if not self.readonly:
            return self._connected("?mode=rw")
        try:
            return self._connected("?mode=ro")
        except sqlite3.OperationalError:
            waiting = self.path.with_name(f"{self.path.name}-wal")
            if os.access(self.path.parent, os.W_OK) or (waiting.exists() and waiting.stat().st_size):
                raise
            # SQLite makes files beside a database even to read it. Where nobody can make any, nobody is writing.
            return self._connected("?mode=ro&immutable=1")

    def _connected(self, how: str) -> sqlite3.Connection:
        uri = self.path.absolute().as_uri() + how
        connection = sqlite3.connect(
            uri, uri=True, timeout=self._busy_seconds, isolation_level=None, check_same_thread=False
        )
        try:
            connection.row_factory = sqlite3.Row
            found = connection.execute("PRAGMA application_id").fetchone()[0]
            if found != APPLICATION_ID and (found or connection.execute("SELECT 1 FROM sqlite_schema").fetchone()):
                raise errors.ForeignError(f"{self.path} belongs to another program. Choose another data folder.")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA secure_delete = ON")
            connection.execute("PRAGMA trusted_schema = OFF")
            if not self.readonly:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
        except BaseException:
            connection.close()
            raise
        return connection

    @contextlib.contextmanager
    def _session(self) -> Iterator[_Session]:
        """Lend this thread a session; inside, it is lent the same one again."""
        me = threading.get_ident()
        session = self._lent.get(me)
        if session is not None:
            yield session
            return
        session = self._lend(me)
        try:
            yield session
        finally:
            with self._lending:
                del self._lent[me]
                keep = not self._closed and len(self._idle) < _MOST_IDLE
                if keep:
                    self._idle.append(session)
            if not keep:
                session.connection.close()

    def _lend(self, thread: int) -> _Session:
        with self._lending:
            if self._closed:
                raise RuntimeError("the database is closed")
            session = self._idle.pop() if self._idle else None
        if session is None:
            with self._translated():
                session = _Session(self._connect())
        self._lent[thread] = session
        return session

    @contextlib.contextmanager
    def _nested(self, session: _Session) -> Iterator[None]:
        session.depth += 1
        kept = len(session.after_commit)
        name = f"part_{session.depth}"
        session.connection.execute(f"SAVEPOINT {name}")
        try:
            yield
            session.connection.execute(f"RELEASE {name}")
        except BaseException:
            del session.after_commit[kept:]
            if session.connection.in_transaction:
                session.connection.execute(f"ROLLBACK TO {name}")
                session.connection.execute(f"RELEASE {name}")
            raise
        finally:
            session.depth -= 1

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            meant = errors.from_sqlite(error, self.path)
            if meant is None:
                raise
            raise meant from error

    def _refuse_newer(self, connection: sqlite3.Connection) -> None:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > self._newest:
            raise errors.NewerError(
                f"{self.path} was written by a newer version of the studio ({version}; this one knows "
                f"{self._newest}). Start the newer version."
            )

    def _migrate(self, migrations: Sequence[Migration]) -> None:
        with self.read() as connection:
            self._refuse_newer(connection)
            todo = migration.missing(connection, migrations)
            old = connection.execute("PRAGMA user_version").fetchone()[0] > 0
        if not todo:
            return
        if self.readonly:
            raise errors.ReadOnlyError(
                f"{self.path} is of an older version and was opened for reading only. Open the studio once."
            )
        with self._session() as session:
            for step in todo:
                with self._translated():
                    session.connection.execute("PRAGMA foreign_keys = OFF")  # has no effect inside a transaction
                try:
                    with self.write() as connection:
                        if step not in migration.missing(connection, migrations):
                            continue  # another program was faster
                        if old and step is todo[0]:
                            self._back_up_before(step)
                        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                        migration.apply(connection, step)
                finally:
                    session.connection.execute("PRAGMA foreign_keys = ON")

    def _back_up_before(self, step: Migration) -> None:
        """Copy the file as it is on the disk, while this thread keeps all others from writing."""
        target = self.path.parent / "backups" / f"before-{step.number}-{self.path.name}"
        other = Database(self.path, readonly=True, busy_seconds=self._busy_seconds)
        try:
            other.backup(target)
        finally:
            other.close()


def remove_halves(folder: Path) -> None:
    """Remove the copies that programs which are gone have left half done."""
    import psutil  # not on the way to the first window

    for half in folder.glob("*.part*"):
        owner = ["", *half.name.partition(".part")[0].split(".")][-2]
        if not (owner.isdigit() and psutil.pid_exists(int(owner))):
            with contextlib.suppress(OSError):
                half.unlink(missing_ok=True)

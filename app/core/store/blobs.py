"""Files named by their content: sound, latents, evidence. They last once their row does, and go when nobody uses them.

A file is moved into place and removed only while the write lock of the database is held, so programs cannot
cross each other. Who needs a file says so with ``use`` in the transaction that refers to it; a file that is there
without being used is garbage of a crash or of a change undone, which ``sweep`` removes.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import logging
import os
import re
import time
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from app.core.atomic_file import create_private, sync_names
from app.core.store import errors, sealing
from app.core.store.database import Database
from app.core.store.private import private_folder

log = logging.getLogger(__name__)

Data = bytes | bytearray | memoryview | Iterable[bytes] | BinaryIO
"""What can be stored: all of it, or its parts one by one, or an open file."""

GRACE_SECONDS = 3600.0
_ID = re.compile(r"[pe][0-9a-f]{64}")
_PIECE = 1 << 20


class _Digest(Protocol):
    def update(self, data: bytes, /) -> None: ...
    def hexdigest(self) -> str: ...


class Blobs:
    """The stored files in ``folder``; ``temporary`` is a private folder of this program on the same disk.

    An id is ``p`` + SHA-256 of the content for plain files, and ``e`` + HMAC-SHA256 under a key derived from the
    given one for encrypted files, so that an id betrays nothing to those without the key.
    """

    def __init__(self, database: Database, folder: Path, temporary: Path) -> None:
        self._database = database
        self._folder = folder
        self._temporary = temporary

    def put(self, data: Data, *, key: bytes | None = None, owner: str | None = None) -> str:
        """Store ``data`` and return its id; the same data (with the same key) has the same id and one file.

        Encrypted (AES-256-GCM) where a ``key`` of 32 bytes is given. Inside ``database.write`` it joins that
        transaction. ``owner`` uses it at once; without, ``use`` must follow within the hour or it may be swept.

        Raises:
            DiskFullError, ReadOnlyError, StoreAccessError, BusyError: nothing was stored.
            ValueError: a key of another length.
        """
        staged = self._temporary / f"{uuid.uuid4().hex}.part"
        try:
            blob_id, size = self._stage(staged, data, key)
            with self._database.write() as connection:
                self._move_into_place(staged, self._path(blob_id))
                connection.execute(
                    "INSERT INTO blobs VALUES (?, ?, ?) ON CONFLICT (blob_id) DO UPDATE SET put_at = excluded.put_at",
                    (blob_id, size, time.time()),
                )
                if owner is not None:
                    self.use(blob_id, owner)
        finally:
            with contextlib.suppress(OSError):
                staged.unlink(missing_ok=True)
        return blob_id

    def use(self, blob_id: str, owner: str) -> None:
        """Keep a file for ``owner`` (such as ``take:<id>``) until ``release``; twice is as good as once.

        Raises:
            BlobMissingError: it is not there (any more); put it again.
        """
        with self._database.write() as connection:
            if not self.exists(blob_id):  # a crash may have left a row without its file
                raise _missing(blob_id)
            connection.execute("INSERT OR IGNORE INTO blob_uses VALUES (?, ?)", (owner, blob_id))

    def release(self, owner: str, blob_id: str | None = None) -> None:
        """End the use of one file or of all by ``owner``. What nobody uses is deleted once this lasts."""
        with self._database.write() as connection:
            ids = [blob_id] if blob_id is not None else self.used_by(owner)
            connection.executemany(
                "DELETE FROM blob_uses WHERE owner = ? AND blob_id = ?", [(owner, each) for each in ids]
            )
            self._database.after_commit(lambda: self._unlink_unused(ids))

    def used_by(self, owner: str) -> list[str]:
        """Return the ids that ``owner`` uses."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT blob_id FROM blob_uses WHERE owner = ? ORDER BY blob_id", (owner,))
            return [row[0] for row in rows]

    def get(self, blob_id: str, *, key: bytes | None = None) -> bytes:
        """Return the whole content, checked. For large ones see ``read``, which raises the same."""
        return b"".join(self.read(blob_id, key=key))

    def read(self, blob_id: str, *, key: bytes | None = None) -> Iterator[bytes]:
        """Yield the content in pieces of at most 1 MiB. The last word on damage comes after the last piece.

        Raises:
            BlobMissingError: there is no such file.
            BlobDamagedError: it is not what was put in, or ``key`` is another one.
            ValueError: an id of no known form; a key for a plain file, or none for an encrypted one.
        """
        path = self._path(blob_id)
        digest = _digest(blob_id[0] == "e", key)
        try:
            with errors.files(path), path.open("rb") as file:
                pieces = sealing.unseal(key, file) if key is not None else iter(lambda: file.read(_PIECE), b"")
                for piece in pieces:
                    digest.update(piece)
                    yield piece
        except errors.StoreAccessError as error:
            if isinstance(error.__cause__, FileNotFoundError):
                raise _missing(blob_id) from error
            raise
        except sealing.SealBrokenError as error:
            raise _damaged(blob_id) from error
        if not hmac.compare_digest(digest.hexdigest(), blob_id[1:]):
            raise _damaged(blob_id)

    def exists(self, blob_id: str) -> bool:
        """True when the file is there and known; its content is not looked at. False for anything that is no id."""
        if not _ID.fullmatch(blob_id):
            return False
        with self._database.read() as connection:
            row = connection.execute("SELECT 1 FROM blobs WHERE blob_id = ?", (blob_id,)).fetchone()
        return row is not None and self._path(blob_id).is_file()

    def size(self, blob_id: str) -> int:
        """Return the length of the content in bytes. BlobMissingError when it is not there."""
        with self._database.read() as connection:
            row = connection.execute("SELECT size FROM blobs WHERE blob_id = ?", (blob_id,)).fetchone()
        if row is None:
            raise _missing(blob_id)
        return int(row[0])

    def sweep(self, *, grace_seconds: float = GRACE_SECONDS) -> int:
        """Remove files that no row knows and files that nobody uses; return how many.

        What was put within ``grace_seconds`` may still get its first use and is spared.
        """
        with errors.files(self._folder):
            there = list(self._files())  # before the rows: what is put meanwhile is in neither list
        with self._database.read() as connection:
            known = {row[0] for row in connection.execute("SELECT blob_id FROM blobs")}
        doubtful = [path for path in there if path.name not in known]
        with self._database.write() as connection:
            now = time.time()
            rows = connection.execute(
                "SELECT blob_id, put_at FROM blobs WHERE NOT EXISTS"
                " (SELECT 1 FROM blob_uses WHERE blob_uses.blob_id = blobs.blob_id)"
            ).fetchall()
            # A put_at in the future is a clock that was set back, not a reason to keep the file for ever.
            unused = [row[0] for row in rows if not 0 <= now - row[1] < grace_seconds]
            self._unlink_unused(unused)
            strays = 0
            for path in doubtful:
                if not connection.execute("SELECT 1 FROM blobs WHERE blob_id = ?", (path.name,)).fetchone():
                    with errors.files(path):
                        path.unlink(missing_ok=True)
                    strays += 1
        if strays or unused:
            log.info("Removed %d stored files that nothing uses", strays + len(unused))
        return strays + len(unused)

    def lost(self) -> list[str]:
        """Return the ids of files that are used and are not there."""
        with self._database.read() as connection:
            known = [row[0] for row in connection.execute("SELECT DISTINCT blob_id FROM blob_uses ORDER BY blob_id")]
        there = {path.name for path in self._files()}
        return [blob_id for blob_id in known if blob_id not in there]

    def _stage(self, staged: Path, data: Data, key: bytes | None) -> tuple[str, int]:
        """Write ``data`` to a temporary file that lasts; return its id and its length."""
        digest = _digest(key is not None, key)
        size = 0

        def counted() -> Iterator[bytes]:
            nonlocal size
            for part in _parts(data):
                digest.update(part)
                size += len(part)
                yield part

        with errors.files(self._folder), os.fdopen(create_private(staged), "wb", buffering=0) as file:
            for part in counted() if key is None else sealing.seal(key, counted()):
                view = memoryview(part)
                while view:
                    view = view[file.write(view) :]
            os.fsync(file.fileno())
        return f"{'p' if key is None else 'e'}{digest.hexdigest()}", size

    def _move_into_place(self, staged: Path, path: Path) -> None:
        with errors.files(path):
            if not path.parent.is_dir():
                self._make_shelves()
            try:
                staged.replace(path)  # over one that is there too: that one may be damaged
            except PermissionError:
                if not path.is_file():
                    raise
                return  # Windows does not replace a file that is being read; that one serves as well
            sync_names(path.parent)

    def _make_shelves(self) -> None:
        """Make the folders of all files at once, which lasts with one wait for the disk instead of 256."""
        private_folder(self._folder)
        for number in range(256):
            (self._folder / f"{number:02x}").mkdir(mode=0o700, exist_ok=True)
        sync_names(self._folder)

    def _unlink_unused(self, ids: Iterable[str]) -> None:
        """Remove files and then their rows: a crash between leaves rows without use, which the next sweep removes."""
        with self._database.write() as connection:
            for blob_id in ids:
                if connection.execute("SELECT 1 FROM blob_uses WHERE blob_id = ?", (blob_id,)).fetchone():
                    continue
                try:
                    self._path(blob_id).unlink(missing_ok=True)
                except OSError:  # Windows, while it is being read: a later sweep gets it
                    log.warning("The stored file %s could not be removed yet", blob_id[:13])
                    continue
                connection.execute("DELETE FROM blobs WHERE blob_id = ?", (blob_id,))

    def _files(self) -> Iterator[Path]:
        if self._folder.is_dir():
            for shelf in sorted(path for path in self._folder.iterdir() if path.is_dir()):  # a file is of the desktop
                yield from sorted(shelf.iterdir())

    def _path(self, blob_id: str) -> Path:
        if not _ID.fullmatch(blob_id):
            raise ValueError(f"not the id of a stored file: {blob_id[:80]!r}")
        return self._folder / blob_id[1:3] / blob_id


def _digest(encrypted: bool, key: bytes | None) -> _Digest:
    if encrypted != (key is not None):
        raise ValueError("an encrypted file needs its key, and a plain one has none")
    return hmac.new(sealing.derive(key, "blob id"), digestmod="sha256") if key is not None else hashlib.sha256()


def _parts(data: Data) -> Iterator[bytes]:
    if isinstance(data, bytes | bytearray | memoryview):
        view = memoryview(data).cast("B")
        for start in range(0, len(view), _PIECE):
            yield bytes(view[start : start + _PIECE])
    elif hasattr(data, "read"):
        yield from iter(lambda: data.read(_PIECE), b"")
    else:
        yield from data


def _missing(blob_id: str) -> errors.BlobMissingError:
    return errors.BlobMissingError(
        f"The stored file {blob_id[:13]} is not there. Was the data folder changed by hand? Restore it from a copy."
    )


def _damaged(blob_id: str) -> errors.BlobDamagedError:
    return errors.BlobDamagedError(
        f"The stored file {blob_id[:13]} is damaged or belongs to another key. Restore it from a copy."
    )

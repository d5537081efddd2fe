"""The data folder as the studio uses it: store, audit log, voices and the door to them, opened when first needed.

What it is made of is imported when it is opened, so that a window can stand there before.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar, overload

if TYPE_CHECKING:
    from app.core.audit import AuditLog
    from app.core.comparisons import Comparisons
    from app.core.complaints import Complaints
    from app.core.door import Door
    from app.core.exports import Exports
    from app.core.shipped_voices import ShippedVoices
    from app.core.store import Store
    from app.core.take_store import TakeLibrary
    from app.core.voices import Voices

log = logging.getLogger(__name__)

T = TypeVar("T")
_PARTS: list[str] = []  # their names, as they are kept in a library


class _Part(Generic[T]):
    """A property that is made once, under the one lock of its library.

    ``functools.cached_property`` has a lock for each property in Python 3.11, and two threads that open parts in
    another order would wait for each other for ever.
    """

    def __init__(self, make: Callable[[Library], T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type[Library], name: str) -> None:
        self._name = name
        _PARTS.append(name)

    @overload
    def __get__(self, library: None, owner: type[Library]) -> _Part[T]: ...
    @overload
    def __get__(self, library: Library, owner: type[Library]) -> T: ...
    def __get__(self, library: Library | None, owner: type[Library]) -> _Part[T] | T:
        """Return the part; from the second time on it is found in the library itself, without coming here."""
        if library is None:
            return self
        kept = library.__dict__
        with library.lock:
            if self._name not in kept:
                kept[self._name] = self._make(library)
            made: T = kept[self._name]
            return made


class Library:
    """Opens the store in ``folder`` (default: this user's) at the first use; close it, or use it in a ``with``.

    ``now`` gives the time that records, entries and the ends of recordings are measured with. Threads may share it.
    What opens it may raise ``StoreError``; the next use tries again.
    """

    def __init__(
        self,
        folder: Path | None = None,
        passphrase: str | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.folder = folder
        self.now = now
        self.restored: int | None = None  # the backup that was put in place before the store was opened
        self.purged_at_opening = 0  # recordings that went when the voices were opened
        self._passphrase = passphrase
        self.lock = threading.RLock()  # held while a part is opened
        self._session_secrets: dict[str, bytes] = {}

    @_Part
    def store(self) -> Store:
        """The open store; one for reading only where the folder cannot be written to, which each change then says."""
        from app.core.audit import AuditLog
        from app.core.store import default_data_folder
        from app.core.store.restoring import fulfil

        self.restored = fulfil(self.folder or default_data_folder())
        store = self._opened()
        if self.restored is not None:
            AuditLog(store.database, store.keys, self.now).append("data_restored", {"backup": self.restored})
        return store

    def _opened(self) -> Store:
        from app.core.store import Store, errors

        try:
            return Store.open(self.folder, passphrase=self._passphrase)
        except errors.ReadOnlyError as refused:
            try:
                store = Store.open(self.folder, readonly=True, passphrase=self._passphrase)
            except errors.StoreError:
                raise refused from None
            log.warning("The data folder cannot be written to: it is open for reading only")
            return store

    @property
    def is_open(self) -> bool:
        """Whether the store was opened, and could be."""
        return "store" in self.__dict__

    def restore(self, number: int | None = None) -> int:
        """Put a backup (None: the newest intact one) in place of data that could not be opened; returns its number.

        Raises:
            InUseError: the store is open, here or in another program.
            NoBackupError, StoreError: nothing was changed.
        """
        from app.core.audit import AuditLog
        from app.core.store import Store, default_data_folder, errors
        from app.core.store.backups import number_of

        with self.lock:
            if self.is_open:
                raise errors.InUseError("The saved data is open. It can go back to a backup at the next start.")
            folder = self.folder or default_data_folder()
            restored = number_of(Store.restore(folder, number))
            AuditLog(self.store.database, self.store.keys, self.now).append("data_restored", {"backup": restored})
            self.restored = restored
            return restored

    @_Part
    def audit(self) -> AuditLog:
        """The audit log."""
        from app.core.audit import AuditLog

        return AuditLog(self.store.database, self.store.keys, self.now)

    @_Part
    def exports(self) -> Exports:
        """Which files left with which voices."""
        from app.core.exports import Exports

        return Exports(self.store, self.audit)

    @_Part
    def complaints(self) -> Complaints:
        """Complaints about voices."""
        from app.core.complaints import Complaints

        return Complaints(self.store, self.audit)

    @_Part
    def takes(self) -> TakeLibrary:
        """The kept takes; what other programs were given of them goes with them, or after a week."""
        from app.core import outgoing_files
        from app.core.take_store import TakeLibrary

        takes = TakeLibrary(self.store, self.audit, self.now, without_key=self._shipped)
        takes.on_deleted(partial(outgoing_files.remove, self.store.folder))
        outgoing_files.remove_old(self.store.folder)
        return takes

    @_Part
    def comparisons(self) -> Comparisons:
        """Which takes won against which."""
        from app.core.comparisons import Comparisons

        return Comparisons(self.store, self.now)

    @_Part
    def voices(self) -> Voices:
        """The saved voices; recordings whose time is over are deleted first."""
        from app.core.store import errors
        from app.core.voices import Voices

        voices = Voices(
            self.store, self.audit, delete_takes=self.takes.delete_takes_of, shipped=self._shipped, now=self.now
        )
        try:
            self.purged_at_opening = voices.enforce_retention()
        except errors.StoreError:
            log.warning("Recordings whose time is over could not be deleted", exc_info=True)
        return voices

    @_Part
    def door(self) -> Door:
        """The door to all voices; always the same, since it keeps the records of recordings that are not saved."""
        from app.core.door import Door

        return Door(self.voices)

    def secret(self, name: str, make: Callable[[], bytes]) -> bytes:
        """Return a secret of this installation, such as the key that signs exports, made by ``make`` on first need.

        While the keys are locked it is one that lasts as long as the program: a file needs its marks all the same.
        """
        from app.core.store import errors

        try:
            return self.store.keys.secret(name, make)
        except errors.KeysError:
            log.warning("The keys are not at hand; what is signed now is signed for this session only", exc_info=True)
            with self.lock:
                if name not in self._session_secrets:
                    self._session_secrets[name] = make()
                return self._session_secrets[name]

    def hear(self, event: str, facts: Mapping[str, object]) -> None:
        """Write what an export tells into the audit log, and remember which voices left with it."""
        self.exports.hear(event, facts)

    def use_noted(self, voice_id: str, kind: str, what: str, place: Path) -> None:
        """Remember what was made of a voice outside; that it cannot be is no reason to stop. See ``voice_uses``."""
        from app.core.store import errors
        from app.core.voice_uses import note_use

        try:
            note_use(self.store, voice_id, kind, what, place)
        except errors.StoreError:
            log.warning("The use of a voice by a %s could not be noted", kind, exc_info=True)

    def close(self) -> None:
        """Delete what was kept for this session and close the store; what is used afterwards is opened anew."""
        with self.lock:
            parts = {name: self.__dict__.pop(name) for name in _PARTS if name in self.__dict__}
            voices: Voices | None = parts.get("voices")
            store: Store | None = parts.get("store")
            if voices is not None and voices.keeps_for_session:
                self._end_session(voices)
            if store is not None:
                store.close()

    @staticmethod
    def _end_session(voices: Voices) -> None:
        from app.core.store import errors

        try:
            voices.enforce_retention(ending=True)
        except errors.StoreError:
            log.warning("Recordings of this session are deleted at the next start", exc_info=True)

    def __enter__(self) -> Library:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @_Part
    def _shipped(self) -> ShippedVoices:
        from app.core.shipped_voices import ShippedVoices

        return ShippedVoices()

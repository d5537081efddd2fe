"""The master key: random, held by the keyring of the computer, by a passphrase, by both, or only until the end."""

from __future__ import annotations

import hashlib
import hmac
import logging
import os
import sqlite3
import threading
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from app.core.store import errors, keyrings, sealing
from app.core.store.database import Database

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

log = logging.getLogger(__name__)

MIN_PASSPHRASE = 8


class Source(StrEnum):
    """Where the master key came from."""

    KEYRING = "keyring"
    PASSPHRASE = "passphrase"
    MEMORY = "memory"
    LOCKED = "locked"


@dataclass(frozen=True)
class ScryptCost:
    """What trying one passphrase costs: 128 * n * r bytes of memory, p times. The default, 128 MiB, is OWASP's."""

    n: int = 1 << 17
    r: int = 8
    p: int = 1


@dataclass(frozen=True)
class _State:
    """What is known of the key. ``slot`` is the row that holds it; ``problem`` is set exactly when ``key`` is None."""

    source: Source
    key: bytes | None = None
    slot: tuple[Any, ...] | None = None
    problem: errors.KeysError | None = None


class Master:
    """The master key of the store in ``database``, looked for on first need; threads may share it.

    ``passphrase`` is what the user gave beforehand (``VOXCPM_PASSPHRASE``); in a new store it is chosen by that.
    ``find_keyring`` returns the keyring to use, or None for none.
    """

    def __init__(
        self,
        database: Database,
        passphrase: str | None = None,
        find_keyring: Callable[[], KeyringBackend | None] = keyrings.system_keyring,
        cost: ScryptCost | None = None,
    ) -> None:
        self._database = database
        self._passphrase = passphrase
        self._find_keyring = find_keyring
        self._cost = cost or ScryptCost()
        # Never held while waiting for the database: a thread that writes may be asking for the key.
        self._lock = threading.Lock()
        self._state: _State | None = None

    @property
    def source(self) -> Source:
        """Where the key came from."""
        return self._look().source

    @property
    def notice(self) -> str:
        """What people must know before they save; empty when the key lasts."""
        state = self._look()
        if state.source is Source.MEMORY:
            return (
                "This computer has no usable keyring, and no passphrase was chosen. What is saved now can only be read "
                "until the program ends. Choose a passphrase to keep it."
            )
        return str(state.problem) if state.problem else ""

    @property
    def wants_passphrase(self) -> bool:
        """Whether the right passphrase would unlock the keys."""
        return self.source is Source.LOCKED and Source.PASSPHRASE in self._slots()

    def wrapping_key(self) -> tuple[bytes, bytes]:
        """Return the key that wraps others, and the id of the master key that it comes from.

        Raises:
            KeysLockedError: the master key is not at hand; the message says what would help.
        """
        key = self._key()
        return sealing.derive(key, "wrap keys"), _master_id(key)

    def check_current(self, connection: sqlite3.Connection) -> None:
        """Look that what is about to be written under the key can be read again by whoever holds the slots.

        Raises:
            KeysLockedError: another program has chosen a lasting key meanwhile; ``unlock`` keeps what was made here.
        """
        state = self._look()
        held = connection.execute("SELECT master_id FROM master_slots").fetchone()
        if held is None and state.slot is not None:  # the write that made the slot was undone by its caller
            connection.execute("INSERT INTO master_slots VALUES (?, ?, ?, ?, ?, ?, ?)", state.slot)
        elif held is not None and held[0] != _master_id(self._key()):
            raise errors.KeysLockedError(
                "A passphrase or a keyring was chosen in another window. Unlock the saved voices with it."
            )

    def unlock(self, passphrase: str | None = None) -> None:
        """Open the keys with the passphrase, or with the keyring (None) when it has become available.

        What this run made under a key of its own is kept. Not inside ``database.write``.

        Raises:
            WrongPassphraseError: it is another one.
            KeysLockedError: no passphrase was ever chosen, or the keyring does not have the key.
        """
        self._database.refuse_inside_write()
        slots = self._slots()
        if passphrase is not None:
            if Source.PASSPHRASE not in slots:
                raise errors.KeysLockedError("No passphrase was chosen for this data folder. Choose one first.")
            self._adopt(_open_slot(slots[Source.PASSPHRASE], passphrase))
        else:
            if Source.KEYRING not in slots:
                raise errors.KeysLockedError("The keyring does not hold the key of this data folder.")
            self._adopt(self._from_keyring(slots[Source.KEYRING]))

    def set_passphrase(self, new: str, old: str | None = None) -> None:
        """Choose a passphrase, or change it. Only the master key is wrapped anew, so that this is quick.

        ``old`` is needed where a passphrase is there and the keyring is not. Not inside ``database.write``.

        Raises:
            WeakPassphraseError: fewer than 8 characters.
            WrongPassphraseError: ``old`` is missing or another one.
            KeysLockedError: the master key is not at hand.
        """
        self._database.refuse_inside_write()
        _refuse_weak(new)
        slot = self._slots().get(Source.PASSPHRASE)
        if slot is not None and (old is not None or self.source is not Source.KEYRING):
            if old is None:
                raise errors.WrongPassphraseError("Give the passphrase that was chosen before as well.")
            self._adopt(_open_slot(slot, old))
        row = self._passphrase_row(self._key(), new)
        with self._database.write() as connection:
            self.check_current(connection)
            self._insert(connection, row)
        if self.source is Source.MEMORY:
            self._publish(_State(Source.PASSPHRASE, self._key(), row))

    def use_keyring(self) -> None:
        """Keep the master key in the keyring as well, so that no passphrase has to be typed.

        Raises:
            KeyringError: there is none, or it does not keep it.
            KeysLockedError: the master key is not at hand.
        """
        self._database.refuse_inside_write()
        key = self._key()
        backend = self._find_keyring()
        if backend is None:
            raise errors.KeyringError("This computer has no keyring that the studio can use. Choose a passphrase.")
        keyrings.keep(backend, self._keyring_name(_master_id(key)), key)
        row = _keyring_row(key)
        with self._database.write() as connection:
            self.check_current(connection)
            self._insert(connection, row)
        if self.source is Source.MEMORY:
            self._publish(_State(Source.KEYRING, key, row))

    def _key(self) -> bytes:
        state = self._look()
        if state.key is None:
            assert state.problem is not None
            raise state.problem
        return state.key

    def _look(self) -> _State:
        state = self._state
        if state is None:
            slots = self._slots()
            found = self._open(slots) if slots else self._begin()
            with self._lock:  # two threads may have looked at once: the first one's finding counts for both
                if self._state is None:
                    self._state = found
                state = self._state
        return state

    def _publish(self, state: _State) -> None:
        with self._lock:
            self._state = state

    def _open(self, slots: dict[str, sqlite3.Row]) -> _State:
        problem: errors.KeysError | None = None
        if Source.PASSPHRASE in slots:
            problem = errors.KeysLockedError("The saved voices are locked with a passphrase. Enter it.")
            if self._passphrase is not None:  # before the keyring, which may want somebody at the screen
                try:
                    return _open_slot(slots[Source.PASSPHRASE], self._passphrase)
                except errors.WrongPassphraseError as error:
                    problem = error
        if Source.KEYRING in slots:
            try:
                return self._from_keyring(slots[Source.KEYRING])
            except errors.KeysError as error:
                problem = problem or error
        return _State(Source.LOCKED, problem=problem)

    def _begin(self) -> _State:
        """Make the master key of a new store."""
        if self._database.readonly:
            return _State(Source.LOCKED, problem=errors.KeysLockedError("Nothing was encrypted in this folder yet."))
        key = os.urandom(sealing.KEY_BYTES)
        if self._passphrase is not None:
            try:
                _refuse_weak(self._passphrase)
            except errors.WeakPassphraseError as error:
                return _State(Source.LOCKED, problem=errors.KeysLockedError(str(error)))
            return self._begin_with(_State(Source.PASSPHRASE, key, self._passphrase_row(key, self._passphrase)))
        backend = self._find_keyring()
        if backend is not None:
            name = self._keyring_name(_master_id(key))
            try:
                keyrings.keep(backend, name, key)  # before the row: a row without its key would lock everything
            except errors.KeyringError as error:
                log.warning("The keyring is not used: %s", error)
            else:
                found = self._begin_with(_State(Source.KEYRING, key, _keyring_row(key)))
                if found.key != key:
                    keyrings.forget(backend, name)
                return found
        return _State(Source.MEMORY, key)

    def _begin_with(self, state: _State) -> _State:
        """Write the first slot; where another program or thread was faster, open theirs."""
        assert state.slot is not None
        with self._database.write() as connection:
            if connection.execute("SELECT 1 FROM master_slots").fetchone() is None:
                self._insert(connection, state.slot)
                return state
        return self._open(self._slots())

    def _adopt(self, found: _State) -> None:
        """Use another key from now on; what this run wrapped under one of its own is wrapped anew."""
        state = self._look()
        if state.source is Source.MEMORY and state.key is not None and found.key is not None:
            old, new = (sealing.derive(each, "wrap keys") for each in (state.key, found.key))
            old_id, new_id = _master_id(state.key), _master_id(found.key)
            with self._database.write() as connection:
                for row in connection.execute(
                    "SELECT name, wrapped FROM keys WHERE master_id = ?", (old_id,)
                ).fetchall():
                    wrapped = sealing.wrap(new, sealing.unwrap(old, row["wrapped"], row["name"]), row["name"])
                    connection.execute("INSERT OR IGNORE INTO keys VALUES (?, ?, ?)", (row["name"], new_id, wrapped))
                connection.execute("DELETE FROM keys WHERE master_id = ?", (old_id,))
        self._publish(found)

    def _insert(self, connection: sqlite3.Connection, row: tuple[Any, ...]) -> None:
        connection.execute("INSERT OR REPLACE INTO master_slots VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        connection.execute("INSERT OR REPLACE INTO store_facts VALUES ('backups_behind', '1')")

    def _passphrase_row(self, key: bytes, passphrase: str) -> tuple[Any, ...]:
        salt, cost = os.urandom(16), self._cost
        wrapped = sealing.wrap(_stretch(passphrase, salt, cost.n, cost.r, cost.p), key, "master")
        return (str(Source.PASSPHRASE), _master_id(key), wrapped, salt, cost.n, cost.r, cost.p)

    def _from_keyring(self, slot: sqlite3.Row) -> _State:
        backend = self._find_keyring()
        if backend is None:
            raise errors.KeysLockedError(
                "The key of the saved voices is in a keyring that is not available now. Log in to the desktop where "
                "they were saved, and try again."
            )
        try:
            key = keyrings.fetch(backend, self._keyring_name(slot["master_id"]))
        except errors.KeyringError as error:
            raise errors.KeysLockedError(str(error)) from error
        if key is None or len(key) != sealing.KEY_BYTES or _master_id(key) != slot["master_id"]:
            raise errors.KeysLockedError(
                "The keyring of this computer does not have the key of the saved voices. Open the keyring that was "
                "used when they were saved; without it they cannot be read."
            )
        return _State(Source.KEYRING, key, tuple(slot))

    def _slots(self) -> dict[str, sqlite3.Row]:
        with self._database.read() as connection:
            return {row["kind"]: row for row in connection.execute("SELECT * FROM master_slots")}

    def _keyring_name(self, master_id: bytes) -> str:
        with self._database.read() as connection:
            store_id = connection.execute("SELECT value FROM store_facts WHERE name = 'store_id'").fetchone()[0]
        return f"{store_id}-{master_id.hex()}"


def _master_id(key: bytes) -> bytes:
    return hmac.new(sealing.derive(key, "master id"), b"", "sha256").digest()[:16]


def _stretch(passphrase: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    """Scrypt (RFC 7914) of the passphrase in NFC, so that every keyboard's way of writing an accent is the same."""
    text = unicodedata.normalize("NFC", passphrase).encode()
    return hashlib.scrypt(text, salt=salt, n=n, r=r, p=p, maxmem=256 * n * r + (1 << 20), dklen=sealing.KEY_BYTES)


def _open_slot(slot: sqlite3.Row, passphrase: str) -> _State:
    stretched = _stretch(passphrase, slot["salt"], slot["n"], slot["r"], slot["p"])
    try:
        key = sealing.unwrap(stretched, slot["wrapped"], "master")
    except sealing.SealBrokenError as error:
        raise errors.WrongPassphraseError("This is not the passphrase that was chosen. Try again.") from error
    return _State(Source.PASSPHRASE, key, tuple(slot))


def _keyring_row(key: bytes) -> tuple[Any, ...]:
    return (str(Source.KEYRING), _master_id(key), None, None, None, None, None)


def _refuse_weak(passphrase: str) -> None:
    if len(unicodedata.normalize("NFC", passphrase)) < MIN_PASSPHRASE:
        raise errors.WeakPassphraseError(f"The passphrase needs at least {MIN_PASSPHRASE} characters. Add some words.")

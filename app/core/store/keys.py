"""Keys: one per voice and one per named secret, wrapped under a master key that no file ever holds in the clear."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import sqlite3
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from app.core.store import errors, sealing
from app.core.store.database import Database
from app.core.store.master import Master, Source

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

log = logging.getLogger(__name__)

_SIGNING = "signing"


class Keys:
    """The keys of a store. ``behind`` is called after a deletion, to take the key out of log and backups too.

    Whoever saves something encrypted asks ``lasting`` first and tells people ``notice`` when it is False.
    Each use of a voice's key is logged by the voice's id.
    """

    def __init__(self, database: Database, master: Master, behind: Callable[[], None]) -> None:
        self._database = database
        self.master = master
        self._behind = behind

    @property
    def source(self) -> Source:
        """Where the master key came from; LOCKED when it is not at hand. May ask the keyring, the first time."""
        return self.master.source

    @property
    def lasting(self) -> bool:
        """Whether what is encrypted now can be read after the program has ended."""
        return self.source in (Source.KEYRING, Source.PASSPHRASE)

    @property
    def notice(self) -> str:
        """What people must know before they save, in plain English; empty when all is well."""
        return self.master.notice

    @property
    def wants_passphrase(self) -> bool:
        """Whether asking for the passphrase that was chosen makes sense."""
        return self.master.wants_passphrase

    def unlock(self, passphrase: str | None = None) -> None:
        """Open the keys with the passphrase that was chosen, or with the keyring. See ``Master.unlock``."""
        self.master.unlock(passphrase)

    def set_passphrase(self, new: str, old: str | None = None) -> None:
        """Choose a passphrase, or change it; everything encrypted stays readable. See ``Master.set_passphrase``."""
        self.master.set_passphrase(new, old)
        self._catch_up()

    def use_keyring(self) -> None:
        """Keep the master key in the keyring as well. See ``Master.use_keyring``."""
        self.master.use_keyring()
        self._catch_up()

    def new_voice_key(self, voice_id: str) -> bytes:
        """Make and keep the key of a new voice: 32 random bytes. Joins a ``database.write`` that is open.

        Raises:
            KeyExistsError: the voice has one.
            KeyDestroyedError: a voice of this id was deleted; ids are not used twice.
            KeysLockedError: the master key is not at hand.
        """
        name = _voice(voice_id)
        key = os.urandom(sealing.KEY_BYTES)
        wrapping, master_id = self.master.wrapping_key()
        with self._database.write() as connection:
            self.master.check_current(connection)
            if self._destroyed(connection, name):
                raise _destroyed(voice_id)
            if connection.execute("SELECT 1 FROM keys WHERE name = ?", (name,)).fetchone():
                raise errors.KeyExistsError(f"The voice {voice_id} has a key already. Save it under a new id.")
            wrapped = sealing.wrap(wrapping, key, name)
            connection.execute("INSERT INTO keys VALUES (?, ?, ?)", (name, master_id, wrapped))
        return key

    def voice_key(self, voice_id: str) -> bytes:
        """Return the key of a voice.

        Raises:
            KeyMissingError, KeyDestroyedError, KeyLostError: there is none; see there.
            KeysLockedError: the master key is not at hand.
            DamagedError: the stored key was changed.
        """
        name = _voice(voice_id)
        with self._database.read() as connection:
            if self._destroyed(connection, name):
                raise _destroyed(voice_id)
            there = connection.execute("SELECT 1 FROM keys WHERE name = ?", (name,)).fetchone()
        if not there:
            raise errors.KeyMissingError(f"There is no key for the voice {voice_id}. Was it ever saved here?")
        key = self._find(name)
        if key is None:
            raise errors.KeyLostError(
                f"The voice {voice_id} cannot be read: it was saved while its key was only kept until the program "
                "ended. Delete it and make it again."
            )
        log.info("The key of the voice %s was used", voice_id)
        return key

    def voice_keys(self, voice_ids: Collection[str] | None = None) -> dict[str, bytes]:
        """Return the keys of many voices (None: all), for what is read together; those that cannot be had are left out.

        Raises:
            KeysLockedError: the master key is not at hand.
        """
        wrapping, master_id = self.master.wrapping_key()
        with self._database.read() as connection:
            if voice_ids is None:
                rows = connection.execute(
                    "SELECT name, wrapped FROM keys WHERE name GLOB 'voice/*' AND master_id = ?", (master_id,)
                )
            else:
                names = json.dumps([_voice(voice_id) for voice_id in voice_ids])
                rows = connection.execute(
                    "SELECT name, wrapped FROM keys WHERE name IN (SELECT value FROM json_each(?)) AND master_id = ?",
                    (names, master_id),
                )
            found = {}
            for name, wrapped in rows:
                with contextlib.suppress(sealing.SealBrokenError):
                    found[name.removeprefix("voice/")] = sealing.unwrap(wrapping, wrapped, name)
        return found

    def has_voice_key(self, voice_id: str) -> bool:
        """Whether a key is stored for this voice; it may still be locked or lost."""
        with self._database.read() as connection:
            row = connection.execute("SELECT 1 FROM keys WHERE name = ?", (_voice(voice_id),)).fetchone()
        return row is not None

    def destroy_voice_key(self, voice_id: str) -> None:
        """Destroy the key of a voice in the database, its log and the backups; twice is as good as once.

        Needs no master key. Joins a ``database.write`` that is open, and then happens when that one lasts.

        Raises:
            KeyMissingError: there was never one.
        """
        name = _voice(voice_id)
        with self._database.write() as connection:
            gone = connection.execute("DELETE FROM keys WHERE name = ?", (name,)).rowcount
            if not gone and not self._destroyed(connection, name):
                raise errors.KeyMissingError(f"There is no key for the voice {voice_id}. Was it ever saved here?")
            connection.execute("INSERT OR IGNORE INTO destroyed_keys VALUES (?)", (name,))
            connection.execute("INSERT OR REPLACE INTO store_facts VALUES ('backups_behind', '1')")
            self._database.after_commit(self._catch_up)

    def secret(self, name: str, make: Callable[[], bytes]) -> bytes:
        """Return the secret of that name, made by ``make`` on first need (called at most once, maybe for nothing).

        Without a lasting master key a new one is made in every run.

        Raises:
            KeysLockedError: the master key is not at hand.
            DamagedError: the stored secret was changed.
        """
        kept = f"secret/{name}"
        if (found := self._find(kept)) is not None:
            return found
        made = make()
        wrapping, master_id = self.master.wrapping_key()
        with self._database.write() as connection:
            self.master.check_current(connection)
            if (found := self._find(kept)) is not None:
                return found  # another program was faster
            connection.execute(
                "INSERT INTO keys VALUES (?, ?, ?)", (kept, master_id, sealing.wrap(wrapping, made, kept))
            )
        return made

    def signing_key(self) -> Ed25519PrivateKey:
        """Return the key that signs records here, made on first need. Raises as ``secret`` does."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        key = Ed25519PrivateKey.from_private_bytes(
            self.secret(_SIGNING, lambda: Ed25519PrivateKey.generate().private_bytes_raw())
        )
        public = key.public_key().public_bytes_raw()
        if self.public_key(key_id_of(public)) is None:
            with self._database.write() as connection:
                connection.execute("INSERT OR IGNORE INTO signing_keys VALUES (?, ?)", (key_id_of(public), public))
        return key

    @property
    def key_id(self) -> str:
        """The name of ``signing_key``: the first 32 hex digits of the SHA-256 of its public half."""
        return key_id_of(self.signing_key().public_key().public_bytes_raw())

    def public_key(self, key_id: str) -> Ed25519PublicKey | None:
        """Return the public half of a key that has signed here, also when the private one is lost; None if unknown."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        with self._database.read() as connection:
            row = connection.execute("SELECT public FROM signing_keys WHERE key_id = ?", (key_id,)).fetchone()
        if row is None or key_id_of(row[0]) != key_id:
            return None
        return Ed25519PublicKey.from_public_bytes(row[0])

    def _find(self, name: str) -> bytes | None:
        wrapping, master_id = self.master.wrapping_key()
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT wrapped FROM keys WHERE name = ? AND master_id = ?", (name, master_id)
            ).fetchone()
        if row is None:
            return None
        try:
            return sealing.unwrap(wrapping, row[0], name)
        except sealing.SealBrokenError as error:
            raise errors.DamagedError(
                f"The stored key {name} was changed. Restore the newest intact backup of the data folder."
            ) from error

    def _catch_up(self) -> None:
        try:
            self._behind()
        except errors.StoreError:
            log.warning("Backups are brought up to date at the next start", exc_info=True)

    @staticmethod
    def _destroyed(connection: sqlite3.Connection, name: str) -> bool:
        return connection.execute("SELECT 1 FROM destroyed_keys WHERE name = ?", (name,)).fetchone() is not None


def _voice(voice_id: str) -> str:
    return f"voice/{voice_id}"


def _destroyed(voice_id: str) -> errors.KeyDestroyedError:
    return errors.KeyDestroyedError(f"The voice {voice_id} was deleted, and nothing can bring it back. Make a new one.")


def key_id_of(public: bytes) -> str:
    """Return the name of a signing key: the first 32 hex digits of the SHA-256 of its public half."""
    return hashlib.sha256(public).hexdigest()[:32]

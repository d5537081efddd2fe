"""Looking at saved voices: the list, the search, their consent and their sounds; nothing here changes a voice."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app.core.audit import AuditLog
from app.core.consent.history import Versions
from app.core.consent.problems import PrivatePartError, Problem
from app.core.consent.record import ConsentRecord, parse_record
from app.core.consent.sealed import Private, decrypt_private
from app.core.consent.verify import Use, Verdict, verify_stored
from app.core.shipped_voices import ShippedVoices
from app.core.sound_files import KeptSound, from_flac
from app.core.store import Store, errors
from app.core.voice_card import SavedVoice, VoiceError, VoiceMissingError, VoiceState
from app.core.voice_index import VoiceIndex
from app.core.voice_rows import copies_of

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


@dataclass(frozen=True)
class VoiceFile:
    """A stored file of a voice; ``until``: when it must be gone (seconds since 1970), None: as the voice says."""

    part: str
    sha256: str
    data: bytes
    until: int | None


class VoiceReader:
    """What can be asked of the voices in ``store`` and of those that came with the studio. See ``Voices``."""

    def __init__(
        self,
        store: Store,
        audit: AuditLog,
        *,
        shipped: ShippedVoices | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.store = store
        self.audit = audit
        self.now = now
        self.shipped = shipped if shipped is not None else ShippedVoices()
        self._index = VoiceIndex(store.database, store.keys)

    # Looking ---------------------------------------------------------------------------------------------------------

    def all(self) -> list[SavedVoice]:
        """Every voice, those that came with the studio first, then oldest first."""
        return [*self.shipped.all(), *self._index.all()]

    def search(self, text: str, tags: Iterable[str] = ()) -> list[SavedVoice]:
        """Voices whose name or tags have every word of ``text``, and all ``tags``, in the order of ``all``."""
        tags = list(tags)
        return [*self.shipped.search(text, tags), *self._index.search(text, tags)]

    def get(self, voice_id: str) -> SavedVoice:
        """One voice. Raises :class:`VoiceMissingError`."""
        found = self.shipped.get(voice_id) or self._index.get(voice_id)
        if found is None:
            raise VoiceMissingError(f"There is no voice {voice_id[:80]!r}; it was deleted, or never saved here.")
        return found

    def find(self, said: str) -> SavedVoice:
        """The voice that a person means: by id, the start of one (8 characters or more), or its whole name.

        Raises:
            VoiceMissingError: none.
            VoiceError: several.
        """
        said = said.strip()
        hits = [voice for voice in self.all() if said and said in (voice.voice_id, voice.name)]
        if not hits and len(said) >= 8:
            hits = [voice for voice in self.all() if voice.voice_id.startswith(said.lower())]
        if len(hits) > 1:
            raise VoiceError(f"{len(hits)} voices are called {said[:80]!r}. Give the id: voxcpm voices list.")
        return hits[0] if hits else self.get(said)

    @property
    def has_locked(self) -> bool:
        """Whether there are voices whose names cannot be read now: the keys are locked."""
        return self._index.has_locked

    # The consent -----------------------------------------------------------------------------------------------------

    def stored_versions(self, voice_id: str) -> list[tuple[bytes, Private | None]]:
        """All versions as they are stored, oldest first, with their personal texts where the key is at hand."""
        if (shipped := self.shipped.versions(voice_id)) is not None:
            return shipped
        with self.store.database.read() as connection:
            rows = connection.execute(
                "SELECT version, record_id, record, private FROM consent_versions WHERE voice_id = ? ORDER BY version",
                (voice_id,),
            ).fetchall()
        if not rows:
            return []
        key = self._key_if_any(voice_id)
        found: list[tuple[bytes, Private | None]] = []
        for row in rows:
            private = None
            if key is not None and row["private"] is not None:
                private = decrypt_private(row["private"], key, f"{row['record_id']}/{row['version']}")
            found.append((bytes(row["record"]), private))
        return found

    def versions(self, voice_id: str) -> Versions:
        """All versions of the consent, oldest first. Raises :class:`ConsentError` for one that cannot be read."""
        return tuple(parse_record(data, private) for data, private in self.stored_versions(voice_id))

    def record(self, voice_id: str) -> ConsentRecord | None:
        """The version that counts; None for a voice that has none (in quarantine)."""
        versions = self.versions(voice_id)
        return versions[-1] if versions else None

    def verdict(self, voice_id: str, use: Use | None = None, recordings: Collection[str] = ()) -> Verdict:
        """Everything that speaks against a use of this voice now (None: against its being whole and valid).

        ``recordings`` are hashes of others than the saved ones that will be used; the record must name them too.
        """
        voice = self.get(voice_id)
        head, sounds = self._facts(voice_id)
        try:
            stored = self.stored_versions(voice_id)
        except PrivatePartError as error:
            return Verdict("", "", (Problem("unreadable", str(error)),))
        found = verify_stored(
            stored,
            now=self.now(),
            public_keys=self.public_keys(voice_id),
            use=use,
            references=[*sounds, *recordings],
            head=head,
            voice_id=voice.stands_on,
        )
        problems = (*_state_problems(voice), *found.problems)
        return Verdict(found.record_id, found.level, problems, found.unchecked)

    def voice_of_record(self, record_id: str) -> str | None:
        """The id of the voice that a consent record is for, or of a copy of it; None if neither is here."""
        if (shipped := self.shipped.voice_of_record(record_id)) is not None:
            return shipped
        with self.store.database.read() as connection:
            row = connection.execute(
                "SELECT voice_id FROM consent_versions JOIN voices USING (voice_id) WHERE record_id = ? "
                "ORDER BY consent_of IS NOT NULL, seq LIMIT 1",
                (record_id,),
            ).fetchone()
        return None if row is None else str(row[0])

    def copies(self, voice_id: str) -> tuple[str, ...]:
        """The ids of the other voices that stand on the same consent; see :mod:`app.core.voice_copying`."""
        with self.store.database.read() as connection:
            return copies_of(connection, voice_id)

    def is_foreign(self, voice_id: str) -> bool:
        """Whether another studio signed: that proves that nothing was changed since, not who signed."""
        with self.store.database.read() as connection:
            row = connection.execute("SELECT 1 FROM foreign_signers WHERE voice_id = ?", (voice_id,)).fetchone()
        return row is not None

    def public_keys(self, voice_id: str) -> Mapping[str, Ed25519PublicKey]:
        """The keys that the versions of this voice may be signed with, by id: this studio's, and what came along."""
        if voice_id in self.shipped:
            return self.shipped.public_keys
        return _PublicKeys(self.store, voice_id)

    # Sounds ---------------------------------------------------------------------------------------------------------

    def sound(self, voice_id: str, part: str) -> bytes:
        """The FLAC file of a part (reference, prompt). Its decryption goes to the audit log.

        Raises:
            VoiceMissingError: there is no such sound (any more).
            KeysError, StoreError: it cannot be read.
        """
        if voice_id in self.shipped:
            return self.shipped.sound(voice_id, part)
        with self.store.database.read() as connection:
            row = connection.execute(
                "SELECT blob_id FROM voice_files WHERE voice_id = ? AND part = ?", (voice_id, part)
            ).fetchone()
        if row is None:
            raise VoiceMissingError(f"This voice has no {part} audio any more. Its time was over, or it was deleted.")
        data = self.store.blobs.get(row[0], key=self.store.keys.voice_key(voice_id))
        self.audit.append("voice_decrypted", {"voice": voice_id, "blob": row[0]})
        return data

    def kept_sound(self, voice_id: str, part: str) -> KeptSound:
        """A part decoded. Raises as ``sound``."""
        return from_flac(self.sound(voice_id, part))

    def files(self, voice_id: str) -> list[VoiceFile]:
        """Everything that is stored of a voice, decrypted; each goes to the audit log. Raises KeysError, StoreError."""
        with self.store.database.read() as connection:
            rows = connection.execute(
                "SELECT part, sha256, blob_id, until FROM voice_files WHERE voice_id = ? ORDER BY part, sha256",
                (voice_id,),
            ).fetchall()
        key, found = self.store.keys.voice_key(voice_id), []
        for row in rows:
            data = self.store.blobs.get(row["blob_id"], key=key)
            self.audit.append("voice_decrypted", {"voice": voice_id, "blob": row["blob_id"]})
            found.append(VoiceFile(row["part"], row["sha256"], data, row["until"]))
        return found

    # Inside ---------------------------------------------------------------------------------------------------------

    def _facts(self, voice_id: str) -> tuple[str | None, list[str]]:
        """The remembered head, and the hashes of the sounds that the record must name."""
        if voice_id in self.shipped:
            return None, self.shipped.sound_hashes(voice_id)
        with self.store.database.read() as connection:
            head = connection.execute("SELECT head FROM voices WHERE voice_id = ?", (voice_id,)).fetchone()
            sounds = connection.execute(
                "SELECT sha256 FROM voice_files WHERE voice_id = ? AND part IN ('reference', 'prompt')", (voice_id,)
            ).fetchall()
        return (head[0] if head else None), [row[0] for row in sounds]

    def _key_if_any(self, voice_id: str) -> bytes | None:
        try:
            return self.store.keys.voice_key(voice_id)
        except errors.KeysError:
            return None


class _PublicKeys(Mapping[str, "Ed25519PublicKey"]):
    """Looks a key up when it is asked for."""

    def __init__(self, store: Store, voice_id: str) -> None:
        self._store, self._voice_id = store, voice_id

    def __getitem__(self, key_id: str) -> Ed25519PublicKey:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        if (own := self._store.keys.public_key(key_id)) is not None:
            return own
        with self._store.database.read() as connection:
            row = connection.execute(
                "SELECT public FROM foreign_signers WHERE voice_id = ? AND key_id = ?", (self._voice_id, key_id)
            ).fetchone()
        if row is None:
            raise KeyError(key_id)
        return Ed25519PublicKey.from_public_bytes(row[0])

    def __iter__(self) -> Iterator[str]:
        with self._store.database.read() as connection:
            rows = connection.execute(
                "SELECT key_id FROM signing_keys UNION SELECT key_id FROM foreign_signers WHERE voice_id = ?",
                (self._voice_id,),
            ).fetchall()
        return iter([row[0] for row in rows])

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _state_problems(voice: SavedVoice) -> Sequence[Problem]:
    if voice.state is VoiceState.QUARANTINED:
        message = "This voice was imported without a valid consent record: it can be looked at and deleted, not used."
        return [Problem("quarantined", message, {"cause": voice.cause})]
    if voice.state is VoiceState.FROZEN and voice.complaint:
        return [Problem("frozen", "This voice is frozen, since there is a complaint about it.")]
    return []

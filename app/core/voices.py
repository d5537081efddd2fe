"""The library of saved voices: each has a key of its own, its sounds, and a consent record, saved in one step."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from app.core.audit import AuditLog
from app.core.complaints import DECIDE_WITHIN, close_complaints, keep_text, open_complaint
from app.core.consent import making
from app.core.consent.history import Versions, append_version
from app.core.consent.record import FOR_SESSION, SYNTHETIC, ConsentRecord
from app.core.derived import Derived, derived_of
from app.core.retention import forget_latents, purge, release_file
from app.core.shipped_voices import ShippedVoices
from app.core.sound_files import KeptSound
from app.core.store import Store, errors
from app.core.voice_card import SavedVoice, VoiceCard, VoiceError, VoiceState, mode_of
from app.core.voice_deletion import DeleteTakes, delete_voice
from app.core.voice_reading import VoiceReader
from app.core.voice_rows import (
    StoredVersion,
    copies_of,
    insert_version,
    insert_voice,
    owner_of,
    statement_until,
    touch,
    until,
)

log = logging.getLogger(__name__)

MOST_LATENTS = 4  # of each voice: one for each model, or each precision, that is in use


@dataclass(frozen=True)
class NewVoice:
    """Everything that a voice is saved with.

    ``draft`` is a record that was not signed yet, or all versions of one of this run. ``sounds`` are by part
    (reference, prompt); ``documents`` and ``statement`` are files by their SHA-256, as the record names them.
    """

    card: VoiceCard
    draft: ConsentRecord | Versions
    sounds: Mapping[str, KeptSound] = field(default_factory=dict)
    documents: Mapping[str, bytes] = field(default_factory=dict)
    statement: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def voice_id(self) -> str:
        """The id that the record is for."""
        return (self.draft if isinstance(self.draft, ConsentRecord) else self.draft[-1]).voice_id


class Voices(VoiceReader):
    """The voices in ``store``; what happens to them goes to ``audit``. Threads may share it.

    ``delete_takes`` deletes the takes made with a voice and returns how many there were; it is called inside the
    transaction that deletes the voice. ``now`` gives the time.
    """

    def __init__(
        self,
        store: Store,
        audit: AuditLog,
        *,
        delete_takes: DeleteTakes | None = None,
        shipped: ShippedVoices | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        super().__init__(store, audit, shipped=shipped, now=now)
        self.delete_takes = delete_takes
        self._of_session: set[str] = set()

    # Saving and changing ---------------------------------------------------------------------------------------------

    def add(self, new: NewVoice) -> SavedVoice:
        """Save a voice with its record, or nothing at all.

        Raises:
            VoiceError: name, tags, or sounds that do not make a voice.
            RuleError: the record breaks a rule; it says which.
            KeysLockedError: the keys have to be unlocked first.
            StoreError: nothing was saved.
        """
        voice_id = new.voice_id
        versions = self._signed(new.draft)
        record = versions[-1]
        card = _fitting_card(new, record)
        encoded = {part: (sound.sha256, sound.to_flac()) for part, sound in new.sounds.items()}
        with self.store.database.write() as connection:
            key = self.store.keys.new_voice_key(voice_id)
            insert_voice(
                connection,
                voice_id,
                VoiceState.ACTIVE,
                mode_of(new.sounds),
                card.sealed(key, voice_id),
                until(record),
                head=record.record_hash,
                level=record.level,
            )
            for part, (digest, data) in encoded.items():
                self.put_file(connection, voice_id, part, digest, data, key)
            for digest, data in new.documents.items():
                self.put_file(connection, voice_id, "evidence", digest, data, key)
            for digest, data in new.statement.items():
                self.put_file(connection, voice_id, "statement", digest, data, key, statement_until(record))
            for version in versions:
                insert_version(connection, StoredVersion.of(version, key))
            self.audit.append("voice_added", facts_of(record))
        if FOR_SESSION in (record.retention.reference, record.retention.raw_audio):
            self._of_session.add(voice_id)
        log.info("The voice %s was saved", voice_id)
        return self.get(voice_id)

    def change_card(self, voice_id: str, card: VoiceCard) -> SavedVoice:
        """Put another name, other tags or other texts in place; kind, licence and lineage stay.

        Raises VoiceError, KeysLockedError, StoreError.
        """
        self._own(voice_id)
        before = self.get(voice_id).card
        if before is None:
            raise errors.KeysLockedError("The names of the voices are locked. Unlock them first.")
        card = dataclasses.replace(card, kind=before.kind, licence=before.licence, from_take=before.from_take).checked()
        key = self.store.keys.voice_key(voice_id)
        with self.store.database.write() as connection:
            connection.execute(
                "UPDATE voices SET card = ? WHERE voice_id = ? AND state <> 'deleted'",
                (card.sealed(key, voice_id), voice_id),
            )
            touch(connection, voice_id)
        return self.get(voice_id)

    def append(self, voice_id: str, draft: ConsentRecord) -> ConsentRecord:
        """Add a version of the consent (see :mod:`app.core.consent.making`) for all voices that stand on it.

        Returns it signed.

        Raises:
            VoiceError: a voice that has no record of its own here.
            RuleError: what the version may not change.
            KeysLockedError, StoreError: nothing was changed.
        """
        self._own(voice_id)
        with self.store.database.write() as connection:
            before = self.versions(voice_id)
            if not before or before[-1].operator.text is None:
                raise VoiceError("The consent of this voice cannot be changed here: its personal part is not readable.")
            keys = self.store.keys
            record = append_version(before, draft, key=keys.signing_key(), key_id=keys.key_id)[-1]
            times, together = until(record), (voice_id, *copies_of(connection, voice_id))
            for each in together:
                insert_version(connection, StoredVersion.of(record, keys.voice_key(each), each))
                connection.execute(
                    "UPDATE voices SET head = ?, level = ?, reference_until = ?, raw_until = ? WHERE voice_id = ?",
                    (record.record_hash, record.level, times.reference, times.raw, each),
                )
                touch(connection, each)
                self.audit.append("record_added", facts_of(record) | {"voice": each})
        if record.change == "evidence_added" and record.retention.raw_audio == FOR_SESSION:
            self._of_session.update(together)
        return record

    def withdraw(
        self, voice_id: str, *, channel: str = "other", action: str = "freeze", at: datetime | None = None
    ) -> ConsentRecord | None:
        """The person took the consent back: freeze the voice at once, or delete it (``action``), which returns None.

        So are all its copies.

        Raises as ``append``.
        """
        self._own(voice_id)
        with self.store.database.write() as connection:
            record = self.record(voice_id)
            if record is None:
                raise VoiceError("This voice has no consent that could be withdrawn. Delete it.")
            signed = self.append(
                voice_id, making.withdraw(record, channel=channel, action=action, at=at, now=self.now())
            )
            together = (voice_id, *copies_of(connection, voice_id))
            for each in together:
                connection.execute("UPDATE voices SET state = 'frozen' WHERE voice_id = ?", (each,))
                touch(connection, each)
                facts = {"voice": each, "record": signed.record_id, "version": signed.version}
                self.audit.append(
                    "consent_withdrawn",
                    facts | {"record_hash": signed.record_hash, "channel": channel, "action": action},
                )
            if action == "delete":
                for each in together:
                    self._delete(each)
                return None
        return signed

    def freeze(self, voice_id: str, reason: str, term: timedelta = DECIDE_WITHIN) -> str:
        """Open a complaint: nothing can be made with the voice until ``release``; returns the complaint's id.

        Copies of the voice have the same recordings of the same person: one is opened about each of them.

        It has to be decided within ``term``, at most 31 days.
        Raises VoiceError for a shipped voice, KeysLockedError (the reason is kept encrypted), StoreError.
        """
        self._own(voice_id)
        with self.store.database.write() as connection:
            opened = {}
            for each in (voice_id, *copies_of(connection, voice_id)):
                complaint = opened[each] = open_complaint(connection, each, self.now(), term)
                connection.execute(
                    "UPDATE voices SET state = CASE state WHEN 'quarantined' THEN state ELSE 'frozen' END, "
                    "complaint = coalesce(complaint, ?) WHERE voice_id = ?",
                    (complaint, each),
                )
                touch(connection, each)
                self.audit.append("complaint_opened", {"complaint": complaint, "voice": each})
                frozen = self.audit.append("voice_frozen", {"voice": each, "complaint": complaint}, reason=reason)
                keep_text(connection, complaint, frozen)
        return opened[voice_id]

    def release(self, voice_id: str, reason: str) -> None:
        """Close all complaints; the voice may be used again unless its consent was withdrawn. Raises as ``freeze``.

        What was decided holds for its copies too.
        """
        self._own(voice_id)
        with self.store.database.write() as connection:
            if not self.get(voice_id).complaint:
                raise VoiceError("There is no complaint about this voice.")
            record = self.record(voice_id)
            stays = record is not None and record.withdrawal is not None
            for each in (voice_id, *copies_of(connection, voice_id)):
                complaint = self.get(each).complaint
                if not complaint:
                    continue
                connection.execute(
                    "UPDATE voices SET complaint = NULL, state = CASE WHEN state = 'frozen' AND NOT ? THEN 'active' "
                    "ELSE state END WHERE voice_id = ?",
                    (stays, each),
                )
                touch(connection, each)
                self.audit.append("voice_released", {"voice": each, "complaint": complaint}, reason=reason)
                outcome = "kept_frozen" if stays else "released"
                close_complaints(connection, self.audit, each, outcome, self.now())

    def derived(self, voice_id: str) -> Derived:
        """Everything that was derived from a voice, as far as it is known here. Raises VoiceError, StoreError."""
        self._own(voice_id)
        card = self.get(voice_id).card
        return derived_of(self.store, voice_id, card.lora_sha256 if card is not None else "")

    def delete(self, voice_id: str) -> bytes:
        """Delete a voice for ever: key, sounds, latents, takes; returns the tombstone that stays (hashes only).

        While there is a complaint about it, its copies go as well.
        Needs no key that is at hand. Raises VoiceError for a shipped voice, StoreError: nothing was deleted.
        """
        self._own(voice_id)
        with self.store.database.write() as connection:
            if self.get(voice_id).complaint:
                for each in copies_of(connection, voice_id):
                    self._delete(each)
            return self._delete(voice_id)

    def keep_as_long(self, voice_id: str, other: str) -> None:
        """Keep what is kept for this session alone of a copy for as long as that of the ``other`` voice."""
        if other in self._of_session:
            self._of_session.add(voice_id)

    def enforce_retention(self, *, ending: bool = False) -> int:
        """Delete recordings whose time is over, as the records promise; returns how many. Do it at every start.

        What is kept for the session in which it was saved goes at the next start at the latest, or now for ``ending``.
        """
        return purge(self.store, self.audit, self.now(), () if ending else self._of_session)

    @property
    def keeps_for_session(self) -> bool:
        """Whether something was saved that has to go at the end."""
        return bool(self._of_session)

    # Latents ---------------------------------------------------------------------------------------------------------

    def latents(self, voice_id: str, cache_key: str) -> bytes | None:
        """What was kept under exactly this key (64 hex digits); None if nothing. Raises KeysError, StoreError."""
        with self.store.database.read() as connection:
            row = connection.execute(
                "SELECT blob_id FROM voice_latents WHERE voice_id = ? AND cache_key = ?", (voice_id, cache_key)
            ).fetchone()
        if row is None:
            return None
        try:
            found = self.store.blobs.get(row[0], key=self.store.keys.voice_key(voice_id))
        except errors.BlobError:
            log.warning("Kept latents of the voice %s cannot be read; they are made again", voice_id)
            return None
        # What is there can be used, also on a full disk.
        with contextlib.suppress(errors.StoreError), self.store.database.write() as connection:
            connection.execute(
                "UPDATE voice_latents SET used = ? WHERE voice_id = ? AND cache_key = ?",
                (self._next_use(connection), voice_id, cache_key),
            )
        return found

    def keep_latents(self, voice_id: str, cache_key: str, data: bytes) -> None:
        """Keep encrypted latents of a saved voice under a key that names everything they depend on.

        Those of the models that were used last are kept; older ones go, and are made again when needed.
        """
        self._own(voice_id)
        key = self.store.keys.voice_key(voice_id)
        with self.store.database.write() as connection:
            blob_id = self.store.blobs.put(data, key=key, owner=owner_of(voice_id))
            before = connection.execute(
                "SELECT blob_id FROM voice_latents WHERE voice_id = ? AND cache_key = ?", (voice_id, cache_key)
            ).fetchone()
            connection.execute(
                "INSERT OR REPLACE INTO voice_latents VALUES (?, ?, ?, ?)",
                (voice_id, cache_key, blob_id, self._next_use(connection)),
            )
            if before is not None and before[0] != blob_id:
                release_file(self.store, connection, voice_id, before[0])
            forget_latents(self.store, connection, voice_id, beyond=MOST_LATENTS)

    # Inside ----------------------------------------------------------------------------------------------------------

    def _signed(self, draft: ConsentRecord | Versions) -> Versions:
        if not isinstance(draft, ConsentRecord):
            return draft
        keys = self.store.keys
        return append_version((), draft, key=keys.signing_key(), key_id=keys.key_id)

    def _delete(self, voice_id: str) -> bytes:
        return delete_voice(self.store, self.audit, self.derived(voice_id), self.delete_takes, self.now())

    def put_proof(
        self,
        connection: sqlite3.Connection,
        voice_id: str,
        part: str,
        digest: str,
        data: bytes,
        until: int | None = None,
    ) -> None:
        """As ``put_file``, for every voice that stands on the same consent."""
        for each in (voice_id, *copies_of(connection, voice_id)):
            self.put_file(connection, each, part, digest, data, self.store.keys.voice_key(each), until)

    def put_file(
        self,
        connection: sqlite3.Connection,
        voice_id: str,
        part: str,
        digest: str,
        data: bytes,
        key: bytes,
        until: int | None = None,
    ) -> None:
        """Store a file of a voice inside the transaction that saves it, or its record; one that is there stays.

        ``until``: when it must be gone (seconds since 1970); None: as the voice's record says.
        """
        blob_id = self.store.blobs.put(data, key=key, owner=owner_of(voice_id))
        connection.execute(
            "INSERT INTO voice_files (voice_id, part, sha256, blob_id, until) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (voice_id, part, sha256) DO UPDATE SET until = excluded.until",
            (voice_id, part, digest, blob_id, until),
        )

    @staticmethod
    def _next_use(connection: sqlite3.Connection) -> int:
        return int(connection.execute("SELECT coalesce(max(used), 0) + 1 FROM voice_latents").fetchone()[0])

    def _own(self, voice_id: str) -> None:
        if voice_id in self.shipped:
            raise VoiceError("This voice came with the studio and cannot be changed.")
        self.get(voice_id)


def _fitting_card(new: NewVoice, record: ConsentRecord) -> VoiceCard:
    """The card, checked against sounds and record. Raises VoiceError."""
    card = dataclasses.replace(new.card, kind=record.subject_kind).checked()
    if not set(new.sounds) <= {"reference", "prompt"}:
        raise ValueError("sounds are reference and prompt")
    if not new.sounds and record.subject_kind != SYNTHETIC:
        raise VoiceError("A person's voice needs a recording. Give a reference, or a prompt with its transcript.")
    if ("prompt" in new.sounds) != bool(card.transcript):
        raise VoiceError("A prompt needs its exact transcript, and a transcript belongs to a prompt.")
    named = {reference.sha256_pcm for reference in record.references}
    if not {sound.sha256 for sound in new.sounds.values()} <= named:
        raise VoiceError("The recordings are not those that the consent record names. Make the record anew.")
    return card


def facts_of(record: ConsentRecord) -> dict[str, object]:
    """What the audit log says of a version."""
    return {
        "voice": record.voice_id,
        "record": record.record_id,
        "version": record.version,
        "record_hash": record.record_hash,
        "level": record.level,
        "rights_basis": record.rights_basis,
    }

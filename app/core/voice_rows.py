"""Rows of the tables of voices, as they are written."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from datetime import datetime

from app.core.consent.record import KEPT_FOR, ConsentRecord
from app.core.voice_card import VoiceState


@dataclass(frozen=True)
class Until:
    """When recordings must be gone, in seconds since 1970; None for never."""

    reference: int | None = None
    raw: int | None = None


@dataclass(frozen=True)
class StoredVersion:
    """One version of a consent as it is kept."""

    voice_id: str
    version: int
    record_id: str
    record: bytes
    private: bytes | None

    @classmethod
    def of(cls, record: ConsentRecord, key: bytes, voice_id: str = "") -> StoredVersion:
        """A signed version; its personal texts, where they are open, under the voice's key.

        ``voice_id``: the voice that keeps it, where that is another than the one that it names.
        """
        private = record.private_encrypted(key) if record.is_open else None
        return cls(voice_id or record.voice_id, record.version, record.record_id, record.to_json(), private)


def owner_of(voice_id: str) -> str:
    """Who uses the stored files of a voice."""
    return f"voice:{voice_id}"


def until(record: ConsentRecord) -> Until:
    """What the record promises of its recordings."""
    kept = record.retention
    reference = record.expires_at
    if kept.reference in KEPT_FOR:
        reference = record.granted_at + KEPT_FOR[kept.reference]
    return Until(_seconds(reference), _seconds(kept.delete_by))


def statement_until(record: ConsentRecord) -> int | None:
    """When a statement that came with this version must be gone, whatever other versions say; None: as its voice."""
    return _seconds(record.retention.delete_by) if record.retention.raw_audio in KEPT_FOR else None


def insert_voice(
    connection: sqlite3.Connection,
    voice_id: str,
    state: VoiceState,
    mode: str,
    card: bytes,
    times: Until,
    *,
    head: str | None = None,
    cause: str | None = None,
    level: str | None = None,
    consent_of: str | None = None,
) -> None:
    """Write the row of a new voice; its number rises with each."""
    connection.execute(
        "INSERT INTO voices (voice_id, state, mode, card, head, cause, level, consent_of, reference_until, raw_until, "
        "changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(changed), 0) + 1 FROM voices))",
        (voice_id, state, mode, card, head, cause, level, consent_of, times.reference, times.raw),
    )


def insert_version(connection: sqlite3.Connection, stored: StoredVersion) -> None:
    """Write the next version of a consent."""
    connection.execute(
        "INSERT INTO consent_versions (voice_id, version, record_id, record, private) VALUES (?, ?, ?, ?, ?)",
        (stored.voice_id, stored.version, stored.record_id, stored.record, stored.private),
    )


def copies_of(connection: sqlite3.Connection, voice_id: str) -> tuple[str, ...]:
    """The other voices that stand on the same consent, oldest first."""
    row = connection.execute(
        "SELECT coalesce(consent_of, voice_id) FROM voices WHERE voice_id = ?", (voice_id,)
    ).fetchone()
    rows = connection.execute(
        "SELECT voice_id FROM voices WHERE (voice_id = :root OR consent_of = :root) AND voice_id <> :id "
        "AND state <> 'deleted' ORDER BY seq",
        {"root": row[0] if row else voice_id, "id": voice_id},
    )
    return tuple(each[0] for each in rows)


def touch(connection: sqlite3.Connection, voice_id: str) -> None:
    """Let all who follow the table see that a voice changed."""
    connection.execute(
        "UPDATE voices SET changed = (SELECT max(changed) + 1 FROM voices) WHERE voice_id = ?", (voice_id,)
    )


def _seconds(moment: datetime | None) -> int | None:
    return None if moment is None else int(moment.timestamp())

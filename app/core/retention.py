"""Recordings go when the consent record says so: at start, while the studio runs, and for ``session`` at its end."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app.core.voice_rows import owner_of, touch

if TYPE_CHECKING:
    from app.core.audit import AuditLog
    from app.core.store import Store

log = logging.getLogger(__name__)

_DUE = (
    "SELECT f.voice_id, f.part, f.sha256, f.blob_id FROM voice_files f JOIN voices v USING (voice_id) "
    "WHERE (f.part = 'statement' AND coalesce(f.until, v.raw_until) <= :now) "
    "OR (f.part IN ('reference', 'prompt') AND v.reference_until <= :now) ORDER BY f.voice_id, f.part, f.sha256"
)
_NEXT = (
    "SELECT min(CASE f.part WHEN 'statement' THEN coalesce(f.until, v.raw_until) WHEN 'evidence' THEN NULL "
    "ELSE v.reference_until END) "
    "FROM voice_files f JOIN voices v USING (voice_id)"
)


@dataclass
class _Gone:
    references: int = 0
    statements: int = 0
    latents: int = 0


def purge(store: Store, audit: AuditLog, now: datetime, spared: Collection[str] = ()) -> int:
    """Delete recordings whose time is over, in one step with the entries of the audit log; returns how many.

    Latents go with the recordings that they were made from. ``spared``: ids of voices that are left for later.
    Raises StoreError: nothing was deleted.
    """
    gone: dict[str, _Gone] = {}
    with store.database.write() as connection:
        rows = connection.execute(_DUE, {"now": int(now.timestamp())}).fetchall()
        for voice_id, part, digest, blob_id in rows:
            if voice_id in spared:
                continue
            connection.execute(
                "DELETE FROM voice_files WHERE voice_id = ? AND part = ? AND sha256 = ?", (voice_id, part, digest)
            )
            release_file(store, connection, voice_id, blob_id)
            of_voice = gone.setdefault(voice_id, _Gone())
            if part == "statement":
                of_voice.statements += 1
            else:
                of_voice.references += 1
                of_voice.latents += forget_latents(store, connection, voice_id)
            touch(connection, voice_id)
        for voice_id, counted in gone.items():
            audit.append("recordings_purged", {"voice": voice_id, **vars(counted)})
    count = sum(each.references + each.statements for each in gone.values())
    if count:
        log.info("%d recordings were deleted: their time was over", count)
    return count


def next_due(store: Store) -> datetime | None:
    """When the next recording has to go, also one that is overdue; None if none ever has to."""
    with store.database.read() as connection:
        seconds = connection.execute(_NEXT).fetchone()[0]
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def release_file(store: Store, connection: sqlite3.Connection, voice_id: str, blob_id: str) -> None:
    """Let go of a file unless another row of the voice has the same content."""
    still = connection.execute(
        "SELECT 1 FROM voice_files WHERE voice_id = ? AND blob_id = ? "
        "UNION ALL SELECT 1 FROM voice_latents WHERE voice_id = ? AND blob_id = ?",
        (voice_id, blob_id, voice_id, blob_id),
    ).fetchone()
    if still is None:
        store.blobs.release(owner_of(voice_id), blob_id)


def forget_latents(store: Store, connection: sqlite3.Connection, voice_id: str, beyond: int = 0) -> int:
    """Delete the latents of a voice but for the ``beyond`` ones that were used last; returns how many."""
    rows = connection.execute(
        "SELECT cache_key, blob_id FROM voice_latents WHERE voice_id = ?"
        " ORDER BY used DESC, cache_key LIMIT -1 OFFSET ?",
        (voice_id, beyond),
    ).fetchall()
    for cache_key, blob_id in rows:
        connection.execute("DELETE FROM voice_latents WHERE voice_id = ? AND cache_key = ?", (voice_id, cache_key))
        release_file(store, connection, voice_id, blob_id)
    return len(rows)

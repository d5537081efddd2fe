"""What was made of a saved voice outside the data folder: projects that cast it, adapters and caches of training.

The places are paths, and paths name people, so they are encrypted with the voice's key and end with it.
"""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path

from app.core.store import Store, errors, sealing

PROJECT, ADAPTER, CACHE = "project", "adapter", "cache"


@dataclass(frozen=True)
class VoiceUse:
    """``what`` is an id; ``place`` the folder, None where the key is not at hand."""

    kind: str
    what: str
    place: Path | None = None

    @property
    def is_there(self) -> bool:
        """Whether the folder is still where it was."""
        if self.place is None:
            return False
        try:
            return self.place.exists()
        except OSError:
            return False


def note_use(store: Store, voice_id: str, kind: str, what: str, place: Path) -> None:
    """Remember that a voice of the library is used in ``place``; a later place of the same ``what`` replaces it.

    Voices that are not in the library (those that came with the studio) are passed over. Raises StoreError.
    """
    sealed = None
    with contextlib.suppress(errors.KeysError):
        key = store.keys.voice_key(voice_id)
        sealed = sealing.wrap(key, str(place.absolute()).encode("utf-8", "surrogateescape"), _context(kind, what))
    with store.database.write() as connection:
        known = connection.execute(
            "SELECT 1 FROM voices WHERE voice_id = ? AND state <> 'deleted'", (voice_id,)
        ).fetchone()
        if known:
            connection.execute(
                "INSERT INTO voice_uses (voice_id, kind, what, place) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (voice_id, kind, what) DO UPDATE SET place = coalesce(excluded.place, place)",
                (voice_id, kind, what, sealed),
            )


def uses_of(store: Store, connection: sqlite3.Connection, voice_id: str) -> tuple[VoiceUse, ...]:
    """Where a voice is used, oldest first."""
    rows = connection.execute(
        "SELECT kind, what, place FROM voice_uses WHERE voice_id = ? ORDER BY number", (voice_id,)
    ).fetchall()
    key = None
    if rows:
        with contextlib.suppress(errors.StoreError):
            key = store.keys.voice_key(voice_id)
    return tuple(VoiceUse(kind, what, _opened(key, kind, what, sealed)) for kind, what, sealed in rows)


def _opened(key: bytes | None, kind: str, what: str, sealed: bytes | None) -> Path | None:
    if key is None or sealed is None:
        return None
    try:
        return Path(sealing.unwrap(key, sealed, _context(kind, what)).decode("utf-8", "surrogateescape"))
    except sealing.SealBrokenError:
        return None


def _context(kind: str, what: str) -> str:
    return f"voice use {kind} {what}"

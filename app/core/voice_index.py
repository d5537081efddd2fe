"""Names and tags of all saved voices in memory, where they are searched: on the disk they are encrypted."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
from collections.abc import Iterable, Iterator

from app.core.store import errors
from app.core.store.database import Database
from app.core.store.keys import Keys
from app.core.voice_card import SavedVoice, VoiceCard, VoiceError, VoiceState, folded, opened_card

log = logging.getLogger(__name__)

_COLUMNS = "voice_id, seq, state, mode, card, cause, complaint, level, consent_of, changed"
_AT_ONCE = 200  # keys asked for by name up to here, all of them above


class VoiceIndex:
    """Follows the table of voices, also when another program changes it; threads may share it."""

    def __init__(self, database: Database, keys: Keys) -> None:
        self._database = database
        self._keys = keys
        self._lock = threading.Lock()
        self._voices: dict[str, SavedVoice] = {}
        self._haystacks: dict[str, str] = {}
        self._seen = 0
        self._locked: set[str] = set()

    def all(self) -> list[SavedVoice]:
        """Every voice that is not deleted, oldest first."""
        with self._at_hand() as index:
            return list(index._voices.values())

    def search(self, text: str, tags: Iterable[str] = ()) -> list[SavedVoice]:
        """Those whose name or tags have every word of ``text``, and all ``tags``; oldest first."""
        words = folded(text).split()
        wanted = {folded(tag) for tag in tags}
        with self._at_hand() as index:
            return [
                voice
                for voice_id, voice in index._voices.items()
                if all(word in index._haystacks[voice_id] for word in words)
                and (not wanted or (voice.card is not None and wanted <= {folded(tag) for tag in voice.card.tags}))
            ]

    def get(self, voice_id: str) -> SavedVoice | None:
        """One voice, or None: unknown or deleted."""
        with self._at_hand(voice_id) as index:
            return index._voices.get(voice_id)

    @property
    def has_locked(self) -> bool:
        """Whether there are voices whose names cannot be read now."""
        with self._at_hand() as index:
            return bool(index._locked)

    @contextlib.contextmanager
    def _at_hand(self, voice_id: str | None = None) -> Iterator[VoiceIndex]:
        """Itself, up to date. A thread that is writing gets another one: what it sees may yet be undone."""
        try:
            self._database.refuse_inside_write()
        except RuntimeError:
            passing = VoiceIndex(self._database, self._keys)
            passing._refresh(voice_id)
            yield passing
            return
        with self._lock:
            self._refresh()
            yield self

    def _refresh(self, only: str | None = None) -> None:
        with self._database.read() as connection:
            where, value = ("changed > ?", self._seen) if only is None else ("voice_id = ?", only)
            rows = connection.execute(f"SELECT {_COLUMNS} FROM voices WHERE {where} ORDER BY seq", (value,)).fetchall()
            if self._locked:
                rows += self._locked_rows(connection, {row["voice_id"] for row in rows})
            if not rows:
                return
            parts = self._parts(connection, rows)
        keys = self._keys_of([row["voice_id"] for row in rows if row["card"] is not None])
        for row in rows:
            self._put(row, keys.get(row["voice_id"]), parts.get(row["voice_id"], ()))
        self._seen = max(self._seen, *(row["changed"] for row in rows))

    def _locked_rows(self, connection: sqlite3.Connection, known: set[str]) -> list[sqlite3.Row]:
        """Rows that could not be read before, where that may have changed."""
        try:
            self._keys.master.wrapping_key()
        except errors.KeysError:
            return []
        wanted = [voice_id for voice_id in self._locked if voice_id not in known]
        found = []
        for voice_id in wanted:
            if not self._keys.has_voice_key(voice_id):
                continue
            query = f"SELECT {_COLUMNS} FROM voices WHERE voice_id = ?"
            found += connection.execute(query, (voice_id,)).fetchall()
        return found

    def _parts(self, connection: sqlite3.Connection, rows: list[sqlite3.Row]) -> dict[str, tuple[str, ...]]:
        query = "SELECT voice_id, part FROM voice_files WHERE part IN ('reference', 'prompt')"
        found: dict[str, tuple[str, ...]] = {}
        if len(rows) > _AT_ONCE:
            pairs = connection.execute(query + " ORDER BY voice_id, part DESC").fetchall()
        else:
            pairs = []
            for row in rows:
                one = connection.execute(query + " AND voice_id = ? ORDER BY part DESC", (row["voice_id"],))
                pairs += one.fetchall()
        for voice_id, part in pairs:
            found[voice_id] = (*found.get(voice_id, ()), part)
        return found

    def _keys_of(self, voice_ids: list[str]) -> dict[str, bytes]:
        if not voice_ids:
            return {}
        try:
            return self._keys.voice_keys(voice_ids if len(voice_ids) <= _AT_ONCE else None)
        except errors.KeysError:
            return {}

    def _put(self, row: sqlite3.Row, key: bytes | None, parts: tuple[str, ...]) -> None:
        voice_id = row["voice_id"]
        self._locked.discard(voice_id)
        if row["state"] == VoiceState.DELETED:
            self._voices.pop(voice_id, None)
            self._haystacks.pop(voice_id, None)
            return
        card: VoiceCard | None = None
        if key is None:
            self._locked.add(voice_id)
        else:
            with contextlib.suppress(VoiceError, errors.DamagedError):
                card = opened_card(row["card"], key, voice_id)
            if card is None:
                log.warning("The texts of the voice %s cannot be read", voice_id)
        self._voices[voice_id] = SavedVoice(
            voice_id,
            row["seq"],
            VoiceState(row["state"]),
            row["mode"],
            card,
            parts,
            row["cause"] or "",
            row["complaint"] or "",
            level=row["level"] or "",
            consent_of=row["consent_of"] or "",
        )
        self._haystacks[voice_id] = card.haystack if card else ""

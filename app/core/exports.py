"""Which files left with which voices, by ids and hashes, so that one can say what is out there when a voice must go."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from app.core.audit import AuditLog
from app.core.store import Store

_KINDS = {"export": "sound", "export_stream": "stream", "voice_exported": "voice"}
_ONE_OF_SEVERAL = "export_voice"


@dataclass(frozen=True)
class Export:
    """One file that left: ``kind`` is sound, stream or voice; ``produce_id`` stands in its label; empty for none."""

    kind: str
    at: str
    produce_id: str = ""
    format: str = ""
    sha256: str = ""

    def plain(self) -> dict[str, str]:
        """What is known, by name."""
        return {name: value for name, value in vars(self).items() if value}


class Exports:
    """The exports of ``store``; what is told goes into the audit log in the same step."""

    def __init__(self, store: Store, audit: AuditLog) -> None:
        self._store, self._audit = store, audit

    def hear(self, event: str, facts: Mapping[str, object]) -> None:
        """Take what an export tells. Raises as ``AuditLog.hear``; then nothing may leave.

        A file with several voices tells each by an event of its own after that of the file.
        """
        with self._store.database.write() as connection:
            entry = self._audit.hear(event, facts)
            if event in _KINDS:
                note_export(connection, event, entry.at, entry.facts)
            elif event == _ONE_OF_SEVERAL:
                connection.execute(
                    "INSERT OR IGNORE INTO export_voices (voice_id, number)"
                    " SELECT ?, max(number) FROM exports WHERE produce_id = ? HAVING max(number) IS NOT NULL",
                    (entry.facts["voice"], entry.facts["produce_id"]),
                )

    def of_voice(self, voice_id: str) -> tuple[Export, ...]:
        """What left with a voice, oldest first."""
        with self._store.database.read() as connection:
            return exports_of(connection, voice_id)

    def find(self, said: str) -> tuple[tuple[Export, tuple[str, ...]], ...]:
        """Exports of this SHA-256 or id of a label, with the voices in them: is a file that turned up from here?"""
        with self._store.database.read() as connection:
            rows = connection.execute(
                "SELECT * FROM exports WHERE sha256 = ? OR produce_id = ? ORDER BY number", (said, said)
            ).fetchall()
            return tuple((_export(row), _voices_of(connection, row["number"])) for row in rows)


def note_export(connection: sqlite3.Connection, event: str, at: str, facts: Mapping[str, object]) -> None:
    """Write down what left, in the transaction that writes the audit log."""
    cursor = connection.execute(
        "INSERT INTO exports (kind, at, produce_id, format, sha256) VALUES (?, ?, ?, ?, ?)",
        (_KINDS[event], at, facts.get("produce_id"), facts.get("format"), facts.get("sha256")),
    )
    if facts.get("voice"):
        connection.execute(
            "INSERT INTO export_voices (voice_id, number) VALUES (?, ?)", (facts["voice"], cursor.lastrowid)
        )


def exports_of(connection: sqlite3.Connection, voice_id: str) -> tuple[Export, ...]:
    """What left with a voice, oldest first."""
    rows = connection.execute(
        "SELECT e.* FROM exports e JOIN export_voices v USING (number) WHERE v.voice_id = ? ORDER BY number",
        (voice_id,),
    )
    return tuple(_export(row) for row in rows)


def _export(row: sqlite3.Row) -> Export:
    return Export(row["kind"], row["at"], row["produce_id"] or "", row["format"] or "", row["sha256"] or "")


def _voices_of(connection: sqlite3.Connection, number: int) -> tuple[str, ...]:
    rows = connection.execute("SELECT voice_id FROM export_voices WHERE number = ? ORDER BY voice_id", (number,))
    return tuple(row[0] for row in rows)

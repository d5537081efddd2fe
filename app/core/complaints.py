"""Complaints about saved voices: opened, decided before their deadline, closed; the text is kept encrypted."""

from __future__ import annotations

import sqlite3
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from app.core.audit import AuditLog
from app.core.store import Store

if TYPE_CHECKING:
    from app.core.audit_chain import AuditEntry

DECIDE_WITHIN = timedelta(hours=48)
"""The shortest term that laws we know set for taking down a person's likeness after a valid notice (USA, TAKE IT DOWN
Act of 2025); others give longer. A shorter one can be chosen for each complaint."""
LONGEST_TERM = timedelta(days=31)


@dataclass(frozen=True)
class Complaint:
    """``outcome`` is empty while it is open, then deleted, released or kept_frozen. Times are UTC."""

    complaint_id: str
    voice_id: str
    opened_at: datetime
    decide_by: datetime
    outcome: str = ""
    closed_at: datetime | None = None

    def seconds_left(self, now: datetime) -> float:
        """Until it has to be decided; negative when that is over."""
        return (self.decide_by - now).total_seconds()


class Complaints:
    """The complaints in ``store``."""

    def __init__(self, store: Store, audit: AuditLog) -> None:
        self._store, self._audit = store, audit

    def all(self, *, open_only: bool = False) -> tuple[Complaint, ...]:
        """All of them in the order in which they were opened."""
        where = "WHERE outcome IS NULL" if open_only else ""
        with self._store.database.read() as connection:
            rows = connection.execute(f"SELECT * FROM complaints {where} ORDER BY number").fetchall()
        return tuple(_complaint(row) for row in rows)

    def of_voice(self, voice_id: str) -> tuple[Complaint, ...]:
        """Those about one voice, also a deleted one."""
        return tuple(each for each in self.all() if each.voice_id == voice_id)

    def text(self, complaint_id: str) -> str | None:
        """What the person wrote; None if nothing was kept. Raises KeysLockedError, DamagedError."""
        with self._store.database.read() as connection:
            row = connection.execute("SELECT reason FROM complaints WHERE complaint = ?", (complaint_id,)).fetchone()
        return None if row is None or row[0] is None else self._audit.kept_reason(row[0])


def open_complaint(
    connection: sqlite3.Connection, voice_id: str, now: datetime, term: timedelta = DECIDE_WITHIN
) -> str:
    """Write a new complaint down and return its id. ValueError for a term that is none."""
    if not timedelta(0) < term <= LONGEST_TERM:
        raise ValueError(f"a complaint is decided within {LONGEST_TERM.days} days, not {term}")
    complaint = str(uuid.uuid4())
    connection.execute(
        "INSERT INTO complaints (complaint, voice_id, opened_at, decide_by) VALUES (?, ?, ?, ?)",
        (complaint, voice_id, int(now.timestamp()), int((now + term).timestamp())),
    )
    return complaint


def keep_text(connection: sqlite3.Connection, complaint: str, entry: AuditEntry) -> None:
    """Remember which reason of the audit log is the text of a complaint."""
    connection.execute("UPDATE complaints SET reason = ? WHERE complaint = ?", (entry.facts.get("reason"), complaint))


def close_complaints(
    connection: sqlite3.Connection, audit: AuditLog, voice_id: str, outcome: str, now: datetime
) -> tuple[str, ...]:
    """Close all open complaints about a voice; returns their ids."""
    rows = connection.execute(
        "SELECT complaint FROM complaints WHERE voice_id = ? AND outcome IS NULL ORDER BY number", (voice_id,)
    ).fetchall()
    for (complaint,) in rows:
        connection.execute(
            "UPDATE complaints SET outcome = ?, closed_at = ? WHERE complaint = ?",
            (outcome, int(now.timestamp()), complaint),
        )
        audit.append("complaint_closed", {"complaint": complaint, "outcome": outcome, "voice": voice_id})
    return tuple(row[0] for row in rows)


def _complaint(row: sqlite3.Row) -> Complaint:
    opened, decide, closed = (
        None if row[name] is None else datetime.fromtimestamp(row[name], UTC)
        for name in ("opened_at", "decide_by", "closed_at")
    )
    assert opened is not None and decide is not None
    return Complaint(row["complaint"], row["voice_id"], opened, decide, row["outcome"] or "", closed)

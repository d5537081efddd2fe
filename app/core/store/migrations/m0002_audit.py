"""The audit log: entries that nothing changes, the signed end, and the texts of reasons, encrypted."""

from __future__ import annotations

from app.core.store.migration import Migration

MIGRATION = Migration(
    2,
    "audit log",
    """
-- entry: canonical JSON; hash: 64 hexadecimal digits. The chain proves changes; the triggers only stop mistakes.
CREATE TABLE audit_entries (
    seq INTEGER PRIMARY KEY CHECK (seq > 0),
    entry BLOB NOT NULL,
    hash TEXT NOT NULL
);
CREATE TRIGGER audit_entries_in_order BEFORE INSERT ON audit_entries
WHEN NEW.seq <= (SELECT coalesce(max(seq), 0) FROM audit_entries)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_entries_stay BEFORE DELETE ON audit_entries
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER audit_entries_are_final BEFORE UPDATE ON audit_entries
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;

-- One row. signature: NULL where the keys were locked when the last entry was written.
CREATE TABLE audit_head (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL,
    key_id TEXT,
    signature BLOB
);

-- commitment: what the entry holds. sealed: salt and text, under a key of its own. A row may go; the entry stays.
CREATE TABLE audit_reasons (commitment TEXT PRIMARY KEY, sealed BLOB NOT NULL) WITHOUT ROWID;
""",
)

"""Complaints with their deadlines, and what left or was made of each voice, so that it can be listed and named."""

from __future__ import annotations

from app.core.store.migration import Migration

MIGRATION = Migration(
    6,
    "complaints and what is derived",
    """
-- number orders. opened_at, decide_by, closed_at: seconds since 1970. reason: commitment of the text, which is kept
-- encrypted in audit_reasons. outcome: NULL while it is open.
CREATE TABLE complaints (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    complaint TEXT NOT NULL UNIQUE,
    voice_id TEXT NOT NULL REFERENCES voices (voice_id),
    opened_at INTEGER NOT NULL,
    decide_by INTEGER NOT NULL,
    reason TEXT,
    outcome TEXT CHECK (outcome IN ('deleted', 'released', 'kept_frozen')),
    closed_at INTEGER,
    CHECK ((outcome IS NULL) = (closed_at IS NULL))
);
CREATE INDEX complaints_of_voice ON complaints (voice_id, number);
INSERT INTO complaints (complaint, voice_id, opened_at, decide_by)
    SELECT complaint, voice_id, unixepoch(), unixepoch() + 172800 FROM voices WHERE complaint IS NOT NULL;

-- What left. produce_id: that of the label in the file, NULL for a voice; sha256: of the file, NULL for a stream.
CREATE TABLE exports (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('sound', 'stream', 'voice')),
    at TEXT NOT NULL,
    produce_id TEXT,
    format TEXT,
    sha256 TEXT
);
CREATE INDEX exports_of_hash ON exports (sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX exports_of_id ON exports (produce_id) WHERE produce_id IS NOT NULL;
CREATE TABLE export_voices (
    voice_id TEXT NOT NULL,
    number INTEGER NOT NULL REFERENCES exports (number) ON DELETE CASCADE,
    PRIMARY KEY (voice_id, number)
) WITHOUT ROWID;

-- Exports of before stand in the audit log alone. The numbers are those of its entries.
INSERT INTO exports (number, kind, at, produce_id, format, sha256)
    SELECT seq,
        CASE e ->> '$.event' WHEN 'export' THEN 'sound' WHEN 'export_stream' THEN 'stream' ELSE 'voice' END,
        e ->> '$.at', e ->> '$.facts.produce_id', e ->> '$.facts.format', e ->> '$.facts.sha256'
    FROM (SELECT seq, CASE WHEN json_valid(CAST(entry AS TEXT)) THEN CAST(entry AS TEXT) END AS e FROM audit_entries)
    WHERE e ->> '$.event' IN ('export', 'export_stream', 'voice_exported') AND e ->> '$.at' IS NOT NULL;
INSERT INTO export_voices
    SELECT e ->> '$.facts.voice', exports.number
    FROM (SELECT seq, CASE WHEN json_valid(CAST(entry AS TEXT)) THEN CAST(entry AS TEXT) END AS e FROM audit_entries)
    JOIN exports ON CASE e ->> '$.event'
        WHEN 'export_voice' THEN exports.produce_id = e ->> '$.facts.produce_id'
        ELSE exports.number = seq END
    WHERE e ->> '$.facts.voice' IS NOT NULL
    GROUP BY 1, 2;

-- What was made of a voice outside this folder. what: an id. place: its path, encrypted with the voice's key.
CREATE TABLE voice_uses (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    voice_id TEXT NOT NULL REFERENCES voices (voice_id),
    kind TEXT NOT NULL CHECK (kind IN ('project', 'adapter', 'cache')),
    what TEXT NOT NULL,
    place BLOB,
    UNIQUE (voice_id, kind, what)
);

-- used: rises with each use of any latents; 0 for those of before.
ALTER TABLE voice_latents ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
""",
)

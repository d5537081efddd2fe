"""Voices with the versions of their consent, their files and latents, what is left of deleted ones, and requests."""

from __future__ import annotations

from app.core.store.migration import Migration

MIGRATION = Migration(
    3,
    "voices",
    """
-- card: name, tags and all other texts, encrypted with the voice's key; NULL once deleted. head: record_hash of the
-- newest version. cause: why it is in quarantine. reference_until, raw_until: seconds since 1970, when its recordings
-- and the spoken statement must be gone; NULL for never. changed: rises with every change of any voice.
CREATE TABLE voices (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    voice_id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL CHECK (state IN ('active', 'frozen', 'quarantined', 'deleted')),
    mode TEXT NOT NULL CHECK (mode IN ('reference', 'continuation', 'combined', 'design')),
    card BLOB,
    head TEXT,
    cause TEXT,
    complaint TEXT,
    reference_until INTEGER,
    raw_until INTEGER,
    changed INTEGER NOT NULL,
    CHECK (state = 'deleted' OR card IS NOT NULL)
);
CREATE INDEX voices_changed ON voices (changed);

-- record: canonical JSON without personal texts, as signed. private: those texts, encrypted with the voice's key.
CREATE TABLE consent_versions (
    voice_id TEXT NOT NULL REFERENCES voices (voice_id),
    version INTEGER NOT NULL CHECK (version > 0),
    record_id TEXT NOT NULL,
    record BLOB NOT NULL,
    private BLOB,
    PRIMARY KEY (voice_id, version)
) WITHOUT ROWID;
CREATE INDEX consent_versions_of_record ON consent_versions (record_id);
CREATE TRIGGER consent_versions_in_order BEFORE INSERT ON consent_versions
WHEN NEW.version <> (SELECT coalesce(max(version), 0) + 1 FROM consent_versions WHERE voice_id = NEW.voice_id)
BEGIN SELECT RAISE(ABORT, 'versions of a consent are append-only'); END;
CREATE TRIGGER consent_versions_are_final BEFORE UPDATE ON consent_versions
BEGIN SELECT RAISE(ABORT, 'versions of a consent are append-only'); END;
CREATE TRIGGER consent_versions_stay BEFORE DELETE ON consent_versions
WHEN (SELECT state FROM voices WHERE voice_id = OLD.voice_id) <> 'deleted'
BEGIN SELECT RAISE(ABORT, 'versions of a consent are append-only'); END;

-- sha256: of the sound's samples for reference and prompt, of the file for all others.
CREATE TABLE voice_files (
    voice_id TEXT NOT NULL REFERENCES voices (voice_id),
    part TEXT NOT NULL CHECK (part IN ('reference', 'prompt', 'statement', 'evidence')),
    sha256 TEXT NOT NULL,
    blob_id TEXT NOT NULL,
    PRIMARY KEY (voice_id, part, sha256)
) WITHOUT ROWID;

-- cache_key: SHA-256 of everything that the latents depend on.
CREATE TABLE voice_latents (
    voice_id TEXT NOT NULL REFERENCES voices (voice_id),
    cache_key TEXT NOT NULL,
    blob_id TEXT NOT NULL,
    PRIMARY KEY (voice_id, cache_key)
) WITHOUT ROWID;

CREATE TABLE tombstones (voice_id TEXT PRIMARY KEY REFERENCES voices (voice_id), stone BLOB NOT NULL) WITHOUT ROWID;

-- Keys of other studios that came along with a voice: they prove that nothing was changed, not who signed.
CREATE TABLE foreign_signers (
    voice_id TEXT NOT NULL REFERENCES voices (voice_id),
    key_id TEXT NOT NULL,
    public BLOB NOT NULL,
    PRIMARY KEY (voice_id, key_id)
) WITHOUT ROWID;
""",
)

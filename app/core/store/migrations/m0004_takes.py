"""Takes: what was made, never changed; what people think of it, in versions; a bin; and search by text and note."""

from __future__ import annotations

from app.core.store.migration import Migration

MIGRATION = Migration(
    4,
    "takes",
    """
-- seq orders, not the clock. facts: JSON, see app.core.take_codec. sound: the stored file of samples and latents.
-- key_name: whose key it is encrypted with, a voice or (for recordings used once) a press; NULL: plain.
CREATE TABLE takes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    take_id TEXT NOT NULL UNIQUE,
    press_id TEXT NOT NULL,
    row INTEGER NOT NULL CHECK (row >= 0),
    voice_id TEXT,
    key_name TEXT,
    facts TEXT NOT NULL,
    sound TEXT NOT NULL REFERENCES blobs (blob_id)
);
CREATE INDEX takes_of_press ON takes (press_id, seq);
CREATE INDEX takes_of_voice ON takes (voice_id) WHERE voice_id IS NOT NULL;
CREATE INDEX takes_of_key ON takes (key_name) WHERE key_name IS NOT NULL;
CREATE INDEX takes_of_sound ON takes (sound);
CREATE TRIGGER takes_are_final BEFORE UPDATE ON takes
BEGIN SELECT RAISE(ABORT, 'a take is never changed'); END;

-- The newest row of a take counts; older ones stay. rating: 1..5, 0 for none.
CREATE TABLE take_marks (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    seq INTEGER NOT NULL REFERENCES takes (seq) ON DELETE CASCADE,
    made_at TEXT NOT NULL,
    rating INTEGER NOT NULL CHECK (rating BETWEEN 0 AND 5),
    favourite INTEGER NOT NULL CHECK (favourite IN (0, 1)),
    note TEXT NOT NULL
);
CREATE INDEX take_marks_of_take ON take_marks (seq, number);
CREATE TRIGGER take_marks_are_final BEFORE UPDATE ON take_marks
BEGIN SELECT RAISE(ABORT, 'marks of a take are never changed, a new version is added'); END;

CREATE TABLE take_bin (seq INTEGER PRIMARY KEY REFERENCES takes (seq) ON DELETE CASCADE);

-- Ids of takes deleted for good, so that they can be taken out of the backups as well.
CREATE TABLE deleted_takes (take_id TEXT PRIMARY KEY) WITHOUT ROWID;

-- rowid: seq. Trigrams find parts of words, and Chinese, which has no spaces.
CREATE VIRTUAL TABLE take_search USING fts5 (text, note, tokenize = 'trigram');
""",
)

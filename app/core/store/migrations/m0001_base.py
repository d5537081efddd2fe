"""Stored files and who uses them; keys and what protects them."""

from __future__ import annotations

from app.core.store.migration import Migration

MIGRATION = Migration(
    1,
    "blobs and keys",
    """
-- store_id: names this store in the keyring. backups_behind: backups still hold keys that were destroyed or changed.
CREATE TABLE store_facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO store_facts VALUES ('store_id', lower(hex(randomblob(16))));

-- put_at: seconds of the wall clock; only keeps a file that nobody uses yet from being swept at once.
CREATE TABLE blobs (
    blob_id TEXT PRIMARY KEY,
    size INTEGER NOT NULL CHECK (size >= 0),
    put_at REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE blob_uses (
    owner TEXT NOT NULL,
    blob_id TEXT NOT NULL REFERENCES blobs (blob_id),
    PRIMARY KEY (owner, blob_id)
) WITHOUT ROWID;
CREATE INDEX blob_uses_of_blob ON blob_uses (blob_id);

-- Where the master key can be had from. wrapped, salt, n, r, p: of the passphrase only.
CREATE TABLE master_slots (
    kind TEXT PRIMARY KEY CHECK (kind IN ('keyring', 'passphrase')),
    master_id BLOB NOT NULL,
    wrapped BLOB,
    salt BLOB,
    n INTEGER,
    r INTEGER,
    p INTEGER
) WITHOUT ROWID;

-- A key wrapped under the master key of that id. One that nothing lasting held leaves rows that cannot be opened.
CREATE TABLE keys (
    name TEXT NOT NULL,
    master_id BLOB NOT NULL,
    wrapped BLOB NOT NULL,
    PRIMARY KEY (name, master_id)
) WITHOUT ROWID;
CREATE TABLE destroyed_keys (name TEXT PRIMARY KEY) WITHOUT ROWID;

-- Public halves outlive the private ones, so that old signatures can still be checked.
CREATE TABLE signing_keys (key_id TEXT PRIMARY KEY, public BLOB NOT NULL) WITHOUT ROWID;
""",
)

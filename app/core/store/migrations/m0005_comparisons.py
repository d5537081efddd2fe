"""Comparisons of takes: which were heard, in which order, blind or not, and which one was chosen."""

from __future__ import annotations

from app.core.store.migration import Migration

MIGRATION = Migration(
    5,
    "comparisons",
    """
CREATE TABLE comparisons (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    made_at TEXT NOT NULL,
    blind INTEGER NOT NULL CHECK (blind IN (0, 1))
);
-- place: the order in which they were offered, from 0. What is deleted for good leaves its comparisons too.
CREATE TABLE comparison_rows (
    number INTEGER NOT NULL REFERENCES comparisons (number) ON DELETE CASCADE,
    place INTEGER NOT NULL CHECK (place >= 0),
    seq INTEGER NOT NULL REFERENCES takes (seq) ON DELETE CASCADE,
    chosen INTEGER NOT NULL CHECK (chosen IN (0, 1)),
    PRIMARY KEY (number, place)
) WITHOUT ROWID;
CREATE INDEX comparison_rows_of_take ON comparison_rows (seq, number);
""",
)

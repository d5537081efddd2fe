"""Rows that are encrypted under a key that is nowhere: a sign of damage that SQLite does not see.

A page of the keys may be lost in a way that leaves a sound, shorter table. What a person deleted is not meant: the
names of its keys are remembered.
"""

from __future__ import annotations

import sqlite3

_GONE = (
    "NOT EXISTS (SELECT 1 FROM keys WHERE name = 'voice/' || {name})"
    " AND NOT EXISTS (SELECT 1 FROM destroyed_keys WHERE name = 'voice/' || {name})"
)
_CHECKS = (
    ("voices", f"SELECT count(*) FROM voices WHERE state <> 'deleted' AND {_GONE.format(name='voice_id')}"),
    ("takes", f"SELECT count(*) FROM takes WHERE key_name IS NOT NULL AND {_GONE.format(name='key_name')}"),
)


def keyless(connection: sqlite3.Connection) -> list[str]:
    """Return what is wrong, for people; empty when every voice and take has its key, or its table is not there yet."""
    there = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if not {"keys", "destroyed_keys"} <= there:
        return []
    found = []
    for table, query in _CHECKS:
        count = connection.execute(query).fetchone()[0] if table in there else 0
        if count:
            found.append(f"the keys of {count} {table} are not there")
    return found

"""An old database is brought up to date by several steps, again and again from the start."""

from __future__ import annotations

import itertools
import random
import shutil
import sqlite3
from pathlib import Path

from app.core.store import errors
from app.core.store.database import Database
from app.core.store.migration import Migration
from app.core.store.migrations import MIGRATIONS
from tests.kill.scenario import Journal, Say

_ROWS = 3000
OLD = (
    *MIGRATIONS,
    Migration(900, "notes", "CREATE TABLE notes (id INTEGER PRIMARY KEY, note TEXT NOT NULL);"),
)
NEW = (
    *OLD,
    Migration(901, "a column", "ALTER TABLE notes ADD COLUMN size INTEGER; UPDATE notes SET size = length(note);"),
    Migration(
        902,
        "a table anew",
        "CREATE TABLE anew (id INTEGER PRIMARY KEY, note TEXT NOT NULL UNIQUE, size INTEGER NOT NULL);"
        "INSERT INTO anew SELECT id, note, size FROM notes; DROP TABLE notes; ALTER TABLE anew RENAME TO notes;",
    ),
    Migration(903, "an index", "CREATE INDEX notes_by_size ON notes (size);"),
)


class MigratingScenario:
    """Each step of the child is one copy of the old file, migrated."""

    name = "migrating"

    def prepare(self, folder: Path) -> None:
        """Make the old file once, and remove what earlier children have left."""
        for path in folder.glob("copy-*"):
            shutil.rmtree(path)
        if not (folder / "old.db").exists():
            with Database.open(folder / "old.db", migrations=OLD) as database, database.write() as connection:
                connection.executemany(
                    "INSERT INTO notes (note) VALUES (?)", [(f"note {n} " + "x" * (n % 90),) for n in range(_ROWS)]
                )

    def act(self, folder: Path, rng: random.Random, say: Say) -> None:
        """Migrate copies without end."""
        del rng
        for number in itertools.count():
            place = folder / f"copy-{number}"
            say.begin({"copy": number})
            place.mkdir()
            shutil.copy(folder / "old.db", place / "part")
            (place / "part").replace(place / "library.db")
            Database.open(place / "library.db", migrations=NEW).close()
            say.done({"copy": number})

    def check(self, folder: Path, journal: Journal) -> list[str]:
        """Acknowledged copies are new; the last one is of one version throughout, and can be finished."""
        found: list[str] = []
        for step in journal.done:
            found += _problems(folder / f"copy-{step['copy']}" / "library.db", {903})
        if journal.begun is not None and (path := folder / f"copy-{journal.begun['copy']}" / "library.db").exists():
            found += _problems(path, {900, 901, 902, 903})
            try:
                Database.open(path, migrations=NEW).close()
            except errors.StoreError as error:
                found.append(f"cannot be finished: {error}")
            found += _problems(path, {903})
            for backup in (path.parent / "backups").glob("*.db"):
                found += _problems(backup, {900, 901, 902})
        return found


def _problems(path: Path, versions: set[int]) -> list[str]:
    columns = {900: "id, note", 901: "id, note, size", 902: "id, note, size", 903: "id, note, size"}
    connection = sqlite3.connect(path)
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in versions:
            return [f"{path.parent.name}/{path.name} has version {version}"]
        found = [row[0] for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
        rows = connection.execute(f"SELECT {columns[version]} FROM notes").fetchall()
        if len(rows) != _ROWS or any(len(row) > 2 and row[2] != len(row[1]) for row in rows):
            found.append(f"{path.parent.name}/{path.name} ({version}) has other rows")
        index = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'notes_by_size'").fetchone()
        if (index is not None) != (version == 903):
            found.append(f"{path.parent.name}/{path.name} says {version} and is something else")
        return found
    except sqlite3.Error as error:
        return [f"{path.parent.name}/{path.name}: {error}"]
    finally:
        connection.close()

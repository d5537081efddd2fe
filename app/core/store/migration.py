"""How a database is brought up to date: numbered steps, each in one transaction, after a backup of the old file."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.core.store.errors import MigrationError

log = logging.getLogger(__name__)

_APPLIED = "CREATE TABLE IF NOT EXISTS migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL)"


@dataclass(frozen=True)
class Migration:
    """One step. ``sql`` holds any number of statements (triggers too), but none that begins or ends a transaction."""

    number: int
    name: str
    sql: str


def check(migrations: Sequence[Migration]) -> None:
    """Refuse a list that is not strictly rising from 1 up.

    Raises:
        ValueError: names the number that is out of order.
    """
    before = 0
    for migration in migrations:
        if migration.number <= before:
            raise ValueError(f"migration {migration.number} ({migration.name}) must come after {before}")
        before = migration.number


def statements(sql: str) -> Iterator[str]:
    """Yield the statements of a script one by one; ``executescript`` would end the transaction.

    Raises:
        ValueError: the last statement has no end.
    """
    begun = ""
    for piece in sql.split(";"):
        begun += piece + ";"
        if sqlite3.complete_statement(begun):
            if begun.strip(" \n\t;"):
                yield begun.strip()
            begun = ""
    if rest := begun.strip(" \n\t;"):
        raise ValueError(f"a statement without an end: {rest[:80]}")


def missing(connection: sqlite3.Connection, migrations: Sequence[Migration]) -> list[Migration]:
    """Return those that this database has not had yet, in order. A number that came late is still caught up with."""
    there = connection.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'").fetchone()
    had = {row[0] for row in connection.execute("SELECT number FROM migrations")} if there else set()
    return [migration for migration in migrations if migration.number not in had]


def apply(connection: sqlite3.Connection, migration: Migration) -> None:
    """Run one step inside the transaction that is open on ``connection`` with foreign keys switched off.

    Raises:
        MigrationError: the step failed or left a row that refers to nothing; the caller rolls back.
    """
    try:
        connection.execute(_APPLIED)
        for statement in statements(migration.sql):
            connection.execute(statement)
        if broken := connection.execute("PRAGMA foreign_key_check").fetchone():
            raise ValueError(f"a row of {broken[0]} refers to nothing in {broken[2]}")
        connection.execute("INSERT INTO migrations VALUES (?, ?)", (migration.number, migration.name))
        version = connection.execute("SELECT max(number) FROM migrations").fetchone()[0]
        connection.execute(f"PRAGMA user_version = {int(version)}")
    except (sqlite3.DatabaseError, ValueError) as error:
        if isinstance(error, sqlite3.OperationalError) and (error.sqlite_errorcode & 0xFF) != sqlite3.SQLITE_ERROR:
            raise  # a full disk is no fault of the step
        raise MigrationError(
            f"The saved data could not be brought up to this version (step {migration.number}, {migration.name}: "
            f"{error}). Nothing was changed. Go back to the version before, or report this."
        ) from error
    log.info("The database had migration %d (%s)", migration.number, migration.name)

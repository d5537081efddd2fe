"""The database: what was written lasts, what failed leaves nothing, and every mishap has its own error."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app.core.store import errors, migration
from app.core.store.database import Database
from app.core.store.migration import Migration
from app.core.store.migrations import MIGRATIONS

NOTES = Migration(900, "notes", "CREATE TABLE notes (note TEXT PRIMARY KEY); -- with ; in a comment\n")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "library.db"


@pytest.fixture
def database(path: Path):
    with Database.open(path, migrations=(*MIGRATIONS, NOTES), busy_seconds=5) as database:
        yield database


def notes(database: Database) -> list[str]:
    with database.read() as connection:
        return [row["note"] for row in connection.execute("SELECT note FROM notes ORDER BY note")]


def add(database: Database, note: str) -> None:
    with database.write() as connection:
        connection.execute("INSERT INTO notes VALUES (?)", (note,))


def test_the_settings_that_make_it_durable_hold_in_every_thread(database: Database) -> None:
    found: list[list[int | str]] = []

    def look() -> None:
        with database.read() as connection:
            names = ("journal_mode", "synchronous", "foreign_keys", "secure_delete", "application_id")
            found.append([connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names])

    look()
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [["wal", 2, 1, 1, 0x56435350]] * 2


@pytest.mark.skipif(os.name != "posix", reason="rights of files")
def test_only_the_owner_may_read_it(database: Database, path: Path) -> None:
    add(database, "a")
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {
        "library.db": 0o600,
        "library.db-wal": 0o600,
        "library.db-shm": 0o600,
    }


def test_an_exception_undoes_all_of_a_write_or_only_the_inner_part(database: Database) -> None:
    called: list[str] = []
    with pytest.raises(KeyError), database.write() as connection:
        connection.execute("INSERT INTO notes VALUES ('lost')")
        database.after_commit(lambda: called.append("lost"))
        raise KeyError
    assert notes(database) == []
    with database.write() as connection:
        connection.execute("INSERT INTO notes VALUES ('outer')")
        database.after_commit(lambda: called.append("outer"))
        with pytest.raises(sqlite3.IntegrityError), database.write():
            database.after_commit(lambda: called.append("inner"))
            connection.execute("INSERT INTO notes VALUES ('inner')")
            connection.execute("INSERT INTO notes VALUES ('outer')")
        assert notes(database) == ["outer"] and called == []
    assert notes(database) == ["outer"] and called == ["outer"]


def test_a_reader_sees_one_moment(database: Database) -> None:
    add(database, "a")
    with database.read():
        thread = threading.Thread(target=add, args=(database, "b"))
        thread.start()
        thread.join()
        assert notes(database) == ["a"]
        with pytest.raises(RuntimeError, match="finish reading"), database.write():
            pass
    assert notes(database) == ["a", "b"]


def test_a_thread_leaves_no_connection_behind_and_the_next_takes_it(database: Database) -> None:
    """What belongs to a thread would be closed while Python takes the thread apart; that ended the program."""
    used = set()

    def work(note: str) -> None:
        add(database, note)
        with database.read() as connection:
            used.add(id(connection))

    for number in range(20):
        thread = threading.Thread(target=work, args=(f"n{number:02}",))
        thread.start()
        thread.join()
    assert len(used) == 1 and len(notes(database)) == 20
    with database.read() as outer, database.read() as inner:
        assert outer is inner
    with pytest.raises(RuntimeError, match="inside write"):
        database.after_commit(lambda: None)
    database.close()
    with pytest.raises(sqlite3.ProgrammingError):
        outer.execute("SELECT 1")
    with pytest.raises(RuntimeError, match="closed"):
        notes(database)


def test_writers_of_several_threads_and_programs_take_turns(database: Database, path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from app.core.store.database import Database\n"
        "from tests.app.store.test_database import MIGRATIONS, NOTES, add\n"
        "with Database.open(Path(sys.argv[1]), migrations=(*MIGRATIONS, NOTES)) as database:\n"
        "    for number in range(40): add(database, f'{sys.argv[2]}{number:02}')\n"
    )
    children = [subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in "ab"]
    threads = [
        threading.Thread(target=lambda name=name: [add(database, f"{name}{n:02}") for n in range(40)]) for name in "cd"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [child.wait(60) for child in children] == [0, 0]
    assert notes(database) == [f"{name}{number:02}" for name in "abcd" for number in range(40)]


def test_a_second_opening_reads_while_the_first_writes_and_gives_up_writing_in_time(
    database: Database, path: Path
) -> None:
    add(database, "a")
    migrations = (*MIGRATIONS, NOTES)
    with (
        Database.open(path, migrations=migrations, busy_seconds=0.05) as other,
        Database.open(path, migrations=migrations, readonly=True) as reader,
        database.write() as connection,
    ):
        connection.execute("INSERT INTO notes VALUES ('b')")
        assert notes(other) == notes(reader) == ["a"]
        with pytest.raises(errors.BusyError, match="try again"), other.write():
            pass
        with pytest.raises(errors.ReadOnlyError), reader.write():
            pass


def test_a_full_disk_is_told_and_leaves_the_old_data(database: Database) -> None:
    add(database, "a")
    with pytest.raises(errors.DiskFullError, match="Make room"), database.write() as connection:
        connection.execute("PRAGMA max_page_count = 1")
        connection.executemany("INSERT INTO notes VALUES (?)", [(f"{n:0500}",) for n in range(2000)])
    assert notes(database) == ["a"] and database.integrity() == []


def test_files_of_others_newer_ones_and_damaged_ones_are_refused(path: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = foreign.read_bytes()
    with pytest.raises(errors.ForeignError):
        Database.open(foreign)
    assert foreign.read_bytes() == before
    garbage = tmp_path / "garbage.db"
    garbage.write_bytes(b"no database at all" * 100)
    with pytest.raises(errors.DamagedError, match="Restore"):
        Database.open(garbage)
    with pytest.raises(errors.StoreAccessError):
        Database.open(tmp_path / "nothing" / "here.db", readonly=True)
    Database.open(path, migrations=(*MIGRATIONS, NOTES)).close()
    with pytest.raises(errors.NewerError, match="newer version"):
        Database.open(path)


def test_damage_in_the_middle_is_found(database: Database, path: Path, tmp_path: Path) -> None:
    with database.write() as connection:
        connection.executemany("INSERT INTO notes VALUES (?)", [(f"{n:0500}",) for n in range(200)])
    assert database.integrity() == database.integrity(quick=True) == []
    copy = tmp_path / "copy.db"
    database.backup(copy)
    with copy.open("r+b") as file:
        file.seek(4096 * 12)
        file.write(b"\xff" * 4096)
    with Database.open(copy, migrations=(*MIGRATIONS, NOTES)) as damaged:
        assert damaged.integrity(quick=True)


def test_a_backup_is_one_file_with_what_was_there(database: Database, tmp_path: Path) -> None:
    add(database, "a")
    target = tmp_path / "backups" / "copy.db"
    database.backup(target)
    add(database, "b")
    assert [file.name for file in target.parent.iterdir()] == ["copy.db"]
    with Database.open(target, migrations=(*MIGRATIONS, NOTES), readonly=True) as copy:
        assert notes(copy) == ["a"]


def test_programs_that_back_up_at_the_same_moment_do_not_disturb_each_other(database: Database, path: Path) -> None:
    add(database, "a" * 200_000)
    target = path.parent / "backups" / "copy.db"
    code = (
        "import sys\nfrom pathlib import Path\nfrom app.core.store.database import Database\n"
        "database = Database(Path(sys.argv[1]), readonly=True, busy_seconds=5)\n"
        "for _ in range(60): database.backup(Path(sys.argv[2]))\n"
    )
    programs = [subprocess.Popen([sys.executable, "-c", code, str(path), str(target)]) for _ in range(2)]
    assert [program.wait(60) for program in programs] == [0, 0]
    assert [file.name for file in target.parent.iterdir()] == ["copy.db"]


def test_halves_of_programs_that_are_gone_are_removed_and_of_others_not(database: Database, path: Path) -> None:
    folder = path.parent / "backups"
    folder.mkdir()
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    names = [f"a.db.{gone.pid}.0123abcd.part", f"a.db.{os.getpid()}.0123abcd.part", "a.db.part", "b.db"]
    names.append(names[0] + "-journal")
    for name in names:
        (folder / name).touch()
    database.backup(folder / "copy.db")
    assert {file.name for file in folder.iterdir()} == {names[1], "b.db", "copy.db"}


def test_what_was_deleted_is_in_no_file(database: Database, path: Path) -> None:
    add(database, "a word that must go")
    with database.write() as connection:
        connection.execute("DELETE FROM notes")
    assert database.scrub()
    assert not [file for file in path.parent.rglob("*") if file.is_file() and b"must go" in file.read_bytes()]


def test_migrating_backs_up_first_and_a_failed_step_changes_nothing(path: Path) -> None:
    with Database.open(path, migrations=(*MIGRATIONS, NOTES)) as database:
        add(database, "a")
    assert not (path.parent / "backups").exists()  # a new file has nothing to lose
    bad = Migration(
        901, "bad", "CREATE TABLE more (x); INSERT INTO notes VALUES ('b'); INSERT INTO nowhere VALUES (1);"
    )
    with pytest.raises(errors.MigrationError, match="901, bad"):
        Database.open(path, migrations=(*MIGRATIONS, NOTES, bad))
    broken = Migration(901, "rows", "CREATE TABLE r (n TEXT REFERENCES notes (note)); INSERT INTO r VALUES ('none');")
    with pytest.raises(errors.MigrationError, match="refers to nothing"):
        Database.open(path, migrations=(*MIGRATIONS, NOTES, broken))
    good = Migration(901, "more", "CREATE TABLE more (x);")
    late = Migration(899, "late", "CREATE TABLE late (x);")
    with Database.open(path, migrations=(*MIGRATIONS, late, NOTES, good)) as database, database.read() as connection:
        assert notes(database) == ["a"]
        assert connection.execute("PRAGMA user_version").fetchone()[0] == 901
        assert [row[0] for row in connection.execute("SELECT number FROM migrations WHERE number > 800")] == [
            899,
            900,
            901,
        ]
    backups = sorted(file.name for file in (path.parent / "backups").iterdir())
    assert backups == ["before-899-library.db", "before-901-library.db"]


def test_a_running_old_version_stops_writing_after_a_newer_one_has_migrated(path: Path) -> None:
    with Database.open(path) as old:
        with Database.open(path, migrations=(*MIGRATIONS, NOTES)):
            pass
        with pytest.raises(errors.NewerError), old.write():
            pass


def test_the_list_of_migrations_only_rises_and_statements_are_told_apart() -> None:
    migration.check(MIGRATIONS)
    with pytest.raises(ValueError, match="must come after"):
        migration.check((*MIGRATIONS, NOTES, NOTES))
    script = (
        "CREATE TABLE t (a DEFAULT 'x;y'); -- one; two\n"
        "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; SELECT 2; END;\nSELECT 3"
    )
    assert [part[-4:] for part in migration.statements(script)] == ["y');", "END;", "T 3;"]
    with pytest.raises(ValueError, match="without an end"):
        list(migration.statements("SELECT 'never ends;"))

"""Some failures of the disk for each action, and that the proof can fail; ``python -m tests.hardening.errors``: all."""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from pathlib import Path

import pytest

from app.core import project_file
from app.core.library import Library
from app.core.store.errors import DiskFullError, ReadOnlyError, StoreAccessError, from_sqlite
from tests.hardening import errors
from tests.hardening.actions import ACTIONS, Action
from tests.hardening.errors import WAYS, Bench, may_mount, mounted
from tests.hardening.faults import Faults, injected, sqlite_is_reachable
from tests.hardening.world import look

pytestmark = pytest.mark.skipif(
    not (os.name == "posix" and os.path.exists("/proc/self/maps") and sqlite_is_reachable()),
    reason="SQLite cannot be reached below Python here",
)


@pytest.fixture(scope="module")
def bench():
    with tempfile.TemporaryDirectory(prefix="voxcpm-errors-", dir=errors.quick_folder()) as place:
        yield Bench(Path(place))


def named(name: str) -> Action:
    return next(action for action in ACTIONS if action.name == name)


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.name)
def test_a_failing_disk_loses_nothing(bench, action):
    before = len(bench.tally.problems)
    points = len(bench.expected(action)[1])
    number = ACTIONS.index(action)
    bench.inject(action, every=max(4, points // 2), ways=[WAYS[number % 4], WAYS[(number + 3) % 4]])
    assert bench.tally.problems[before:] == [] and points >= 5


@pytest.mark.parametrize(
    "name", ["save a voice", "keep an encrypted take", "save a project", "export WAV", "open, with a backup due"]
)
def test_real_disks_that_are_full_or_closed(bench, name):
    if why := may_mount(bench.place):
        pytest.skip(f"nothing can be mounted: {why}")
    before = len(bench.tally.problems)
    bench.fill(named(name), 0)
    bench.fill(named(name), 24)
    bench.lock(named(name))
    assert bench.tally.problems[before:] == []


def test_a_write_in_place_is_noticed(bench, monkeypatch):
    def in_place(path: Path, data: bytes) -> None:
        with path.open("wb", buffering=0) as file:
            file.write(data)

    monkeypatch.setattr(project_file, "write_atomically", in_place)
    before = len(bench.tally.problems)
    bench.inject(named("save a project"), ways=[("ENOSPC", False)])
    found = bench.tally.problems[before:]
    del bench.tally.problems[before:]
    assert found


def test_an_error_that_is_not_ours_is_noticed(bench, monkeypatch):
    monkeypatch.setattr(errors, "OURS", (ZeroDivisionError,))
    before = len(bench.tally.problems)
    bench.inject(named("mark a take"), every=9)
    found = bench.tally.problems[before:]
    del bench.tally.problems[before:]
    assert any("no class of ours" in problem for problem in found)


def test_the_points_below_python_are_reached(tmp_path):
    def save() -> None:
        connection = sqlite3.connect(tmp_path / "a.db")
        try:
            connection.execute("CREATE TABLE IF NOT EXISTS t (a)")
            connection.execute("INSERT INTO t VALUES (1)")
            connection.commit()
        finally:
            connection.close()

    with injected(Faults(tmp_path)) as counted:
        save()
    assert {"sqlite write", "sqlite sync"} <= set(counted.points)
    with injected(Faults(tmp_path, at=1, code=errno.ENOSPC)), pytest.raises(sqlite3.OperationalError, match="full"):
        save()
    with injected(Faults(tmp_path, at=1, code=errno.EIO)), pytest.raises(sqlite3.OperationalError, match="I/O"):
        save()


def test_a_data_folder_on_a_closed_disk_is_read(bench):
    if why := may_mount(bench.place):
        pytest.skip(f"nothing can be mounted: {why}")
    with mounted(bench.place / "closed", "-t", "tmpfs", "-o", "size=8m", "tmpfs") as disk:
        folder = bench.copy(named("mark a take"), disk / "world")
        errors._mount("-o", "remount,ro", str(disk))
        assert look(folder, readonly=True) == bench.before
        with Library(folder / "data", passphrase="words for the test") as library:
            (take, *_) = library.takes.all()
            with pytest.raises(ReadOnlyError, match="for reading only"):
                library.takes.mark(take.uid, rating=1)


def test_what_the_disk_says_is_told_where_sqlite_only_fails(tmp_path, monkeypatch):
    failed = sqlite3.OperationalError("disk I/O error")
    failed.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    path = tmp_path / "a.db"
    path.touch()
    assert type(from_sqlite(failed, path)) is StoreAccessError
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 0}))
    assert type(from_sqlite(failed, path)) is DiskFullError
    monkeypatch.setattr(os, "access", lambda *arguments: False)
    assert type(from_sqlite(failed, path)) is ReadOnlyError

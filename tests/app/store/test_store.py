"""The data folder as a whole: opened by several programs, swept, backed up, restored."""

from __future__ import annotations

import logging
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.store import Store, default_data_folder, errors
from app.core.store.backups import Backup, list_backups, worth_keeping

DATA = b"sound" * 100


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


def test_the_folder_is_the_usual_one_unless_the_environment_says_otherwise(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("VOXCPM_DATA", str(tmp_path / "elsewhere"))
    with Store.open() as store:
        assert store.folder == default_data_folder() == tmp_path / "elsewhere"
        assert store.database.path.parent == store.folder
    monkeypatch.delenv("VOXCPM_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    assert default_data_folder().name == "voxcpm-studio"


def test_what_was_put_is_there_after_a_restart_and_for_a_reader_meanwhile(folder: Path) -> None:
    with Store.open(folder) as store:
        blob_id = store.blobs.put(DATA, owner="take:1")
        with Store.open(folder, readonly=True) as reader:
            assert reader.blobs.get(blob_id) == DATA
            with pytest.raises(errors.ReadOnlyError):
                reader.blobs.release("take:1")
    with Store.open(folder) as store:
        assert store.blobs.get(blob_id) == DATA and store.blobs.used_by("take:1") == [blob_id]


def test_temporary_folders_of_ended_programs_are_swept_and_those_of_others_kept(folder: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from app.core.store import Store\n"
        "store = Store.open(Path(sys.argv[1])); (store.temporary / 'half').write_bytes(b'x')\n"
        "print(store.temporary, flush=True); sys.stdin.read(); os._exit(1)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdin and child.stdout
    left = Path(child.stdout.readline().strip())
    with Store.open(folder) as store:
        assert (left / "half").exists()
        with pytest.raises(errors.InUseError):
            Store.restore(folder)
        own = store.temporary
    assert not own.exists()
    child.communicate()
    assert (left / "half").exists()
    Store.open(folder).close()
    assert not left.exists()


def test_a_damaged_database_is_refused_and_the_newest_intact_backup_comes_back(folder: Path) -> None:
    with Store.open(folder) as store:
        blob_id = store.blobs.put(DATA, owner="take:1")
        good = store.backups.run()
        newest = store.backups.run()
    newest.write_bytes(newest.read_bytes()[:5000])
    library = folder / "library.db"
    library.write_bytes(library.read_bytes()[:4096] + b"\xff" * 4096 * 9)
    damaged = library.read_bytes()
    with pytest.raises(errors.DamagedError, match="Restore"):
        Store.open(folder)
    assert Store.restore(folder) == good
    assert (folder / "library.db.damaged-1").read_bytes() == damaged
    with Store.open(folder) as store:
        assert store.blobs.get(blob_id) == DATA


def test_a_vanished_database_is_not_taken_for_a_new_beginning(folder: Path) -> None:
    with Store.open(folder) as store:
        blob_id = store.blobs.put(DATA, owner="take:1")
        store.backups.run()
    (folder / "library.db").unlink()
    with pytest.raises(errors.DamagedError, match="missing"):
        Store.open(folder)
    Store.restore(folder)
    with Store.open(folder) as store:
        assert store.blobs.get(blob_id) == DATA


def test_without_an_intact_backup_nothing_is_changed(folder: Path) -> None:
    folder.mkdir()
    (folder / "library.db").write_bytes(b"x" * 5000)
    with pytest.raises(errors.NoBackupError):
        Store.restore(folder)
    assert (folder / "library.db").read_bytes() == b"x" * 5000


def test_one_backup_a_day_is_made_and_none_is_lost_for_a_clock_that_jumps(folder: Path) -> None:
    with Store.open(folder) as store:
        store.wait_for_maintenance()
        (first,) = list_backups(folder / "backups")
        assert store.backups.run_if_due() is None
        day = first.made_on
        for step in [*range(1, 11), -400, 11]:
            store.backups._today = lambda step=step: day + timedelta(step)
            path = store.backups.run_if_due()
            assert path is not None and list_backups(folder / "backups")[0].path == path
            assert store.backups.run_if_due() is None


@given(st.lists(st.integers(-400, 3), max_size=500))
def test_which_backups_stay(steps: list[int]) -> None:
    start = date(2026, 1, 1)
    backups = [Backup(number, start + timedelta(step), Path(str(number))) for number, step in enumerate(steps)][::-1]
    kept = worth_keeping(backups)
    assert kept == sorted(kept, reverse=True) and kept[:1] == backups[:1] and len(kept) <= 1 + 7 + 4 + 12
    assert worth_keeping(kept) == kept  # rotating twice drops nothing more


def test_daily_backups_over_two_years_leave_days_weeks_and_months() -> None:
    start = date(2025, 1, 1)
    kept: list[Backup] = []
    for number in range(730):
        kept = worth_keeping([Backup(number, start + timedelta(number), Path(str(number))), *kept])
    ages = [729 - backup.number for backup in kept]
    assert ages[:7] == list(range(7)) and 18 <= len(ages) <= 23 and 300 < ages[-1] < 366


def test_a_backup_that_fails_does_not_keep_the_store_shut(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder.mkdir()
    (folder / "backups").write_bytes(b"a file where a folder should be")
    with caplog.at_level(logging.WARNING), Store.open(folder) as store:
        assert store.blobs.exists(store.blobs.put(DATA))
        store.wait_for_maintenance()
    assert "could not be backed up" in caplog.text

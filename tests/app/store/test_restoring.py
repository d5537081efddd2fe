"""Going back to a backup: which one, what is kept beside it, the wish for the next start, and the command."""

import json
import os
import time
from datetime import date

import pytest

from app import cli_data
from app.core import data_health
from app.core.library import Library
from app.core.store import errors
from app.core.store.backups import DAMAGED_DAYS, list_backups
from app.core.store.restoring import forget_wish, fulfil, wish, wished
from tests.app.takes.makers import made, opened


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data"


def library_in(folder):
    library = Library(folder)
    library.__dict__["store"] = opened(folder)
    library.store.wait_for_maintenance()
    return library


@pytest.fixture
def three(folder):
    """Backups 1 to 3 with none, one and two takes; three takes now."""
    with library_in(folder) as library:
        for seed in (1, 2, 3):
            library.takes.add(made(seed=seed)[0])
            if seed < 3:
                library.store.backups._today = lambda seed=seed: date(2026, 1, seed)
                library.store.backups.run()
        library.store.backups._today = date.today
        assert [backup.number for backup in list_backups(folder / "backups")] == [3, 2, 1]
    return folder


def takes_in(folder):
    with opened(folder) as store, store.database.read() as connection:
        return connection.execute("SELECT count(*) FROM takes").fetchone()[0]


@pytest.mark.parametrize(("number", "takes"), [(None, 2), (3, 2), (2, 1), (1, 0)])
def test_the_chosen_backup_is_put_in_place_and_the_log_says_so(three, number, takes):
    with Library(three) as library:
        assert library.restore(number) == (number or 3)
        assert library.takes.count() == takes and library.restored == (number or 3)
        (entry,) = (each for each in library.audit.entries() if each.event == "data_restored")
        assert entry.facts == {"backup": number or 3}
        with pytest.raises(errors.InUseError):
            library.restore(1)
        with pytest.raises(errors.NoBackupError):
            Library(three / "elsewhere").restore()
    kept = list(three.glob("library.db.damaged-*"))
    assert kept and takes_in(three) == takes


def test_a_number_that_is_not_there_changes_nothing(three):
    with pytest.raises(errors.NoBackupError, match="number 9"):
        Library(three).restore(9)
    assert takes_in(three) == 3 and not list(three.glob("library.db.damaged-*"))


def test_a_wish_is_fulfilled_by_the_next_program_that_has_the_data_to_itself(three):
    with library_in(three) as one:
        wish(three, 2)
        assert wished(three) == 2
        assert fulfil(three) is None and wished(three) == 2 and one.takes.count() == 3  # somebody has it open
    with Library(three) as two:
        assert two.takes.count() == 1 and two.restored == 2
    assert wished(three) is None
    with Library(three) as three_again:
        assert three_again.takes.count() == 1 and three_again.restored is None


@pytest.mark.parametrize("text", ["", "x", "-1", "99", "1\n2"])
def test_a_wish_that_means_nothing_is_dropped_and_the_data_opens(three, text):
    (three / "restore-next").write_text(text)
    with Library(three) as library:
        assert library.takes.count() == 3 and library.restored is None


def test_a_wish_can_be_taken_back(three):
    wish(three, 1)
    forget_wish(three)
    forget_wish(three)
    assert wished(three) is None and takes_in(three) == 3


def test_what_only_the_replaced_database_knows_is_kept_for_a_month(three):
    with Library(three) as library:
        library.restore(1)
    with opened(three) as store:
        store.wait_for_maintenance()
        there = set(store.blobs._files())
        assert len(there) == 3 and not store.blobs.lost()
        store.backups._today = lambda: date(2030, 1, 1)
        assert store.keep_up() and set(store.blobs._files()) == there
        long_ago = time.time() - (DAMAGED_DAYS + 1) * 24 * 3600
        for kept in three.glob("library.db.damaged-*"):
            os.utime(kept, (long_ago, long_ago))
        store.backups._today = lambda: date(2030, 1, 2)
        assert store.keep_up() and not list(three.glob("library.db.damaged-*")) and not set(store.blobs._files())
        assert not store.keep_up()


def test_the_check_names_what_is_wrong(three):
    with library_in(three) as library:
        assert data_health.check(library) == data_health.Health((), (), "empty")
        path = next(library.store.blobs._files())
        path.unlink()
        found = data_health.check(library)
        assert found.lost == (path.name,) and not found.is_whole


class Command:
    def __init__(self, folder, capsys):
        self.folder, self.capsys = folder, capsys

    def __call__(self, *argv):
        code = cli_data.run(["--data", str(self.folder), *map(str, argv)])
        return code, self.capsys.readouterr().out


def test_the_command_checks_backs_up_restores_and_finds(three, tmp_path, capsys):
    command = Command(three, capsys)
    assert command("check") == (0, "audit log: empty\nAll is whole.\n")
    code, out = command("backup", "--json")
    number = json.loads(out)["number"]
    code, out = command("backups", "--json")
    assert code == 0 and json.loads(out)["backups"][0]["number"] == number
    assert all(each["bytes"] > 0 for each in json.loads(out)["backups"])
    assert command("restore")[0] == 2  # nobody said yes
    assert command("restore", "--number", 99, "--yes")[0] == 7
    assert command("restore", "--number", 2, "--yes", "--json") == (0, '{\n  "restored": 2\n}\n')
    assert takes_in(three) == 1
    with Library(three) as library:
        library.hear("export", {"produce_id": "0" * 32, "format": "wav", "sha256": "1" * 64, "marks": {}})
    code, out = command("find", "1" * 64)
    assert code == 0 and "no saved voice" in out
    (tmp_path / "strange.wav").write_bytes(b"from elsewhere")
    assert command("find", tmp_path / "strange.wav")[0] == 8
    with opened(three):
        assert command("restore", "--yes")[0] == 7  # in use


def test_the_command_mends_a_damaged_database(three, capsys):
    command = Command(three, capsys)
    data = bytearray((three / "library.db").read_bytes())
    data[4096:12288] = os.urandom(8192)
    (three / "library.db").write_bytes(data)
    code, out = command("check", "--json")
    assert code == 8 and not json.loads(out)["whole"]
    assert command("backup")[0] == 7
    assert command("backups")[1].count("bytes") == 3
    assert command("restore", "--yes")[0] == 0 and takes_in(three) == 2
    assert command("check")[0] == 0

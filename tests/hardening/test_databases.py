"""Some damaged databases; ``python -m tests.hardening.databases`` tries many more."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest

from app.core.store import Store, errors
from tests.hardening.databases import Ruins, run
from tests.hardening.errors import quick_folder
from tests.hardening.world import World, look


@pytest.fixture(scope="module")
def ruins():
    with tempfile.TemporaryDirectory(prefix="voxcpm-ruins-", dir=quick_folder()) as place:
        yield Ruins(Path(place))


def test_damage_is_told_and_the_newest_intact_backup_comes_back(ruins):
    run(ruins, seed=7, flipped=12, cuts=8, logs=5)
    assert ruins.tally.problems == []
    assert sum(ruins.tally.outcomes.values()) == 25 and ruins.tally.outcomes["told (DamagedError) and restored"] >= 15


def test_a_restore_that_does_nothing_is_noticed(ruins, monkeypatch):
    monkeypatch.setattr(Store, "restore", lambda folder: None)
    run(ruins, seed=8, flipped=0, cuts=3, logs=0)
    found, ruins.tally.problems = ruins.tally.problems, []
    assert found


def test_lost_keys_are_damage_and_destroyed_ones_are_not(ruins, tmp_path):
    folder = tmp_path / "world"
    shutil.copytree(ruins.base, folder)
    voices = sorted(look(folder)["voices"])
    with World(folder) as world:
        world.voices.delete(voices[0])
        assert world.store.database.integrity() == []
    with sqlite3.connect(folder / "data" / "library.db") as connection:
        connection.execute("DELETE FROM keys WHERE name = 'voice/' || ?", (voices[1],))
    connection.close()
    with pytest.raises(errors.DamagedError, match="keys of 1 voices"):
        look(folder)


def test_a_text_that_is_none_any_more_is_damage(tmp_path):
    failed = sqlite3.OperationalError("Could not decode to UTF-8 column 'facts' with text 'x'")
    assert isinstance(errors.from_sqlite(failed, tmp_path), errors.DamagedError)

"""What other programs were given of a take goes with it, whoever deletes it and whenever it was given."""

from __future__ import annotations

import os
import time

from app.core import outgoing_files
from app.core.library import Library
from tests.app.takes.makers import made


def given(folder, uid):
    """A file as a drag leaves it."""
    path = folder / outgoing_files.FOLDER / uid / "a1" / "take.wav"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"plain sound")
    return path


def test_it_goes_with_its_take_also_in_a_later_start(tmp_path):
    folder = tmp_path / "data"
    one, two = made(takes=2)
    with Library(folder) as library:
        for take in (one, two):
            library.takes.add(take)
    first, second = given(folder, one.uid), given(folder, two.uid)
    with Library(folder) as library:
        library.takes.move_to_bin([one.uid])
        assert first.exists()
        library.takes.empty_bin()
        assert not first.exists() and second.exists()
        library.takes.delete_all()
    assert list((folder / outgoing_files.FOLDER).iterdir()) == []


def test_it_goes_after_a_week(tmp_path):
    folder = tmp_path / "data"
    old, young = given(folder, "old"), given(folder, "young")
    os.utime(old.parents[1], (time.time() - 8 * 24 * 3600,) * 2)
    with Library(folder) as library:
        assert library.takes.count() == 0
    assert young.exists() and not old.exists()

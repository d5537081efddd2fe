"""Folders of earlier versions: each take comes in once, with its origin or not at all, and nothing good is deleted."""

from __future__ import annotations

import json
import os
import shutil

import numpy as np
import pytest

from app.core.messages import VoiceSpec
from app.core.store import errors
from app.core.take_import import import_folders
from app.core.take_store import TakeLibrary
from tests.app.takes.makers import VOICE, made, opened
from tests.app.takes.old_folders import write_folder


@pytest.fixture
def old(tmp_path):
    return tmp_path / "old"


@pytest.fixture
def library(tmp_path):
    with opened(tmp_path / "data") as store:
        yield TakeLibrary(store)


def test_takes_come_in_as_they_were(old, library):
    presses = [made("First.", takes=2), made("Second.", voice=VOICE), made("Broke off.", end="")]
    for number, take in enumerate(take for press in presses for take in press):
        write_folder(old, take, f"2020010{number}T000000.000000Z-{take.row + 1}-x")
    assert import_folders(old, library) == 4 and not old.exists()
    back = list(library.all())[::-1]
    assert [take.job.text for take in back] == ["First.", "First.", "Second.", "Broke off."]
    assert back[0].press == back[1].press != back[2].press
    for take, original in zip(back, [take for press in presses for take in press], strict=True):
        filled = library.filled(take.uid)
        assert np.array_equal(filled.samples, original.samples) and np.array_equal(filled.latents, original.latents)
        assert filled.job.voice == original.job.without_names().voice and filled.created_at == original.created_at
        assert (filled.state, filled.seed, filled.end) == (original.state, original.seed, original.end)
        assert filled.model.threads == 0 and filled.model.name == original.model.name
        if original.result is not None:
            assert filled.result.flags == original.result.flags and filled.result.batch == ()
            assert np.array_equal(filled.result.patch_seconds, original.result.patch_seconds)


def test_a_crash_between_taking_in_and_deleting_makes_no_second_take(old, library):
    folder = write_folder(old, made("One.")[0], "a")
    shutil.copytree(old, old.with_name("copy"))
    assert import_folders(old, library) == 1 and not folder.exists()
    assert import_folders(old.with_name("copy"), library) == 0 and not old.with_name("copy").exists()
    assert library.count() == 1


def damage(folder, kind):
    facts = folder / "take.json"
    if kind == "cut":
        os.truncate(folder / "sound.wav", (folder / "sound.wav").stat().st_size - 100)
    elif kind == "no latents":
        (folder / "latents.npz").unlink()
    elif kind == "no facts":
        facts.write_text("{")
    else:
        raw = json.loads(facts.read_text())
        raw.update({"state": "streaming"} if kind == "state" else {"format": 3} if kind == "format" else {"row": 9})
        facts.write_text(json.dumps(raw))


@pytest.mark.parametrize("kind", ["cut", "no latents", "no facts", "state", "format", "row"])
def test_what_is_damaged_stays_where_it_is(old, library, kind, caplog):
    damaged = write_folder(old, made("Damaged.")[0], "a")
    damage(damaged, kind)
    write_folder(old, made("Good.")[0], "b")
    (old / ".unfinished-c").mkdir()
    assert import_folders(old, library) == 1
    assert [path.name for path in old.iterdir()] == ["a"] and "a (" in caplog.text


def test_nothing_comes_in_without_its_origin(old, library):
    folder = write_folder(old, made(voice=VoiceSpec("a.wav"))[0], "a")
    assert import_folders(old, library) == 0 and folder.exists() and library.count() == 0


def test_what_the_library_cannot_take_waits(old, tmp_path, library):
    write_folder(old, made("One.")[0], "a")
    (tmp_path / "data" / "blobs").write_text("")  # a file in the way
    with pytest.raises(errors.StoreError):
        import_folders(old, library)
    assert (old / "a").exists()
    (tmp_path / "data" / "blobs").unlink()
    assert import_folders(old, library, is_cancelled=lambda: True) == 0 and (old / "a").exists()
    assert import_folders(old, library) == 1
    assert import_folders(tmp_path / "nothing", library) == 0

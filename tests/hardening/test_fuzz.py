"""A little hostile input of each kind, and that the proof can fail; ``python -m tests.hardening.fuzz`` does all."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from app.core.audio_files import AudioFileError
from app.core.dubbing.imported import ImportRefusedError
from app.core.dubbing.reading import read_cues
from app.core.sound_files import probe, sections
from app.engine import hearing
from tests.hardening import fuzz_audio, fuzz_texts
from tests.hardening.errors import quick_folder
from tests.hardening.fuzz import Fuzz, _made
from voxcpm.audio import MAX_SECONDS, read_audio
from voxcpm.errors import AudioError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="measures by what Linux counts")


@pytest.fixture
def place():
    with tempfile.TemporaryDirectory(prefix="voxcpm-fuzz-", dir=quick_folder()) as folder:
        yield Path(folder)


def test_mutated_sound_is_read_or_refused(place):
    fuzz = Fuzz()
    fuzz.audio(5, 3, _made(place / "audio"))
    assert fuzz.problems == []


def test_hostile_bundles_are_refused_or_kept_apart(place):
    fuzz = Fuzz()
    fuzz.bundles(_made(place / "bundles"))
    tally = fuzz.tallies["import of a voice"]
    assert fuzz.problems == [] and tally.refused >= 60


def test_hostile_names_projects_and_settings(place, monkeypatch):
    monkeypatch.setattr(fuzz_texts, "subtitles", lambda: iter(()))  # below, and by the command
    fuzz = Fuzz()
    fuzz.texts(place, with_models=False)
    assert fuzz.problems == [] and fuzz.tallies["projects and settings"].read + fuzz.tallies["names of files"].read > 10


@pytest.mark.parametrize("start", ["{", "<", "<i>", "{\\", "-", "[pause "])
def test_subtitles_full_of_open_brackets_take_no_time(start):
    """Each bracket would have the rest looked through; the test ends by its time limit if so."""
    cue = "1\n00:00:01,000 --> 00:00:02,000\nHello.\n\n"
    try:
        found = read_cues((cue + "2\n00:00:03,000 --> 00:00:04,000\n" + start * 200_000).encode(), "film.srt")
    except ImportRefusedError:
        return
    assert [each.text for each in found.cues][:1] == ["Hello."]


def test_what_writes_outside_fails_or_takes_long_is_noticed(place):
    fuzz = Fuzz()
    fuzz.try_out("x", "a", lambda: (place / "outside").write_text("x"), (), place / "inside")
    fuzz.try_out("x", "b", lambda: [][1], (ValueError,), place)
    fuzz.try_out("x", "c", lambda: bytearray(600 << 20), (), place)
    text = "\n".join(fuzz.problems)
    assert "wrote outside" in text and "IndexError" in text and "MiB" in text
    assert sum("of the processor" not in problem for problem in fuzz.problems) == 3  # a slow machine may add one


def _child(mebibytes: int, after: str = "") -> list[str]:
    return [sys.executable, "-c", f"data = bytearray(b'x') * ({mebibytes} << 20); {after}"]


def _killed_once_it_is_ready(argv: list[str]) -> None:
    child = subprocess.Popen(argv, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    child.kill()
    child.wait()
    child.stdout.close()


def test_the_memory_of_a_child_is_its_own_beside_a_larger_parent(place):
    """The kernel's figure of a child is no less than what its parent had: it would be this much for all of them."""
    parent = bytearray(b"x") * (700 << 20)
    fuzz = Fuzz()
    ready = "print(flush=True); input()"
    for name, do in {
        "small": lambda: subprocess.run(_child(0), check=True),
        "small, killed": lambda: _killed_once_it_is_ready(_child(0, ready)),
        "large": lambda: subprocess.run(_child(560), check=True),
        "large, freed": lambda: subprocess.run(_child(560, "del data"), check=True),
        "large, killed": lambda: _killed_once_it_is_ready(_child(560, ready)),
        "large, fallen": lambda: subprocess.run(_child(560, "import os; os.abort()"), check=False),
    }.items():
        fuzz.try_out(name, name, do, (), place)
    del parent
    told = {kind: round(tally.mebibytes[0]) for kind, tally in fuzz.tallies.items()}
    assert told.pop("small") < 100 and told.pop("small, killed") < 100
    assert told.pop("large, fallen") > 550 and all(560 <= most < 620 for most in told.values())
    assert sum("MiB" in problem for problem in fuzz.problems) == 4  # on a slow machine some take too long as well


def test_the_child_gives_what_the_reader_gives(place):
    """A second reader would give people other sound and other findings than the library."""
    files = fuzz_audio.originals(_made(place / "audio"))
    damaged, _ = fuzz_audio.mutated(files["wav"][0], random.Random(11), files["mp3"][0])
    for data in [*(file for made in files.values() for file in made), damaged, files["wav"][0][:20000]]:
        try:
            wanted = read_audio(data, max_seconds=MAX_SECONDS)
        except AudioError as error:
            with pytest.raises(AudioError) as refused:
                hearing.read_bytes(data, MAX_SECONDS)
            assert refused.value.reason == error.reason and str(refused.value) == str(error)
            continue
        heard = hearing.read_bytes(data, MAX_SECONDS)
        assert heard.samples.tobytes() == wanted.samples.tobytes() and heard.findings == wanted.findings
        facts = ("sample_rate", "channels", "seconds", "start_seconds")
        assert [getattr(heard, name) for name in facts] == [getattr(wanted, name) for name in facts]


def test_a_decoder_that_falls_ends_nothing_but_the_child(place, monkeypatch):
    path = place / "a.wav"
    path.write_bytes(fuzz_audio.originals(_made(place / "audio"))["wav"][0])
    monkeypatch.setenv("PYTHONFAULTHANDLER", "")
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(AudioFileError, match="cannot be read as audio"):
        probe(path)
    with pytest.raises(AudioFileError, match="cannot be read as audio"):
        sections(path, 1.0)
    with pytest.raises(AudioError, match=r"a\.wav cannot be read"):
        hearing.read_bytes(path.read_bytes() + b"x", MAX_SECONDS, path.name)


def test_long_sound_comes_in_sections(place):
    import numpy as np
    import soundfile

    path = place / "long.flac"
    soundfile.write(path, np.linspace(-0.5, 0.5, 35_000, dtype=np.float32), 10_000)
    rate, parts = sections(path, 1.0)
    lengths = [len(part) for part in parts]
    assert rate == 10_000 and lengths == [10_000, 10_000, 15_000]

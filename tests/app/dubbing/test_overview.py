"""What is worked out of a dub to be shown and heard while it is worked on."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.dubbing.cues import Cue, CueTake, new_id
from app.core.dubbing.editing import TYPES, Dubbing
from app.core.dubbing.fit import GAP_MS, FitRules, Placed, place
from app.core.dubbing.frames import read_frame
from app.core.dubbing.listening import excerpt, heard_cue
from app.core.dubbing.opening import open_any
from app.core.dubbing.overview import look
from app.core.project import Project
from app.core.project_file import ProjectInUseError
from app.widgets.cue_text import read_time, time_text
from app.widgets.cue_timeline import snapped
from tests.app.dubbing.sounds import RATE, speech


@pytest.fixture
def dubbing(tmp_path: Path):
    with Project.create(tmp_path / "p", "dub", types=TYPES) as project:
        yield Dubbing(project, {"NASA": "nassa"})


def taken(dubbing: Dubbing, cue: Cue, *lengths: int) -> list[str]:
    key = dubbing.key_of(dubbing.dub.cue(cue.cue_id), dubbing.dub)
    takes = [CueTake(new_id(), key, length) for length in lengths]
    dubbing.add_takes({cue.cue_id: takes})
    return [take.take for take in takes]


def test_every_state_says_what_the_dub_says(dubbing: Dubbing) -> None:
    texts = ("Fits.", "Much too long for its time.", "NASA is stale.", "No take.", "...")
    cues = [Cue(new_id(), text, 2000 * n, 2000 * n + 1000) for n, text in enumerate(texts)]
    dubbing.add(cues)
    taken(dubbing, cues[0], 900)
    taken(dubbing, cues[1], 4000)
    taken(dubbing, cues[2], 900)
    dubbing.write(cues[2].cue_id, "NASA says something else.")
    seen = look(dubbing, FitRules())
    assert [state.problem for state in seen.states] == ["", "too_long", "stale", "no_take", ""]
    assert seen.states[4].silent and not seen.states[4].to_make
    assert seen.to_make == (cues[2].cue_id, cues[3].cue_id)
    assert list(seen.to_make) == [cue.cue_id for cue in dubbing.missing(dubbing.dub)]
    assert seen.stale == {cues[2].cue_id}
    assert [change.said for change in seen.states[2].changes] == ["nassa"]
    assert seen.states[0].room_ms == 2000 - GAP_MS
    assert seen.states[1].gap_ms is not None and seen.states[1].gap_ms < 0
    for state in seen.states:
        assert state.key == dubbing.key_of(state.cue, seen.dub)
        assert ("stale" in state.placed.flags) == dubbing.is_stale(state.cue, seen.dub)


_TIMES = st.lists(st.tuples(st.integers(0, 20_000), st.integers(1, 4000), st.integers(0, 6000)), min_size=1, max_size=9)


@given(_TIMES)
def test_ripple_lets_nothing_overlap_that_does_not_overlap_in_the_script(times: list[tuple[int, int, int]]) -> None:
    from app.core.dubbing.cues import Dub

    cues = []
    for start, length, spoken in times:
        take = CueTake(new_id(), "x", spoken)
        cues.append(Cue(new_id(), "text", start, start + length, takes=(take,), chosen=take.take if spoken else ""))
    placed = place(Dub(tuple(cues)), FitRules(ripple=True))
    by_id = {cue.cue_id: cue for cue in cues}
    for number, one in enumerate(placed):
        cue = by_id[one.cue_id]
        assert cue.start is not None and one.start >= cue.start
        alone = not any(
            other.start is not None and other.end is not None and other.start < cue.start < other.end for other in cues
        )
        if alone and number:
            assert one.start >= max(other.end for other in placed[:number]) + GAP_MS


def test_an_excerpt_is_what_lies_there_over_the_turned_down_original() -> None:
    sounds = {"a": speech(1.0, 1), "b": speech(1.0, 2)}
    placed = [Placed("1", "a", 1000, 2300), Placed("2", "b", 5000, 6300)]
    bed = np.full(10 * RATE, 0.1, np.float32)
    sound_of = lambda uid: (sounds[uid], RATE)  # noqa: E731
    whole = excerpt(placed, sound_of, 0, 10_000, RATE, bed)
    part = excerpt(placed, sound_of, 4000, 4000, RATE, bed)
    np.testing.assert_allclose(part, whole[4 * RATE : 8 * RATE], atol=1e-6)
    assert whole[RATE // 2] == pytest.approx(0.1) and abs(whole[RATE : 2 * RATE]).max() > 0.15
    bare = excerpt(placed, sound_of, 0, 10_000, RATE)
    first = int(np.flatnonzero(np.abs(bare) > 0.01)[0])
    assert first == pytest.approx(RATE, abs=2)
    alone, rate = heard_cue(placed[0], sound_of)
    assert rate == RATE and len(alone) < len(sounds["a"]) and abs(alone).max() <= 1.0


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="needs ffmpeg")
def test_a_picture_of_a_film_comes_from_a_child(tmp_path: Path) -> None:
    film = tmp_path / "film.mkv"
    argv = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=red:s=64x32:d=1,format=yuv420p", "-f", "lavfi"]
    argv += ["-i", "color=blue:s=64x32:d=1,format=yuv420p", "-filter_complex", "[0][1]concat", str(film)]
    subprocess.run(argv, check=True)
    pictures = [np.frombuffer(read_frame(film, ms, 80, 60) or b"", np.uint8) for ms in (200, 1500)]
    assert [len(each) for each in pictures] == [3 * 80 * 60] * 2
    red, blue = (each.reshape(60, 80, 3)[30, 40].astype(int) for each in pictures)
    assert red[0] > 200 > 60 > red[2] and blue[2] > 200 > 60 > blue[0]
    assert (pictures[0].reshape(60, 80, 3)[0] < 20).all()  # black above: the film is wider
    assert read_frame(film, 60_000, 80, 60) is None
    (tmp_path / "no.mkv").write_bytes(b"nothing of the kind")
    assert read_frame(tmp_path / "no.mkv", 0, 80, 60) is None


def test_a_file_opens_the_project_that_was_made_of_it_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Ann: One.\nBob: Two.\n")
    with open_any(path).project as project:
        assert project.folder == tmp_path / "a.dub"
        with pytest.raises(ProjectInUseError):
            open_any(path)
    for again in (path, tmp_path / "a.dub", tmp_path / "a.dub" / "project.json"):
        with open_any(again).project as project:
            assert project.folder == tmp_path / "a.dub"
    path.write_text("Ann: Something else.\nBob: Two.\n")
    (tmp_path / "a 2.dub").mkdir()
    (tmp_path / "a 2.dub" / "mine.txt").write_text("of somebody else")
    with open_any(path).project as project:
        assert project.folder == tmp_path / "a 3.dub"


@given(st.integers(0, 359_999_000))
def test_a_time_is_read_as_it_is_written(milliseconds: int) -> None:
    assert read_time(time_text(milliseconds)) == milliseconds


@pytest.mark.parametrize("text", ["", "x", "1:2:3:4", "-1", "1:-2", "nan", "inf", "1e9", "9" * 400])
def test_what_is_no_time_is_none(text: str) -> None:
    assert read_time(text) is None


def test_what_is_near_snaps() -> None:
    assert snapped(104, [0, 100, 200], 5) == 100
    assert snapped(106, [0, 100, 200], 5) == 106
    assert snapped(106, [], 5) == 106

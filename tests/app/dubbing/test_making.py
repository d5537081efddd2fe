"""Takes for cues: planned once, made in batches, never twice."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.core.dubbing.cues import Cue, Role, new_id
from app.core.dubbing.editing import TYPES, Dubbing
from app.core.dubbing.fit import FitRules, meetings, place
from app.core.dubbing.making import MakeOptions, Maker, lost_takes
from app.core.dubbing.opening import open_any
from app.core.dubbing.pauses import CHAPTER_MS, PARAGRAPH_MS
from app.core.dubbing.plan import FILE, PlanError, read_plan
from app.core.engine_api import EngineCancelled
from app.core.library import Library
from app.core.project import Project
from tests.app.dubbing.sounds import MODEL, RATE, ToneEngine

TEXTS = [
    "A first line.",
    "Second, and a longer one than the first.",
    "Third. [pause 0.5s] With a pause.",
    "Four!",
    "Five is five.",
]


@pytest.fixture
def library(tmp_path: Path):
    with Library(tmp_path / "data") as library:
        yield library


def new_dub(folder: Path, texts: list[str] = TEXTS, who: tuple[str, ...] = ("",)) -> Dubbing:
    dubbing = Dubbing(Project.create(folder, "dub", types=TYPES))
    dubbing.add(Cue(new_id(), text, 2000 * n, 2000 * n + 1800, who[n % len(who)]) for n, text in enumerate(texts))
    dubbing.project.save()
    return dubbing


def maker(dubbing: Dubbing, library: Library, engine: ToneEngine, **options) -> Maker:
    asked = MakeOptions(seed=5, together=2, **options)
    return Maker(dubbing, engine, MODEL, library.store, library.takes, lambda role: None, asked)


def make(dubbing: Dubbing, library: Library, engine: ToneEngine, **options) -> int:
    return maker(dubbing, library, engine, **options).run(lambda: False, lambda progress: None)


def sounds(dubbing: Dubbing, library: Library) -> list[np.ndarray]:
    return [library.takes.filled(cue.chosen).samples for cue in dubbing.dub.cues]


def test_every_cue_gets_its_own_take_and_a_second_run_makes_nothing(tmp_path: Path, library: Library) -> None:
    dubbing, engine = new_dub(tmp_path / "p"), ToneEngine()
    assert make(dubbing, library, engine) == len(TEXTS)
    assert sorted(line.text for lines in engine.asked for line in lines) == sorted(
        ["Third.", "With a pause.", *(text for text in TEXTS if "pause" not in text)]
    )
    assert len({line.seed for lines in engine.asked for line in lines}) == len(TEXTS) + 1
    dub = dubbing.dub
    for cue in dub.cues:
        take = library.takes.get(cue.chosen)
        assert take.job.text == " ".join(cue.text.replace("[pause 0.5s] ", "").split())
        assert not dubbing.is_stale(cue, dub)
    pause = library.takes.filled(dub.cues[2].chosen).samples
    silent = np.flatnonzero(np.abs(pause) > 1e-4)
    assert 0.5 < np.diff(silent).max() / RATE < 0.9  # the pause, and what the parts ring out
    again = ToneEngine()
    assert make(dubbing, library, again) == 0 and again.asked == []
    assert dubbing.project.is_saved


def test_an_edited_cue_alone_is_made_again_and_keeps_the_take_of_before(tmp_path: Path, library: Library) -> None:
    dubbing, engine = new_dub(tmp_path / "p"), ToneEngine()
    make(dubbing, library, engine)
    before = {cue.cue_id: cue.chosen for cue in dubbing.dub.cues}
    edited = dubbing.dub.cues[1].cue_id
    dubbing.write(edited, "Something else now.")
    engine = ToneEngine()
    assert make(dubbing, library, engine) == 1
    assert [line.text for lines in engine.asked for line in lines] == ["Something else now."]
    cue = dubbing.dub.cue(edited)
    assert cue.chosen != before[edited] and cue.takes[0].take == before[edited]
    assert all(cue.chosen == before[cue.cue_id] for cue in dubbing.dub.cues if cue.cue_id != edited)


@pytest.mark.parametrize("stop", [0, 1, 2])
def test_what_is_stopped_goes_on_with_the_plan_and_the_same_samples_come_out(
    tmp_path: Path, library: Library, stop: int
) -> None:
    dubbing = new_dub(tmp_path / "p")
    with pytest.raises(KeyboardInterrupt):
        make(dubbing, library, ToneEngine(fail_at=stop))
    plan = read_plan(tmp_path / "p")
    done = {cue.cue_id: cue.chosen for cue in dubbing.dub.cues if cue.chosen}
    dubbing.project.close()
    reopened = Dubbing(Project.open(tmp_path / "p", types=TYPES))
    engine = ToneEngine()
    assert make(reopened, library, engine) == len(TEXTS) - len(done)
    assert read_plan(tmp_path / "p") == plan
    assert all(reopened.dub.cue(cue_id).chosen == take for cue_id, take in done.items())
    # The same plan from nothing, in another library: the same samples.
    other = new_dub(tmp_path / "q")
    with Library(tmp_path / "data2") as second:
        _adopt(other, reopened)
        (tmp_path / "q" / FILE).write_bytes((tmp_path / "p" / FILE).read_bytes())
        make(other, second, ToneEngine())
        for one, two in zip(sounds(reopened, library), sounds(other, second), strict=True):
            np.testing.assert_array_equal(one, two)


def _adopt(other: Dubbing, dubbing: Dubbing) -> None:
    """Give ``other`` the cues of ``dubbing``, ids and all, but not their takes."""

    other.delete([cue.cue_id for cue in other.dub.cues])
    other.add(replace(cue, takes=(), chosen="") for cue in dubbing.dub.cues)


def test_takes_kept_before_the_project_was_saved_are_taken_over(
    tmp_path: Path, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    dubbing = new_dub(tmp_path / "p")

    def killed(*_: object) -> bool:
        raise KeyboardInterrupt  # between the library, which has the takes, and the project, which has not

    with monkeypatch.context() as patch:
        patch.setattr(Dubbing, "add_takes", killed)
        with pytest.raises(KeyboardInterrupt):
            make(dubbing, library, ToneEngine())
    assert library.takes.count() == 2 and not any(cue.takes for cue in dubbing.dub.cues)
    engine = ToneEngine()
    assert make(dubbing, library, engine) == len(TEXTS) - 2
    assert all(cue.chosen for cue in dubbing.dub.cues) and library.takes.count() == len(TEXTS)


def test_a_project_from_another_machine_gets_its_takes_again_and_the_choice_stays(
    tmp_path: Path, library: Library
) -> None:
    dubbing = new_dub(tmp_path / "p")
    make(dubbing, library, ToneEngine())
    one = dubbing.dub.cues[1].cue_id
    for _ in range(2):
        maker(dubbing, library, ToneEngine()).run(lambda: False, lambda progress: None, frozenset({one}), again=True)
    dubbing.choose(one, dubbing.dub.cue(one).takes[1].take)
    before = dubbing.dub
    with Library(tmp_path / "data2") as other:
        dubbing.lost = lost_takes(dubbing.as_kept, other.takes)
        assert len(dubbing.missing(dubbing.dub)) == len(TEXTS) and not any(cue.chosen for cue in dubbing.dub.cues)
        make(dubbing, other, ToneEngine())
        assert [cue.chosen for cue in dubbing.dub.cues] == [cue.chosen for cue in before.cues]
        for cue in before.cues:
            np.testing.assert_array_equal(
                other.takes.filled(cue.chosen).samples, library.takes.filled(cue.chosen).samples
            )
    assert dubbing.as_kept == before


def test_takes_that_a_person_deleted_do_not_come_back_unless_nothing_else_is_left(
    tmp_path: Path, library: Library
) -> None:
    dubbing = new_dub(tmp_path / "p", TEXTS[:2])
    make(dubbing, library, ToneEngine())
    one = dubbing.dub.cues[0].cue_id
    maker(dubbing, library, ToneEngine()).run(lambda: False, lambda progress: None, frozenset({one}), again=True)
    first, second = (take.take for take in dubbing.dub.cue(one).takes)
    library.takes.move_to_bin([second])
    assert lost_takes(dubbing.as_kept, library.takes) == frozenset()  # what is in the bin can still be heard
    library.takes.empty_bin()
    engine = ToneEngine()
    assert make(dubbing, library, engine) == 0 and engine.asked == []
    assert dubbing.dub.cue(one).chosen == first  # the one that was heard is gone
    library.takes.move_to_bin([first])
    library.takes.empty_bin()
    make(dubbing, library, ToneEngine())
    assert dubbing.dub.cue(one).chosen == first and not dubbing.missing(dubbing.dub)


def test_three_takes_for_each_and_the_one_that_fits_is_chosen(tmp_path: Path, library: Library) -> None:
    dubbing, engine = new_dub(tmp_path / "p", ["A line of words that is rather long."]), ToneEngine()
    assert make(dubbing, library, engine, takes=3) == 3
    cue = dubbing.dub.cues[0]
    lengths = {take.take: take.speech_ms for take in cue.takes}
    fitting = [ms for ms in lengths.values() if ms <= 1800]
    assert lengths[cue.chosen] == (max(fitting) if fitting else min(lengths.values()))


def test_roles_are_computed_apart_and_a_steady_one_goes_on_from_its_first_line(
    tmp_path: Path, library: Library
) -> None:
    texts = ["Hm.", "This one is long enough to be heard.", "And another.", "Too.", "The last of all the lines."]
    dubbing, engine = new_dub(tmp_path / "p", texts, ("A", "B")), ToneEngine()
    dubbing.cast("A", Role(description="an old man"))
    assert make(dubbing, library, engine, steady=True) == len(texts)
    for lines in engine.asked:
        assert len({line.description for line in lines if line.anchor is None}) <= 1
    first = [line for lines in engine.asked for line in lines if line.anchor is None]
    assert {line.text for line in first} == {"The last of all the lines.", texts[1]}
    for line in (line for lines in engine.asked for line in lines if line.anchor is not None):
        assert line.description == "" and line.anchor.text in {line.text for line in first}


def test_a_damaged_plan_is_said_and_another_machine_is_remarked(tmp_path: Path, library: Library) -> None:
    dubbing = new_dub(tmp_path / "p")
    make(dubbing, library, ToneEngine())
    dubbing.write(dubbing.dub.cues[0].cue_id, "Other.")
    other = maker(dubbing, library, ToneEngine())

    other.model = replace(MODEL, threads=8)
    other.run(lambda: False, lambda progress: None)
    assert "last bits" in other.notes[0]
    (tmp_path / "p" / FILE).write_text("{}")
    with pytest.raises(PlanError, match="Delete it"):
        make(dubbing, library, ToneEngine())


def test_a_style_note_is_asked_for_where_it_can_be_and_told_where_not(tmp_path: Path, library: Library) -> None:
    dubbing, engine = new_dub(tmp_path / "p", ["One line.", "And two."]), ToneEngine()
    dubbing.cast("", Role(description="an old man"))
    dubbing.set_style(dubbing.dub.cues[0].cue_id, "whispering")
    make(dubbing, library, engine)
    asked = {line.text: line.description for lines in engine.asked for line in lines}
    assert asked == {"One line.": "an old man, whispering", "And two.": "an old man"}
    dubbing.set_style(dubbing.dub.cues[0].cue_id, "shouting")
    other, engine = maker(dubbing, library, ToneEngine()), ToneEngine()
    other.model, other.engine = replace(MODEL, takes_description=False), engine
    other.run(lambda: False, lambda progress: None)
    assert [line.description for lines in engine.asked for line in lines] == [""]
    assert any("left out" in note for note in other.notes)


def test_one_cue_alone_is_made_and_redone_and_the_new_take_is_heard(tmp_path: Path, library: Library) -> None:
    dubbing, engine = new_dub(tmp_path / "p"), ToneEngine()
    one = dubbing.dub.cues[1].cue_id
    only = frozenset({one})
    assert maker(dubbing, library, engine).run(lambda: False, lambda progress: None, only) == 1
    assert [bool(cue.chosen) for cue in dubbing.dub.cues] == [False, True, False, False, False]
    first = dubbing.dub.cue(one).chosen
    for number in (2, 3):
        made = maker(dubbing, library, engine).run(lambda: False, lambda progress: None, only, again=True)
        cue = dubbing.dub.cue(one)
        assert made == 1 and len(cue.takes) == number and cue.chosen == cue.takes[-1].take
    assert dubbing.dub.cue(one).takes[0].take == first
    assert len({line.seed for lines in engine.asked for line in lines}) == 3
    assert make(dubbing, library, engine) == len(TEXTS) - 1


def test_a_redo_that_was_stopped_is_not_made_up_for_later(tmp_path: Path, library: Library) -> None:
    dubbing = new_dub(tmp_path / "p")
    make(dubbing, library, ToneEngine())
    one = frozenset({dubbing.dub.cues[0].cue_id})

    class Stopped(ToneEngine):
        def speak_lines(self, lines, is_cancelled):
            raise EngineCancelled

    with pytest.raises(EngineCancelled):
        maker(dubbing, library, Stopped()).run(lambda: True, lambda progress: None, one, again=True)
    engine = ToneEngine()
    assert make(dubbing, library, engine) == 0 and engine.asked == []


def test_cues_may_be_edited_and_deleted_while_their_takes_are_made(tmp_path: Path, library: Library) -> None:
    dubbing = new_dub(tmp_path / "p", TEXTS[:2])
    first, second = (cue.cue_id for cue in dubbing.dub.cues)

    class Editing(ToneEngine):
        def speak_lines(self, lines, is_cancelled):
            dubbing.delete([first])
            dubbing.write(second, "It says something else by now.")
            return super().speak_lines(lines, is_cancelled)

    make(dubbing, library, Editing())
    (cue,) = dubbing.dub.cues
    assert cue.cue_id == second and dubbing.is_stale(cue, dubbing.dub)
    assert dubbing.missing(dubbing.dub) == [cue]


def test_only_the_thread_that_owns_the_project_touches_it(tmp_path: Path, library: Library) -> None:
    dubbing = new_dub(tmp_path / "p")
    owners, others = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
    touched: set[int] = set()

    def spy(project, *wanted):
        for name in wanted:
            real = getattr(project, name)
            setattr(project, name, lambda *a, _real=real, **k: touched.add(threading.get_ident()) or _real(*a, **k))

    spy(dubbing.project, "part", "change", "snapshot")
    asked = MakeOptions(seed=5, together=2)
    made = Maker(
        dubbing, ToneEngine(), MODEL, library.store, library.takes, lambda role: None, asked,
        lambda work: owners.submit(work).result(),
    )  # fmt: skip
    assert others.submit(made.run, lambda: False, lambda progress: None).result(60) == len(TEXTS)
    assert touched == {owners.submit(threading.get_ident).result()}
    assert dubbing.project.is_saved
    owners.shutdown()
    others.shutdown()


def test_a_line_that_is_redone_goes_on_from_the_anchor_of_its_character(tmp_path: Path, library: Library) -> None:
    dubbing, engine = new_dub(tmp_path / "p"), ToneEngine()
    make(dubbing, library, engine, steady=True)
    anchors = {line.anchor.text for lines in engine.asked for line in lines if line.anchor is not None}
    engine = ToneEngine()
    one = frozenset({dubbing.dub.cues[4].cue_id})
    maker(dubbing, library, engine, steady=True).run(lambda: False, lambda progress: None, one, again=True)
    assert {line.anchor.text for lines in engine.asked for line in lines if line.anchor is not None} == anchors
    assert len(anchors) == 1


def test_a_book_of_chapters_is_made_in_one_steady_voice_over_kills(tmp_path: Path, library: Library) -> None:
    """An hour of text in small: several chapters, stopped again and again, one voice that never drifts."""
    chapters = []
    for chapter in range(1, 5):
        paragraphs = [f"Paragraph {n} of this chapter goes on for a while. It has two sentences." for n in range(6)]
        chapters.append(f"Chapter {chapter}\n\n" + "\n\n".join(paragraphs))
    (tmp_path / "book.txt").write_text("\n\n".join(chapters), encoding="utf-8")
    project = open_any(tmp_path / "book.txt").project
    dubbing = Dubbing(project)
    assert sum(cue.before == "chapter" for cue in dubbing.dub.cues) == 3 and len(dubbing.dub.cues) == 28
    asked, done, stops = [], set(), 0
    while dubbing.missing(dubbing.dub):
        engine = ToneEngine(fail_at=2 if stops < 6 else None)
        try:
            make(dubbing, library, engine, steady=True)
        except KeyboardInterrupt:
            stops += 1
        project.close()
        project = Project.open(tmp_path / "book.dub", types=TYPES)
        dubbing = Dubbing(project)
        lines = [line for batch in engine.asked for line in batch]
        new = {cue.cue_id for cue in dubbing.dub.cues if cue.chosen} - done
        assert len(lines) == len(new)  # nothing finished is made again
        done |= new
        asked += lines
    assert stops == 6 and len(done) == 28
    without = [line for line in asked if line.anchor is None]
    assert len(without) == 1
    assert {line.anchor.text for line in asked if line.anchor is not None} == {without[0].text}  # never the one before
    placed = place(dubbing.dub, FitRules())
    gaps = {meeting.second: meeting.gap_ms for meeting in meetings(placed)}
    by_break = {before: {gaps[cue.cue_id] for cue in dubbing.dub.cues[1:] if cue.before == before}
                for before in ("chapter", "paragraph")}  # fmt: skip
    assert by_break == {"chapter": {CHAPTER_MS}, "paragraph": {PARAGRAPH_MS}}
    project.close()

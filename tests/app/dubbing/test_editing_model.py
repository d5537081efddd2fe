"""Random edits of a dub, with undo and restarts, against a plain list: every cue keeps its own takes."""

from __future__ import annotations

import copy
import shutil
import tempfile
import uuid
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from app.core.dubbing.cues import Cue, CueTake, Dub, Role, new_id
from app.core.dubbing.editing import TYPES, Dubbing, EditError
from app.core.project import Project

TEXTS = st.sampled_from(
    ["One two three four.", "你好，世界。再见。", "NASA goes up", "a b", "x", "No, never [pause 1s] again!"]
)
WHO = st.sampled_from(["", "Alice", "王"])
PLACE = st.integers(0, 30)


class DubMachine(RuleBasedStateMachine):
    """``states``: what undo and redo walk along. Takes are told apart by ids that are made of the cue they are for."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="voxcpm-dub-"))
        self.project = Project.create(self.folder / "p", "dub", types=TYPES)
        self.dubbing = Dubbing(self.project)
        self.states: list[Dub] = [Dub()]
        self.at = 0
        self.owners: dict[str, str] = {}  # take -> the cue that it was made for

    def teardown(self) -> None:
        self.project.close()
        shutil.rmtree(self.folder)

    @property
    def cues(self) -> tuple[Cue, ...]:
        return self.states[self.at].cues

    def some(self, place: int) -> Cue:
        return self.cues[place % len(self.cues)]

    def expect(self, dub: Dub, changed: bool = True) -> None:
        assert changed == (dub != self.states[self.at])
        if changed:
            del self.states[self.at + 1 :]
            self.states.append(dub)
            self.at += 1

    def with_cue(self, cue: Cue, **more: object) -> Dub:
        dub = self.states[self.at]
        cues = tuple(cue if each.cue_id == cue.cue_id else each for each in dub.cues)
        return replace(dub, cues=cues, **more)

    def with_role(self, dub: Dub, character: str) -> Dub:
        return dub if not character or character in dub.cast else replace(dub, cast={**dub.cast, character: Role()})

    @initialize(texts=st.lists(st.tuples(TEXTS, WHO), min_size=1, max_size=6))
    def start(self, texts: list[tuple[str, str]]) -> None:
        self.add(texts)

    @rule(texts=st.lists(st.tuples(TEXTS, WHO), min_size=1, max_size=3))
    def add(self, texts: list[tuple[str, str]]) -> None:
        if len(self.cues) > 25:
            return
        first = max((cue.end or 0 for cue in self.cues), default=0)
        new = [
            Cue(new_id(), text, first + 2000 * n, first + 2000 * n + 1500, who) for n, (text, who) in enumerate(texts)
        ]
        dub = replace(self.states[self.at], cues=(*self.cues, *new))
        for _, who in texts:
            dub = self.with_role(dub, who)
        self.dubbing.add(new)
        self.expect(dub)

    @precondition(lambda self: self.cues)
    @rule(place=PLACE, text=TEXTS)
    def write(self, place: int, text: str) -> None:
        self.project.end_typing()
        cue = self.some(place)
        changed = self.dubbing.write(cue.cue_id, text)
        self.expect(self.with_cue(replace(cue, text=text)), changed)

    @precondition(lambda self: self.cues)
    @rule(place=PLACE, start=st.integers(0, 9000), length=st.integers(1, 4000))
    def move(self, place: int, start: int, length: int) -> None:
        cue = self.some(place)
        changed = self.dubbing.move(cue.cue_id, start, start + length)
        self.expect(self.with_cue(replace(cue, start=start, end=start + length)), changed)

    @precondition(lambda self: self.cues)
    @rule(
        place=PLACE, who=WHO, style=st.sampled_from(["", "softly"]), voice=st.sampled_from(["", str(uuid.UUID(int=7))])
    )
    def recast(self, place: int, who: str, style: str, voice: str) -> None:
        self.project.end_typing()
        cue = self.some(place)
        for edit, value, field in (
            (self.dubbing.set_character, who, "character"),
            (self.dubbing.set_style, style, "style"),
            (self.dubbing.set_voice, voice, "voice"),
        ):
            changed = edit(cue.cue_id, value)
            cue = replace(cue, **{field: value})
            self.expect(self.with_role(self.with_cue(cue), cue.character), changed)

    @precondition(lambda self: self.cues)
    @rule(place=PLACE, at=st.integers(0, 12))
    def split(self, place: int, at: int) -> None:
        cue = self.some(place)
        head, tail = cue.text[:at].rstrip(), cue.text[at:].lstrip()
        if not head or not tail or cue.end - cue.start < 2:
            with pytest.raises(EditError):
                self.dubbing.split(cue.cue_id, at)
            return
        second = self.dubbing.split(cue.cue_id, at)
        held = self.dubbing.dub.cue(second)
        first = replace(cue, text=head, end=held.start)
        new = replace(cue, cue_id=second, text=tail, start=held.start, takes=(), chosen="", before="")
        assert cue.start < held.start < cue.end
        dub = self.with_cue(first)
        index = dub.cues.index(first) + 1
        self.expect(replace(dub, cues=(*dub.cues[:index], new, *dub.cues[index:])))

    @precondition(lambda self: self.cues)
    @rule(place=PLACE, other=PLACE)
    def merge(self, place: int, other: int) -> None:
        one, two = self.some(place), self.some(other)
        if one == two:
            with pytest.raises(EditError):
                self.dubbing.merge(one.cue_id, two.cue_id)
            return
        self.dubbing.merge(one.cue_id, two.cue_id)
        gap = "" if one.text[-1] >= "\u3000" else " "  # Chinese has no gaps between words
        joined = replace(
            one, text=f"{one.text}{gap}{two.text}", start=min(one.start, two.start), end=max(one.end, two.end)
        )
        dub = self.with_cue(joined)
        self.expect(replace(dub, cues=tuple(cue for cue in dub.cues if cue.cue_id != two.cue_id)))

    @precondition(lambda self: self.cues)
    @rule(places=st.lists(PLACE, min_size=1, max_size=3))
    def delete(self, places: list[int]) -> None:
        gone = {self.some(place).cue_id for place in places}
        self.dubbing.delete(gone)
        dub = self.states[self.at]
        self.expect(replace(dub, cues=tuple(cue for cue in dub.cues if cue.cue_id not in gone)))

    @precondition(lambda self: self.cues)
    @rule(place=PLACE, to=PLACE)
    def reorder(self, place: int, to: int) -> None:
        cue, cues = self.some(place), list(self.cues)
        to %= len(cues)
        changed = self.dubbing.reorder(cue.cue_id, to)
        cues.remove(cue)
        cues.insert(to, cue)
        self.expect(replace(self.states[self.at], cues=tuple(cues)), changed)

    @precondition(lambda self: self.cues)
    @rule(place=PLACE, count=st.integers(1, 3))
    def make(self, place: int, count: int) -> None:
        cue, dub = self.some(place), self.states[self.at]
        takes = [CueTake(str(uuid.uuid4()), self.dubbing.key_of(cue, dub), 900 + 100 * n) for n in range(count)]
        if len(cue.takes) + count > 90:
            return
        self.owners |= {take.take: cue.cue_id for take in takes}
        self.dubbing.add_takes({cue.cue_id: takes})
        self.expect(self.with_cue(replace(cue, takes=(*cue.takes, *takes), chosen=takes[0].take)))
        assert not self.dubbing.is_stale(self.some(place), self.states[self.at])

    @precondition(lambda self: any(cue.takes for cue in self.cues))
    @rule(place=PLACE, which=st.integers(0, 5))
    def choose(self, place: int, which: int) -> None:
        made = [cue for cue in self.cues if cue.takes]
        cue = made[place % len(made)]
        take = cue.takes[which % len(cue.takes)].take
        self.expect(self.with_cue(replace(cue, chosen=take)), self.dubbing.choose(cue.cue_id, take))

    @rule(said=st.sampled_from(["", "nassa"]))
    def word(self, said: str) -> None:
        words = {"NASA": said} if said else {}
        self.expect(replace(self.states[self.at], words=words), self.dubbing.set_word("NASA", said))

    @rule()
    def undo(self) -> None:
        assert (self.project.undo() is None) == (self.at == 0)
        self.at = max(0, self.at - 1)

    @rule()
    def redo(self) -> None:
        assert (self.project.redo() is None) == (self.at == len(self.states) - 1)
        self.at = min(self.at + 1, len(self.states) - 1)

    @rule()
    def save_and_open(self) -> None:
        self.project.save()
        self.project.close()
        self.project = Project.open(self.folder / "p", types=TYPES)
        self.dubbing = Dubbing(self.project)
        self.states, self.at = [self.states[self.at]], 0

    @invariant()
    def memory_is_what_it_should_be(self) -> None:
        dub = self.dubbing.dub
        assert dub == self.states[self.at]
        for cue in dub.cues:
            assert all(self.owners[take.take] == cue.cue_id for take in cue.takes)
            key = self.dubbing.key_of(cue, dub)
            stale = cue.chosen_take is not None and cue.chosen_take.made_of != key
            assert self.dubbing.is_stale(cue, dub) == stale


DubMachine.TestCase.settings = settings(
    max_examples=12, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
TestDub = DubMachine.TestCase


@pytest.fixture
def dubbing(tmp_path: Path):
    with Project.create(tmp_path / "p", "dub", types=TYPES) as project:
        yield Dubbing(project)


def test_an_edit_makes_only_its_cue_stale(dubbing: Dubbing) -> None:
    cues = [Cue(new_id(), f"Line number {n}.", 1000 * n, 1000 * n + 900, "Bob") for n in range(5)]
    dubbing.add(cues)
    dub = dubbing.dub
    dubbing.add_takes({cue.cue_id: [CueTake(str(uuid.uuid4()), dubbing.key_of(cue, dub), 800)] for cue in cues})
    before = copy.deepcopy(dubbing.dub)
    dubbing.write(cues[2].cue_id, "Something else.")
    dubbing.move(cues[3].cue_id, 3100, 3900)
    dub = dubbing.dub
    assert [dubbing.is_stale(cue, dub) for cue in dub.cues] == [False, False, True, False, False]
    assert [cue.takes for cue in dub.cues] == [cue.takes for cue in before.cues]
    dubbing.set_word("line", "lion")
    dub = dubbing.dub
    assert [dubbing.is_stale(cue, dub) for cue in dub.cues] == [True, True, True, True, True]
    dubbing.project.undo()
    dubbing.cast("Bob", Role(description="an old man"))
    dub = dubbing.dub
    assert all(dubbing.is_stale(cue, dub) for cue in dub.cues)
    while dubbing.project.undo_label != "Make takes":
        dubbing.project.undo()
    assert dubbing.dub == before


def test_missing_are_cues_without_a_take_of_what_they_say_now(dubbing: Dubbing) -> None:
    cues = [Cue(new_id(), text) for text in ("One.", "...", "Two.")]
    dubbing.add(cues)
    dub = dubbing.dub
    assert [cue.text for cue in dubbing.missing(dub)] == ["One.", "Two."]
    key = dubbing.key_of(cues[0], dub)
    dubbing.add_takes({cues[0].cue_id: [CueTake(str(uuid.uuid4()), key, 800)]})
    assert [cue.text for cue in dubbing.missing(dubbing.dub)] == ["Two."]
    dubbing.write(cues[0].cue_id, "Three.")
    assert [cue.text for cue in dubbing.missing(dubbing.dub)] == ["Three.", "Two."]
    second = CueTake(str(uuid.uuid4()), dubbing.key_of(dubbing.dub.cues[0], dubbing.dub), 900)
    dubbing.add_takes({cues[0].cue_id: [second]})
    assert not dubbing.choose_fresh()  # what is heard is what it says
    dubbing.write(cues[0].cue_id, "One.")  # the take of before is right again
    dub = dubbing.dub
    assert [cue.text for cue in dubbing.missing(dub)] == ["Two."] and dubbing.is_stale(dub.cues[0], dub)
    assert dubbing.choose_fresh()
    dub = dubbing.dub
    assert not dubbing.is_stale(dub.cues[0], dub) and dub.cues[0].chosen == dub.cues[0].takes[0].take

"""A window shows what other windows and commands do to takes, while it is open."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.audit import AuditLog
from app.core.comparisons import Comparisons
from app.core.take_changes import TakeWatcher
from app.core.take_store import TakeLibrary
from tests.app.takes.makers import made, opened

LONG = 60_000


class Other:
    """Another program on the same data folder."""

    def __init__(self, folder):
        self.store = opened(folder)
        self.takes = TakeLibrary(self.store, AuditLog(self.store.database, self.store.keys))
        self.comparisons = Comparisons(self.store)
        self.watcher = TakeWatcher(self.store, self.takes)

    def add(self, text="From elsewhere.", seed=1):
        take = made(text, seed=seed)[0]
        self.takes.add(take)
        return take.uid


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data" / "library"


@pytest.fixture
def other(folder):
    other = Other(folder)
    yield other
    other.store.close()


def wait(studio, true):
    studio.qtbot.waitUntil(lambda: bool(true()), timeout=LONG)


def listed(studio):
    model = studio.takes_panel.model
    return [model.take_at(model.index(row)).job.text for row in range(model.rowCount())]


def test_takes_of_a_command_show_up_and_go_again(make_studio, folder, other):
    other.add("Made before.", seed=9)
    studio = make_studio(data_folder=folder)
    with studio.qtbot.waitSignal(studio.application.autosave.restored, timeout=LONG):
        studio.show()
    wait(studio, lambda: studio.application.autosave._watcher is not None)
    (own,) = studio.generate("Made here.")
    wait(studio, lambda: own.kept)
    assert listed(studio) == ["Made here.", "Made before."]
    first = other.add("From a command.")
    wait(studio, lambda: "From a command." in listed(studio))
    take = studio.store.find(first)
    other.takes.mark(first, rating=4, note="good")
    wait(studio, lambda: take.marks.rating == 4 and take.marks.note == "good")
    other.comparisons.add([own.uid, first], own.uid, blind=False)
    wait(studio, lambda: own.chosen)
    other.takes.move_to_bin([first])
    wait(studio, lambda: "From a command." not in listed(studio) and take.binned)
    other.takes.restore([first])
    wait(studio, lambda: "From a command." in listed(studio))
    studio.takes_panel.select(take)
    wait(studio, lambda: len(take.samples) == 5000)  # its sound can be heard too
    other.takes.move_to_bin([first])
    other.takes.empty_bin()
    wait(studio, lambda: studio.store.find(first) is None)
    assert sorted(listed(studio)) == ["Made before.", "Made here."]


def test_a_search_and_what_is_done_here_are_left_alone(make_studio, folder, other):
    studio = make_studio(data_folder=folder)
    with studio.qtbot.waitSignal(studio.application.autosave.restored, timeout=LONG):
        studio.show()
    autosave = studio.application.autosave
    wait(studio, lambda: autosave._watcher is not None)
    (own,) = studio.generate("Made here.")
    wait(studio, lambda: own.kept)
    other.add("From a command.")
    wait(studio, lambda: len(studio.store.takes) == 2)
    # What a person does here while the look is under way is newer than what it found.
    other.takes.mark(own.uid, rating=2)
    autosave.sync()
    autosave.mark(own, rating=5)
    wait(studio, lambda: own.marks.rating == 5)
    with studio.qtbot.waitSignal(autosave.done, timeout=LONG):
        autosave.sync()
    assert other.takes.get(own.uid).marks.rating == own.marks.rating == 5


def test_a_look_without_a_change_costs_nothing_and_says_nothing(folder, other):
    here = Other(folder)
    assert here.watcher.look([]) is not None and here.watcher.look([]) is None
    mine = here.add("Mine.")
    assert [take.uid for take in here.watcher.look([]).new] == [mine] and here.watcher.look([mine]) is None
    theirs = other.add("Theirs.", seed=2)
    changes = here.watcher.look([mine])
    assert [take.uid for take in changes.new] == [theirs] and mine in changes.known and not changes.gone
    for act in (
        lambda: other.takes.mark(mine, rating=3),
        lambda: other.takes.move_to_bin([mine]),
        lambda: (other.takes.restore([mine]), other.takes.move_to_bin([theirs])),
        lambda: other.comparisons.add([mine, theirs], theirs, blind=True),
    ):
        act()
        assert here.watcher.look([mine, theirs]) is not None and here.watcher.look([mine, theirs]) is None
    other.takes.delete_all()
    assert here.watcher.look([mine, theirs]).gone == {mine, theirs}
    assert here.watcher.look([]) is None
    here.store.close()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32))
def test_whatever_two_programs_do_both_know_the_same_takes(tmp_path_factory, seed):
    rng = random.Random(seed)
    folder = tmp_path_factory.mktemp("data")
    two = [Other(folder), Other(folder)]
    seen = [{}, {}]
    for each in two:
        each.watcher.look([])
    for step in range(12):
        number = rng.randrange(2)
        one, known = two[number], seen[number]
        uids = list(known)
        match rng.choice(("add", "add", "mark", "bin", "back", "empty")):
            case "add":
                known[one.add(seed=step)] = None
            case "mark" if uids:
                uid = rng.choice(uids)
                if one.takes.has(uid):
                    one.takes.mark(uid, rating=rng.randrange(6))
            case "bin" if uids:
                one.takes.move_to_bin([rng.choice(uids)])
            case "back" if uids:
                one.takes.restore([rng.choice(uids)])
            case "empty":
                one.takes.empty_bin()
        for program, takes in zip(two, seen, strict=True):
            if rng.random() < 0.6 or step == 11:
                changes = program.watcher.look(list(takes))
                if changes is not None:
                    takes |= {take.uid: None for take in changes.new} | dict(changes.known)
                    for uid in changes.gone:
                        takes.pop(uid, None)
    for program, takes in zip(two, seen, strict=True):
        mine = {uid for uid in takes if program.takes.has(uid)}
        everything = {take.uid for take in (*program.takes.all(), *program.takes.all(binned=True))}
        assert mine == everything
    for program in two:
        program.store.close()

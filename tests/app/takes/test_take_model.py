"""Random use of the library of takes by two programs, compared after every step with a model in plain dictionaries."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from app.core.store import errors
from app.core.take_store import TakeExistsError, TakeLibrary, UnknownTakeError
from app.core.takes import Take, TakeMarks
from tests.app.takes.makers import VOICE, made, opened

WORDS = ("night", "Train", "leaves", "at ten", "早上好", "100%", "ä_b", '"quoted"')
VOICES = tuple(f"{number}1111111-2222-4333-8444-555555555555" for number in range(3))
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
QUERY = st.lists(st.sampled_from((*WORDS, "T", "好", "%", "_", '"', "nig LEA", "nothing")), max_size=2).map(" ".join)
PICK = st.integers(0, 1000)


@dataclass
class Known:
    take: Take
    marks: list[TakeMarks] = field(default_factory=list)
    binned: bool = False

    @property
    def note(self) -> str:
        return self.marks[-1].note if self.marks else ""

    def matches(self, query: str) -> bool:
        return all(
            word.lower() in self.take.job.text.lower() or word.lower() in self.note.lower() for word in query.split()
        )


class TakesMachine(RuleBasedStateMachine):
    """``known``: what is in the library by uid, oldest first; ``gone``: uids deleted for good."""

    def __init__(self) -> None:
        super().__init__()
        memory = Path("/dev/shm")  # what lasts is the business of tests.kill
        self.folder = Path(tempfile.mkdtemp(prefix="voxcpm-takes-", dir=memory if memory.is_dir() else None))
        self.known: dict[str, Known] = {}
        self.gone: list[str] = []
        self.voices: set[str] = set()
        self.deleted: set[str] = set()
        self.seed = 0

    @initialize()
    def begin(self) -> None:
        self.stores = [opened(self.folder / "data"), opened(self.folder / "data")]
        self.libraries = [TakeLibrary(store) for store in self.stores]

    def teardown(self) -> None:
        for store in getattr(self, "stores", ()):
            store.close()
        shutil.rmtree(self.folder)

    def _picked(self, pick: int) -> str | None:
        return list(self.known)[pick % len(self.known)] if self.known else None

    @rule(which=st.integers(0, 1), text=TEXT, takes=st.integers(1, 3), voice=st.sampled_from((None, "once", *VOICES)))
    def add(self, which: int, text: str, takes: int, voice: str | None) -> None:
        self.seed += 10
        spec = None if voice is None else replace(VOICE, voice_id="" if voice == "once" else voice)
        for take in made(text, takes=takes, voice=spec, seed=self.seed, length=20):
            if voice in VOICES and voice not in self.voices:
                with pytest.raises(errors.KeysError):
                    self.libraries[which].add(take)
                continue
            self.libraries[which].add(take)
            self.known[take.uid] = Known(take)

    @rule(which=st.integers(0, 1), voice=st.sampled_from(VOICES))
    def new_voice(self, which: int, voice: str) -> None:
        if voice not in self.voices | self.deleted:
            self.stores[which].keys.new_voice_key(voice)
            self.voices.add(voice)

    @rule(which=st.integers(0, 1), voice=st.sampled_from(VOICES))
    def delete_voice(self, which: int, voice: str) -> None:
        mine = [uid for uid, known in self.known.items() if known.take.voice_id == voice]
        with self.stores[which].database.write():
            assert self.libraries[which].delete_takes_of(voice) == len(mine)
            if voice in self.voices:
                self.stores[which].keys.destroy_voice_key(voice)
        self._forget(mine)
        if voice in self.voices:
            self.voices.discard(voice)
            self.deleted.add(voice)

    @rule(which=st.integers(0, 1), pick=PICK)
    def add_again(self, which: int, pick: int) -> None:
        uid = self._picked(pick)
        if uid is not None:
            with pytest.raises(TakeExistsError):
                self.libraries[which].add(self.known[uid].take)

    @rule(
        which=st.integers(0, 1),
        pick=PICK,
        rating=st.none() | st.integers(0, 5),
        favourite=st.none() | st.booleans(),
        note=st.none() | TEXT | st.just(""),
    )
    def mark(self, which: int, pick: int, rating: int | None, favourite: bool | None, note: str | None) -> None:
        uid = self._picked(pick)
        if uid is None:
            return
        known = self.known[uid]
        given = {"rating": rating, "favourite": favourite, "note": note}
        old = known.marks[-1] if known.marks else TakeMarks()
        new = replace(old, **{name: value for name, value in given.items() if value is not None})
        assert self.libraries[which].mark(uid, **given) == new
        if new != old:
            known.marks.append(new)

    @rule(which=st.integers(0, 1), picks=st.lists(PICK, max_size=3), there=st.booleans())
    def move(self, which: int, picks: list[int], there: bool) -> None:
        uids = [uid for pick in picks if (uid := self._picked(pick)) is not None]
        library = self.libraries[which]
        (library.move_to_bin if there else library.restore)([*uids, *self.gone[-1:]])
        for uid in uids:
            self.known[uid].binned = there

    @rule(which=st.integers(0, 1))
    def empty(self, which: int) -> None:
        binned = [uid for uid, known in self.known.items() if known.binned]
        assert self.libraries[which].empty_bin() == len(binned)
        self._forget(binned)

    @rule(which=st.integers(0, 1))
    def restart(self, which: int) -> None:
        self.stores[which].close()
        self.stores[which] = opened(self.folder / "data")
        self.libraries[which] = TakeLibrary(self.stores[which])

    @rule(which=st.integers(0, 1), query=QUERY, binned=st.booleans(), limit=st.integers(1, 5))
    def look(self, which: int, query: str, binned: bool, limit: int) -> None:
        expected = [
            uid for uid, known in reversed(self.known.items()) if known.binned == binned and known.matches(query)
        ]
        found, after = [], None
        while True:
            page = self.libraries[which].page(query=query, binned=binned, limit=limit, after=after)
            found += [take.uid for take in page.takes]
            if (after := page.after) is None:
                break
        assert found == expected

    @rule(which=st.integers(0, 1), pick=PICK)
    def read(self, which: int, pick: int) -> None:
        uid = self._picked(pick)
        if uid is not None:
            known, back = self.known[uid], self.libraries[which].filled(uid)
            assert np.array_equal(back.samples, known.take.samples)
            assert replace(back.job, job_id=1) == known.take.job.without_names()
            assert self.libraries[which].marks(uid) == tuple(known.marks)
        for uid in self.gone[-2:]:
            with pytest.raises(UnknownTakeError):
                self.libraries[which].sound(uid)

    @invariant()
    def counts_agree(self) -> None:
        binned = sum(known.binned for known in self.known.values())
        for library in getattr(self, "libraries", ()):
            assert (library.count(binned=True), library.count()) == (binned, len(self.known) - binned)

    @invariant()
    def no_file_is_left_over(self) -> None:
        if hasattr(self, "stores"):
            files = {path.name for path in (self.folder / "data" / "blobs").glob("*/*")}
            with self.stores[0].database.read() as connection:
                assert files == {row[0] for row in connection.execute("SELECT sound FROM takes")}

    def _forget(self, uids: list[str]) -> None:
        for uid in uids:
            del self.known[uid]
            self.gone.append(uid)


def test_the_library_does_what_a_model_in_dictionaries_does() -> None:
    run_state_machine_as_test(
        TakesMachine,
        settings=settings(
            max_examples=6, stateful_step_count=25, deadline=None, database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip

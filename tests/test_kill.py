"""A few kills of each scenario, and that the proof can fail; ``python -m tests.kill`` does hundreds."""

from __future__ import annotations

import json
import os

import pytest

from tests.kill.__main__ import draw, run
from tests.kill.scenario import read_journal
from tests.kill.scenarios.files_and_keys import FilesAndKeysScenario

pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills by signal")


def test_nothing_acknowledged_is_lost() -> None:
    tally = run(6, seed=1)
    assert tally.problems == [] and tally.kills == 6 and tally.steps > 0


def test_what_is_missing_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    check = FilesAndKeysScenario.check

    def lose(self, folder, journal):
        for path in (folder / "data" / "blobs").glob("*/*"):
            path.unlink()
        return check(self, folder, journal)

    monkeypatch.setattr(FilesAndKeysScenario, "check", lose)
    problems = []
    for moment in range(4, 24, 4):  # at some of these there are takes
        monkeypatch.setattr("tests.kill.__main__.draw", lambda rng, moment=moment: ("after COMMIT", moment))
        problems += run(1, seed=1, names=["files-and-keys"]).problems
    assert any("is missing" in problem for problem in problems)


def test_the_same_seed_draws_the_same_moments_of_every_kind() -> None:
    import random

    drawn = [draw(random.Random(f"3 {number}")) for number in range(200)]
    assert drawn == [draw(random.Random(f"3 {number}")) for number in range(200)]
    assert {"any", "time", "fsync", "before COMMIT"} < {point for point, _ in drawn}


def test_a_journal_tells_what_was_acknowledged() -> None:
    lines = [{"begin": {"n": 1}}, {"done": {"n": 1}}, {"begin": {"n": 2}}]
    journal = read_journal(b"\n".join(json.dumps(line).encode() for line in lines))
    assert journal.done == ({"n": 1},) and journal.begun == {"n": 2}

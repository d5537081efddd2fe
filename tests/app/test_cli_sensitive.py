"""Sensitive text on the command line: design, clone, batch, dub and takes ask for a reason; a record can forbid it."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app import cli
from app.cli_sensitive import MEANING
from app.core import sensitive_lists
from app.core.consent import making
from app.core.consent.record import OTHER
from app.core.library import Library
from app.core.sensitive import CATEGORIES
from tests.app.voices.makers import PASSPHRASE, Clock, place

FAST = ["--max-patches", "3", "--min-patches", "0", "--steps", "1", "--retries", "1", "--seed", "7"]
SECRET = "Your verification code is 4711."
REASON = "A scene of a film about fraud"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to work in, a data folder with two voices, and nobody's own list."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOXCPM_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("VOXCPM_PASSPHRASE", PASSPHRASE)
    monkeypatch.setattr(sensitive_lists, "default_settings_file", lambda: tmp_path / "config" / "settings.json")
    with place(tmp_path / "data", Clock(datetime.now(UTC).replace(microsecond=0))) as store:
        store.add(name="Mine", seed=1)
        store.add(kind=OTHER, name="Ada", seed=2)
        store.add(kind=OTHER, name="Bea", seed=3, scope=making.make_scope(sensitive_text=True))
    return tmp_path


def decisions(event="sensitive_text"):
    with Library() as library:
        return [(entry.facts, library.audit.reason(entry)) for entry in library.audit.entries() if entry.event == event]


def run(capsys, *argv):
    code = cli.main(list(argv))
    return code, capsys.readouterr()


def test_every_category_has_a_meaning():
    assert tuple(MEANING) == CATEGORIES


def test_a_take_of_sensitive_text_needs_a_reason_once(here, capsys):
    code, said = run(capsys, "design", SECRET, *FAST)
    assert code == 2
    assert "one-time codes (verification code)" in said.err and "--sensitive-reason" in said.err
    assert not Path("take.wav").exists() and decisions() == []

    assert run(capsys, "design", SECRET, *FAST, "--sensitive-reason", REASON)[0] == 0
    ((facts, reason),) = decisions()
    assert (facts["category"], facts["decision"], facts["text_length"]) == ("code", "allowed", len(SECRET))
    assert reason == REASON and "voice" not in facts
    code, said = run(capsys, "takes", "list", "--json")
    (take,) = json.loads(said.out)["takes"]
    assert run(capsys, "takes", "reproduce", take["id"])[0] == 0  # it was decided when the take was made
    assert len(decisions()) == 1


def test_harmless_text_asks_for_nothing(here, capsys):
    assert run(capsys, "design", "Good evening.", *FAST, "--no-keep")[0] == 0
    assert decisions() == []


def test_a_batch_is_refused_as_a_whole(here, capsys):
    Path("lines.txt").write_text(f"Good evening.\n{SECRET}\nBreaking news at ten.\n")
    code, said = run(capsys, "batch", "lines.txt", *FAST, "--no-keep")
    assert code == 2 and "one-time codes" in said.err and "news" in said.err
    assert not list(here.glob("*.wav"))
    assert run(capsys, "batch", "lines.txt", *FAST, "--no-keep", "--sensitive-reason", REASON)[0] == 0
    assert [facts["category"] for facts, _ in decisions()] == ["code", "news"]


def test_a_record_that_forbids_it_is_refused_whatever_the_reason(here, capsys):
    code, said = run(capsys, "clone", SECRET, "--voice", "Ada", *FAST, "--sensitive-reason", REASON)
    assert code == 5 and "sensitive text" in said.err
    assert decisions() == [] and not Path("take.wav").exists()
    ((facts, _),) = decisions("use_refused")
    assert (facts["cause"], facts["purpose"]) == ("out_of_scope", "generate")


@pytest.mark.parametrize("voice", ["Mine", "Bea"])
def test_a_record_that_allows_it_needs_a_reason_still(here, capsys, voice):
    assert run(capsys, "clone", SECRET, "--voice", voice, *FAST, "--no-keep")[0] == 2
    assert run(capsys, "clone", SECRET, "--voice", voice, *FAST, "--no-keep", "--sensitive-reason", REASON)[0] == 0
    ((facts, _),) = decisions()
    with Library() as library:
        assert facts["voice"] == library.voices.find(voice).voice_id


def test_another_persons_word_at_the_screen_does_not_cover_it(here, capsys):
    import numpy as np
    import soundfile

    soundfile.write("a.wav", np.random.default_rng(0).normal(0, 0.1, 32000), 16000)
    someone = ["--reference", "a.wav", "--consent", "Cai", "--contact", "cai@example.org"]
    code, said = run(capsys, "clone", SECRET, *someone, *FAST, "--sensitive-reason", REASON)
    assert code == 5 and "sensitive text" in said.err
    own = ["--reference", "a.wav", "--consent", "me"]
    assert run(capsys, "clone", SECRET, *own, *FAST, "--no-keep", "--sensitive-reason", REASON)[0] == 0


def test_a_dub_asks_once_and_asks_the_record_of_whoever_says_it(here, capsys):
    Path("play.txt").write_text(f"ADA: Good evening.\n\nBEA: {SECRET}\n")
    dub = ["dub", "play.txt", *FAST, "--form", "script"]
    code, said = run(capsys, *dub, "--cast", "ADA=Mine", "--cast", "BEA=Ada", "--sensitive-reason", REASON)
    assert code == 5 and "BEA" in said.err and "sensitive text" in said.err
    code, said = run(capsys, *dub, "--cast", "ADA=Ada", "--cast", "BEA=Bea")
    assert code == 2 and "one-time codes" in said.err
    assert run(capsys, *dub, "--cast", "ADA=Ada", "--cast", "BEA=Bea", "--sensitive-reason", REASON)[0] == 0
    assert len(decisions()) == 1
    assert run(capsys, *dub, "--force")[0] == 0  # nothing is missing, so nothing is asked

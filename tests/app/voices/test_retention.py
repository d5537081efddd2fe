"""Recordings go when the record says: under a clock that the test moves, at start, in between, and at the end."""

import json
import random
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app import cli_voices
from app.core.consent import making
from app.core.consent.record import KEPT_FOR, OTHER
from app.core.library import Library
from app.core.retention import next_due
from app.core.voices import MOST_LATENTS
from tests.app.voices.makers import NOW, Clock, new_voice, opened, place

PERIODS = (*KEPT_FOR, "until_expiry")


def kept_for(reference, raw, seed=0, months=12):
    """A voice whose recordings stay that long; with a spoken statement and proof."""
    new = new_voice(kind=OTHER, seed=seed, months=months)
    draft = replace(new.draft, retention=making.make_retention(NOW, new.draft.expires_at, reference, raw))
    documents = {"2" * 64: b"a signed paper"}
    return replace(new, draft=draft, statement={"1" * 64: b"the spoken statement"}, documents=documents)


def end_of(period, months=12):
    return making.add_months(NOW, months) if period == "until_expiry" else NOW + KEPT_FOR[period]


@pytest.mark.parametrize("reference", PERIODS)
@pytest.mark.parametrize("raw", PERIODS)
def test_every_period_ends_to_the_second(tmp_path, reference, raw):
    clock = Clock()
    with place(tmp_path / "data", clock) as here:
        voice = here.voices.add(kept_for(reference, raw)).voice_id
        here.voices.keep_latents(voice, "0" * 64, b"latents")
        here.voices._of_session.clear()  # as another start would see it
        parts = {"reference": end_of(reference), "statement": end_of(raw)}
        assert next_due(here.store) == min(parts.values())
        for moment in sorted({*parts.values()}):
            clock.now = moment - timedelta(seconds=1)
            gone = {part for part, end in parts.items() if end <= clock.now}
            here.voices.enforce_retention()
            assert left(here, voice) == {"evidence", "reference", "statement"} - gone
            clock.now = moment
            due = {part for part, end in parts.items() if end <= clock.now} - gone
            assert here.voices.enforce_retention() == len(due)
            assert here.voices.enforce_retention() == 0
        assert left(here, voice) == {"evidence"} and here.voices.latents(voice, "0" * 64) is None
        assert next_due(here.store) is None
        told = here.events("recordings_purged")
        assert sum(facts["references"] for facts in told) == sum(facts["statements"] for facts in told) == 1
        assert sum(facts["latents"] for facts in told) == 1


def left(here, voice):
    with here.store.database.read() as connection:
        return {row[0] for row in connection.execute("SELECT part FROM voice_files WHERE voice_id = ?", (voice,))}


def test_what_is_kept_for_the_session_goes_at_its_end_and_at_the_next_start_at_the_latest(tmp_path):
    library = Library(tmp_path / "data", now=Clock())
    library.__dict__["store"] = opened(tmp_path / "data")
    first = library.voices.add(kept_for("session", "session", seed=1)).voice_id
    library.voices.add(kept_for("until_expiry", "session", seed=2))
    assert library.voices.enforce_retention() == 0 and library.voices.get(first).parts == ("reference",)
    library.close()
    with place(tmp_path / "data") as here:
        assert left(here, first) == {"evidence"} and here.store.blobs.lost() == []
        killed = here.voices.add(kept_for("session", "7d", seed=3)).voice_id  # this program ends without a word
    with place(tmp_path / "data") as here:
        assert here.voices.enforce_retention() == 1 and left(here, killed) == {"evidence", "statement"}


def test_a_library_purges_when_its_voices_are_opened(tmp_path):
    with place(tmp_path / "data") as here:
        voice = here.voices.add(kept_for("7d", "24h")).voice_id
    clock = Clock(NOW + timedelta(days=8))
    library = Library(tmp_path / "data", now=clock)
    library.__dict__["store"] = opened(tmp_path / "data")
    with library:
        assert library.voices.get(voice).parts == () and library.purged_at_opening == 2
        (entry,) = (each for each in library.audit.entries() if each.event == "recordings_purged")
        assert entry.at.startswith("2026-04-08")


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PERIODS), st.sampled_from(PERIODS)), min_size=1, max_size=4), st.randoms())
def test_whatever_the_steps_of_the_clock_nothing_stays_too_long_and_nothing_goes_too_early(tmp_path_factory, kept, rnd):
    rnd = random.Random(rnd.random())
    clock = Clock()
    with place(tmp_path_factory.mktemp("data"), clock) as here:
        voices = [here.voices.add(kept_for(*each, seed=number)).voice_id for number, each in enumerate(kept)]
        here.voices._of_session.clear()
        latest = NOW - timedelta(days=1)  # nothing was looked at yet
        for _ in range(6):
            clock.now = NOW + timedelta(hours=rnd.choice((-5, 0, 1, 24, 25, 170, 800, 9000)))  # back as well
            here.voices.enforce_retention()
            latest = max(latest, clock.now)
            for voice, (reference, raw) in zip(voices, kept, strict=True):
                ends = {"reference": end_of(reference), "statement": end_of(raw)}
                here_now = left(here, voice)
                assert here_now == {"evidence"} | {part for part, end in ends.items() if end > latest}, (latest, ends)


def test_latents_of_models_that_are_no_longer_used_go(tmp_path):
    with place(tmp_path / "data") as here:
        voice, other = here.add(seed=1).voice_id, here.add(seed=2).voice_id
        keys = [f"{number:064x}" for number in range(MOST_LATENTS + 3)]
        here.voices.keep_latents(other, keys[0], b"of another voice")
        for number, key in enumerate(keys):
            here.voices.keep_latents(voice, key, f"latents {number}".encode())
            assert here.voices.latents(voice, keys[0]) == b"latents 0"  # in use all the time
        kept = [key for key in keys if here.voices.latents(voice, key) is not None]
        assert kept == [keys[0], *keys[-MOST_LATENTS + 1 :]]
        assert here.voices.latents(other, keys[0]) == b"of another voice"
        assert len(here.store.blobs.used_by(f"voice:{voice}")) == MOST_LATENTS + 1 and here.store.blobs.lost() == []


def test_the_command_adds_voices_with_a_period_and_purges(tmp_path, capsys, monkeypatch, speech):
    monkeypatch.setenv("VOXCPM_PASSPHRASE", "words for the test")
    data = ["--data", str(tmp_path / "data")]
    with opened(tmp_path / "data") as store:
        _ = store.keys.lasting
    consent = ["--consent", "me", "--keep-recordings", "session"]
    assert cli_voices.run([*data, "add", "Ada", "--reference", str(speech), *consent]) == 0
    capsys.readouterr()
    assert cli_voices.run([*data, "purge", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "deleted": 0,
        "next_due": None,
    }  # it went with the command that saved it
    with place(tmp_path / "data") as here:
        (voice,) = here.voices.all()
        assert voice.parts == ()
        here.voices.add(kept_for("24h", "24h"))
    assert cli_voices.run([*data, "purge"]) == 0
    assert capsys.readouterr().out.startswith("2 recordings deleted.")

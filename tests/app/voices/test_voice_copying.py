"""Copies of voices: keys and recordings of their own, one consent; what happens to it happens to all."""

import json
from datetime import timedelta

import pytest

from app.core.consent.record import OTHER, SYNTHETIC
from app.core.consent.verify import ConsentRefused, Use
from app.core.renewal import Renewal, extend_voice, renew_voice
from app.core.store import errors
from app.core.voice_bundle import export_voice, import_voice
from app.core.voice_card import VoiceError, VoiceState
from app.core.voice_copying import copy_voice
from app.core.voice_deletion import tombstone
from tests.app.voices.makers import LATER, SELF, new_voice, place
from tests.app.voices.test_spoken import say


@pytest.fixture
def here(tmp_path):
    with place(tmp_path / "data") as here:
        yield here


def pair(here, **options):
    """A voice and a copy of it."""
    first = here.add(**{"kind": OTHER, "parts": ("reference", "prompt"), "tags": ("low",)} | options)
    return first, copy_voice(here.door, first.voice_id, "Ada, slowly")


def stored(here, voice):
    with here.store.database.read() as connection:
        rows = connection.execute(
            "SELECT part, sha256, blob_id, until FROM voice_files WHERE voice_id = ? ORDER BY part", (voice.voice_id,)
        ).fetchall()
    return [tuple(row) for row in rows]


def test_a_copy_has_its_own_key_and_recordings_and_the_same_consent(tmp_path, here):
    first, copy = pair(here)
    assert (copy.name, copy.card.tags, copy.mode, copy.state) == (
        "Ada, slowly",
        ("low",),
        "combined",
        VoiceState.ACTIVE,
    )
    assert copy.stands_on == first.voice_id != copy.voice_id and copy.sequence > first.sequence
    keys = here.store.keys
    assert keys.voice_key(copy.voice_id) != keys.voice_key(first.voice_id)
    assert [row[:2] for row in stored(here, copy)] == [row[:2] for row in stored(here, first)]
    assert not {row[2] for row in stored(here, copy)} & {row[2] for row in stored(here, first)}
    voices = here.voices
    assert voices.stored_versions(copy.voice_id) == voices.stored_versions(first.voice_id)
    for voice in (first, copy):
        assert voices.verdict(voice.voice_id, Use("generate")).ok
    assert here.door.admit_voice(copy.voice_id).sounds == here.door.admit_voice(first.voice_id).sounds
    assert here.events("voice_copied") == [
        {
            "voice": copy.voice_id,
            "copy_of": first.voice_id,
            "record": voices.record(first.voice_id).record_id,
            "version": 1,
            "record_hash": voices.record(first.voice_id).record_hash,
            "level": "L0",
            "rights_basis": "explicit_consent",
        }
    ]
    again = copy_voice(here.door, copy.voice_id, "A copy of the copy")
    assert again.stands_on == first.voice_id and set(voices.copies(copy.voice_id)) == {first.voice_id, again.voice_id}
    voices.change_card(copy.voice_id, copy.card.__class__("Another", ()))
    assert voices.get(first.voice_id).name == "Ada"


@pytest.mark.parametrize("of_copy", [False, True])
def test_a_withdrawal_freezes_all(here, of_copy):
    voices = pair(here)
    here.voices.withdraw(voices[of_copy].voice_id, channel="phone")
    for voice in voices:
        assert here.voices.get(voice.voice_id).state is VoiceState.FROZEN
        with pytest.raises(ConsentRefused, match="withdrew"):
            here.door.admit(voice.voice_id)
        with pytest.raises(ConsentRefused, match="withdrew"):
            copy_voice(here.door, voice.voice_id, "Once more")
    assert {facts["voice"] for facts in here.events("consent_withdrawn")} == {voice.voice_id for voice in voices}


def test_a_withdrawal_that_deletes_deletes_all(here):
    first, copy = pair(here)
    assert here.voices.withdraw(copy.voice_id, action="delete") is None
    assert here.voices.all() == [] and tombstone(here.store, first.voice_id) and tombstone(here.store, copy.voice_id)


@pytest.mark.parametrize("of_copy", [False, True])
def test_a_complaint_freezes_all_and_its_decision_holds_for_all(here, of_copy):
    voices = pair(here)
    named = voices[of_copy]
    here.voices.freeze(named.voice_id, "That is me.")
    for voice in voices:
        with pytest.raises(ConsentRefused, match="complaint"):
            here.door.admit(voice.voice_id)
    here.voices.release(voices[not of_copy].voice_id, "It was not.")
    for voice in voices:
        assert here.door.admit(voice.voice_id)
    here.voices.freeze(named.voice_id, "It is!")
    assert here.voices.derived(named.voice_id).copies == (voices[not of_copy].voice_id,)
    here.voices.delete(named.voice_id)
    assert here.voices.all() == []
    assert [json.loads(tombstone(here.store, voice.voice_id))["files"] != [] for voice in voices] == [True, True]


@pytest.mark.parametrize("of_copy", [False, True])
def test_tidying_up_leaves_the_others(here, of_copy):
    voices = pair(here)
    here.voices.delete(voices[of_copy].voice_id)
    (left,) = here.voices.all()
    assert left.voice_id == voices[not of_copy].voice_id
    record_id = here.door.admit(left.voice_id).record_id
    assert here.voices.voice_of_record(record_id) == left.voice_id
    assert here.door.admit_voice(left.voice_id).sounds
    with pytest.raises(errors.KeysError):
        here.store.keys.voice_key(voices[of_copy].voice_id)
    here.voices.withdraw(left.voice_id)
    with pytest.raises(ConsentRefused):
        here.door.admit(left.voice_id)


def test_versions_and_proof_are_added_to_all(here):
    first, copy = pair(here)
    extend_voice(here.voices, copy.voice_id, 2)
    say(here, first)
    renew_voice(here.voices, copy.voice_id, Renewal(documents={"2" * 64: b"signed"}))
    for voice in (first, copy):
        assert [version.change for version in here.voices.versions(voice.voice_id)] == [
            "made",
            "extended",
            "evidence_added",
            "renewed",
        ]
        assert here.voices.verdict(voice.voice_id, Use("generate")).ok
        assert {row[0] for row in stored(here, voice)} == {"reference", "prompt", "statement", "evidence"}
        assert here.voices.get(voice.voice_id).level == "L1"
    assert [row[3] for row in stored(here, first)] == [row[3] for row in stored(here, copy)]


def test_recordings_of_a_copy_go_when_they_were_promised_to(here):
    first, _ = pair(here)
    say(here, first)
    here.clock.now += timedelta(days=20)
    late = copy_voice(here.door, first.voice_id, "Later")
    here.clock.now += timedelta(days=10)
    assert here.voices.enforce_retention() == 3  # of all three, the statement
    assert {row[0] for row in stored(here, late)} == {"reference", "prompt"}
    here.clock.now += LATER
    here.voices.enforce_retention()
    assert stored(here, late) == []


def test_a_copy_travels_as_the_voice_that_the_consent_is_for(tmp_path, here):
    voice = here.add(kind=SELF)
    copy = copy_voice(here.door, voice.voice_id, "Elsewhere")
    export_voice(here.door, copy.voice_id, tmp_path / "copy.voice.zip", personal=True)
    with place(tmp_path / "there") as there:
        done = import_voice(there.voices, tmp_path / "copy.voice.zip")
        assert done.verdict.ok and done.voice.voice_id == voice.voice_id and done.voice.name == "Elsewhere"
        foreign = copy_voice(there.door, voice.voice_id, "Copied there")
        assert there.voices.is_foreign(foreign.voice_id) and there.door.admit(foreign.voice_id)


def test_what_cannot_be_copied(here):
    gone = here.add(kind=OTHER, seed=1)
    here.clock.now += LATER
    with pytest.raises(ConsentRefused, match="expired"):
        copy_voice(here.door, gone.voice_id, "Too late")
    voice = here.add(seed=2)
    with pytest.raises(VoiceError, match="name"):
        copy_voice(here.door, voice.voice_id, "  ")
    nobody = here.voices.add(new_voice(kind=SYNTHETIC, parts=(), now=here.clock()))
    assert copy_voice(here.door, nobody.voice_id, "Designed again").mode == "design"
    assert len(here.voices.all()) == 4

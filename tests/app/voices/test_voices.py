"""The library of voices: saved with a record or not at all, found, changed, frozen, deleted without a trace."""

import os
import random
import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.core import canonical
from app.core.audio_files import AudioFileError
from app.core.consent import making
from app.core.consent.problems import RuleError
from app.core.consent.record import LICENSED, OTHER, PUBLIC_DOMAIN, SELF, SYNTHETIC
from app.core.consent.verify import ConsentRefused, Use
from app.core.door import Door
from app.core.sound_files import from_flac, keep, read_sound
from app.core.store import errors
from app.core.voice_card import VoiceCard, VoiceError, VoiceMissingError, VoiceState, in_order
from app.core.voice_deletion import tombstone, tombstone_is_signed
from app.core.voices import NewVoice
from tests.app.voices.makers import NOW, Clock, new_voice, opened, place, sound

KINDS = (SELF, OTHER, LICENSED, PUBLIC_DOMAIN, SYNTHETIC)


@pytest.fixture
def here(tmp_path):
    with place(tmp_path / "data") as here:
        yield here


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@pytest.mark.parametrize("kind", KINDS)
def test_a_voice_of_every_kind_is_there_again_after_a_restart(tmp_path, kind):
    parts = () if kind == SYNTHETIC else ("reference", "prompt")
    with place(tmp_path / "data") as here:
        saved = here.add(kind=kind, parts=parts, tags=("warm", "low"), style="slowly")
        sounds = {part: here.voices.sound(saved.voice_id, part) for part in saved.parts}
    with place(tmp_path / "data") as here:
        (again,) = here.voices.all()
        assert again == saved and again.card.kind == kind and again.card.tags == ("low", "warm")
        assert again.mode == ("design" if kind == SYNTHETIC else "combined")
        assert {part: here.voices.sound(again.voice_id, part) for part in again.parts} == sounds
        assert here.voices.verdict(again.voice_id).ok
        assert here.voices.record(again.voice_id).is_open
        assert here.door.admit(again.voice_id).subject_kind == kind


def test_saving_is_all_or_nothing(here, monkeypatch):
    def full(*args, **kwargs):
        raise errors.DiskFullError("full")

    monkeypatch.setattr(here.audit, "append", full)  # the last step
    new = new_voice()
    with pytest.raises(errors.DiskFullError):
        here.voices.add(new)
    assert here.voices.all() == [] and not here.store.keys.has_voice_key(new.voice_id)
    here.store.blobs.sweep(grace_seconds=0)
    assert not any((here.store.folder / "blobs").glob("*/*"))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"card": VoiceCard("  ")}, "name"),
        ({"card": VoiceCard("x" * 121)}, "name"),
        ({"card": VoiceCard("a", tags=tuple("abcdefghijklmnopq"))}, "tags"),
        ({"card": VoiceCard("a", transcript="Lone.")}, "prompt"),
        ({"card": VoiceCard("a\x00\ud800")}, "texts"),
        ({"sounds": {}}, "recording"),
        ({"sounds": {"reference": sound(seed=5)}}, "record names"),
        ({"sounds": {"prompt": sound()}}, "transcript"),
    ],
)
def test_what_makes_no_voice_is_refused(here, change, says):
    with pytest.raises(VoiceError, match=says):
        here.voices.add(replace(new_voice(), **change))
    assert here.voices.all() == []


def test_a_record_that_breaks_a_rule_saves_nothing(here):
    new = new_voice(kind=OTHER)
    with pytest.raises(RuleError):
        here.voices.add(replace(new, draft=replace(new.draft, expires_at=None)))
    with pytest.raises(RuleError):
        here.voices.add(new_voice(seconds=31.0))
    assert here.voices.all() == []


def test_search_by_name_and_tag_whatever_the_case_and_accents(here):
    here.add(name="Zoë Müller", tags=("warm", "Erzähler"))
    here.add(name="Anna", tags=("cold",))
    names = lambda *asked: [voice.name for voice in here.voices.search(*asked)]  # noqa: E731
    assert names("") == ["Zoë Müller", "Anna"]
    assert names("zoe") == names("MÜLLER zo") == names("erzahler") == ["Zoë Müller"]
    assert names("", ["COLD"]) == ["Anna"] and names("anna", ["warm"]) == [] and names("nobody") == []


def test_voices_are_put_in_order(here):
    zoe, bo, cy = (
        here.add(name=name, kind=kind, seed=seed)
        for seed, (name, kind) in enumerate((("Zoë", LICENSED), ("bo", OTHER), ("Cy", SYNTHETIC)))
    )
    found = here.voices.all()
    assert in_order(found, "oldest") == found == [zoe, bo, cy]
    assert in_order(found, "newest") == [cy, bo, zoe]
    assert in_order(found, "name") == [bo, cy, zoe]
    assert in_order(found, "level") == [bo, cy, zoe] and bo.is_on_a_word and not cy.is_on_a_word


def test_names_are_nowhere_in_the_clear(tmp_path):
    with place(tmp_path / "data") as here:
        voice = here.add(name="Xanthippe Quill", kind=OTHER, tags=("Zanzibar",), parts=("prompt",))
        here.store.backups.run()
        assert here.voices.search("quill zanz")[0].voice_id == voice.voice_id
    found = everything(tmp_path / "data")
    for word in (b"Xanthippe", b"Zanzibar", b"Bo Ek", b"bo@example", b"What is said", b"fLaC"):
        assert word not in found


def test_a_deleted_voice_leaves_hashes_only(tmp_path):
    told = []
    with place(tmp_path / "data") as here:
        here.voices.delete_takes = lambda voice_id: told.append(voice_id) or 3
        kept, gone = here.add(name="Kept", seed=1), here.add(name="Gone", seed=2, kind=OTHER)
        here.voices.keep_latents(gone.voice_id, "0" * 64, b"latents")
        here.store.backups.run()
        with here.store.database.read() as connection:
            wrapped = connection.execute(
                "SELECT wrapped FROM keys WHERE name LIKE ?", (f"%{gone.voice_id}",)
            ).fetchone()
        record = here.voices.record(gone.voice_id)
        stone = here.voices.delete(gone.voice_id)
        assert told == [gone.voice_id] and [voice.name for voice in here.voices.all()] == ["Kept"]
        assert tombstone(here.store, gone.voice_id) == stone and tombstone(here.store, kept.voice_id) is None
        public = here.store.keys.signing_key().public_key()
        assert tombstone_is_signed(stone, public) and not tombstone_is_signed(stone.replace(b"1", b"2", 1), public)
        assert record.record_hash.encode() in stone and b'"takes":3' in stone and b'"latents":1' in stone
        (facts,) = here.events("voice_deleted")
        assert facts["takes"] == 3 and facts["record_hash"] == record.record_hash
        for ask in (here.voices.get, here.door.admit_voice, here.voices.delete):
            with pytest.raises((VoiceMissingError, ConsentRefused)):
                ask(gone.voice_id)
        with pytest.raises(errors.KeyDestroyedError):
            here.voices.add(new_voice(voice_id=gone.voice_id))
        here.store.wait_for_maintenance()
    assert bytes(wrapped[0]) not in everything(tmp_path / "data")
    assert not any(path for path in (tmp_path / "data" / "blobs").glob("*/*") if gone.voice_id in path.name)
    with opened(tmp_path / "data") as store:
        assert store.blobs.lost() == [] and store.blobs.used_by(f"voice:{gone.voice_id}") == []


def test_deleting_needs_no_passphrase(tmp_path):
    with place(tmp_path / "data") as here:
        voice_id = here.add().voice_id
    with place(tmp_path / "data", passphrase=None) as here:
        (voice,) = here.voices.all()
        assert voice.card is None and here.voices.has_locked and voice.name == ""
        assert here.door.admit(voice_id)  # the record needs no key to be checked ...
        with pytest.raises(errors.KeysLockedError):
            here.door.admit_voice(voice_id)  # ... the sound does
        assert b'"sig":""' in here.voices.delete(voice_id)


def test_names_appear_when_the_keys_are_unlocked(tmp_path):
    with place(tmp_path / "data") as here:
        here.add(name="Ada")
    with place(tmp_path / "data", passphrase=None) as here:
        assert here.voices.search("ada") == [] and here.voices.has_locked
        here.store.keys.unlock("words for the test")
        assert [voice.name for voice in here.voices.search("ada")] == ["Ada"] and not here.voices.has_locked


def test_a_withdrawn_consent_freezes_at_once_and_for_good(here):
    voice = here.add(kind=OTHER)
    here.door.admit_voice(voice.voice_id)
    record = here.voices.withdraw(voice.voice_id, channel="phone", at=NOW - timedelta(days=1))
    assert record.version == 2 and here.voices.get(voice.voice_id).state is VoiceState.FROZEN
    with pytest.raises(ConsentRefused, match="withdrew"):
        here.door.admit_voice(voice.voice_id)
    with pytest.raises(RuleError):
        here.voices.append(voice.voice_id, making.extend(record, NOW + timedelta(days=700), now=NOW))
    assert here.events("consent_withdrawn")[0]["channel"] == "phone"
    here.voices.freeze(voice.voice_id, "They wrote again.")
    here.voices.release(voice.voice_id, "Settled.")
    assert here.voices.get(voice.voice_id).state is VoiceState.FROZEN
    assert here.voices.withdraw(here.add().voice_id, action="delete") is None
    assert len(here.voices.all()) == 1


def test_a_complaint_freezes_until_it_is_closed(here):
    voice = here.add()
    complaint = here.voices.freeze(voice.voice_id, "Somebody says that this is them.")
    with pytest.raises(ConsentRefused, match="complaint"):
        here.door.admit(voice.voice_id)
    here.voices.release(voice.voice_id, "It was not.")
    assert here.door.admit(voice.voice_id)
    closed = here.events("complaint_closed")
    assert closed == [{"complaint": complaint, "outcome": "released", "voice": voice.voice_id}]
    with pytest.raises(VoiceError):
        here.voices.release(voice.voice_id, "Again.")


def test_versions_are_only_ever_added(here):
    voice = here.add(kind=OTHER)
    record = here.voices.append(
        voice.voice_id, making.extend(here.voices.record(voice.voice_id), NOW + timedelta(days=500), now=NOW)
    )
    assert [each.version for each in here.voices.versions(voice.voice_id)] == [1, 2] and record.version == 2
    for sql in ("UPDATE consent_versions SET version = 9", "DELETE FROM consent_versions"):
        with pytest.raises(Exception, match="append-only"), here.store.database.write() as connection:
            connection.execute(sql)
    with here.store.database.write() as connection:  # the newest cut off, as somebody with the file could
        connection.execute("DROP TRIGGER consent_versions_stay")
        connection.execute("DELETE FROM consent_versions WHERE version = 2")
    assert "chain.head" in here.voices.verdict(voice.voice_id).codes


def test_another_name_and_other_tags_leave_kind_and_record_alone(here):
    voice = here.add()
    changed = here.voices.change_card(voice.voice_id, VoiceCard("Bea", ("x",), kind="other", licence="mine"))
    assert (changed.name, changed.card.tags, changed.card.kind, changed.card.licence) == ("Bea", ("x",), "self", "")
    assert here.voices.search("bea") == [changed] and here.voices.search("ada") == []
    assert here.voices.verdict(voice.voice_id).ok


def test_a_card_of_before_is_still_read(here):
    saved = here.add(tags=("low",), from_take="11111111-2222-4333-8444-555555555555")
    before = canonical.load(saved.card.to_bytes()) | {"sample_take": ""}
    assert VoiceCard.from_bytes(canonical.dump(before)) == saved.card


def test_latents_are_kept_under_all_that_they_depend_on(here):
    voice = here.add()
    sounds = {"reference": here.voices.sound(voice.voice_id, "reference")}
    keys = {
        Door.latents_key(sounds, "model a"),
        Door.latents_key(sounds, "model b"),
        Door.latents_key({"prompt": sounds["reference"]}, "model a"),
        Door.latents_key({"reference": sounds["reference"] + b"x"}, "model a"),
    }
    assert len(keys) == 4
    first, *others = sorted(keys)
    here.voices.keep_latents(voice.voice_id, first, b"old")
    here.voices.keep_latents(voice.voice_id, first, b"new")
    assert here.voices.latents(voice.voice_id, first) == b"new"
    assert all(here.voices.latents(voice.voice_id, key) is None for key in others)
    assert len(here.store.blobs.used_by(f"voice:{voice.voice_id}")) == 2


def test_recordings_go_when_their_time_is_over(tmp_path):
    clock = Clock()
    with place(tmp_path / "data", clock) as here:
        other = here.add(kind=OTHER, seed=1)
        own = here.add(seed=2)
        new = new_voice(kind=OTHER, seed=3)
        spoken = here.voices.add(replace(new, statement={"1" * 64: b"the spoken statement"}))
        here.voices.keep_latents(other.voice_id, "0" * 64, b"latents")
        assert here.voices.enforce_retention() == 0
        clock.now += timedelta(days=31)
        assert here.voices.enforce_retention() == 1  # the raw recording
        assert here.voices.get(spoken.voice_id).parts == ("reference",)
        clock.now += timedelta(days=340)
        assert here.voices.enforce_retention() == 2
        assert here.voices.get(other.voice_id).parts == () and here.voices.get(own.voice_id).parts == ("reference",)
        assert here.voices.latents(other.voice_id, "0" * 64) is None
        with pytest.raises(VoiceMissingError):
            here.voices.sound(other.voice_id, "reference")
        here.store.blobs.sweep(grace_seconds=0)
        assert len(here.store.blobs.used_by(f"voice:{other.voice_id}")) == 0


def test_two_programs_see_each_others_voices(tmp_path):
    with place(tmp_path / "data") as one, place(tmp_path / "data") as two:
        voice = one.add(name="Ada")
        assert [each.name for each in two.voices.search("ada")] == ["Ada"]
        two.voices.change_card(voice.voice_id, VoiceCard("Bea"))
        assert one.voices.get(voice.voice_id).name == "Bea"
        two.voices.withdraw(voice.voice_id)
        with pytest.raises(ConsentRefused):
            one.door.admit(voice.voice_id)
        two.voices.delete(voice.voice_id)
        assert one.voices.all() == []


def test_a_voice_is_found_by_id_beginning_and_name(here):
    voice = here.add(name="Ada")
    here.add(name="Bo", seed=1), here.add(name="Bo", seed=2)
    assert here.voices.find("Ada") == here.voices.find(voice.voice_id) == here.voices.find(voice.voice_id[:8]) == voice
    with pytest.raises(VoiceError, match="2 voices"):
        here.voices.find("Bo")
    for nobody in ("", "ada", voice.voice_id[:5]):
        with pytest.raises(VoiceMissingError):
            here.voices.find(nobody)


def test_each_decryption_is_in_the_audit_log(here):
    voice = here.add()
    here.voices.sound(voice.voice_id, "reference")
    (facts,) = here.events("voice_decrypted")
    assert facts["voice"] == voice.voice_id and facts["blob"].startswith("e")
    assert here.audit.verify().state == "intact"


# Sound ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("subtype", ["PCM_16", "PCM_24", "FLOAT"])
def test_sound_comes_back_as_it_was_named(tmp_path, subtype):
    path = tmp_path / "a.wav"
    samples = np.random.default_rng(1).uniform(-1, 1, (8000, 2))
    soundfile.write(path, samples, 44100, subtype=subtype)
    found = read_sound(path)
    again = from_flac(found.to_flac())
    assert again.sha256 == found.sha256 and again.sample_rate == 44100
    assert np.abs(found.samples - samples.mean(axis=1)).max() < 1e-4
    loud = keep(np.array([2.0, -4.0, 1.0], np.float32), 8000)
    assert np.abs(loud.samples).max() <= 1.0 and from_flac(loud.to_flac()).sha256 == loud.sha256


@pytest.mark.parametrize("kind", ["missing", "text", "empty", "long", "cut", "random"])
def test_files_that_are_no_sound_are_told_and_harm_nothing(tmp_path, kind):
    path = tmp_path / "a.wav"
    if kind == "text":
        path.write_text("no sound")
    elif kind == "empty":
        soundfile.write(path, np.zeros(0), 16000)
    elif kind == "long":
        soundfile.write(path, np.zeros(16000 * 31), 16000)
    elif kind == "cut":
        soundfile.write(path, np.zeros(16000), 16000, format="FLAC")
        path.write_bytes(path.read_bytes()[:40])
    elif kind == "random":
        path.write_bytes(b"RIFF" + random.Random(1).randbytes(4000))
    with pytest.raises(AudioFileError) as caught:
        read_sound(path)
    assert caught.value.reason in {"missing", "unreadable", "empty", "too_long"} and "a.wav" in str(caught.value)


@pytest.mark.skipif(os.name != "posix", reason="limits of the system")
def test_the_child_that_reads_sound_is_limited():
    code = (
        "from app.core import sound_child\n"
        "sound_child.limit()\n"
        "try:\n    bytearray(4 << 30)\nexcept MemoryError:\n    print('limited')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[3])
    assert done.stdout == "limited\n", done.stderr


def test_numbers_that_are_none_become_silence(tmp_path):
    path = tmp_path / "a.wav"
    samples = np.full(4000, 0.25, np.float32)
    samples[100] = np.nan
    soundfile.write(path, samples, 16000, subtype="FLOAT")
    assert read_sound(path).samples[99:102].tolist() == [0.25, 0.0, 0.25]


def test_a_voice_needs_a_known_part(here):
    new = new_voice()
    with pytest.raises(ValueError, match="reference and prompt"):
        here.voices.add(NewVoice(new.card, new.draft, {"side": sound()}))


def test_a_use_that_the_record_does_not_name_is_refused(here):
    voice = here.add(kind=OTHER)
    assert not here.voices.verdict(voice.voice_id, Use("train")).ok
    assert here.voices.verdict(voice.voice_id, Use("export")).ok


def test_what_was_undone_is_not_remembered(here):
    here.add(name="Ada")
    with pytest.raises(ZeroDivisionError), here.store.database.write():
        here.add(name="Never", seed=1)
        assert [voice.name for voice in here.voices.search("never")] == ["Never"] and not here.voices.has_locked
        raise ZeroDivisionError
    assert here.add(name="Bo", seed=2).name == "Bo"
    assert [voice.name for voice in here.voices.all()] == ["Ada", "Bo"]


def test_a_sound_that_rounds_to_less_than_nothing_is_itself_once_it_was_read():
    """-0.0 is not what FLAC gives back, and its hash is another one."""
    kept = keep(np.array([0.25, -1e-9, 0.0, -0.0, 1e-9], np.float32), 16_000)
    assert from_flac(kept.to_flac()).sha256 == kept.sha256 and not np.signbit(kept.samples).any()

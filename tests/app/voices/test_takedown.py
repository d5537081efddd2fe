"""Taking a voice down: complaint, freeze, the list of everything derived, deletion that a search of bytes confirms."""

import json
import tempfile
from contextlib import contextmanager
from datetime import timedelta

import numpy as np
import pytest

from app import cli_gates, cli_voices
from app.core.comparisons import Comparisons
from app.core.consent.record import OTHER
from app.core.consent.verify import ConsentRefused
from app.core.door import Door
from app.core.library import Library
from app.core.messages import VoiceSpec
from app.core.outgoing_files import FOLDER
from app.core.store import Store, errors
from app.core.voice_bundle import export_voice
from app.core.voice_card import VoiceError, VoiceMissingError, VoiceState
from app.core.voice_deletion import export_tombstone, read_tombstone
from app.core.voice_uses import ADAPTER, PROJECT
from app.marks.choice import MarkChoice, MarkTools
from app.marks.export import export_audio
from app.marks.origin import origin_of_take
from tests.app.takes.makers import made
from tests.app.voices.makers import NOW, Clock, new_voice, opened, sound

TEXT = "My voice was used without my word, says Quentin Zweig."
PHRASES = ("Xanthippe Quill", "Zanzibar", "Bo Ek", "bo@example", "What is said", "Quentin", "Zweig", "Halcyon evening")


@contextmanager
def library_in(folder, clock):
    """A library that opens quickly."""
    library = Library(folder, now=clock)
    library.__dict__["store"] = opened(folder)
    with library:
        yield library


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def library(tmp_path, clock):
    with library_in(tmp_path / "data", clock) as library:
        yield library


def traces(samples, latents):
    """Pieces of sound and latents as they could stand in a file."""
    whole = samples.astype("<f4").tobytes()
    short = np.round(np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()
    numbers = latents.astype("<f4").tobytes()
    return [data[start : start + 48] for data in (whole, short, numbers) for start in (0, len(data) // 2 & ~3)]


def everything(*folders):
    return {path: path.read_bytes() for folder in folders for path in folder.rglob("*") if path.is_file()}


def fill(library, tmp_path):
    """A voice with everything that a voice can have; returns it with what must be nowhere afterwards."""
    new = new_voice(name="Xanthippe Quill", kind=OTHER, tags=("Zanzibar",), parts=("prompt",), now=NOW, seed=11)
    voice = library.voices.add(new)
    made_of = made("Halcyon evening", takes=2, voice=VoiceSpec(voice_id=voice.voice_id, prompt="saved"), seed=3)
    for take in made_of:
        library.takes.add(take)
    Comparisons(library.store).add([take.uid for take in made_of], made_of[0].uid, blind=True)
    library.takes.mark(made_of[1].uid, note="Zanzibar again")
    library.takes.move_to_bin([made_of[1].uid])
    latents = np.random.default_rng(5).normal(0, 1, (40, 8)).astype(np.float32)
    key = Door.latents_key({"prompt": library.voices.sound(voice.voice_id, "prompt")}, "model a")
    library.voices.keep_latents(voice.voice_id, key, latents.tobytes())
    outgoing = library.store.folder / FOLDER / made_of[0].uid / "x"
    outgoing.mkdir(parents=True)
    (outgoing / "Halcyon evening.wav").write_bytes(made_of[0].samples.tobytes())
    tools = MarkTools(library.secret, watermark=pytest.fail, audit=library.hear)
    away = tmp_path / "away"
    away.mkdir()
    choice = MarkChoice(frozenset({"watermark", "credentials"}), "a test")
    exported = export_audio(
        made_of[0].samples * 0.1, 48000, away / "a.wav", origin=origin_of_take(made_of[0]), tools=tools, choice=choice
    )
    library.use_noted(voice.voice_id, PROJECT, "p" * 8, tmp_path / "Halcyon evening.dub")
    library.use_noted(voice.voice_id, ADAPTER, "a" * 8, away)
    library.store.backups.run()
    pieces = traces(sound(seed=11).samples, latents)
    for take in made_of:
        pieces += traces(take.samples, take.latents)
    return voice, exported, pieces


def test_nothing_of_a_voice_that_was_taken_down_is_found_in_any_byte(tmp_path, library, monkeypatch):
    (tmp_path / "temp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temp"))
    voice, exported, pieces = fill(library, tmp_path)
    with library.store.database.read() as connection:
        wrapped = connection.execute("SELECT wrapped FROM keys WHERE name GLOB ?", (f"*{voice.voice_id}",)).fetchone()
    before = b"".join(everything(tmp_path / "data").values())
    # What the search looks for is there, or would be found if it were: else it would prove nothing.
    assert bytes(wrapped[0]) in before and b"Halcyon evening" in before and any(piece in before for piece in pieces)
    library.voices.freeze(voice.voice_id, TEXT)
    library.voices.delete(voice.voice_id)
    library.store.backups.run()
    for closed in (False, True):
        if closed:
            library.close()
        for path, data in everything(tmp_path / "data", tmp_path / "temp").items():
            assert bytes(wrapped[0]) not in data, path
            assert not [phrase for phrase in PHRASES if phrase.encode() in data or phrase.encode() in bytes(path)], path
            assert not [phrase for phrase in PHRASES if phrase.encode("utf-16-le") in data], path
            assert not any(piece in data for piece in pieces), path
    with opened(tmp_path / "data") as store:
        assert store.blobs.lost() == [] and store.blobs.used_by(f"voice:{voice.voice_id}") == []
        stone, signed = read_tombstone(export_tombstone(store, voice.voice_id))
    assert signed and (stone["takes"], stone["latents"], len(stone["files"])) == (2, 1, 1)
    assert [(each["sha256"], each["produce_id"]) for each in stone["exports"]] == [
        (exported.sha256, exported.produce_id)
    ]
    assert {each["kind"] for each in stone["outside"]} == {PROJECT, ADAPTER}
    assert (tmp_path / "away" / "a.wav").exists()  # what left is out of reach, and is listed


def test_a_backup_that_is_restored_brings_a_deleted_voice_back_in_no_way(tmp_path, library, clock):
    voice, _, pieces = fill(library, tmp_path)
    library.voices.delete(voice.voice_id)
    library.close()
    Store.restore(tmp_path / "data")
    with library_in(tmp_path / "data", clock) as again:
        assert again.voices.all() == list(again.voices.shipped.all()) and not again.voices.has_locked
        assert again.takes.count() == again.takes.count(binned=True) == 0
        assert read_tombstone(export_tombstone(again.store, voice.voice_id))[1]
        with pytest.raises(errors.KeyDestroyedError):
            again.voices.add(new_voice(voice_id=voice.voice_id))
        assert again.store.blobs.lost() == []
    assert not any(piece in data for data in everything(tmp_path / "data").values() for piece in pieces)


def test_the_list_names_all_that_was_derived_and_what_is_outside(tmp_path, library):
    voice, exported, _ = fill(library, tmp_path)
    export_voice(library.door, library.voices.add(new_voice(seed=9)).voice_id, tmp_path / "other.voice.zip")
    derived = library.voices.derived(voice.voice_id)
    assert [part for part, _ in derived.files] == ["prompt"] and (derived.records, derived.latents) == (1, 1)
    assert len(derived.takes) == 2 and (derived.binned, derived.compared) == (1, 1)
    (export,) = derived.exports
    assert (export.kind, export.format, export.sha256) == ("sound", "wav", exported.sha256)
    assert [(use.kind, use.place, use.is_there) for use in derived.uses] == [
        (PROJECT, tmp_path / "Halcyon evening.dub", False),
        (ADAPTER, tmp_path / "away", True),
    ]
    assert "Halcyon" not in json.dumps(derived.plain()) and "Halcyon" in json.dumps(derived.plain(places=True))
    assert library.exports.find(exported.sha256) == library.exports.find(exported.produce_id)
    assert library.exports.find(exported.sha256)[0][1] == (voice.voice_id,)
    with pytest.raises(VoiceError):
        library.voices.derived(library.voices.shipped.all()[0].voice_id)


def test_a_mix_of_several_voices_counts_for_each(library):
    one, two = (library.voices.add(new_voice(seed=seed)).voice_id for seed in (1, 2))
    for sha256 in ("1" * 64, "2" * 64):  # the same mix again, in the same file
        library.hear("export", {"produce_id": "0" * 32, "format": "wav", "sha256": sha256, "marks": {}})
        for voice in (one, two, one):
            library.hear("export_voice", {"produce_id": "0" * 32, "voice": voice})
    for voice in (one, two):
        assert [export.sha256[0] for export in library.exports.of_voice(voice)] == ["1", "2"]
    assert [set(voices) for _, voices in library.exports.find("0" * 32)] == [{one, two}] * 2
    library.hear("export_voice", {"produce_id": "9" * 32, "voice": one})  # of no file: nothing to list
    assert len(library.exports.of_voice(one)) == 2


def test_exports_of_before_are_read_from_the_log(tmp_path, library, clock):
    voice = library.voices.add(new_voice()).voice_id
    library.audit.append("export", {"produce_id": "0" * 32, "format": "mp3", "sha256": "2" * 64, "voice": voice})
    library.audit.append("export", {"produce_id": "1" * 32, "format": "mp3", "sha256": "3" * 64})
    library.audit.append("export_voice", {"produce_id": "1" * 32, "voice": voice})
    library.audit.append("export", {"produce_id": "5" * 32, "format": "mp3", "sha256": "5" * 64})
    library.audit.append("voice_exported", {"voice": voice, "sha256": "4" * 64})
    with library.store.database.write() as connection:  # as it was before this step
        for table in ("export_voices", "exports", "voice_uses", "complaints"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("ALTER TABLE voice_latents DROP COLUMN used")
        connection.execute("DELETE FROM migrations WHERE number = 6")
        connection.execute("PRAGMA user_version = 5")
        connection.execute("DROP TRIGGER audit_entries_are_final")
        connection.execute("INSERT INTO audit_entries VALUES (999, 'no JSON', 'x')")
    library.close()
    with library_in(tmp_path / "data", clock) as again:
        assert [(each.kind, each.sha256[0]) for each in again.exports.of_voice(voice)] == [
            ("sound", "2"),
            ("sound", "3"),
            ("voice", "4"),
        ]
        assert [voices for _, voices in again.exports.find("5" * 64)] == [()]


def test_complaints_have_a_deadline_a_private_text_and_an_end(library, clock):
    voice = library.voices.add(new_voice()).voice_id
    first = library.voices.freeze(voice, TEXT)
    clock.now += timedelta(hours=1)
    second = library.voices.freeze(voice, "Again.", timedelta(hours=2))
    both = library.complaints.all(open_only=True)
    assert [each.complaint_id for each in both] == [first, second] and library.voices.get(voice).complaint == first
    assert [each.seconds_left(clock()) / 3600 for each in both] == [47, 2]
    assert library.complaints.text(first) == TEXT and library.complaints.text("nobody") is None
    clock.now += timedelta(hours=3)
    assert both[1].seconds_left(clock()) == -3600
    library.voices.release(voice, "It was the same person.")
    assert library.complaints.all(open_only=True) == ()
    assert [each.outcome for each in library.complaints.of_voice(voice)] == ["released", "released"]
    assert library.voices.get(voice).state is VoiceState.ACTIVE
    third = library.voices.freeze(voice, "Once more.")
    stone = json.loads(library.voices.delete(voice))
    assert stone["complaints"] == [third] and library.complaints.of_voice(voice)[-1].outcome == "deleted"
    for term in (timedelta(0), timedelta(days=32)):
        with pytest.raises(ValueError, match="31 days"):
            library.voices.freeze(library.voices.add(new_voice(seed=4)).voice_id, "x", term)


def test_a_note_that_was_changed_or_signed_by_another_is_told_from_a_true_one(library):
    voice = library.voices.add(new_voice()).voice_id
    with pytest.raises(VoiceMissingError):
        export_tombstone(library.store, voice)
    library.voices.delete(voice)
    data = export_tombstone(library.store, voice)
    assert read_tombstone(data)[1] and read_tombstone(data.strip())[1]
    assert not read_tombstone(data.replace(b'"takes":0', b'"takes":1'))[1]
    assert not read_tombstone(data.replace(b'"public_key":"', b'"public_key":"00'))[1]
    raw = json.loads(data)
    for field in ("tombstone", "public_key", "format"):
        for value in (None, 7, "zz", []):
            with pytest.raises(VoiceError):
                read_tombstone(json.dumps({**raw, field: value}).encode())
    for junk in (b"", b"[]", b"{}", data[:-20], b"\xff"):
        with pytest.raises(VoiceError):
            read_tombstone(junk)


def test_training_is_remembered_with_the_place_where_it_writes(tmp_path, library):
    voice = library.voices.add(new_voice()).voice_id
    record = library.voices.record(voice).record_id
    manifest = tmp_path / "lines.jsonl"
    manifest.write_text(json.dumps({"audio": "a.wav", "text": "x", "consent_record_id": record}), encoding="utf-8")
    for _ in range(2):  # going on with a run is the same run
        cli_gates.gate(["train", "--model", "m", "--data", str(manifest), "--out", str(tmp_path / "run")], library)
    uses = library.voices.derived(voice).uses
    assert [(use.kind, use.place) for use in uses] == [
        ("cache", tmp_path / ".latents"),
        ("adapter", tmp_path / "run"),
    ]
    library.voices.freeze(voice, "stop")
    with pytest.raises(ConsentRefused):
        library.door.admit(voice)


class Command:
    """The command line on a data folder of its own."""

    def __init__(self, folder, capsys):
        self.folder, self.capsys = folder, capsys

    def __call__(self, *argv):
        code = cli_voices.run(["--data", str(self.folder), *map(str, argv)])
        return code, self.capsys.readouterr().out


@pytest.fixture
def command(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("VOXCPM_PASSPHRASE", "words for the test")
    with opened(tmp_path / "data") as store:
        _ = store.keys.lasting
    return Command(tmp_path / "data", capsys)


def test_the_command_copies_sorts_and_takes_down_both(tmp_path, command, clock):
    with library_in(tmp_path / "data", clock) as library:
        voice = library.voices.add(new_voice(name="Ada", kind=OTHER, now=clock()))
    code, out = command("copy", "Ada", "Ada, slowly")
    assert code == 0 and out.endswith("Ada, slowly\n")
    copy = out.split()[0]
    (one, other) = json.loads(command("list", "ada", "--sort", "newest", "--json")[1])["voices"]
    assert (one["id"], one["consent_of"], other["consent_of"]) == (copy, voice.voice_id, None)
    code, out = command("takedown", copy, "--reason", TEXT)
    assert code == 0 and f"1 copies of the voice, each with its own takes: {voice.voice_id}" in out
    assert command("takedown", copy, "--yes")[0] == 0
    assert command("list", "ada")[1] == "" and command("complaints")[1] == ""


def test_the_command_freezes_lists_and_deletes(tmp_path, command, clock):
    with library_in(tmp_path / "data", clock) as library:
        voice, exported, _ = fill(library, tmp_path)
    assert command("takedown", voice.voice_id)[0] == 2  # without a complaint
    code, out = command("takedown", voice.voice_id, "--reason", TEXT, "--hours", 24)
    assert code == 0 and "Nothing is deleted yet" in out and exported.sha256 in out and "h left" in out
    assert "2 takes, 1 of them in the bin, in 1 comparisons" in out and "not there any more" in out
    code, out = command("complaints", "--texts", "--json")
    (told,) = json.loads(out)["complaints"]
    assert code == 0 and told["text"] == TEXT and told["voice"] == voice.voice_id
    note = tmp_path / "note.json"
    code, out = command("takedown", voice.voice_id, "--yes", "--out", note, "--json")
    described = json.loads(out)
    assert code == 0 and described["deleted"] and described["tombstone"]["takes"] == 2
    assert command("complaints")[1] == "" and "deleted" in command("complaints", "--all")[1]
    assert command("tombstone", voice.voice_id) == (0, note.read_text())
    assert command("tombstone", note, "--check")[0] == 0
    note.write_text(note.read_text().replace('"takes":2', '"takes":0'))
    assert command("tombstone", note, "--check")[0] == 8
    assert command("takedown", voice.voice_id, "--yes")[0] == 2

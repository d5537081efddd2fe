"""Voices that travel: what goes along, what is believed, and what ends in quarantine."""

import random
from dataclasses import replace

import pytest

from app.core import canonical
from app.core.consent import making
from app.core.consent.history import append_version
from app.core.consent.record import LICENSED, OTHER, SYNTHETIC
from app.core.consent.verify import ConsentRefused
from app.core.safe_zip import BundleError, read_bundle, write_bundle
from app.core.voice_bundle import KIND, export_voice, import_voice
from app.core.voice_card import VoiceError, VoiceState
from tests.app.consent.makers import OTHER_KEY
from tests.app.voices.makers import LATER, NOW, Clock, break_chain, new_voice, place, sound

SHARED = making.make_scope(redistribution=True)


@pytest.fixture
def here(tmp_path):
    with place(tmp_path / "here") as here:
        yield here


@pytest.fixture
def there(tmp_path):
    with place(tmp_path / "there", passphrase="another passphrase") as there:
        yield there


def entries_of(path):
    with read_bundle(path, kind=KIND) as bundle:
        return {name: bundle.read(name) for name in bundle}


def repacked(path, change):
    """The bundle with its entries changed, packed as a right one."""
    entries = entries_of(path)
    change(entries)
    write_bundle(path, entries, kind=KIND)
    return path


def shared(here, tmp_path, personal=False, **options):
    voice = here.add(kind=OTHER, scope=SHARED, parts=("reference", "prompt"), tags=("warm",), **options)
    path = tmp_path / "a.voice.zip"
    export_voice(here.door, voice.voice_id, path, personal=personal)
    return voice, path


def test_a_voice_arrives_whole_and_its_signer_is_foreign(here, there, tmp_path):
    voice, path = shared(here, tmp_path)
    done = import_voice(there.voices, path)
    assert done.verdict.ok and done.foreign and there.voices.is_foreign(voice.voice_id)
    assert replace(done.voice.card, kind="other") == here.voices.get(voice.voice_id).card
    for part in voice.parts:
        theirs, ours = (each.voices.kept_sound(voice.voice_id, part).sha256 for each in (there, here))
        assert theirs == ours
    assert there.door.admit(voice.voice_id).record_id == here.voices.record(voice.voice_id).record_id
    assert there.events("voice_imported")[0]["sha256"] == here.events("voice_exported")[0]["sha256"]
    again = tmp_path / "again.voice.zip"
    export_voice(there.door, voice.voice_id, again)
    assert entries_of(again) == entries_of(path)


@pytest.mark.parametrize("personal", [False, True])
def test_names_travel_only_on_demand(here, there, tmp_path, personal):
    voice, path = shared(here, tmp_path, personal=personal)
    assert (b"Bo Ek" in path.read_bytes()) == personal
    import_voice(there.voices, path)
    speaker = there.voices.record(voice.voice_id).speaker
    assert speaker.name.text == ("Bo Ek" if personal else None)
    if not personal:  # without the texts nothing can be changed, but taken back is another matter: delete
        with pytest.raises(VoiceError, match="personal part"):
            there.voices.withdraw(voice.voice_id)


@pytest.mark.parametrize("kind", [LICENSED, SYNTHETIC])
def test_what_may_not_be_shared_stays(here, tmp_path, kind):
    voice = here.add(kind=kind)
    if kind == SYNTHETIC:
        export_voice(here.door, voice.voice_id, tmp_path / "a.voice.zip")
        with pytest.raises(VoiceError, match="exists"):
            export_voice(here.door, voice.voice_id, tmp_path / "a.voice.zip")
        return
    with pytest.raises(ConsentRefused, match="share"):
        export_voice(here.door, voice.voice_id, tmp_path / "a.voice.zip")
    assert list(tmp_path.glob("*.zip")) == [] and here.events("use_refused")[0]["cause"] == "out_of_scope"


def test_a_voice_that_is_here_or_was_deleted_here_is_not_taken_in(here, tmp_path):
    voice, path = shared(here, tmp_path)
    with pytest.raises(VoiceError, match="here already"):
        import_voice(here.voices, path)
    here.voices.delete(voice.voice_id)
    with pytest.raises(VoiceError, match="deleted here"):
        import_voice(here.voices, path)


def _other_sound(entries):
    entries["sounds/reference.flac"] = sound(seed=9).to_flac()


def _no_record(entries):
    described = canonical.load(entries["voice.json"])
    del entries["record/1.json"]
    entries["voice.json"] = canonical.dump(described | {"versions": 0})


def _changed_record(entries):
    entries["record/1.json"] = entries["record/1.json"].replace(b'"training":false', b'"training":true')


def _unreadable(entries):
    entries["record/1.json"] = entries["record/1.json"].replace(b'"level":"L0"', b'"level":"L9"')


def _no_signer(entries):
    entries["voice.json"] = canonical.dump(canonical.load(entries["voice.json"]) | {"signers": {}})


def _foreign_text(entries):
    private = canonical.load(entries["private/1.json"])
    private["speaker.name"]["text"] = "Somebody Else"
    entries["private/1.json"] = canonical.dump(private)


QUARANTINED = {
    "other sound": (_other_sound, "references.mismatch"),
    "no record": (_no_record, "missing"),
    "changed record": (_changed_record, "chain.changed"),
    "unreadable record": (_unreadable, "unreadable"),
    "unknown signer": (_no_signer, "signature.unknown_key"),
    "foreign names": (_foreign_text, "unreadable"),
}


@pytest.mark.parametrize("case", QUARANTINED)
def test_without_a_valid_record_a_voice_can_be_looked_at_and_deleted_not_used(here, there, tmp_path, case):
    change, cause = QUARANTINED[case]
    voice, path = shared(here, tmp_path, personal=True)
    done = import_voice(there.voices, repacked(path, change))
    assert done.voice.state is VoiceState.QUARANTINED and done.voice.cause == cause and not done.verdict.ok
    assert there.voices.sound(voice.voice_id, "prompt") and there.voices.search("ada")
    for attempt in (there.door.admit, there.door.admit_voice):
        with pytest.raises(ConsentRefused, match="looked at and deleted"):
            attempt(voice.voice_id)
    with pytest.raises(ConsentRefused):
        export_voice(there.door, voice.voice_id, tmp_path / "b.voice.zip")
    there.voices.freeze(voice.voice_id, "odd")
    there.voices.release(voice.voice_id, "still odd")
    assert there.voices.get(voice.voice_id).state is VoiceState.QUARANTINED
    assert there.events("voice_quarantined")[0]["voice"] == voice.voice_id
    there.voices.delete(voice.voice_id)
    assert there.voices.all() == []


def test_expired_and_withdrawn_voices_arrive_in_quarantine(here, tmp_path):
    voice, path = shared(here, tmp_path)
    with place(tmp_path / "late", Clock(NOW + LATER)) as late:
        assert import_voice(late.voices, path).voice.cause == "expired"
    versions = here.voices.versions(voice.voice_id)
    keys = here.store.keys
    taken_back = append_version(
        versions, making.withdraw(versions[-1], channel="letter", now=NOW), key=keys.signing_key(), key_id=keys.key_id
    )

    def add_version(entries):
        entries["record/2.json"] = taken_back[-1].to_json()
        entries["voice.json"] = canonical.dump(canonical.load(entries["voice.json"]) | {"versions": 2})

    with place(tmp_path / "there") as there:
        assert import_voice(there.voices, repacked(path, add_version)).voice.cause == "withdrawn"


def test_a_key_under_a_false_name_is_refused(here, there, tmp_path):
    _, path = shared(here, tmp_path)

    def swap(entries):
        described = canonical.load(entries["voice.json"])
        false = OTHER_KEY.public_key().public_bytes_raw().hex()
        described["signers"] = dict.fromkeys(described["signers"], false)
        entries["voice.json"] = canonical.dump(described)

    with pytest.raises(BundleError, match="keys"):
        import_voice(there.voices, repacked(path, swap))
    assert there.voices.all() == []


def test_texts_that_are_none_are_refused(here, there, tmp_path):
    _, path = shared(here, tmp_path)

    def spoil(entries):
        described = canonical.load(entries["voice.json"])
        described["card"]["licence"] = ["no text"]
        entries["voice.json"] = canonical.dump(described)

    with pytest.raises(BundleError, match="texts"):
        import_voice(there.voices, repacked(path, spoil))
    assert there.voices.all() == []


@pytest.mark.parametrize("entry", ["voice.json", "record/1.json", "sounds/prompt.flac"])
@pytest.mark.parametrize("change", ["missing", "empty", "noise"])
def test_a_bundle_that_lacks_something_saves_nothing(here, there, tmp_path, entry, change):
    _, path = shared(here, tmp_path)

    def damage(entries):
        if change == "missing":
            del entries[entry]
        else:
            entries[entry] = b"" if change == "empty" else random.Random(1).randbytes(999)

    repacked(path, damage)
    if entry == "record/1.json" and change != "missing":
        assert import_voice(there.voices, path).voice.state is VoiceState.QUARANTINED
        return
    with pytest.raises(BundleError):
        import_voice(there.voices, path)
    assert there.voices.all() == [] and list(there.store.temporary.iterdir()) == [there.store.temporary / "lock"]


def test_the_broken_chain_of_a_stored_voice_does_not_leave(here, tmp_path):
    voice = here.add(kind=OTHER, scope=SHARED)
    break_chain(here.store, voice.voice_id)
    with pytest.raises(ConsentRefused, match="changed after"):
        export_voice(here.door, voice.voice_id, tmp_path / "a.voice.zip")


def change_the_bundle(folder, count):
    """Every one-byte change of a bundle is refused."""
    with place(folder / "here") as here, place(folder / "there") as there:
        voice = here.voices.add(new_voice(seconds=0.05))
        path, rng = folder / "a.voice.zip", random.Random(4)
        export_voice(here.door, voice.voice_id, path)
        whole = path.read_bytes()
        for _ in range(count):
            at, flip = rng.randrange(len(whole)), rng.randrange(1, 256)
            path.write_bytes(whole[:at] + bytes([whole[at] ^ flip]) + whole[at + 1 :])
            with pytest.raises(BundleError):
                import_voice(there.voices, path)
        assert there.voices.all() == []


def change_the_record(folder, count):
    """Every one-byte change of a record in a bundle that was packed anew ends in quarantine, or is refused."""
    with place(folder / "here") as here:
        voice = here.voices.add(new_voice(seconds=0.05))
        path, rng = folder / "a.voice.zip", random.Random(5)
        export_voice(here.door, voice.voice_id, path)
        entries = entries_of(path)
        with place(folder / "there") as there:
            for _ in range(count):
                record = entries["record/1.json"]
                at, flip = rng.randrange(len(record)), rng.randrange(1, 256)
                changed = record[:at] + bytes([record[at] ^ flip]) + record[at + 1 :]
                write_bundle(path, entries | {"record/1.json": changed}, kind=KIND)
                with there.store.database.write() as connection:
                    assert import_voice(there.voices, path).voice.state is VoiceState.QUARANTINED
                    forget_all(connection)


def forget_all(connection):
    """Let the import be forgotten, so that the same voice can come again."""
    connection.execute("DELETE FROM foreign_signers")
    connection.execute("DELETE FROM voice_files")
    connection.execute("UPDATE voices SET state = 'deleted', card = NULL")
    connection.execute("DELETE FROM consent_versions")
    connection.execute("DELETE FROM voices")
    connection.execute("DELETE FROM keys WHERE name GLOB 'voice/*'")


def test_changed_bytes_are_seen(tmp_path):
    change_the_bundle(tmp_path / "a", 30)
    change_the_record(tmp_path / "b", 4)

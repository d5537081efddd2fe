"""The library of takes: what was made comes back as it was, is found, marked, binned and deleted, and nothing else."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.core import take_codec
from app.core.audit import AuditLog
from app.core.messages import Consent, VoiceSpec
from app.core.store import Store, errors
from app.core.take_codec import TakeUnreadableError
from app.core.take_store import NoOriginError, TakeExistsError, TakeLibrary, UnknownTakeError
from app.core.takes import Take, TakeMarks, TakeState
from tests.app.takes.makers import MODEL, VOICE, made, opened

VOICE_ID = "11111111-2222-4333-8444-555555555555"


@pytest.fixture
def store(tmp_path):
    with opened(tmp_path / "data") as store:
        yield store


@pytest.fixture
def library(store):
    return TakeLibrary(store)


def keep(library: TakeLibrary, *texts: str, **more) -> list[Take]:
    takes = [take for number, text in enumerate(texts) for take in made(text, **{"seed": number * 10, **more})]
    for take in takes:
        library.add(take)
    return takes


def texts(library: TakeLibrary, query: str = "", **more) -> list[str]:
    return [take.job.text for take in library.page(query=query, **more).takes]


@pytest.mark.parametrize("voice", [None, VOICE])
def test_the_same_take_comes_back(library, voice):
    for take in made(takes=2, voice=voice):
        library.add(take)
    back = library.page().takes
    assert [take.row for take in back] == [1, 0]
    for take, original in zip(reversed(back), made(takes=2, voice=voice), strict=True):
        assert take.is_unread and take.restored and take.kept
        assert take.seconds == original.seconds
        filled = library.filled(take.uid)
        assert np.array_equal(filled.samples, original.samples)
        assert np.array_equal(filled.latents, original.latents)
        assert replace(filled.job, job_id=1) == original.job.without_names()
        assert filled.model == MODEL
        for name in ("state", "seed", "final_text", "end", "flags", "patches", "compute_seconds", "sample_rate"):
            assert getattr(filled, name) == getattr(original, name), name
        result, first = filled.result, original.result
        assert result is not None and first is not None
        assert result.batch == first.batch and result.row == first.row and len(result.batch) == 2
        assert (result.time_to_first_audio, result.total_seconds, result.next_seed) == (0.5, 2.0, 99)
        assert np.array_equal(result.stop_probabilities, first.stop_probabilities)


def test_a_take_that_broke_off_has_no_result_and_is_kept(library):
    (take,) = keep(library, "Gone.", end="")
    assert library.filled(take.uid).result is None
    assert library.get(take.uid).state is TakeState.FAILED


def test_order_and_pages_go_by_sequence_not_by_the_clock(library):
    takes = [made(f"Take {number}.")[0] for number in range(7)]
    for take in takes:
        take.created_at = take.created_at.replace(year=2000 + hash(take.uid) % 25)
        library.add(take)
    page, found = library.page(limit=3), []
    while True:
        found += [take.job.text for take in page.takes]
        if page.after is None:
            break
        page = library.page(limit=3, after=page.after)
    assert found == [f"Take {number}." for number in reversed(range(7))]
    assert [take.job.text for take in library.all()] == found


def test_takes_of_one_press_have_one_number_and_later_presses_higher_ones(library):
    first, second = made("A", takes=2), made("B", takes=2)
    for take in (first[0], second[0], first[1], second[1]):  # two windows at once
        library.add(take)
    numbers = {take.uid: take.number for take in library.page().takes}
    assert numbers[first[0].uid] == numbers[first[1].uid] < numbers[second[0].uid] == numbers[second[1].uid] < 0
    assert [take.uid for take in library.press_of(first[1].uid)] == [take.uid for take in first]


@pytest.mark.parametrize(
    "query, found",
    [
        ("evening", ["Good evening, ladies."]),
        ("EVEN good", ["Good evening, ladies."]),
        ("ladies morning", []),
        ("早上", ["早上好，世界。"]),
        ("好", ["早上好，世界。"]),
        ("世界。", ["早上好，世界。"]),
        ("100%", ["It is 100% \"sure\"."]),
        ("%", ["It is 100% \"sure\"."]),
        ('"sure"', ["It is 100% \"sure\"."]),
        ("_", []),
        ("go OR it", []),
        ("sure* NEAR(", []),
        ("\0", ["It is 100% \"sure\".", "早上好，世界。", "Good evening, ladies."]),
    ],
)  # fmt: skip
def test_search(library, query, found):
    keep(library, "Good evening, ladies.", "早上好，世界。", 'It is 100% "sure".')
    assert texts(library, query) == found


def test_marks_are_versions_and_notes_are_found(library):
    take, other = keep(library, "One.", "Two.")
    assert library.mark(take.uid, rating=4) == TakeMarks(4)
    assert library.mark(take.uid, note="the warm one", favourite=True) == TakeMarks(4, True, "the warm one")
    assert library.mark(take.uid, rating=4) == TakeMarks(4, True, "the warm one")
    assert library.marks(take.uid) == (TakeMarks(4), TakeMarks(4, True, "the warm one"))
    assert library.get(take.uid).marks == TakeMarks(4, True, "the warm one")
    assert texts(library, "warm") == ["One."]
    library.mark(take.uid, note="")
    assert texts(library, "warm") == []
    assert library.get(other.uid).marks == TakeMarks()
    with pytest.raises(ValueError, match="1 to 5"):
        library.mark(take.uid, rating=6)
    with pytest.raises(UnknownTakeError):
        library.mark("nobody", rating=1)


def test_nothing_changes_a_take(library, store):
    keep(library, "One.")
    for sql in ("UPDATE takes SET facts = '{}'", "UPDATE take_marks SET rating = 1"):
        library.mark(library.page().takes[0].uid, rating=3)
        with pytest.raises(sqlite3.IntegrityError, match="never changed"), store.database.write() as connection:
            connection.execute(sql)


def test_bin_and_back_and_gone(library, store):
    one, two, three = keep(library, "One.", "Two.", "Three.")
    library.move_to_bin([one.uid, two.uid, "nobody"])
    library.move_to_bin([one.uid])
    assert texts(library) == ["Three."] and texts(library, binned=True) == ["Two.", "One."]
    assert library.count() == 1 and library.count(binned=True) == 2
    library.restore([one.uid, three.uid])
    assert texts(library) == ["Three.", "One."] and texts(library, "one") == ["One."]
    assert library.empty_bin() == 1 and library.empty_bin() == 0
    with pytest.raises(UnknownTakeError):
        library.get(two.uid)
    with pytest.raises(UnknownTakeError):
        library.sound(two.uid)
    assert store.blobs.used_by(f"take:{two.uid}") == []
    assert store.blobs.sweep(grace_seconds=0) == 0  # its file went at once
    assert library.sound(one.uid).samples.size == 5000


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_what_is_deleted_for_good_is_nowhere_any_more(tmp_path):
    folder = tmp_path / "data"
    with opened(folder) as store:
        library = TakeLibrary(store)
        (take,) = keep(library, "Xylophone quartz jubilee.")
        (kept,) = keep(library, "Another sentence stays.")
        library.mark(take.uid, note="zyzzyva whispered")
        store.backups.run()
        assert b"Xylophone" in everything(folder) and b"zyzzyva" in everything(folder)
        library.move_to_bin([take.uid])
        library.empty_bin()
        for word in (b"Xylophone", b"quartz jub", b"zyzzyva", b"ylo", b"zyz"):  # the last two: the index's trigrams
            assert word not in everything(folder), word
        assert texts(library) == [kept.job.text] and store.database.integrity() == []
    for backup in sorted(folder.glob("backups/0*.db"))[-1:]:
        with sqlite3.connect(backup) as connection:
            assert connection.execute("SELECT count(*) FROM takes").fetchone() == (1,)
            assert connection.execute("SELECT count(*) FROM take_search WHERE take_search MATCH '\"sente\"'").fetchone()
        connection.close()


def test_takes_of_a_person_are_encrypted_and_name_nobody(tmp_path):
    folder = tmp_path / "data"
    with opened(folder) as store:
        library = TakeLibrary(store)
        (take,) = keep(library, "Hello.", voice=VOICE)
        raw = everything(folder)
        assert take.samples.tobytes() not in raw and take.latents.tobytes() not in raw
        for word in (b"Ada", b"grandmother", b"What is said"):
            assert word not in raw
        assert library.filled(take.uid).job.voice == take.job.without_names().voice
        library.delete_all()
        assert not store.keys.has_voice_key(take.uid)
        (plain,) = keep(library, "Designed.")
        assert plain.samples.tobytes() in everything(folder)


def test_a_stored_consent_is_never_a_fresh_one(library, store):
    (take,) = keep(library, "Hello.", voice=VOICE)
    assert take.job.voice.consent.fresh
    raw = take_codec.read_sound(take_codec.write_sound(take), take_codec.write_facts(take))
    assert raw.voice.consent.fresh is False and library.get(take.uid).job.voice.consent.fresh is False
    forged = json.loads(take_codec.write_facts(take))
    forged["job"]["voice"]["consent"] |= {"fresh": True, "name": "Ada"}
    assert take_codec.read_facts(json.dumps(forged)).job.voice.consent == take.job.voice.consent.without_names()


def test_takes_of_a_deleted_voice_go_with_it(store):
    library, audit = TakeLibrary(store, AuditLog(store.database, store.keys)), AuditLog(store.database, store.keys)
    store.keys.new_voice_key(VOICE_ID)
    saved = replace(VOICE, voice_id=VOICE_ID)
    mine = keep(library, "Mine.", "Mine too.", voice=saved)
    (other,) = keep(library, "Not mine.")
    library.move_to_bin([mine[0].uid])
    with pytest.raises(RuntimeError), store.database.write():
        library.delete_takes_of(VOICE_ID)
        raise RuntimeError
    assert library.sound(mine[0].uid).voice == mine[0].job.without_names().voice
    with store.database.write():
        assert library.delete_takes_of(VOICE_ID) == 2
        store.keys.destroy_voice_key(VOICE_ID)
    assert [take.uid for take in library.all()] == [other.uid] and library.count(binned=True) == 0
    deleted = [entry.facts for entry in audit.entries() if entry.event == "take_deleted"]
    assert deleted == [{"take": take.uid, "voice": VOICE_ID} for take in mine]


def test_the_take_to_show_a_voice_by_is_a_favourite_the_best_or_the_newest(store, library):
    store.keys.new_voice_key(VOICE_ID)
    spec = replace(VOICE, voice_id=VOICE_ID)
    first, second, third = keep(library, "one", "two", "three", voice=spec)
    keep(library, "of nobody")
    assert library.sample_of(VOICE_ID) == third.uid and library.sample_of("another") == ""
    library.mark(first.uid, note="only a note")
    assert library.sample_of(VOICE_ID) == third.uid
    library.mark(second.uid, rating=4)
    assert library.sample_of(VOICE_ID) == second.uid
    library.mark(first.uid, favourite=True)
    assert library.sample_of(VOICE_ID) == first.uid
    library.move_to_bin([first.uid, second.uid])
    assert library.sample_of(VOICE_ID) == third.uid


def test_a_take_without_the_key_of_its_voice_is_refused(library, store):
    (take,) = made(voice=replace(VOICE, voice_id=VOICE_ID))
    with pytest.raises(errors.KeyMissingError):
        library.add(take)
    assert library.count() == 0 and store.blobs.sweep(grace_seconds=0) == 0


@pytest.mark.parametrize(
    "change",
    [
        {"voice": VoiceSpec("a.wav")},
        {"voice": VoiceSpec("a.wav", consent=replace(Consent.attest("self"), record_id=""))},
        {"model": replace(MODEL, name="")},
        {"text": " "},
    ],
)
def test_nothing_without_an_origin(library, change):
    with pytest.raises(NoOriginError):
        library.add(made(**change)[0])
    assert library.count() == 0


def test_what_cannot_be_added(library, store):
    (take,) = made()
    library.add(take)
    with pytest.raises(TakeExistsError):
        library.add(take)
    (person,) = made(voice=VOICE)
    library.add(person)
    with pytest.raises(TakeExistsError):
        library.add(person)
    growing = made()[0]
    growing.state = TakeState.STREAMING
    with pytest.raises(ValueError, match="ended"):
        library.add(growing)
    assert library.count() == 2


def test_a_damaged_file_and_damaged_facts_cost_their_own_take_alone(library, store, caplog):
    one, two, three = keep(library, "One.", "Two.", "Three.")
    with store.database.write() as connection:
        connection.execute("DROP TRIGGER takes_are_final")
        connection.execute("UPDATE takes SET facts = '{}' WHERE take_id = ?", (one.uid,))
        path = connection.execute("SELECT sound FROM takes WHERE take_id = ?", (two.uid,)).fetchone()[0]
    file = next(store.folder.glob(f"blobs/*/{path}"))
    file.write_bytes(file.read_bytes()[:-1])
    assert texts(library) == ["Three.", "Two."] and one.uid in caplog.text
    with pytest.raises(TakeUnreadableError):
        library.get(one.uid)
    with pytest.raises(errors.BlobDamagedError):
        library.sound(two.uid)
    assert library.sound(three.uid).samples.size


def test_facts_that_are_not_as_they_are_written_are_refused():
    text = take_codec.write_facts(made()[0])
    assert take_codec.read_facts(text).job.text == "Good evening."
    facts = json.loads(text)
    broken = [{**facts, name: None} for name in facts if name not in ("result", "seed")]
    broken += [{**facts, "job": {**facts["job"], "takes": 4}}, {**facts, "state": "streaming"}, {**facts, "samples": 0}]
    for each in [*broken, [], 1, None]:
        with pytest.raises(TakeUnreadableError):
            take_codec.read_facts(json.dumps(each))
    with pytest.raises(TakeUnreadableError):
        take_codec.read_sound(b"PK", text)


def test_finding_by_the_beginning_of_the_id(library):
    one, two = keep(library, "One.", "Two.")
    assert library.find(one.uid[:12]).uid == one.uid
    for beginning in ("", "nothing", "%"):
        with pytest.raises(UnknownTakeError):
            library.find(beginning)
    assert library.find(two.uid).uid == two.uid


def test_two_programs_at_once(tmp_path):
    with opened(tmp_path / "data") as first, opened(tmp_path / "data") as second:
        (one,) = keep(TakeLibrary(first), "One.")
        assert texts(TakeLibrary(second)) == ["One."]
        keep(TakeLibrary(second), "Two.", voice=VOICE)
        TakeLibrary(second).move_to_bin([one.uid])
        assert texts(TakeLibrary(first)) == ["Two."]
        assert TakeLibrary(first).page().takes[0].job.text == "Two."
    with Store.open(tmp_path / "data", readonly=True, find_keyring=lambda: None) as watching:
        assert texts(TakeLibrary(watching)) == ["Two."]
        with pytest.raises(errors.ReadOnlyError):
            TakeLibrary(watching).empty_bin() or TakeLibrary(watching).delete_all()


def test_takes_of_a_voice_that_came_with_the_studio_have_keys_of_their_own(store):
    library = TakeLibrary(store, without_key={VOICE_ID})
    (take,) = keep(library, "Shipped.", voice=replace(VOICE, voice_id=VOICE_ID))
    assert store.keys.has_voice_key(take.uid) and not store.keys.has_voice_key(VOICE_ID)
    assert library.filled(take.uid).voice_id == VOICE_ID
    assert take.samples.tobytes() not in everything(store.folder)

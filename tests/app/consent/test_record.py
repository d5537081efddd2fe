"""The record itself: strict reading, hash and signature, and personal texts that can be destroyed."""

import json
import random
from dataclasses import fields, is_dataclass, replace
from datetime import timedelta, timezone
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import canonical
from app.core.consent import making
from app.core.consent.codec import fixed, utc
from app.core.consent.problems import PrivatePartError, RecordError
from app.core.consent.record import ConsentRecord, parse_record, sha256_pcm
from app.core.consent.sealed import Sealed
from app.core.consent.verify import verify_stored
from tests.app.consent.makers import ALL, DOCUMENT, KEYS, NOW, add, first, other, own, sound, spoken

VOICE_KEY = bytes(range(100, 132))


def full():
    """Three versions with every field that can be filled."""
    guardian = other(
        adult=False, basis="estate_or_guardian", representative=("Eve Lind", "parent"), note="agreed by phone"
    )
    versions = first(guardian)
    versions = add(
        versions, making.with_evidence(versions[-1], [DOCUMENT], spoken=spoken(versions[-1]), now=NOW + timedelta(1))
    )
    return add(versions, making.withdraw(versions[-1], channel="letter", now=NOW + timedelta(2)))


@pytest.mark.parametrize("kind", ALL)
def test_every_kind_is_read_back_as_it_was(kind):
    (record,) = first(ALL[kind]())
    data = record.to_json()
    back = parse_record(data, record.private())
    assert back == record and back.is_open and back.to_json() == data
    assert back.operator.text == record.operator.text
    assert parse_record(data) == record and not parse_record(data).is_open


def paths(value, prefix=()):
    """Every key and index below a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*prefix, key)
        yield from paths(item, (*prefix, key))


def named(path):
    return "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path).lstrip(".")


def test_a_missing_unknown_or_ill_typed_field_is_named():
    record = full()[-1]
    raw = record.to_dict()
    checked = 0
    for path in paths(raw):
        broken = json.loads(json.dumps(raw))
        place = broken
        for step in path[:-1]:
            place = place[step]
        where = named(path).removesuffix(".sealed")
        if isinstance(path[-1], str):
            kept = place.pop(path[-1])
            with pytest.raises(RecordError) as caught:
                parse_record(canonical.dump(broken))
            assert caught.value.field == where and caught.value.field in str(caught.value)
            place[path[-1]] = kept
            checked += 1
        place[path[-1]] = {"other": 1} if not isinstance(place[path[-1]], dict) else 5
        with pytest.raises(RecordError) as caught:
            parse_record(canonical.dump(broken))
        assert caught.value.field.startswith(where), where
    raw["colour"] = "red"
    with pytest.raises(RecordError, match="colour is not known"):
        parse_record(canonical.dump(raw))
    assert checked > 60


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("recorded_at", "2026-3-1T00:00:00Z"),
        ("recorded_at", "2026-03-01T00:00:00+01:00"),
        ("version", True),
        ("version", "1"),
        ("subject_kind", "friend"),
        ("voice_id", "../../etc"),
        ("sig", "A" * 128),
        ("record_hash", "0" * 63),
        ("level", "L4"),
        ("schema", 0),
        ("key_id", "a b"),
    ],
)
def test_values_out_of_form_are_refused(field, value):
    raw = full()[-1].to_dict() | {field: value}
    with pytest.raises(RecordError) as caught:
        parse_record(canonical.dump(raw))
    assert caught.value.field == field


@pytest.mark.parametrize("seconds", ["5", "5.00", "05.000", "+5.000", "-0.000", "1e1", "5.0000", "NaN", "٥.000"])
def test_a_number_has_one_spelling(seconds):
    raw = full()[-1].to_dict()
    raw["references"][0]["seconds"] = seconds
    with pytest.raises(RecordError, match=r"references\[0\].seconds"):
        parse_record(canonical.dump(raw))


def test_a_newer_schema_says_update():
    raw = full()[-1].to_dict() | {"schema": 2, "novelty": 1}
    with pytest.raises(RecordError, match="update"):
        parse_record(canonical.dump(raw))


def test_a_thousand_changed_bytes_are_all_detected():
    versions = full()
    stored = [(record.to_json(), record.private()) for record in versions]
    chooser = random.Random(20260331)
    assert not verify_stored(stored, now=NOW, public_keys=KEYS).codes & {"unreadable", "chain.changed"}
    for _ in range(1000):
        number = chooser.randrange(len(stored))
        data = bytearray(stored[number][0])
        place = chooser.randrange(len(data))
        data[place] ^= chooser.randrange(1, 256)
        changed = [*stored]
        changed[number] = (bytes(data), stored[number][1] if chooser.random() < 0.5 else None)
        codes = verify_stored(changed, now=NOW, public_keys=KEYS).codes
        found = {"unreadable", "chain.changed", "chain.broken", "signature.bad", "signature.unknown_key"}
        assert codes & found, (number, place, bytes(data[place - 20 : place + 20]))


def test_the_signature_is_of_this_record_and_key():
    record = first()[0]
    assert record.signature_holds(KEYS[record.key_id])
    assert not replace(record, key_id="other").signature_holds(KEYS[record.key_id])
    assert not replace(record, record_hash="0" * 64).signature_holds(KEYS[record.key_id])
    assert not replace(record, sig="").signature_holds(KEYS[record.key_id])


def test_personal_texts_are_nowhere_in_the_record():
    record = full()[1]
    data, blob = record.to_json(), record.private_encrypted(VOICE_KEY)
    for text in ("Ada Lind", "ada@example.org", "Eve Lind", "Studio North", "agreed by phone", "I speak for"):
        assert text.encode() not in data and text.encode() not in blob
        assert text in str(record.private())
    assert "Ada" not in repr(record)


def test_without_the_key_the_chain_still_verifies_and_names_are_gone():
    versions = full()[:2]
    blobs = [record.private_encrypted(VOICE_KEY) for record in versions]
    stored = [(record.to_json(), None) for record in versions]
    verdict = verify_stored(stored, now=NOW + timedelta(3), public_keys=KEYS)
    assert verdict.ok and verdict.unchecked and verdict.level == versions[-1].level == "L3"
    closed = parse_record(stored[0][0])
    with pytest.raises(PrivatePartError):
        closed.opened_with(blobs[0], bytes(32))
    with pytest.raises(PrivatePartError):
        closed.private()
    assert closed.opened_with(blobs[0], VOICE_KEY).speaker.name.text == "Ada Lind"


def test_a_personal_part_of_another_version_or_changed_is_refused():
    versions = full()
    blob = versions[0].private_encrypted(VOICE_KEY)
    with pytest.raises(PrivatePartError):
        versions[1].opened_with(blob, VOICE_KEY)
    part = versions[0].private()
    for changed in (
        part | {"operator": part["operator"] | {"text": "Studio South"}},
        part | {"operator": part["operator"] | {"salt": "00" * 32}},
        part | {"operator": part["operator"] | {"salt": "00"}},
        part | {"more": part["operator"]},
        {path: value for path, value in part.items() if path != "operator"},
    ):
        with pytest.raises(PrivatePartError):
            versions[0].opened(changed)
    chooser = random.Random(5)
    for _ in range(200):
        data = bytearray(blob)
        data[chooser.randrange(len(data))] ^= chooser.randrange(1, 256)
        with pytest.raises(PrivatePartError):
            versions[0].opened_with(bytes(data), VOICE_KEY)
    with pytest.raises(PrivatePartError):
        versions[0].opened_with(blob[:20], VOICE_KEY)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=50))
def test_a_commitment_opens_to_its_text_alone(text):
    sealed = Sealed.of(text)
    assert sealed.closed().opened(sealed.salt, text).text == text
    assert Sealed.of(text).commitment != sealed.commitment  # the salt is new
    with pytest.raises(PrivatePartError):
        sealed.closed().opened(sealed.salt, text + "x")


def test_a_personal_text_has_a_limit():
    with pytest.raises(ValueError, match="4000"):
        Sealed.of("a" * 4001)


@given(st.floats(-1e6, 1e6), st.sampled_from([3, 4]))
def test_fixed_numbers_are_stable(value, places):
    number = fixed(value, places)
    assert Decimal(f"{number:.{places}f}") == number and fixed(number, places) == number
    assert abs(float(number) - value) <= 0.5 * 10**-places + 1e-9
    assert f"{fixed(-1e-9, places):.{places}f}" == f"{0:.{places}f}"


def test_times_are_utc_to_the_second():
    there = NOW.astimezone(timezone(timedelta(hours=9))) + timedelta(microseconds=7)
    assert utc(there) == NOW
    with pytest.raises(ValueError, match="time zone"):
        utc(NOW.replace(tzinfo=None))


def test_the_hash_of_sound_is_of_samples_and_rate():
    samples, rate = sound(0.1)
    assert sha256_pcm(samples, rate) == sha256_pcm(samples.copy()[:], rate)
    assert sha256_pcm(np.repeat(samples, 2)[::2], rate) == sha256_pcm(samples, rate)
    assert sha256_pcm(samples, rate + 1) != sha256_pcm(samples, rate) != sha256_pcm(samples[1:], rate)
    for bad in (samples[:0], samples.reshape(1, -1)):
        with pytest.raises(ValueError, match="one channel"):
            sha256_pcm(bad, rate)


def test_every_field_is_in_the_bytes_that_are_signed():
    record = full()[-1]
    raw = record.to_dict()

    def same(value, plain):
        if is_dataclass(value) and not isinstance(value, Sealed):
            assert set(plain) == {f.name for f in fields(value)}
            for f in fields(value):
                same(getattr(value, f.name), plain[f.name])

    same(record, raw)
    assert len(fields(ConsentRecord)) == 30
    assert own().computed_hash() != own().computed_hash()  # another id, other salts

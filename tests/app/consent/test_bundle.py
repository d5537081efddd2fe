"""A consent from a distance: the request that goes out and the bundle that comes back."""

import json
import random
from dataclasses import replace
from datetime import timedelta

import pytest

from app.core import canonical
from app.core.consent import making
from app.core.consent.bundle import (
    KIND,
    Answer,
    RecordedFile,
    make_request,
    read_answer,
    read_request,
    record_of_answer,
    write_answer,
)
from app.core.consent.codec import to_plain
from app.core.consent.problems import RequestFileError
from app.core.consent.record import key_id_of
from app.core.consent.verify import Use, verify_consent
from app.core.safe_zip import BundleError, Limits, write_bundle
from tests.app.consent.makers import KEY, KEY_ID, KEYS, NOW, OTHER_KEY, VOICE, add, reference, spoken

SCOPE = making.make_scope(languages=("en",))


def asked(**options):
    options = {"operator": "Studio North", "scope": SCOPE, "key": KEY, "key_id": KEY_ID, "now": NOW} | options
    return make_request(chooser=random.Random(4), **options)


def answered(request, **options):
    recording = RecordedFile("audio/statement.flac", "live", NOW + timedelta(hours=1))
    voice = RecordedFile("audio/reference-1.wav", "file", NOW + timedelta(hours=2))
    values = {
        "request_id": request.request_id,
        "name": "Ada Lind",
        "contact": "ada@example.org",
        "adult": True,
        "representative": (),
        "statement": recording,
        "references": (voice,),
    }
    return Answer(**(values | options))


RECORDINGS = {"audio/statement.flac": b"fLaC spoken", "audio/reference-1.wav": b"RIFF a voice"}


def test_a_consent_goes_out_and_comes_back(tmp_path):
    request = asked(use="an audiobook")
    received = read_request(request.to_json())  # on the speaker's side, who knows no keys
    assert received == request and "an audiobook" in received.text
    path = tmp_path / "ada.consent.zip"
    digest = write_answer(path, received, answered(received), RECORDINGS)

    back = read_answer(path, own_keys=KEYS, now=NOW + timedelta(days=3))
    with back.bundle as bundle:
        assert back.request == request and back.sha256 == digest
        assert {name: bundle.read(name) for name in RECORDINGS} == RECORDINGS
    draft = record_of_answer(VOICE, back, [reference(source="bundle")], now=NOW + timedelta(days=3))
    versions = add((), draft)
    assert versions[-1].level == "L1" and versions[-1].scope == SCOPE
    assert versions[-1].speaker.contact.text == "ada@example.org" and versions[-1].statement.nonce == request.nonce
    later = NOW + timedelta(days=4)
    versions = add(versions, making.with_evidence(versions[-1], spoken=spoken(versions[-1], source="file"), now=later))
    found = verify_consent(versions, now=later, public_keys=KEYS, use=Use(language="en"))
    assert found.ok and found.level == "L2"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_representative_answers_for_a_minor(tmp_path, lang):
    request = asked(for_guardian=True, lang=lang)
    answer = answered(request, adult=False, representative=("Eve Lind", "parent"))
    write_answer(tmp_path / "b.zip", request, answer, RECORDINGS)
    back = read_answer(tmp_path / "b.zip", own_keys=KEYS, now=NOW)
    back.bundle.close()
    (record,) = add((), record_of_answer(VOICE, back, [reference()], now=NOW))
    assert record.representative.authority == "parent" and not record.speaker.adult
    assert record.rights_basis == "estate_or_guardian"


def test_a_thousand_changed_bytes_of_a_request_are_all_detected():
    data = asked().to_json()
    chooser = random.Random(17)
    for _ in range(1000):
        changed = bytearray(data)
        place = chooser.randrange(len(data))
        changed[place] ^= chooser.randrange(1, 256)
        with pytest.raises(RequestFileError):
            read_request(bytes(changed))


def test_a_thousand_changed_bytes_of_an_answer_are_all_detected(tmp_path):
    request, path = asked(), tmp_path / "b.zip"
    write_answer(path, request, answered(request), RECORDINGS)
    data = path.read_bytes()
    chooser = random.Random(18)
    for _ in range(1000):
        changed = bytearray(data)
        changed[chooser.randrange(len(data))] ^= chooser.randrange(1, 256)
        path.write_bytes(changed)
        with pytest.raises((BundleError, RequestFileError)):
            read_answer(path, own_keys=KEYS, now=NOW)


def resigned(request, key=KEY, **changes):
    changed = replace(request, **changes, public_key=key.public_key().public_bytes_raw().hex(), sig="")
    return replace(changed, sig=key.sign(changed.signed_bytes()).hex())


def test_a_request_that_hides_what_it_asks_for_is_refused_though_signed():
    request = asked()
    for changes in (
        {"scope": making.make_scope(training=True, languages=("en",))},
        {"operator": "Studio South"},
        {"text": "Please say hello."},
        {"nonce": request.nonce[::-1]},
        {"months": 37},
        {"months": 0},
        {"references_wanted": 4},
        {"schema": 2},
    ):
        with pytest.raises(RequestFileError):
            read_request(resigned(request, **changes).to_json())
    assert read_request(resigned(request, note="thank you").to_json()).note == "thank you"


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\xff", b'{"format":"x"}', b" " * 100_000])
def test_other_files_are_no_requests(data):
    with pytest.raises(RequestFileError, match="not a consent request"):
        read_request(data)


def test_what_cannot_be_asked_is_refused():
    for options in ({"months": 0}, {"months": 37}, {"references_wanted": 4}, {"operator": " "}):
        with pytest.raises(ValueError, match=r"months|asked for|who uses"):
            asked(**options)


def test_an_answer_to_somebody_else_or_too_late_is_refused(tmp_path):
    path = tmp_path / "b.zip"
    request = asked()
    write_answer(path, request, answered(request), RECORDINGS)
    read_answer(path, own_keys=KEYS, now=request.answer_by).bundle.close()
    with pytest.raises(RequestFileError, match="was due by 2026-04-30"):
        read_answer(path, own_keys=KEYS, now=request.answer_by + timedelta(seconds=1))
    with pytest.raises(RequestFileError, match="not made by this studio"):
        read_answer(path, own_keys={}, now=NOW)
    imposter = resigned(request, OTHER_KEY)  # under this studio's key id, by another key
    write_answer(path, imposter, answered(imposter), RECORDINGS)
    with pytest.raises(RequestFileError, match="not made by this studio"):
        read_answer(path, own_keys=KEYS, now=NOW)
    theirs = {key_id_of(OTHER_KEY.public_key()): OTHER_KEY.public_key()}
    with pytest.raises(RequestFileError, match="not made by this studio"):
        read_answer(path, own_keys=theirs, now=NOW)


def unfit():
    request = asked()
    minor = {"adult": False, "representative": ("Eve", "parent")}
    yield answered(request, request_id=VOICE), "another request"
    yield answered(request, name=" "), "name or contact"
    yield answered(request, contact=""), "name or contact"
    yield answered(request, adult=False), "a minor needs"
    yield answered(request, representative=("Eve",)), "a minor needs"
    yield answered(request, **minor), "the other one answers"
    yield answered(request, references=()), "not those that it names"
    double = RecordedFile("audio/statement.flac", "file", NOW)
    yield answered(request, references=(double,)), "not those that it names"
    yield answered(request, references=answered(request).references * 4), "not those that it names"


@pytest.mark.parametrize(("answer", "why"), list(unfit()), ids=lambda v: v if isinstance(v, str) else "")
def test_an_answer_that_does_not_fit_is_refused_on_both_sides(tmp_path, answer, why):
    request, path = asked(), tmp_path / "b.zip"
    if answer.request_id != VOICE:
        answer = replace(answer, request_id=request.request_id)
    with pytest.raises(RequestFileError, match=why):
        write_answer(path, request, answer, RECORDINGS)
    assert not path.exists()
    entries = {"request.json": request.to_json(), "answer.json": canonical.dump(to_plain(answer)), **RECORDINGS}
    write_bundle(path, entries, kind=KIND)
    with pytest.raises(RequestFileError, match=why):
        read_answer(path, own_keys=KEYS, now=NOW)


def test_bundles_that_lack_or_misname_something_are_refused(tmp_path):
    request, path = asked(), tmp_path / "b.zip"
    good = {"request.json": request.to_json(), "answer.json": canonical.dump(to_plain(answered(request))), **RECORDINGS}
    raw = json.loads(good["answer.json"])
    raw["statement"]["file"] = "audio/../../../etc/passwd.wav"
    for entries, why in (
        ({name: data for name, data in good.items() if name != "request.json"}, "lacks its request"),
        ({name: data for name, data in good.items() if name != "answer.json"}, "lacks its answer"),
        (good | {"answer.json": b"{}"}, "request_id is missing"),
        (good | {"answer.json": canonical.dump(raw)}, r"statement\.file"),
        (good | {"audio/more.wav": b"1"}, "not those that it names"),
        (good | {"request.json": bytes(70_000)}, "far too large"),
    ):
        write_bundle(path, entries, kind=KIND)
        with pytest.raises(RequestFileError, match=why):
            read_answer(path, own_keys=KEYS, now=NOW)
    write_bundle(path, good, kind="voice")
    with pytest.raises(BundleError, match="holds 'voice'"):
        read_answer(path, own_keys=KEYS, now=NOW)


def test_the_limits_hold_for_answers(tmp_path):
    request = asked()
    with pytest.raises(BundleError, match="Leave out some"):
        write_answer(tmp_path / "b.zip", request, answered(request), RECORDINGS, limits=Limits(total_bytes=100))

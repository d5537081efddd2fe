"""Voices of people who answered a request, and what damage may not stop."""

import io
import shutil
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
import soundfile

from app.core.consent.bundle import KIND, Answer, RecordedFile, make_request, read_request, write_answer
from app.core.consent.making import make_scope
from app.core.consent.problems import ConsentError, RequestFileError
from app.core.consent.verify import ConsentRefused
from app.core.resources import resources_root
from app.core.safe_zip import read_bundle
from app.core.shipped_voices import ShippedVoices
from app.core.spoken import Listeners, StatementRefused
from app.core.voice_card import VoiceCard, VoiceError
from app.core.voice_making import save_answer
from tests.app.consent.makers import Hears, Matches
from tests.app.voices.makers import NOW, place

CARD = VoiceCard("Ada")


@pytest.fixture
def here(tmp_path):
    with place(tmp_path / "data") as here:
        yield here


def wav(seed):
    out = io.BytesIO()
    soundfile.write(out, np.random.default_rng(seed).normal(0, 0.1, 16_000), 16_000, format="WAV")
    return out.getvalue()


@pytest.fixture
def answer(here, tmp_path):
    keys = here.store.keys
    request = make_request(
        operator="Studio North", scope=make_scope(), key=keys.signing_key(), key_id=keys.key_id, now=NOW
    )
    spoken, voice = (
        RecordedFile(f"audio/{name}.wav", "file", NOW + timedelta(minutes=1)) for name in ("statement", "reference-1")
    )
    given = Answer(request.request_id, "Ada Lind", "ada@example.org", True, (), spoken, (voice,))
    path = tmp_path / "ada.consent.zip"
    write_answer(path, request, given, {spoken.file: wav(1), voice.file: wav(2)})
    return path


def hearing(answer, score=0.9, text=None):
    """Listeners that hear the statement of the answer, or ``text``, by a voice that matches by ``score``."""
    with read_bundle(answer, kind=KIND) as bundle:
        said = read_request(bundle.read("request.json")).text
    return lambda lang: Listeners(Hears(said if text is None else text), Matches(score))


@pytest.mark.parametrize(
    ("listens", "level", "versions"),
    [
        (lambda answer: None, "L1", 1),
        (hearing, "L2", 2),
        (lambda answer: hearing(answer, text="something else"), "L1", 2),
        (lambda answer: lambda lang: Listeners(), "L1", 2),
    ],
)
def test_an_answer_becomes_a_voice_with_its_level(here, answer, listens, level, versions):
    voice = save_answer(here.voices, CARD, answer, listens(answer))
    assert len(here.voices.versions(voice.voice_id)) == versions
    assert here.voices.verdict(voice.voice_id).level == level and here.door.admit(voice.voice_id)
    assert here.events("voice_added")[0]["level"] == level


def test_an_answer_spoken_by_somebody_else_saves_nothing_and_stands_in_the_log(here, answer):
    with pytest.raises(StatementRefused, match="not the voice of the recordings"):
        save_answer(here.voices, CARD, answer, hearing(answer, score=0.6))
    assert here.voices.all() == []
    (refused,) = here.events("statement_refused")
    assert refused["cause"] == "statement.other_voice"


def test_an_answer_that_is_exchanged_while_it_is_read_is_refused(here, answer, monkeypatch):
    real = type(answer).read_bytes
    monkeypatch.setattr(type(answer), "read_bytes", lambda path: real(path) + (b"x" if path == answer else b""))
    with pytest.raises(RequestFileError, match="while it was read"):
        save_answer(here.voices, CARD, answer)
    assert here.voices.all() == []


def test_an_answer_that_cannot_be_listened_to_saves_nothing(here, answer):
    def broken(*_):
        raise ConsentError("no recogniser")

    with pytest.raises(ConsentError, match="no recogniser"):
        save_answer(here.voices, CARD, answer, broken)
    with pytest.raises(VoiceError):
        save_answer(here.voices, replace(CARD, name=""), answer)
    assert here.voices.all() == []


def test_a_voice_with_a_damaged_record_can_be_deleted(here):
    voice = here.add()
    with here.store.database.write() as connection:
        connection.execute("DROP TRIGGER consent_versions_are_final")
        connection.execute("UPDATE consent_versions SET record = ?", (b"{ damaged",))
    stone = here.voices.delete(voice.voice_id)
    assert b'"record_hashes":[null]' in stone and here.voices.all() == []
    assert "record_hash" not in here.events("voice_deleted")[0]


def test_a_shipped_voice_with_damaged_audio_is_refused_with_the_reason(tmp_path):
    folder = shutil.copytree(resources_root() / "voices", tmp_path / "voices")
    for path in folder.glob("*.flac"):
        path.write_bytes(b"no sound")
    with place(tmp_path / "data", shipped=ShippedVoices(folder)) as here:
        for voice in here.voices.all():
            with pytest.raises(ConsentRefused, match="Install VoxCPM Studio again"):
                here.door.admit(voice.voice_id)
        assert len(here.voices.all()) == 3

import pickle
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import engine_messages, messages
from app.core.audio_files import AudioFileError, inspect
from app.core.messages import Consent, Job, VoiceSpec
from app.core.models import looks_like_model, read_card
from app.core.preview import join_separator, preview_text


def test_messages_can_travel_to_another_process():
    consent = Consent.attest("other", "Ada")
    job = Job(1, "t", voice=VoiceSpec("r.wav", "p.wav", "said", consent))
    for message in (messages.RunJob(job), messages.PlanJob(3, job), engine_messages.LoadModel(1, "folder")):
        assert pickle.loads(pickle.dumps(message)) == message
    result = messages.TakeResult(np.ones(3), 48000, np.ones((4, 8)), 1, "design", "t", 1, "stopped")
    chunk = messages.Chunk(1, 0, 0, np.ones(3), 48000, np.ones((4, 8)), 0.5, 0.1, (1, 2), result)
    again = pickle.loads(pickle.dumps(chunk))
    assert np.array_equal(again.result.samples, result.samples)


def test_consent_needs_a_known_kind_and_a_name_for_others():
    with pytest.raises(ValueError, match="who agreed"):
        Consent.attest("other", "  ")
    with pytest.raises(ValueError, match="subject_kind"):
        Consent.attest("nobody")
    first, second = Consent.attest("self"), Consent.attest("self")
    assert first.record_id != second.record_id
    assert first.valid_from <= datetime.now(UTC)


@pytest.mark.parametrize(
    ("spec", "mode"),
    [(VoiceSpec("a"), "reference"), (VoiceSpec(prompt="a"), "continuation"), (VoiceSpec("a", "b"), "combined")],
)
def test_the_voice_decides_the_mode(spec, mode):
    assert spec.mode == mode
    assert Job(1, "t", voice=spec).mode == mode
    assert Job(1, "t").mode == "design"


@pytest.mark.parametrize(
    ("transcript", "text", "separator"),
    [
        ("It is late.", "Go on.", " "),
        ("It is late. ", "Go on.", ""),
        ("It is late.", "\nGo on.", ""),
        ("很晚了。", "继续。", ""),
        ("很晚了", "Go on.", ""),
        ("It is late.", "继续。", ""),
        ("", "Go on.", ""),
    ],
)
def test_prompt_and_text_are_joined_by_one_blank_where_the_script_has_blanks(transcript, text, separator):
    assert join_separator(transcript, text) == separator


@given(st.text(max_size=40), st.text(max_size=40))
def test_the_preview_keeps_every_letter(text, transcript):
    job = Job(1, text, voice=VoiceSpec(prompt="p.wav", transcript=transcript))
    letters = [character for character in transcript + text if not character.isspace()]
    assert [character for character in preview_text(job) if not character.isspace()] == letters


def test_the_preview_puts_the_description_in_front_but_not_of_a_continuation():
    job = Job(1, " Good  evening. ", description="an old man")
    assert preview_text(job) == "(an old man)Good evening."
    assert preview_text(replace(job, voice=VoiceSpec("r.wav"))) == "(an old man)Good evening."
    assert preview_text(replace(job, voice=VoiceSpec(prompt="p.wav", transcript="So."))) == "So. Good evening."


def test_a_model_folder_is_named_by_its_card(tmp_path):
    assert not looks_like_model(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    assert looks_like_model(tmp_path)
    assert read_card(tmp_path).name == tmp_path.name
    for damaged in ("{", "[]", "3"):
        (tmp_path / "model_card.json").write_text(damaged)
        assert read_card(tmp_path).name == tmp_path.name
    (tmp_path / "model_card.json").write_text('{"name": "Ada", "note": "a trial"}')
    assert (read_card(tmp_path).name, read_card(tmp_path).note) == ("Ada", "a trial")


def test_an_audio_file_is_looked_at_by_content(tmp_path):
    import soundfile

    path = tmp_path / "a.wav"
    for reason, content in (("unreadable", b"no sound"), ("unreadable", b"")):
        path.write_bytes(content)
        with pytest.raises(AudioFileError) as caught:
            inspect(str(path))
        assert caught.value.reason == reason
    with pytest.raises(AudioFileError) as caught:
        inspect(str(tmp_path / "missing.wav"))
    assert caught.value.reason == "missing"
    soundfile.write(path, np.zeros((0, 1)), 16000)
    with pytest.raises(AudioFileError) as caught:
        inspect(str(path))
    assert caught.value.reason == "empty"
    soundfile.write(path, np.zeros((8000, 6)), 16000, format="FLAC")
    info = inspect(str(path))
    assert (info.seconds, info.sample_rate, info.channels) == (0.5, 16000, 6)

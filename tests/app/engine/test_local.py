"""The engine with the bundled model, in this process and in one of its own: real weights, real torch."""

import json
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import psutil
import pytest

from app.core.engine_api import EngineCancelled, EngineError
from app.core.library import Library
from app.core.messages import Consent, Job, VoiceSpec
from app.core.models import default_model_dir
from app.core.preview import preview_text
from app.engine.child_engine import ChildEngine
from app.engine.local import LocalEngine

only_here = pytest.mark.parametrize("engine", ["here"], indirect=True)  # it looks inside


def never():
    return False


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    with Library(tmp_path_factory.mktemp("data"), passphrase="words for the test") as library:
        yield library


@pytest.fixture(scope="module", params=["here", "in a child"])
def engine(library, request):
    engine = (LocalEngine if request.param == "here" else ChildEngine)(lambda: library.door)
    progress = []
    engine.info = engine.load(str(default_model_dir()), "cpu", "auto", progress.append, never)
    assert progress[-1] == pytest.approx(1.0)
    assert progress == sorted(progress)
    yield engine
    engine.close()


def job(text="Good evening to you.", **fields):
    return Job(job_id=1, text=text, **{"seed": 11, "max_patches": 12, **fields})


def run(engine, wanted, is_cancelled=never):
    """Return the chunks by row."""
    rows = {}
    for chunk in engine.stream(wanted, is_cancelled):
        rows.setdefault(chunk.row, []).append(chunk)
    return rows


def test_it_says_what_is_loaded(engine):
    info = engine.info
    card = json.loads((default_model_dir() / "model_card.json").read_text(encoding="utf-8"))
    assert (info.name, info.note) == (card["name"], card["note"]) and card["note"]
    assert (info.encode_rate, info.output_rate) == (16000, 16000)
    assert info.takes_reference
    assert info.takes_description
    assert info.patch_seconds == pytest.approx(0.16)
    assert info.weight_bytes > 100_000
    assert info.device == "cpu"


@only_here
def test_one_core_is_left_to_the_window(engine):
    import torch

    assert torch.get_num_threads() == max(1, psutil.cpu_count(logical=False) - 1)


def test_takes_come_as_one_batch_and_chunks_add_up_to_the_result(engine):
    rows = run(engine, job(takes=3))
    assert sorted(rows) == [0, 1, 2]
    results = []
    for chunks in rows.values():
        result = chunks[-1].result
        assert all(chunk.result is None for chunk in chunks[:-1])
        assert np.array_equal(np.concatenate([chunk.samples for chunk in chunks]), result.samples)
        assert np.array_equal(np.concatenate([chunk.latents for chunk in chunks]), result.latents)
        assert len(result.samples) / result.sample_rate == pytest.approx(result.patches * 0.16)
        results.append(result)
    assert len({result.seed for result in results}) == 3
    assert results[0].seed == 11


def test_the_same_seed_makes_the_same_take(engine):
    first, again = (run(engine, job())[0][-1].result for _ in range(2))
    other = run(engine, job(seed=12))[0][-1].result
    assert np.array_equal(first.samples, again.samples)
    assert not np.array_equal(first.latents[:4], other.latents[:4])


MODES = {
    "design": {"description": "an old man"},
    "reference": {"voice": VoiceSpec(reference="audio", consent=None)},
    "reference with a style": {
        "voice": VoiceSpec(reference="audio", consent=None),
        "description": "cheerful,  a little faster",
    },
    "continuation": {"voice": VoiceSpec(prompt="audio", transcript="What is said.", consent=None)},
    "combined": {"voice": VoiceSpec("audio", "audio", "What is said.")},
}


@pytest.mark.parametrize("mode", MODES)
def test_the_plan_is_what_the_model_gets_before_and_after_encoding(engine, speech, mode):
    fields = dict(MODES[mode])
    if "voice" in fields:
        spec = fields["voice"]
        fields["voice"] = replace(
            spec,
            reference=spec.reference and str(speech),
            prompt=spec.prompt and str(speech),
            consent=Consent.attest("self"),
        )
    wanted = job("And on it goes.", **fields)
    before = engine.plan(wanted)
    result = run(engine, wanted)[0][-1].result
    after = engine.plan(wanted)
    assert before.mode == after.mode == result.mode == mode.split()[0]
    assert before.final_text == after.final_text == result.text == preview_text(wanted)
    if mode in ("continuation", "combined"):
        assert result.text == "What is said. And on it goes."
    for name in ("reference_seconds", "prompt_seconds"):
        # Before encoding the audio is only measured; the patches that it fills are whole.
        assert getattr(before, name) == pytest.approx(getattr(after, name), abs=engine.info.patch_seconds)
    assert before.expected_seconds == after.expected_seconds


@only_here
def test_a_voice_is_encoded_once_for_the_same_audio_and_transcript(engine, speech, monkeypatch):
    encoded = []
    original = engine._model.encode_voice
    monkeypatch.setattr(engine._model, "encode_voice", lambda **given: encoded.append(given) or original(**given))
    consent = Consent.attest("self")
    spec = VoiceSpec(prompt=str(speech), transcript="What is said.", consent=consent)
    first = run(engine, job(voice=spec))[0][-1].result
    again = run(engine, job(voice=spec))[0][-1].result
    assert len(encoded) == 1
    assert encoded[0]["consent"].record_id == consent.record_id
    assert np.array_equal(first.samples, again.samples)
    run(engine, job(voice=replace(spec, transcript="Something else.")))
    assert len(encoded) == 2
    speech.write_bytes(speech.read_bytes()[:-3200])  # the same name, other content: nobody agreed to that
    with pytest.raises(EngineError, match="not one that the consent names"):
        run(engine, job(voice=spec))
    run(engine, job(voice=replace(spec, consent=Consent.attest("self"))))
    assert len(encoded) == 3


def test_without_consent_no_voice_is_encoded(engine, speech, monkeypatch):
    if isinstance(engine, LocalEngine):
        monkeypatch.setattr(engine._model, "encode_voice", None)
    with pytest.raises(EngineError) as caught:
        run(engine, job(voice=VoiceSpec(reference=str(speech))))
    assert caught.value.failure.field == "consent"


def test_consent_that_has_expired_blocks_also_a_voice_that_is_encoded_already(engine, library, speech, monkeypatch):
    consent = Consent.attest("other", "Ada", contact="ada@example.org")
    run(engine, job(voice=VoiceSpec(reference=str(speech), consent=consent)))
    monkeypatch.setattr(library.voices, "now", lambda: datetime.now(UTC) + timedelta(days=366))
    with pytest.raises(EngineError) as caught:
        run(engine, job(voice=VoiceSpec(reference=str(speech), consent=consent)))
    assert (caught.value.failure.field, caught.value.failure.code) == ("consent", "consent.expired")


@pytest.mark.parametrize("kept", ["from an earlier start", "without contact"])
def test_an_answer_that_is_not_of_this_run_or_not_complete_is_refused(engine, speech, kept):
    consent = Consent.attest("other", "Ada")
    if kept == "from an earlier start":
        consent = Consent.attest("self").without_names()
    with pytest.raises(EngineError) as caught:
        run(engine, job(voice=VoiceSpec(reference=str(speech), consent=consent)))
    assert (caught.value.failure.field, caught.value.failure.code) == ("consent", "consent.missing")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"text": ""}, "text"),
        ({"text": "（）"}, "text"),
        ({"steps": 0}, "steps"),
        ({"cfg": float("nan")}, "cfg"),
        ({"seed": 2**32}, "seed"),
        ({"description": "brackets ) inside"}, "description"),
        ({"voice": VoiceSpec(reference="audio", consent=None), "description": "brackets ) inside"}, "description"),
    ],
)
def test_bad_input_is_refused_by_field_in_plan_and_stream_alike(engine, speech, fields, field):
    if "voice" in fields:
        spec = fields["voice"]
        audio = {name: str(speech) for name in ("reference", "prompt") if getattr(spec, name)}
        fields = {**fields, "voice": replace(spec, **audio, consent=Consent.attest("self"))}
    for ask in (lambda wanted: engine.plan(wanted), lambda wanted: run(engine, wanted)):
        with pytest.raises(EngineError) as caught:
            ask(job(**fields))
        assert caught.value.failure.field == caught.value.failure.code == field
        assert caught.value.failure.message[0].isupper()


def test_audio_that_is_of_no_use_is_refused_in_words(engine, tmp_path):
    import soundfile

    path = tmp_path / "silent.wav"
    soundfile.write(path, np.zeros(32000), 16000)
    for ask in (lambda wanted: engine.plan(wanted), lambda wanted: run(engine, wanted)):
        with pytest.raises(EngineError) as caught:
            ask(job(voice=VoiceSpec(reference=str(path), consent=Consent.attest("self"))))
        assert caught.value.failure.field == "voice"
        assert caught.value.failure.code == "audio.silent"
    path.unlink()
    with pytest.raises(EngineError) as caught:
        run(engine, job(voice=VoiceSpec(reference=str(path), consent=Consent.attest("self"))))
    assert caught.value.failure.field == "reference"
    assert caught.value.failure.code == "audio.gone"


def test_cancelling_ends_between_steps_with_what_was_made(engine):
    stop = threading.Event()
    made = []
    for chunk in engine.stream(job("A long text that would go on for a while.", max_patches=200, takes=2), stop.is_set):
        made.append(chunk)
        if len(made) == 4:
            stop.set()
    results = [chunk.result for chunk in made if chunk.result is not None]
    assert {result.end for result in results} <= {"cancelled", "stopped"}
    assert any(result.end == "cancelled" for result in results)
    assert len(made) <= 4 + 4


def test_loading_can_be_given_up_and_a_folder_without_weights_is_told(tmp_path):
    engine = LocalEngine()
    with pytest.raises(EngineCancelled):
        engine.load(str(default_model_dir()), "cpu", "auto", lambda fraction: None, lambda: True)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(EngineError) as caught:
        engine.load(str(tmp_path), "cpu", "auto", lambda fraction: None, never)
    assert caught.value.failure.message
    assert caught.value.failure.code == "checkpoint"
    with pytest.raises(EngineError) as caught:
        engine.plan(job())
    assert "No model" in caught.value.failure.message
    engine.close()


def test_the_real_window_speaks_with_the_real_engine(make_studio, qtbot, speech, monkeypatch):
    monkeypatch.setenv("VOXCPM_PASSPHRASE", "so that the take lasts")  # else a notice says that it does not
    studio = make_studio(engine_factory=None)
    with qtbot.waitSignal(studio.engine.model_loaded, timeout=60000):
        studio.application.show()
    studio.compose.seed.set_seed(3)
    studio.compose.advanced.max_patches.setValue(10)
    studio.window.rail_button("clone").click()
    studio.compose.text.setPlainText("Good evening.")
    studio.drop(studio.compose.clone.drop, speech)
    studio.compose.clone.consent.own.click()
    studio.compose.clone.consent.tick.click()
    studio.compose.takes.setValue(2)
    with qtbot.waitSignal(studio.engine.job_ended, timeout=60000):
        studio.compose.generate.click()
    takes = studio.store.takes
    assert studio.window.notice.message == ""
    assert [take.result.mode for take in takes] == ["reference", "reference"]
    assert all(np.max(np.abs(take.samples)) > 1e-3 for take in takes)
    assert all(len(take.samples) == len(take.result.samples) for take in takes)
    assert studio.compose.plan_strip.mode_label.text() == "Clone"


@pytest.mark.parametrize("place", ["process", "thread"])
def test_nothing_to_say_is_told_beside_the_text_by_the_real_engine_too(make_studio, qtbot, monkeypatch, place):
    monkeypatch.setenv("VOXCPM_ENGINE", place)
    before = psutil.Process().children()
    studio = make_studio(engine_factory=None)
    with qtbot.waitSignal(studio.engine.model_loaded, timeout=60000):
        studio.application.show()
    assert len(set(psutil.Process().children()) - set(before)) == (1 if place == "process" else 0)
    for text in ("", "   ", "🎉🎉", "（）", "..."):
        studio.compose.text.setPlainText(text)
        with qtbot.waitSignal(studio.engine.job_ended, timeout=60000):
            studio.compose.generate.click()
        assert studio.compose.text_problem.isVisible()
        assert studio.compose.generate.isEnabled()
        assert studio.store.takes == ()


def test_characters_that_the_model_does_not_know_are_told_before_and_refused_when_there_is_nothing_else(engine):
    plan = engine.plan(job(text="Good 晚上 evening."))
    (note,) = plan.notes
    assert (note.code, note.values) == ("unknown", {"characters": "晚 上"})
    with pytest.raises(EngineError) as refused:
        engine.plan(job(text="晚上好。"))
    assert refused.value.failure.field == "text" and "none of these characters" in refused.value.failure.message


@only_here
def test_shortest_length_and_doubtful_from_reach_the_model(engine):
    """The end is not looked for before ``min_patches``; a ratio cuts a take that is longer."""
    plain = run(engine, job())[0][-1].result
    longer = run(engine, job(min_patches=plain.patches + 2, max_patches=plain.patches + 8))[0][-1].result
    assert longer.patches >= plain.patches + 4
    cut = run(engine, job(min_patches=200, max_patches=4096, retry_ratio=1.0))[0][-1].result
    assert cut.end == "length_cap" and cut.flags and cut.patches < 40

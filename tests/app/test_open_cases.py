"""OPEN-03, 06, 07, 15 and 16 of the cases from real use, in the window, with the real engine where it matters.

Parts of these cases that have tests of their own: what is refused by the library (tests/voxcpm), the doctor
(tests/app/core/test_doctor.py), closing at every moment (test_start_and_end.py), each take at its own rate
(test_models.py).
"""

import numpy as np
import pytest
import soundfile

from app.core.takes import TakeState
from app.engine.fake import FakeModel
from tests.app.fake_audio import FakeAudio, trimmed
from tests.app.test_start_and_end import run, told

LONG = 120_000  # milliseconds


@pytest.fixture
def spied(monkeypatch):
    """What reaches the model's layers: how many calls, and whether each number is one."""
    from torch import Tensor
    from torch.nn.modules.module import register_module_forward_pre_hook

    seen = {"calls": 0, "broken": 0}

    def look(module, inputs):
        seen["calls"] += 1
        seen["broken"] += sum(
            not bool(one.isfinite().all()) for one in inputs if isinstance(one, Tensor) and one.is_floating_point()
        )

    handle = register_module_forward_pre_hook(look)
    yield seen
    handle.remove()


@pytest.fixture
def real(make_studio, monkeypatch):
    """The window with the real engine and the bundled model, in this process so that it can be spied on."""
    monkeypatch.setenv("VOXCPM_ENGINE", "thread")
    monkeypatch.setenv("VOXCPM_PASSPHRASE", "so that takes of persons last")
    studio = make_studio(engine_factory=None)
    with studio.qtbot.waitSignal(studio.engine.model_loaded, timeout=LONG):
        studio.application.show()
    studio.settings.set("play_while_made", False)
    studio.settings.set("retries", 0)
    studio.compose.advanced.max_patches.setValue(4)
    studio.compose.advanced.steps.setValue(2)
    return studio


def press(studio, text):
    """Press Generate, and wait for the job to end."""
    studio.compose.text.setPlainText(text)
    with studio.qtbot.waitSignal(studio.engine.job_ended, timeout=LONG):
        studio.compose.generate.click()


# OPEN-03 -------------------------------------------------------------------------------------------------------------

NOTHING = ("", " \t ", "🎉🎉", "```\n```", "![](picture.png)", "（）", "...")


@pytest.mark.parametrize("normalise", [False, True])
def test_open_03_nothing_left_to_say_is_an_inline_note_and_the_model_is_left_alone(real, spied, normalise):
    real.compose.advanced.normalize.setChecked(normalise)
    press(real, "Yes.")  # whatever warms up has warmed up
    takes = len(real.store.takes)
    for text in NOTHING:
        if "picture" in text or "`" in text:
            real.compose.advanced.normalize.setChecked(True)  # only then are these nothing
        before = spied["calls"]
        press(real, text)
        assert real.compose.text_problem.isVisible() and real.compose.text_problem.text(), text
        assert real.compose.generate.isEnabled() and real.window.notice.message == ""
        assert spied["calls"] == before and len(real.store.takes) == takes
        real.compose.advanced.normalize.setChecked(normalise)
    press(real, "123")
    assert real.store.takes[-1].seconds > 0 and not real.compose.text_problem.isVisible()


def test_open_03_numbers_that_make_no_sense_cannot_be_asked_for(studio):
    advanced = studio.compose.advanced
    for value in (0, -1):
        advanced.steps.setValue(value)
        advanced.max_patches.setValue(value)
    for value in (-1.0, float("nan"), 1e9):
        advanced.cfg.setValue(value)
        studio.generate()
        job = studio.fake.jobs[-1]
        assert 1 <= job.steps <= 200 and 1 <= job.max_patches <= 4096 and 0 <= job.cfg <= 20
    for key, value in (("steps", 0), ("cfg", -1.0), ("cfg", float("nan")), ("cfg", 1e9)):
        with pytest.raises(ValueError, match=key):
            studio.settings.set(key, value)


# OPEN-06 -------------------------------------------------------------------------------------------------------------


def speech_of(seconds, rate=16000):
    """Something like speech: syllables of a buzz."""
    at = np.arange(round(seconds * rate)) / rate
    buzz = sum(np.sin(2 * np.pi * 140 * k * at) / k for k in range(1, 12))
    return (0.2 * buzz * (0.5 + 0.5 * np.sin(2 * np.pi * 3 * at)) ** 2).astype(np.float32)


def broken_values(seconds=2.0):
    samples = speech_of(seconds)
    samples[5000], samples[9000] = np.nan, np.inf
    return samples


BAD = {
    "no frames": lambda: speech_of(0),
    "one sample": lambda: speech_of(2)[:1],
    "50 ms": lambda: speech_of(0.05),
    "silence": lambda: np.zeros(32000, np.float32),
    "one NaN and one infinity": broken_values,
    "peak 10": lambda: 10 * speech_of(2) / np.abs(speech_of(2)).max(),
    "offset 0.9": lambda: 0.2 * speech_of(2) + 0.9,
    "ten minutes": lambda: speech_of(600),
}
USABLE = {"one NaN and one infinity", "peak 10", "offset 0.9", "ten minutes"}


def test_open_06_a_bad_reference_is_mended_or_refused_by_name_and_no_nan_reaches_the_model(real, spied, tmp_path):
    panel = real.compose.clone
    real.window.rail_button("clone").click()
    for name, make in BAD.items():
        path = tmp_path / f"{name}.wav"
        soundfile.write(path, make(), 16000, subtype="FLOAT")
        takes = len(real.store.takes)
        real.drop(panel.drop, path)
        if panel.drop.path is not None:
            panel.consent.own.click()
            panel.consent.tick.click()
            real.qtbot.waitUntil(lambda: "is looked for" not in panel.sound.missing(), timeout=LONG)
            if real.compose.generate.isEnabled():
                press(real, "Good evening.")
        made = len(real.store.takes) > takes
        assert made == (name in USABLE), name
        if made:
            assert np.isfinite(real.store.takes[-1].samples).all(), name
        else:
            real.qtbot.waitUntil(lambda: bool(refusal(real)), timeout=LONG)
        assert real.window.notice.message == "", name
    assert spied["calls"] > 0 and spied["broken"] == 0
    assert all(np.isfinite(take.latents).all() for take in real.store.takes)


def refusal(studio):
    """The reason that stands in the panel, beside the audio or above Generate."""
    panel = studio.compose.clone
    beside = panel.drop.problem.text()
    return beside or (not studio.compose.generate.isEnabled() and studio.compose.reason.text())


# OPEN-07 -------------------------------------------------------------------------------------------------------------


def test_open_07_after_a_restart_every_take_is_played_and_saved_at_its_own_rate(
    make_studio, fake_engine, model_folder, tmp_path
):
    rates = {"v1": 16000, "v15": 44100, "v2": 48000}
    fake_engine.models = {name: FakeModel(output_rate=rate) for name, rate in rates.items()}
    studio = make_studio().show()
    studio.settings.set("play_while_made", False)
    for name in rates:
        studio.open_model(model_folder(name))
        studio.generate(f"With {name}.")
    studio.qtbot.waitUntil(lambda: all(take.kept for take in studio.store.takes), timeout=LONG)
    wanted = {take.uid: (take.sample_rate, take.samples.copy()) for take in studio.store.takes}
    studio.window.close()
    audio = FakeAudio(rates=[44100])
    again = make_studio(backend=audio)
    with again.qtbot.waitSignal(again.application.autosave.restored, timeout=LONG):
        again.show()  # the model of 48 kHz is loaded
    assert {take.uid for take in again.store.takes} == set(wanted)
    for take in again.store.takes:
        rate, samples = wanted[take.uid]
        again.takes_panel.select(take)
        again.qtbot.waitUntil(lambda take=take: not take.is_unread, timeout=LONG)
        assert take.sample_rate == rate and np.array_equal(take.samples, samples)
        path = tmp_path / f"{rate}.wav"
        with again.qtbot.waitSignal(again.window._saver.saved, timeout=LONG):
            again.window.save_take(take, str(path))
        info = soundfile.info(path)
        assert (info.samplerate, info.frames) == (rate, len(samples))
        again.player.play()
        again.qtbot.waitUntil(lambda: not again.player.is_active, timeout=LONG)
        heard = trimmed(audio.streams[-1].heard, 2e-3)
        assert audio.streams[-1].rate == 44100
        assert len(heard) / 44100 == pytest.approx(len(trimmed(samples, 2e-3)) / rate, abs=0.01)


# OPEN-15 -------------------------------------------------------------------------------------------------------------


def test_open_15_what_was_made_before_the_window_closed_is_offered_at_the_next_start(tmp_path):
    library = tmp_path / "kept"
    speaking = """
    fake.step_delay = 0.05
    fake.models["demo-voice"] = FakeModel(patches=None)
    def plan(studio):
        studio.window.compose.text.setPlainText("Never ending.")
        studio.engine.model_loaded.connect(lambda model: studio.window.generate())
        def heard(chunk):
            if chunk.patch == 5:
                close_after(studio, 0)
        studio.engine.chunk_arrived.connect(heard)
    """
    stdout, stderr, gone = run(tmp_path, speaking, VOXCPM_DATA=str(library))
    assert stderr.strip() == "" and gone > told(stdout, "closing at")
    looking = """
    def plan(studio):
        def restored(*_):
            (take,) = studio.store.takes
            print("there:", take.job.text, take.end, take.seconds > 0.5, flush=True)
            close_after(studio, 0)
        studio.autosave.restored.connect(restored)
    """
    stdout, stderr, _ = run(tmp_path, looking, VOXCPM_DATA=str(library))
    assert stderr.strip() == "" and "there: Never ending. cancelled True" in stdout


# OPEN-16 -------------------------------------------------------------------------------------------------------------


def test_open_16_without_portaudio_the_window_starts_makes_and_saves(tmp_path):
    body = """
    class Gone:
        def find_spec(self, name, path=None, target=None):
            if name.split(".")[0] == "sounddevice":
                raise OSError("PortAudio library not found")
    sys.meta_path.insert(0, Gone())
    class Silent(Application):
        def __init__(self, qt_app, **options):
            super().__init__(qt_app, engine_factory=lambda: fake, **options)
            self.settings.set("quality_card", False)
            plan(self)
    program.Application = Silent
    def plan(studio):
        def made(ended):
            panel = studio.window.player_panel
            print("play:", panel.play_button.isEnabled(), panel.state_label.text(), flush=True)
            target = str(Path(__file__).with_name("saved.wav"))
            studio.window._saver.saved.connect(lambda *_: close_after(studio, 0))
            studio.window.save_take(studio.store.takes[0], target)
        studio.engine.job_ended.connect(made)
        studio.window.compose.text.setPlainText("Good evening.")
        studio.engine.model_loaded.connect(lambda model: studio.window.generate())
    """
    stdout, stderr, _ = run(tmp_path, body)
    assert stderr.strip() == ""
    assert "play: False No playback" in stdout and "PortAudio" in stdout
    assert soundfile.info(tmp_path / "saved.wav").frames > 0


def test_open_16_an_empty_list_of_devices_stops_nothing(make_studio):
    audio = FakeAudio()
    audio.names = []
    audio.missing = "device"
    studio = make_studio(backend=audio).show()
    (take,) = studio.generate()
    assert take.state is TakeState.DONE
    play = studio.window.player_panel.play_button
    assert not play.isEnabled() and "No playback" in play.toolTip()

"""The recorder: what is spoken is what is kept, whatever the device does."""

import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from app.audio import recorder as module
from app.audio.backend import NoSound, SoundDeviceBackend
from app.audio.recorder import FLOOR_DB, RecordEnd, Recorder, RecordState
from tests.app.fake_audio import FakeAudio

WAIT = 20000


def noise(seconds, rate=48000, seed=1):
    return np.random.default_rng(seed).uniform(-0.5, 0.5, round(seconds * rate)).astype(np.float32)


@pytest.fixture
def audio():
    return FakeAudio()


@pytest.fixture
def recorder(audio, qapp):
    made = Recorder(audio)
    made.probe()
    yield made
    made.close()


def record(qtbot, recorder, audio, sound, **options):
    assert recorder.start(**options)
    audio.microphone.speak(sound)
    with qtbot.waitSignal(recorder.finished, timeout=WAIT) as caught:
        recorder.stop()
    return caught.args[0]


@pytest.mark.parametrize("rate", [8000, 44100, 96000])
def test_what_is_spoken_is_what_is_kept(qtbot, recorder, audio, rate):
    audio.input_rate = rate
    before = datetime.now(UTC)
    spoken = noise(0.7, rate)
    recording = record(qtbot, recorder, audio, spoken)
    assert np.array_equal(recording.samples, spoken)
    assert recording.samples.dtype == np.float32
    assert recording.sample_rate == rate
    assert recording.seconds == pytest.approx(0.7, abs=1e-3)
    assert (recording.device_name, recording.overruns, recording.end) == ("fake microphone", 0, RecordEnd.STOPPED)
    assert timedelta(0) <= recording.started_at - before <= timedelta(minutes=1)
    assert recorder.state is RecordState.IDLE
    assert audio.microphone.closed


def test_what_comes_before_the_start_is_heard_but_not_kept(qtbot, recorder, audio):
    levels = []
    recorder.level_changed.connect(lambda peak, rms: levels.append((peak, rms)))
    assert recorder.listen()
    assert recorder.state is RecordState.LISTENING
    with qtbot.waitSignal(recorder.level_changed, timeout=WAIT):
        audio.microphone.speak(np.full(4800, 0.5))
    assert levels == [(pytest.approx(-6.02, abs=0.01), pytest.approx(-6.02, abs=0.01))]
    audio.microphone.speak(np.full(480, 0.25))  # still in the ring when it begins
    recording = record(qtbot, recorder, audio, noise(0.1))
    assert np.array_equal(recording.samples, noise(0.1))
    assert len(audio.heard) == 1


def test_silence_has_the_lowest_level(qtbot, recorder, audio):
    recorder.listen()
    with qtbot.waitSignal(recorder.level_changed, timeout=WAIT) as caught:
        audio.microphone.speak(np.zeros(480))
    assert caught.args == [FLOOR_DB, FLOOR_DB]


def test_a_second_recording_holds_nothing_of_the_first(qtbot, recorder, audio):
    record(qtbot, recorder, audio, noise(0.3))
    again = record(qtbot, recorder, audio, noise(0.2, seed=2))
    assert np.array_equal(again.samples, noise(0.2, seed=2))


def test_it_ends_by_itself_at_the_longest_length(qtbot, recorder, audio):
    times = []
    recorder.elapsed_changed.connect(times.append)
    recorder.start(longest_seconds=0.5)
    with qtbot.waitSignal(recorder.finished, timeout=WAIT) as caught:
        audio.microphone.speak(noise(0.9))
    (recording,) = caught.args
    assert np.array_equal(recording.samples, noise(0.9)[:24000])
    assert recording.end is RecordEnd.LONGEST
    assert times[0] == 0.0 and times[-1] == 0.5


def test_stop_waits_for_what_the_device_still_holds(qtbot, recorder, audio, monkeypatch):
    monkeypatch.setattr("tests.app.fake_audio.FakeInput.latency", 0.1)
    recorder.start()
    audio.microphone.speak(noise(0.2))
    recorder.stop()
    assert recorder.state is RecordState.ENDING
    with qtbot.waitSignal(recorder.finished, timeout=WAIT) as caught:
        audio.microphone.speak(noise(0.3, seed=2))
    assert np.array_equal(caught.args[0].samples, np.concatenate([noise(0.2), noise(0.3, seed=2)[:4800]]))


def test_cancel_keeps_nothing_and_lets_go(qtbot, recorder, audio):
    recorder.start()
    audio.microphone.speak(noise(0.2))
    with qtbot.assertNotEmitted(recorder.finished, wait=100):
        recorder.cancel()
    assert recorder.state is RecordState.IDLE and audio.microphone.closed
    assert recorder.elapsed == 0.0


def test_lost_sound_is_counted(qtbot, recorder, audio, monkeypatch):
    recorder.listen()
    audio.microphone.speak(noise(0.1), overflow=True)  # before the start: not of this recording
    recorder.start()
    audio.microphone.speak(noise(0.1), overflow=True)
    with qtbot.waitSignal(recorder.finished, timeout=WAIT) as caught:
        recorder.stop()
    assert caught.args[0].overruns == 1
    monkeypatch.setattr(module, "_RING_SAMPLES", 1000)  # the window is held up for longer than the ring holds
    recording = record(qtbot, recorder, audio, noise(0.1))
    assert np.array_equal(recording.samples, noise(0.1)[:1000])
    assert recording.overruns == 8  # of ten blocks of 480


@pytest.mark.parametrize("spoken", [0.3, 0.0])
def test_a_device_that_goes_away_is_told_and_what_was_recorded_is_kept(qtbot, recorder, audio, spoken):
    recorder.start()
    audio.microphone.speak(noise(spoken))
    told = recorder.finished if spoken else recorder.failed
    with qtbot.waitSignal(told, timeout=WAIT) as caught, qtbot.waitSignal(recorder.availability_changed, timeout=WAIT):
        audio.unplug_microphone()
    if spoken:
        assert np.array_equal(caught.args[0].samples, noise(spoken))
        assert caught.args[0].end is RecordEnd.LOST
    else:
        assert caught.args[0] == "device"
    assert recorder.state is RecordState.IDLE
    assert recorder.unavailable == "device"
    audio.input_missing = ""
    recorder.probe()
    assert recorder.unavailable == "" and recorder.device_name == "fake microphone"


def test_a_device_that_falls_silent_for_good_is_lost(qtbot, recorder, audio, monkeypatch):
    monkeypatch.setattr(module, "_STALLED_SECONDS", 0.2)
    recorder.start()
    audio.microphone.speak(noise(0.2))
    with qtbot.waitSignal(recorder.finished, timeout=WAIT) as caught:
        pass
    assert caught.args[0].end is RecordEnd.LOST
    assert np.array_equal(caught.args[0].samples, noise(0.2))


@pytest.mark.parametrize("code", ["library", "device", "failed"])
def test_without_a_microphone_the_reason_is_there_and_nothing_raises(qtbot, recorder, audio, code):
    audio.input_missing = code
    recorder.probe()
    assert recorder.unavailable == code
    assert recorder.details == "pretended"
    assert recorder.devices() == []
    with qtbot.waitSignal(recorder.failed, timeout=WAIT):
        assert not recorder.start()
    assert recorder.state is RecordState.IDLE
    recorder.stop()
    recorder.cancel()


def test_a_microphone_is_chosen_by_name_and_host(qtbot, recorder, audio):
    other = recorder.devices()[1]
    recorder.listen()
    recorder.use_device(other.key)
    assert recorder.state is RecordState.IDLE and audio.microphone.closed
    assert recorder.device_name == "other microphone"
    assert record(qtbot, recorder, audio, noise(0.1)).device_name == "other microphone"
    recorder.use_device("not there\nFake")
    assert recorder.device_name == "fake microphone"


def test_a_real_thread_may_deliver_while_the_window_reads(qtbot, recorder, audio):
    spoken = noise(5.0)
    recorder.start()
    thread = threading.Thread(target=audio.microphone.speak, args=(spoken, 64))
    thread.start()
    qtbot.waitUntil(lambda: recorder.elapsed >= 5.0, timeout=WAIT)
    thread.join()
    with qtbot.waitSignal(recorder.finished, timeout=WAIT) as caught:
        recorder.stop()
    assert np.array_equal(caught.args[0].samples, spoken)
    assert caught.args[0].overruns == 0


def test_nothing_is_heard_along_unless_asked_for(qtbot, recorder, audio):
    record(qtbot, recorder, audio, noise(0.1))
    assert audio.streams == []


def test_the_microphone_can_be_heard_along_while_it_is_open(qtbot, recorder, audio):
    recorder.monitor(True, audio.devices()[1].key)
    assert audio.streams == []  # not before it is open
    recorder.listen()
    assert audio.opened[-1] == "other device"
    spoken = noise(0.05)
    audio.microphone.speak(spoken)
    (stream,) = audio.streams
    qtbot.waitUntil(lambda: np.count_nonzero(stream.heard) >= np.count_nonzero(spoken), timeout=WAIT)
    assert np.array_equal(stream.heard[stream.heard != 0], spoken[spoken != 0])
    recorder.monitor(False)
    assert not stream.active
    recorder.monitor(True)
    recorder.cancel()
    assert len(audio.streams) == 2 and not any(stream.active for stream in audio.streams)


def test_what_is_heard_along_never_lags_behind(qtbot, recorder, audio):
    recorder.monitor(True)
    recorder.listen()
    stream = audio.streams[0]
    audio.microphone.speak(np.full(24000, 0.25))  # half a second at once
    audio.microphone.speak(np.full(480, 0.5))
    qtbot.waitUntil(lambda: bool(np.any(stream.heard == 0.5)), timeout=WAIT)
    first, last = np.flatnonzero(stream.heard == 0.25)[[0, -1]]
    assert last - first < 0.15 * 48000


@pytest.mark.parametrize("problem", ["device", "rate"])
def test_why_the_microphone_cannot_be_heard_is_told_and_it_records_all_the_same(qtbot, recorder, audio, problem):
    if problem == "rate":
        audio.rates = [44100]
    else:
        audio.missing = "device"
    recorder.monitor(True)
    with qtbot.waitSignal(recorder.monitor_failed, timeout=WAIT) as caught:
        recorder.start()
    assert caught.args == [problem]
    assert not any(stream.active for stream in audio.streams)
    assert np.array_equal(record(qtbot, recorder, audio, noise(0.1)).samples, noise(0.1))


# The real backend ----------------------------------------------------------------------------------------------------


def test_a_missing_portaudio_library_is_a_reason(monkeypatch):
    monkeypatch.setitem(sys.modules, "sounddevice", None)  # import then raises ImportError
    backend = SoundDeviceBackend()
    for ask in (backend.probe_input, backend.inputs, lambda: backend.open_input(lambda samples, lost: None)):
        with pytest.raises(NoSound) as caught:
            ask()
        assert caught.value.code == "library"


class Device:
    """Stands for PortAudio's stream; ``broken`` does not start."""

    latency = 0.1
    active = True

    def __init__(self, made, broken, **asked):
        self.asked, self.broken, self.closed = asked, broken, False
        made.append(self)

    def start(self):
        if self.broken:
            import sounddevice

            raise sounddevice.PortAudioError("it does not start")

    def abort(self, **asked):
        pass

    def close(self, **asked):
        self.closed = True


@pytest.fixture
def portaudio(monkeypatch):
    import sounddevice

    def use(broken=False, only=(), host="Fake", rates=(44100, 48000)):
        made = []
        device = {"index": 3, "name": "mic", "hostapi": 0, "max_input_channels": 2, "default_samplerate": 44100.0}

        def check(channels, samplerate, **asked):
            if (only and channels not in only) or samplerate not in rates:
                raise sounddevice.PortAudioError("not so")

        monkeypatch.setattr(sounddevice, "query_devices", lambda kind="": device)
        monkeypatch.setattr(sounddevice, "query_hostapis", lambda number: {"name": host})
        monkeypatch.setattr(sounddevice, "check_input_settings", check)
        monkeypatch.setattr(sounddevice, "InputStream", lambda **asked: Device(made, broken, **asked))
        return made

    return use


def test_a_microphone_that_does_not_start_is_let_go(portaudio):
    made = portaudio(broken=True)
    with pytest.raises(NoSound) as caught:
        SoundDeviceBackend().open_input(lambda samples, lost: None)
    assert caught.value.code == "failed"
    assert [device.closed for device in made] == [True]


def test_of_a_device_that_gives_all_channels_or_none_the_first_is_used(portaudio):
    made = portaudio(only=(2,))
    heard = []
    stream = SoundDeviceBackend().open_input(lambda samples, lost: heard.append((samples.copy(), lost)))
    (device,) = made
    assert (device.asked["channels"], device.asked["samplerate"], stream.rate) == (2, 44100, 44100)

    class Status:
        input_overflow = True

    device.asked["callback"](np.array([[0.5, -1.0], [0.25, -1.0]], np.float32), 2, None, Status)
    assert np.array_equal(heard[0][0], np.array([0.5, 0.25], np.float32)) and heard[0][1] is True
    assert stream.active
    stream.close()
    stream.close()
    assert device.closed and not stream.active


@pytest.mark.parametrize(
    ("host", "rates", "wanted"),
    [("ALSA", (44100, 48000), 48000), ("ALSA", (44100,), 44100), ("WASAPI", (48000, 44100), 44100)],
)
def test_the_rate_is_that_of_the_device_or_of_the_sound_server(portaudio, host, rates, wanted):
    made = portaudio(host=host, rates=rates)
    stream = SoundDeviceBackend().open_input(lambda samples, lost: None)
    assert stream.rate == made[0].asked["samplerate"] == wanted
    assert made[0].asked["channels"] == 1


def test_importing_the_recorder_does_not_touch_the_sound_system():
    code = "import sys, app.audio.recorder; sys.exit('sounddevice' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=120).returncode == 0

"""The real backend: without PortAudio, without a device, and with PulseAudio's null sink."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from app.audio.backend import NoSound, SoundDeviceBackend
from tests.app.audio.conftest import monitor_samples, recorded


def test_a_missing_portaudio_library_is_a_reason_and_no_crash(monkeypatch):
    monkeypatch.setitem(sys.modules, "sounddevice", None)  # import then raises ImportError
    with pytest.raises(NoSound) as caught:
        SoundDeviceBackend().probe()
    assert caught.value.code == "library"


def test_a_device_that_does_not_start_is_let_go(monkeypatch):
    import sounddevice

    closed = []

    class Dead:
        latency = 0.2
        active = False

        def __init__(self, **asked):
            pass

        def start(self):
            raise sounddevice.PortAudioError("it does not start")

        def abort(self, **asked):
            pass

        def close(self, **asked):
            closed.append(self)

    device = {"index": 0, "name": "dead", "max_output_channels": 2, "default_samplerate": 48000.0}
    monkeypatch.setattr(sounddevice, "query_devices", lambda kind="": device)
    monkeypatch.setattr(sounddevice, "check_output_settings", lambda **asked: None)
    monkeypatch.setattr(sounddevice, "OutputStream", Dead)
    with pytest.raises(NoSound) as caught:
        SoundDeviceBackend().open(48000, lambda out: None)
    assert caught.value.code == "failed"
    assert len(closed) == 1


def test_importing_the_player_does_not_touch_the_sound_system():
    code = "import sys, app.audio.player, app.audio.backend; sys.exit('sounddevice' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


PLAY = """
import sys
import time
import numpy as np
from PySide6.QtCore import QCoreApplication
from app.audio.backend import SoundDeviceBackend
from app.audio.player import Player, PlayState
from app.audio.mixer import Mixer
from tests.app.audio.test_player import whole

times, read_into = [], Mixer.read_into
def timed(self, out):
    if not self.is_silent:
        times.append(time.monotonic())
    return read_into(self, out)
Mixer.read_into = timed
rate = int(sys.argv[1])
application = QCoreApplication([])
player = Player(SoundDeviceBackend())
player.probe()
assert player.unavailable == "", player.details
sound = whole(1.5, rate)
sound.samples = (0.5 * np.sin(2 * np.pi * 997 * np.arange(len(sound.samples)) / rate)).astype(np.float32)
player.set_source(sound)
started = []
def follow(state):
    if state is PlayState.STOPPED:
        player._idle_timer.timeout.connect(application.quit)
player.state_changed.connect(follow)
player.play()
application.exec()
player.close()
assert player.waits == 0
sys.stdout.write(str(max(np.diff(times))))
"""


@pytest.mark.audio
@pytest.mark.parametrize("rate", [48000, 16000])
def test_portaudio_plays_a_tone_through_the_null_sink(null_sink, tmp_path, rate):
    script = tmp_path / "play.py"
    script.write_text(textwrap.dedent(PLAY))
    recording = tmp_path / "monitor.raw"
    with recorded(null_sink, recording):
        environment = {**null_sink, "PYTHONPATH": os.getcwd(), "QT_QPA_PLATFORM": "offscreen"}
        done = subprocess.run(
            [sys.executable, str(script), str(rate)],
            env=environment,
            timeout=60,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    heard = monitor_samples(recording)
    first, last = np.flatnonzero(np.abs(heard) > 0.01)[[0, -1]]
    inside = heard[first:last]
    parts = np.sqrt(np.mean(inside[: len(inside) // 480 * 480].reshape(-1, 480) ** 2, axis=1))  # of 10 ms
    sounding = parts[parts > 0.1]
    assert len(sounding) * 0.01 == pytest.approx(1.5, abs=0.03)  # nothing was lost at either end
    assert np.median(sounding) == pytest.approx(0.5 / np.sqrt(2), rel=0.05)
    held_up = float(done.stdout)  # seconds between two calls for sound; the device has 0.2 s in hand
    if held_up < 0.1:  # else the machine was too busy, and the device may have run dry
        assert (last - first) / 48000 == pytest.approx(1.5, abs=0.02)
        assert np.sqrt(np.mean(inside**2)) == pytest.approx(0.5 / np.sqrt(2), rel=0.05)
    spectrum = np.abs(np.fft.rfft(inside * np.hanning(len(inside))))
    assert np.fft.rfftfreq(len(inside), 1 / 48000)[spectrum.argmax()] == pytest.approx(997, abs=2)


DEVICES = """
from app.audio.backend import SoundDeviceBackend
backend = SoundDeviceBackend()
for device in backend.devices():
    print(device.host, "|", device.name)
keys = [device.key for device in backend.devices()]
assert len(keys) == len(set(keys))
assert all(backend.probe(device.key) == device.name for device in backend.devices())
assert backend.probe("not there") == backend.probe()
"""


@pytest.mark.audio
def test_devices_are_named_and_found_again_by_name(null_sink):
    done = subprocess.run(
        [sys.executable, "-c", DEVICES], env={**null_sink, "PYTHONPATH": os.getcwd()}, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "| pulse" in done.stdout

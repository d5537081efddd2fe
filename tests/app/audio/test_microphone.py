"""A real microphone, as PulseAudio can make one: what is played into it is what the recorder brings."""

import os
import subprocess
import sys

import numpy as np
import pytest

from tests.app.audio.test_monitor import signal_to_difference

RECORD = """
import sys
import numpy as np
from PySide6.QtCore import QCoreApplication, QTimer
from app.audio.backend import SoundDeviceBackend
from app.audio.recorder import Recorder

application = QCoreApplication([])
recorder = Recorder(SoundDeviceBackend())
recorder.probe()
assert recorder.unavailable == "", recorder.details
assert recorder.device_name in [device.name for device in recorder.devices()]
levels = []

def end(recording):
    assert recording.overruns == 0
    assert recording.device_name == recorder.device_name
    np.save(sys.argv[1], recording.samples)
    sys.stdout.write(f"{recording.sample_rate} {max(levels):.1f} {recording.end.value}")
    application.quit()

def loud(peak, rms):
    levels.append(peak)
    if len(levels) == 1:
        print("listening", flush=True)

def elapsed(seconds):
    if seconds >= 3.0:
        recorder.stop()

recorder.finished.connect(end)
recorder.failed.connect(lambda code, details: application.exit(3))
recorder.level_changed.connect(loud)
recorder.elapsed_changed.connect(elapsed)
recorder.start()
application.exec()
recorder.close()
"""

LOSE = """
import sys
from PySide6.QtCore import QCoreApplication
from app.audio.backend import SoundDeviceBackend
from app.audio.recorder import Recorder

application = QCoreApplication([])
recorder = Recorder(SoundDeviceBackend())
recorder.finished.connect(lambda recording: (print(recording.end.value), application.quit()))
recorder.failed.connect(lambda code, details: application.exit(3))
told = []

def elapsed(seconds):
    if seconds >= 0.3 and not told:
        told.append(True)
        print("recording", flush=True)

recorder.elapsed_changed.connect(elapsed)
recorder.start()
application.exec()
recorder.close()
"""


def started(script, environment, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        env={**environment, "PYTHONPATH": os.getcwd(), "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.audio
def test_what_is_played_into_the_microphone_is_recorded(microphone, tmp_path):
    """Noise below 600 Hz: no two places are alike, so that anything lost or doubled shows."""
    spectrum = np.fft.rfft(np.random.default_rng(3).standard_normal(48000))
    spectrum[np.fft.rfftfreq(48000, 1 / 48000) > 600] = 0
    spoken = np.fft.irfft(spectrum, 48000)
    spoken = np.round(0.5 * spoken / np.abs(spoken).max() * 32767).astype("<i2")
    sound = tmp_path / "spoken.raw"
    sound.write_bytes(np.concatenate([spoken, np.zeros(48000, "<i2")]).tobytes())
    kept = tmp_path / "kept.npy"
    process = started(RECORD, microphone, str(kept))
    try:
        assert process.stdout.readline() == "listening\n"
        subprocess.run(
            ["pacat", "-d", "studio_mic_in", "--rate=48000", "--channels=1", "--format=s16le", "--raw",
             "--latency-msec=50", str(sound)], env=microphone, check=True, timeout=60,
        )  # fmt: skip
        said, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0
    rate, level, end = said.split()
    assert end == "stopped"
    assert float(level) == pytest.approx(-6.0, abs=0.5)
    heard, rate = np.load(kept), int(rate)
    assert len(heard) / rate == pytest.approx(3.0, abs=0.5)
    assert rate == 48000  # the server's own: nothing is converted on the way
    with np.errstate(divide="ignore"):  # it was the same to the last bit wherever this was tried
        assert signal_to_difference(heard, (spoken / 32768).astype(np.float32)) > 60


@pytest.mark.audio
def test_a_sound_server_that_ends_is_told_and_what_was_recorded_is_kept(own_microphone):
    environment, server = own_microphone
    process = started(LOSE, environment)
    try:
        assert process.stdout.readline() == "recording\n"
        server.kill()
        server.wait(10)
        said, _ = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0
    assert said == "lost\n"

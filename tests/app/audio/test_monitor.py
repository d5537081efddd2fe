"""What comes out of the sound card is the take: the whole window, PortAudio, and the monitor of a PulseAudio sink."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from tests.app.audio.conftest import monitor_samples, recorded

# The whole studio offscreen, on the real sound system, with an engine that speaks marker sound at a given pace.
STUDIO = """
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.audio.player import PlayState
from app.core.messages import Chunk
from app.engine.fake import FakeEngine, FakeModel

PATCHES, SECONDS = 25, 0.16
folder, pace = Path(sys.argv[1]), float(sys.argv[2])


class Marked(FakeEngine):
    \"\"\"Noise below 600 Hz: no two places are alike, and a click stands out of it.\"\"\"

    def _chunk(self, job, row, patch):
        chunk = super()._chunk(job, row, patch)
        count = len(chunk.samples)
        return replace(chunk, samples=MARKER[patch * count : (patch + 1) * count])


total = round(PATCHES * SECONDS * 48000)
spectrum = np.fft.rfft(np.random.default_rng(3).standard_normal(total))
spectrum[np.fft.rfftfreq(total, 1 / 48000) > 600] = 0
MARKER = np.fft.irfft(spectrum, total)
MARKER = (0.5 * MARKER / np.abs(MARKER).max()).astype(np.float32)

qt_app = QApplication([])
engine = Marked(models={"demo-voice": FakeModel(patches=PATCHES)}, step_delay=pace * SECONDS)
studio = Application(
    qt_app, settings_file=folder / "settings.json", data_folder=folder / "data", engine_factory=lambda: engine
)
studio.language.use("en")
said, states = [], []


def state_changed(state):
    states.append(state.value)
    said.append(studio.window.player_panel.state_label.text())
    if state is PlayState.STOPPED and studio.engine.job is None:
        (take,) = studio.store.takes
        np.save(folder / "take.npy", take.samples)
        report = {"underruns": studio.player.underruns, "waits": studio.player.waits, "states": states, "said": said}
        (folder / "report.json").write_text(json.dumps(report))
        studio.player._idle_timer.timeout.connect(studio.window.close)


def begin(info):
    assert studio.player.unavailable == "", studio.player.details
    studio.window.compose.text.setPlainText("Good evening.")
    studio.window.generate()


studio.player.state_changed.connect(state_changed)
studio.engine.model_loaded.connect(begin)
studio.show()
qt_app.exec()
"""


def play(null_sink, folder, pace):
    script = folder / "studio.py"
    script.write_text(STUDIO)
    recording = folder / "monitor.raw"
    with recorded(null_sink, recording):
        done = subprocess.run(
            [sys.executable, str(script), str(folder), str(pace)],
            env={**null_sink, "PYTHONPATH": os.getcwd(), "QT_QPA_PLATFORM": "offscreen"},
            timeout=120, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads((folder / "report.json").read_text())
    return monitor_samples(recording), np.load(folder / "take.npy"), report


def signal_to_difference(heard, take, skip=960):
    """Decibels, after aligning ``heard`` with ``take``; 20 ms at either end (the fades) are left out."""
    size = 1 << (len(heard) + len(take)).bit_length()
    alike = np.fft.irfft(np.fft.rfft(heard, size) * np.conj(np.fft.rfft(take, size)), size)
    start = int(np.argmax(alike))
    wanted = take[skip:-skip].astype(np.float64)
    difference = heard[start + skip : start + skip + len(wanted)] - wanted
    return 10 * np.log10(np.sum(wanted**2) / np.sum(difference**2))


@pytest.mark.audio
def test_the_monitor_hears_the_take_while_it_is_made_at_a_factor_of_0_7(null_sink, tmp_path):
    heard, take, report = play(null_sink, tmp_path, 0.7)
    assert len(take) == 25 * 0.16 * 48000
    assert report["underruns"] == 0
    assert report["waits"] == 0
    assert signal_to_difference(heard, take) > 60


@pytest.mark.audio
def test_with_a_slow_engine_the_player_waits_and_says_so_without_clicks(null_sink, tmp_path):
    heard, take, report = play(null_sink, tmp_path, 1.7)
    assert report["waits"] >= 1
    assert report["underruns"] == 0
    assert any("waiting for the model" in text for text in report["said"])
    assert report["states"].count("waiting") == report["waits"] + 1  # once for the first sound
    assert report["states"][-1] == "stopped"
    # A fade of 8 ms adds at most 0.5 / 384 to a step of the sound itself, rounding to 16 bits a little more.
    steepest = np.abs(np.diff(take)).max()
    assert np.abs(np.diff(heard)).max() < steepest + 0.5 / 384 + 2 / 32768
    assert np.count_nonzero(np.abs(heard) > 1e-3) / 48000 > 0.97 * np.count_nonzero(np.abs(take) > 1e-3) / 48000

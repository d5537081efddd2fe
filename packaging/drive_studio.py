"""Drive the real studio as a person would, and listen to what comes out of the sound card.

    python packaging/drive_studio.py [--model FOLDER] [--longest PATCHES] [--keep FOLDER]

Starts an X display and a PulseAudio server with a null sink where there are none, opens the real window with the
real engine, types a text, drops a speech WAV made by flite on the window, gives consent, presses Generate, and
compares what the sink's monitor heard with the take. Prints one JSON line; exits with 0 when everything held.

Needs the programs Xvfb, pulseaudio, pactl, parec and flite, and the library PortAudio.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from desktop import MONITOR_RATE, Recording, live, missing_programs, null_sink, x_display

SPOKEN = "The quick brown fox jumps over the lazy dog."
TEXT = "Good evening. The last train leaves at ten."
SILENCE = 1e-3  # what counts as silence when both sounds are trimmed
MOST_DIFFERENCE = 0.05  # seconds
LEAST_LEVEL = -40.0  # dBFS
PATIENCE_SECONDS = 120.0


def main() -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="", metavar="FOLDER", help="the model folder (default: the bundled one)")
    parser.add_argument("--keep", default="", metavar="FOLDER", help="keep the recordings and a picture there")
    parser.add_argument("--longest", type=int, default=30, metavar="N", help="cut the take after N patches (30)")
    arguments = parser.parse_args()
    missing = missing_programs("Xvfb", "pulseaudio", "pactl", "parec", "flite")
    if missing:
        sys.stdout.write(json.dumps({"passed": False, "problem": f"not installed: {', '.join(missing)}"}) + "\n")
        return 1
    os.environ["QT_QPA_PLATFORM"] = "xcb"
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    os.environ["VOXCPM_PASSPHRASE"] = "what the driver remembers"  # so that keys last, keyring or not
    with tempfile.TemporaryDirectory(prefix="studio-drive-") as temporary:
        folder = Path(arguments.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        speech = folder / "speech.wav"
        subprocess.run(["flite", "-voice", "slt", "-t", SPOKEN, "-o", str(speech)], check=True)
        with x_display(), null_sink():
            verdict = Drive(folder, speech, arguments.model, arguments.longest).run()
    sys.stdout.write(json.dumps(verdict, ensure_ascii=False) + "\n")
    sys.stdout.flush()
    if not verdict["ended_cleanly"]:
        os._exit(1)  # a thread that could not be waited for must not be torn down
    return 0 if verdict["passed"] else 1


class Drive:
    """One run. ``verdict`` collects what was seen; every check that fails is named in ``failures``."""

    def __init__(self, folder: Path, speech: Path, model: str, longest: int) -> None:
        self.folder, self.speech, self.model, self.longest = folder, speech, model, longest
        self.verdict: dict[str, Any] = {"passed": False, "failures": []}

    def run(self) -> dict[str, Any]:
        """Open, type, drop, agree, generate, listen, close."""
        from PySide6.QtWidgets import QApplication

        from app.application import Application

        (self.folder / "settings.json").write_text('{"welcomed": true}', encoding="utf-8")
        begun = time.perf_counter()
        qt_app = QApplication([])
        studio = Application(
            qt_app,
            settings_file=self.folder / "settings.json",
            data_folder=self.folder / "data",
            model_folder=self.model,
        )
        studio.show()
        while not studio.window.was_painted:
            qt_app.processEvents()
        self.verdict["window_seconds"] = round(time.perf_counter() - begun, 3)
        self.check(self.verdict["window_seconds"] < 1.0, "the window was painted within a second")
        self.check("torch" not in sys.modules, "the window opened without torch")
        try:
            self.use(studio)
        except Exception as error:
            self.verdict["failures"].append(f"{type(error).__name__}: {error}")
        studio.window.grab().save(str(self.folder / "window.png"))
        begun = time.perf_counter()
        studio.window.close()
        qt_app.processEvents()
        self.verdict["close_seconds"] = round(time.perf_counter() - begun, 3)
        self.verdict["ended_cleanly"] = studio.ended_cleanly
        self.check(studio.ended_cleanly and self.verdict["close_seconds"] < 2.0, "the window closed within two seconds")
        self.verdict["passed"] = not self.verdict["failures"]
        return self.verdict

    def use(self, studio: Any) -> None:
        """What a person does."""
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest

        window, compose = studio.window, studio.window.compose
        left = Qt.MouseButton.LeftButton
        self.until(lambda: studio.engine.model is not None or window.notice.message, "the model is loaded")
        self.check(studio.engine.model is not None, f"the model could be loaded {window.notice.message}")
        QTest.mouseClick(window.rail_button("clone"), left)
        QTest.mouseClick(compose.text.viewport(), left)
        QTest.keyClicks(compose.text, TEXT)
        self.check(compose.text.toPlainText() == TEXT, "the text was typed")
        QTest.mouseClick(compose.advanced_fold.button, left)
        compose.advanced.max_patches.setFocus()
        compose.advanced.max_patches.selectAll()
        QTest.keyClicks(compose.advanced.max_patches, str(self.longest))
        QTest.mouseClick(compose.advanced_fold.button, left)
        self.check(not compose.generate.isEnabled(), "Generate waits for a reference")
        self.drop(compose.clone.drop)
        self.until(lambda: compose.clone.drop.path is not None, "the dropped WAV was read")
        self.check(not compose.generate.isEnabled(), "Generate waits for consent")
        QTest.mouseClick(compose.clone.consent.own, left, pos=_on_the_mark(compose.clone.consent.own))
        QTest.mouseClick(compose.clone.consent.tick, left, pos=_on_the_mark(compose.clone.consent.tick))
        self.until(compose.generate.isEnabled, "Generate can be pressed")
        recording = self.folder / "while-made.raw"
        with Recording(recording) as heard:
            QTest.mouseClick(compose.generate, left)
            self.until(lambda: studio.player.is_active, "the sound starts by itself")
            self.verdict["sound_started_while_made"] = studio.engine.job is not None
            self.until(lambda: studio.engine.job is None, "the take is made")
            self.until(lambda: not studio.player.is_active, "the sound ends")
            self.listen_on(heard)
            self.verdict["underruns"] = studio.player.underruns
        self.check(window.notice.message == "", f"no notice was shown {window.notice.message}")
        take = studio.store.takes[0]
        self.verdict["take"] = {
            "seconds": round(take.seconds, 3),
            "sample_rate": take.sample_rate,
            "mode": take.job.mode,
            "seed": take.seed,
            "end": take.end,
            "real_time_factor": round(take.real_time_factor, 3),
        }
        self.compare("while_made", heard.samples(), take)
        with Recording(self.folder / "again.raw") as heard:
            QTest.mouseClick(window.player_panel.play_button, left)
            self.until(lambda: studio.player.is_active, "Play plays it again")
            self.until(lambda: not studio.player.is_active, "the sound ends again")
            self.listen_on(heard)
        self.compare("again", heard.samples(), take)

    def drop(self, area: Any) -> None:
        """Let the speech WAV fall on the drop area."""
        from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
        from PySide6.QtGui import QDragEnterEvent, QDropEvent
        from PySide6.QtWidgets import QApplication

        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(self.speech))])
        place, left, keys = area.rect().center(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        enter = QDragEnterEvent(place, Qt.DropAction.CopyAction, mime, left, keys)
        QApplication.sendEvent(area, enter)
        self.check(enter.isAccepted(), "the drop area takes the WAV")
        QApplication.sendEvent(area, QDropEvent(QPointF(place), Qt.DropAction.CopyAction, mime, left, keys))

    def compare(self, name: str, heard: np.ndarray, take: Any) -> None:
        """Compare what the monitor heard with the take: length, level, and that it is the same sound."""
        made = take.samples
        wanted, got = _trim(made), _trim(heard)
        seconds, heard_seconds = len(wanted) / take.sample_rate, len(got) / MONITOR_RATE
        level = 20 * np.log10(max(1e-9, float(np.sqrt(np.mean(got**2))))) if got.size else -180.0
        likeness = _likeness(_resampled(wanted, take.sample_rate), got)
        self.verdict[name] = {
            "take_seconds": round(seconds, 3),
            "heard_seconds": round(heard_seconds, 3),
            "level_dbfs": round(level, 1),
            "correlation": round(likeness, 3),
        }
        self.check(abs(seconds - heard_seconds) <= MOST_DIFFERENCE, f"{name}: heard for as long as the take lasts")
        self.check(level > LEAST_LEVEL, f"{name}: heard above {LEAST_LEVEL:g} dBFS")
        self.check(likeness > 0.9, f"{name}: what was heard is the take")

    def listen_on(self, heard: Recording, seconds: float = 0.5) -> None:
        """Let the last sound pass."""
        end = heard.seconds + seconds
        self.until(lambda: heard.seconds > end, "the monitor goes on")

    def until(self, ready: Any, what: str) -> None:
        """Wait, with the window alive, until ``ready``."""
        until = time.monotonic() + PATIENCE_SECONDS
        while not ready():
            if time.monotonic() > until:
                raise RuntimeError(f"waited in vain until {what}")
            live(10)

    def check(self, held: bool, what: str) -> None:
        """Note what did not hold."""
        if not held:
            self.verdict["failures"].append(what)


def _on_the_mark(button: Any) -> Any:
    """A tick or choice answers on its mark and text, which stand at the left."""
    from PySide6.QtCore import QPoint

    return QPoint(button.height() // 2, button.height() // 2)


def _trim(samples: np.ndarray) -> np.ndarray:
    loud = np.flatnonzero(np.abs(samples) > SILENCE)
    return samples[loud[0] : loud[-1] + 1] if loud.size else samples[:0]


def _resampled(samples: np.ndarray, rate: int) -> np.ndarray:
    if rate == MONITOR_RATE:
        return samples
    import soxr

    return soxr.resample(samples, rate, MONITOR_RATE)


def _likeness(first: np.ndarray, second: np.ndarray) -> float:
    """The highest normalised cross-correlation, whatever the shift."""
    if not first.size or not second.size:
        return 0.0
    size = 1 << (len(first) + len(second)).bit_length()
    product = np.fft.irfft(np.fft.rfft(first, size) * np.conj(np.fft.rfft(second, size)))
    return float(product.max() / max(1e-9, np.linalg.norm(first) * np.linalg.norm(second)))


if __name__ == "__main__":
    sys.exit(main())

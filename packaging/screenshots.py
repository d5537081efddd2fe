"""Pictures of the real window with the real engine, under the X display that there is or under Xvfb.

    python packaging/screenshots.py                # the README's pictures, into resources/screenshots/
    python packaging/screenshots.py --all FOLDER   # every panel, both languages, both themes, 100 and 200 %

Needs the program flite for the reference audio, and Xvfb where there is no display.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from desktop import live, missing_programs, x_display

ROOT = Path(__file__).resolve().parents[1]
# The bundled model speaks English only, whatever the language of the window.
TEXTS = ("Good evening. The last train leaves at ten.", "a woman in her forties, warm, slow", "Mind the gap.")
SPOKEN = "The quick brown fox jumps over the lazy dog."
PANELS = ("empty", "design", "clone", "continue", "models", "settings", "settings-model", "shortcuts", "notice")
DIALOGS = ("models", "settings", "settings-model", "shortcuts")
SIZE = (1280, 860)  # logical pixels; at 200 % on a screen of twice that


def main() -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", metavar="FOLDER", default="", help="make every picture, into FOLDER")
    parser.add_argument("--one", metavar="JSON", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        return _take_one(json.loads(arguments.one))
    missing = missing_programs("flite", *([] if os.environ.get("DISPLAY") else ["Xvfb"]))
    if missing:
        sys.stderr.write(f"not installed: {', '.join(missing)}\n")
        return 1
    if arguments.all:
        folder = Path(arguments.all)
        wanted = {
            f"{panel}-{language}-{theme}-{scale}": (panel, language, theme, scale)
            for panel, language, theme, scale in itertools.product(
                PANELS, ("en", "zh_CN"), ("light", "dark"), (100, 200)
            )
        }
    else:
        folder = ROOT / "resources" / "screenshots"
        wanted = {
            "studio": ("design", "en", "light", 100),
            "studio-zh_CN": ("clone", "zh_CN", "dark", 100),
        }
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    with x_display("2600x1760"):
        for name, (panel, language, theme, scale) in wanted.items():
            job = {"panel": panel, "language": language, "theme": theme, "path": str(folder.resolve() / f"{name}.png")}
            environment = {
                **os.environ, "QT_QPA_PLATFORM": "xcb", "QT_SCALE_FACTOR": str(scale / 100), "LC_ALL": "C.UTF-8",
                "VOXCPM_PASSPHRASE": "what the pictures remember",
                "PYTHONPATH": str(ROOT),
            }  # fmt: skip
            command = [sys.executable, __file__, "--one", json.dumps(job)]
            failed += subprocess.run(command, env=environment, check=False).returncode != 0
    return 1 if failed else 0


class QuietDevice:
    """The machine that makes the pictures need not have a sound card."""

    def probe(self, key: str = "") -> str:
        """Pretend that there is a device."""
        return "Built-in Audio"

    def devices(self) -> list[Any]:
        """Name none."""
        return []

    def probe_input(self, key: str = "") -> str:
        """Pretend that there is a microphone."""
        return "Built-in Microphone"

    def inputs(self) -> list[Any]:
        """Name none."""
        return []


def _take_one(job: dict[str, str]) -> int:
    from PySide6.QtWidgets import QApplication

    from app.application import Application

    with tempfile.TemporaryDirectory(prefix="studio-pictures-") as temporary:
        folder = Path(temporary)
        speech = folder / "speech.wav"
        subprocess.run(["flite", "-voice", "slt", "-t", SPOKEN, "-o", str(speech)], check=True)
        settings = {"language": job["language"], "theme": job["theme"], "play_while_made": False, "welcomed": True}
        (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        qt_app = QApplication([])
        studio = Application(
            qt_app, settings_file=folder / "settings.json", data_folder=folder / "data", backend=QuietDevice()
        )
        studio.window.resize(*SIZE)
        studio.show()
        _until(lambda: studio.engine.model is not None)
        _fill(studio, job["panel"], TEXTS, speech)
        shown = _dialog(studio, job["panel"]) if job["panel"] in DIALOGS else studio.window
        saved = shown.grab().save(job["path"])
        studio.window.close()
    return 0 if saved and studio.ended_cleanly else 1


def _fill(studio: Any, panel: str, texts: tuple[str, str, str], speech: Path) -> None:
    """Bring the window into the state that the picture shows."""
    from app.core.messages import Failure

    window, compose = studio.window, studio.window.compose
    text, description, short = texts
    if panel == "notice":
        failure = Failure("The disk has 1.0 GB left.", details="Traceback (most recent call last):\n ...", code="disk")
        window.notice.show_failure(failure)
        window.notice.details_button.click()
    elif panel != "empty" and panel not in DIALOGS:
        compose.seed.set_seed(48121, locked=False)
        _speak(studio, short)
        compose.takes.setValue(3)
        compose.seed.set_seed(90377, locked=False)
        window.rail_button(panel).click()
        compose.design.edit.setText(description)
        compose.text.setPlainText(text)
        if panel == "clone":
            compose.clone.drop.open_file(str(speech))
            _until(lambda: compose.clone.drop.path is not None)
            compose.clone.consent.own.click()
            compose.clone.consent.tick.click()
        elif panel == "continue":
            compose.continue_.drop.open_file(str(speech))
            _until(lambda: compose.continue_.drop.path is not None)
            compose.continue_.transcript.setPlainText(SPOKEN)
        if panel != "continue":
            _speak(studio, text)
            studio.player.seek(studio.store.takes[-3].seconds / 3)
    live(800)  # the plan and the last redraw


def _dialog(studio: Any, panel: str) -> Any:
    dialogs = studio.window.dialogs
    if panel == "models":
        dialogs.show_models(greeting=True)
        manager = dialogs.manager
        manager.list.setCurrentRow(1)
        _until(lambda: manager.facts.machine is not None)
        live(300)
        return manager
    dialogs.show_settings()
    tab = {"settings": 0, "settings-model": 1, "shortcuts": 5}[panel]
    dialogs.settings_dialog.tabs.setCurrentIndex(tab)
    live(300)
    return dialogs.settings_dialog


def _speak(studio: Any, text: str) -> None:
    studio.window.compose.text.setPlainText(text)
    studio.window.generate()
    _until(lambda: studio.engine.job is not None or studio.store.takes)
    _until(lambda: studio.engine.job is None)


def _until(ready: Any, seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > until:
            raise RuntimeError("the window did not come so far")
        live(20)


if __name__ == "__main__":
    sys.exit(main())

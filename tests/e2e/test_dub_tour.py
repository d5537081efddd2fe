"""The tour of the dubbing panel as a test."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e import dub_tour

NEEDED = ("Xvfb", "pulseaudio", "pactl", "ffmpeg")


@pytest.mark.audio
@pytest.mark.display
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_tour_of_the_dubbing_panel_holds(tmp_path):
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "QT_QPA_PLATFORM")}
    done = subprocess.run(
        [sys.executable, str(Path(dub_tour.__file__)), "--out", str(tmp_path / "tour")],
        env=environment, capture_output=True, text=True, timeout=3500, check=False,
    )  # fmt: skip
    verdict = json.loads((tmp_path / "tour" / "dub_tour.json").read_text(encoding="utf-8"))
    assert done.returncode == 0 and verdict["passed"], done.stdout
    assert len(list((tmp_path / "tour").glob("*.png"))) >= 9 + 2 * 2 * 2 * len(dub_tour.SHOWN)

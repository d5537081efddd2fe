"""Done when 4: the real window under an X display, driven and listened to through a PulseAudio null sink."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NEEDED = ("Xvfb", "pulseaudio", "pactl", "parec", "flite")
SCRIPT = Path(__file__).parents[2] / "packaging" / "drive_studio.py"


@pytest.mark.audio
@pytest.mark.display
@pytest.mark.slow
def test_the_studio_speaks_and_is_heard():
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    environment = {**os.environ}
    environment.pop("DISPLAY", None)
    done = subprocess.run(
        [sys.executable, str(SCRIPT)], env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    verdict = json.loads(done.stdout.strip().splitlines()[-1])
    assert verdict["failures"] == [], done.stderr
    assert done.returncode == 0
    assert verdict["sound_started_while_made"]

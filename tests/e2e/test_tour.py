"""The tour as a test, and that blind orders favour no place."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e import tour

NEEDED = ("Xvfb", "pulseaudio", "pactl", "paplay", "flite")


def test_blind_orders_are_unbiased():
    told = tour.blind_orders()
    assert sum(told["counts"].values()) == 1000 and len(told["counts"]) == 6
    assert told["failures"] == []


def test_a_biased_order_is_seen(monkeypatch):
    from app.core import comparisons

    monkeypatch.setattr(comparisons, "blind_order", lambda takes: list(takes))
    assert tour.blind_orders()["failures"]


@pytest.mark.audio
@pytest.mark.display
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_tour_holds(tmp_path):
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    environment = {name: value for name, value in os.environ.items() if name != "DISPLAY"}
    done = subprocess.run(
        [sys.executable, str(Path(tour.__file__)), "--out", str(tmp_path / "tour")],
        env=environment, capture_output=True, text=True, timeout=3500, check=False,
    )  # fmt: skip
    verdict = json.loads((tmp_path / "tour" / "tour.json").read_text(encoding="utf-8"))
    assert done.returncode == 0 and verdict["passed"], done.stdout
    assert len(list((tmp_path / "tour").glob("*.png"))) > 100

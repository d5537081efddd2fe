"""How long the tracks take to draw, for a long take: milliseconds per frame, and how that grows with the length.

    python -m tests.gui_speed               # two hours against two minutes
    python -m tests.gui_speed --hours 0.1 --frames 10
    python -m tests.gui_speed --live 60     # how smooth the real window is while the demo model makes 60 s of sound

Offscreen unless QT_QPA_PLATFORM says otherwise. A frame is one step of a zoom or of a scroll: the view changes, every
shown track draws itself, and the window is painted: given is the computing time of the window's thread, which a busy
machine does not change. Building the peaks and computing mel tiles happens beside it, on another thread; the last two
rows, by the clock, tell when the first picture stands, and when all of it. The sound is noise that lies in memory.

With ``--live`` the whole studio runs, with the demo model and a PulseAudio sink that goes nowhere: how long the window
takes to stand there, the gaps between beats of a 10 ms timer in its thread, idle and while takes are made and played
(and how much of them it was computing: the rest it waited for others), the time from Generate to the first sound at
the sink's monitor, and from Stop to its answer, to silence and to an idle engine. Other programs take their share:
what counts on a busy machine is the ratio to the idle window, or a run with a priority of its own (nice -n -15).
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from app.core.messages import Job, ModelInfo
from app.core.takes import Take, TakeState
from app.style import apply_theme
from app.widgets.timeline import TRACKS, Timeline

RATE, FRAME_RATE, PATCH, DIM = 24000, 25.0, 4, 64
SIZE = (1600, 700)


def long_take(seconds: float) -> Take:
    """A take of that length, all of noise."""
    random = np.random.default_rng(1)
    model = ModelInfo(
        folder="", name="", note="", architecture="", encode_rate=16000, output_rate=RATE, patch_size=PATCH,
        latent_dim=DIM, frame_rate=FRAME_RATE, max_length=4096, device="cpu", dtype="float32", weight_bytes=0,
        takes_reference=True, takes_description=True,
    )  # fmt: skip
    take = Take(1, 1, 0, Job(1, "noise"), model, RATE, FRAME_RATE, PATCH, state=TakeState.DONE)
    block = random.standard_normal(RATE * 10).astype(np.float32) * 0.1
    for _ in range(max(1, round(seconds / 10))):
        take._samples.append(block)
    frames = round(take.seconds * FRAME_RATE)
    take.fill(np.zeros(0, np.float32), random.standard_normal((frames, DIM), dtype=np.float32), None)
    patches = frames // PATCH
    take._stops.append(random.random(patches, dtype=np.float32))
    take._times.append(random.random(patches, dtype=np.float32) * np.float32(0.2))
    return take


def measure(app: QApplication, seconds: float, frames: int) -> dict[str, float]:
    """Times in milliseconds for a take of that length."""
    take, timeline = long_take(seconds), Timeline()
    timeline.resize(*SIZE)
    timeline.show_tracks(TRACKS)
    timeline.show()
    began = time.perf_counter()
    timeline.show_take(take)
    app.processEvents()
    first = time.perf_counter() - began
    _settle(app, timeline)
    whole = time.perf_counter() - began
    zooms, scrolls = [], []
    step = (take.seconds / 0.05) ** (1 / max(1, frames))
    for _ in range(frames):
        zooms.append(_frame(app, timeline, lambda: timeline.axis.zoom(step, take.seconds * 0.37)))
    timeline.axis.fit()
    timeline.axis.zoom(8, take.seconds / 2)
    for _ in range(frames):
        scrolls.append(_frame(app, timeline, lambda: timeline.axis.pan(timeline.axis.span / 40)))
    timeline.axis.fit()
    _settle(app, timeline)
    plays = [
        _frame(app, timeline, lambda at=at: timeline.set_playhead(at * take.seconds / frames)) for at in range(frames)
    ]
    timeline.close_down(10)
    timeline.close()
    return {
        "zoom, median": 1000 * float(np.median(zooms)),
        "zoom, worst": 1000 * max(zooms),
        "scroll, median": 1000 * float(np.median(scrolls)),
        "scroll, worst": 1000 * max(scrolls),
        "playhead, median": 1000 * float(np.median(plays)),
        "first frame": 1000 * first,
        "whole picture": 1000 * whole,
    }


def _frame(app: QApplication, timeline: Timeline, change: Callable[[], None]) -> float:
    began = time.thread_time()
    change()
    app.processEvents()
    return time.thread_time() - began


def _settle(app: QApplication, timeline: Timeline) -> None:
    until = time.monotonic() + 120
    while not (timeline.is_drawn and timeline.work.is_idle and timeline.tracks.spectrogram.is_complete):
        if time.monotonic() > until:
            raise RuntimeError("the picture was never whole")
        app.processEvents()
        time.sleep(0.002)


def main() -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=2.0, help="length of the long take")
    parser.add_argument("--frames", type=int, default=60, help="steps of each kind")
    parser.add_argument("--live", type=float, metavar="SECONDS", help="make that much sound with the demo model")
    parser.add_argument("--engine", choices=("process", "thread"), default="process", help="where the model works")
    parser.add_argument("--silent", action="store_true", help="without a sound server: no times of sound")
    parser.add_argument("--why", action="store_true", help="tell where the window was when a beat was late")
    arguments = parser.parse_args()
    if arguments.live:
        from tests.live_speed import report

        return report(arguments.live, why=arguments.why, place=arguments.engine, sound=not arguments.silent)
    app = QApplication.instance() or QApplication([])
    apply_theme(app, "light")
    short = measure(app, arguments.hours * 3600 / 60, arguments.frames)
    long = measure(app, arguments.hours * 3600, arguments.frames)
    sys.stdout.write(f"{SIZE[0]} x {SIZE[1]}, {len(TRACKS)} tracks, {arguments.hours * 60:g} min of {RATE} Hz\n")
    sys.stdout.write(f"{'ms per frame':20}{'1/60':>10}{'whole':>10}{'ratio':>8}\n")
    for name, value in long.items():
        sys.stdout.write(f"{name:20}{short[name]:10.1f}{value:10.1f}{value / short[name]:8.1f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

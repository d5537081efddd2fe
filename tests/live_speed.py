"""How the real window lives while the demo model works: heartbeat, Stop, first sound. See ``gui_speed --live``."""

from __future__ import annotations

import collections
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "packaging"))

BEAT_MS = 10
AUDIBLE = 2e-3
PATIENCE = 300.0
TEXT = (
    "Good evening, and welcome to the last train of the day. It leaves at ten, calls at every town along the coast, "
    "and reaches the harbour a little after midnight. Please keep your tickets at hand, and mind the step."
)
STOPS = 10


class Heart(QObject):
    """A timer of 10 ms in the window's thread; what lies between two beats tells how long the window was held up."""

    def __init__(self) -> None:
        super().__init__()
        self.gaps: list[float] = []
        self.work: list[float] = []
        self.last = self.worked = 0.0
        self._timer = QTimer(self, interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        """Begin to count anew."""
        self.gaps, self.work, self.last, self.worked = [], [], time.perf_counter(), time.thread_time()
        self._timer.start()

    def stop(self) -> dict[str, float]:
        """End; returns milliseconds."""
        self._timer.stop()
        gaps = 1000 * np.asarray(self.gaps)
        return {
            "beats": float(len(gaps)),
            "median_ms": float(np.median(gaps)),
            "p99_ms": float(np.percentile(gaps, 99)),
            "max_ms": float(gaps.max()),
            "over_50_ms": float((gaps > 50).sum()),
            "work_p99_ms": float(np.percentile(1000 * np.asarray(self.work), 99)),
            "work_max_ms": 1000 * max(self.work),
            "work_share": float(sum(self.work) / sum(self.gaps)),
        }

    def _beat(self) -> None:
        now = time.perf_counter()
        worked = time.thread_time()
        self.gaps.append(now - self.last)
        self.work.append(worked - self.worked)
        self.last, self.worked = now, worked


class Why:
    """Where the window's thread is whenever a beat is late. It costs time itself: only to look for causes."""

    def __init__(self, heart: Heart, late_ms: float = 25.0) -> None:
        self._heart, self._late = heart, late_ms / 1000
        self._thread_id = threading.get_ident()
        self._stop = threading.Event()
        self.found: collections.Counter[str] = collections.Counter()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Why:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.004):
            if time.perf_counter() - self._heart.last > self._late:
                self.found[" < ".join(_places(self._thread_id, 4))] += 1


def _places(thread_id: int, most: int) -> list[str]:
    """Where a thread is, the innermost place first.

    A frame that is held outlives its function with all that it names: a painter would never end, and Qt crash.
    """
    frame, codes = sys._current_frames().get(thread_id), []
    while frame is not None and len(codes) < most:
        codes.append((frame.f_code, frame.f_lineno))
        frame = frame.f_back
    del frame
    return [f"{Path(code.co_filename).name}:{line}:{code.co_name}" for code, line in codes]


@dataclass
class Live:
    """Lets the window live."""

    _loop: QEventLoop = field(default_factory=QEventLoop)

    def until(self, ready: Callable[[], object], what: str) -> None:
        """Let the window live until ``ready``."""
        if ready():
            return
        over = time.monotonic() + PATIENCE
        while not ready():
            if time.monotonic() > over:
                raise RuntimeError(f"it never came: {what}")
            self.wait(0.005)

    def wait(self, seconds: float) -> None:
        """Let the window live for a while."""
        QTimer.singleShot(round(1000 * seconds), self._loop, self._loop.quit)
        self._loop.exec()


def first_window(starts: int = 5) -> float:
    """Seconds from the start of a process to its painted window, without torch: the median of some starts."""
    code = (
        "import time, sys\n"
        "from PySide6.QtWidgets import QApplication\n"
        "from app.application import Application\n"
        "qt = QApplication([])\n"
        "studio = Application(qt)\n"
        "def painted():\n"
        "    print(time.monotonic(), 'torch' in sys.modules, flush=True)\n"  # the clock is the machine's
        "    studio.window.close()\n"
        "from PySide6.QtCore import Qt\n"
        "studio.window.painted.connect(painted, Qt.ConnectionType.QueuedConnection)\n"
        "studio.show()\n"
        "qt.exec()\n"
        "studio.close()\n"
    )
    found = []
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": folder, "VOXCPM_DATA": str(Path(folder) / "data"),
            "VOXCPM_LOAD_AT_START": "no",
            # What is installed is compiled, which a source folder need not be; the first start compiles.
            "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(Path(folder) / "compiled"),
        }  # fmt: skip
        for _ in range(1 + starts):
            begun = time.monotonic()
            done = subprocess.run(
                [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=120
            )
            painted, torch = done.stdout.split()
            if torch != "False":
                raise RuntimeError("torch was imported before a model was loaded")
            found.append(float(painted) - begun)
    return float(np.median(found[1:]))


class Monitor:
    """What comes out of the sink, by the clock."""

    def __init__(self, sink: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.monitor_watch", sink], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, cwd=ROOT,
        )  # fmt: skip
        self._lines: list[tuple[float, float, float]] = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        while block := os.read(self._process.stdout.fileno(), 1 << 16):
            self._rest = getattr(self, "_rest", b"") + block
            *lines, self._rest = self._rest.split(b"\n")
            for line in lines:
                at, peak, step = map(float, line.split())
                self._lines.append((at, peak, step))

    def heard_from(self, since: float) -> float:
        """When something was heard first after ``since``; 0 for not yet."""
        return next((at for at, peak, _ in list(self._lines) if at >= since and peak > AUDIBLE), 0.0)

    def heard_until(self, since: float) -> float:
        """When something was heard last after ``since``; ``since`` itself when nothing was."""
        return max((at for at, peak, _ in list(self._lines) if at >= since and peak > AUDIBLE), default=since)

    def steepest(self, since: float, until: float) -> float:
        """The largest step between two samples."""
        return max((step for at, _, step in list(self._lines) if since <= at <= until), default=0.0)

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._thread.join(10)


def run(seconds: float, *, why: bool, place: str, sound: bool) -> dict[str, Any]:
    """Measure; see ``gui_speed --live``."""
    from desktop import SINK, null_sink

    os.environ["VOXCPM_ENGINE"] = place
    os.environ.setdefault("VOXCPM_PASSPHRASE", "so that takes last")
    with tempfile.TemporaryDirectory() as temporary, null_sink() if sound else contextlib.nullcontext():
        figures: dict[str, Any] = {"engine": place, "cores": os.cpu_count(), "load": os.getloadavg()[0]}
        figures["window_seconds"] = first_window()
        monitor = Monitor(SINK) if sound else None
        try:
            figures |= _live(Path(temporary), seconds, why, monitor)
        finally:
            if monitor is not None:
                monitor.close()
    return figures


LIMITS = {
    ("window_seconds",): 1.0,
    ("generating", "p99_ms"): 25.0,
    ("generating", "max_ms"): 50.0,
    ("generating", "underruns"): 0.0,
    ("first_sound_s", "median"): 0.4,
    ("stop", "acknowledged_s", "worst"): 0.05,
    ("stop", "silent_s", "worst"): 0.1,
    ("stop", "free_after_a_step_s"): 0.1,
}


def report(seconds: float, *, why: bool, place: str, sound: bool) -> int:
    """Measure and print: JSON, then every figure that has a limit. Returns 1 when one is missed."""
    figures = run(seconds, why=why, place=place, sound=sound)
    sys.stdout.write(json.dumps(figures) + "\n")
    idle, busy = figures["idle"], figures["generating"]
    for name in ("p99_ms", "max_ms"):
        ratio = busy[name] / idle[name]
        computing = busy["work_" + name]
        sys.stdout.write(
            f"gap {name:7} idle {idle[name]:6.1f}  generating {busy[name]:6.1f} (x {ratio:.1f}), "
            f"of which computing at most {computing:.1f}\n"
        )
    missed = 0
    for path, limit in LIMITS.items():
        value: Any = figures
        for name in path:
            value = value.get(name) if isinstance(value, dict) else None
        if value is not None:
            missed += value > limit
            verdict = "missed" if value > limit else "held"
            sys.stdout.write(f"{' '.join(path):32} {value:8.3f}  limit {limit:7.3f}  {verdict}\n")
    return 1 if missed else 0


def _live(folder: Path, seconds: float, why: bool, monitor: Monitor | None) -> dict[str, Any]:
    from app.application import Application

    (folder / "settings.json").write_text(json.dumps({"welcomed": True, "retries": 0}), encoding="utf-8")
    qt_app = QApplication.instance() or QApplication([])
    assert isinstance(qt_app, QApplication)
    studio = Application(qt_app, settings_file=folder / "settings.json", data_folder=folder / "data")
    live = Live()
    studio.language.use("en")
    studio.show()
    live.until(lambda: studio.engine.model is not None, "the model")
    live.wait(4.0)  # warmed up, and all that follows the start is done
    heart = Heart()
    heart.start()
    live.wait(8.0)
    figures: dict[str, Any] = {"idle": heart.stop()}
    with _asking_why(heart, why) as asked:
        figures["generating"] = _generating(studio, live, heart, seconds)
    if why:
        for place, count in asked.most_common(25):
            sys.stderr.write(f"{count:5} {place}\n")
    if monitor is not None:
        figures["first_sound_s"] = _spread(_first_sounds(studio, live, monitor))
        figures["stop"] = _stops(studio, live, monitor)
    figures["torch_in_window"] = "torch" in sys.modules
    begun = time.perf_counter()
    studio.window.close()
    figures["close_s"] = time.perf_counter() - begun
    return figures


@contextlib.contextmanager
def _asking_why(heart: Heart, why: bool) -> Iterator[collections.Counter[str]]:
    if not why:
        yield collections.Counter()
        return
    with Why(heart) as asked:
        yield asked.found


def _generating(studio: Any, live: Live, heart: Heart, seconds: float) -> dict[str, Any]:
    """Press Generate until there are that many seconds of sound, and play what is made."""
    compose = studio.window.compose
    compose.text.setPlainText(TEXT)
    live.wait(0.5)
    heart.start()
    begun = time.perf_counter()

    def made() -> float:
        return sum(take.seconds for take in studio.store.takes)

    while made() < seconds:
        if studio.engine.job is None or not studio.window.jobs.queue.waiting:
            compose.generate.click()
        before = made()
        live.until(lambda: made() >= min(seconds, before + 2.0) or studio.engine.job is None, "more sound")  # noqa: B023
    took = time.perf_counter() - begun
    beats = heart.stop()
    studio.window.jobs.stop()
    studio.window.jobs.stop()
    live.until(lambda: studio.engine.job is None, "the end of the job")
    return {**beats, "sound_s": made(), "took_s": took, "underruns": studio.player.underruns}


def _spread(values: list[float]) -> dict[str, float]:
    return {"median": float(np.median(values)), "worst": float(max(values)), "count": float(len(values))}


def _first_sounds(studio: Any, live: Live, monitor: Monitor) -> list[float]:
    found = []
    for _ in range(STOPS):
        _silence(studio, live, monitor)
        pressed = time.monotonic()
        studio.window.compose.generate.click()
        live.until(lambda: monitor.heard_from(pressed), "the first sound")  # noqa: B023
        found.append(monitor.heard_from(pressed) - pressed)
        studio.window.jobs.stop()
    return found


def _silence(studio: Any, live: Live, monitor: Monitor) -> None:
    studio.player.stop()
    live.until(lambda: studio.engine.job is None, "an idle engine")
    live.wait(1.5)  # the device is closed, and what it had is played


def _stops(studio: Any, live: Live, monitor: Monitor) -> dict[str, Any]:
    said, silent, free, steps = [], [], [], []
    freed: list[float] = []
    studio.engine.job_ended.connect(lambda ended: freed.append(time.monotonic()))
    for _ in range(STOPS):
        _silence(studio, live, monitor)
        pressed = time.monotonic()
        studio.window.compose.generate.click()
        live.until(lambda: monitor.heard_from(pressed), "the first sound")  # noqa: B023
        live.wait(0.3)
        freed.clear()
        painted: list[float] = []
        pressed = time.monotonic()
        studio.window.compose.stop.click()
        QTimer.singleShot(0, lambda: painted.append(time.monotonic()))  # noqa: B023 - once what was shown is painted
        live.until(lambda: freed and painted, "the end of the job")  # noqa: B023
        live.wait(0.8)
        said.append(painted[0] - pressed)
        free.append(freed[0] - pressed)
        silent.append(monitor.heard_until(pressed) - pressed)
        steps.append(monitor.steepest(pressed, pressed + 0.7))
    take = studio.store.takes[0]
    step = float(np.median(take.result.patch_seconds)) if take.result is not None else 0.0
    return {
        "acknowledged_s": _spread(said),
        "silent_s": _spread(silent),
        "free_s": _spread(free),
        "one_step_s": step,
        "free_after_a_step_s": max(0.0, max(free) - step),
        "steepest_step": max(steps),
    }

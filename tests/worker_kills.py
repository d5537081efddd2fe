"""The model's process is killed while it works, and the studio is closed while it works; nothing may be lost.

    python -m tests.worker_kills                       # 50 kills, 100 closings
    python -m tests.worker_kills --kills 5 --closings 6

The whole studio runs offscreen with the demo model in a process of its own, and with a sound device that goes nowhere.
A kill comes after a random number of patches; then the job has to end with the part that was heard, the part has to be
in the library of the next start, and the model has to be back. A closing comes at a random moment while the model is
loaded, takes are made, or a take is saved; the program has to end with exit code 0, without a word of Qt, and what was
being saved has to be there. Prints a line for each on standard error and figures at the end, and exits with 1 when a
promise was not kept. What the machine is busy with counts: --allow gives more time.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

ROOT = Path(__file__).resolve().parents[1]
TEXT = "Good evening, and welcome to the last train of the day, which calls at every town along the coast."
BACK_SECONDS, CLOSE_SECONDS = 3.0, 3.0
MOMENTS = ("load", "generate", "export")
HARMLESS = ("propagateSizeHints", "QFontDatabase")

CLOSING = """
import faulthandler, random, sys, time
from pathlib import Path
from PySide6.QtCore import QTimer
from app.application import Application
from tests.app.fake_audio import FakeAudio
import app.__main__ as program

when, seed, target = sys.argv[1], int(sys.argv[2]), sys.argv[3]
random.seed(seed)

class Closed(Application):
    def __init__(self, qt_app, **options):
        super().__init__(qt_app, backend=FakeAudio(), **options)
        self.settings.set("welcomed", True)
        self.settings.set("quality_card", False)
        window, engine = self.window, self.engine
        def close_in(most):
            def close():
                print("closing at", time.monotonic(), flush=True)
                faulthandler.dump_traceback_later(LIMIT, file=sys.stdout)  # where it stands when it takes too long
                window.close()
            QTimer.singleShot(round(1000 * random.uniform(0.0, most)), close)
        def generate():
            window.compose.text.setPlainText(TEXT)
            window.compose.advanced.max_patches.setValue(6 if when == "export" else 400)
            window.compose.generate.click()
        def save(ended):
            window.save_take(self.store.takes[0], target)
            close_in(0.3)
        if when == "load":
            engine.load_started.connect(lambda folder: close_in(3.0))
        else:
            engine.model_loaded.connect(lambda model: QTimer.singleShot(0, generate))
        if when == "generate":
            engine.job_started.connect(lambda job: close_in(2.0))
        elif when == "export":
            engine.job_ended.connect(save)
program.Application = Closed
sys.exit(program.main([]))
"""


def kill(times: int, folder: Path) -> dict[str, Any]:
    """Kill the model's process that often; returns what was measured."""
    from PySide6.QtWidgets import QApplication

    from app.application import Application
    from tests.app.fake_audio import FakeAudio
    from tests.live_speed import Live

    (folder / "settings.json").write_text(
        json.dumps({"welcomed": True, "quality_card": False, "play_while_made": False}), encoding="utf-8"
    )
    qt_app = QApplication.instance() or QApplication([])
    assert isinstance(qt_app, QApplication)
    studio = Application(
        qt_app, settings_file=folder / "settings.json", data_folder=folder / "data", backend=FakeAudio()
    )
    studio.language.use("en")
    engine, live = studio.engine, Live()
    heard: dict[int, int] = {}
    ended: list[Any] = []
    engine.chunk_arrived.connect(
        lambda chunk: heard.__setitem__(chunk.job_id, heard.get(chunk.job_id, 0) + chunk.samples.size)
    )
    engine.job_ended.connect(ended.append)
    begun = time.monotonic()
    studio.show()
    live.until(lambda: engine.model is not None, "the model")
    load_seconds = time.monotonic() - begun
    backs, wrong = [], []
    chosen = random.Random(5)
    for number in range(times):
        ended.clear()
        studio.window.compose.text.setPlainText(TEXT)
        studio.window.compose.generate.click()
        live.until(lambda: engine.job is not None, "a job")
        job = engine.job
        assert job is not None
        patches = chosen.randrange(0, 12)
        takes = studio.store.of_job(job.job_id)
        live.until(lambda: takes[0].patches >= patches or ended, "some patches")  # noqa: B023
        child = engine.process_id
        at = time.monotonic()
        os.kill(child, signal.SIGKILL)
        live.until(lambda: ended and engine.model is not None and engine.process_id not in (0, child), "the model")  # noqa: B023
        backs.append(time.monotonic() - at)
        failure = ended[0].failure
        kept = sum(len(take.samples) for take in takes if studio.store.find(take.uid) is take)
        if kept != heard.get(job.job_id, 0) or (failure is None and not takes[0].result):
            wrong.append(number)
        _say(f"kill {number + 1} of {times}, after {patches} patches: back in {backs[-1]:.2f} s, {kept} samples kept,")
        _say(f" {len(wrong)} wrong so far; {_held()}\n")
        studio.window.notice.hide()
    listed = {take.uid: len(take.samples) for take in studio.store.takes if take.seconds > 0}
    live.until(lambda: all(take.kept for take in studio.store.takes if take.seconds > 0), "the takes on the disk")
    studio.window.close()
    return {
        "kills": times,
        "load_s": load_seconds,
        "back_median_s": float(np.median(backs)),
        "back_worst_s": max(backs),
        "parts_not_as_heard": len(wrong),
        "takes": len(listed),
        "takes_lost": _lost(folder / "data", listed),
        "ended_cleanly": studio.ended_cleanly,
    }


def _say(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _held() -> str:
    """What this process holds on to; it must not grow with every kill."""
    import psutil

    own = psutil.Process()
    mebibytes = own.memory_info().rss >> 20
    return f"{own.num_threads()} threads, {own.num_fds()} open files, {len(own.children())} children, {mebibytes} MiB"


def _lost(folder: Path, listed: dict[str, int]) -> int:
    """How many takes the next start would not find, or not whole."""
    from app.core.library import Library

    lost = 0
    with Library(folder) as library:
        for uid, samples in listed.items():
            try:
                lost += len(library.takes.sound(uid).samples) != samples
            except Exception as error:
                _say(f"{type(error).__name__}: {error}\n")
                lost += 1
    return lost


def close(times: int, folder: Path, limit: float, moments: Sequence[str] = MOMENTS) -> dict[str, Any]:
    """Close the studio that often while it works; returns what was measured."""
    script = folder / "closing.py"
    script.write_text(CLOSING.replace("TEXT", repr(TEXT)).replace("LIMIT", repr(limit)), encoding="utf-8")
    took: dict[str, list[float]] = {when: [] for when in moments}
    wrong: list[str] = []
    for number in range(times):
        when = tuple(took)[number % len(took)]
        place = folder / f"run-{number}"
        target = place / "saved.wav"
        place.mkdir()
        environment = {
            **os.environ, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(place / "config"),
            "XDG_STATE_HOME": str(place / "state"), "VOXCPM_DATA": str(place / "data"), "LC_ALL": "C.UTF-8",
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, str(script), when, str(number), str(target)], env=environment, capture_output=True,
            text=True, timeout=300, check=False,
        )  # fmt: skip
        gone = time.monotonic()
        said = [line for line in done.stderr.splitlines() if not any(word in line for word in HARMLESS)]
        at = [line for line in done.stdout.splitlines() if line.startswith("closing at")]
        if not at:
            wrong.append(f"{number} {when}: it was never closed: {said[-3:]}")
            continue
        took[when].append(gone - float(at[0].removeprefix("closing at")))
        if done.returncode or said:
            wrong.append(f"{number} {when}: exit code {done.returncode}, {said[-3:]}")
        if when == "export" and (not target.exists() or target.stat().st_size < 1000):
            wrong.append(f"{number} {when}: what was being saved is not there")
        if took[when][-1] > limit:
            _say(done.stdout)
        _say(f"closing {number + 1} of {times}, {when}: {took[when][-1]:.2f} s, {len(wrong)} wrong so far\n")
    figures = {name: {"count": len(seconds), "worst_s": max(seconds, default=0.0)} for name, seconds in took.items()}
    return {"closings": times, **figures, "wrong": wrong}


def main() -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--closings", type=int, default=100)
    parser.add_argument("--during", action="append", choices=MOMENTS, help="close only then (default: each in turn)")
    parser.add_argument("--allow", type=float, default=1.0, help="how much longer everything may take")
    arguments = parser.parse_args()
    os.environ.setdefault("VOXCPM_PASSPHRASE", "so that takes last")
    failed = False
    with tempfile.TemporaryDirectory(prefix="voxcpm-kills-") as temporary:
        if arguments.kills:
            place = Path(temporary) / "kills"
            place.mkdir()
            killed = kill(arguments.kills, place)
            sys.stdout.write(json.dumps(killed) + "\n")
            sys.stdout.flush()
            limit = (BACK_SECONDS + killed["load_s"]) * arguments.allow
            lost = killed["parts_not_as_heard"] + killed["takes_lost"]
            failed |= bool(lost) or killed["back_worst_s"] > limit or not killed["ended_cleanly"]
        if arguments.closings:
            place = Path(temporary) / "closings"
            place.mkdir()
            moments = tuple(arguments.during or MOMENTS)
            closed = close(arguments.closings, place, CLOSE_SECONDS * arguments.allow, moments)
            sys.stdout.write(json.dumps(closed) + "\n")
            worst = max(closed[name]["worst_s"] for name in moments)
            failed |= bool(closed["wrong"]) or worst > CLOSE_SECONDS * arguments.allow
    sys.stdout.write("not kept\n" if failed else "all kept\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

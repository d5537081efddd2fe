"""An X display and a sound server of our own, for scripts that run the studio on a machine without either."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

SINK = "studio_out"
MONITOR_RATE = 48000


@contextlib.contextmanager
def x_display(size: str = "1920x1200") -> Iterator[None]:
    """Use the display that there is, or start Xvfb; DISPLAY is set inside."""
    if os.environ.get("DISPLAY"):
        yield
        return
    reader, writer = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{size}x24", "-nolisten", "tcp"],
        pass_fds=[writer],
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    try:
        with os.fdopen(reader) as answer:
            number = answer.readline().strip()
        if not number:
            raise RuntimeError("Xvfb did not start")
        os.environ["DISPLAY"] = f":{number}"
        yield
    finally:
        os.environ.pop("DISPLAY", None)
        server.terminate()
        server.wait(10)


@contextlib.contextmanager
def null_sink() -> Iterator[None]:
    """Use the PulseAudio server that there is, or start one; its default output is a sink that goes nowhere."""
    if _pulse_answers():
        subprocess.run(
            ["pactl", "load-module", "module-null-sink", f"sink_name={SINK}", f"rate={MONITOR_RATE}"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        subprocess.run(["pactl", "set-default-sink", SINK], check=True)
        yield
        return
    with tempfile.TemporaryDirectory(prefix="studio-pulse-") as folder:
        Path(folder).chmod(0o700)
        before = os.environ.get("XDG_RUNTIME_DIR")
        os.environ["XDG_RUNTIME_DIR"] = folder
        server = subprocess.Popen(
            ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--disallow-exit",
             "-L", "module-native-protocol-unix",
             "-L", f"module-null-sink sink_name={SINK} rate={MONITOR_RATE} channels=2 format=s16le"],
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            _wait_until(_pulse_answers, "PulseAudio did not start")
            subprocess.run(["pactl", "set-default-sink", SINK], check=True)
            yield
        finally:
            server.terminate()
            server.wait(10)
            if before is None:
                os.environ.pop("XDG_RUNTIME_DIR", None)
            else:
                os.environ["XDG_RUNTIME_DIR"] = before


class Recording:
    """What comes out of the sink's monitor, from ``with`` on; float32 mono at MONITOR_RATE."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> Recording:
        self._file = self._path.open("wb")
        self._recorder = subprocess.Popen(
            ["parec", "-d", f"{SINK}.monitor", f"--rate={MONITOR_RATE}", "--channels=1", "--format=s16le", "--raw",
             "--latency-msec=20"],
            stdout=self._file,
        )  # fmt: skip
        # A sink without listeners works two seconds ahead; what it has done by now has to pass first.
        _wait_until(lambda: self.seconds > 2.5, "nothing comes out of the monitor")
        return self

    def __exit__(self, *error: object) -> None:
        self._recorder.terminate()
        self._recorder.wait(10)
        self._file.close()

    @property
    def seconds(self) -> float:
        """Length so far."""
        return self._path.stat().st_size / 2 / MONITOR_RATE

    def samples(self) -> np.ndarray:
        """Everything so far."""
        data = self._path.read_bytes()
        return np.frombuffer(data[: len(data) // 2 * 2], np.int16).astype(np.float32) / 32768


def live(milliseconds: int) -> None:
    """Let the window live for a while. QTest.qWait keeps Python's lock, so the engine would starve."""
    from PySide6.QtCore import QEventLoop, QTimer

    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def missing_programs(*names: str) -> list[str]:
    """Return which of these programs are not installed."""
    return [name for name in names if shutil.which(name) is None]


def _pulse_answers() -> bool:
    return subprocess.run(["pactl", "info"], capture_output=True, check=False).returncode == 0


def _wait_until(ready: object, problem: str, seconds: float = 15.0) -> None:
    until = time.monotonic() + seconds
    while not ready():  # type: ignore[operator]
        if time.monotonic() > until:
            raise RuntimeError(problem)
        time.sleep(0.05)

"""What one hostile input costs and touches: time, memory, processes, and files that are written.

What the kernel says of a child that has ended (``ru_maxrss``) is no less than what its parent had when it was started,
so beside a parent with torch in it a child's own memory cannot be told from it. Every Python child therefore tells its
own peak when it ends (``peak/sitecustomize.py``); of one that is killed from here it is read just before.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HANGS = 6.0  # seconds of the processor in this process after which an input is given up
_PEAK = Path(__file__).with_name("peak")
_REPORT = "VOXCPM_TEST_PEAKS"  # names the pipe; see peak/sitecustomize.py
_WRITES = {"open", "os.rename", "os.mkdir", "os.link", "os.symlink", "os.remove", "os.truncate"}


@dataclass
class Cost:
    """Of one input: processor and wall seconds, MiB that it added at most, and what was written outside."""

    processor: float = 0.0
    wall: float = 0.0
    mebibytes: float = 0.0
    outside: list[str] = field(default_factory=list)


class _Watch:
    """Sees what this process writes and what its children cost. Audit hooks stay for ever, so there is one."""

    def __init__(self) -> None:
        self.allowed: tuple[str, ...] | None = None
        self.outside: list[str] = []
        self.children_seconds = 0.0
        self.children_kib = 0
        self._own_kib: dict[int, int] = {}  # what children told of themselves
        self.pipe = Path(tempfile.mkdtemp(prefix="voxcpm-peaks-")) / "pipe"
        os.mkfifo(self.pipe)
        self._told = os.open(self.pipe, os.O_RDWR | os.O_NONBLOCK)
        atexit.register(shutil.rmtree, self.pipe.parent, ignore_errors=True)
        self._signal = subprocess.Popen.send_signal
        sys.addaudithook(self._hook)
        os.waitpid = self._waitpid  # type: ignore[assignment]
        subprocess.Popen.poll = _poll  # type: ignore[method-assign]
        subprocess.Popen.send_signal = lambda process, number: self._end(process, number)  # type: ignore[method-assign]

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.allowed is None or event not in _WRITES:
            return
        if event == "open":
            path, _, flags = arguments
            if not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                return
            targets = [path]
        else:
            targets = [each for each in arguments[:2] if isinstance(each, str | bytes | os.PathLike)]
        for target in targets:
            if isinstance(target, int):
                continue
            place = os.path.realpath(os.fsdecode(target))
            if not place.startswith(self.allowed) and "__pycache__" not in place:
                self.outside.append(f"{event} {place}")

    def _waitpid(self, pid: int, options: int) -> tuple[int, int]:
        found, status, usage = os.wait4(pid, options)
        if found:
            self.children_seconds += usage.ru_utime + usage.ru_stime
            self._listen()
            # One that fell told nothing, and its peak was at most this.
            self.children_kib = max(self.children_kib, self._own_kib.pop(found, usage.ru_maxrss))
        return found, status

    def _end(self, process: subprocess.Popen[Any], number: int) -> None:
        if process.returncode is None:
            with contextlib.suppress(OSError, StopIteration):  # on its way out: it has told
                self._own_kib[process.pid] = _status("VmHWM", process.pid)
        self._signal(process, number)

    def _listen(self) -> None:
        told = b""
        with contextlib.suppress(BlockingIOError):
            while True:
                told += os.read(self._told, 1 << 16)
        for line in told.decode().splitlines():
            pid, kib = line.split()
            self._own_kib[int(pid)] = int(kib)


def _poll(process: subprocess.Popen[Any]) -> int | None:
    """Look whether it has ended, by ``os.waitpid``: Python's own asks the system past it."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(0)
    return process.returncode


_watch: _Watch | None = None


@contextlib.contextmanager
def measured(*allowed: Path) -> Iterator[Cost]:
    """Measure what happens inside; writing is allowed below ``allowed`` and into /dev/null alone."""
    global _watch
    _watch = _watch or _Watch()
    cost = Cost()
    _watch.allowed = ("/dev/null", f"/proc/{os.getpid()}/clear_refs", *(os.path.realpath(place) for place in allowed))
    _watch.outside, _watch.children_seconds, _watch.children_kib = [], 0.0, 0
    before = _reset_peak()
    signal.signal(signal.SIGPROF, _give_up)
    signal.setitimer(signal.ITIMER_PROF, HANGS)
    processor, wall = time.process_time(), time.perf_counter()
    kept = {name: os.environ.get(name) for name in ("PYTHONPATH", _REPORT)}
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(_PEAK), kept["PYTHONPATH"])))
    os.environ[_REPORT] = str(_watch.pipe)
    try:
        yield cost
    finally:
        _watch.allowed = None
        for name, value in kept.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        cost.wall = time.perf_counter() - wall
        cost.processor = time.process_time() - processor + _watch.children_seconds
        signal.setitimer(signal.ITIMER_PROF, 0)
        cost.mebibytes = max((_status("VmHWM") - before) / 1024, _watch.children_kib / 1024)
        cost.outside = _watch.outside


def _give_up(number: int, frame: object) -> None:
    raise TimeoutError(f"no end after {HANGS:g} s of the processor")


def _reset_peak() -> int:
    """Let the peak of this process begin anew; return what it has now, in KiB."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _status(name: str, pid: int | str = "self") -> int:
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name))

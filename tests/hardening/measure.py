"""What one hostile input costs and touches: time, memory, processes, and files that are written."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HANGS = 6.0  # seconds of the processor in this process after which an input is given up
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
        self.own_kib = 0
        sys.addaudithook(self._hook)
        os.waitpid = self._waitpid  # type: ignore[assignment]

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
            # Until it runs its own program a child is this process, whose memory stays in its peak. So one that never
            # had more tells nothing: beside a large process, one with torch loaded say, small children go unmeasured.
            if usage.ru_maxrss > max(_status("VmHWM"), self.own_kib):
                self.children_kib = max(self.children_kib, usage.ru_maxrss)
        return found, status


_watch: _Watch | None = None


@contextlib.contextmanager
def measured(*allowed: Path) -> Iterator[Cost]:
    """Measure what happens inside; writing is allowed below ``allowed`` and into /dev/null alone."""
    global _watch
    _watch = _watch or _Watch()
    cost = Cost()
    _watch.allowed = ("/dev/null", f"/proc/{os.getpid()}/clear_refs", *(os.path.realpath(place) for place in allowed))
    _watch.outside, _watch.children_seconds, _watch.children_kib = [], 0.0, 0
    before = _watch.own_kib = _reset_peak()
    signal.signal(signal.SIGPROF, _give_up)
    signal.setitimer(signal.ITIMER_PROF, HANGS)
    processor, wall = time.process_time(), time.perf_counter()
    try:
        yield cost
    finally:
        _watch.allowed = None
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


def _status(name: str) -> int:
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name))

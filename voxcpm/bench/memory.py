"""Peak memory of this process, as the kernel counts it."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

_SAMPLE_SECONDS = 0.005


class PeakMemory:
    """Peak of anonymous memory between entry and exit, in bytes beyond the level at entry.

    Reads the kernel's own figures (Linux): mapped files can be dropped by the system at any time and are no cost of
    ours. Elsewhere the process's overall peak is taken, mapped files and all.
    """

    def __init__(self) -> None:
        self.peak = 0
        self.kind = "anonymous pages" if _anonymous_bytes() is not None else "whole process"
        self._base = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="memory", daemon=True)

    def __enter__(self) -> PeakMemory:
        self._base = _held_bytes()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        self.note()

    def note(self) -> None:
        """Look now, besides the regular looks."""
        self.peak = max(self.peak, _held_bytes() - self._base)

    def _watch(self) -> None:
        while not self._done.wait(_SAMPLE_SECONDS):
            self.note()


def _held_bytes() -> int:
    anonymous = _anonymous_bytes()
    if anonymous is not None:
        return anonymous
    try:
        import resource
    except ImportError:  # Windows
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _anonymous_bytes() -> int | None:
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    sizes = {name: value for name, _, value in (line.partition(":") for line in lines)}
    if "RssAnon" not in sizes:
        return None
    return sum(int(sizes.get(name, "0 kB").split()[0]) * 1024 for name in ("RssAnon", "RssShmem"))

"""The process that an engine runs in: started, watched, ended."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from app.core.messages import Failure
from app.engine.link import Frames, Handler, Link

log = logging.getLogger(__name__)

_ROOT = Path(__file__).resolve().parents[2]
_END_SECONDS = 5.0
_LAST_WORDS = 64  # lines of its standard error

_KILLED = Failure(
    "The engine was ended by the system, which happens when memory runs out. What was made is kept. Use 16 bits, the "
    "processor or a smaller model, or close other programs.",
    code="crash.memory",
)
_HUNG = Failure(
    "The engine did not answer any more and was ended. What was made is kept. Try again; if it comes back, use another "
    "device or precision.",
    code="crash.hung",
)
_CRASHED = Failure(
    "The engine stopped unexpectedly. What was made is kept. Try again; if it comes back, use another device or "
    "precision.",
    code="crash",
)


@dataclass(frozen=True)
class Patience:
    """How long an engine may say nothing, in seconds: ``idle`` while it does not even compute, ``silent`` in any case.

    A step, or the reading of a large file, takes seconds; a graphics driver that has died, or a disk that is gone,
    never answers and costs no processor time.
    """

    idle: float = 60.0
    silent: float = 900.0
    look: float = 1.0  # how often it is looked at


class ChildProcess:
    """A running child with the link to it. Ends with this process, however that ends: its input is closed then."""

    def __init__(
        self,
        module: Sequence[str],
        handlers: Mapping[str, Handler],
        patience: Patience,
        on_end: Callable[[], object] = lambda: None,
    ) -> None:
        """``module`` is what Python runs, with its arguments; ``handlers`` answer what the child asks.

        ``on_end`` is called when the child ends, by itself or not, in a thread of its own.
        """
        variables = dict(os.environ)
        paths = [str(_ROOT), variables.get("PYTHONPATH", "")]
        variables["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", *module],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=variables,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._patience = patience
        self._said: deque[bytes] = deque(maxlen=_LAST_WORDS)
        self._listener = threading.Thread(target=self._listen, args=(self._process.stderr,), daemon=True)
        self._listener.start()
        self._on_end = on_end
        self.has_ended = False
        frames = Frames(cast(BinaryIO, self._process.stdout), cast(BinaryIO, self._process.stdin))
        self.link = Link(frames, handlers, tuple(handlers), self._ended)
        self._hung = False
        self._watch: Any = None
        self.calm_down()
        log.info("Process %d was started (%s)", self._process.pid, module[0])

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def _ended(self) -> None:
        self.has_ended = True
        self._on_end()

    def calm_down(self) -> None:
        """It has been asked something just now: its time counts from here."""
        now = time.monotonic()
        self._heard, self._heard_at, self._worked_at, self._look_at = -1, now, now, now
        self._cost = 0.0

    def look_after(self) -> None:
        """To be called while an answer is waited for: kill it when it says nothing for too long."""
        now = time.monotonic()
        if self.link.heard != self._heard:
            self._heard, self._heard_at, self._worked_at = self.link.heard, now, now
        if now < self._look_at:
            return
        self._look_at = now + self._patience.look
        cost = self._processor_seconds()
        if cost - self._cost > 0.01 * self._patience.look:
            self._worked_at = now
        self._cost = cost
        if now - self._worked_at > self._patience.idle or now - self._heard_at > self._patience.silent:
            log.error("The engine's process has not answered for %.0f s", now - self._heard_at)
            self._hung = True
            self.kill()

    def kill(self) -> None:
        """End it at once; from any thread. Whoever waits for it is told that it has gone."""
        with contextlib.suppress(OSError):
            self._process.kill()

    def end(self) -> None:
        """Let it go: it frees its memory and nothing else has to be done."""
        self.link.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        self._close()

    def post_mortem(self) -> Failure:
        """Wait for the end of one that has gone; returns what happened, for people."""
        try:
            code = self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:  # it has closed its output, and lives
            self.kill()
            code = self._process.wait()
        self._close()
        failure = _HUNG if self._hung else _KILLED if code == -getattr(signal, "SIGKILL", 9) else _CRASHED
        log.error("The engine's process ended with %d", code)
        said = b"".join(self._said).decode("utf-8", "replace").strip()
        return Failure(failure.message, details=f"exit code {code}\n{said}".strip(), code=failure.code)

    def _close(self) -> None:
        self._listener.join(_END_SECONDS)
        self.link.close()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _listen(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in stream:
                self._said.append(line[:1000])

    def _processor_seconds(self) -> float:
        """Processor time that it has taken so far, and reading as time, since a slow disk is no fault either."""
        import psutil

        try:
            if self._watch is None:
                self._watch = psutil.Process(self._process.pid)
            times = self._watch.cpu_times()
            read = self._watch.io_counters().read_bytes if hasattr(self._watch, "io_counters") else 0
        except psutil.Error:
            return self._cost
        return float(times.user + times.system) + read / 1e8

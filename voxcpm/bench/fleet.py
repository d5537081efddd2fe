"""Workers by what they have loaded, taking turns."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any

from voxcpm.errors import VoxCPMError

logger = logging.getLogger(__name__)


class BenchError(VoxCPMError):
    """A measuring process ended; its own words are on standard error."""


class Worker:
    """One process of :mod:`voxcpm.bench.worker`."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "voxcpm.bench.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.described = self.ask(order)

    def ask(self, job: dict[str, Any]) -> dict[str, Any]:
        """Send a job and wait for its answer."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(job) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            code = self._process.wait()
            raise BenchError(f"the measuring process ended with code {code}; see its message above")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise BenchError(answer["error"])
        return answer

    def close(self) -> None:
        """Let it end by itself."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


class Fleet:
    """Starts workers when they are first needed. With ``keep`` False only one lives at a time (little memory)."""

    def __init__(self, order: Callable[[tuple[str, bool]], dict[str, Any]], *, keep: bool) -> None:
        self._order, self._keep = order, keep
        self._workers: dict[tuple[str, bool], Worker] = {}

    def __enter__(self) -> Fleet:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close_all()

    def worker(self, model: tuple[str, bool]) -> Worker:
        """The worker with that model, loaded now if need be."""
        if model not in self._workers:
            if not self._keep:
                self._close_all()
            logger.info("loading %s", " ".join((*(("plain",) if model[1] else ()), model[0])))
            self._workers[model] = Worker(self._order(model))
        return self._workers[model]

    def _close_all(self) -> None:
        for worker in self._workers.values():
            worker.close()
        self._workers.clear()

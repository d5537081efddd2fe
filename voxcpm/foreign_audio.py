"""Recordings of whatever origin, read in a child process: a fault or a bomb of the decoder ends nothing but that.

Training and evaluation read whole folders that somebody put together. One child, with limits of memory and of time for
each recording, reads them one after another; one that fell or hung is replaced.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np

from voxcpm.audio_file import Finding, Recording
from voxcpm.errors import AudioError
from voxcpm.reading_child import CPU_SECONDS

_ROOT = Path(__file__).resolve().parents[1]
PATIENCE_SECONDS = 2.0 * CPU_SECONDS
"""Of the clock, for one recording; the child's own limit counts what it works."""


def read_audio(path: Path, *, max_seconds: float | None = None) -> Recording:
    """:func:`voxcpm.audio_file.read_audio` of a file, with the same result and errors.

    Raises AudioError, with the reason ``not_audio`` where the decoder fell, hung, or wanted too much memory.
    """
    said, data = _reader.ask(path, max_seconds=max_seconds, probe=False)
    findings = tuple(Finding(**found) for found in said["findings"])
    samples = np.frombuffer(data, "<f4").astype(np.float32)
    return Recording(samples, said["sample_rate"], said["channels"], said["seconds"], findings, said["start_seconds"])


def probe_audio(path: Path) -> tuple[float, int, int]:
    """:func:`voxcpm.audio_file.probe_audio`: (seconds, Hz, channels) by the header. Raises as :func:`read_audio`."""
    said, _ = _reader.ask(path, max_seconds=None, probe=True)
    seconds, rate, channels = said["probe"]
    return float(seconds), int(rate), int(channels)


def end_child() -> None:
    """End the child; the next recording gets another."""
    _reader.close()


class _Reader:
    """The child, made when something is asked; a process that was forked off makes its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._owner = 0
        atexit.register(self.close)

    def ask(self, path: Path, **options: Any) -> tuple[dict[str, Any], bytes]:
        """What the child says of one file, and the samples as bytes."""
        question = json.dumps({"path": str(Path(path).absolute()), **options}).encode() + b"\n"
        with self._lock:
            child = self._running()
            assert child.stdin is not None and child.stdout is not None
            patience = threading.Timer(PATIENCE_SECONDS, child.kill)
            patience.daemon = True
            patience.start()
            try:
                child.stdin.write(question)
                child.stdin.flush()
                said = json.loads(child.stdout.readline())
                size = 4 * said.get("samples", 0)
                data = child.stdout.read(size)
                if len(data) != size:
                    raise ValueError
            except (OSError, ValueError) as error:
                self._end()
                name = Path(path).name
                raise AudioError("not_audio", f"{name} cannot be read; do not use this file") from error
            except BaseException:  # stopped in the middle of an answer, the rest of which is for nobody
                self._end()
                raise
            finally:
                patience.cancel()
        if "reason" in said:
            raise AudioError(said["reason"], said["message"])
        return said, data

    def close(self) -> None:
        with self._lock:
            self._end()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is not None and (self._owner != os.getpid() or self._child.poll() is not None):
            self._end()
        if self._child is None:
            argv = [sys.executable, "-m", "voxcpm.reading_child"]
            self._child = subprocess.Popen(
                argv, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            self._owner = os.getpid()
        return self._child

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is None or self._owner != os.getpid():
            return
        child.kill()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:  # what it never took
                    continue
        child.wait()


_reader = _Reader()

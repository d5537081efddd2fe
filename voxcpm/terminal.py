"""What the command line writes: a progress line on stderr, JSON on stdout, and one exit code per kind of failure."""

from __future__ import annotations

import json
import math
import sys
import time
from typing import Any, TextIO

from voxcpm.errors import (
    AudioError,
    Cancelled,
    CheckpointError,
    ConfigError,
    ConsentError,
    DatasetError,
    DownloadError,
    RequestError,
)

EXIT_OK = 0
EXIT_FAULT = 1
EXIT_REQUEST = 2
EXIT_AUDIO = 3
EXIT_CHECKPOINT = 4
EXIT_CONSENT = 5
EXIT_DOWNLOAD = 6
EXIT_OUTPUT = 7
EXIT_CANCELLED = 130

EXIT_HELP = """\
exit codes:
  0    done
  1    a fault of this program (run again with -v for the details)
  2    the command line or a request was refused before any work
  3    an audio file can be neither used nor mended
  4    the model folder is incomplete, damaged or of a kind that this program does not run
  5    a voice may not be used: consent is missing
  6    a download failed (what was fetched is kept and resumed)
  7    an output file cannot be written or already exists
  130  stopped with Ctrl+C; the part that was finished is kept
"""

_CODES: tuple[tuple[type[BaseException], int, str], ...] = (
    (RequestError, EXIT_REQUEST, "request"),
    (AudioError, EXIT_AUDIO, "audio"),
    (DatasetError, EXIT_REQUEST, "dataset"),
    (ConfigError, EXIT_CHECKPOINT, "checkpoint"),
    (CheckpointError, EXIT_CHECKPOINT, "checkpoint"),
    (ConsentError, EXIT_CONSENT, "consent"),
    (DownloadError, EXIT_DOWNLOAD, "download"),
    (Cancelled, EXIT_CANCELLED, "cancelled"),
    (KeyboardInterrupt, EXIT_CANCELLED, "cancelled"),
)


def classify(error: BaseException) -> tuple[int, str]:
    """Return the exit code of a failure and the word for its kind."""
    for kind, code, word in _CODES:
        if isinstance(error, kind):
            return code, word
    return EXIT_FAULT, "fault"


def write_json(value: Any) -> None:
    """Write one JSON object and a newline to stdout. Numbers that JSON does not know (NaN) become null."""
    sys.stdout.write(json.dumps(_plain(value), ensure_ascii=False, indent=2, allow_nan=False) + "\n")
    sys.stdout.flush()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def note(text: str) -> None:
    """Tell a person something on stderr."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


class ProgressLine:
    """One line on ``stream`` that is written over again and again. Without ``enabled`` it writes nothing."""

    _EVERY = 0.1  # seconds
    _WIDTH = 24

    def __init__(self, stream: TextIO, *, enabled: bool) -> None:
        self._stream = stream
        self._enabled = enabled
        self._shown = 0
        self._next = 0.0

    def show(self, fraction: float, text: str) -> None:
        """Draw the bar at ``fraction`` (0..1) with ``text`` behind it, unless it was drawn a moment ago."""
        if not self._enabled or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self._EVERY
        full = round(self._WIDTH * min(max(fraction, 0.0), 1.0))
        line = f"[{'#' * full}{'.' * (self._WIDTH - full)}] {text}"
        self._stream.write("\r" + line.ljust(self._shown))
        self._stream.flush()
        self._shown = len(line)

    def clear(self) -> None:
        """Take the line away, so that something else can be written."""
        if self._enabled and self._shown:
            self._stream.write("\r" + " " * self._shown + "\r")
            self._stream.flush()
        self._shown = 0
        self._next = 0.0

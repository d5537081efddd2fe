"""The side of the link that a child is on: its own streams, its log, and its end with the program that started it."""

from __future__ import annotations

import contextlib
import faulthandler
import logging
import os
import signal
import sys
from collections.abc import Collection, Mapping

from app.engine.link import Frames, Handler, Link
from app.logs import PrivateFormatter


def open_link(handlers: Mapping[str, Handler], at_once: Collection[str] = (), *, nice: int) -> Link:
    """Speak over standard input and output with the program that started this one; ``link.serve()`` begins.

    This process ends at once when the other side has ended. ``nice``: how far it steps back behind other programs.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal is for the program that started this one
    if sys.stderr is not None:
        faulthandler.enable()
    # Nothing is kept here, and a step that runs cannot be waited for: the other side has ended.
    link = Link(_own_streams(), handlers, at_once, on_gone=lambda: os._exit(0))
    logging.basicConfig(level=logging.INFO, handlers=[_LogOfTheOther(link)], force=True)
    with contextlib.suppress(AttributeError, OSError):
        os.nice(nice)
    return link


class _LogOfTheOther(logging.Handler):
    """Sends each line, made private here, to the log of the other process."""

    def __init__(self, link: Link) -> None:
        super().__init__()
        self._link = link
        self.setFormatter(PrivateFormatter())

    def emit(self, record: logging.LogRecord) -> None:
        self._link.note(record.levelno, self.format(record))


def _own_streams() -> Frames:
    """Keep standard input and output to ourselves: whatever a library prints goes to standard error."""
    reading, writing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return Frames(reading, writing)

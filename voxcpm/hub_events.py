"""A download for another program to watch: JSON lines on stdout, and a stop when standard input ends.

Each line is one object with ``event``: ``progress`` (``file``, ``done``, ``total`` in bytes), and at last one of
``done`` (``folder``, ``repo``, ``revision``), ``stopped``, or ``failed`` (``kind``, ``message``). The exit codes are
those of the command line.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from voxcpm import hub, terminal
from voxcpm.hub_lock import read_pins


def run(model: str, dest: Path, *, revision: str | None, endpoint: str | None, token: str | None, check: bool) -> int:
    """Download ``model`` (or only ``check`` the files that are there) and return the exit code."""
    try:
        if check:
            folder = hub.verify(model, dest)
        else:
            folder = hub.download(
                model,
                dest,
                revision=revision,
                endpoint=endpoint,
                token=token,
                progress=lambda p: _tell("progress", file=p.file, done=p.done, total=p.total),
                cancelled=_end_of_input(),
            )
        pin = read_pins(dest)[hub.identify(model).name]
    except (Exception, KeyboardInterrupt) as error:
        code, kind = terminal.classify(error)
        if kind == "cancelled":
            _tell("stopped")
        else:
            _tell("failed", kind=kind, message=str(error) or type(error).__name__)
        return code
    _tell("done", folder=str(folder), repo=pin.repo, revision=pin.revision)
    return terminal.EXIT_OK


def _tell(event: str, **facts: object) -> None:
    sys.stdout.write(json.dumps({"event": event, **facts}) + "\n")
    sys.stdout.flush()


def _end_of_input() -> Callable[[], bool]:
    """Whoever holds the other end of standard input stops the download by closing it, or by dying."""
    ended = threading.Event()

    def wait() -> None:
        while os.read(0, 1):  # not sys.stdin: its lock may not be held when the interpreter goes down
            pass
        ended.set()

    threading.Thread(target=wait, daemon=True).start()
    return ended.is_set

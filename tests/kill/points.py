"""The points at which a child may be told to die: before each call that changes a file, and around each statement."""

from __future__ import annotations

import os
import signal
import sqlite3
from typing import Any

CALLS = ("fsync", "replace", "rename", "unlink", "mkdir", "rmdir", "open", "close")
MOST = 1000


def die_at(name: str, count: int) -> None:
    """Kill this process at the ``count``-th (from 1) point called ``name``; ``any`` counts all of them.

    Names are those of functions of ``os``, and ``before`` or ``after`` a statement of SQL by its first word:
    ``before COMMIT``. A scenario that never comes to such a point is killed at the ``MOST``-th of all.
    Nothing of the program is changed; the functions are wrapped in this process only.
    """
    left, in_all = count, 0

    def reached(point: str) -> None:
        nonlocal left, in_all
        in_all += 1
        left -= name in ("any", point)
        if left == 0 or in_all == MOST:
            os.kill(os.getpid(), signal.SIGKILL)

    def wrapped(original: Any, point: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            reached(point)
            return original(*args, **kwargs)

        return call

    for call in CALLS:
        setattr(os, call, wrapped(getattr(os, call), call))

    class Connection(sqlite3.Connection):
        def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
            word = sql.split(maxsplit=1)[0].upper()
            reached(f"before {word}")
            cursor = super().execute(sql, *args)
            reached(f"after {word}")
            return cursor

    connect = sqlite3.connect
    sqlite3.connect = lambda *args, **kwargs: connect(*args, factory=Connection, **kwargs)  # type: ignore[assignment]

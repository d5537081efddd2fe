"""Work for a view off the window's thread: one piece at a time, in order, forgotten when it is no longer wanted."""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable
from typing import Any

from PySide6.QtCore import QObject, QThreadPool, Signal

log = logging.getLogger(__name__)


class BackgroundQueue(QObject):
    """Pieces are short, so that giving up takes no longer than one of them; a failed one is logged and dropped."""

    made = Signal(int, object)  # for itself: number of the piece, result

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._waiting: dict[Hashable, tuple[Callable[[], Any], Callable[[Any], None]]] = {}
        self._running: Callable[[Any], None] | None = None
        self._running_key: Hashable = None
        self._number = 0
        self._closed = False
        self.made.connect(self._made)

    @property
    def is_idle(self) -> bool:
        """Whether nothing runs or waits."""
        return self._running is None and not self._waiting

    def add(self, key: Hashable, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        """Do ``work`` on another thread, then ``done`` with its result on this one; once for a ``key`` at a time."""
        if self._closed or key in self._waiting or (self._running is not None and key == self._running_key):
            return
        self._waiting[key] = (work, done)
        self._next()

    def clear(self) -> None:
        """Forget what waits; the result of what runs is dropped."""
        self._waiting.clear()
        if self._running is not None:
            self._running = _dropped
            self._running_key = None

    def keep_only(self, wanted: Callable[[Hashable], bool]) -> None:
        """Forget what waits and is not wanted any more."""
        self._waiting = {key: entry for key, entry in self._waiting.items() if wanted(key)}

    def close(self, wait_seconds: float) -> bool:
        """Forget everything, wait for what runs, and take nothing more; False when that takes longer."""
        self._closed = True
        self.clear()
        return self._pool.waitForDone(int(wait_seconds * 1000))

    def _next(self) -> None:
        if self._running is not None or not self._waiting:
            return
        self._running_key = next(iter(self._waiting))
        work, self._running = self._waiting.pop(self._running_key)
        self._number += 1
        number = self._number
        self._pool.start(lambda: self._do(number, work))

    def _do(self, number: int, work: Callable[[], Any]) -> None:
        result = None
        try:
            result = work()
        except Exception:  # a picture that cannot be made must not end the program
            log.exception("A piece of work for a view failed")
        self.made.emit(number, result)

    def _made(self, number: int, result: Any) -> None:
        if number != self._number or self._running is None:
            return
        done, self._running, self._running_key = self._running, None, None
        if result is not None:
            done(result)
        self._next()


def _dropped(result: Any) -> None:
    """Take a result that nobody wants any more."""

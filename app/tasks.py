"""Work that waits for the disk or the keyring, done off the window's thread, one thing after the other."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QThreadPool, Signal, Slot

log = logging.getLogger(__name__)

T = TypeVar("T")


def _nothing(_: object) -> None:
    pass


class TaskQueue(QObject):
    """Runs what it is given in a thread of its own and tells what came of it in the thread that it was made in."""

    done = Signal()  # one thing, whichever way it went; after it was told

    _ended = Signal(object, object)  # whom to tell, what

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._closing = threading.Event()
        self._pool = QThreadPool()
        self._pool.setMaxThreadCount(1)
        self._ended.connect(self._deliver)

    def start(
        self,
        work: Callable[[], T],
        then: Callable[[T], object] = _nothing,
        failed: Callable[[Exception], object] = _nothing,
    ) -> None:
        """Call ``work`` in the thread; then ``then`` with its result or ``failed`` with its exception, here."""
        if not self._closing.is_set():
            self._pool.start(lambda: self._run(work, then, failed))

    def close(self, seconds: float) -> bool:
        """Begin nothing more and wait for what runs; False when it takes longer. Nothing is told any more."""
        self._closing.set()
        self._pool.clear()
        return bool(self._pool.waitForDone(int(seconds * 1000)))

    def _run(self, work: Callable[[], Any], then: Callable[[Any], object], failed: Callable[[Any], object]) -> None:
        if self._closing.is_set():
            return
        tell: Callable[[Any], object]
        try:
            tell, what = then, work()
        except Exception as error:  # everything is told: a thread has nobody else to tell
            log.warning("A task in the background failed: %s", type(error).__name__)
            tell, what = failed, error
        if not self._closing.is_set():
            self._ended.emit(tell, what)

    @Slot(object, object)
    def _deliver(self, tell: Callable[[Any], object], what: object) -> None:
        if not self._closing.is_set():
            tell(what)
            self.done.emit()

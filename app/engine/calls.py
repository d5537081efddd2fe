"""Short pieces of work that other threads want done in the engine's thread, the only one that touches torch."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar

from app.core.engine_api import Engine, EngineCancelled, EngineDied, EngineLost

T = TypeVar("T")


class Wake:
    """Put among the engine's requests, so that it looks at the calls."""


class EngineCalls:
    """A queue of calls. ``wake`` makes the engine's thread look at it, if it has nothing else to do."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._waiting: queue.SimpleQueue[tuple[Callable[[Engine], Any], Future[Any]]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False

    def ask(self, work: Callable[[Engine], T]) -> T:
        """Wait until the engine's thread did ``work``, and return or raise what it did.

        Raises:
            EngineCancelled: the thread ended before.
            EngineLost: the engine ended by itself while it did it.
        """
        future: Future[T] = Future()
        with self._lock:  # nothing may be put in behind close(), it would never be answered
            if self._closed:
                raise EngineCancelled
            self._waiting.put((work, future))
        self._wake()
        try:
            return future.result()
        except CancelledError as error:
            raise EngineCancelled from error

    def serve(self, engine: Engine) -> None:
        """Do what is waiting; in the engine's thread."""
        while (call := self._next()) is not None:
            work, future = call
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(work(engine))
                except EngineDied as error:
                    future.set_exception(EngineLost(error.failure))  # the next engine may be asked
                    raise
                except BaseException as error:
                    future.set_exception(error)

    def close(self) -> None:
        """Give up what is waiting and all that would come."""
        with self._lock:
            self._closed = True
        while (call := self._next()) is not None:
            call[1].cancel()

    def _next(self) -> tuple[Callable[[Engine], Any], Future[Any]] | None:
        try:
            return self._waiting.get_nowait()
        except queue.Empty:
            return None

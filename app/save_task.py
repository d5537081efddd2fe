"""Saving a take off the window's thread."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, QThreadPool, Signal

from app.core.engine_api import EngineCancelled
from app.core.store.errors import StoreError
from app.core.takes import Take
from app.marks.choice import MarkTools
from app.marks.errors import MarkError
from app.marks.export import export_audio
from app.marks.origin import origin_of_take

log = logging.getLogger(__name__)


class Saver(QObject):
    """Writes takes to files with their marks; the take itself is never touched."""

    saved = Signal(object, str, object)  # Take, path, notes of the export in English
    failed = Signal(object, str, str)  # Take, path, reason

    def __init__(self, pool: QThreadPool, tools: MarkTools, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = pool
        self.tools = tools
        self._left = 0
        self._lock = threading.Lock()

    def save(self, take: Take, path: Path) -> None:
        """Write the take as it is now; ``saved`` or ``failed`` tells how it went."""
        samples = take.samples
        with self._lock:
            self._left += 1

        def work() -> None:
            try:
                self._write(take, samples, path)
            finally:
                with self._lock:
                    self._left -= 1

        self._pool.start(work)

    @property
    def is_busy(self) -> bool:
        """Whether a file is still to be written."""
        return self._left > 0

    def _write(self, take: Take, samples: np.ndarray, path: Path) -> None:
        try:
            exported = export_audio(
                samples,
                take.sample_rate,
                path,
                origin=origin_of_take(take),
                tools=self.tools,
                overwrite=True,  # the dialog has asked
            )
        except EngineCancelled:
            log.warning("A take was not saved: the studio is being closed")
        except (OSError, ValueError, MarkError, StoreError) as error:
            log.warning("A take could not be saved: %s", type(error).__name__)
            self.failed.emit(take, str(path), str(error))
        else:
            self.saved.emit(take, str(path), exported.notes)

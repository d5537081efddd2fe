"""Takes for other programs, by drag or copy: as marked files of their own, made off the window's thread."""

from __future__ import annotations

import logging
from pathlib import Path

from PySide6.QtCore import QObject, QThreadPool, Signal

from app.core.engine_api import EngineCancelled
from app.core.library import Library
from app.core.outgoing_files import FOLDER
from app.core.store.errors import StoreError
from app.core.takes import Take
from app.marks.choice import MarkTools
from app.marks.errors import MarkError
from app.marks.export import export_privately
from app.marks.origin import origin_of_take

log = logging.getLogger(__name__)


class Outgoing(QObject):
    """Makes a file of a take once; it goes with the take when that is deleted for good, else after a week."""

    ready = Signal(object, str)  # Take, path
    failed = Signal(object, str)  # Take, reason

    def __init__(self, pool: QThreadPool, tools: MarkTools, library: Library, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool, self._tools, self._library = pool, tools, library
        self._files: dict[str, Path] = {}
        self._asked: set[str] = set()
        self.ready.connect(self._made)
        self.failed.connect(lambda take, reason: self._asked.discard(take.uid))

    def file_of(self, take: Take) -> Path | None:
        """The file of a take if it is there already."""
        file = self._files.get(take.uid)
        return file if file is not None and file.is_file() else None

    def prepare(self, take: Take) -> None:
        """Make the file of a take; ``ready`` or ``failed`` tells how it went."""
        file = self.file_of(take)
        if file is not None:
            self.ready.emit(take, str(file))
        elif take.uid not in self._asked:
            self._asked.add(take.uid)
            self._pool.start(lambda: self._make(take))

    def _made(self, take: Take, path: str) -> None:
        self._asked.discard(take.uid)
        self._files[take.uid] = Path(path)

    # In another thread -----------------------------------------------------------------------------------------------

    def _make(self, take: Take) -> None:
        name = f"take-{take.created_at.astimezone():%Y%m%d-%H%M%S}-{take.row + 1}.wav"
        try:
            folder = self._library.store.folder / FOLDER / take.uid
            exported = export_privately(
                take.samples, take.sample_rate, folder, name, origin=origin_of_take(take), tools=self._tools
            )
        except EngineCancelled:
            log.warning("A take was not passed on: the studio is being closed")
        except (OSError, ValueError, MarkError, StoreError) as error:
            log.warning("A take could not be passed on: %s", type(error).__name__)
            self.failed.emit(take, str(error))
        else:
            self.ready.emit(take, str(exported.path))

"""What has to happen while the window stands there: recordings go on time, the day's backup is made, deadlines told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.core.library import Library
from app.core.store import errors
from app.tasks import TaskQueue

if TYPE_CHECKING:
    from app.core.complaints import Complaint

LONGEST_WAIT_MS = 15 * 60 * 1000
"""A computer may have slept, or its clock have been set, so nobody waits for a far moment in one go."""
_SHORTEST_WAIT_MS = 1000


@dataclass(frozen=True)
class Tended:
    """What one round did: how many recordings went, when the next one has to, and which complaints are open."""

    purged: int
    next_due: datetime | None
    complaints: tuple[Complaint, ...]
    backed_up: bool
    lost: int = 0
    """How many stored files are missing; looked at in the first round alone."""


class Upkeep(QObject):
    """Tends the library at once when it is started and again whenever something is due."""

    tended = Signal(object)  # Tended
    failed = Signal(object)  # the error

    def __init__(self, library: Library, tasks: TaskQueue, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library, self._tasks = library, tasks
        self._began = False
        self.timer = QTimer(self, singleShot=True)
        self.timer.timeout.connect(self.tend)

    def tend(self) -> None:
        """Do a round; ``tended`` or ``failed`` tells."""
        first, self._began = not self._began, True
        self._tasks.start(lambda: tend(self._library, first=first), self._tended, self._failed)

    def stop(self) -> None:
        """Do no further rounds."""
        self.timer.stop()

    def _tended(self, tended: Tended) -> None:
        wait = LONGEST_WAIT_MS
        if tended.next_due is not None:
            milliseconds = (tended.next_due - self._library.now()).total_seconds() * 1000
            if milliseconds > 0:  # what is overdue is kept for this session
                wait = max(_SHORTEST_WAIT_MS, min(wait, int(milliseconds) + _SHORTEST_WAIT_MS))
        self.timer.start(wait)
        self.tended.emit(tended)

    def _failed(self, error: Exception) -> None:
        self.timer.start(LONGEST_WAIT_MS)
        self.failed.emit(error)


def tend(library: Library, *, first: bool = False) -> Tended:
    """One round. Raises StoreError where the data cannot be opened; a backup that fails is left for the next."""
    from app.core import outgoing_files
    from app.core.retention import next_due

    opened_before = "voices" in vars(library)
    voices, store = library.voices, library.store
    purged = voices.enforce_retention() + (0 if opened_before else library.purged_at_opening)
    outgoing_files.remove_old(store.folder, library.now().timestamp())
    store.wait_for_maintenance()
    try:
        backed_up = store.keep_up()
    except errors.StoreError:
        backed_up = False
    lost = len(store.blobs.lost()) if first else 0
    return Tended(purged, next_due(store), library.complaints.all(open_only=True), backed_up, lost)

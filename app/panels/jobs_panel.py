"""The queue of jobs: what runs, what waits, what failed; order, cancel, retry."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QListWidget, QPushButton, QWidget

from app.core.job_queue import JobQueue, JobState, QueuedJob
from app.widgets.failure_text import failure_text
from app.widgets.translated import Translated, describe
from app.widgets.wording import mode_name, wait_text

_TITLE_CHARACTERS = 50
_LINES = 3


class JobsPanel(Translated, QWidget):
    """Hidden while there is nothing to see: at most the one job that the status bar tells of."""

    move_requested = Signal(object, int)  # QueuedJob, -1 earlier or 1 later
    cancel_requested = Signal(object)
    retry_requested = Signal(object)

    def __init__(self, queue: JobQueue, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._queue = queue
        self._seconds: dict[QueuedJob, float] = {}
        self.title = QLabel()
        self.title.setProperty("heading", True)
        self.list = QListWidget()
        self.list.setObjectName("jobs")
        self.list.setMinimumHeight(round(1.4 * self.fontMetrics().height()))
        self.list.setMaximumHeight(round((_LINES + 0.5) * 1.4 * self.fontMetrics().height()))
        self.earlier, self.later = QPushButton(), QPushButton()
        self.cancel, self.retry = QPushButton(), QPushButton()
        row = QHBoxLayout(self)  # one row, so that a low window has room for it
        side = self.fontMetrics().averageCharWidth()
        row.setContentsMargins(side, 0, side, 0)
        row.addWidget(self.title)
        row.addWidget(self.list, 1)
        for button in (self.earlier, self.later, self.retry, self.cancel):
            row.addWidget(button)
        self.list.currentRowChanged.connect(lambda row: self._update_buttons())
        self.earlier.clicked.connect(lambda: self._tell(lambda entry: self.move_requested.emit(entry, -1)))
        self.later.clicked.connect(lambda: self._tell(lambda entry: self.move_requested.emit(entry, 1)))
        self.cancel.clicked.connect(lambda: self._tell(self.cancel_requested.emit))
        self.retry.clicked.connect(lambda: self._tell(self.retry_requested.emit))
        queue.on_changed(self.show_queue)
        self.retranslate()

    @property
    def current(self) -> QueuedJob | None:
        """The chosen job."""
        row = self.list.currentRow()
        return self._queue.entries[row] if 0 <= row < len(self._queue.entries) else None

    def show_seconds(self, seconds: dict[QueuedJob, float]) -> None:
        """Show how long each job will still take, in seconds; one that is not there is not known."""
        self._seconds = seconds
        self.show_queue()

    def show_queue(self) -> None:
        """Show the queue as it is now."""
        entries, chosen = self._queue.entries, self.list.currentRow()
        failed = any(entry.state is JobState.FAILED for entry in entries)
        self.setVisible(bool(self._queue.waiting) or failed)
        if self.list.count() != len(entries):
            self.list.clear()
            self.list.addItems([""] * len(entries))
            self.list.setCurrentRow(min(max(chosen, 0), len(entries) - 1))
        for number, entry in enumerate(entries):
            text = self.text_of(entry)
            if self.list.item(number).text() != text:
                self.list.item(number).setText(text)
                self.list.item(number).setToolTip(text)
        self._update_buttons()

    def text_of(self, entry: QueuedJob) -> str:
        """One line about a job."""
        job = entry.job
        text = " ".join(job.text.split())
        text = text if len(text) <= _TITLE_CHARACTERS else text[: _TITLE_CHARACTERS - 1] + "…"
        parts = [text, mode_name(job.mode), self.tr("takes: {count}").format(count=job.takes)]
        parts.append(
            {
                JobState.WAITING: self.tr("waiting"),
                JobState.RUNNING: self.tr("being made"),
                JobState.STOPPED: self.tr("stopped"),
                JobState.FAILED: self.tr("failed"),
            }[entry.state]
        )
        seconds = self._seconds.get(entry, 0.0)
        if seconds > 0 and entry.state is JobState.RUNNING:
            parts.append(self.tr("done in about {wait}").format(wait=wait_text(seconds)))
        elif seconds > 0 and entry.state is JobState.WAITING:
            parts.append(self.tr("takes about {wait}").format(wait=wait_text(seconds)))
        if entry.failure is not None:
            parts.append(failure_text(entry.failure)[0])
        return " · ".join(parts)

    def retranslate(self) -> None:
        """Set all texts."""
        self.title.setText(self.tr("Jobs"))
        describe(self.list, self.tr("Jobs"), self.tr("What is made, in this order"))
        for button, text, tip in (
            (self.earlier, self.tr("Earlier"), self.tr("Let the chosen job run before the one above it")),
            (self.later, self.tr("Later"), self.tr("Let the chosen job run after the one below it")),
            (self.retry, self.tr("Retry"), self.tr("Let the chosen job run once more")),
            (self.cancel, self.tr("Cancel"), self.tr("Stop the chosen job, or take it out; what was made is kept")),
        ):
            button.setText(text)
            describe(button, text, tip)
        self.show_queue()

    def _update_buttons(self) -> None:
        entry, waiting = self.current, self._queue.waiting
        waits = entry in waiting
        self.earlier.setEnabled(waits and entry is not waiting[0])
        self.later.setEnabled(waits and entry is not waiting[-1])
        self.cancel.setEnabled(entry is not None)
        self.retry.setEnabled(entry is not None and entry.state in (JobState.STOPPED, JobState.FAILED))

    def _tell(self, tell: Callable[[QueuedJob], None]) -> None:
        entry = self.current
        if entry is not None:
            tell(entry)

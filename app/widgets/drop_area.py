"""Where an audio file is dropped or opened."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, QSize, Qt, QThreadPool, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QFrame, QGridLayout, QLabel, QPushButton, QSizePolicy, QWidget

from app.core.audio_files import AudioFileError, AudioFileInfo, inspect
from app.core.messages import Failure
from app.widgets.problem import Problem
from app.widgets.translated import Translated, describe, set_flag
from app.widgets.wording import length_text

_LEAST_NAME = 14  # characters that are always shown


class _Name(QLabel):
    """A name of which the middle is left out where there is no room for all of it."""

    def __init__(self) -> None:
        super().__init__(textFormat=Qt.TextFormat.PlainText)
        self._name = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setMinimumWidth(self.fontMetrics().horizontalAdvance("0" * _LEAST_NAME))

    def show_name(self, name: str) -> None:
        """Show another name."""
        self._name = name
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as much of it as there is room for now."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        shown = self.fontMetrics().elidedText(self._name, Qt.TextElideMode.ElideMiddle, self.width())
        self.setText(shown)
        self.setToolTip(self._name if shown != self._name else "")


class _Answer(QObject):
    looked = Signal(str, object)  # path, AudioFileInfo or AudioFileError


def _look(path: str, answer: _Answer) -> None:
    """Read the header off the window's thread: the file may lie on a slow disk."""
    try:
        found: AudioFileInfo | AudioFileError = inspect(path)
    except AudioFileError as error:
        found = error
    answer.looked.emit(path, found)


def dropped_file(mime: QMimeData) -> str:
    """Return the first local file of a drag; empty when there is none."""
    for url in mime.urls():
        if url.isLocalFile() and Path(url.toLocalFile()).is_file():
            return url.toLocalFile()
    return ""


class DropArea(Translated, QFrame):
    """Holds one audio file, or says why the one it was given is of no use. Only what can be read is kept."""

    audio_changed = Signal()
    folder_visited = Signal(str)
    record_requested = Signal()

    def __init__(self, pool: QThreadPool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dropArea")
        self.setAcceptDrops(True)
        self._pool = pool
        self._answer = _Answer()
        self._answer.looked.connect(self._looked)
        self._asked = ""
        self._info: AudioFileInfo | None = None
        self._error: AudioFileError | None = None
        self._failure: Failure | None = None
        self.start_folder = ""
        self.title = _Name()
        self.title.setProperty("heading", True)
        self.detail = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.detail.setProperty("muted", True)
        self.problem = Problem()
        self.open_button = QPushButton()
        self.clear_button = QPushButton()
        self.record_button = QPushButton()
        self._no_input = ""
        layout = QGridLayout(self)
        layout.addWidget(self.title, 0, 0)
        layout.addWidget(self.detail, 1, 0)
        layout.addWidget(self.problem, 2, 0, 1, 4)
        for column, button in enumerate((self.record_button, self.open_button, self.clear_button), 1):
            layout.addWidget(button, 0, column, 2, 1)
        layout.setColumnStretch(0, 1)
        self.open_button.clicked.connect(self._choose)
        self.clear_button.clicked.connect(self.clear)
        self.record_button.clicked.connect(self.record_requested)
        self.retranslate()

    @property
    def path(self) -> str | None:
        """The audio file, or None."""
        return self._info.path if self._info else None

    @property
    def seconds(self) -> float:
        """The length of the audio file by its header; 0 without one."""
        return self._info.seconds if self._info else 0.0

    def open_file(self, path: str) -> None:
        """Look at a file and keep it when it can be read."""
        self._asked = path
        answer = self._answer
        self._pool.start(lambda: _look(path, answer))

    def clear(self) -> None:
        """Let go of the file."""
        self._asked = ""
        self._info = self._error = None
        self._failure = None
        self.retranslate()
        self.audio_changed.emit()

    def set_input(self, reason: str) -> None:
        """Say why nothing can be recorded; empty: a microphone is there."""
        self._no_input = reason
        self.retranslate()

    def show_problem(self, failure: Failure | None) -> None:
        """Say what the engine had against this audio; None takes it back."""
        self._failure = failure
        self.retranslate()

    def retranslate(self) -> None:
        """Set all texts."""
        info = self._info
        self.title.show_name(Path(info.path).name if info else self.tr("Drop an audio file here"))
        if info:
            facts = (length_text(info.seconds), f"{info.sample_rate / 1000:g} kHz", self._channels(info.channels))
            self.detail.setText(" · ".join(facts))
        else:
            advice = self.tr("WAV, FLAC, MP3 or Ogg: 3 to 30 seconds of one clear voice work best.")
            self.detail.setText(f"{advice}\n{self._no_input}" if self._no_input else advice)
        if self._failure is not None:
            self.problem.show_failure(self._failure)
        else:
            self.problem.say(self._error_text())
        self.record_button.setText(self.tr("Record…"))
        self.record_button.setEnabled(not self._no_input)
        tip = self._no_input or self.tr("Record with the microphone.")
        describe(self.record_button, self.tr("Record with the microphone"), tip)
        self.open_button.setText(self.tr("Open…"))
        describe(self.open_button, self.tr("Open an audio file"))
        self.clear_button.setText(self.tr("Remove"))
        describe(self.clear_button, self.tr("Remove this audio"))
        self.clear_button.setVisible(info is not None)

    def sizeHint(self) -> QSize:
        """Leave room to aim at."""
        hint = super().sizeHint()
        return hint.expandedTo(QSize(0, 4 * self.fontMetrics().height()))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take drags that carry a file."""
        if dropped_file(event.mimeData()):
            event.acceptProposedAction()
            set_flag(self, "hot", True)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Cool down."""
        set_flag(self, "hot", False)

    def dropEvent(self, event: QDropEvent) -> None:
        """Take the file."""
        set_flag(self, "hot", False)
        path = dropped_file(event.mimeData())
        if path:
            event.acceptProposedAction()
            self.open_file(path)

    def _choose(self) -> None:
        dialog = QFileDialog(self, self.tr("Open an audio file"), self.start_folder)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters(
            [self.tr("Audio (*.wav *.flac *.mp3 *.ogg *.opus *.aif *.aiff *.w64 *.caf)"), self.tr("All files (*)")]
        )
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._chosen)
        dialog.open()

    def _chosen(self, path: str) -> None:
        self.folder_visited.emit(str(Path(path).parent))
        self.open_file(path)

    def _looked(self, path: str, found: AudioFileInfo | AudioFileError) -> None:
        if path != self._asked:
            return
        self._failure = None
        self._info = found if isinstance(found, AudioFileInfo) else None
        self._error = found if isinstance(found, AudioFileError) else None
        self.retranslate()
        self.audio_changed.emit()

    def _channels(self, count: int) -> str:
        return {1: self.tr("mono"), 2: self.tr("stereo")}.get(count, self.tr("{count} channels").format(count=count))

    def _error_text(self) -> str:
        if self._error is None:
            return ""
        return {
            "missing": self.tr("This file does not exist any more."),
            "unreadable": self.tr("This file cannot be read as audio. Try WAV, FLAC, MP3 or Ogg."),
            "empty": self.tr("There is no sound in this file."),
        }.get(self._error.reason, self._error.reason)

"""Shows which marks a sound file carries, what they prove and what not. Any file can be dropped on it. Not modal."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QDialog, QFormLayout, QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.marks.verify import Verification
from app.widgets.drop_area import dropped_file
from app.widgets.marks_text import limits_text, marks_text, verdict_text
from app.widgets.problem import Problem
from app.widgets.translated import Translated, describe, set_flag

_KINDS = 3  # of marks


class VerifyDialog(Translated, QDialog):
    """Asks by ``file_given``; what was found is told by ``show_found`` or ``show_failed``."""

    file_given = Signal(str)
    browse_requested = Signal()
    copy_requested = Signal(object)  # Verification

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAcceptDrops(True)
        self._path = ""
        self._busy = False
        self._found: Verification | None = None
        self.choose_button, self.copy_button, self.close_button = QPushButton(), QPushButton(), QPushButton()
        self.close_button.setDefault(True)
        self.target = QFrame()
        self.target.setObjectName("dropArea")
        self.file_label = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.verdict = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.verdict.setProperty("heading", True)
        self.problem = Problem()
        self._names = [QLabel() for _ in range(_KINDS)]
        self._values = [QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText) for _ in range(_KINDS)]
        self._limits = QLabel(wordWrap=True)
        self._limits.setProperty("muted", True)
        self._build()
        self.choose_button.clicked.connect(self.browse_requested)
        self.copy_button.clicked.connect(lambda: self.copy_requested.emit(self._found))
        self.close_button.clicked.connect(self.close)
        self.retranslate()

    @property
    def found(self) -> Verification | None:
        """What was found last; None before, and while something is looked at."""
        return self._found

    def show_busy(self, path: str) -> None:
        """A file is being looked at."""
        self._path, self._busy, self._found = path, True, None
        self.problem.say("")
        self.retranslate()

    def show_found(self, found: Verification) -> None:
        """Say what a file carries."""
        self._path, self._busy, self._found = str(found.path), False, found
        self.retranslate()

    def show_failed(self, path: str, reason: str) -> None:
        """Say why a file cannot be looked at."""
        self._path, self._busy, self._found = path, False, None
        self.problem.say(self.tr("This file cannot be read: {reason}").format(reason=reason))
        self.retranslate()

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle(self.tr("Marks of a file"))
        name = Path(self._path).name
        self.file_label.setText(name or self.tr("Drop a sound file here: WAV, FLAC, MP3 or Ogg."))
        self.choose_button.setText(self.tr("Choose a file…"))
        describe(self.choose_button, self.tr("Choose a sound file"))
        self.copy_button.setText(self.tr("Copy the report"))
        describe(self.copy_button, self.tr("Copy the report"), self.tr("All that was found, as JSON"))
        self.copy_button.setEnabled(self._found is not None)
        self.close_button.setText(self.tr("Close"))
        describe(self.close_button, self.tr("Close"))
        self._limits.setText(limits_text())
        found = self._found
        self.verdict.setText(
            self.tr("The file is being looked at…") if self._busy else verdict_text(found) if found is not None else ""
        )
        self.verdict.setVisible(bool(self.verdict.text()))
        set_flag(self.verdict, "problem", found is not None and found.verdict == "broken")
        texts = marks_text(found) if found is not None else {}
        for row, (label, value) in enumerate(zip(self._names, self._values, strict=True)):
            told = list(texts.items())[row] if texts else ("", "")
            label.setText(told[0])
            value.setText(told[1])
            label.setVisible(bool(texts))
            value.setVisible(bool(texts))
        if found is not None:
            self.problem.say("\n".join(found.problems))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take any file."""
        if dropped_file(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Look at the file."""
        path = dropped_file(event.mimeData())
        if path:
            event.acceptProposedAction()
            self.file_given.emit(path)

    def _build(self) -> None:
        head = QHBoxLayout(self.target)
        head.addWidget(self.file_label, 1)
        head.addWidget(self.choose_button)
        form = QFormLayout()
        for label, value in zip(self._names, self._values, strict=True):
            label.setProperty("muted", True)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            value.setAlignment(Qt.AlignmentFlag.AlignTop)
            form.addRow(label, value)
        buttons = QHBoxLayout()
        buttons.addWidget(self.copy_button)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.addWidget(self.target)
        layout.addWidget(self.verdict)
        layout.addWidget(self.problem)
        layout.addLayout(form)
        layout.addWidget(self._limits)
        layout.addStretch(1)
        layout.addLayout(buttons)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 84)
        self.setMinimumHeight(self.fontMetrics().height() * 22)

"""A line above the panels that says what went wrong, with the technical part behind "Details"."""

from __future__ import annotations

from collections.abc import Callable, Collection

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.core.messages import Failure
from app.widgets.failure_text import failure_text
from app.widgets.translated import Translated, describe

HALF, PROCESSOR, ALLOW = "half", "processor", "allow"
_HELPED_BY_THEM = ("memory", "crash", "crash.memory", "crash.hung")


class Notice(Translated, QFrame):
    """Hidden until ``show_notice``; never modal.

    ``remedies`` names what could help (HALF, PROCESSOR) when the model has no room or its engine died; each is then a
    button, and so is ALLOW for pickled weights that nobody knows. ``remedy_requested`` tells which one was pressed, for
    the ``failure`` that is shown.
    """

    remedy_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self._message = QLabel(wordWrap=True)
        self._message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._message.setTextFormat(Qt.TextFormat.PlainText)
        self._details = QPlainTextEdit(readOnly=True)
        self._details.setVisible(False)
        self.details_button = QPushButton()
        self.details_button.setCheckable(True)
        self.details_button.toggled.connect(self._details.setVisible)
        self.remedies: Callable[[], Collection[str]] = tuple
        self.failure: Failure | None = None
        self.remedy_buttons = {HALF: QPushButton(), PROCESSOR: QPushButton(), ALLOW: QPushButton()}
        for name, button in self.remedy_buttons.items():
            button.clicked.connect(lambda checked=False, name=name: self._choose(name))
        self.copy_button = QPushButton()
        self.copy_button.clicked.connect(self.copy)
        self.close_button = QPushButton()
        self.close_button.clicked.connect(self.hide)
        row = QHBoxLayout()
        row.addWidget(self._message, 1)
        for button in self.remedy_buttons.values():
            row.addWidget(button)
        row.addWidget(self.copy_button)
        row.addWidget(self.details_button)
        row.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.addLayout(row)
        layout.addWidget(self._details)
        self.setVisible(False)
        self.retranslate()

    @property
    def message(self) -> str:
        """What it says; empty while hidden."""
        return "" if self.isHidden() else self._message.text()

    def show_notice(self, message: str, details: str = "") -> None:
        """Say ``message``; ``details`` is folded away."""
        self._message.setText(message)
        self._details.setPlainText(details)
        self.details_button.setChecked(False)
        self.details_button.setVisible(bool(details))
        self.copy_button.setVisible(bool(details))
        for button in self.remedy_buttons.values():
            button.setVisible(False)
        self.setVisible(True)

    def copy(self) -> None:
        """Put message and details on the clipboard, for whoever is asked for help."""
        QGuiApplication.clipboard().setText(f"{self._message.text()}\n\n{self._details.toPlainText()}\n")

    def show_failure(self, failure: Failure) -> None:
        """Say what went wrong."""
        message, own_words = failure_text(failure)
        self.show_notice(message, "\n\n".join(part for part in (own_words, failure.details) if part))
        self.failure = failure
        for name in self.remedies() if failure.code in _HELPED_BY_THEM else ():
            self.remedy_buttons[name].setVisible(True)
        self.remedy_buttons[ALLOW].setVisible(failure.code == "checkpoint.pickle")

    def retranslate(self) -> None:
        """Set the texts of the buttons."""
        half, processor, allow = (self.remedy_buttons[name] for name in (HALF, PROCESSOR, ALLOW))
        half.setText(self.tr("Use 16 bits"))
        describe(half, self.tr("Use 16 bits"), self.tr("Load the model again in half the memory"))
        processor.setText(self.tr("Use the processor"))
        describe(processor, self.tr("Use the processor"), self.tr("Load the model again without the graphics card"))
        allow.setText(self.tr("Allow them"))
        describe(allow, self.tr("Allow them"), self.tr("Read these very files from now on"))
        self.copy_button.setText(self.tr("Copy"))
        describe(self.copy_button, self.tr("Copy the details"))
        self.details_button.setText(self.tr("Details"))
        describe(self.details_button, self.tr("Show the technical details"))
        self.close_button.setText(self.tr("Close"))
        describe(self.close_button, self.tr("Close this notice"))
        self._details.setAccessibleName(self.tr("Technical details"))

    def _choose(self, name: str) -> None:
        self.hide()
        self.remedy_requested.emit(name)

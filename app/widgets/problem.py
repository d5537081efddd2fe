"""What is wrong with a field, beside it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QToolButton, QWidget

from app.core.messages import Failure
from app.widgets.failure_text import failure_text
from app.widgets.translated import Translated, describe


class Problem(Translated, QWidget):
    """Hidden while there is nothing to say. A failure follows the language; its details can be unfolded."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._failure: Failure | None = None
        self._message = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self._message.setProperty("problem", True)
        self.details = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.details.setProperty("muted", True)
        self.details.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.details_button = QToolButton()
        self.details_button.setCheckable(True)
        self.details_button.setAutoRaise(True)
        self.details_button.toggled.connect(self.details.setVisible)
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._message, 0, 0)
        layout.addWidget(self.details_button, 0, 1, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.details, 1, 0, 1, 2)
        layout.setColumnStretch(0, 1)
        self.say("")
        self.retranslate()

    def text(self) -> str:
        """What it says."""
        return self._message.text()

    def say(self, text: str) -> None:
        """Say ``text``, without details; empty hides it."""
        self._failure = None
        self._show(text, "")

    def show_failure(self, failure: Failure) -> None:
        """Say what went wrong."""
        self._failure = failure
        self._show(*failure_text(failure))

    def retranslate(self) -> None:
        """Set all texts."""
        self.details_button.setText(self.tr("Details"))
        describe(self.details_button, self.tr("Show the technical details"))
        if self._failure is not None:
            self._show(*failure_text(self._failure))

    def _show(self, message: str, details: str) -> None:
        self._message.setText(message)
        self.details.setText(details)
        self.details_button.setVisible(bool(details))
        self.details_button.setChecked(False)
        self.details.setVisible(False)
        self.setVisible(bool(message))

"""A plain text field that leaves Tab to the keyboard focus and asks for a sensible number of lines."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QPlainTextEdit, QWidget


class PlainText(QPlainTextEdit):
    """``lines`` high by preference, in the lines of its own font."""

    def __init__(self, lines: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines = lines
        self.setTabChangesFocus(True)

    def sizeHint(self) -> QSize:
        """Prefer the wanted number of lines."""
        return QSize(super().sizeHint().width(), self._height(self._lines))

    def minimumSizeHint(self) -> QSize:
        """Never less than two lines."""
        return QSize(super().minimumSizeHint().width(), self._height(min(2, self._lines)))

    def _height(self, lines: int) -> int:
        around = 2 * self.frameWidth() + 2 * round(self.document().documentMargin())
        return lines * self.fontMetrics().lineSpacing() + around

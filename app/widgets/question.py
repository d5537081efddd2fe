"""A question before something is done that cannot be taken back; nothing waits for the answer."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QMessageBox, QWidget


def ask(window: QWidget, title: str, text: str, more: str, do: Callable[[], None]) -> None:
    """Ask ``text``, with ``more`` below it; ``do`` when the button that says ``title`` is pressed."""
    question = QMessageBox(window)
    question.setIcon(QMessageBox.Icon.Question)
    question.setWindowTitle(title)
    question.setText(text)
    question.setInformativeText(more)
    yes = question.addButton(title, QMessageBox.ButtonRole.DestructiveRole)
    no = question.addButton(QCoreApplication.translate("Question", "Cancel"), QMessageBox.ButtonRole.RejectRole)
    question.setDefaultButton(no)
    question.setEscapeButton(no)
    question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    yes.clicked.connect(do)
    question.open()

"""Asks for the passphrase of the saved voices, or for a new one where the computer has no keyring. Not modal."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QFormLayout, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.widgets.problem import Problem
from app.widgets.translated import Translated, describe

_LEAST = 8


class PassphraseDialog(Translated, QDialog):
    """``known``: one was chosen before and is asked for; else a new one is chosen, or none until the program ends."""

    given = Signal(str)
    memory_chosen = Signal()

    def __init__(self, known: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.known = known
        self._why = QLabel(wordWrap=True)
        self.first = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self.second = QLineEdit(echoMode=QLineEdit.EchoMode.Password)
        self._labels = (QLabel(), QLabel())
        self.problem = Problem()
        self.ok = QPushButton()
        self.ok.setDefault(True)
        self.memory = QPushButton()
        self.cancel = QPushButton()
        form = QFormLayout()
        for label, field in zip(self._labels, (self.first, self.second), strict=True):
            label.setBuddy(field)
            form.addRow(label, field)
        form.setRowVisible(1, not known)
        buttons = QHBoxLayout()
        buttons.addWidget(self.memory)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.ok)
        layout = QVBoxLayout(self)
        layout.addWidget(self._why)
        layout.addLayout(form)
        layout.addWidget(self.problem)
        layout.addLayout(buttons)
        self.memory.setVisible(not known)
        self.ok.clicked.connect(self._give)
        self.memory.clicked.connect(self.memory_chosen)
        self.cancel.clicked.connect(self.reject)
        self.first.textEdited.connect(lambda: self.problem.say(""))
        self.second.textEdited.connect(lambda: self.problem.say(""))
        self.retranslate()

    def wrong(self) -> None:
        """Say that it was another passphrase."""
        self.problem.say(self.tr("This is not the passphrase that was chosen. Try again."))
        self.first.selectAll()
        self.first.setFocus()

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle(self.tr("Saved voices"))
        if self.known:
            self._why.setText(self.tr("The saved voices are locked. Enter the passphrase that was chosen for them."))
        else:
            self._why.setText(
                self.tr(
                    "This computer has no keyring that could hold the key of your saved voices. Choose a passphrase: "
                    "without it nobody can read them, and nobody can bring it back. Or keep them only until the "
                    "program ends: then they cannot be read any more."
                )
            )
        for label, text in zip(self._labels, (self.tr("Passphrase"), self.tr("Once more")), strict=True):
            label.setText(text)
        describe(self.first, self.tr("Passphrase"), self.tr("At least 8 characters; a few words are best."))
        describe(self.second, self.tr("The passphrase once more"))
        self.ok.setText(self.tr("Unlock") if self.known else self.tr("Use this passphrase"))
        describe(self.ok, self.ok.text())
        self.memory.setText(self.tr("Only until the program ends"))
        describe(self.memory, self.tr("Keep the voices only until the program ends"))
        self.cancel.setText(self.tr("Cancel"))
        describe(self.cancel, self.tr("Save nothing"))

    def _give(self) -> None:
        text = self.first.text()
        if not self.known and len(text) < _LEAST:
            self.problem.say(self.tr("The passphrase needs at least 8 characters. Add some words."))
        elif not self.known and text != self.second.text():
            self.problem.say(self.tr("The two are not the same."))
        elif text:
            self.given.emit(text)

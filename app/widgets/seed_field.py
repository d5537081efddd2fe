"""The seed: shown, editable, lockable."""

from __future__ import annotations

import secrets

from PySide6.QtCore import Signal
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from app.core.messages import MAX_SEED
from app.widgets.icons import themed_icon
from app.widgets.translated import Translated, describe


class _SeedValidator(QValidator):
    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        if not text:
            return QValidator.State.Intermediate, text, position
        fits = text.isascii() and text.isdigit() and int(text) <= MAX_SEED
        return (QValidator.State.Acceptable if fits else QValidator.State.Invalid), text, position


class SeedField(Translated, QWidget):
    """A number 0..2**32-1. Unlocked it changes after each press of Generate; a typed seed locks itself."""

    seed_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._seed = secrets.randbelow(MAX_SEED + 1)
        self.label = QLabel()
        self.edit = QLineEdit(str(self._seed))
        self.edit.setValidator(_SeedValidator(self.edit))
        self.edit.setMinimumWidth(self.edit.fontMetrics().horizontalAdvance("0" * 12))
        self.dice = QToolButton(autoRaise=True)
        self.lock = QCheckBox()
        self.label.setBuddy(self.edit)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for widget in (self.label, self.edit, self.dice, self.lock):
            layout.addWidget(widget)
        self.edit.textEdited.connect(self._typed)
        self.edit.editingFinished.connect(self._restore)
        self.dice.clicked.connect(self.draw)
        self.restyle()
        self.retranslate()

    @property
    def seed(self) -> int:
        """The seed that the next job gets."""
        return self._seed

    @property
    def is_locked(self) -> bool:
        """Whether the seed stays after Generate."""
        return self.lock.isChecked()

    def set_seed(self, seed: int, locked: bool = True) -> None:
        """Show ``seed`` and lock it, for a take that is to be made again."""
        self._seed = seed
        self.edit.setText(str(seed))
        self.lock.setChecked(locked)
        self.seed_changed.emit()

    def draw(self) -> None:
        """Draw a new seed; the lock stays as it is."""
        self._seed = secrets.randbelow(MAX_SEED + 1)
        self.edit.setText(str(self._seed))
        self.seed_changed.emit()

    def advance(self) -> None:
        """After a job has taken the seed: draw the next one unless locked."""
        if not self.is_locked:
            self.draw()

    def restyle(self) -> None:
        """Draw the icon in the colours of the theme."""
        self.dice.setIcon(themed_icon("dice", self.palette()))

    def retranslate(self) -> None:
        """Set all texts."""
        self.label.setText(self.tr("Seed"))
        describe(
            self.edit,
            self.tr("Seed"),
            self.tr("The same seed and settings make the same take again (0 to 4294967295)."),
        )
        describe(self.dice, self.tr("Draw a new seed"))
        self.lock.setText(self.tr("Lock"))
        describe(
            self.lock,
            self.tr("Lock the seed"),
            self.tr("Keep this seed for the next takes instead of drawing a new one."),
        )

    def _typed(self, text: str) -> None:
        if text:
            self._seed = int(text)
            self.lock.setChecked(True)
            self.seed_changed.emit()

    def _restore(self) -> None:
        self.edit.setText(str(self._seed))

"""Two to four takes against each other: which one is heard, blind or not, and the choice."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.core.comparisons import MOST
from app.widgets.translated import Translated, describe

_LETTERS = "ABCD"


class CompareBar(Translated, QWidget):
    """Tells wishes and shows where the comparison stands; the comparing itself is done elsewhere."""

    compare_requested = Signal(bool)  # blind
    ended = Signal()
    switched = Signal(int)
    chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.compare_button = QPushButton()
        self.compare_button.setCheckable(True)
        self.blind = QCheckBox()
        self.use_button = QPushButton()
        self.choices = [QToolButton() for _ in range(MOST)]
        self.said = QLabel(wordWrap=True)
        self.said.setProperty("muted", True)
        self._names: list[str] = []
        self._is_blind = False
        self._group = QButtonGroup(self)
        first, second = QHBoxLayout(), QHBoxLayout()
        first.addWidget(self.compare_button)
        first.addWidget(self.blind)
        first.addStretch(1)
        for number, button in enumerate(self.choices):
            button.setObjectName("choice")
            button.setCheckable(True)
            self._group.addButton(button, number)
            second.addWidget(button)
        second.addStretch(1)
        second.addWidget(self.use_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(first)
        layout.addLayout(second)
        layout.addWidget(self.said)
        self.compare_button.clicked.connect(self._pressed)
        self.blind.clicked.connect(self._blind_clicked)
        self._group.idClicked.connect(self.switched)
        self.use_button.clicked.connect(self.chosen)
        self.show_idle(False)

    @property
    def is_running(self) -> bool:
        """Whether takes are being compared."""
        return bool(self._names)

    def show_idle(self, possible: bool) -> None:
        """No comparison runs; ``possible`` tells whether one can be begun."""
        self._names = []
        self.compare_button.setChecked(False)
        self.compare_button.setEnabled(possible)
        self.blind.setEnabled(possible)
        self.retranslate()

    def show_comparison(self, names: Sequence[str], blind: bool) -> None:
        """A comparison runs: ``names`` of the takes in the order of the buttons, which a blind one does not show."""
        self._names, self._is_blind = list(names), blind
        self.compare_button.setChecked(True)
        self.compare_button.setEnabled(True)
        self.blind.setEnabled(True)
        self.blind.setChecked(blind)
        self.say("")
        self.retranslate()
        self.show_heard(0)

    def show_heard(self, index: int) -> None:
        """Tick the take that is heard."""
        if index < len(self._names):
            self.choices[index].setChecked(True)

    def say(self, text: str) -> None:
        """Say how it ended."""
        self.said.setText(text)
        self.said.setVisible(bool(text))

    def retranslate(self) -> None:
        """Set all texts."""
        running = bool(self._names)
        self.compare_button.setText(self.tr("Compare"))
        describe(
            self.compare_button,
            self.tr("Compare"),
            self.tr("End the comparison (C)")
            if running
            else self.tr(
                "Hear the takes of this press, or those that are selected, against each other, equally loud (C)"
            ),
        )
        self.blind.setText(self.tr("Blind"))
        describe(self.blind, self.tr("Blind"), self.tr("In an order that is told only after the choice (X)"))
        self.use_button.setText(self.tr("Use this"))
        describe(self.use_button, self.tr("Use this"), self.tr("Choose the take that is heard; the choice is kept (U)"))
        self.use_button.setVisible(running)
        self.say(self.said.text())
        for number, button in enumerate(self.choices):
            button.setVisible(number < len(self._names))
            plain = str(number + 1) if number >= len(self._names) else self._names[number]
            name = _LETTERS[number] if self._is_blind else plain
            button.setText(name)
            describe(
                button,
                self.tr("Hear {name}").format(name=name),
                self.tr("Go over to {name} at the same place ({key})").format(name=name, key=number + 1),
            )

    def _pressed(self, on: bool) -> None:
        if self._names:
            self.ended.emit()
        elif on:
            self.compare_button.setChecked(False)  # until it runs
            self.compare_requested.emit(self.blind.isChecked())

    def _blind_clicked(self, on: bool) -> None:
        if self._names:  # begin anew, in the other way
            self.compare_requested.emit(on)

"""Chooses, phrase by phrase, from which of several takes it comes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.core.activity import Stretch
from app.core.takes import Take
from app.widgets.translated import Translated, describe
from app.widgets.wording import length_text


class JoinDialog(Translated, QDialog):
    """A row for each phrase, a column for each take. A phrase that is chosen is heard."""

    heard = Signal(object, float)  # Take, second at which the phrase begins
    join_requested = Signal(object, object)  # Takes, numbers of the takes by phrase

    def __init__(self, takes: Sequence[Take], cut: Sequence[Sequence[Stretch]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._takes, self._cut = list(takes), cut
        self._explanation = QLabel(wordWrap=True)
        self._heads = [QLabel() for _ in takes]
        self._rows = [QLabel() for _ in cut[0]]
        self.groups: list[QButtonGroup] = []
        self.choices: dict[tuple[int, int], QRadioButton] = {}  # by row and column
        grid_holder = QWidget()
        grid = QGridLayout(grid_holder)
        for column, head in enumerate(self._heads):
            grid.addWidget(head, 0, column + 1)
        for row, label in enumerate(self._rows):
            grid.addWidget(label, row + 1, 0)
            group = QButtonGroup(self)
            for column in range(len(takes)):
                button = self.choices[row, column] = QRadioButton()
                group.addButton(button, column)
                grid.addWidget(button, row + 1, column + 1)
            group.button(0).setChecked(True)
            group.idClicked.connect(lambda column, row=row: self.heard.emit(takes[column], cut[column][row].start))
            self.groups.append(group)
        grid.setRowStretch(len(self._rows) + 1, 1)
        grid.setColumnStretch(len(self._heads) + 1, 1)
        scroll = QScrollArea(widgetResizable=True)
        scroll.setWidget(grid_holder)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.cancel_button = self.buttons.button(QDialogButtonBox.StandardButton.Cancel)
        self.join_button = self.buttons.addButton("", QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.accepted.connect(lambda: self.join_requested.emit(self._takes, self.choice()))
        layout = QVBoxLayout(self)
        layout.addWidget(self._explanation)
        layout.addWidget(scroll, 1)
        layout.addWidget(self.buttons)
        self.retranslate()

    def choice(self) -> list[int]:
        """The number of the take for each phrase."""
        return [group.checkedId() for group in self.groups]

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle(self.tr("Join phrases"))
        self._explanation.setText(
            self.tr("Choose for each phrase the take that it comes from. The takes themselves stay as they are.")
        )
        self.join_button.setText(self.tr("Join"))
        describe(self.join_button, self.tr("Join"), self.tr("Put the joined take into the list"))
        self.cancel_button.setText(self.tr("Cancel"))
        describe(self.cancel_button, self.tr("Cancel"), self.tr("Join nothing"))
        for column, (head, take) in enumerate(zip(self._heads, self._takes, strict=True)):
            head.setText(self.tr("Take {number}").format(number=column + 1))
            head.setToolTip(self.tr("seed {seed}").format(seed=take.seed))
        for row, label in enumerate(self._rows):
            label.setText(self.tr("Phrase {number}").format(number=row + 1))
            for column in range(len(self._takes)):
                button = self.groups[row].button(column)
                button.setText(length_text(self._cut[column][row].seconds))
                name = self.tr("Phrase {phrase} of take {take}").format(phrase=row + 1, take=column + 1)
                describe(button, name, self.tr("Take this phrase, and hear it"))

"""Switches between a take, the take with the watermark, and what the watermark alone adds. Not modal."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from app.widgets.translated import Translated, describe

TAKE, MARKED, DIFFERENCE = range(3)


class HearWatermark(Translated, QDialog):
    """``level``: that of the difference against the take, in dB."""

    chosen = Signal(int)  # TAKE, MARKED or DIFFERENCE
    play_requested = Signal()

    def __init__(self, level: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._level = level
        self._about = QLabel(wordWrap=True)
        self.choices = [QRadioButton() for _ in range(3)]
        self._group = QButtonGroup(self)
        self.play_button, self.close_button = QPushButton(), QPushButton()
        self.play_button.setDefault(True)
        buttons = QHBoxLayout()
        buttons.addWidget(self.play_button)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.addWidget(self._about)
        for number, choice in enumerate(self.choices):
            self._group.addButton(choice, number)
            layout.addWidget(choice)
        layout.addLayout(buttons)
        self.choices[TAKE].setChecked(True)
        self._group.idClicked.connect(self.chosen)
        self.play_button.clicked.connect(self.play_requested)
        self.close_button.clicked.connect(self.close)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 64)
        self.retranslate()

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle(self.tr("Hear the watermark"))
        self._about.setText(
            self.tr(
                "Every file that leaves the studio carries this mark. What it adds lies {level:.0f} dB below the take. "
                "Switch while it plays: the place stays."
            ).format(level=-self._level)
        )
        texts = (
            self.tr("The take as it was made"),
            self.tr("The take with the watermark"),
            self.tr("What the watermark adds, alone"),
        )
        for choice, text in zip(self.choices, texts, strict=True):
            choice.setText(text)
            describe(choice, text)
        self.play_button.setText(self.tr("Play or pause"))
        describe(self.play_button, self.tr("Play or pause"))
        self.close_button.setText(self.tr("Close"))
        describe(self.close_button, self.tr("Close"))

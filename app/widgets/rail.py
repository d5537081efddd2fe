"""The strip of buttons at the left that choose the mode."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.widgets.icons import themed_icon
from app.widgets.translated import Translated, describe


def _offer_to_tab(button: QToolButton, pressed: bool) -> None:
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus if pressed else Qt.FocusPolicy.NoFocus)


class Rail(Translated, QFrame):
    """One button for each panel, one of them pressed."""

    chosen = Signal(str)  # design, clone, continue, dub, voices

    def __init__(self, keys: tuple[str, ...], current: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QVBoxLayout(self)
        side = round(1.8 * self.fontMetrics().height())
        self._buttons: dict[str, QToolButton] = {}
        self._group = QButtonGroup(self)
        for key in keys:
            button = QToolButton()
            button.setCheckable(True)
            button.setObjectName("rail")
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
            button.setIconSize(QSize(side, side))
            button.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
            button.clicked.connect(lambda _=False, key=key: self.chosen.emit(key))
            # Tab leads to the pressed one, from which the arrows go on; Qt alone would lead to the first.
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.toggled.connect(partial(_offer_to_tab, button))
            self._buttons[key] = button
            self._group.addButton(button)
            layout.addWidget(button)
        layout.addStretch(1)
        self._buttons[current].setChecked(True)
        self.restyle()
        self.retranslate()

    def button(self, key: str) -> QToolButton:
        """The button that shows a panel."""
        return self._buttons[key]

    def restyle(self) -> None:
        """Draw the icons in the colours of the theme."""
        for key, button in self._buttons.items():
            button.setIcon(themed_icon(key, self.palette()))

    def retranslate(self) -> None:
        """Set all texts."""
        tips = {
            "design": self.tr("A voice from a description"),
            "clone": self.tr("The voice of a reference"),
            "continue": self.tr("Go on from a recording"),
            "dub": self.tr("Subtitles or a script, spoken and mixed"),
            "voices": self.tr("The saved voices and their consent"),
        }
        names = {
            "design": self.tr("Design"),
            "clone": self.tr("Clone"),
            "continue": self.tr("Continue"),
            "dub": self.tr("Dub"),
            "voices": self.tr("Voices"),
        }
        for key, button in self._buttons.items():
            button.setText(names[key])
            describe(button, names[key], tips[key])

"""The button that names the model and opens the choice of another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from app.core.models import read_card
from app.widgets.translated import Translated, describe
from app.widgets.wording import model_text

MOST_RECENT = 6


def card_name(folder: str) -> str:
    """The name on the card of a model folder."""
    return model_text(read_card(Path(folder)).name)


def card_note(folder: str) -> str:
    """What must not be overlooked about a model; empty for most."""
    return model_text(read_card(Path(folder)).note)


class ModelButton(Translated, QToolButton):
    """Opens a menu: a folder, the bundled model, those used lately."""

    folder_requested = Signal(str)  # empty = the bundled model
    browse_requested = Signal()
    manage_requested = Signal()

    def __init__(self, bundled: str, recent: Callable[[], list[str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bundled = bundled
        self._recent = recent
        self._folder = ""
        self.choices = QMenu(self)
        self.choices.aboutToShow.connect(self._fill)
        self.setMenu(self.choices)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.retranslate()

    def set_folder(self, folder: str) -> None:
        """Show the name of the model in ``folder``; empty = none chosen."""
        self._folder = folder
        self.retranslate()

    def retranslate(self) -> None:
        """Set all texts."""
        self.setText((card_name(self._folder) if self._folder else self.tr("Choose a model")) + "  ")
        about = "\n".join(text for text in (card_note(self._folder), self._folder) if text) if self._folder else ""
        describe(self, self.tr("Model"), about or self.tr("Choose the folder of a model"))
        self._fill()

    def _fill(self) -> None:
        self.choices.clear()
        browse = QAction(self.tr("Open a model folder…"), self.choices)
        browse.triggered.connect(self.browse_requested)
        self.choices.addAction(browse)
        if self._bundled:
            self._add(self.tr("Bundled: {name}").format(name=card_name(self._bundled)), "")
        manage = QAction(self.tr("Models and downloads…"), self.choices)
        manage.triggered.connect(self.manage_requested)
        self.choices.addAction(manage)
        recent = [folder for folder in self._recent() if Path(folder).is_dir()]
        if recent:
            self.choices.addSeparator()
        for folder in recent[:MOST_RECENT]:
            self._add(f"{card_name(folder)} — {folder}", folder)

    def _add(self, text: str, folder: str) -> None:
        action = QAction(text.replace("&", "&&"), self.choices)
        action.triggered.connect(lambda: self.folder_requested.emit(folder))
        self.choices.addAction(action)

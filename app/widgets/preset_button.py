"""Descriptions of voices to begin with, and one's own."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from app.core.settings import Settings
from app.widgets.translated import Translated, describe

MOST = 20
_SHIPPED = (
    QT_TRANSLATE_NOOP("Presets", "a woman in her forties, warm, slow"),
    QT_TRANSLATE_NOOP("Presets", "a young man, lively, fast"),
    QT_TRANSLATE_NOOP("Presets", "an old man, deep, calm"),
    QT_TRANSLATE_NOOP("Presets", "a girl, bright, curious"),
    QT_TRANSLATE_NOOP("Presets", "a news reader, clear, neutral"),
    QT_TRANSLATE_NOOP("Presets", "a storyteller, soft, close to the microphone"),
)


class PresetButton(Translated, QToolButton):
    """Opens a menu of descriptions; ``description`` is what stands in the field now, for keeping it."""

    chosen = Signal(str)

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent, popupMode=QToolButton.ToolButtonPopupMode.InstantPopup)
        self._settings = settings
        self.description = ""
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.choices = QMenu(self)
        self.choices.aboutToShow.connect(self._fill)
        self.setMenu(self.choices)
        self.retranslate()

    def retranslate(self) -> None:
        """Set all texts."""
        self.setText(self.tr("Presets"))
        describe(self, self.tr("Presets"), self.tr("Descriptions to begin with, and those that you kept"))

    def keep(self) -> None:
        """Keep the description of now."""
        others = [one for one in self._settings.get("presets") if one != self.description]
        self._settings.set("presets", [self.description, *others][:MOST])

    def forget(self) -> None:
        """Forget the kept one that stands in the field."""
        self._settings.set("presets", [one for one in self._settings.get("presets") if one != self.description])

    def _fill(self) -> None:
        self.choices.clear()
        own: list[str] = self._settings.get("presets")
        for text in own:
            self._add(text)
        if own:
            self.choices.addSeparator()
        for source in _SHIPPED:
            self._add(QCoreApplication.translate("Presets", str(source)))
        self.choices.addSeparator()
        keep = self.choices.addAction(self.tr("Keep this description"), self.keep)
        keep.setEnabled(bool(self.description) and self.description not in own)
        forget = self.choices.addAction(self.tr("Forget this description"), self.forget)
        forget.setEnabled(self.description in own)

    def _add(self, text: str) -> None:
        self.choices.addAction(text.replace("&", "&&"), partial(self.chosen.emit, text))

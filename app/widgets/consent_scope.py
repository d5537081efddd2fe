"""What a consent allows beyond speaking and passing the speech on: four ticks."""

from __future__ import annotations

import dataclasses
from typing import Any

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from app.core.consent.making import make_scope
from app.core.consent.record import Scope
from app.widgets.translated import Translated, describe

_ALLOWED = ("commercial", "training", "redistribution", "sensitive_text")


class ScopeTicks(Translated, QWidget):
    """Nothing is ticked at first: who gives more says so."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.ticks = {key: QCheckBox() for key in _ALLOWED}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for tick in self.ticks.values():
            layout.addWidget(tick)
        layout.addStretch(1)
        self.retranslate()

    def scope(self) -> Scope:
        """What is ticked."""
        allowed: dict[str, Any] = {key: tick.isChecked() for key, tick in self.ticks.items()}
        return dataclasses.replace(make_scope(), **allowed)

    def show_scope(self, scope: Scope) -> None:
        """Tick what ``scope`` allows."""
        for key, tick in self.ticks.items():
            tick.setChecked(getattr(scope, key))

    def retranslate(self) -> None:
        """Set all texts."""
        texts = {
            "commercial": self.tr("may earn money"),
            "training": self.tr("may train a model"),
            "redistribution": self.tr("may be passed on"),
            "sensitive_text": self.tr("may speak sensitive text"),
        }
        for key, tick in self.ticks.items():
            tick.setText(texts[key])
            describe(tick, texts[key])

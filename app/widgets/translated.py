"""Widgets that follow a change of language or theme while they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtGui import QFocusEvent

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget as _Base
else:
    _Base = object


class Translated(_Base):
    """Put before the Qt class. ``retranslate`` sets every visible text; ``restyle`` what depends on colours."""

    def retranslate(self) -> None:
        """Set all texts, tooltips and accessible names anew."""

    def restyle(self) -> None:
        """Take over the colours of the palette where Qt does not do so itself."""

    def changeEvent(self, event: QEvent) -> None:
        """Pass a change of language or palette on."""
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        elif event.type() == QEvent.Type.PaletteChange:
            self.restyle()
        super().changeEvent(event)


class ShowsFocus(_Base):
    """Put before the Qt class. The style sheet shows by the property ``focused`` that the keys work here."""

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that the keys work here."""
        super().focusInEvent(event)
        set_flag(self, "focused", True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Show that the keys work elsewhere."""
        super().focusOutEvent(event)
        set_flag(self, "focused", False)


def describe(widget: _Base, name: str, tip: str = "") -> None:
    """Give ``widget`` a name for screen readers and a tooltip (the name itself when no longer text is given)."""
    widget.setAccessibleName(name)
    widget.setToolTip(tip or name)
    if tip:
        widget.setAccessibleDescription(tip)


def set_flag(widget: _Base, name: str, value: bool) -> None:
    """Set a property that the style sheet looks at, and let it look again."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)

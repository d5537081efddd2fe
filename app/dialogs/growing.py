"""A dialog that is never too low for what it shows: texts that wrap and rows that unfold make it higher."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QDialog


class GrowingDialog(QDialog):
    """Becomes higher when its contents do; only a person makes it lower again."""

    def event(self, event: QEvent) -> bool:
        """Follow the contents."""
        follows = event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show)
        handled = super().event(event)
        layout = self.layout() if follows else None  # after other events the dialog may be gone
        if layout is not None:
            layout.activate()
            width = self.width()
            needed = (
                layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.totalSizeHint().height()
            )
            if needed > self.height():
                self.resize(width, min(needed, self.screen().availableGeometry().height()))
        return handled

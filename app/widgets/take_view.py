"""The list of takes, from which they can be dragged into other programs."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QListView


class TakeView(QListView):
    """Tells that a drag begins; what is dragged is a file that has to be made first."""

    drag_wanted = Signal()

    def startDrag(self, actions: Qt.DropAction) -> None:
        """Leave it to others."""
        self.drag_wanted.emit()

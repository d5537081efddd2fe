"""Views that draw one after the other, with room between them for whatever else the window's thread has to do."""

from __future__ import annotations

import time
from typing import Protocol

from PySide6.QtCore import QObject, QTimer

_PAUSE_MS = 12
"""Between the end of one turn and the next: longer than a beat of the player, too short to be seen."""


class TakesTurns(Protocol):
    """A view that draws itself when its turn comes."""

    def take_turn(self) -> None:
        """Draw what changed."""


class Turns(QObject):
    """Gives each view that asks one turn, in the order of asking. Whoever waits already does not wait twice."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: list[TakesTurns] = []
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._next)
        self._ended = 0.0

    def ask(self, view: TakesTurns) -> None:
        """Let ``view`` draw as soon as those before it have."""
        if view not in self._waiting:
            self._waiting.append(view)
        if not self._timer.isActive():
            since = 1000 * (time.monotonic() - self._ended)
            self._timer.start(max(0, round(_PAUSE_MS - since)))

    def _next(self) -> None:
        try:
            self._waiting.pop(0).take_turn()
        finally:
            self._ended = time.monotonic()
            if self._waiting:
                self._timer.start(_PAUSE_MS)

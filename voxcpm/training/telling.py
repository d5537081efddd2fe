"""What a run says while it goes on: to its log, to curves, and to whoever listens. Only the leading process speaks."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from voxcpm.training.curves import Curves
from voxcpm.training.runs import RunFolder
from voxcpm.training.world import World

logger = logging.getLogger(__name__)

Listener = Callable[[dict[str, Any]], None]
"""Gets every event of the log, and ``{"event": "note"}`` for people, as it happens."""


class Teller:
    """For one run in one process."""

    def __init__(self, folder: RunFolder, world: World, listener: Listener | None) -> None:
        self._folder, self._world, self._listener = folder, world, listener
        self._curves: Curves | None = None

    def draw_curves(self, start: int) -> None:
        """Write curves besides; those after step ``start`` are written anew."""
        if self._world.leads:
            self._curves = Curves(self._folder.path, start)

    def tell(self, event: dict[str, Any]) -> None:
        """To whoever listens."""
        if self._world.leads and self._listener is not None:
            self._listener(event)

    def note(self, text: str) -> None:
        """A remark for people."""
        if self._world.leads:
            logger.info("a remark of %d characters", len(text))  # it may name files and people; logs do not
            self.tell({"event": "note", "message": text})

    def log(self, event: dict[str, Any]) -> None:
        """To the log file, to the curves and to whoever listens."""
        if self._world.leads:
            self._folder.append(event)
            if self._curves is not None:
                self._curves.add(event)
            self.tell(event)

    def close(self) -> None:
        """End the curves, if there are any."""
        if self._curves is not None:
            self._curves.close()

"""Manners of Python that a window needs: where and when garbage is collected, and how long a thread may go on alone.

Left alone, cyclic garbage is collected in whichever thread makes one object too many. In a thread other than the
window's that would delete widgets and timers there, of which Qt dies; and a full run takes as long as several frames.
"""

from __future__ import annotations

import gc
import sys

from PySide6.QtCore import QObject, QTimer

_LOOK_MS = 500
_THRESHOLDS = (2000, 10, 50)
"""New objects, and runs of the younger generation, after which one of 0, 1, 2 is collected."""
_SWITCH_SECONDS = 0.0005
"""What a thread may keep Python to itself when others wait. At 5 ms, the default, a picture whose parts are drawn by
Python waits that long for every part while another thread computes, and so does the sound device."""


class Collector(QObject):
    """Takes over from Python while the window is open. What is there at ``settle`` is not looked at any more."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._was_enabled = gc.isenabled()
        gc.disable()
        self._switch_seconds = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_SECONDS)
        self._runs = [0, 0]
        self._timer = QTimer(self, interval=_LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def settle(self) -> None:
        """The program has started: what it consists of stays for ever and need not be searched again and again."""
        gc.collect()
        gc.freeze()

    def look(self) -> None:
        """Collect the oldest generation that is due."""
        if gc.get_count()[0] < _THRESHOLDS[0]:
            return
        generation = 0
        self._runs[0] += 1
        if self._runs[0] >= _THRESHOLDS[1]:
            generation, self._runs = 1, [0, self._runs[1] + 1]
        if self._runs[1] >= _THRESHOLDS[2]:
            generation, self._runs = 2, [0, 0]
        gc.collect(generation)

    def stop(self) -> None:
        """Give it back to Python."""
        self._timer.stop()
        gc.unfreeze()
        if self._was_enabled:
            gc.enable()
        sys.setswitchinterval(self._switch_seconds)

"""Lets one hear what the watermark does to a take: the take, the take with the mark, and the difference alone."""

from __future__ import annotations

import logging

import numpy as np
from PySide6.QtCore import QObject, Qt, QThreadPool, Signal
from PySide6.QtWidgets import QWidget

from app.audio.player import Player
from app.audio.sources import ArraySource, TakeSource
from app.core.engine_api import EngineCancelled
from app.core.takes import Take
from app.dialogs.hear_watermark import HearWatermark
from app.marks.choice import MarkTools
from app.marks.errors import MarkError
from app.panels.takes_panel import TakesPanel
from app.widgets.notice import Notice

log = logging.getLogger(__name__)


class WatermarkPreview(QObject):
    """The mark is made off the window's thread, exactly as an export makes it at the rate of the take."""

    made = Signal(object, object)  # Take, float32 [n] with the mark, or the reason why there is none

    def __init__(
        self, player: Player, panel: TakesPanel, pool: QThreadPool, tools: MarkTools, notice: Notice, window: QWidget
    ) -> None:
        super().__init__(window)
        self._player, self._panel, self._pool, self._tools = player, panel, pool, tools
        self._notice, self._window = notice, window
        self._take: Take | None = None
        self.dialog: HearWatermark | None = None
        self.made.connect(self._made)
        panel.take_selected.connect(lambda take: self._turned(take))

    def ask(self) -> None:
        """Mark the chosen take, and open the dialog once that is done."""
        take = self._panel.whole()
        if take is None:
            self._notice.show_notice(self.tr("Choose a take whose sound is there."))
            return
        self._take = take
        self._pool.start(lambda: self._make(take))

    # Inside ----------------------------------------------------------------------------------------------------------

    def _make(self, take: Take) -> None:
        """In another thread."""
        try:
            marked = self._tools.watermark().embed(take.samples, take.sample_rate)
        except EngineCancelled:
            log.warning("A take was not marked: the studio is being closed")
        except MarkError as error:
            self.made.emit(take, str(error))
        else:
            self.made.emit(take, np.asarray(marked, np.float32))

    def _made(self, take: Take, marked: np.ndarray | str) -> None:
        if take is not self._take:  # somebody turned to another take
            return
        if isinstance(marked, str):
            self._notice.show_notice(self.tr("The watermark cannot be made."), marked)
            return
        difference = marked - take.samples
        self._close()
        dialog = self.dialog = HearWatermark(_decibels(difference) - _decibels(take.samples), self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self._player.switch_to)
        dialog.play_requested.connect(self._player.toggle)
        dialog.finished.connect(lambda: self._ended(take))
        sounds = (ArraySource(sound, take.sample_rate) for sound in (marked, difference))
        self._player.set_alternatives([TakeSource(take), *sounds])
        dialog.show()
        self._player.play()

    def _ended(self, take: Take) -> None:
        self.dialog = None
        if take is self._panel.current:
            self._player.set_source(TakeSource(take))

    def _turned(self, take: Take | None) -> None:
        self._take = None
        self._close()

    def _close(self) -> None:
        if self.dialog is not None:
            self.dialog.close()


def _decibels(samples: np.ndarray) -> float:
    """The level of float32 [n] in dB of full scale."""
    power = float(np.mean(np.square(samples, dtype=np.float64))) if samples.size else 0.0
    return 10 * float(np.log10(max(power, 1e-12)))

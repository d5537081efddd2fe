"""The sound of a take over time."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QWidget

from app.core.peaks import PeakPyramid
from app.core.takes import Take
from app.widgets.background import BackgroundQueue
from app.widgets.time_axis import TimeAxis
from app.widgets.time_plot import TimePlot
from app.widgets.wording import level_text

_TICKS = [(-0.5, "-0.5"), (0.0, "0"), (0.5, "0.5")]
_ROOMY_LINES = 3.5
_OUTLINE_PIXELS = 8  # under one place of the outline: closer it would follow each wave and hide what is below
_AT_ONCE = 2_000_000  # samples whose peaks are found without a stall


class WaveformView(TimePlot):
    """Samples -1..1 over seconds, as the lowest and highest of each column. The other take is drawn as its outline."""

    def __init__(self, axis: TimeAxis, work: BackgroundQueue, parent: QWidget | None = None) -> None:
        super().__init__(axis, parent)
        self._work = work
        self._pyramids: dict[str, PeakPyramid] = {}
        item = self.getPlotItem()
        item.setYRange(-1.0, 1.0, padding=0.02)
        self._curve = pg.PlotCurveItem(skipFiniteCheck=True)
        self._outline = pg.PlotCurveItem(skipFiniteCheck=True, connect="finite")
        for curve in (self._curve, self._outline):
            item.addItem(curve, ignoreBounds=True)
        self.restyle()
        self.retranslate()

    def show_takes(self, take: Take | None, other: Take | None) -> None:
        """Show ``take``, with the outline of ``other`` over it."""
        wanted = {shown.uid for shown in (take, other) if shown is not None}
        self._pyramids = {uid: pyramid for uid, pyramid in self._pyramids.items() if uid in wanted}
        super().show_takes(take, other)

    def draw(self) -> None:
        """Draw what is in view."""
        roomy = self.height() > _ROOMY_LINES * self.fontMetrics().height()
        self.set_ticks(_TICKS if roomy else _TICKS[1:2])
        self._curve.setData(*self._zigzag(self.take))
        self._outline.setData(*self._edges(self.other))
        self._outline.setVisible(self.other is not None)

    @property
    def drawn(self) -> tuple[np.ndarray, np.ndarray]:
        """The seconds and the values of the drawn line, each [n]."""
        self.catch_up()
        x, y = self._curve.getData()
        return (np.zeros(0), np.zeros(0)) if x is None else (x, y)

    def value_text(self, seconds: float) -> str:
        """The peak level around a place, in decibels below full scale."""
        take = self.take
        if take is None:
            return ""
        half = max(1, round(self.axis.span / self.columns / 2 * take.sample_rate))
        middle = round(seconds * take.sample_rate)
        near = take.samples[max(0, middle - half) : middle + half]
        return self.tr("level {level}").format(level=level_text(float(np.abs(near).max()))) if len(near) else ""

    def restyle(self) -> None:
        """Take the colours of the palette."""
        super().restyle()
        if hasattr(self, "_outline"):
            self._curve.setPen(pg.mkPen(self.palette().color(QPalette.ColorRole.Highlight), width=1))
            self._outline.setPen(pg.mkPen(self.palette().color(QPalette.ColorRole.WindowText), width=1))

    def retranslate(self) -> None:
        """Set all texts."""
        self.setAccessibleName(self.tr("Waveform"))
        self.setToolTip(self.tr("Waveform: click to go there, drag to select, turn the wheel to zoom"))

    def _columns(self, take: Take | None, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Middle of each of about ``count`` columns in seconds, lows, highs."""
        nothing = np.zeros(0)
        pyramid = self._pyramid(take)
        if take is None or pyramid is None:
            return nothing, nothing, nothing
        samples, rate = take.samples, take.sample_rate
        first, last = math.floor(self.axis.start * rate), math.ceil(self.axis.stop * rate) + 1
        got = pyramid.columns(samples, first, last, count)
        if not len(got.lows):
            return nothing, nothing, nothing
        return (got.borders[:-1] + got.borders[1:] - 1) / (2 * rate), got.lows, got.highs

    def _zigzag(self, take: Take | None) -> tuple[np.ndarray, np.ndarray]:
        x, lows, highs = self._columns(take, self.columns)
        if np.array_equal(lows, highs):
            return x, lows
        return np.repeat(x, 2), np.stack([lows, highs], axis=1).reshape(-1)

    def _edges(self, take: Take | None) -> tuple[np.ndarray, np.ndarray]:
        x, lows, highs = self._columns(take, max(16, self.columns // _OUTLINE_PIXELS))
        gap = np.array([np.nan])
        return np.concatenate([x, gap, x]), np.concatenate([highs, gap, lows])

    def _pyramid(self, take: Take | None) -> PeakPyramid | None:
        """The peaks of a take; None while those of a long one are being found."""
        if take is None:
            return None
        samples, uid = take.samples, take.uid
        pyramid = self._pyramids.get(uid)
        if len(samples) - (pyramid.covered if pyramid is not None else 0) <= _AT_ONCE:
            pyramid = pyramid or self._pyramids.setdefault(uid, PeakPyramid())
            pyramid.extend(samples)
            return pyramid
        self._work.add(("peaks", uid), lambda: _built(samples), lambda made: self._have(uid, made))
        return None

    def _have(self, uid: str, pyramid: PeakPyramid) -> None:
        if uid in {take.uid for take in (self.take, self.other) if take is not None}:
            self._pyramids[uid] = pyramid
            self.renew()


def _built(samples: np.ndarray) -> PeakPyramid:
    pyramid = PeakPyramid()
    pyramid.extend(samples)
    return pyramid

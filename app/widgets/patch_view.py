"""Two tracks with one value per patch: how likely the model held it to stop, and how long the patch took."""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QWidget

from app.core.takes import Take
from app.widgets.time_axis import TimeAxis
from app.widgets.time_plot import TimePlot


class PatchView(TimePlot):
    """Steps over seconds, one per patch; zoomed out the highest of those that share a column.

    A dashed line marks where the meaning changes; the other take is drawn dotted.
    """

    def __init__(self, axis: TimeAxis, parent: QWidget | None = None) -> None:
        super().__init__(axis, parent)
        self._curve, self._other_curve = (
            pg.PlotCurveItem(np.zeros(2), np.zeros(1), stepMode="center", skipFiniteCheck=True) for _ in range(2)
        )
        self._limit = pg.InfiniteLine(0.0, angle=0, movable=False)
        for item in (self._limit, self._curve, self._other_curve):
            self.getPlotItem().addItem(item, ignoreBounds=True)
        self.restyle()
        self.retranslate()

    @abstractmethod
    def values(self, take: Take) -> np.ndarray:
        """One value per patch, float32 [patches]."""

    def draw(self) -> None:
        """Draw what is in view."""
        for curve, take in ((self._curve, self.take), (self._other_curve, self.other)):
            borders, values = self._steps(take)
            curve.setVisible(len(values) > 0)
            if len(values):
                curve.setData(borders, values)

    @property
    def drawn(self) -> tuple[np.ndarray, np.ndarray]:
        """The borders of the drawn steps in seconds [n + 1], and their values [n]."""
        return self._steps(self.take)

    def restyle(self) -> None:
        """Take the colours of the palette."""
        super().restyle()
        if hasattr(self, "_limit"):
            text = self.palette().color(QPalette.ColorRole.WindowText)
            self._curve.setPen(pg.mkPen(self.palette().color(QPalette.ColorRole.Highlight), width=1))
            self._other_curve.setPen(pg.mkPen(text, width=1, style=Qt.PenStyle.DotLine))
            self._limit.setPen(pg.mkPen(text, width=1, style=Qt.PenStyle.DashLine))

    def _steps(self, take: Take | None) -> tuple[np.ndarray, np.ndarray]:
        values = self.values(take) if take is not None else np.zeros(0, np.float32)
        if take is None or not len(values):
            return np.zeros(0), values
        patch = take.patch_size / take.frame_rate
        first = min(max(0, math.floor(self.axis.start / patch)), len(values))
        last = max(first, min(len(values), math.ceil(self.axis.stop / patch)))
        part = values[first:last]
        each = max(1, -(-len(part) // self.columns))
        at = np.arange(0, len(part), each)
        borders = np.append(at, len(part)) + first
        return borders * patch, np.maximum.reduceat(part, at) if len(part) else part

    def _value_at(self, seconds: float) -> float | None:
        take = self.take
        values = self.values(take) if take is not None else np.zeros(0, np.float32)
        at = int(seconds * take.frame_rate / take.patch_size) if take is not None else 0
        return float(values[at]) if at < len(values) else None


class StopView(PatchView):
    """How likely the model held it to stop after each patch, 0..1; it stops where that passes a half."""

    def __init__(self, axis: TimeAxis, parent: QWidget | None = None) -> None:
        super().__init__(axis, parent)
        self._limit.setValue(0.5)
        self.getPlotItem().setYRange(0.0, 1.0, padding=0.04)
        self.set_ticks([(0.5, "0.5")])

    def values(self, take: Take) -> np.ndarray:
        """0..1 for each patch."""
        return take.stop_probabilities

    def value_text(self, seconds: float) -> str:
        """The value of the patch at a place."""
        value = self._value_at(seconds)
        return "" if value is None else self.tr("stop {percent:.0f} %").format(percent=100 * value)

    def retranslate(self) -> None:
        """Set all texts."""
        self.setAccessibleName(self.tr("Stop probability"))
        self.setToolTip(self.tr("Stop probability of each patch, 0 to 1; the dashed line is one half"))


class SpeedView(PatchView):
    """How long each patch took to compute, as a multiple of the sound that it makes: above 1 is too slow to stream."""

    def __init__(self, axis: TimeAxis, parent: QWidget | None = None) -> None:
        super().__init__(axis, parent)
        self._limit.setValue(1.0)
        self._top = 0.0

    def values(self, take: Take) -> np.ndarray:
        """Computing time over playing time of each patch."""
        return take.patch_times * np.float32(take.frame_rate / take.patch_size)

    def draw(self) -> None:
        """Draw what is in view, with room for the slowest of it."""
        super().draw()
        drawn = self.drawn[1]
        top = max(1.5, 1.1 * float(drawn.max(initial=0.0)))
        if top != self._top:
            self._top = top
            self.getPlotItem().setYRange(0.0, top, padding=0.0)
            high = math.floor(top)
            self.set_ticks([(1.0, "1")] + ([(0.8 * top, f"{0.8 * top:.0f}")] * (high > 4)))

    def value_text(self, seconds: float) -> str:
        """How long the patch at a place took."""
        value = self._value_at(seconds)
        if value is None or self.take is None:
            return ""
        playing = self.take.patch_size / self.take.frame_rate
        return self.tr("made in {milliseconds:.0f} ms, {times:.2f} of its length").format(
            milliseconds=1000 * value * playing, times=value
        )

    def retranslate(self) -> None:
        """Set all texts."""
        self.setAccessibleName(self.tr("Time per patch"))
        self.setToolTip(
            self.tr("Time that each patch took, as a multiple of its sound; above the dashed line it is too slow")
        )

"""The latents of a take as a heat map, D channels over time, with the borders of the patches."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QWidget

from app.core.takes import Take
from app.widgets.time_axis import TimeAxis
from app.widgets.time_plot import TimePlot

_MOST_GRID_LINES = 200  # closer ones would only darken the picture
_MOST_FRAMES = 4096  # in view; of more only every second, third, ... is looked at
_SCALE_FRAMES = 4096


class LatentView(TimePlot):
    """Latents [frames, D] over seconds. Colours go from -scale to +scale with the middle at zero.

    Zoomed out, frames that share a column of the screen are averaged. The other take is laid over at half strength.
    """

    def __init__(self, axis: TimeAxis, parent: QWidget | None = None) -> None:
        super().__init__(axis, parent)
        item = self.getPlotItem()
        self._image, self._over = pg.ImageItem(axisOrder="row-major"), pg.ImageItem(axisOrder="row-major")
        self._over.setOpacity(0.5)
        for image in (self._image, self._over):
            image.setColorMap(pg.colormap.get("CET-D1A"))
            item.addItem(image, ignoreBounds=True)
        self._grid = pg.PlotCurveItem(connect="pairs", skipFiniteCheck=True)
        item.addItem(self._grid, ignoreBounds=True)
        self._scale = (0, 1.0)  # frames that it was found from, largest usual value
        self._shown = np.zeros((0, 1), np.float32)
        self.restyle()
        self.retranslate()

    def show_takes(self, take: Take | None, other: Take | None) -> None:
        """Show ``take``, with ``other`` at half strength over it."""
        if take is not self.take:
            self._scale = (0, 1.0)
        super().show_takes(take, other)

    def draw(self) -> None:
        """Draw what is in view."""
        take = self.take
        latents = take.latents if take is not None else self._shown[:0]
        if len(latents) >= 2 * self._scale[0] and len(latents):
            some = latents[:: max(1, len(latents) // _SCALE_FRAMES)]
            self._scale = (len(latents), max(1.0, float(np.percentile(np.abs(some), 99))))
        self._shown = self._picture(self._image, take)
        self._picture(self._over, self.other)
        self._grid.setVisible(len(self._shown) > 0)
        if take is None or not len(latents):
            return
        channels = latents.shape[1]
        # Names of the lowest and the highest channel, moved inwards so that they are not cut off.
        half = 0.6 * self.fontMetrics().height() / max(1.0, self.getPlotItem().getViewBox().height()) * channels
        self.set_ticks([(half, "1"), (channels - half, str(channels))])
        self.getPlotItem().getViewBox().setYRange(0.0, float(channels), padding=0.0)
        self._draw_grid(take, len(latents), channels)

    @property
    def shown(self) -> np.ndarray:
        """The latents that are drawn, [frames, D]; averages of several where many share a column."""
        self.catch_up()
        return self._shown

    @property
    def shown_span(self) -> tuple[float, float]:
        """The seconds that the picture covers."""
        self.catch_up()
        rect = self._image.mapRectToParent(self._image.boundingRect())
        return rect.left(), rect.right()

    def value_text(self, seconds: float) -> str:
        """The patch at a place, and how strong its latents are."""
        take = self.take
        if take is None:
            return ""
        frame = int(seconds * take.frame_rate)
        if frame >= len(take.latents):
            return ""
        row = take.latents[frame]
        return self.tr("patch {patch}, latents from {low:.1f} to {high:.1f}").format(
            patch=frame // take.patch_size + 1, low=float(row.min()), high=float(row.max())
        )

    def restyle(self) -> None:
        """Take the colours of the palette."""
        super().restyle()
        if hasattr(self, "_grid"):
            colour = self.palette().color(QPalette.ColorRole.WindowText)
            colour.setAlphaF(0.5)
            self._grid.setPen(pg.mkPen(colour, width=1))

    def retranslate(self) -> None:
        """Set all texts."""
        self.setAccessibleName(self.tr("Latents"))
        self.setToolTip(self.tr("Latents: what the model wrote, one row per channel; lines mark the patches"))

    def _picture(self, image: pg.ImageItem, take: Take | None) -> np.ndarray:
        if take is None or not len(take.latents) or take.is_unread:
            image.clear()
            return self._shown[:0]
        latents, rate = take.latents, take.frame_rate
        first = min(max(0, math.floor(self.axis.start * rate)), len(latents) - 1)
        last = min(len(latents), math.ceil(self.axis.stop * rate))
        part = latents[first : max(last, first + 1)]
        part = part[:: max(1, len(part) // _MOST_FRAMES)]
        if len(part) > 2 * self.columns:
            each = len(part) // self.columns
            kept = len(part) // each * each
            part = part[:kept].reshape(-1, each, part.shape[1]).mean(axis=1)
        image.setImage(part.T, levels=(-self._scale[1], self._scale[1]), autoLevels=False)
        end = min(last, len(latents)) / rate
        image.setRect(QRectF(first / rate, 0.0, end - first / rate, float(part.shape[1])))
        return part

    def _draw_grid(self, take: Take, frames: int, channels: int) -> None:
        patch = take.patch_size / take.frame_rate
        first = math.floor(self.axis.start / patch)
        last = min(math.ceil(self.axis.stop / patch), math.ceil(frames / take.patch_size))
        if last - first > min(_MOST_GRID_LINES, self.columns // 5):
            self._grid.setVisible(False)
            return
        borders = np.arange(first, last + 1) * patch
        self._grid.setData(np.repeat(borders, 2), np.tile((0.0, float(channels)), len(borders)))

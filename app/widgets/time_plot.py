"""What all tracks of the timeline share: they follow its axis, show playhead and selection, and pass the mouse on."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QPalette, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from app.core.takes import Take
from app.widgets.time_axis import TimeAxis
from app.widgets.translated import Translated

_ZOOM_STEP = 1.25  # for one notch of the wheel
_DRAG_PIXELS = 4
_LEAST_HEIGHT = 1.6  # lines of text


class TimePlot(Translated, pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """A track over the seconds of ``axis``. A click asks to go there, a drag selects, the wheel zooms.

    A kind of track overrides ``draw`` (what is in view), ``value_text`` (words for a place) and ``retranslate``.
    """

    seek_requested = Signal(float)
    hovered = Signal(float)
    left = Signal()

    def __init__(self, axis: TimeAxis, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent, background=None)  # type: ignore[call-arg]
        self.axis = axis
        self.take: Take | None = None
        self.other: Take | None = None
        self._pressed: QPointF | None = None
        self._dragging = False
        item = self.getPlotItem()
        item.setMenuEnabled(False)
        item.hideButtons()
        item.setMouseEnabled(x=False, y=False)
        item.setContentsMargins(0, 0, 0, 0)
        item.getViewBox().setDefaultPadding(0.0)
        self.playhead = pg.InfiniteLine(0.0, angle=90, movable=False)
        self.playhead.setZValue(10)
        self.region = pg.LinearRegionItem(movable=False)
        self.region.setZValue(5)
        self.region.hide()
        item.addItem(self.playhead, ignoreBounds=True)
        item.addItem(self.region, ignoreBounds=True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the timeline takes the keys
        self.setMouseTracking(True)
        self._resized = QTimer(self, interval=0, singleShot=True)
        self._resized.timeout.connect(self.draw)
        axis.view_changed.connect(self.follow_view)
        axis.selection_changed.connect(self._show_selection)
        self.show_times(False)

    # For the timeline ------------------------------------------------------------------------------------------------

    def show_takes(self, take: Take | None, other: Take | None) -> None:
        """Show ``take``, with ``other`` laid over it."""
        self.take, self.other = take, other
        self.draw()

    def draw(self) -> None:
        """Draw what is in view."""

    def value_text(self, seconds: float) -> str:
        """Say what there is at a place; empty for nothing."""
        return ""

    def show_times(self, on: bool) -> None:
        """Write the times below, or not."""
        bottom = self.getPlotItem().getAxis("bottom")
        bottom.setStyle(showValues=on, tickLength=4 if on else 0)
        line = self.fontMetrics().height()
        below = round(1.5 * line) if on else 1
        bottom.setHeight(below)
        self.setMinimumHeight(round(_LEAST_HEIGHT * line) + below)

    def set_playhead(self, seconds: float) -> None:
        """Move the playhead."""
        self.playhead.setValue(seconds)

    def follow_view(self) -> None:
        """Show what the axis shows."""
        self.getPlotItem().getViewBox().setXRange(self.axis.start, max(self.axis.stop, 1e-3), padding=0.0)
        if self.isVisible():
            self.draw()

    @property
    def columns(self) -> int:
        """Screen pixels across the picture."""
        return max(16, round(self.getPlotItem().getViewBox().width() * self.devicePixelRatioF()))

    # Looks -----------------------------------------------------------------------------------------------------------

    def restyle(self) -> None:
        """Take the colours of the palette."""
        if not hasattr(self, "region"):  # pyqtgraph changes the palette while it is being built
            return
        palette = self.palette()
        text = palette.color(QPalette.ColorRole.PlaceholderText)
        for name in ("left", "bottom"):
            side = self.getPlotItem().getAxis(name)
            side.setPen(pg.mkPen(text))
            side.setTextPen(pg.mkPen(text))
            side.setTickFont(self.font())
        self.playhead.setPen(pg.mkPen(palette.color(QPalette.ColorRole.BrightText), width=2))
        chosen = palette.color(QPalette.ColorRole.Highlight)
        chosen.setAlphaF(0.22)
        self.region.setBrush(chosen)
        for line in self.region.lines:
            line.setPen(pg.mkPen(palette.color(QPalette.ColorRole.WindowText), width=1, style=Qt.PenStyle.DashLine))
        self.resetCachedContent()  # else the ground of the other theme stays behind the picture
        self._align()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Keep the left edges of all tracks in one line, and draw for the new width: each when its turn comes."""
        super().resizeEvent(event)  # type: ignore[arg-type]
        if hasattr(self, "region"):  # pyqtgraph resizes once while it is being built
            self._align()
            self._resized.start()

    def _align(self) -> None:
        # One width for the left axis of every track: else equal times would not stand below each other.
        self.getPlotItem().getAxis("left").setWidth(self.fontMetrics().horizontalAdvance("-00.000"))

    def _show_selection(self) -> None:
        selection = self.axis.selection
        self.region.setVisible(selection is not None)
        if selection is not None:
            self.region.setRegion(selection)

    # Mouse -----------------------------------------------------------------------------------------------------------

    def seconds_at(self, place: QPointF) -> float:
        """The seconds under a place of this widget."""
        scene = self.mapToScene(place.toPoint())
        return float(min(max(0.0, self.getPlotItem().getViewBox().mapSceneToView(scene).x()), self.axis.length))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the cursor; with Shift, or sideways, move."""
        sideways, turned = event.angleDelta().x(), event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            sideways, turned = sideways or turned, 0
        if sideways:
            self.axis.pan(-sideways / 120 * 0.15 * self.axis.span)
        elif turned:
            self.axis.zoom(_ZOOM_STEP ** (turned / 120), self.seconds_at(event.position()))
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click or a drag begins."""
        if event.button() is Qt.MouseButton.LeftButton and self.axis.length > 0:
            self._pressed, self._dragging = event.position(), False
        event.ignore()  # the timeline takes the focus

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Select while dragging; else tell where the cursor is."""
        if self._pressed is not None:
            self._dragging |= abs(event.position().x() - self._pressed.x()) >= _DRAG_PIXELS
            if self._dragging:
                self.axis.select(self.seconds_at(self._pressed), self.seconds_at(event.position()))
        if self.axis.length > 0:
            self.hovered.emit(self.seconds_at(event.position()))
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click ends: go there. A click beside the selection takes that away."""
        if event.button() is Qt.MouseButton.LeftButton and self._pressed is not None:
            place = self.seconds_at(self._pressed)
            if not self._dragging:
                selection = self.axis.selection
                if selection is not None and not selection[0] <= place <= selection[1]:
                    self.axis.clear_selection()
                self.seek_requested.emit(place)
            self._pressed = None
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        """Tell that the cursor has gone."""
        super().leaveEvent(event)
        self.left.emit()

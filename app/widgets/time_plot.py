"""What all tracks of the timeline share: they follow its axis, show playhead and selection, and pass the mouse on."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from app.core.takes import Take
from app.widgets.time_axis import TimeAxis
from app.widgets.translated import Translated

_ZOOM_STEP = 1.25  # for one notch of the wheel
_DRAG_PIXELS = 4
_LEAST_HEIGHT = 1.6  # lines of text
_PLAYHEAD_WIDTH = 2
_AWAY = 10.0  # pixels from an edge at which nothing of playhead and selection is seen
_CHOSEN = 0.22  # how strong the selection covers what is below


class TimePlot(Translated, pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """A track over the seconds of ``axis``. A click asks to go there, a drag selects, the wheel zooms.

    A kind of track overrides ``draw`` (what is in view), ``value_text`` (words for a place) and ``retranslate``.

    What changed is drawn into a picture when the track's turn comes, see ``Turns``: three tracks that are drawn at once
    hold the window up. Painting only shows the picture, with selection and playhead over it, which move many times a
    second.
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
        self.playhead = 0.0
        """Seconds; see ``set_playhead``."""
        self._pixmap: QPixmap | None = None
        self._is_stale = True
        self._view = (0.0, 1.0)  # seconds that the picture shows, and where, in pixels
        self._area = QRect()
        self._head_colour, self._chosen_colour, self._edge = QColor(), QColor(), QPen()
        self._ticks: object = None
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the timeline takes the keys
        self.setMouseTracking(True)
        axis.view_changed.connect(self.renew)
        axis.selection_changed.connect(self.viewport().update)
        self.show_times(False)

    # For the timeline ------------------------------------------------------------------------------------------------

    def show_takes(self, take: Take | None, other: Take | None) -> None:
        """Show ``take``, with ``other`` laid over it."""
        self.take, self.other = take, other
        self.renew()

    def draw(self) -> None:
        """Bring what is in view into the plot; called by ``catch_up`` alone."""

    def renew(self) -> None:
        """Draw anew when this track's turn comes."""
        self._is_stale = True
        self.axis.turns.ask(self)

    def take_turn(self) -> None:
        """Draw what changed, unless nobody sees it: then it is drawn when it is shown."""
        if self.isVisible():
            self.catch_up()

    def catch_up(self) -> None:
        """Draw what changed now, out of turn, for whoever needs the picture at once."""
        if not self._is_stale:
            return
        self._is_stale = False
        self._view = self.axis.start, max(self.axis.stop, self.axis.start + 1e-3)
        self.getPlotItem().getViewBox().setXRange(*self._view, padding=0.0)
        self.draw()
        self._area = self.mapFromScene(self.getPlotItem().getViewBox().sceneBoundingRect()).boundingRect()
        ratio, room = self.devicePixelRatioF(), self.viewport().rect()
        if room.isEmpty():  # it is drawn once it has a size
            return
        self._pixmap = QPixmap(room.size() * ratio)
        self._pixmap.setDevicePixelRatio(ratio)
        self._pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(self._pixmap)
        # Without the two it takes the device's pixels for its own.
        self.render(painter, QRectF(room), room)  # type: ignore[call-overload]  # as QGraphicsView's
        painter.end()
        self.viewport().update()

    @property
    def is_drawn(self) -> bool:
        """Whether the picture shows all that is known, or nobody sees it."""
        return not (self._is_stale and self.isVisible())

    def value_text(self, seconds: float) -> str:
        """Say what there is at a place; empty for nothing."""
        return ""

    def show_times(self, on: bool) -> None:
        """Write the times below, or not."""
        bottom = self.getPlotItem().getAxis("bottom")
        bottom.setStyle(showValues=on, tickLength=4 if on else 0)
        bottom.setTicks(None if on else [])  # else they are computed all the same
        line = self.fontMetrics().height()
        below = round(1.5 * line) if on else 1
        bottom.setHeight(below)
        self.setMinimumHeight(round(_LEAST_HEIGHT * line) + below)
        self.renew()

    def set_ticks(self, ticks: list[tuple[float, str]]) -> None:
        """Write these values beside the left axis, each at its place."""
        if ticks != self._ticks:
            self._ticks = ticks
            self.getPlotItem().getAxis("left").setTicks([ticks])

    def set_playhead(self, seconds: float) -> None:
        """Move the playhead."""
        before, self.playhead = self._place(self.playhead), seconds
        for place in (before, self._place(seconds)):
            self.viewport().update(round(place) - _PLAYHEAD_WIDTH, 0, 2 * _PLAYHEAD_WIDTH, self.height())

    @property
    def columns(self) -> int:
        """Screen pixels across the picture."""
        return max(16, round(self.getPlotItem().getViewBox().width() * self.devicePixelRatioF()))

    # Looks -----------------------------------------------------------------------------------------------------------

    def restyle(self) -> None:
        """Take the colours of the palette."""
        if not hasattr(self, "_pixmap"):  # pyqtgraph changes the palette while it is being built
            return
        palette = self.palette()
        text = palette.color(QPalette.ColorRole.PlaceholderText)
        for name in ("left", "bottom"):
            side = self.getPlotItem().getAxis(name)
            side.setPen(pg.mkPen(text))
            side.setTextPen(pg.mkPen(text))
            side.setTickFont(self.font())
        self._head_colour = palette.color(QPalette.ColorRole.BrightText)
        self._chosen_colour = palette.color(QPalette.ColorRole.Highlight)
        self._chosen_colour.setAlphaF(_CHOSEN)
        self._edge = QPen(palette.color(QPalette.ColorRole.WindowText), 1, Qt.PenStyle.DashLine)
        self.resetCachedContent()  # else the ground of the other theme stays behind the picture
        self._align()
        self.renew()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Show the picture, and over it what moves."""
        painter = QPainter(self.viewport())
        painter.setClipRegion(event.region())
        if self._pixmap is not None:
            if self._pixmap.devicePixelRatio() != self.devicePixelRatioF():  # the window came to another screen
                self.renew()
            painter.drawPixmap(self.viewport().rect(), self._pixmap)
        painter.setClipRect(self._area, Qt.ClipOperation.IntersectClip)
        if self.axis.selection is not None:
            left, right = (self._place(seconds) for seconds in self.axis.selection)
            painter.fillRect(QRectF(left, 0, right - left, self.height()), self._chosen_colour)
            painter.setPen(self._edge)
            for place in (left, right):
                painter.drawLine(QPointF(place, 0), QPointF(place, self.height()))
        head = QRectF(self._place(self.playhead) - _PLAYHEAD_WIDTH / 2, 0, _PLAYHEAD_WIDTH, self.height())
        painter.fillRect(head, self._head_colour)

    def showEvent(self, event: QShowEvent) -> None:
        """What changed while it was hidden is drawn now."""
        super().showEvent(event)
        if self._is_stale:
            self.renew()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Keep the left edges of all tracks in one line, and draw for the new width: each when its turn comes."""
        super().resizeEvent(event)  # type: ignore[arg-type]
        if hasattr(self, "_pixmap"):  # pyqtgraph resizes once while it is being built
            self._align()
            self.renew()

    def _align(self) -> None:
        # One width for the left axis of every track: else equal times would not stand below each other.
        self.getPlotItem().getAxis("left").setWidth(self.fontMetrics().horizontalAdvance("-00.000"))

    def _place(self, seconds: float) -> float:
        """Pixels from the left edge; what is out of view is kept near it."""
        start, stop = self._view
        place = self._area.left() + (seconds - start) / (stop - start) * self._area.width()
        return min(max(-_AWAY, place), self.width() + _AWAY)

    # Mouse -----------------------------------------------------------------------------------------------------------

    def seconds_at(self, place: QPointF) -> float:
        """The seconds under a place of this widget."""
        part = (place.x() - self._area.left()) / max(1, self._area.width())
        return min(max(0.0, self.axis.start + part * self.axis.span), self.axis.length)

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

"""A recording as a waveform with two handles: what lies between them is used."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.core.peaks import PeakPyramid
from app.widgets.translated import Translated, describe
from app.widgets.wording import precise_clock_text

LEAST_SECONDS = 0.1  # between the handles
_REACH = 9  # pixels from a handle
_LINES = 4  # lines of text high
_LEAST_PEAK = 0.1  # a quiet recording is not blown up to look loud
_STEP, _LONG_STEP = 0.01, 0.1  # seconds, by the arrow keys


class TrimView(Translated, QWidget):
    """Shows mono sound over seconds. A handle is dragged, or moved by keys: left and right move the one touched last
    (with Shift: further), up and down choose the other one, Home and End take it to an end.
    """

    dragged = Signal(float, float)  # seconds, while it moves
    chosen = Signal(float, float)  # seconds, once it is let go
    stepped = Signal(float, float)  # seconds, for every key

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._samples = np.zeros(0, np.float32)
        self._pyramid = PeakPyramid()
        self._rate = 1
        self._start, self._end = 0.0, 0.0
        self._held = ""  # start or end, while it is dragged
        self._last = "start"
        self._playhead: float | None = None
        self._pictures: dict[QPalette.ColorRole, tuple[object, QPixmap]] = {}
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.retranslate()

    @property
    def seconds(self) -> float:
        """The length of the recording."""
        return len(self._samples) / self._rate

    @property
    def selection(self) -> tuple[float, float]:
        """From and to, in seconds."""
        return self._start, self._end

    def show_sound(self, samples: np.ndarray, sample_rate: int) -> None:
        """Show mono float32 [n], all of it chosen."""
        self._samples, self._rate = samples, sample_rate
        self._pyramid = PeakPyramid()
        self._pyramid.extend(samples)
        self._pictures = {}
        self._start, self._end, self._held = 0.0, self.seconds, ""
        self.retranslate()
        self.update()

    def select(self, start: float, end: float) -> None:
        """Put the handles; nothing is told."""
        self._start, self._end = start, end
        self.retranslate()
        self.update()

    def show_playhead(self, seconds: float | None) -> None:
        """Show what is heard; None: nothing."""
        if seconds != self._playhead:
            self._playhead = seconds
            self.update()

    def sizeHint(self) -> QSize:
        """A few lines high."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance("0" * 30), _LINES * metrics.height())

    def minimumSizeHint(self) -> QSize:
        """As high, half as wide."""
        hint = self.sizeHint()
        return QSize(hint.width() // 2, hint.height())

    def retranslate(self) -> None:
        """Set all texts."""
        name = self.tr("Recording, used from {start} to {end}").format(
            start=precise_clock_text(self._start), end=precise_clock_text(self._end)
        )
        describe(
            self,
            name,
            self.tr("Drag the handles: what lies between them is used. Arrow keys move the one that was touched last."),
        )

    def restyle(self) -> None:
        """Draw in the new colours."""
        self.update()

    # Drawing ---------------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the wave, faint where it is not used, and the handles."""
        painter, palette = QPainter(self), self.palette()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), palette.color(QPalette.ColorRole.Base))
        first, last = self._x(self._start), self._x(self._end)
        chosen = QColor(palette.color(QPalette.ColorRole.Highlight))
        chosen.setAlphaF(0.14)
        painter.fillRect(QRectF(first, 0, last - first, self.height()), chosen)
        self._draw_wave(painter, 0.0, first, QPalette.ColorRole.PlaceholderText)
        self._draw_wave(painter, first, last, QPalette.ColorRole.Highlight)
        self._draw_wave(painter, last, float(self.width()), QPalette.ColorRole.PlaceholderText)
        for place, side in ((first, "start"), (last, "end")):
            self._draw_handle(painter, place, side)
        if self._playhead is not None:
            painter.setPen(QPen(palette.color(QPalette.ColorRole.BrightText), 2))
            painter.drawLine(QPointF(self._x(self._playhead), 0), QPointF(self._x(self._playhead), self.height()))

    def _draw_wave(self, painter: QPainter, left: float, right: float, role: QPalette.ColorRole) -> None:
        """Draw what lies between two places, from a picture that is made once: outlines of so many points are slow."""
        if right <= left:
            return
        key = (self.width(), self.height(), self.devicePixelRatioF(), self.palette().color(role).rgba())
        if role not in self._pictures or self._pictures[role][0] != key:
            self._pictures[role] = (key, self._picture(role))
        painter.save()
        painter.setClipRect(QRectF(left, 0, right - left, self.height()))
        painter.drawPixmap(0, 0, self._pictures[role][1])
        painter.restore()

    def _picture(self, role: QPalette.ColorRole) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        columns = self._pyramid.columns(self._samples, 0, len(self._samples), max(16, round(self.width() * ratio)))
        if not len(columns.lows):
            return picture
        middle = (columns.borders[:-1] + columns.borders[1:] - 1) / 2 / self._rate
        x = self._margin + middle / max(self.seconds, 1e-9) * (self.width() - 2 * self._margin)
        half = self.height() / 2
        peak = max(float(np.abs(columns.lows).max()), float(np.abs(columns.highs).max()), _LEAST_PEAK)
        highs, lows = half * (1 - 0.92 * columns.highs / peak) - 0.5, half * (1 - 0.92 * columns.lows / peak) + 0.5
        lines = zip(x.tolist(), highs.tolist(), lows.tolist(), strict=True)
        painter = QPainter(picture)
        painter.setPen(QPen(self.palette().color(role), 1 / ratio))
        painter.drawLines([QLineF(at, top, at, bottom) for at, top, bottom in lines])
        painter.end()
        return picture

    def _draw_handle(self, painter: QPainter, place: float, side: str) -> None:
        palette = self.palette()
        active = self.hasFocus() and side == self._last
        role = QPalette.ColorRole.Highlight if active or side == self._held else QPalette.ColorRole.WindowText
        colour = palette.color(role)
        painter.setPen(QPen(colour, 2))
        painter.drawLine(QPointF(place, 0), QPointF(place, self.height()))
        size = self._margin - 1
        outward = -size if side == "start" else size
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        for y, downward in ((0.0, size * 1.4), (float(self.height()), -size * 1.4)):
            painter.drawPolygon(
                QPolygonF([QPointF(place, y), QPointF(place + outward, y), QPointF(place, y + downward)])
            )

    @property
    def _margin(self) -> float:
        return self.fontMetrics().height() / 2

    def _x(self, seconds: float) -> float:
        share = seconds / self.seconds if self.seconds else 0.0
        return self._margin + min(max(0.0, share), 1.0) * (self.width() - 2 * self._margin)

    def _seconds(self, x: float) -> float:
        share = (x - self._margin) / max(1.0, self.width() - 2 * self._margin)
        return min(max(0.0, share), 1.0) * self.seconds

    # Moving ----------------------------------------------------------------------------------------------------------

    def _near(self, x: float) -> str:
        """Which handle is under a place; empty for none."""
        reach = max(_REACH, self._margin)
        distances = {"start": abs(x - self._x(self._start)), "end": abs(x - self._x(self._end))}
        nearest = min(distances, key=lambda side: distances[side])
        if distances["start"] == distances["end"]:  # on top of each other: take the one that can move that way
            nearest = "start" if x < self._x(self._start) else "end"
        return nearest if distances[nearest] <= reach else ""

    def _move(self, side: str, seconds: float) -> None:
        least = min(LEAST_SECONDS, self.seconds)
        if side == "start":
            self._start = min(max(0.0, seconds), max(0.0, self._end - least))
        else:
            self._end = max(min(self.seconds, seconds), min(self.seconds, self._start + least))
        self._last = side
        self.retranslate()
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the handle under the cursor, or of the nearer one."""
        if event.button() is not Qt.MouseButton.LeftButton or not len(self._samples):
            return
        x = event.position().x()
        at = self._seconds(x)
        nearer = "start" if abs(at - self._start) <= abs(at - self._end) else "end"
        self._held = self._near(x) or nearer
        self._move(self._held, at)
        self.dragged.emit(*self.selection)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Move what is held; else show that a handle can be taken."""
        if self._held:
            self._move(self._held, self._seconds(event.position().x()))
            self.dragged.emit(*self.selection)
            return
        on_handle = bool(len(self._samples)) and bool(self._near(event.position().x()))
        self.setCursor(Qt.CursorShape.SplitHCursor if on_handle else Qt.CursorShape.ArrowCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go: this is the cut."""
        if event.button() is Qt.MouseButton.LeftButton and self._held:
            self._held = ""
            self.update()
            self.chosen.emit(*self.selection)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the handle that was touched last."""
        step = _LONG_STEP if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else _STEP
        place = self._start if self._last == "start" else self._end
        match event.key():
            case Qt.Key.Key_Left:
                self._move(self._last, place - step)
            case Qt.Key.Key_Right:
                self._move(self._last, place + step)
            case Qt.Key.Key_Home:
                self._move(self._last, 0.0)
            case Qt.Key.Key_End:
                self._move(self._last, self.seconds)
            case Qt.Key.Key_Up | Qt.Key.Key_Down:
                self._last = "end" if self._last == "start" else "start"
                self.update()
                return
            case _:
                super().keyPressEvent(event)
                return
        self.stepped.emit(*self.selection)

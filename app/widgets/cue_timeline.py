"""Cues over the original sound: their times and how they are heard. Edges and cues are dragged, and snap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QWidget

from app.core.dubbing.overview import CueState, Overview
from app.core.peaks import PeakPyramid
from app.widgets.cue_text import short_state, time_text
from app.widgets.time_axis import TimeAxis
from app.widgets.translated import ShowsFocus, Translated

SHORTEST_MS = 100
SNAP_PIXELS = 8
_EDGE_PIXELS = 6
_WHEEL = 1.25
_KEY_ZOOM = 1.5
_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600)
_FEWEST_LABEL_PIXELS = 70

Part = Literal["start", "end", "whole"]


class CueTimeline(ShowsFocus, Translated, QFrame):
    """Seconds from left to right: a ruler, the original sound, the cues, and below each how its take is heard.

    A click chooses a cue or moves the playhead; a drag moves a cue or its edge (with Alt it does not snap); the wheel
    zooms, with Shift it moves. Keys: + and - zoom, 0 shows all, Home and End go to the ends.
    """

    cue_chosen = Signal(str)
    times_changed = Signal(str, int, int)  # cue, start and end in ms
    playhead_moved = Signal(int)  # ms, by a person

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("timeline")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.axis = TimeAxis(self)
        self.axis.view_changed.connect(self.update)
        self._overview: Overview | None = None
        self._current = ""
        self._playhead = 0
        self._sound: tuple[np.ndarray, int, PeakPyramid] | None = None
        self._drag: tuple[str, Part, int, int, int] | None = None  # cue, part, start, end, where it was taken
        self._moved: tuple[int, int] | None = None  # where the dragged cue stands now
        self.snap = True
        line = self.fontMetrics().height()
        self.setMinimumHeight(6 * line)
        self.retranslate()

    # What is shown ---------------------------------------------------------------------------------------------------

    @property
    def playhead(self) -> int:
        """Where the playhead is, in ms."""
        return self._playhead

    def show_overview(self, overview: Overview | None, current: str) -> None:
        """Show these cues, with one of them chosen."""
        self._overview, self._current = overview, current
        self._set_length()
        self.update()

    def show_current(self, cue_id: str) -> None:
        """Choose a cue and bring it into view."""
        self._current = cue_id
        state = self._state(cue_id)
        if state is not None:
            start, end = self._times(state)
            if not self.axis.start * 1000 <= start <= end <= self.axis.stop * 1000:
                span = max(self.axis.span, 2 * (end - start) / 1000)
                middle = (start + end) / 2000
                self.axis.show_between(middle - span / 2, middle + span / 2)
        self.update()

    def show_sound(self, sound: tuple[np.ndarray, int, PeakPyramid] | None) -> None:
        """Show the original sound: float32 [n], its rate in Hz, and its peaks; None for none."""
        self._sound = sound
        self._set_length()
        self.update()

    def set_playhead(self, milliseconds: int, *, follow: bool = False) -> None:
        """Move the playhead; ``follow`` turns the page when it leaves the view."""
        if milliseconds != self._playhead:
            self._playhead = milliseconds
            if follow:
                self.axis.follow(milliseconds / 1000)
            self.update()

    def zoom_in(self) -> None:
        """Show less, larger."""
        self.axis.zoom(_KEY_ZOOM, self._middle())

    def zoom_out(self) -> None:
        """Show more, smaller."""
        self.axis.zoom(1 / _KEY_ZOOM, self._middle())

    def retranslate(self) -> None:
        """Set all texts."""
        self.setAccessibleName(self.tr("Timeline of the cues"))
        self.setAccessibleDescription(
            self.tr("Click to go there, drag cues and their edges, turn the wheel to zoom. Alt: without snapping.")
        )

    def restyle(self) -> None:
        """Draw in the colours of the palette."""
        self.update()

    # Places ----------------------------------------------------------------------------------------------------------

    def x_of(self, milliseconds: float) -> float:
        """Where a time lies, in pixels from the left."""
        return (milliseconds / 1000 - self.axis.start) / max(self.axis.span, 1e-6) * self.width()

    def ms_at(self, x: float) -> int:
        """The time under a place."""
        return round(1000 * (self.axis.start + x / max(1, self.width()) * self.axis.span))

    def _bands(self) -> tuple[QRectF, QRectF, QRectF, QRectF]:
        """Ruler, sound, cues, takes."""
        line, width, height = self.fontMetrics().height(), self.width(), self.height()
        ruler, takes, cues = 1.2 * line, 0.5 * line, 1.6 * line
        sound = max(line, height - ruler - takes - cues - 3)
        top, bands = 0.0, []
        for part in (ruler, sound, cues, takes):
            bands.append(QRectF(0, top, width, part))
            top += part + 1
        return bands[0], bands[1], bands[2], bands[3]

    def _times(self, state: CueState) -> tuple[int, int]:
        """Where a cue stands: by the script, or, without times, where it is heard."""
        if self._drag is not None and self._moved is not None and self._drag[0] == state.cue.cue_id:
            return self._moved
        cue = state.cue
        if cue.start is None or cue.end is None:
            return state.placed.start, max(state.placed.end, state.placed.start + 1)
        return cue.start, cue.end

    def _hit(self, place: QPointF) -> tuple[CueState, Part] | None:
        """The cue under a place and which part of it; the chosen one is found first."""
        cues = self._bands()[2]
        if self._overview is None or not cues.top() <= place.y() <= self.height():
            return None
        states = sorted(self._visible(), key=lambda state: state.cue.cue_id != self._current)
        for state in states:
            left, right = map(self.x_of, self._times(state))
            if left - _EDGE_PIXELS <= place.x() <= right + _EDGE_PIXELS:
                if state.cue.start is not None and right - left > 3 * _EDGE_PIXELS:
                    if abs(place.x() - left) <= _EDGE_PIXELS:
                        return state, "start"
                    if abs(place.x() - right) <= _EDGE_PIXELS:
                        return state, "end"
                if left <= place.x() <= right:
                    return state, "whole"
        return None

    def _visible(self) -> Sequence[CueState]:
        if self._overview is None:
            return ()
        low, high = self.axis.start * 1000, self.axis.stop * 1000
        return [
            state
            for state in self._overview.states
            if (times := self._times(state))[0] <= high and max(times[1], state.placed.end) >= low
        ]

    def _state(self, cue_id: str) -> CueState | None:
        return self._overview.by_id.get(cue_id) if self._overview is not None else None

    def _set_length(self) -> None:
        seconds = (self._overview.length_ms + 1000) / 1000 if self._overview is not None else 0.0
        if self._sound is not None:
            seconds = max(seconds, len(self._sound[0]) / self._sound[1])
        self.axis.set_length(seconds, keep_view=True)

    def _middle(self) -> float:
        at = self._playhead / 1000
        return at if self.axis.start <= at <= self.axis.stop else (self.axis.start + self.axis.stop) / 2

    # Mouse and keys --------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose, begin a drag, or go there."""
        if event.button() is not Qt.MouseButton.LeftButton or self.axis.length <= 0:
            return
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        hit = self._hit(event.position())
        if hit is None:
            self._go(event.position().x())
            return
        state, part = hit
        self.cue_chosen.emit(state.cue.cue_id)
        if state.cue.start is not None and state.cue.end is not None:
            at = self.ms_at(event.position().x())
            self._drag = (state.cue.cue_id, part, state.cue.start, state.cue.end, at)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag, or show what could be dragged."""
        if self._drag is None:
            self._show_hover(event)
            return
        cue_id, part, start, end, taken = self._drag
        if self._moved is None and abs(self.x_of(taken) - event.position().x()) < _EDGE_PIXELS / 2:
            return
        by = self.ms_at(event.position().x()) - taken
        free = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier) or not self.snap
        self._moved = self._dragged(cue_id, part, start, end, by, free=free)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a drag."""
        drag, moved = self._drag, self._moved
        self._drag = self._moved = None
        if drag is not None and moved is not None and moved != (drag[2], drag[3]):
            self.times_changed.emit(drag[0], *moved)
        elif drag is not None and moved is None:
            self._go(event.position().x())
        self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the cursor; with Shift, or sideways, move."""
        sideways, turned = event.angleDelta().x(), event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            sideways, turned = sideways or turned, 0
        if sideways:
            self.axis.pan(-sideways / 120 * 0.15 * self.axis.span)
        elif turned:
            self.axis.zoom(_WHEEL ** (turned / 120), self.ms_at(event.position().x()) / 1000)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """See the class."""
        key = event.key()
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom_in()
        elif key in (Qt.Key.Key_Minus, Qt.Key.Key_Underscore):
            self.zoom_out()
        elif key == Qt.Key.Key_0:
            self.axis.fit()
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            step = 20 * self.axis.span * (1 if key == Qt.Key.Key_Right else -1)
            self._go_to(round(self._playhead + step))
        elif key == Qt.Key.Key_Home:
            self._go_to(0)
        elif key == Qt.Key.Key_End:
            self._go_to(round(1000 * self.axis.length))
        else:
            super().keyPressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the cursor any more."""
        super().leaveEvent(event)
        self.unsetCursor()

    def _go(self, x: float) -> None:
        self._go_to(self.ms_at(x))

    def _go_to(self, milliseconds: int) -> None:
        self.set_playhead(min(max(0, milliseconds), round(1000 * self.axis.length)), follow=True)
        self.playhead_moved.emit(self._playhead)

    def _show_hover(self, event: QMouseEvent) -> None:
        hit = self._hit(event.position())
        if hit is None or hit[0].cue.start is None:
            self.unsetCursor()
        else:
            edge = hit[1] != "whole"
            self.setCursor(Qt.CursorShape.SizeHorCursor if edge else Qt.CursorShape.OpenHandCursor)
        if hit is None:
            self.setToolTip("")
        else:
            state = hit[0]
            times = " – ".join(map(time_text, self._times(state)))
            self.setToolTip(f"{state.number} · {times} · {short_state(state)}\n{state.cue.text[:200]}")

    def _dragged(self, cue_id: str, part: Part, start: int, end: int, by: int, *, free: bool) -> tuple[int, int]:
        """Start and end of a cue whose ``part`` was moved by so many ms."""
        near = [] if free else self._snaps(cue_id)
        within = SNAP_PIXELS * 1000 * self.axis.span / max(1, self.width())
        if part == "start":
            return min(max(0, snapped(start + by, near, within)), end - SHORTEST_MS), end
        if part == "end":
            return start, max(start + SHORTEST_MS, snapped(end + by, near, within))
        length = end - start
        left, right = snapped(start + by, near, within), snapped(end + by, near, within) - length
        moved = left if left != start + by or right == end + by - length else right
        return max(0, moved), max(0, moved) + length

    def _snaps(self, cue_id: str) -> list[int]:
        """Times that edges snap to: the playhead and the edges of other cues in view."""
        found = [self._playhead]
        for state in self._visible():
            if state.cue.cue_id != cue_id:
                found += self._times(state)
        return found

    # Drawing ---------------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what is in view."""
        super().paintEvent(event)
        painter = QPainter(self)
        palette = self.palette()
        ruler, sound, cues, takes = self._bands()
        painter.fillRect(sound, palette.color(QPalette.ColorRole.Base))
        if self.axis.length > 0:
            self._draw_ruler(painter, ruler)
            self._draw_sound(painter, sound)
            for state in self._visible():
                self._draw_cue(painter, state, cues, takes)
            if self._moved is not None:
                self._draw_times(painter, sound, self._moved)
            x = self.x_of(self._playhead)
            painter.setPen(QPen(palette.color(QPalette.ColorRole.BrightText), 2))
            painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))
        painter.end()

    def _draw_ruler(self, painter: QPainter, area: QRectF) -> None:
        wanted = self.axis.span * _FEWEST_LABEL_PIXELS / max(1, self.width())
        step = next((step for step in _STEPS if step >= wanted), _STEPS[-1])
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        number = math.ceil(self.axis.start / step)
        while number * step <= self.axis.stop:
            x = self.x_of(1000 * number * step)
            painter.drawLine(QPointF(x, area.bottom() - 4), QPointF(x, area.bottom()))
            text = time_text(round(1000 * number * step))
            text = text[:-4] if step >= 1 else text[:-2]
            painter.drawText(QPointF(x + 3, area.bottom() - 4), text)
            number += 1

    def _draw_sound(self, painter: QPainter, area: QRectF) -> None:
        if self._sound is None:
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            painter.drawText(area, Qt.AlignmentFlag.AlignCenter, self.tr("No original sound"))
            return
        samples, rate, pyramid = self._sound
        first, last = math.floor(self.axis.start * rate), math.ceil(self.axis.stop * rate) + 1
        got = pyramid.columns(samples, first, last, max(16, self.width()))
        middle, half = area.center().y(), area.height() / 2 - 1
        xs = [self.x_of(1000 * place / rate) for place in got.borders[:-1]]
        tops = [QPointF(x, middle - min(1.0, float(high)) * half - 0.5) for x, high in zip(xs, got.highs, strict=True)]
        ends = [QPointF(x, middle - max(-1.0, float(low)) * half + 0.5) for x, low in zip(xs, got.lows, strict=True)]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.palette().color(QPalette.ColorRole.Highlight))
        painter.drawPolygon([*tops, *reversed(ends)])

    def _draw_times(self, painter: QPainter, area: QRectF, times: tuple[int, int]) -> None:
        """Write above a dragged cue where it stands."""
        text = " – ".join(map(time_text, times))
        width, height = self.fontMetrics().horizontalAdvance(text) + 12, 1.4 * self.fontMetrics().height()
        left = min(max(0.0, self.x_of(times[0])), self.width() - width)
        box = QRectF(left, area.bottom() - height, width, height)
        painter.fillRect(box, self.palette().color(QPalette.ColorRole.ToolTipBase))
        painter.setPen(self.palette().color(QPalette.ColorRole.ToolTipText))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _draw_cue(self, painter: QPainter, state: CueState, cues: QRectF, takes: QRectF) -> None:
        palette = self.palette()
        start, end = self._times(state)
        left, right = self.x_of(start), max(self.x_of(end), self.x_of(start) + 2)
        box = QRectF(left, cues.top() + 1, right - left, cues.height() - 2)
        chosen = state.cue.cue_id == self._current
        fill = QColor(palette.color(QPalette.ColorRole.Highlight if chosen else QPalette.ColorRole.Button))
        painter.setPen(QPen(palette.color(QPalette.ColorRole.PlaceholderText), 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(box, 3, 3)
        if box.width() > 24:
            role = QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.ButtonText
            painter.setPen(palette.color(role))
            inside = box.adjusted(4, 0, -4, 0)
            text = f"{state.number} {' '.join(state.cue.text.split())}"
            text = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(inside.width()))
            painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter, text)
        if state.placed.take:
            heard = QRectF(self.x_of(state.placed.start), takes.top() + 1, 0, takes.height() - 2)
            heard.setRight(max(heard.left() + 2, self.x_of(state.placed.end)))
            wrong = bool(state.problem)
            colour = palette.color(QPalette.ColorRole.BrightText if wrong else QPalette.ColorRole.Link)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colour))
            painter.drawRect(heard)


def snapped(milliseconds: int, places: Sequence[int], within: float) -> int:
    """The nearest of ``places``, if one is ``within`` so many ms; else the time itself."""
    nearest = min(places, key=lambda place: abs(place - milliseconds), default=milliseconds)
    return nearest if abs(nearest - milliseconds) <= within else milliseconds

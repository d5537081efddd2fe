"""The one time axis of all tracks: what is in view, what is selected, how long it all is."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.widgets.turns import Turns

_LEAST_SPAN = 0.002  # seconds in view when zoomed in as far as it goes
_LEAST_SELECTION = 0.03  # less is a click, not a drag; and too short to loop


class TimeAxis(QObject):
    """Seconds. The view always lies within 0..``length``."""

    view_changed = Signal()
    selection_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.turns = Turns(self)
        """In which the tracks on this axis draw."""
        self._length = 0.0
        self._start = 0.0
        self._stop = 0.0
        self._selection: tuple[float, float] | None = None

    @property
    def length(self) -> float:
        """The end of the axis."""
        return self._length

    @property
    def start(self) -> float:
        """The left end of the view."""
        return self._start

    @property
    def stop(self) -> float:
        """The right end of the view."""
        return self._stop

    @property
    def span(self) -> float:
        """How much is in view."""
        return self._stop - self._start

    @property
    def selection(self) -> tuple[float, float] | None:
        """What is selected, from and to."""
        return self._selection

    def set_length(self, seconds: float, *, keep_view: bool) -> None:
        """Change the end; a view of the whole stays one, another stays where it is if it is to be kept."""
        whole = self._start <= 0 and self._stop >= self._length
        if seconds == self._length and (keep_view or whole):
            return
        self._length = max(0.0, seconds)
        if whole or not keep_view:
            self._show(0.0, self._length)
        else:
            self._show(self._start, self._stop)

    def show_between(self, start: float, stop: float) -> None:
        """Bring a stretch into view."""
        self._show(start, stop)

    def fit(self) -> None:
        """Show all."""
        self._show(0.0, self._length)

    def zoom(self, factor: float, around: float) -> None:
        """Show 1 / ``factor`` of what is in view; the place ``around`` stays where it is on the screen."""
        span = min(max(self.span / factor, min(_LEAST_SPAN, self._length)), self._length)
        around = min(max(around, self._start), self._stop)
        part = (around - self._start) / self.span if self.span > 0 else 0.5
        self._show(around - part * span, around - part * span + span)

    def pan(self, seconds: float) -> None:
        """Move the view; the ends stop it."""
        seconds = min(max(seconds, -self._start), self._length - self._stop)
        if seconds:
            self._show(self._start + seconds, self._stop + seconds)

    def follow(self, seconds: float) -> None:
        """Turn the page when a moving place leaves the view."""
        if not self._start <= seconds <= self._stop and self.span > 0:
            start = min(max(0.0, seconds - 0.05 * self.span), self._length - self.span)
            self._show(start, start + self.span)

    def select(self, start: float, stop: float) -> None:
        """Select a stretch, in either direction; one that is too short selects nothing."""
        low, high = sorted((min(max(0.0, start), self._length), min(max(0.0, stop), self._length)))
        self._set_selection((low, high) if high - low >= _LEAST_SELECTION else None)

    def clear_selection(self) -> None:
        """Select nothing."""
        self._set_selection(None)

    def _set_selection(self, selection: tuple[float, float] | None) -> None:
        if selection != self._selection:
            self._selection = selection
            self.selection_changed.emit()

    def _show(self, start: float, stop: float) -> None:
        span = min(max(stop - start, min(_LEAST_SPAN, self._length)), self._length)
        start = min(max(0.0, start), self._length - span)
        if (start, start + span) != (self._start, self._stop):
            self._start, self._stop = start, start + span
            self.view_changed.emit()

"""All tracks of a take on one time axis: sound, spectrogram, latents, stop probability and time of each patch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPixmap, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QStackedLayout, QWidget

from app.core.takes import Take
from app.widgets.background import BackgroundQueue
from app.widgets.time_axis import TimeAxis
from app.widgets.translated import ShowsFocus, Translated
from app.widgets.wording import precise_clock_text

if TYPE_CHECKING:
    from app.widgets.tracks import Tracks

_REDRAW_MS = 150  # a growing take is drawn about once for each patch of the larger models
_GROWTH = 1.15  # room that is made when a take gets longer than expected
_KEY_ZOOM = 1.5
_KEY_STEP = 0.02  # of what is in view
TRACKS = ("waveform", "spectrogram", "latents", "stop", "speed")
DEFAULT_TRACKS = ("waveform", "spectrogram", "latents")


class Timeline(ShowsFocus, Translated, QFrame):
    """Shows one take, or one with another laid over it; a growing one is redrawn as it grows.

    Keys: + and - zoom, 0 shows all, left and right move the playhead (with Shift: select), Home and End go to the
    ends, Ctrl+A selects all, L asks for the loop.
    """

    seek_requested = Signal(float)
    loop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._take: Take | None = None
        self._other: Take | None = None
        self._hidden = False
        self._playhead = 0.0
        self._drawn_playhead = 0.0
        self._hover: float | None = None
        self._anchor: float | None = None  # where a selection by keys began
        self.setObjectName("timeline")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.axis = TimeAxis(self)
        self.work = BackgroundQueue(self)
        self._tracks: Tracks | None = None
        self._empty = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._empty.setProperty("muted", True)
        self.readout = QLabel(textInteractionFlags=Qt.TextInteractionFlag.NoTextInteraction)
        self.readout.setProperty("muted", True)
        self.readout.setMinimumWidth(1)
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(1, 1, 1, 1)
        self._stack.addWidget(self._empty)
        self._redraw = QTimer(self, interval=_REDRAW_MS, singleShot=True)
        self._redraw.timeout.connect(self.draw)
        self.shown_tracks: tuple[str, ...] = DEFAULT_TRACKS
        """The names of the tracks that are shown, from the top; see ``show_tracks``."""
        self.retranslate()

    # What is shown ---------------------------------------------------------------------------------------------------

    @property
    def take(self) -> Take | None:
        """The take that is shown."""
        return self._take

    @property
    def other(self) -> Take | None:
        """The take that is laid over it."""
        return self._other

    @property
    def tracks(self) -> Tracks:
        """The tracks themselves, made when first needed: importing what draws them would hold the window up."""
        if self._tracks is None:
            from app.widgets.tracks import Tracks

            self._tracks = Tracks(self.axis, self.work)
            for track in self._tracks.by_name.values():
                track.seek_requested.connect(self.seek_requested)
                track.hovered.connect(self._hovered)
                track.left.connect(self._left)
            self._stack.addWidget(self._tracks)
            self._hide_tracks(self._tracks)
        return self._tracks

    def show_tracks(self, names: Sequence[str]) -> None:
        """Show these tracks and no others; the waveform when none is named."""
        self.shown_tracks = tuple(name for name in TRACKS if name in names) or TRACKS[:1]
        if self._tracks is not None:
            self._hide_tracks(self._tracks)
            self.draw()

    def show_take(self, take: Take | None, *, hidden: bool = False) -> None:
        """Show another take, or none; whatever was laid over it goes. ``hidden``: nobody may see which it is."""
        take = None if hidden else take
        if hidden is not self._hidden:
            self._hidden = hidden
            self.retranslate()
        if take is not self._take:
            self.work.clear()
            self.axis.clear_selection()
            self._other = None
        self._take = take
        self._hover = None
        self._set_length(keep_view=False)
        self.draw()

    def lay_over(self, other: Take | None) -> None:
        """Lay another take over the one that is shown."""
        self._other = other if other is not self._take else None
        self._set_length(keep_view=True)
        self.draw()

    def take_changed(self, take: Take) -> None:
        """Draw a shown take again soon; others do not matter."""
        if (take is self._take or take is self._other) and not self._redraw.isActive():
            self._redraw.start()

    def set_playhead(self, seconds: float, *, follow: bool = False) -> None:
        """Move the playhead; ``follow`` turns the page when it leaves the view.

        While it is followed, a step that is too small to be seen is not drawn: it costs as much as a large one.
        """
        self._playhead = seconds
        if follow:
            self.axis.follow(seconds)
            if abs(seconds - self._drawn_playhead) < self.axis.span / self.tracks.waveform.columns:
                return
        self._drawn_playhead = seconds
        if self._tracks is not None:
            for name in self.shown_tracks:
                self._tracks.by_name[name].set_playhead(seconds)
        if self._hover is None:
            self._show_values()

    def draw(self) -> None:
        """Draw what there is of the take, each track in its turn."""
        self._redraw.stop()
        self._choose_page()
        self._set_length(keep_view=True)
        if self._tracks is not None:
            for name in self.shown_tracks:
                self._tracks.by_name[name].show_takes(self._take, self._other)
                self._tracks.by_name[name].set_playhead(self._playhead)
        self._drawn_playhead = self._playhead
        self._show_values()

    def prepare(self) -> None:
        """Lay the empty tracks out and paint them once, unseen: the first sound then finds them so."""
        self.tracks.setGeometry(self._stack.geometry())
        self.tracks.grab()  # lays them out
        for name in self.shown_tracks:
            self.tracks.by_name[name].catch_up()

    def picture(self) -> QPixmap:
        """What is shown of the tracks."""
        for name in self.shown_tracks:
            self.tracks.by_name[name].catch_up()
        return self.tracks.grab()

    @property
    def is_drawn(self) -> bool:
        """Whether all that is known of the take is drawn, as far as it is shown and computed."""
        return not self._redraw.isActive() and (
            self._tracks is None or all(track.is_drawn for track in self._tracks.by_name.values())
        )

    def close_down(self, wait_seconds: float) -> bool:
        """Compute nothing more and wait for what is being computed; False when that takes longer."""
        return self.work.close(wait_seconds)

    def _hide_tracks(self, tracks: Tracks) -> None:
        for name, track in tracks.by_name.items():
            track.setHidden(name not in self.shown_tracks)
            track.show_times(name == self.shown_tracks[-1])

    def _choose_page(self) -> None:
        """Show the tracks, or what is said when there is no sound."""
        there = self._take is not None and self._take.seconds > 0
        self._stack.setCurrentWidget(self.tracks if there else self._empty)

    # Keys and mouse --------------------------------------------------------------------------------------------------

    def zoom_in(self) -> None:
        """Show less, larger."""
        self.axis.zoom(_KEY_ZOOM, self._middle())

    def zoom_out(self) -> None:
        """Show more, smaller."""
        self.axis.zoom(1 / _KEY_ZOOM, self._middle())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """See the class."""
        key, modifiers = event.key(), event.modifiers()
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom_in()
        elif key in (Qt.Key.Key_Minus, Qt.Key.Key_Underscore):
            self.zoom_out()
        elif key == Qt.Key.Key_0:
            self.axis.fit()
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            step = _KEY_STEP * self.axis.span * (1 if key == Qt.Key.Key_Right else -1)
            self._go(self._playhead + step, select=bool(modifiers & Qt.KeyboardModifier.ShiftModifier))
        elif key == Qt.Key.Key_Home:
            self._go(0.0, select=False)
        elif key == Qt.Key.Key_End:
            self._go(self.axis.length, select=False)
        elif key == Qt.Key.Key_A and modifiers & Qt.KeyboardModifier.ControlModifier:
            self.axis.select(0.0, self.axis.length)
        elif key == Qt.Key.Key_L and not modifiers:
            self.loop_requested.emit()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the keys from now on."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        super().mousePressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """What grew while it was hidden is drawn now."""
        super().showEvent(event)
        self.draw()

    def changeEvent(self, event: QEvent) -> None:
        """A larger font needs wider axes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.draw()

    def retranslate(self) -> None:
        """Set all texts."""
        self._empty.setText(
            self.tr("A blind comparison: what is heard is shown once you have chosen.")
            if self._hidden
            else self.tr(
                "Nothing to hear yet. Write a text and press Generate: the sound appears here while it is made."
            )
        )
        self.setAccessibleName(self.tr("Timeline"))
        self._show_values()

    def _go(self, seconds: float, *, select: bool) -> None:
        seconds = min(max(0.0, seconds), self.axis.length)
        if select:
            self._anchor = self._playhead if self._anchor is None else self._anchor
            self.axis.select(self._anchor, seconds)
        else:
            self._anchor = None
        self.seek_requested.emit(seconds)
        self.axis.follow(seconds)

    def _middle(self) -> float:
        """What zooming by keys keeps in place: the playhead when it is in view."""
        inside = self.axis.start <= self._playhead <= self.axis.stop
        return self._playhead if inside else (self.axis.start + self.axis.stop) / 2

    def _hovered(self, seconds: float) -> None:
        self._hover = seconds
        self._show_values()

    def _left(self) -> None:
        self._hover = None
        self._show_values()

    def _show_values(self) -> None:
        take = self._take
        if take is None or take.seconds == 0:
            self.readout.clear()
            return
        at = self._playhead if self._hover is None else self._hover
        parts = [self.tracks.by_name[name].value_text(at) for name in self.shown_tracks]
        where = self.tr("playhead") if self._hover is None else self.tr("cursor")
        text = " · ".join([f"{where} {precise_clock_text(at)}", *filter(None, parts)])
        if text != self.readout.text():
            self.readout.setText(text)
            self.readout.setToolTip(text)
            self.setAccessibleDescription(text)

    def _set_length(self, *, keep_view: bool) -> None:
        take = self._take
        if take is None:
            self.axis.set_length(0.0, keep_view=False)
            return
        # The expected length while it grows: a view that rescales with every chunk cannot be read.
        expected = take.expected_patches[1] * take.patch_size / take.frame_rate if take.is_growing else 0.0
        if take.is_growing and take.seconds > expected:
            shown = self.axis.length
            expected = shown if shown >= take.seconds else take.seconds * _GROWTH
        others = self._other.seconds if self._other is not None else 0.0
        self.axis.set_length(max(take.seconds, expected, others), keep_view=keep_view)

"""Hearing and seeing a dub: single cues, a stretch of all, the original sound, pictures of a film."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject, QTimer

from app.audio.player import Player
from app.audio.sources import ArraySource
from app.core.dubbing.overview import CueState, Overview
from app.dub_desk import SOUND_RATE, DubDesk, OriginalSound
from app.panels.dubbing_panel import DubbingPanel
from app.widgets.cue_card import FRAME

_STRETCH_MS = 120_000
_FRAME_MS = 150  # a person who runs through the cues waits for no picture


class DubListening(QObject):
    """Drives the player while the panel is shown; ``overview`` gives the dub as it is."""

    def __init__(
        self,
        desk: DubDesk,
        panel: DubbingPanel,
        player: Player,
        overview: Callable[[], Overview | None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._desk, self._panel, self._player, self._overview = desk, panel, player, overview
        self.sound: OriginalSound | None = None
        self._source: ArraySource | None = None
        self._begins_ms = 0
        self._key: object = None
        self._film = False  # whether a picture could be read last time
        self._frame_timer = QTimer(self, interval=_FRAME_MS, singleShot=True)
        self._frame_timer.timeout.connect(self._ask_for_frame)
        desk.heard.connect(self._heard)
        desk.frame_read.connect(self._frame_read)
        player.position_changed.connect(self._position_changed)
        panel.current_changed.connect(self._cue_changed)
        panel.timeline.playhead_moved.connect(self._playhead_moved)

    # Wishes ----------------------------------------------------------------------------------------------------------

    def toggle(self) -> None:
        """Listen to the chosen cue, or stop listening."""
        if self._is_listening:
            self.stop()
        else:
            self.cue()

    def cue(self) -> None:
        """Listen to the chosen cue as it will be heard."""
        state = self._current()
        if state is None or not state.placed.take:
            return
        self._key = object()
        self._desk.listen(state.placed, self._key)

    def from_playhead(self) -> None:
        """Listen to everything from the playhead on."""
        overview = self._overview()
        if overview is None:
            return
        self._key = object()
        placed = [state.placed for state in overview.states]
        end = max(overview.length_ms + 500, self._sound_ms())
        start = self._panel.timeline.playhead
        start = 0 if start >= end - 100 else start
        length = min(_STRETCH_MS, end - start)
        self._desk.excerpt(placed, start, length, self.sound, self._key)

    def original(self) -> None:
        """Listen to the original sound under the chosen cue."""
        state = self._current()
        if state is None or self.sound is None:
            return
        cue = state.cue
        start, end = (cue.start, cue.end) if cue.start is not None else (state.placed.start, state.placed.end)
        assert start is not None and end is not None
        samples = self.sound.samples[start * SOUND_RATE // 1000 : end * SOUND_RATE // 1000]
        if len(samples):
            self._play(np.array(samples, np.float32), SOUND_RATE, start)

    def stop(self) -> None:
        """Be quiet."""
        self._key = None
        if self._source is not None and self._player.source is self._source:
            self._player.stop()
            self._player.set_source(None)
        self._source = None

    def use_sound(self, sound: OriginalSound | None) -> None:
        """Show another original sound, or none."""
        self.stop()
        self.sound = sound
        self._film = sound is not None
        self._panel.timeline.show_sound((sound.samples, SOUND_RATE, sound.peaks) if sound is not None else None)
        self._panel.card.show_frame(None)
        self._frame_timer.start()

    # Inside ----------------------------------------------------------------------------------------------------------

    @property
    def _is_listening(self) -> bool:
        return self._source is not None and self._player.source is self._source and self._player.is_active

    def _current(self) -> CueState | None:
        overview = self._overview()
        return overview.by_id.get(self._panel.current) if overview is not None else None

    def _sound_ms(self) -> int:
        return 0 if self.sound is None else 1000 * len(self.sound.samples) // SOUND_RATE

    def _heard(self, key: object, samples: np.ndarray, rate: int, begins_ms: int) -> None:
        if key is self._key and len(samples):
            self._play(samples, rate, begins_ms)

    def _play(self, samples: np.ndarray, rate: int, begins_ms: int) -> None:
        self._source, self._begins_ms = ArraySource(samples, rate), begins_ms
        self._player.set_source(self._source)
        self._player.play()

    def _position_changed(self, seconds: float) -> None:
        if self._is_listening:
            self._panel.timeline.set_playhead(self._begins_ms + round(1000 * seconds), follow=True)

    def _playhead_moved(self, milliseconds: int) -> None:
        if self._is_listening:  # it goes on from there
            self.stop()
            self.from_playhead()

    def _cue_changed(self) -> None:
        self._frame_timer.start()
        state = self._current()
        if state is not None and not self._is_listening:
            at = state.cue.start if state.cue.start is not None else state.placed.start
            self._panel.timeline.set_playhead(at)

    def _ask_for_frame(self) -> None:
        state = self._current()
        if self.sound is None or not self._film or state is None or not self._panel.isVisible():
            return
        at = state.cue.start if state.cue.start is not None else state.placed.start
        self._desk.frame(self.sound.path, at, *FRAME)

    def _frame_read(self, key: tuple[object, int], rgb: bytes | None) -> None:
        if self.sound is not None and key[0] == self.sound.path:
            self._film = rgb is not None or (self._film and key[1] > self._sound_ms())
            self._panel.card.show_frame(rgb)

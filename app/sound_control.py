"""Lets recordings be heard through the one player, and looks for devices anew."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.audio.player import Player, PlayState
from app.audio.sources import ArraySource
from app.panels.takes_panel import TakesPanel
from app.sound_desk import SoundDesk
from app.widgets.sound_field import SoundField


class SoundControl(QObject):
    """While a recording is heard no take is chosen: the player's controls are then those of the recording."""

    def __init__(self, desk: SoundDesk, player: Player, takes: TakesPanel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._desk, self._player, self._takes = desk, player, takes
        self._source: ArraySource | None = None
        self._field: SoundField | None = None
        desk.play_requested.connect(self._play)
        desk.stop_requested.connect(self._stop)
        player.position_changed.connect(self._moved)
        player.state_changed.connect(self._state_changed)

    def look_again(self) -> None:
        """Look for devices that have come or gone since."""
        self._desk.recorder.cancel()  # none may be open meanwhile
        self._player.look_again()
        self._desk.recorder.probe()

    def _play(self, field: SoundField) -> None:
        examined = field.examined
        if examined is None:
            return
        self._takes.unselect()
        self._field = field
        self._source = ArraySource(examined.diagnosis.samples, examined.diagnosis.sample_rate)
        self._player.set_source(self._source)
        self._player.play()

    def _stop(self, field: SoundField) -> None:
        if field is self._field and self._player.source is self._source:
            self._player.stop()

    def _moved(self, seconds: float) -> None:
        if self._field is not None and self._player.source is self._source and self._player.is_active:
            self._field.show_place(seconds)

    def _state_changed(self, state: PlayState) -> None:
        if self._field is not None and (state is PlayState.STOPPED or self._player.source is not self._source):
            self._field.show_place(None)

"""The bottom of the window: the player's controls above the timeline of the take."""

from __future__ import annotations

import time

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.audio.player import Player
from app.core.settings import Settings
from app.core.takes import Take, TakeStore
from app.panels.transport import Transport
from app.panels.view_tools import ViewTools
from app.widgets.timeline import Timeline
from app.widgets.translated import Translated


class PlayerPanel(Translated, QWidget):
    """Shows one take and drives the player. Without a sound device all but playing works."""

    def __init__(self, player: Player, settings: Settings, store: TakeStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._player = self.player = player
        self.timeline = Timeline()
        self.transport = Transport(player, self.timeline.axis, settings)
        self.tools = ViewTools(self.timeline, store, settings)
        self.play_button = self.transport.play_button
        self.state_label = self.transport.state_label
        self.while_made = self.transport.while_made
        layout = QVBoxLayout(self)
        layout.addWidget(self.transport)
        layout.addWidget(self.timeline, 1)
        below = QHBoxLayout()
        below.addWidget(self.timeline.readout, 1)
        below.addWidget(self.tools)
        layout.addLayout(below)
        self.timeline.seek_requested.connect(player.seek)
        self.timeline.loop_requested.connect(self.transport.toggle_loop)
        self.tools.said.connect(self.transport.say)
        player.position_changed.connect(self._position_changed)

    def show_take(self, take: Take | None) -> None:
        """Show a take."""
        self.timeline.show_take(take)
        self.timeline.set_playhead(self._player.position)
        self.transport.show_take(take)
        self.tools.show_take(take)

    def show_compared(self, take: Take, hidden: bool) -> None:
        """Follow a comparison: show what is heard, or, ``hidden``, only how far it is."""
        self.timeline.show_take(take, hidden=hidden)
        self.timeline.set_playhead(self._player.position)
        self.transport.show_take(take)

    def take_changed(self, take: Take) -> None:
        """Follow a take as it grows."""
        self.timeline.take_changed(take)
        if take is self.timeline.take:
            self.transport.update_state()

    def close_down(self, wait_seconds: float) -> bool:
        """Begin nothing more and wait for what runs in the background; False when that takes longer."""
        until = time.monotonic() + wait_seconds
        written = self.tools.close_down(wait_seconds)
        return self.timeline.close_down(max(0.0, until - time.monotonic())) and written

    def _position_changed(self, seconds: float) -> None:
        self.timeline.set_playhead(seconds, follow=self._player.is_active)
        self.transport.position_changed()

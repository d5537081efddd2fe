"""From several selected takes to one that is joined of their phrases."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from app.audio.player import Player
from app.audio.sources import TakeSource
from app.autosave import Autosave
from app.core.joining import JoinError, join, phrases
from app.core.takes import Take, TakeStore
from app.dialogs.join_takes import JoinDialog
from app.panels.takes_panel import TakesPanel
from app.read_first import ReadFirst
from app.widgets.notice import Notice


class JoinControl(QObject):
    """Asks which phrase comes from which take, and puts the joined take into the list."""

    def __init__(
        self,
        store: TakeStore,
        player: Player,
        panel: TakesPanel,
        autosave: Autosave,
        notice: Notice,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._store, self._player, self._panel = store, player, panel
        self._notice, self._window = notice, window
        self._reading = ReadFirst(store, autosave)

    def ask(self) -> None:
        """Ask for the selected takes, or those of the press of the chosen one."""
        self._reading.give_up()
        takes = self._panel.comparable()
        if not takes:
            self._notice.show_notice(self.tr("Select two to four takes of the same text to join their phrases."))
            return
        self._reading.ask(takes, lambda: self._ask_about(takes))

    def join(self, takes: Sequence[Take], choice: Sequence[int]) -> None:
        """Make the joined take; those that it comes from stay."""
        joined = join(takes, choice)
        self._store.add(joined)
        self._panel.select(joined)

    def _ask_about(self, takes: Sequence[Take]) -> None:
        try:
            cut = phrases(takes)
        except JoinError as error:
            self._notice.show_notice(self.tr("These takes cannot be joined."), str(error))
            return
        dialog = JoinDialog(takes, cut, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.heard.connect(self._hear)
        dialog.join_requested.connect(self.join)
        dialog.open()

    def _hear(self, take: Take, start: float) -> None:
        self._player.set_source(TakeSource(take))
        self._player.seek(start)
        self._player.play()

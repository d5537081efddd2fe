"""Hears takes against each other: equally loud, at the same place, sighted or blind; keeps what is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from app.audio.player import Player
from app.audio.sources import TakeSource
from app.autosave import Autosave
from app.core.comparisons import blind_order
from app.core.loudness import matching_gains
from app.core.takes import Take, TakeStore
from app.panels.compare_bar import CompareBar
from app.panels.takes_panel import TakesPanel
from app.read_first import ReadFirst
from app.widgets.background import BackgroundQueue


class CompareControl(QObject):
    """``show`` is told which take is heard, and whether nobody may see that, so that the timeline follows."""

    def __init__(
        self,
        store: TakeStore,
        player: Player,
        panel: TakesPanel,
        autosave: Autosave,
        show: Callable[[Take, bool], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store, self._player, self._panel, self._autosave, self._show = store, player, panel, autosave, show
        self._reading = ReadFirst(store, autosave)
        self.bar: CompareBar = panel.compare_bar
        self._work = BackgroundQueue(self)
        self._takes: list[Take] = []  # those that are compared, in the order of the buttons
        self._blind = False
        self._gains: list[float] = []
        self._busy_with_panel = False
        self.bar.compare_requested.connect(self.begin)
        self.bar.ended.connect(self.end)
        self.bar.switched.connect(self.switch)
        self.bar.chosen.connect(self.choose)
        player.alternative_changed.connect(self._heard)
        panel.take_selected.connect(self._selected)
        store.on_removed(self._removed)
        autosave.choice_kept.connect(self._kept)

    @property
    def is_running(self) -> bool:
        """Whether takes are being compared."""
        return bool(self._takes)

    @property
    def takes(self) -> tuple[Take, ...]:
        """What is compared, in the order of the buttons."""
        return tuple(self._takes)

    @property
    def gains(self) -> tuple[float, ...]:
        """What each is turned up by, in LU."""
        return tuple(self._gains)

    def toggle(self, blind: bool) -> None:
        """Begin; or end what runs in this way already."""
        if self.is_running and self._blind == blind:
            self.end()
        else:
            self.begin(blind)

    def begin(self, blind: bool) -> None:
        """Compare the takes that are selected, or those of the press of the chosen one."""
        takes = sorted(self._takes, key=_place) or self._panel.comparable()
        if len(takes) < 2:
            return
        self._give_up()
        self._reading.ask(takes, lambda: self._measure(takes, blind))

    def switch(self, index: int) -> None:
        """Go over to another take at the same place."""
        if index < len(self._takes):
            self._player.switch_to(index)

    def choose(self) -> None:
        """Take the one that is heard, keep that choice, and tell the order if it was blind."""
        if not self.is_running:
            return
        takes, blind, chosen = self._takes, self._blind, self._takes[self._player.alternative]
        self._takes = []
        self._autosave.choose(takes, chosen, blind=blind)
        names = " · ".join(self.name(take, takes) for take in takes)
        self._finish(chosen)
        text = self.tr("{name} was chosen.").format(name=self.name(chosen, takes))
        if blind:
            text += " " + self.tr("The order was: {names}").format(names=names)
        self.bar.say(text)

    def end(self) -> None:
        """Compare no more; nothing was chosen."""
        self._give_up()
        if self.is_running:
            heard = self._takes[min(self._player.alternative, len(self._takes) - 1)]
            self._takes = []
            self._finish(heard)

    def close(self, wait_seconds: float) -> bool:
        """Wait for what is measured; False when that takes longer."""
        return self._work.close(wait_seconds)

    def name(self, take: Take, among: Sequence[Take]) -> str:
        """What a take is called on its button: its number in its press, or that of the press where these differ."""
        same_press = len({other.job.job_id for other in among}) == 1
        return str(take.row + 1) if same_press else str(sorted(among, key=_place).index(take) + 1)

    # Inside ----------------------------------------------------------------------------------------------------------

    def _give_up(self) -> None:
        """Forget a comparison that has not begun yet."""
        self._reading.give_up()
        self._work.clear()

    def _measure(self, takes: list[Take], blind: bool) -> None:
        order = blind_order(takes) if blind else list(takes)
        sounds = [(take.samples, take.sample_rate) for take in order]
        self._work.add(object(), lambda: matching_gains(sounds), lambda gains: self._start(order, blind, gains))

    def _start(self, takes: list[Take], blind: bool, gains: list[float]) -> None:
        if any(self._store.find(take.uid) is not take for take in takes):
            return
        if blind:  # the list must not give away which is which
            self._quietly(self._panel.unselect)
        self._takes, self._blind, self._gains = takes, blind, gains
        self._player.set_alternatives([TakeSource(take) for take in takes], gains)
        self.bar.show_comparison([self.name(take, takes) for take in takes], blind)
        self._show(takes[0], blind)
        self._player.play()

    def _finish(self, take: Take) -> None:
        self._player.stop()
        self._quietly(self._panel.unselect)
        self._panel.select(take)
        self.bar.say("")
        self._panel.show_comparable()

    def _quietly(self, act: Callable[[], None]) -> None:
        self._busy_with_panel = True
        try:
            act()
        finally:
            self._busy_with_panel = False

    def _heard(self, index: int) -> None:
        if self.is_running:
            self.bar.show_heard(index)
            self._show(self._takes[index], self._blind)

    def _selected(self, take: Take | None) -> None:
        if self._busy_with_panel:
            return
        self._give_up()
        if self.is_running:  # somebody turned to another take
            self._takes = []
        self.bar.say("")
        self._panel.show_comparable()

    def _removed(self, take: Take) -> None:
        if take in self._takes:
            self._takes = []
            self._player.set_source(None)
            self._panel.show_comparable()

    def _kept(self, chosen: Take, offered: Sequence[Take]) -> None:
        for take in offered:
            take.chosen = take is chosen
            self._store.tell(take)


def _place(take: Take) -> tuple[int, int]:
    return take.number, take.row

"""Goes on with takes once all of their sound is there: that of earlier starts lies on the disk alone at first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.autosave import Autosave
from app.core.takes import Take, TakeStore


class ReadFirst:
    """Has sound read where it is wanted. Lives in the window's thread; nothing waits."""

    def __init__(self, store: TakeStore, autosave: Autosave) -> None:
        self._autosave = autosave
        self._wishes: list[tuple[Sequence[Take], Callable[[], None]]] = []
        store.on_changed(self._changed)
        store.on_removed(self._removed)

    def ask(self, takes: Sequence[Take], then: Callable[[], None]) -> None:
        """Do ``then`` once the sound of all ``takes`` is there, at once if it is; never if one cannot be read."""
        unread = [take for take in takes if take.is_unread]
        if not unread:
            then()
            return
        self._wishes.append((takes, then))
        for take in unread:
            self._autosave.bring(take)

    def give_up(self) -> None:
        """Forget what waits."""
        self._wishes.clear()

    def _changed(self, take: Take) -> None:
        ready = [wish for wish in self._wishes if take in wish[0] and not any(one.is_unread for one in wish[0])]
        for wish in ready:
            self._wishes.remove(wish)
            wish[1]()

    def _removed(self, take: Take) -> None:
        self._wishes = [wish for wish in self._wishes if take not in wish[0]]

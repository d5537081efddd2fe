"""Takes against each other: a blind order, and which one was chosen, kept with the takes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from app.core.store import Store
from app.core.take_store import UnknownTakeError

MOST = 4  # the paths of one text; two or three takes of one press
T = TypeVar("T")


def blind_order(things: Sequence[T]) -> list[T]:
    """Return ``things`` in an order that nobody can guess: each one is as likely as any other, every time anew.

    The generator is a fresh one of the operating system, so that no seed of a take has anything to do with it.
    """
    shuffled = list(things)
    random.SystemRandom().shuffle(shuffled)
    return shuffled


@dataclass(frozen=True)
class Choice:
    """One comparison: the takes (uids) in the order in which they were offered, and the one that was chosen."""

    offered: tuple[str, ...]
    chosen: str
    blind: bool
    made_at: datetime


class Comparisons:
    """The comparisons in ``store``. Methods raise the StoreErrors of ``Database``."""

    def __init__(self, store: Store, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._database = store.database
        self._now = now

    def add(self, offered: Sequence[str], chosen: str, *, blind: bool) -> Choice:
        """Keep a choice; the chosen take counts as such until it loses.

        Raises:
            UnknownTakeError: one of them is not in the library.
            ValueError: fewer than two, or the chosen one is not among them.
        """
        if len(set(offered)) < 2 or chosen not in offered:
            raise ValueError("a choice is one of at least two takes")
        made_at = self._now()
        with self._database.write() as connection:
            cursor = connection.execute(
                "INSERT INTO comparisons (made_at, blind) VALUES (?, ?)", (made_at.isoformat(), blind)
            )
            for place, uid in enumerate(offered):
                row = connection.execute("SELECT seq FROM takes WHERE take_id = ?", (uid,)).fetchone()
                if row is None:
                    raise UnknownTakeError("One of these takes is not in the library, so the choice cannot be kept.")
                values = (cursor.lastrowid, place, row[0], uid == chosen)
                connection.execute("INSERT INTO comparison_rows VALUES (?, ?, ?, ?)", values)
        return Choice(tuple(offered), chosen, blind, made_at)

    def all(self) -> list[Choice]:
        """Return every choice whose takes are still there, newest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT c.number, c.made_at, c.blind, r.chosen, t.take_id FROM comparisons c JOIN comparison_rows r"
                " ON r.number = c.number JOIN takes t ON t.seq = r.seq ORDER BY c.number DESC, r.place"
            ).fetchall()
        grouped: dict[int, list[tuple[str, bool, str, bool]]] = {}
        for number, made_at, blind, chosen, uid in rows:
            grouped.setdefault(number, []).append((made_at, bool(blind), uid, bool(chosen)))
        found = []
        for group in grouped.values():
            winners = [uid for _, _, uid, won in group if won]
            if len(group) >= 2 and winners:
                made_at, blind = datetime.fromisoformat(group[0][0]), group[0][1]
                found.append(Choice(tuple(uid for _, _, uid, _ in group), winners[0], blind, made_at))
        return found

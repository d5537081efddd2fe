"""What other windows and commands did to takes meanwhile: new ones, other marks, moves to the bin, deletions."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.core.takes import Take, TakeMarks

if TYPE_CHECKING:
    from app.core.store import Store
    from app.core.take_store import TakeLibrary

_MOST_NEW = 500  # what is more comes page by page like all others
_STATES = (
    "SELECT t.take_id, m.rating, m.favourite, m.note, b.seq IS NOT NULL,"
    " (SELECT c.chosen FROM comparison_rows c WHERE c.seq = t.seq ORDER BY c.number DESC LIMIT 1)"
    " FROM takes t LEFT JOIN take_bin b ON b.seq = t.seq LEFT JOIN take_marks m ON m.number ="
    " (SELECT max(n.number) FROM take_marks n WHERE n.seq = t.seq)"
    " WHERE t.take_id IN (SELECT value FROM json_each(?))"
)
# The highest numbers rise with every change that adds; a deletion, or a move to or from the bin, changes the sums.
_STATE = (
    "SELECT (SELECT coalesce(max(seq), 0) FROM takes), (SELECT count(*) FROM takes),"
    " (SELECT coalesce(sum(seq), 0) FROM takes), (SELECT coalesce(max(number), 0) FROM take_marks),"
    " (SELECT count(*) FROM take_bin), (SELECT coalesce(sum(seq * seq), 0) FROM take_bin),"
    " (SELECT coalesce(max(number), 0) FROM comparisons)"
)


@dataclass(frozen=True)
class TakeState:
    """What may change of a take that is kept."""

    marks: TakeMarks
    binned: bool
    chosen: bool


@dataclass(frozen=True)
class TakeChanges:
    """``new`` takes without their sound, oldest first; how ``known`` ones stand; those of them that are ``gone``."""

    new: tuple[Take, ...] = ()
    known: Mapping[str, TakeState] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()


class TakeWatcher:
    """Looks at the takes of ``library``, one look at a time; the first one only remembers where to begin."""

    def __init__(self, store: Store, library: TakeLibrary) -> None:
        self._database, self._library = store.database, library
        self._state: tuple[int, ...] | None = None

    def is_of(self, store: Store) -> bool:
        """Whether it looks at this store; after a restore there is another one."""
        return self._database is store.database

    def look(self, known: Collection[str]) -> TakeChanges | None:
        """Return what is new, and how the ``known`` takes (uids) stand; None where nothing was written.

        Raises StoreError.
        """
        with self._database.read() as connection:
            state = tuple(connection.execute(_STATE).fetchone())
            if state == self._state:
                return None
            rows = connection.execute(_STATES, (json.dumps(list(known)),)).fetchall()
            new = () if self._state is None else self._library.newer(self._state[0], _MOST_NEW)
        self._state = state
        states = {
            uid: TakeState(TakeMarks(rating or 0, bool(favourite), note or ""), bool(binned), bool(chosen))
            for uid, rating, favourite, note, binned, chosen in rows
        }
        return TakeChanges(new, states, frozenset(known) - states.keys())

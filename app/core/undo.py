"""Undo and redo as data: what a command changed in a document of plain JSON values, before and after.

A document is nested dicts with str keys. A change names a place by its keys and holds the value before and after; it
knows nothing else, so it can be taken back, done again, merged with the next one, compared and printed.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

MOST_COMMANDS = 500
MERGE_SECONDS = 2.0


class Missing(Enum):
    """Stands for what is not there."""

    MISSING = "missing"


MISSING: Final = Missing.MISSING


class UndoError(ValueError):
    """A change that does not fit the document: it was changed by other means in between."""


@dataclass(frozen=True)
class Change:
    """At ``path`` (at least one key) stood ``before`` and stands ``after``; MISSING for nothing."""

    path: tuple[str, ...]
    before: Any
    after: Any

    def inverse(self) -> Change:
        """Return the change that takes this one back."""
        return Change(self.path, self.after, self.before)


@dataclass(frozen=True)
class Command:
    """What a person did at once. ``label`` says it ("Rename the project").

    Commands of the same ``merge`` (not empty) that change the same places soon after each other become one, as typing.
    """

    label: str
    changes: tuple[Change, ...]
    merge: str = ""

    def inverse(self) -> Command:
        """Return the command that takes this one back."""
        return Command(self.label, tuple(change.inverse() for change in reversed(self.changes)))


def look(document: Mapping[str, Any], path: Sequence[str]) -> Any:
    """Return what stands at ``path``, or MISSING."""
    value: Any = document
    for key in path:
        if not isinstance(value, Mapping) or key not in value:
            return MISSING
        value = value[key]
    return value


def difference(before: Mapping[str, Any], after: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[Change]:
    """Yield the changes that make ``after`` of ``before``. Lists and plain values are replaced as a whole."""
    for key in [*before, *(key for key in after if key not in before)]:
        old, new = before.get(key, MISSING), after.get(key, MISSING)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from difference(old, new, (*path, key))
        elif not _same(old, new):
            yield Change((*path, key), copy.deepcopy(old), copy.deepcopy(new))


def apply(document: dict[str, Any], command: Command) -> None:
    """Change ``document`` in place: all of the command, or nothing.

    Raises:
        UndoError: something else stands at one of the places.
    """
    done: list[Change] = []
    try:
        for change in command.changes:
            _apply_one(document, change)
            done.append(change)
    except UndoError:
        for change in reversed(done):
            _apply_one(document, change.inverse())
        raise


def _apply_one(document: dict[str, Any], change: Change) -> None:
    holder = look(document, change.path[:-1])
    if not isinstance(holder, dict) or not _same(look(document, change.path), change.before):
        raise UndoError(f"{'.'.join(change.path)} was changed by other means, so this step cannot be made.")
    if change.after is MISSING:
        del holder[change.path[-1]]
    else:
        holder[change.path[-1]] = copy.deepcopy(change.after)


def _same(one: Any, other: Any) -> bool:
    """Equal as JSON: True is not 1, and 1 is not 1.0."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


class UndoStack:
    """What was done, and what was taken back. The oldest are forgotten beyond ``most``.

    ``clock`` gives seconds; a pause longer than ``merge_seconds`` ends merging.
    """

    def __init__(
        self,
        most: int = MOST_COMMANDS,
        merge_seconds: float = MERGE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if most < 1:
            raise ValueError("at least one command must be kept")
        self._most = most
        self._merge_seconds = merge_seconds
        self._clock = clock
        self._done: list[Command] = []
        self._undone: list[Command] = []
        self._mergeable_until: float | None = None

    @property
    def undo_label(self) -> str | None:
        """What ``undo`` would take back; None for nothing."""
        return self._done[-1].label if self._done else None

    @property
    def redo_label(self) -> str | None:
        """What ``redo`` would do again; None for nothing."""
        return self._undone[-1].label if self._undone else None

    def __len__(self) -> int:
        """How often ``undo`` can be called."""
        return len(self._done)

    def push(self, command: Command) -> None:
        """Remember what was just done. What was taken back before can no longer be done again."""
        if not command.changes:
            return
        self._undone.clear()
        now = self._clock()
        merged = self._merged(command, now)
        if merged is None:
            self._done.append(command)
            del self._done[: -self._most]
        elif merged.changes:
            self._done[-1] = merged
        else:
            self._done.pop()  # typed and deleted again
        self._mergeable_until = now + self._merge_seconds if merged is None or merged.changes else None

    def end_merging(self) -> None:
        """Let the next command be one of its own, as when the field is left or the project was saved."""
        self._mergeable_until = None

    def undo(self, document: dict[str, Any]) -> Command | None:
        """Take the last command back in ``document`` and return it; None when there is none.

        Raises:
            UndoError: the document was changed by other means; nothing was changed.
        """
        if not self._done:
            return None
        apply(document, self._done[-1].inverse())
        command = self._done.pop()
        self._undone.append(command)
        self._mergeable_until = None
        return command

    def redo(self, document: dict[str, Any]) -> Command | None:
        """Do again what was taken back last and return it; None when there is none. Raises as ``undo``."""
        if not self._undone:
            return None
        apply(document, self._undone[-1])
        command = self._undone.pop()
        self._done.append(command)
        self._mergeable_until = None
        return command

    def clear(self) -> None:
        """Forget everything."""
        self._done.clear()
        self._undone.clear()
        self._mergeable_until = None

    def _merged(self, command: Command, now: float) -> Command | None:
        """Return the last command and this one as one, or None when they stay two."""
        if not self._done or self._mergeable_until is None or now > self._mergeable_until:
            return None
        last = self._done[-1]
        paths = [change.path for change in last.changes]
        if not command.merge or command.merge != last.merge or paths != [change.path for change in command.changes]:
            return None
        pairs = zip(last.changes, command.changes, strict=True)
        joined = [Change(old.path, old.before, new.after) for old, new in pairs]
        return Command(command.label, tuple(c for c in joined if not _same(c.before, c.after)), command.merge)

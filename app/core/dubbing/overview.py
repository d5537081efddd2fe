"""A dub at one moment, worked out for whoever shows it: what each cue lacks, how it fits, what is said otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from app.core.dubbing.cues import Cue, CueTake, Dub, made_of
from app.core.dubbing.editing import Dubbing
from app.core.dubbing.fit import FitRules, Placed, meetings, place, slots
from app.core.dubbing.pauses import parts_of
from app.core.dubbing.words import Said, say

PROBLEMS = ("no_take", "stale", "too_long", "overlap")
"""Flags that a person should look at; the others only say how a cue was made to fit."""


@dataclass(frozen=True)
class CueState:
    """One cue: its ``number`` from 1, where it is heard (None without times and takes before it), and what was changed.

    ``key``: what a take of it would be made of now; ``silent``: it has nothing to speak. ``room_ms``: the time there is
    for it; ``gap_ms``: the silence before the next cue that is heard, negative where both overlap.
    """

    number: int
    cue: Cue
    placed: Placed
    key: str
    changes: tuple[Said, ...] = ()
    silent: bool = False
    room_ms: int | None = None
    gap_ms: int | None = None

    def is_fresh(self, take: CueTake) -> bool:
        """Whether a take says what the cue says now."""
        return take.made_of == self.key

    @property
    def heard(self) -> tuple[CueTake, ...]:
        """The take that is heard, if there is one."""
        take = self.cue.chosen_take
        return () if take is None else (take,)

    @property
    def to_make(self) -> bool:
        """Whether it has something to say and no take of it."""
        return not self.silent and not any(map(self.is_fresh, self.cue.takes))

    @property
    def problem(self) -> str:
        """The first of its flags that a person should look at; "" for none."""
        flags = self.placed.flags
        return next((flag for flag in PROBLEMS if flag in flags and not (self.silent and flag == "no_take")), "")


@dataclass(frozen=True)
class Overview:
    """All cues, in the order of the list. ``words``: both dictionaries as they count here."""

    dub: Dub
    states: tuple[CueState, ...]
    words: Mapping[str, str]

    @cached_property
    def by_id(self) -> dict[str, CueState]:
        """Every state by the id of its cue."""
        return {state.cue.cue_id: state for state in self.states}

    @cached_property
    def to_make(self) -> tuple[str, ...]:
        """The ids of cues that lack a take of what they say now."""
        return tuple(state.cue.cue_id for state in self.states if state.to_make)

    @cached_property
    def to_choose(self) -> tuple[str, ...]:
        """The ids of cues that are heard with another take than one of what they say now, which they have."""
        return tuple(
            state.cue.cue_id
            for state in self.states
            if not state.to_make and not state.silent and not any(map(state.is_fresh, state.heard))
        )

    @cached_property
    def stale(self) -> frozenset[str]:
        """The ids of cues whose chosen take says something else."""
        return frozenset(state.cue.cue_id for state in self.states if "stale" in state.placed.flags)

    @cached_property
    def length_ms(self) -> int:
        """Where the last cue ends."""
        return max((max(state.placed.end, state.cue.end or 0) for state in self.states), default=0)

    def count(self, flag: str) -> int:
        """How many cues have a flag."""
        return sum(flag in state.placed.flags for state in self.states)


def look(dubbing: Dubbing, rules: FitRules) -> Overview:
    """Work out the state of every cue of ``dubbing`` as it is now."""
    dub = dubbing.dub
    words = {**dubbing.words, **dub.words}
    spoken = {cue.cue_id: say(cue.text, words) for cue in dub.cues}
    keys = {cue.cue_id: made_of(spoken[cue.cue_id].text, dub.role_of(cue)) for cue in dub.cues}
    stale = frozenset(
        cue.cue_id for cue in dub.cues if (chosen := cue.chosen_take) is not None and chosen.made_of != keys[cue.cue_id]
    )
    heard = place(dub, rules, stale)
    placed = {one.cue_id: one for one in heard}
    gaps = {meeting.first: meeting.gap_ms for meeting in meetings(heard)}
    room = slots(dub.cues)
    states = tuple(
        CueState(
            number,
            cue,
            placed[cue.cue_id],
            keys[cue.cue_id],
            spoken[cue.cue_id].changes,
            not parts_of(spoken[cue.cue_id].text)[1],
            room.get(cue.cue_id),
            gaps.get(cue.cue_id),
        )
        for number, cue in enumerate(dub.cues, 1)
    )
    return Overview(dub, states, words)

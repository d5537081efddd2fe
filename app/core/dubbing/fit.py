"""Where each cue is heard, how fast, and what does not fit. Times in milliseconds."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.core.dubbing.cues import Cue, CueTake, Dub
from app.core.dubbing.pauses import CHAPTER_MS, PARAGRAPH_MS, pause_after, without_pauses

MOST_STRETCH = 1.25
GAP_MS = 60  # least silence between two cues that do not overlap in the script
_CLOSE = 1.02  # faster by less than that is not heard, and not worth stretching for

Flag = Literal["no_take", "stale", "stretched", "too_long", "overlap", "uses_gap", "moved"]


@dataclass(frozen=True)
class FitRules:
    """What may be done to make cues fit.

    ``most_stretch`` 1..1.25 either way; ``fill`` also slows takes down that are shorter than their slot; ``ripple``
    moves the cues behind one that is too long instead of letting them overlap.
    """

    most_stretch: float = MOST_STRETCH
    fill: bool = False
    ripple: bool = False

    def __post_init__(self) -> None:
        if not 1.0 <= self.most_stretch <= MOST_STRETCH:
            raise ValueError(f"Takes are stretched by 1 to {MOST_STRETCH:g}, not by {self.most_stretch:g}.")


@dataclass(frozen=True)
class Placed:
    """A cue on the timeline: its speech begins at ``start`` and ends at ``end``; ``speed`` above 1 is faster.

    ``slot_ms``: the time there was for it; ``too_many``: how many characters less would let it fit as it was spoken.
    """

    cue_id: str
    take: str
    start: int
    end: int
    speed: float = 1.0
    slot_ms: int = 0
    too_many: int = 0
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True)
class Meeting:
    """Two neighbours on the timeline: ``gap_ms`` of silence between them, negative where they overlap."""

    first: str
    second: str
    gap_ms: int


def best_take(takes: Sequence[CueTake], slot_ms: int | None) -> CueTake:
    """Return the take that fits best: the longest of those that fit, else the shortest; without a slot the first."""
    if slot_ms is None:
        return takes[0]
    fitting = [take for take in takes if take.speech_ms <= slot_ms]
    return max(fitting, key=lambda take: take.speech_ms) if fitting else min(takes, key=lambda take: take.speech_ms)


def slots(cues: Sequence[Cue]) -> dict[str, int]:
    """Return how long each timed cue may be: to its end, or up to the next cue if nothing is there before."""
    starts = sorted(cue.start for cue in cues if cue.start is not None)
    found = {}
    for cue in cues:
        if cue.start is None:
            continue
        assert cue.end is not None
        after = bisect.bisect(starts, cue.start)
        # Where both overlap in the script, two people speak at once: the slot ends with the cue.
        room = max(cue.end, starts[after] - GAP_MS) if after < len(starts) else cue.end
        found[cue.cue_id] = room - cue.start
    return found


def place(dub: Dub, rules: FitRules, stale: frozenset[str] = frozenset()) -> list[Placed]:
    """Put every cue that has a take on the timeline, in the order of the cues (timed ones by time).

    ``stale``: ids of cues whose take is not what they say now; they are placed and flagged.
    """
    if any(cue.start is None for cue in dub.cues):
        return _in_a_row(dub.cues, stale)
    room = slots(dub.cues)
    placed: list[Placed] = []
    shift, free = 0, 0
    ordered = sorted(dub.cues, key=lambda cue: (cue.start or 0, cue.end or 0))
    for cue, reach in zip(ordered, _reaches(ordered), strict=True):
        one = _fitted(cue, room[cue.cue_id], rules, cue.cue_id in stale)
        if rules.ripple and placed:
            assert cue.start is not None
            if reach <= cue.start:  # else both overlap in the script, and stay where they are to each other
                shift = max(0, free - cue.start)
            if shift:
                one = replace(one, start=one.start + shift, end=one.end + shift, flags=(*one.flags, "moved"))
        free = max(free, one.end + GAP_MS)
        placed.append(one)
    return _flag_overlaps(placed, dub) if not rules.ripple else placed


def meetings(placed: Sequence[Placed]) -> list[Meeting]:
    """Return the gap or overlap between each two neighbours that are heard."""
    heard = [one for one in placed if one.take]
    return [Meeting(one.cue_id, other.cue_id, other.start - one.end) for one, other in itertools.pairwise(heard)]


def _fitted(cue: Cue, room: int, rules: FitRules, stale: bool) -> Placed:
    assert cue.start is not None and cue.end is not None
    take, flags = cue.chosen_take, list[Flag]()
    if take is None:
        return Placed(cue.cue_id, "", cue.start, cue.end, slot_ms=room, flags=("no_take",))
    if stale:
        flags.append("stale")
    speed, slot = 1.0, cue.end - cue.start
    too_many = _too_many(cue.text, take.speech_ms, room)
    if take.speech_ms > room * _CLOSE:
        speed = min(take.speech_ms / room, rules.most_stretch)
        flags.append("stretched")
    elif rules.fill and take.speech_ms * _CLOSE < slot:
        speed = max(take.speech_ms / slot, 1 / rules.most_stretch)
        flags.append("stretched")
    length = math.ceil(round(take.speech_ms / speed, 6))  # what was made to fit fits to the millisecond
    if length > room * _CLOSE:
        flags.append("too_long")
    elif length > slot:
        flags.append("uses_gap")
    return Placed(cue.cue_id, take.take, cue.start, cue.start + length, speed, room, too_many, tuple(flags))


def _too_many(text: str, speech_ms: int, room: int) -> int:
    """Characters to leave out so that the rest, at the same speed of speech, fits the room."""
    if speech_ms <= room * _CLOSE:
        return 0
    length = len(without_pauses(text))
    return min(length, math.ceil(length * (1 - room / speech_ms)))


def _reaches(ordered: Sequence[Cue]) -> list[int]:
    """For each of the cues in time: where, in the script, the latest of those ends that start before it."""
    found, latest, same_start, start = list[int](), 0, 0, -1
    for cue in ordered:
        assert cue.start is not None and cue.end is not None
        if cue.start != start:
            latest, same_start, start = max(latest, same_start), 0, cue.start
        found.append(latest)
        same_start = max(same_start, cue.end)
    return found


def _flag_overlaps(placed: list[Placed], dub: Dub) -> list[Placed]:
    """Flag cues that run into the next one where the script does not let them overlap."""
    cues: Mapping[str, Cue] = {cue.cue_id: cue for cue in dub.cues}
    found = []
    for index, one in enumerate(placed):
        following = placed[index + 1] if index + 1 < len(placed) else None
        wanted = cues[one.cue_id].end or 0
        meets = following is not None and one.take and one.end > following.start
        if meets and following is not None and following.start >= wanted:
            one = replace(one, flags=(*one.flags, "overlap"))
        found.append(one)
    return found


def _in_a_row(cues: Sequence[Cue], stale: frozenset[str]) -> list[Placed]:
    """One cue behind the other, with the silence that punctuation, paragraphs and chapters ask for."""
    placed, now = list[Placed](), 0
    before: Cue | None = None
    for cue in cues:
        take = cue.chosen_take
        if take is None:
            placed.append(Placed(cue.cue_id, "", now, now, flags=("no_take",)))
            continue
        if before is not None:
            now += {"chapter": CHAPTER_MS, "paragraph": PARAGRAPH_MS}.get(cue.before, pause_after(before.text))
        flags: tuple[Flag, ...] = ("stale",) if cue.cue_id in stale else ()
        placed.append(Placed(cue.cue_id, take.take, now, now + take.speech_ms, flags=flags))
        now, before = now + take.speech_ms, cue
    return placed

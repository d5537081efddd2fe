"""What came out of a file: cues in order, with whatever had to be repaired on the way."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from app.core.dubbing.cues import LONGEST_CUE, LONGEST_MS, LONGEST_NAME, MOST_CUES, Cue, new_id
from app.core.dubbing.remarks import Remark

SHORTEST_MS = 100
_MS_A_CHARACTER, _MS_A_WIDE_ONE, _LEAST_MS = 65, 220, 600


class ImportRefusedError(ValueError):
    """A file of which nothing can be used; the message says why and what to do."""


@dataclass(frozen=True)
class Found:
    """One cue as it stood in a file. Times in ms; ``end`` None where it has none."""

    line: int
    text: str
    start: int | None = None
    end: int | None = None
    character: str = ""
    style: str = ""
    before: str = ""


@dataclass(frozen=True)
class Imported:
    """Cues in order of time (or of the script), with new ids; ``remarks`` by line."""

    cues: tuple[Cue, ...]
    remarks: tuple[Remark, ...] = field(default_factory=tuple)


def finish(found: Sequence[Found], remarks: Sequence[Remark], name: str) -> Imported:
    """Put what a file held in order and repair it: empty texts go, times that cannot be get new ones.

    Raises:
        ImportRefusedError: there is no cue with a text, or there are too many.
    """
    said = list(remarks)
    kept = [each for each in found if _speaks(each, said)]
    if not kept:
        raise ImportRefusedError(f"{name} holds no line with a text. Give SRT, VTT, ASS, CSV or plain text.")
    if len(kept) > MOST_CUES:
        raise ImportRefusedError(f"{name} holds {len(kept)} cues; {MOST_CUES} are the most. Split the file.")
    kept = [_shortened(each, said) for each in kept]
    if any(each.start is not None or each.end is not None for each in kept):
        kept = _timed(kept, said)
    cues = [
        Cue(new_id(), each.text, each.start, each.end, each.character, style=each.style, before=each.before)
        for each in kept
    ]
    return Imported(tuple(cues), tuple(sorted(said, key=lambda remark: remark.line)))


def reading_ms(text: str) -> int:
    """Return how long a text takes to read at a usual speed: what stands in for a missing end."""
    wide = sum("\u2e80" <= character <= "\u9fff" for character in text)
    return max(_LEAST_MS, _MS_A_WIDE_ONE * wide + _MS_A_CHARACTER * (len(text) - wide))


def _speaks(each: Found, said: list[Remark]) -> bool:
    if not each.text.strip():
        said.append(Remark(each.line, "empty"))
        return False
    if not any(character.isalnum() for character in each.text):
        said.append(Remark(each.line, "nothing_to_say"))
        return False
    return True


def _shortened(each: Found, said: list[Remark]) -> Found:
    if len(each.text) > LONGEST_CUE:
        said.append(Remark(each.line, "too_long", {"count": LONGEST_CUE}))
        each = replace(each, text=each.text[:LONGEST_CUE].rstrip())
    if len(each.character) > LONGEST_NAME:
        said.append(Remark(each.line, "name_too_long", {"count": LONGEST_NAME}))
        each = replace(each, character=each.character[:LONGEST_NAME].rstrip())
    return each


def _timed(found: list[Found], said: list[Remark]) -> list[Found]:
    """Times in order, each cue with an end behind its start; overlaps stay and are told."""
    timed, last = list[Found](), 0
    for each in found:
        start = each.start
        if start is None:
            start = last
            said.append(Remark(each.line, "no_start"))
        start = min(max(0, start), LONGEST_MS - 60_000)
        if start < last and timed and start < (timed[-1].start or 0):
            said.append(Remark(each.line, "order"))
        timed.append(replace(each, start=start))
        last = max(last, start)
    timed.sort(key=lambda each: each.start or 0)
    starts = [each.start or 0 for each in timed]
    repaired = list[Found]()
    for each in timed:
        start = each.start
        assert start is not None
        after = bisect.bisect(starts, start)
        following = starts[after] if after < len(starts) else None
        end = each.end
        if end is None or end <= start:
            end = start + reading_ms(each.text)
            if following is not None:
                end = max(start + SHORTEST_MS, min(end, following))
            code = "no_end" if each.end is None else "ends_early"
            said.append(Remark(each.line, code, {"seconds": (end - start) / 1000}))
        elif following is not None and following < end:
            said.append(Remark(each.line, "overlap", {"seconds": (end - following) / 1000}))
        repaired.append(replace(each, end=min(end, LONGEST_MS)))
    return repaired

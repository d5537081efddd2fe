"""Which words of a cue are heard when: a row of subtitles for each piece that its take was put together of."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.core.dubbing.cues import Cue
from app.core.dubbing.pauses import marks_of_pauses, without_pauses
from app.core.dubbing.words import say
from app.core.messages import SpokenPiece

Row = tuple[int, int, str, str]
"""Start and end in ms, text, character: what ``write_subtitles`` takes."""


@dataclass(frozen=True)
class Heard:
    """What is known of a take: its pieces, and where in it the speech begins, in ms."""

    pieces: tuple[SpokenPiece, ...]
    begins_ms: int


def rows_of(cue: Cue, start: int, end: int, speed: float, heard: Heard, words: Mapping[str, str]) -> list[Row]:
    """Return the rows of a cue that is heard from ``start`` to ``end`` (ms), ``speed`` times as fast as its take.

    One row for each piece, with the text as it is written, not as the dictionary lets it be said; one row for all where
    the take is of one piece, or says something else than the cue does now.
    """
    texts = written_pieces(cue.text, words, [piece.text for piece in heard.pieces])
    if len(texts) < 2:
        return [(start, end, without_pauses(cue.text), cue.character)]
    rows, now = list[Row](), start
    for piece, text in zip(heard.pieces, texts, strict=True):
        first, last = (start + round((at - heard.begins_ms) / speed) for at in (piece.start_ms, piece.end_ms))
        first = min(max(first, now), end - 1)
        now = min(max(last, first + 1), end)
        rows.append((first, now, text, cue.character))
    return rows


def written_pieces(text: str, words: Mapping[str, str], spoken: Sequence[str]) -> list[str]:
    """Cut a text where its ``spoken`` pieces begin, which the dictionary may have changed; [] if they are of another.

    White space and marks of pauses do not count. What no piece says, such as a dash alone, goes with the piece before.
    """
    said = say(text, words)
    origin, place = list[int](), 0  # of each spoken letter: where it, or what it stands for, is written
    for change in said.changes:
        origin += [*range(place, change.start), *[change.start] * len(change.said)]
        place = change.start + len(change.written)
    origin += range(place, len(text))
    silent = {at for mark in marks_of_pauses(said.text) for at in range(*mark.span())}
    letters = [at for at, letter in enumerate(said.text) if not letter.isspace() and at not in silent]
    row = "".join(said.text[at] for at in letters)
    cuts, place = list[int](), 0
    for piece in spoken:
        wanted = "".join(piece.split())
        found = row.find(wanted, place)
        if found < 0 or not wanted:
            return []
        cuts.append(origin[letters[found]] if cuts else 0)
        place = found + len(wanted)
    return [without_pauses(text[start:stop]).strip() for start, stop in itertools.pairwise([*cuts, len(text)])]

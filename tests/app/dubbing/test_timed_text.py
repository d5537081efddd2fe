"""Subtitles with the true times: a row for each piece of a take, with the words as they are written."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.dubbing.cues import Cue
from app.core.dubbing.speech import joined, span
from app.core.dubbing.timed_text import Heard, rows_of, written_pieces
from app.core.dubbing.words import say
from app.core.messages import SpokenPiece
from tests.app.dubbing.sounds import RATE, speech

WORDS = {"NASA": "nassa", "Dr.": "doctor", "王": "wang"}


@pytest.mark.parametrize(
    ("text", "spoken", "written"),
    [
        ("NASA called. Dr. Who came.", ["nassa called.", "doctor Who came."], ["NASA called.", "Dr. Who came."]),
        ("Yes. [pause 1s] No, NASA!", ["Yes.", "No, nassa!"], ["Yes.", "No, NASA!"]),
        ("你好，王。\n再见。", ["你好，wang。", "再见。"], ["你好，王。", "再见。"]),
        ("One. … Two.", ["One.", "Two."], ["One. …", "Two."]),
        ("One. Two.", ["One.", "Three."], []),
        ("One.", [], []),
    ],
)
def test_the_pieces_are_those_of_the_text_as_it_is_written(text: str, spoken: list[str], written: list[str]) -> None:
    assert written_pieces(text, WORDS, spoken) == written


@given(st.lists(st.sampled_from(["NASA", "Dr.", "王", "a", "river", "…", "?"]), min_size=1, max_size=12), st.data())
def test_whatever_was_said_no_word_is_lost_or_doubled(words: list[str], data: st.DataObject) -> None:
    text = " ".join(words)
    said = say(text, WORDS).text
    cuts = sorted(data.draw(st.sets(st.integers(0, len(said)))))
    spoken = [part for part in (said[a:b] for a, b in zip([0, *cuts], [*cuts, len(said)], strict=True)) if part.strip()]
    assert "".join("".join(written_pieces(text, WORDS, spoken)).split()) == "".join(text.split())


@pytest.mark.parametrize("speed", [1.0, 1.25])
def test_each_row_is_where_its_piece_is_heard(speed: float) -> None:
    parts = [(speech(0.8, 1), 500), (speech(1.2, 2), 0)]
    samples, spans = joined(parts, 250, RATE)
    heard = np.flatnonzero(np.abs(samples) > 1e-3)
    gap = int(np.argmax(np.diff(heard)))
    assert spans[0][1] == pytest.approx(1000 * heard[gap] / RATE, abs=15)
    assert spans[1][0] == pytest.approx(1000 * heard[gap + 1] / RATE, abs=15)
    begins = 1000 * span(samples)[0] // RATE
    pieces = tuple(SpokenPiece(text, *times) for text, times in zip(("One.", "Two."), spans, strict=True))
    length = round((spans[1][1] - begins) / speed)
    cue = Cue("c", "One. [pause 0.5s] Two.", 0, 9000, "Ann")
    rows = rows_of(cue, 7000, 7000 + length, speed, Heard(pieces, begins), {})
    second = 7000 + round((spans[1][0] - begins) / speed)
    assert [(row[2], row[3]) for row in rows] == [("One.", "Ann"), ("Two.", "Ann")]
    assert rows[0][0] == 7000 and rows[0][1] <= second == rows[1][0] and rows[1][1] == 7000 + length
    other = Cue("c", "Something else. Two.", 0, 9000)
    assert rows_of(other, 1, 2, speed, Heard(pieces, begins), {}) == [(1, 2, "Something else. Two.", "")]

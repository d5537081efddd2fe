"""The arithmetic of words: every count is compared with what was done to the sentence, or with another algorithm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("jiwer", reason="needs the extra evaluate (or dev)")
pytest.importorskip("whisper_normalizer", reason="needs the extra evaluate (or dev)")

from voxcpm.evaluation.wording import TextNormaliser, Wording, align

WORDS = st.sampled_from(["a", "b", "c", "dog", "ran"])
DISTINCT = st.lists(st.integers(0, 99).map(lambda n: f"w{n}"), min_size=2, max_size=12, unique=True)


def distance(one: list[str], other: list[str]) -> int:
    """Levenshtein's distance by the textbook."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1]


@given(st.lists(WORDS, min_size=1, max_size=10), st.lists(WORDS, max_size=14))
def test_all_errors_together_are_the_edit_distance(said: list[str], heard: list[str]) -> None:
    found = align(said, heard)
    assert found.errors == distance(said, heard)
    assert found.error_rate == found.errors / len(said)
    assert found.words + found.repeated + found.added - found.missing == len(heard)
    assert min(found.substituted, found.missing, found.repeated, found.added) >= 0


@given(DISTINCT, st.data())
def test_words_left_out_are_missing(said: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(said) - 1))
    end = data.draw(st.integers(start + 1, len(said)))
    assert align(said, said[:start] + said[end:]) == Wording(len(said), 0, end - start, 0, 0)


@given(DISTINCT, st.data(), st.integers(1, 3))
def test_words_said_again_are_repeated(said: list[str], data: st.DataObject, times: int) -> None:
    start = data.draw(st.integers(0, len(said) - 1))
    end = data.draw(st.integers(start + 1, len(said)))
    heard = said[:end] + said[start:end] * times + said[end:]
    assert align(said, heard) == Wording(len(said), 0, 0, times * (end - start), 0)


@given(DISTINCT, st.data())
def test_foreign_words_are_added(said: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(said)))
    count = data.draw(st.integers(1, 4))
    heard = said[:place] + [f"x{n}" for n in range(count)] + said[place:]
    assert align(said, heard) == Wording(len(said), 0, 0, 0, count)


@given(DISTINCT, st.data())
def test_wrong_words_are_substituted(said: list[str], data: st.DataObject) -> None:
    wrong = data.draw(st.sets(st.integers(0, len(said) - 1)))
    heard = [f"x{n}" if n in wrong else word for n, word in enumerate(said)]
    assert align(said, heard) == Wording(len(said), len(wrong), 0, 0, 0)


def test_a_doubled_word_of_the_text_is_no_mistake() -> None:
    said = ["it", "was", "very", "very", "good"]
    assert align(said, said) == Wording(5, 0, 0, 0, 0)
    assert align(said, ["so", "it", "was", "very", "very", "good"]) == Wording(5, 0, 0, 0, 1)
    assert align(said, ["it", "was", "very", "very", "very", "good"]) == Wording(5, 0, 0, 1, 0)


def test_nothing_to_compare_with_is_refused() -> None:
    with pytest.raises(ValueError, match="no word"):
        align([], ["a"])


def test_both_sides_come_to_one_spelling() -> None:
    english = TextNormaliser()
    assert english.words("I won't pay twenty dollars!") == english.words("i will not pay $20")
    assert english.words("Uh, the COLOUR.") == english.words("the color")
    assert english.words("...") == english.words(". . . .") == []
    assert TextNormaliser("zh").words("你好，世界") == ["你", "好", "世", "界"]

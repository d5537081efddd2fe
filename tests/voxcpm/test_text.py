"""What can be spoken, folding, and sentences."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.conftest import parity_dir
from voxcpm.errors import RequestError
from voxcpm.text import check_speakable, fold_text, is_speakable, joint, split_sentences

MANIFESTS = sorted((parity_dir() / "vectors").glob("*/manifest.json"))


@pytest.mark.parametrize("path", MANIFESTS, ids=[path.parent.name for path in MANIFESTS])
def test_folding_as_recorded(path):
    core = json.loads(path.read_text(encoding="utf-8"))["core"]
    assert fold_text(core["text"]) == core["text_seen_by_model"]


def test_there_are_recorded_foldings():
    assert MANIFESTS


@given(st.text())
def test_folding_twice_is_folding_once_and_keeps_every_word(text):
    folded = fold_text(text)
    assert fold_text(folded) == folded
    assert folded.split() == text.split()
    assert not re.search(r"[\n\t\r]|\s\s", folded)


# OPEN-03
@pytest.mark.parametrize(
    "text",
    [
        None, 123, 1.5, True, b"hello", ["a"], "", "   ", " \t\n", "\u3000", "🎉🎉", "1️⃣", "👨‍👩‍👧", "（）",
        "...", "……。", "—", "!?",
        "```\nprint(1)\n```", "```python\nx = 1\n```\n", "~~~\ncode\n~~~", "```never ended",
        "![alt text](http://x.y/z.png)",
        "![alt][ref]", "<br>", "<!-- note -->", "<img src='a.png'>", "\u200b", "\ufeff", "\u3164",
    ],
)  # fmt: skip
@pytest.mark.parametrize("field", ["text", "transcript"])
def test_nothing_to_say_is_refused_and_the_field_named(text, field):
    with pytest.raises(RequestError) as caught:
        check_speakable(text, field)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{field}: ")
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "text",
    [
        "123", "a", "é", "你好", "½", "x" * 10_000, "run ```ls``` now", "see ![a](b) here", "`word`",
        "Is 3 < 5 and 7 > 2?",
        "<b>hi</b>", "#1 hit", "hi 🎉", "こんにちは", "안녕", "Привет", "مرحبا", "a\tb\nc\r\nd", "{ni3}",
        "(happy)", "[laughing] ha",
    ],
)  # fmt: skip
def test_what_can_be_said_passes(text):
    check_speakable(text)
    assert is_speakable(text)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("a\0b", "U+0000"),
        ("a\x07b", "U+0007"),
        ("a\x1bb", "U+001B"),
        ("a\x90b", "U+0090"),
        ("a\ud83db", "U+D83D"),
        ("Hello<|audio_start|>world", "audio_start"),
        ("Hello<|ref_audio_end|>", "ref_audio_end"),
        ("a</s>", "</s>"),
    ],
)
def test_what_no_voice_can_say_is_refused_with_the_reason(text, word):
    with pytest.raises(RequestError, match=re.escape(word)):
        check_speakable(text)


def test_special_tokens_of_a_model_can_be_added():
    check_speakable("a <|im_end|> b")
    with pytest.raises(RequestError, match="im_end"):
        check_speakable("a <|im_end|> b", reserved={"<|im_end|>"})


@given(st.text())
def test_checking_never_fails_in_another_way(text):
    try:
        check_speakable(text)
    except RequestError as error:
        assert error.field == "text"
    else:
        assert any(char.isalnum() for char in text)


# Sentences


def test_sentences_of_english_and_chinese():
    english = "Dr. Smith paid $3.50 for it. Was that much? He did not mind!"
    assert split_sentences(english) == ["Dr. Smith paid $3.50 for it.", "Was that much?", "He did not mind!"]
    chinese = "你好！今天天气怎么样？我们走吧。"
    assert split_sentences(chinese) == ["你好！", "今天天气怎么样？", "我们走吧。"]


def test_long_sentence_is_cut_at_clauses_then_words_then_anywhere():
    clauses = "the first part goes here, and the second part follows it, then comes the third"
    pieces = split_sentences(clauses, 40)
    assert pieces[0] == "the first part goes here,"
    words = split_sentences("word " * 40, 24)
    assert words == ["word word word word word"] * 8
    assert [len(piece) for piece in split_sentences("x" * 100, 30)] == [30, 30, 30, 10]
    zh = split_sentences("今天天气很好，我们一起去公园玩，然后回家吃饭", 12)
    assert zh[0] == "今天天气很好，"


def test_accents_and_joined_emoji_are_not_cut_apart():
    assert split_sentences("e\u0301" * 20, 7) == ["e\u0301" * 3] * 6 + ["e\u0301" * 2]
    family = "👨\u200d👩\u200d👧"
    assert "".join(split_sentences("ab" + family, 4)) == "ab" + family
    assert not split_sentences("ab" + family, 4)[1].startswith("\u200d")


def test_pieces_that_say_nothing_join_their_neighbour():
    assert split_sentences("Wait. ... !!! Go on.", 60) == ["Wait. ... !!!", "Go on."]


def test_short_pieces_are_joined_on_request():
    text = "Yes. No. Well, that depends on it."
    assert split_sentences(text, 60) == ["Yes.", "No.", "Well, that depends on it."]
    assert split_sentences(text, 60, min_chars=5) == ["Yes. No.", "Well, that depends on it."]
    assert split_sentences(text, 60, min_chars=20) == [text]
    assert split_sentences(text, 30, min_chars=20) == ["Yes. No.", "Well, that depends on it."]


@pytest.mark.parametrize("most", [0, -5])
def test_no_room_is_refused(most):
    with pytest.raises(RequestError) as caught:
        split_sentences("a", most)
    assert caught.value.field == "max_chars"


WORDS = st.text(
    alphabet=st.sampled_from("abcXYZ你好世界今天。！？，、；.!?,;:\"'“”()（） \n\t—…0123456789-🎉é\u0301\u200d"),
    max_size=300,
)


@settings(deadline=None, max_examples=200)
@given(WORDS | st.text(max_size=200), st.integers(1, 80), st.integers(0, 30))
@example("a" * 200, 1, 0)
def test_nothing_is_lost_and_no_piece_too_long(text, most, least):
    pieces = split_sentences(text, most, min_chars=least)
    assert re.sub(r"\s", "", "".join(pieces)) == re.sub(r"\s", "", text)
    assert all(0 < len(piece) <= most for piece in pieces)
    assert all(piece == piece.strip() for piece in pieces)


@settings(deadline=None)
@given(st.lists(st.sampled_from(["Hello there.", "你好！", "How are you?", "今天很好。"]), min_size=1, max_size=12))
def test_joint_gives_the_text_back(sentences):
    text = sentences[0]
    for sentence in sentences[1:]:
        text += joint(text) + sentence
    pieces = split_sentences(text, 60)
    again = pieces[0]
    for piece in pieces[1:]:
        again += joint(again) + piece
    assert again == text


def test_a_long_text_without_a_full_stop_takes_bounded_time():
    pieces = split_sentences("word and " * 20_000, 100)
    assert sum(len(piece.split()) for piece in pieces) == 40_000


def test_importing_loads_neither_torch_nor_the_grammars():
    code = (
        "import sys, voxcpm.text, voxcpm.audio\n"
        "print(sorted({'torch', 'wetext', 'kaldifst', 'transformers', 'PySide6'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "[]"

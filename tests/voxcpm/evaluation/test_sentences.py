"""Files of sentences and descriptions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxcpm.errors import RequestError
from voxcpm.evaluation.sentences import Sentence, in_report_order, read_descriptions, read_sentences

LETTERS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Zl")), min_size=1, max_size=20)


def write(folder: Path, text: str, name: str = "set.txt") -> Path:
    file = folder / name
    file.write_bytes(text.encode())
    return file


def test_sentences_are_read_in_order(tmp_path: Path) -> None:
    text = "\ufeff# about\n\nplain\tHello there.\r\nfast\tRun!\tspeaking quickly\nodd\tLast."
    assert read_sentences(write(tmp_path, text)) == (
        Sentence(1, "plain", "Hello there."),
        Sentence(2, "fast", "Run!", "speaking quickly"),
        Sentence(3, "odd", "Last."),
    )
    assert in_report_order({"odd", "fast", "plain", "extra"}) == ["plain", "fast", "extra", "odd"]


@given(st.lists(LETTERS.map(lambda text: f"A {text}."), min_size=1, max_size=5, unique_by=str.strip))
def test_any_speakable_text_comes_back(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    file = write(tmp_path_factory.mktemp("set"), "".join(f"plain\t{text}\n" for text in texts))
    assert [s.text for s in read_sentences(file)] == [text.strip() for text in texts]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("plain Hello.", "line 1: must be category<TAB>sentence"),
        ("plain\tOne.\nplain\t \n", "line 2"),
        ("plain\t...", "line 1"),
        ("two words\tHello.", "line 1: 'two words' is no category"),
        ("plain\tOne.\n\nnames\tOne.", "line 3: says the same as line 1"),
        ("plain\ta\tb\tc", "line 1"),
        ("# nothing\n", "no sentence"),
    ],
)
def test_bad_sentences_are_told_with_their_line(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(RequestError, match=problem) as caught:
        read_sentences(write(tmp_path, text))
    assert caught.value.field == "sentences"


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "set.txt").write_bytes(b"plain\t\xff\xfe")
    for file in (tmp_path / "set.txt", tmp_path / "nowhere.txt"):
        with pytest.raises(RequestError, match=r"UTF-8|cannot be read"):
            read_sentences(file)


def test_descriptions_as_a_table_and_as_json_lines(tmp_path: Path) -> None:
    table = read_descriptions(write(tmp_path, "an old man\trms\n"))
    lines = read_descriptions(
        write(tmp_path, '{"description": "an old man", "voice": "rms", "pace": "slow"}\n', "d.jsonl")
    )
    assert table == lines and (table[0].description, table[0].voice) == ("an old man", "rms")
    for bad in ("an old man", '{"description": "x"}', "[1]", '"x"'):
        for name in ("d.txt", "d.jsonl"):
            with pytest.raises(RequestError, match="line 1"):
                read_descriptions(write(tmp_path, bad, name))

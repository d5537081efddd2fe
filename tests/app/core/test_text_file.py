"""Text from files and pipes, as people have it."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.text_file import BatchLine, TextFileError, decode_text, read_lines, read_table

TEXT = "Grüße, 你好 🎉"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
    ],
)
def test_every_unicode_form_reads_the_same(data: bytes) -> None:
    assert decode_text(data, "it") == TEXT


def test_invalid_bytes_are_refused_with_their_place() -> None:
    with pytest.raises(TextFileError, match=r"story\.txt is not UTF-8 text: byte 0xff at position 6 \(line 2\)"):
        decode_text(b"Hello\n\xff\n", "story.txt")


def test_utf16_cut_in_half_is_refused() -> None:
    with pytest.raises(TextFileError, match="is not UTF-16"):
        decode_text(codecs.BOM_UTF16_LE + "ab".encode("utf-16-le")[:-1], "it")


def test_a_binary_file_is_refused() -> None:
    with pytest.raises(TextFileError, match="NUL character at position 4"):
        decode_text(b"RIFF\0\0", "it")


@given(st.binary(max_size=60))
def test_any_bytes_give_text_or_a_refusal(data: bytes) -> None:
    try:
        text = decode_text(data, "it")
    except TextFileError as error:
        assert "position" in str(error)
    else:
        assert "\r" not in text and "\0" not in text


def test_lines_keep_their_numbers() -> None:
    assert read_lines(b"one\r\n\r\n  two \n", "it") == [BatchLine(1, "one"), BatchLine(3, "two")]
    with pytest.raises(TextFileError, match="no line"):
        read_lines(b" \n\n", "it")


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_table(mark: str) -> None:
    table = mark.join(["seed", "Text", "out"]) + "\n" + mark.join(["7", '"a line, with\nall; of\tthem"', "x.wav"])
    table += "\n\n" + mark.join(["", "last", ""]) + "\n"
    assert read_table(table.encode(), "it") == [
        BatchLine(2, "a line, with\nall; of\tthem", "", 7, "x.wav"),
        BatchLine(5, "last"),
    ]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("line,seed\na,1\n", "must name the columns"),
        ("text,speed\na,1\n", "must name the columns"),
        ("text,text\na,b\n", "must name the columns"),
        ("text,seed\na,x\n", "line 2: the seed 'x'"),
        ("text,seed\na,-1\n", "line 2: the seed '-1'"),
        ("text,seed\n,1\n", "line 2: the text is empty"),
        ("text,seed\none, two, three\n", "line 2: 3 cells"),
        ("text\n", "no row"),
        ('text\n"open\n', "line 2"),
        ("", "no row"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_with_the_line(table: str, message: str) -> None:
    with pytest.raises(TextFileError, match=message):
        read_table(table.encode(), "it")


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1), max_size=4))
def test_what_csv_writers_write_is_read_back(texts: list[str]) -> None:
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["text", "seed"])
    writer.writerows([text, "1"] for text in texts)
    expected = [text.replace("\r\n", "\n").replace("\r", "\n").strip() for text in texts]
    if not texts or not all(expected):
        with pytest.raises(TextFileError):
            read_table(out.getvalue().encode(), "it")
    else:
        assert [line.text for line in read_table(out.getvalue().encode(), "it")] == expected

"""Subtitles, scripts and tables as people have them: broken, in any encoding, and never a crash."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.dubbing.cues import DUBBING
from app.core.dubbing.decoding import LARGEST
from app.core.dubbing.imported import ImportRefusedError
from app.core.dubbing.reading import read_cues
from app.core.dubbing.subtitles import _tidy, write_subtitles

FIXTURES = Path(__file__).parents[2] / "fixtures" / "dubbing"
SRT = """1
00:00:01,000 --> 00:00:02,500
Hello <i>there</i>, my friend!

2
00:00:02,000 --> 00:00:04,000
42

3
00:00:05,000 -->
No end here &amp; more

glued text
4
00:00:04,500 --> 00:00:03,000
Backwards

5
00:00:xx,500 --> 00:00:08,000
A damaged time

6
00:00:08,500 --> 00:00:09,000

7
00:00:09.5 -> 00:00:10.000
...
"""


def codes(data: bytes, name: str = "a.srt") -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for remark in read_cues(data, name).remarks:
        found.setdefault(remark.code, []).append(remark.line)
    return found


def texts(data: bytes, name: str = "a.srt") -> list[str]:
    return [cue.text for cue in read_cues(data, name).cues]


def test_every_repair_is_told_with_its_line() -> None:
    cues = read_cues(SRT.encode(), "a.srt").cues
    assert [(cue.start, cue.end, cue.text) for cue in cues] == [
        (1000, 2500, "Hello there, my friend!"),
        (2000, 4000, "42"),
        (4500, 5000, "Backwards"),
        (5000, 6885, "No end here & more glued text"),
        (5000, 8000, "A damaged time"),
    ]
    assert codes(SRT.encode()) == {
        "tags": [2], "overlap": [2], "no_end": [10], "ends_early": [15], "glued": [13], "order": [15],
        "bad_time": [19], "no_start": [19], "empty": [23], "nothing_to_say": [26],
    }  # fmt: skip
    said = [str(remark) for remark in read_cues(SRT.encode(), "a.srt").remarks]
    assert {"line 2: It overlaps the next cue by 0.50 s.", "line 10: It has no end; it was given 1.9 s."} <= {*said}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_line_ends_and_marks_change_nothing(end: str, encoding: str) -> None:
    assert texts(SRT.replace("\n", end).encode(encoding)) == texts(SRT.encode())


FRENCH = (
    "Longtemps, je me suis couché de bonne heure. Parfois, à peine ma bougie éteinte, mes yeux se fermaient si vite "
    "que je n’avais pas le temps de me dire : « Je m’endors. » Et, une demi-heure après, la pensée qu’il était temps "
    "de chercher le sommeil m’éveillait ; je voulais poser le volume que je croyais avoir encore dans les mains."
)


@pytest.mark.parametrize(("encoding", "text"), [("gb18030", "学而时习之，不亦说乎？有朋自远方来"), ("cp1252", FRENCH)])
def test_other_encodings_are_guessed_and_told(encoding: str, text: str) -> None:
    data = f"1\n00:00:01,000 --> 00:00:04,000\n{text}\n".encode(encoding)
    assert texts(data) == [text]
    assert "encoding" in codes(data)


def test_vtt_with_voices_notes_and_settings() -> None:
    data = (
        "WEBVTT - a title\n\nNOTE nobody\nhears this\n\nintro\n00:01.000 --> 00:02.000 align:start line:0\n"
        "<v.loud Alice>Hi <c.x>you</c></v>\n\nNOTE again\n\n01:00:03.000 --> 01:00:04.000\n10\n"
    )
    cues = read_cues(data.encode(), "a.vtt").cues
    assert [(cue.start, cue.end, cue.character, cue.text) for cue in cues] == [
        (1000, 2000, "Alice", "Hi you"),
        (3_603_000, 3_604_000, "", "10"),
    ]
    assert codes(data.encode(), "a.vtt") == {"before": [3], "block": [10]}


def test_ass_with_names_styles_comments_and_drawings() -> None:
    data = (
        "[Script Info]\nScriptType: v4.00+\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n[Events]\n"
        "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
        "Dialogue: 0,0:00:01.00,0:00:02.00,Alice,,0,0,0,,{\\i1}Hello{\\i0}\\Nyou\n"
        "Comment: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,no\n"
        "Dialogue: 0,0:00:03.50,0:00:04.00,Default,Queen,0,0,0,,Off, with her head\n"
        "Dialogue: 0,broken\n"
        "Dialogue: 0,0:00:05.50,0:00:06.00,Default,Queen,0,0,0,,{\\p1}m 0 0 l 1 1{\\p0}\n"
    )
    cues = read_cues(data.encode(), "a.ass").cues
    assert [(cue.character, cue.text) for cue in cues] == [("Alice", "Hello you"), ("Queen", "Off, with her head")]
    assert codes(data.encode(), "a.ass") == {"tags": [8], "comment": [9], "unreadable": [11], "drawing": [12]}


def test_a_script_has_characters_and_a_long_text_chapters() -> None:
    script = "MACBETH: So foul and fair a day\nI have not seen.\n\nBANQUO：How far is't call'd to Forres?\n"
    cues = read_cues(script.encode(), "a.txt").cues
    assert [(cue.character, cue.text, cue.before) for cue in cues] == [
        ("MACBETH", "So foul and fair a day I have not seen.", ""),
        ("BANQUO", "How far is't call'd to Forres?", "paragraph"),
    ]
    text = "CHAPTER I\n\nIt was the best of times,\nit was the worst of times.\n\nA second.\n\n"
    text += "第二章 再来\n春眠\n不觉晓。\n"
    cues = read_cues(text.encode(), "a.txt").cues
    assert [(cue.text, cue.before) for cue in cues] == [
        ("CHAPTER I", ""),
        ("It was the best of times, it was the worst of times.", "paragraph"),
        ("A second.", "paragraph"),
        ("第二章 再来", "chapter"),
        ("春眠不觉晓。", "paragraph"),
    ]


def test_a_table_with_times_and_a_bad_one() -> None:
    data = 'Start;End;Name;Text\n1,5;0:02;A;"x; y"\nsoon;4;B;z\n'
    cues = read_cues(data.encode(), "a.csv").cues
    assert [(cue.start, cue.end, cue.character, cue.text) for cue in cues] == [
        (1500, 2000, "A", "x; y"), (1500, 4000, "B", "z"),
    ]  # fmt: skip
    assert codes(data.encode(), "a.csv") == {"bad_time": [3], "no_start": [3]}


@pytest.mark.parametrize("data", [b"", b"\n \n", b"1\n00:00:01,000 --> 00:00:02,000\n...\n", b"x" * (LARGEST + 1),
                                  b"\x00\x01\x02\xff" * 50])  # fmt: skip
def test_what_holds_nothing_is_refused(data: bytes) -> None:
    with pytest.raises(ImportRefusedError):
        read_cues(data, "a.srt")


LINES = st.sampled_from([
    "1", "", "WEBVTT", "NOTE x", "00:00:01,000 --> 00:00:02,000", "00:01 -> 0:2", "--> 00:00:05,000", "Hello",
    "你好，世界",
    "<v Bob>hi", "{\\p1}m 0 0", "[Events]", "Format: Start, Text", "Dialogue: 0,0:00:01.00,0:00:02.00,X,,0,0,0,,hey",
    "Dialogue: ,", "ALICE: hi", "a,b\"c", "text,start", "99:99:99,999 --> 100:00:00,000", "CHAPTER 1",
    "\ufeff", "& < > {",
])  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=300),
        st.lists(st.one_of(LINES, st.text(max_size=20)), max_size=25).map(
            lambda ls: "\n".join(ls).encode("utf-8", "replace")
        ),
    ),
    st.sampled_from(["a.srt", "a.vtt", "a.ass", "a.csv", "a.txt"]),
    st.sampled_from(["auto", "srt", "vtt", "ass", "script", "text", "csv"]),
)
def test_nothing_breaks_the_reader_and_a_project_holds_what_it_gives(data: bytes, name: str, form) -> None:
    try:
        imported = read_cues(data, name, form)
    except ImportRefusedError as error:
        assert str(error)
        return
    order = [cue.cue_id for cue in imported.cues]
    plain = {cue.cue_id: cue.to_plain() for cue in imported.cues}
    DUBBING.check({"cues": plain, "order": order, "cast": {}, "words": {}, "sound": None})
    starts = [cue.start for cue in imported.cues if cue.start is not None]
    assert starts == sorted(starts)
    assert all(0 <= remark.line <= data.count(b"\n") + data.count(b"\r") + 1 for remark in imported.remarks)


WORDS = st.text(st.characters(categories=["Lu", "Ll", "Lo", "Nd"], max_codepoint=0x9FFF), min_size=1, max_size=8)
ROW = st.tuples(st.integers(0, 10_000), st.integers(1, 400), st.lists(WORDS, min_size=1, max_size=4))
CUES = st.lists(ROW, min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(CUES, st.sampled_from(["srt", "vtt", "ass"]))
def test_what_is_written_is_read_back(cues, kind) -> None:
    """Times in hundredths of a second, which is all that ASS has."""
    rows, now = [], 0
    for gap, length, words in cues:
        text = " ".join(["a", *words])  # a number alone stands for the number of a cue
        rows.append((now + 10 * gap, now + 10 * (gap + length), text, "Bob" if kind != "srt" else ""))
        now = rows[-1][1]
    found = read_cues(write_subtitles(rows, kind).encode(), f"a.{kind}").cues
    assert [(cue.start, cue.end, cue.text, cue.character) for cue in found] == [
        (start, end, _tidy(text), who) for start, end, text, who in rows
    ]


HAMLET = {"Bernardo", "Francisco", "Horatio", "Marcellus", "Claudius", "Hamlet", "Gertrude", "Ophelia"}


@pytest.mark.parametrize(("name", "characters"), [("alice.srt", {""}), ("lunyu.vtt", {""}), ("hamlet.ass", HAMLET)])
def test_the_three_files_are_read_whole(name: str, characters: set[str]) -> None:
    imported = read_cues((FIXTURES / name).read_bytes(), name)
    assert len(imported.cues) > 300 and {cue.character for cue in imported.cues} == characters
    told = {remark.code for remark in imported.remarks}
    assert told == ({"tags", "overlap"} if name.endswith(".ass") else set())
    assert sum(path.stat().st_size for path in FIXTURES.iterdir() if path.is_file()) < 120_000


def test_the_files_are_what_their_script_writes() -> None:
    from tests.fixtures.dubbing import make

    for name, write in (("alice.srt", make.srt), ("lunyu.vtt", make.vtt), ("hamlet.ass", make.ass)):
        assert (FIXTURES / name).read_text("utf-8") == write()

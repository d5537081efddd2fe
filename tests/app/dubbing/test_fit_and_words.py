"""What fits its slot, what is said of the rest, pauses, pronunciation and names of files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.dubbing.cues import Cue, CueTake, Dub
from app.core.dubbing.fit import GAP_MS, FitRules, best_take, meetings, place, slots
from app.core.dubbing.naming import FIELDS, TemplateError, check_template, file_for
from app.core.dubbing.pauses import PARAGRAPH_MS, SENTENCE_MS, Part, parts_of, without_pauses
from app.core.dubbing.words import say


def dub_of(*rows: tuple[int | None, int | None, int, str], before: str = "") -> Dub:
    cues = []
    for number, (start, end, speech, text) in enumerate(rows):
        take = CueTake(f"take {number}", "", speech)
        cues.append(
            Cue(f"cue {number}", text, start, end, takes=(take,), chosen=take.take, before=before if number else "")
        )
    return Dub(tuple(cues))


def test_the_take_that_fills_its_slot_best_is_chosen() -> None:
    takes = [CueTake(name, "", ms) for name, ms in (("a", 900), ("b", 1400), ("c", 1700))]
    assert best_take(takes, 1500).take == "b"
    assert best_take(takes, 800).take == "a"
    assert best_take(takes, None).take == "a"


def test_what_is_too_long_is_stretched_up_to_a_quarter_and_then_flagged_with_a_hint() -> None:
    dub = dub_of(
        (0, 1000, 900, "short"), (1000, 2000, 1200, "x" * 60), (2000, 3000, 2000, "y" * 60), (5000, 6000, 1300, "z")
    )
    fits, faster, gap, last = place(dub, FitRules())
    assert (fits.speed, fits.flags, fits.too_many) == (1.0, (), 0)
    assert faster.speed == pytest.approx(1.2) and faster.flags == ("stretched",) and faster.too_many == 10
    assert gap.speed == 1.0 and gap.flags == ("uses_gap",)  # nothing follows until 5 s
    assert last.speed == 1.25 and last.flags == ("stretched", "too_long") and last.end == 6040
    crowded = dub_of((0, 1000, 2000, "y" * 60), (1100, 2000, 500, "x"))
    first, second = place(crowded, FitRules())
    assert first.flags == ("stretched", "too_long", "overlap") and first.too_many == 29
    assert [meeting.gap_ms for meeting in meetings([first, second])] == [-500]
    assert place(crowded, FitRules(most_stretch=1.0))[0].speed == 1.0
    with pytest.raises(ValueError, match="not by 1"):
        FitRules(most_stretch=1.3)


@given(st.integers(200, 5000), st.integers(100, 4900))
def test_what_was_made_faster_to_fit_fits_to_the_millisecond(slot: int, more: int) -> None:
    speech = slot + min(more, slot // 4)
    one, other = place(dub_of((0, slot, speech, "a"), (slot + GAP_MS, 9000, 500, "b")), FitRules(ripple=True))
    assert one.speed == 1.0 or (one.end <= slot and other.start == slot + GAP_MS)


def test_fill_slows_down_and_ripple_moves_what_follows() -> None:
    (slow,) = place(dub_of((0, 1000, 900, "a")), FitRules(fill=True))
    assert slow.speed == pytest.approx(0.9) and slow.flags == ("stretched",)
    (slowest,) = place(dub_of((0, 2000, 900, "a")), FitRules(fill=True))
    assert slowest.speed == pytest.approx(0.8)
    dub = dub_of((0, 1000, 2500, "a"), (1100, 2000, 800, "b"), (9000, 9500, 300, "c"))
    first, moved, still = place(dub, FitRules(ripple=True))
    assert first.end == 2000 and moved.start == 2000 + GAP_MS and "moved" in moved.flags
    assert still.start == 9000 and "moved" not in still.flags


def test_speakers_who_overlap_in_the_script_keep_their_slots_and_are_not_flagged() -> None:
    dub = dub_of((0, 2000, 1900, "a"), (1500, 3000, 1400, "b"))
    assert slots(dub.cues) == {"cue 0": 2000, "cue 1": 1500}
    assert [one.flags for one in place(dub, FitRules())] == [(), ()]


def test_a_text_without_times_is_laid_in_a_row_with_its_pauses() -> None:
    dub = dub_of((None, None, 1000, "One."), (None, None, 2000, "Two."), before="paragraph")
    assert [(one.start, one.end) for one in place(dub, FitRules())] == [
        (0, 1000),
        (1000 + PARAGRAPH_MS, 3000 + PARAGRAPH_MS),
    ]
    dub = dub_of((None, None, 1000, "One.”"), (None, None, 2000, "Two."))
    assert place(dub, FitRules())[1].start == 1000 + SENTENCE_MS


def test_pauses_are_taken_out_of_the_text_and_added_up() -> None:
    text = "[pause 1s] Hello [pause 0.5s] you [PAUSE 200ms] [pause 2]!"
    assert parts_of(text) == (1000, [Part("Hello", 500), Part("you", 2200)])
    assert without_pauses("No [pause 1s] way") == "No way"
    assert parts_of("[pause 999s] a")[0] == 60_000
    assert parts_of("[pause] stays") == (0, [Part("[pause] stays")])


@given(st.text(max_size=60))
def test_no_text_breaks_pauses_and_no_word_is_lost(text: str) -> None:
    _, parts = parts_of(text)
    said = "".join("".join(part.text for part in parts).split())
    wanted = "".join("".join(piece for piece in [text] if any(c.isalnum() for c in piece)).split())
    assert said == wanted or "pause" in text.lower()


def test_the_dictionary_changes_whole_words_and_says_where() -> None:
    spoken = say("The NASA car {NASA} nasal 重庆 行长", {"nasa": "nassa", "重庆": "{chong2}庆", "car": "car"})
    assert spoken.text == "The nassa car {NASA} nasal {chong2}庆 行长"
    assert [(change.start, change.written, change.said) for change in spoken.changes] == [
        (4, "NASA", "nassa"), (26, "重庆", "{chong2}庆"),
    ]  # fmt: skip
    assert say("New York", {"new": "old", "new york": "NY", "york": "x"}).text == "NY"
    assert say("a b", {"a": "b", "b": "c"}).text == "b c"  # what was put in is not looked at again


@given(st.text(max_size=40), st.dictionaries(st.text(min_size=1, max_size=5), st.text(max_size=5), max_size=4))
def test_changes_told_are_the_changes_made(text: str, words: dict[str, str]) -> None:
    spoken = say(text, words)
    rebuilt, at = "", 0
    for change in spoken.changes:
        assert text[change.start : change.start + len(change.written)] == change.written
        rebuilt += text[at : change.start] + change.said
        at = change.start + len(change.written)
    rest = rebuilt + text[at:]
    assert rest == spoken.text


BAD = [
    "", "{text}", "../{number}", "/abs/{number}", "{number!r}", "{character:>900}", "{number:999}", "a//b",
    "{number.real}", "{cue[0]}", "c:x", "a\\b", "{", "./x",
]  # fmt: skip


@pytest.mark.parametrize("template", BAD)
def test_bad_templates_are_refused(template: str) -> None:
    with pytest.raises(TemplateError):
        check_template(template)


@given(
    st.text(max_size=30),
    st.integers(1, 10**6),
    st.sampled_from(["{number:04}_{character}", "{character}/{start}", "{cue}"]),
)
def test_whatever_a_character_is_called_the_file_stays_in_its_folder(name: str, number: int, template: str) -> None:
    folder = Path("/somewhere/out")
    values = dict.fromkeys(FIELDS, name) | {"number": number}
    path = file_for(folder, template, values, ".wav")
    assert path.is_relative_to(folder) and path.name.endswith(".wav")
    assert all(part not in ("..", ".") and len(part) < 200 for part in path.relative_to(folder).parts)

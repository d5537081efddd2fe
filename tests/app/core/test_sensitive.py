"""Sensitive text: what the lists find, how they are written, whose own lines count, and what is kept of a decision."""

import string
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import sensitive_lists
from app.core.library import Library
from app.core.sensitive import CATEGORIES, MOST_LINES, ListError, compile_lists
from app.core.sensitive_lists import lists_in_force, own_file, read_own, shipped_list, write_own
from app.core.sensitive_review import ReasonError, decide, findings_of
from tests.sensitive_report import LEAST_RECALL, MOST_FALSE, read_half, score, shipped

PIECES = [*"ab 1%&|*!-@<n>#[]\n", "账户", "转", "[payment]", "@x: a | b", "@x", "<name>", "Pay", "。", "\u200b"]


@pytest.fixture(autouse=True)
def own_settings(tmp_path, monkeypatch):
    """No test reads or writes the lists of whoever runs it."""
    monkeypatch.setattr(sensitive_lists, "default_settings_file", lambda: tmp_path / "config" / "settings.json")


def categories(text, *lists):
    return [finding.category for finding in (compile_lists(*lists) if lists else shipped()).find(text)]


def test_the_held_out_half_is_found_and_harmless_lines_are_left_alone():
    total = score(read_half("held_out"), shipped())["all"]
    assert (total.wanted, total.harmless) == (120, 80)
    assert total.recall >= LEAST_RECALL
    assert total.false_alarms <= MOST_FALSE


def test_both_halves_are_balanced_and_share_no_line():
    halves = [read_half(half) for half in ("written_from", "held_out")]
    for lines in halves:
        for lang in ("en", "zh"):
            own = [line for line in lines if line.lang == lang]
            assert sum(line.wanted for line in own) == 60
            assert {line.category for line in own if line.wanted} == set(CATEGORIES)
            assert {line.category.removeprefix("-") for line in own if not line.wanted} == set(CATEGORIES)
    assert not {line.text for line in halves[0]} & {line.text for line in halves[1]}


@pytest.mark.parametrize(
    "text",
    [
        "WIRE the MONEY now",
        "wire — the\nmoney",  # no end of a sentence between them
        "ｗｉｒｅ the ｍｏｎｅｙ",
        "wi\u200bre the mo\u00adney",
        "“Wire” the 'money'!",
    ],
)
def test_case_width_and_signs_hide_nothing(text):
    assert categories(text.replace("\n", " ")) == ["payment"]


def test_both_languages_are_looked_for_in_one_text():
    assert categories("The headlines: 请把验证码念给我。") == ["code", "news"]


def test_parts_must_stand_in_one_sentence():
    assert categories("Send a card. The dollars are green.", "[payment]\nsend & dollar*") == []
    assert categories("Send a card with dollars.", "[payment]\nsend & dollar*") == ["payment"]


def test_a_star_a_number_a_name_and_what_is_passed_over():
    lists = "@who: aunt | uncle\n[payment]\npay* & <n> coins\n[news]\nking <name>\n! king arthur\n[legal]\nsue & @who"
    assert categories("She is paying 12 coins", lists) == ["payment"]
    assert categories("She is paying 1,200 coins", lists) == ["payment"]
    assert categories("She is paying no coins", lists) == []
    assert categories("the king Harald spoke", lists) == ["news"]
    assert categories("King Harald spoke", lists) == ["news"]
    assert categories("the king spoke", lists) == []
    assert categories("I sue my uncle", lists) == ["legal"]
    assert categories("I pursue my uncle", lists) == []
    assert categories("转了12元", "[payment]\n转 & <n>元") == ["payment"]
    assert categories("转了十二元", "[payment]\n转 & <n>元") == ["payment"]


def test_own_lines_add_and_take_away():
    shipped_lines = "[payment]\ngift card*\ninvoice"
    own = "# mine\n[payment]\n- gift card*\npocket money\n! invoice of love"
    assert categories("a gift card", shipped_lines, own) == []
    assert categories("her pocket money", shipped_lines, own) == ["payment"]
    assert categories("the invoice of love", shipped_lines, own) == []
    assert categories("the invoice of rage", shipped_lines, own) == ["payment"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("gift", 1),
        ("[payment]\n\n[cats]", 3),
        ("[payment]\na & ", 2),
        ("[payment]\n@money", 2),
        ("[payment]\n! a & b", 2),
        ("[payment]\n" + "x" * 3000, 2),
        ("\n" * MOST_LINES, MOST_LINES),
    ],
)
def test_a_line_that_cannot_be_understood_is_named(text, line):
    with pytest.raises(ListError) as caught:
        compile_lists(text)
    assert caught.value.line == line


@given(st.lists(st.sampled_from(PIECES)).map("".join), st.text(alphabet=string.printable + "账户转。１\u200b"))
def test_any_list_and_any_text_are_read_or_refused(lists, text):
    try:
        compiled = compile_lists(lists)
    except ListError:
        return
    found = compiled.find(text)
    assert len({one.category for one in found}) == len(found)
    assert all(one.words for one in found)


@given(st.text(alphabet=string.ascii_lowercase + " ", min_size=1))
def test_whatever_stands_around_a_phrase_it_is_found(around):
    assert "payment" in categories(f"{around} gift card {around}", "[payment]\ngift card")


def test_a_long_hostile_text_is_quick():
    lists = shipped()
    begun = time.process_time()
    lists.find("send " * 20_000 + "转" * 20_000)
    assert time.process_time() - begun < 10


def test_own_lines_are_kept_and_count_at_once():
    assert read_own() == ""
    assert not findings_of(["The moon cheese is ripe."])
    write_own("[news]\nmoon cheese\n")
    assert own_file().is_file()
    assert [one.category for one in findings_of(["The moon cheese is ripe."])] == ["news"]
    assert findings_of(["The moon cheese is ripe."], decided={"news"}) == ()
    with pytest.raises(ListError):
        write_own("[moon]\n")
    assert read_own() == "[news]\nmoon cheese\n"


@pytest.mark.parametrize("damaged", [b"[moon]\nx\n", b"\xff\xfe\xfa"])
def test_a_damaged_own_file_never_switches_the_shipped_lists_off(damaged):
    own_file().parent.mkdir(parents=True)
    own_file().write_bytes(damaged)
    assert [one.category for one in lists_in_force().find("Your verification code is 1234.")] == ["code"]


def test_every_shipped_category_has_lines_in_both_languages():
    for lang in ("en", "zh"):
        compiled = compile_lists(shipped_list(lang))
        side = compiled.han if lang == "zh" else compiled.spaced
        assert all(side[category].patterns for category in CATEGORIES)


def test_a_decision_stands_in_the_log_without_text_and_reason(tmp_path: Path):
    text, reason = "Your verification code is 4711, breaking news at ten.", "A scene of a film about fraud"
    with Library(tmp_path / "data", passphrase="words for the test") as library:
        found = findings_of([text])
        assert decide(library.audit, found, f" {reason} ", length=len(text)) == {"code", "news"}
        entries = [entry for entry in library.audit.entries() if entry.event == "sensitive_text"]
        assert [entry.facts["category"] for entry in entries] == ["code", "news"]
        assert {entry.facts["decision"] for entry in entries} == {"allowed"}
        assert {entry.facts["text_length"] for entry in entries} == {len(text)}
        assert [library.audit.reason(entry) for entry in entries] == [reason, reason]
        assert library.audit.verify().state == "intact"
        for bad in ("  ", "x" * 2001):
            with pytest.raises(ReasonError):
                decide(library.audit, found, bad, length=1)
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for secret in (text, reason, "4711"):
        assert secret.encode() not in stored

"""What went wrong is said in the language of the window, with the library's own words in the details."""

import re
from pathlib import Path

import pytest

from app.core.messages import Failure
from app.widgets.failure_text import _SENTENCES, failure_text

SILENT = Failure("The audio is silent; check the microphone.", "reference", code="audio.silent")
CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture
def chinese(studio):
    studio.window.menus.actions["language_zh_CN"].trigger()
    return studio


@pytest.mark.parametrize("code", _SENTENCES)
def test_every_known_failure_has_a_chinese_sentence(chinese, code):
    sentence, details = failure_text(Failure("The library's words.", code=code))
    assert CHINESE.search(sentence)
    assert details == "The library's words."


def test_in_english_and_for_unknown_failures_the_librarys_words_stand_alone(studio):
    assert failure_text(SILENT) == (SILENT.message, "")
    studio.window.menus.actions["language_zh_CN"].trigger()
    for code in ("", "audio.never_heard_of"):
        assert failure_text(Failure("Something odd.", code=code)) == ("Something odd.", "")


def test_audio_failures_that_the_library_raises_are_known():
    reasons = set()
    for path in (Path(__file__).parents[2] / "voxcpm").glob("audio*.py"):
        reasons |= set(re.findall(r"AudioError\(\s*\"(\w+)\"", path.read_text(encoding="utf-8")))
    assert {"too_short", "silent", "empty", "not_audio"} <= reasons
    only_in_programs = {"shape", "not_found", "unreadable", "unwritable"}  # arrays, paths and writing, not the window
    assert {f"audio.{reason}" for reason in reasons - only_in_programs} <= set(_SENTENCES)


def test_a_problem_beside_its_field_follows_the_language_and_unfolds(studio):
    studio.window.rail_button("clone").click()
    problem = studio.compose.clone.drop.problem
    studio.compose.show_problem(SILENT)
    assert problem.text() == SILENT.message
    assert not problem.details_button.isVisible()
    studio.window.menus.actions["language_zh_CN"].trigger()
    studio.qtbot.waitUntil(lambda: bool(CHINESE.search(problem.text())))
    assert problem.details_button.isVisible()
    assert not problem.details.isVisible()
    problem.details_button.click()
    assert problem.details.isVisible()
    assert problem.details.text() == SILENT.message


def test_nothing_to_say_is_told_in_chinese(chinese):
    chinese.generate("……")
    assert CHINESE.search(chinese.compose.text_problem.text())
    assert "nothing to speak" in chinese.compose.text_problem.details.text()


def test_the_notice_keeps_the_librarys_words_in_its_details(chinese):
    chinese.window.notice.show_failure(Failure("config.json lacks a key.", details="Traceback", code="checkpoint"))
    assert CHINESE.search(chinese.window.notice.message)
    details = chinese.window.notice._details.toPlainText()
    assert "config.json lacks a key." in details
    assert "Traceback" in details

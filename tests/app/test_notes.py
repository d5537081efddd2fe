"""What the library notices about audio and plans is said in the language of the window, with its numbers."""

import re
from pathlib import Path

import numpy as np
import pytest

from app.core.messages import Note
from app.engine.voices import note_of
from app.widgets.note_text import _SENTENCES, note_text
from voxcpm.audio import prepare_reference

CHINESE = re.compile(r"[\u4e00-\u9fff]")
RATE = 16000


def voice(seconds, level=0.5):
    at = np.arange(round(seconds * RATE)) / RATE
    return (level * np.sin(2 * np.pi * 220 * at)).astype(np.float32)


def spoilt(samples):
    samples = samples.copy()
    samples[1000:1003] = np.nan
    return samples


SOUNDS = {
    "short": (voice(1), "1.0", "3"),
    "cut": (voice(40), "40.0", "0.00"),
    "quiet": (voice(4, 0.01),),
    "too_loud": (voice(4, 3.0), "3.00"),
    "offset": (voice(4) + np.float32(0.25), "0.25"),
    "not_finite": (spoilt(voice(4)), "3"),
    "clipped": (np.clip(voice(4, 3.0), -1, 1),),
}


@pytest.mark.parametrize("code", SOUNDS)
def test_a_real_finding_is_told_in_both_languages_with_its_numbers(studio, code):
    samples, *numbers = SOUNDS[code]
    found = {finding.code: finding for finding in prepare_reference((samples, RATE), RATE).findings}
    note = note_of(found[code], "reference")
    english = note_text(note)
    assert english.startswith("Reference: ") and all(number in english for number in numbers)
    studio.window.menus.actions["language_zh_CN"].trigger()
    chinese = note_text(note)
    assert CHINESE.search(chinese) and all(number in chinese for number in numbers)
    assert not re.search(r"[A-Za-z]{3}", chinese)


def test_every_code_that_the_library_gives_is_known():
    folder = Path(__file__).parents[2] / "voxcpm"
    codes = set()
    for name in ("audio.py", "audio_file.py", "planning.py"):
        codes |= set(re.findall(r"Finding\(\s*\"(\w+)\"", (folder / name).read_text(encoding="utf-8")))
    assert {"short", "cut", "context_room"} <= codes
    assert codes == set(_SENTENCES)


def test_a_note_that_is_not_known_or_lacks_its_numbers_is_shown_as_it_is(qapp):
    assert note_text(Note("from_the_future", "something new")) == "Something new"
    assert note_text(Note("short", "too short", "prompt")) == "Prompt: too short"


def test_the_plan_strip_shows_notes(studio):
    from dataclasses import replace

    from app.core.messages import Job

    plan = studio.fake.plan(Job(1, "Good evening."))
    note = Note("quiet", "in English", "prompt")
    studio.compose.plan_strip.show_plan(Job(1, "Good evening."), replace(plan, notes=(note,)), 0.0)
    assert note_text(note) in studio.compose.plan_strip.facts_label.text()
    studio.window.menus.actions["language_zh_CN"].trigger()
    studio.qtbot.waitUntil(lambda: note_text(note) in studio.compose.plan_strip.facts_label.text())

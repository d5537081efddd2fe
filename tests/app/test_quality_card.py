"""Every take gets its card in the background; it shows in the card and in the list, and a rating wins."""

import os
from types import SimpleNamespace

import numpy as np
import pytest

from app.core.messages import Consent, VoiceSpec
from app.core.quality import ListenerMissing, WordStep, judge
from app.quality_control import reference_of


class Ears:
    """Hears what it was told, by the seed of the sound."""

    def __init__(self):
        self.steps, self.asked = [], []

    def words(self, text, samples, sample_rate):
        self.asked.append(text)
        return self.steps.pop(0) if self.steps else (WordStep("equal", ("a",), ("a",)),)

    def likeness(self, *_):
        return 0.9, 0.7


def hears_with(studio, ears):
    """Let takes of ``studio`` be measured here, with what ``ears`` hear."""

    def here(text, samples, rate, reference, folder):
        return judge(text, samples, rate, reference=reference, listener=ears)

    studio.window.quality._judge = here
    return ears


@pytest.fixture
def ears(studio):
    studio.settings.set("quality_card", True)
    return hears_with(studio, Ears())


def judged(studio, text="Good evening.", takes=1):
    studio.compose.takes.setValue(takes)
    made = studio.generate(text)
    studio.qtbot.waitUntil(lambda: studio.window.quality.is_idle, timeout=60000)
    return made


def codes(studio, take):
    return {finding.code for finding in studio.window.quality._board.card(take).findings}


def test_a_take_is_judged_and_the_card_says_it(studio, ears):
    ears.steps = [(WordStep("missing", ("train",), ()), WordStep("equal", ("leaves",), ("leaves",)))]
    (take,) = judged(studio, "The train leaves.")
    assert ears.asked == ["The train leaves."]
    assert "missing" in codes(studio, take)
    text = studio.takes_panel.card.text()
    assert "missing: train" in text and "LUFS" in text and "<s>train</s>" in text
    assert "problem" in studio.takes_panel.model.subtitle(take) or "missing" in studio.takes_panel.model.subtitle(take)


def test_the_best_of_a_press_is_named_and_a_rating_wins(studio, ears):
    fine = (WordStep("equal", ("a",), ("a",)),)
    ears.steps = [(WordStep("missing", ("a", "b"), ()),), fine, (WordStep("missing", ("a",), ()),)]
    takes = judged(studio, takes=3)
    subtitle = studio.takes_panel.model.subtitle
    assert ["best of 3" in subtitle(take) for take in takes] == [False, True, False]
    studio.qtbot.waitUntil(lambda: all(take.kept for take in takes))
    studio.takes_panel.select(takes[0])
    studio.takes_panel.marks.rating_changed.emit(takes[0], 5)
    studio.qtbot.waitUntil(lambda: takes[0].marks.rating == 5)
    studio.qtbot.waitUntil(lambda: "best of 3" in subtitle(takes[0]))
    assert "1 of 3" in studio.takes_panel.card.text()


def test_it_waits_until_the_engine_has_nothing_to_do(studio, ears):
    studio.fake.step_delay = 0.01
    seen = []
    ears.words = lambda *_: seen.append(studio.engine.job) or ()
    judged(studio, takes=2)
    assert seen == [None, None]


def test_it_can_be_switched_off(studio, ears):
    studio.settings.set("quality_card", False)
    (take,) = judged(studio)
    assert studio.window.quality._board.card(take) is None and ears.asked == []
    studio.settings.set("quality_card", True)
    studio.takes_panel.unselect()
    studio.takes_panel.select(take)
    studio.qtbot.waitUntil(lambda: studio.window.quality._board.card(take) is not None)


def test_without_the_optional_programs_the_card_says_why(studio, ears):
    def missing(*_):
        raise ListenerMissing("recogniser.not_installed", "no speech recogniser is installed")

    ears.words = missing
    judged(studio)
    assert "Heard: not available: no speech recogniser is installed" in studio.takes_panel.card.text()


def test_the_chosen_folder_reaches_the_one_that_measures(studio, tmp_path):
    asked = []
    studio.window.quality._judge = lambda text, samples, rate, _, folder: (
        asked.append(folder),
        judge(text, samples, rate),
    )[1]
    studio.settings.set("quality_card", True)
    judged(studio)
    studio.settings.set("recogniser_folder", str(tmp_path))
    judged(studio)
    assert asked == [None, tmp_path]


def test_takes_are_measured_in_another_process(studio):
    studio.settings.set("quality_card", True)
    (take,) = judged(studio)
    assert studio.application.ears.process_id not in (0, os.getpid())
    card = studio.window.quality._board.card(take)
    assert card.seconds == pytest.approx(take.seconds) and (card.words is not None or "words" in card.unavailable)


def test_a_failure_of_the_listener_harms_nothing(studio, ears):
    def broken(*_):
        raise RuntimeError("the recogniser fell over")

    ears.words = broken
    (take,) = judged(studio)
    assert studio.window.quality._board.card(take) is None
    assert "being measured" not in studio.takes_panel.card.text()
    assert np.isfinite(take.samples).all()


def test_a_take_of_an_earlier_start_is_judged_once_it_is_looked_at(make_studio):
    studio = make_studio().show()
    studio.generate("Good evening.")
    studio.window.close()
    again = make_studio()
    with again.qtbot.waitSignal(again.application.autosave.restored):
        again.show()
    again.settings.set("quality_card", True)
    quality, ears = again.window.quality, hears_with(again, Ears())
    (take,) = again.store.takes
    assert take.is_unread and quality.is_idle
    again.takes_panel.select(take)
    again.qtbot.waitUntil(lambda: quality._board.card(take) is not None, timeout=60000)
    assert ears.asked == ["Good evening."]


def test_a_recording_that_has_gone_is_no_reference(tmp_path):
    voice = VoiceSpec(reference=str(tmp_path / "gone.wav"), consent=Consent.attest("self"))
    library = SimpleNamespace(door=SimpleNamespace(knows=lambda record_id: True))
    assert reference_of(SimpleNamespace(job=SimpleNamespace(voice=voice)), library) is None

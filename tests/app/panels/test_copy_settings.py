"""The settings of a take are copied with its saved voice, where that may still be used."""

import pytest

from tests.app.panels.test_voices_window import Hand


@pytest.fixture
def hand(studio):
    return Hand(studio)


def copied(hand, take):
    """Press the button of a take."""
    hand.studio.compose.text.setPlainText("Something else.")
    hand.studio.takes_panel.select(take)
    hand.studio.takes_panel.settings_button.click()
    assert hand.studio.compose.text.toPlainText() == take.job.text


def test_the_saved_voice_of_a_take_is_chosen_again(hand, speech):
    voice = hand.save_own(speech)
    clone, window = hand.studio.compose.clone, hand.window
    clone.style_note.setText("cheerful")
    (take,) = hand.studio.generate("Good evening.")
    clone.pick.set_voice(None)
    clone.style_note.clear()
    window.rail_button("design").click()
    copied(hand, take)
    hand.wait(lambda: clone.pick.voice is not None)
    assert clone.pick.voice.voice_id == voice.voice_id and clone.isVisible()
    assert clone.description() == "cheerful" and clone.missing() == ""

    clone.pick.set_voice(None)
    window.notice.hide()
    hand.library.voices.withdraw(voice.voice_id)
    copied(hand, take)
    hand.wait(lambda: window.notice.message)
    assert "speech" in window.notice.message and "withdrew" in window.notice.message
    assert clone.pick.voice is None

    window.notice.hide()
    hand.library.voices.delete(voice.voice_id)
    hand.window.copying.copy(take)  # the list of takes may have let go of it by now
    hand.wait(lambda: window.notice.message)
    assert "not in the library any more" in window.notice.message and clone.pick.voice is None


def test_a_recording_has_to_be_opened_again_and_a_design_needs_nothing(hand, speech):
    studio, compose = hand.studio, hand.studio.compose
    (design,) = studio.generate("Mind the gap.")
    hand.window.rail_button("clone").click()
    studio.drop(compose.clone.drop, speech)
    compose.clone.consent.own.click()
    compose.clone.consent.tick.click()
    (take,) = studio.generate("Good evening.")
    studio.told_of_keys()
    studio.takes_panel.select(design)
    studio.takes_panel.settings_button.click()
    assert compose.design.isVisible() and compose.text.toPlainText() == "Mind the gap."
    assert not hand.window.notice.message
    studio.takes_panel.select(take)
    studio.takes_panel.settings_button.click()
    assert compose.clone.isVisible() and "Open the recording again" in hand.window.notice.message

"""Design, Clone, Continue: what each asks for, what it refuses, and what it sends."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.core.messages import SUBJECT_OTHER, SUBJECT_SELF, Failure


def _agree(box, name=""):
    if name:
        box.other.click()
        box.name.setText(name)
        box.name.textEdited.emit(name)
        box.contact.setText(f"{name}@example.org")
        box.contact.textEdited.emit(box.contact.text())
    else:
        box.own.click()
    box.tick.click()


def _go_to(studio, key):
    studio.window.rail_button(key).click()
    return studio.compose.panel


def test_the_rail_shows_one_panel_at_a_time_and_keeps_the_text(studio):
    studio.compose.text.setPlainText("Kept.")
    for key in ("clone", "continue", "design"):
        _go_to(studio, key)
        assert [panel.key for panel in studio.compose.modes if panel.isVisible()] == [key]
        assert studio.compose.text.toPlainText() == "Kept."


def test_clone_asks_for_audio_then_for_consent_then_speaks(studio, speech):
    panel = _go_to(studio, "clone")
    studio.compose.text.setPlainText("Good evening.")
    assert not studio.compose.generate.isEnabled()
    assert "reference audio" in studio.compose.reason.text()
    assert not panel.consent.isVisible()
    assert studio.drop(panel.drop, speech)
    assert panel.consent.isVisible()
    assert "3.0 s · 16 kHz · stereo" in panel.drop.detail.text()
    assert "whose voice" in studio.compose.reason.text()
    assert not studio.compose.generate.isEnabled()
    panel.consent.own.click()
    assert not studio.compose.generate.isEnabled()
    panel.consent.tick.click()
    assert studio.compose.generate.isEnabled()
    studio.generate("Good evening.")
    voice = studio.fake.jobs[-1].voice
    assert voice.reference == str(speech)
    assert voice.prompt is None
    assert voice.consent.subject_kind == SUBJECT_SELF
    assert "generate" in voice.consent.scope
    assert voice.consent.expires_at is None


def test_a_style_note_goes_along_with_the_reference_and_is_shown(studio, speech):
    panel = _go_to(studio, "clone")
    studio.drop(panel.drop, speech)
    _agree(panel.consent)
    studio.compose.seed.set_seed(5)
    studio.generate("Good evening.")
    plain = studio.fake.jobs[-1]
    panel.style_note.setText(" cheerful ")
    with studio.qtbot.waitSignal(studio.engine.plan_ready):
        pass
    assert studio.compose.plan_strip.text_label.text() == "(cheerful)Good evening."
    studio.generate("Good evening.")
    styled = studio.fake.jobs[-1]
    assert styled == replace(plain, job_id=styled.job_id, description="cheerful")
    assert studio.store.takes[-1].final_text == "(cheerful)Good evening."


def test_what_is_wrong_with_a_style_note_is_told_beside_it(studio):
    panel = _go_to(studio, "clone")
    assert panel.show_problem(Failure("No brackets.", "description"))
    assert panel.style_problem.isVisible()
    panel.style_note.setText("calm")
    assert not panel.style_problem.isVisible()


def test_a_model_without_descriptions_greys_the_style_note_out_with_the_reason(studio, model_folder, speech):
    from app.engine.fake import FakeModel

    panel = _go_to(studio, "clone")
    panel.style_note.setText("cheerful")
    assert not panel.style_reason.isVisible()
    studio.fake.models["half"] = FakeModel(takes_description=False)
    studio.open_model(model_folder("half"))
    assert not panel.style_note.isEnabled()
    assert "half takes no style note" in panel.style_reason.text()
    studio.drop(panel.drop, speech)
    _agree(panel.consent)
    studio.generate()
    assert studio.fake.jobs[-1].description == ""


def test_the_voice_of_somebody_else_needs_a_name_and_lasts_a_year(studio, speech):
    panel = _go_to(studio, "clone")
    studio.drop(panel.drop, speech)
    panel.consent.other.click()
    assert not panel.consent.tick.isEnabled()
    assert "who agreed" in studio.compose.reason.text()
    _agree(panel.consent, "Ada")
    studio.generate()
    consent = studio.fake.jobs[-1].voice.consent
    assert consent.subject_kind == SUBJECT_OTHER
    assert (consent.name, consent.contact) == ("Ada", "Ada@example.org")
    kept = studio.store.takes[-1].job.voice.consent
    assert kept == consent.without_names() and "Ada" not in repr(kept)
    assert (consent.expires_at - consent.valid_from).days == 365


@pytest.mark.parametrize("change", ["other person", "other audio", "no tick", "audio removed"])
def test_consent_is_taken_back_by_every_change(studio, speech, change):
    panel = _go_to(studio, "clone")
    studio.drop(panel.drop, speech)
    _agree(panel.consent, "Ada")
    assert panel.voice().consent is not None
    if change == "other person":
        panel.consent.own.click()
    elif change == "other audio":
        studio.drop(panel.drop, speech)
    elif change == "no tick":
        panel.consent.tick.click()
    else:
        panel.drop.clear_button.click()
        assert panel.voice() is None
        assert not panel.consent.isVisible()
    assert panel.voice() is None or panel.voice().consent is None
    assert not studio.compose.generate.isEnabled()


def test_a_file_that_is_no_audio_is_refused_beside_the_field(studio, tmp_path):
    panel = _go_to(studio, "clone")
    bad = tmp_path / "bad.wav"
    bad.write_text("this is no sound")
    studio.drop(panel.drop, bad)
    assert "cannot be read as audio" in panel.drop.problem.text()
    assert panel.drop.path is None
    assert not studio.compose.generate.isEnabled()


def test_a_flac_named_wav_is_read_by_its_content(studio, tmp_path):
    import numpy as np
    import soundfile

    odd = tmp_path / "really-flac.wav"
    soundfile.write(odd, np.zeros(22050, np.float32), 22050, format="FLAC")
    panel = _go_to(studio, "clone")
    studio.drop(panel.drop, odd)
    assert panel.drop.path == str(odd)
    assert "1.0 s · 22.05 kHz · mono" in panel.drop.detail.text()


def test_text_and_folders_do_not_fall_on_the_drop_area(studio, tmp_path):
    panel = _go_to(studio, "clone")
    assert not studio.drop(panel.drop, tmp_path)
    assert not studio.drop(panel.drop, tmp_path / "nothing.wav")


def test_continue_requires_the_transcript(studio, speech):
    panel = _go_to(studio, "continue")
    assert "prompt audio" in studio.compose.reason.text()
    studio.drop(panel.drop, speech)
    _agree(panel.consent)
    assert not studio.compose.generate.isEnabled()
    assert "transcript is required" in studio.compose.reason.text()
    panel.transcript.setPlainText("   ")
    assert not studio.compose.generate.isEnabled()
    panel.transcript.setPlainText("What is said.")
    assert studio.compose.generate.isEnabled()
    studio.generate("And on.")
    voice = studio.fake.jobs[-1].voice
    assert (voice.prompt, voice.reference, voice.transcript) == (str(speech), None, "What is said.")
    assert studio.fake.jobs[-1].mode == "continuation"
    assert studio.store.takes[-1].final_text == "What is said. And on."


def test_the_prompt_can_be_the_reference_too(studio, speech):
    panel = _go_to(studio, "continue")
    studio.drop(panel.drop, speech)
    _agree(panel.consent)
    panel.transcript.setPlainText("What is said.")
    panel.as_reference.click()
    studio.generate("And on.")
    voice = studio.fake.jobs[-1].voice
    assert voice.reference == voice.prompt == str(speech)
    assert studio.fake.jobs[-1].mode == "combined"


def test_new_audio_makes_the_transcript_stale_until_somebody_says_it_fits(studio, speech):
    panel = _go_to(studio, "continue")
    studio.drop(panel.drop, speech)
    panel.transcript.setPlainText("What is said.")
    studio.drop(panel.drop, speech)
    _agree(panel.consent)
    assert panel.words.doubt.isVisible()
    assert not studio.compose.generate.isEnabled()
    panel.words.confirm_button.click()
    assert not panel.words.doubt.isVisible()
    assert studio.compose.generate.isEnabled()


def test_older_models_grey_out_what_they_do_not_take_with_the_reason(studio, model_folder, speech):
    from app.engine.fake import FakeModel

    studio.fake.models["old"] = FakeModel(takes_reference=False, takes_description=False)
    studio.compose.design.edit.setText("an old man")
    studio.open_model(model_folder("old"))
    design = studio.compose.design
    assert not design.edit.isEnabled()
    assert "takes no description" in design.reason.text()
    studio.generate("Plain.")
    assert studio.fake.jobs[-1].description == ""
    clone = _go_to(studio, "clone")
    assert not clone.drop.isEnabled()
    assert "takes no reference" in studio.compose.reason.text()
    assert not studio.compose.generate.isEnabled()
    continue_ = _go_to(studio, "continue")
    assert not continue_.as_reference.isEnabled()
    studio.drop(continue_.drop, speech)
    _agree(continue_.consent)
    continue_.transcript.setPlainText("What is said.")
    continue_.as_reference.setChecked(True)
    studio.generate("And on.")
    assert studio.fake.jobs[-1].voice.reference is None


def test_what_the_engine_has_against_the_audio_is_shown_beside_it(studio, speech):
    panel = _go_to(studio, "clone")
    studio.drop(panel.drop, speech)
    assert studio.compose.show_problem(Failure("The reference is silent.", "reference"))
    assert panel.drop.problem.text() == "The reference is silent."
    assert not studio.compose.show_problem(Failure("Something else.", "steps"))
    studio.drop(panel.drop, speech)
    assert panel.drop.problem.text() == ""


def test_the_strip_shows_what_the_model_gets(studio, speech):
    strip = studio.compose.plan_strip
    studio.compose.design.edit.setText("a child")
    with studio.qtbot.waitSignal(studio.engine.plan_ready):
        studio.compose.text.setPlainText("  Good   evening. ")
    assert strip.text_label.text() == "(a child)Good evening."
    assert strip.mode_label.text() == "Design"
    assert "of sound" in strip.facts_label.text()
    panel = _go_to(studio, "clone")
    studio.qtbot.waitUntil(lambda: strip.mode_label.text() == "Clone")
    with studio.qtbot.waitSignal(studio.engine.plan_ready):
        studio.drop(panel.drop, speech)
    assert strip.text_label.text() == "Good evening."
    assert "3.0 s of reference" in strip.facts_label.text()


def test_before_a_model_is_loaded_the_strip_shows_mode_and_folded_text(make_studio):
    studio = make_studio()
    studio.settings.set("load_at_start", False)
    studio.show(wait_for_model=False)
    studio.compose.text.setPlainText("Good \n evening.")
    studio.qtbot.waitUntil(lambda: studio.compose.plan_strip.text_label.text() == "Good evening.")
    assert studio.compose.plan_strip.mode_label.text() == "Design"
    assert studio.fake.plans == []


def test_tab_leads_to_the_pressed_button_of_the_rail_and_the_arrows_go_on_from_there(studio):
    """Also where no key has pressed it: the studio starts with the panel of the last time."""
    rail = [studio.window.rail_button(key) for key in ("design", "clone", "continue", "dub", "voices")]
    rail[2].click()
    assert [button.focusPolicy() is Qt.FocusPolicy.TabFocus for button in rail] == [False, False, True, False, False]
    studio.window.activateWindow()
    studio.compose.text.setFocus()
    studio.qtbot.waitUntil(studio.compose.text.hasFocus)
    for _ in range(60):
        if rail[2].hasFocus():
            break
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    assert rail[2].hasFocus()
    QTest.keyClick(rail[2], Qt.Key.Key_Down)
    assert rail[3].isChecked() and rail[3].focusPolicy() is Qt.FocusPolicy.TabFocus
    assert rail[2].focusPolicy() is Qt.FocusPolicy.NoFocus
    rail[0].click()

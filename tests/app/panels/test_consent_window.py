"""Consents in the window: spoken and raised, refused, renewed, asked for and answered from far away."""

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.core.consent.evidence import Availability
from app.core.consent.record import OTHER
from app.core.spoken import Listeners
from app.core.voice_card import VoiceCard
from app.core.voice_making import Word, save_files
from app.models.voice_list import StateRole
from tests.app.consent.makers import Hears, Matches

PASSPHRASE = "a few words for the test"


class Person:
    """Somebody with a saved voice of another person, and what the listeners will hear."""

    def __init__(self, studio, speech, monkeypatch):
        self.studio, self.qtbot, self.window = studio, studio.qtbot, studio.window
        self.library, self.control = studio.application.library, studio.window.consents
        self.panel = studio.window.voices_panel
        self.library.store.keys.set_passphrase(PASSPHRASE)
        self.voice = save_files(
            self.library.voices, VoiceCard("Ada"), Word(OTHER, "Ada", "ada@x.org"), {"reference": speech}
        )
        self.heard, self.score = None, 0.9
        monkeypatch.setattr(studio.application.ears, "listeners", self._listeners)
        there = Listeners()
        monkeypatch.setattr("app.engine.listeners.listeners_in_reach", lambda *_: there)

    def _listeners(self, lang, folder):
        said = self.heard if self.heard is not None else self.dialog._drawn.statement.text.text
        return Listeners(Hears(said), Matches(self.score))

    def wait(self, true):
        self.qtbot.waitUntil(lambda: bool(true()), timeout=60_000)

    @property
    def dialog(self):
        return self.control.dialog

    def choose(self):
        """Show the panel with the voice chosen and described."""
        self.window.rail_button("voices").click()
        self.wait(lambda: self.panel.model.index_of(self.voice.voice_id).isValid())
        self.panel.select(self.voice.voice_id)
        self.wait(lambda: self.panel._described is not None and self.panel._described.voice == self.panel.current)

    def open(self):
        """Press the button that lets the statement be spoken; waits for the words."""
        self.choose()
        self.panel.buttons["raise"].click()
        self.wait(lambda: self.dialog is not None and self.dialog._drawn is not None)
        return self.dialog

    def record_live(self, dialog, seconds=2.0):
        """Speak into the microphone through the row of the dialog."""
        self.studio.settings.set("count_in", False)
        dialog.statement.row.count_in.setChecked(False)
        dialog.statement.record_button.click()
        dialog.statement.row.record_button.click()
        microphone = self.studio.audio.microphone
        sound = np.random.default_rng(4).normal(0, 0.1, round(seconds * 48_000)).astype(np.float32)
        microphone.speak(sound)
        self.wait(lambda: dialog.statement.row._recorder.elapsed > seconds / 2)
        dialog.statement.row.stop_button.click()
        microphone.speak(np.zeros(48_000, np.float32))  # what is still on its way when somebody presses stop
        self.wait(lambda: dialog.statement.spoken is not None)

    def level(self):
        return self.library.voices.verdict(self.voice.voice_id).level

    def events(self, kind):
        return [entry.facts for entry in self.library.audit.entries() if entry.event == kind]


@pytest.fixture
def person(studio, speech, monkeypatch):
    return Person(studio, speech, monkeypatch)


def test_a_statement_that_is_spoken_live_raises_the_record(person):
    person.choose()
    assert person.panel.level.text().startswith("L0") and "L2" in person.panel.more.text()
    dialog = person.open()
    statement = dialog._drawn.statement
    assert all(f"<b>{word}</b>" in dialog.statement.text.text() for word in statement.nonce)
    assert "L3" in dialog.reach.text() and not dialog.check.isEnabled()
    person.record_live(dialog)
    dialog.check.click()
    person.wait(lambda: dialog._kept is not None)
    assert person.level() == "L3" and dialog.level.text().endswith("the voice matches")
    record = person.library.voices.record(person.voice.voice_id)
    assert record.statement_audio.source == "live" and record.statement == statement
    person.wait(lambda: person.panel.level.text().startswith("L3"))
    assert not dialog.check.isEnabled()
    dialog.done_button.click()
    assert person.dialog is None


def test_a_voice_on_a_mere_word_says_so_wherever_it_is_picked(person, speech):
    person.choose()
    index = person.panel.model.index_of(person.voice.voice_id)
    pick, cast = person.studio.compose.clone.pick, person.window.dub.panel.cast
    badge = "L0: no evidence"
    assert badge in index.data(StateRole) and badge in index.data(Qt.ItemDataRole.AccessibleTextRole)
    person.panel.buttons["clone"].click()
    assert badge in pick._name.text()
    person.window.rail_button("dub").click()
    person.wait(lambda: cast._voices.get(person.voice.voice_id) == f"Ada ({badge})")
    dialog = person.open()
    dialog.statement.use_file(str(speech))
    dialog.check.click()
    person.wait(lambda: person.level() == "L2")
    person.wait(lambda: badge not in pick._name.text())
    assert badge not in person.panel.model.index_of(person.voice.voice_id).data(StateRole)
    shipped = next(voice for voice in person.library.voices.all() if voice.shipped)
    assert not shipped.is_on_a_word


def test_a_file_gives_less_and_says_so_before(person, speech):
    dialog = person.open()
    dialog.statement.use_file(str(speech))
    assert "L2" in dialog.reach.text().split("\n")[0]
    dialog.check.click()
    person.wait(lambda: dialog._kept is not None)
    assert person.level() == "L2"


def test_another_language_is_drawn_anew(person):
    dialog = person.open()
    first = dialog._drawn.statement
    dialog.language.setCurrentIndex(dialog.language.findData("zh"))
    dialog.language.activated.emit(dialog.language.currentIndex())
    person.wait(lambda: dialog._drawn.statement.lang == "zh")
    assert dialog._drawn.statement.nonce != first.nonce


@pytest.mark.parametrize("who", ["somebody else", "other words"])
def test_an_impostor_is_refused_and_stands_in_the_log(person, speech, who):
    dialog = person.open()
    person.score, person.heard = (0.6, None) if who == "somebody else" else (0.9, "something else")
    dialog.statement.use_file(str(speech))
    dialog.check.click()
    person.wait(lambda: dialog.problem.text())
    cause = "statement.other_voice" if who == "somebody else" else "statement.not_heard"
    assert [facts["cause"] for facts in person.events("statement_refused")] == [cause]
    assert person.level() == "L0" and dialog.check.isEnabled()
    assert dialog.anyway.isVisible() == (who == "other words")
    if who == "other words":
        dialog.anyway.click()
        person.wait(lambda: dialog._kept is not None)
        assert person.level() == "L1"


def test_what_is_missing_on_this_machine_is_said(person, monkeypatch):
    no = Availability(False, "recogniser.not_installed", "no recogniser here")
    monkeypatch.setattr(
        "app.engine.listeners.listeners_in_reach",
        lambda *_: Listeners(recogniser_state=no, matcher_state=Availability(False, "matcher.not_installed", "none")),
    )
    dialog = person.open()
    assert "L1" in dialog.reach.text().split("\n")[0]
    assert "no recogniser here" in dialog.reach.text() and "none" in dialog.reach.text()


def test_without_a_microphone_the_reason_is_said_and_a_file_will_do(person):
    person.studio.application.recorder.unavailable = "device"
    dialog = person.open()
    assert not dialog.statement.record_button.isEnabled() and dialog.statement.record_button.toolTip()
    assert dialog.statement.file_button.isEnabled()


def test_a_file_that_is_no_sound_is_told_and_can_be_replaced(person, tmp_path):
    dialog = person.open()
    (tmp_path / "a.wav").write_bytes(b"no sound")
    dialog.statement.use_file(str(tmp_path / "a.wav"))
    dialog.check.click()
    person.wait(lambda: dialog.problem.text())
    assert dialog.check.isEnabled() and person.level() == "L0"


def test_a_consent_is_renewed_and_extended(person, tmp_path):
    person.choose()
    person.panel.buttons["renew"].click()
    dialog = person.dialog
    before = person.library.voices.record(person.voice.voice_id)
    dialog.longer.click()
    dialog.months.setValue(36)
    assert not dialog.save.isEnabled() and dialog._effect.text()
    dialog.months.setValue(3)
    dialog.save.click()
    person.wait(lambda: person.dialog is None)
    longer = person.library.voices.record(person.voice.voice_id)
    assert longer.expires_at > before.expires_at and longer.change == "extended"
    person.wait(lambda: person.panel._described is not None and person.panel._described.record == longer)
    person.panel.buttons["renew"].click()
    dialog = person.dialog
    (tmp_path / "letter.pdf").write_bytes(b"signed")
    dialog.add_documents([str(tmp_path / "letter.pdf")])
    dialog.scope.ticks["training"].setChecked(True)
    dialog.months.setValue(24)
    dialog.save.click()
    person.wait(lambda: person.dialog is None)
    renewed = person.library.voices.record(person.voice.voice_id)
    assert renewed.change == "renewed" and renewed.scope.training and renewed.level == "L1"
    assert person.library.voices.verdict(person.voice.voice_id).ok


def test_consent_travels_by_two_files(person, tmp_path, speech):
    person.choose()
    person.panel.far_actions["ask"].trigger()
    dialog = person.dialog
    assert not dialog.write.isEnabled()
    dialog.operator.setText("Studio North")
    dialog.note.setText("For the audio guide.")
    request = tmp_path / "a.consent-request.json"
    person.control._consents.write_request(dialog.asking(), request)
    person.wait(lambda: person.dialog is None)

    person.control.answer_file(str(request))
    person.wait(lambda: person.dialog is not None)
    answering = person.dialog
    assert "Studio North" in answering.asked.text() and "audio guide" in answering.asked.text()
    assert not answering.write.isEnabled()
    answering.statement.use_file(str(speech))
    answering.name.setText("Bea")
    answering.contact.setText("bea@x.org")
    answering.add_files([str(speech)])
    assert answering.missing() == ""
    answer = tmp_path / "bea.consent.zip"
    with person.qtbot.waitSignal(answering.write_requested) as wished:
        answering._write()
    person.control._consents.write_answer(answering.request, *wished.args, answer)
    person.wait(lambda: person.dialog is None and answer.is_file())

    person.heard = answering.request.text
    person.control.take_in_file(str(answer))
    naming = person.control.name_dialog
    assert naming.textValue() == "bea"
    naming.accept()
    person.wait(lambda: any(voice.name == "bea" for voice in person.library.voices.all()))
    saved = person.library.voices.find("bea")
    assert person.library.voices.verdict(saved.voice_id).level == "L2"


def test_an_answer_of_somebody_else_is_not_taken_in(person, tmp_path, speech):
    (tmp_path / "a.zip").write_bytes(b"no bundle")
    person.control.take_in_file(str(tmp_path / "a.zip"))
    person.control.name_dialog.accept()
    person.wait(person.window.notice.isVisible)
    person.control.answer_file(str(speech))  # no request at all
    person.wait(lambda: person.dialog is None)
    assert [voice.name for voice in person.library.voices.all() if not voice.shipped] == ["Ada"]


def test_shipped_and_withdrawn_voices_offer_neither(person):
    person.choose()
    assert person.panel.buttons["raise"].isEnabled() and person.panel.buttons["renew"].isEnabled()
    person.library.voices.withdraw(person.voice.voice_id)
    person.studio.application.desk.changed.emit()
    person.wait(lambda: not person.panel.buttons["raise"].isEnabled())
    shipped = next(voice for voice in person.library.voices.all() if voice.shipped)
    person.panel.select(shipped.voice_id)
    person.wait(lambda: person.panel._described is not None and person.panel._described.voice == shipped)
    assert not person.panel.buttons["renew"].isEnabled() and not person.panel.buttons["raise"].isEnabled()
    assert person.panel.more.text() == ""


def test_the_time_of_a_file_is_its_own(person, speech):
    dialog = person.open()
    dialog.statement.use_file(str(speech))
    moment = datetime.fromtimestamp(Path(speech).stat().st_mtime, UTC).replace(microsecond=0)
    assert dialog.statement.spoken.captured_at == moment

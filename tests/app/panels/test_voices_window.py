"""Saved voices in the window: saved in two clicks with their record, there again after a restart, used, taken back."""

from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QLineEdit, QMessageBox

from app.core.consent.record import OTHER, SELF, SYNTHETIC
from app.core.messages import SAVED
from app.core.voice_card import VoiceState
from app.voice_desk import VoiceDesk

PASSPHRASE = "a few words for the test"


class Hand(QObject):
    """Does what a person does with voices, and waits for what comes of it.

    An object of Qt, so that a signal from the desk's thread that is still on its way finds it, or is dropped with it.
    """

    def __init__(self, studio):
        super().__init__(studio.application.desk)
        self.studio, self.qtbot = studio, studio.qtbot
        self.window, self.desk = studio.window, studio.application.desk
        self.panel, self.control = studio.window.voices_panel, studio.window.voices
        self.library = studio.application.library
        # Counted instead of waitSignal: the desk's threads emit it, and one that arrives after the waiting is over
        # finds whatever the next waiting put in the old one's place.
        self.lists = 0
        self.desk.listed.connect(self._count)

    @Slot(object, bool)
    def _count(self, *_):
        self.lists += 1

    def wait_for_list(self, act):
        """Do something that makes the desk look again, and wait for the list."""
        before = self.lists
        act()
        self.wait(lambda: self.lists > before)

    def wait(self, true):
        self.qtbot.waitUntil(lambda: bool(true()), timeout=60_000)

    def open(self):
        """Show the panel, with the list up to date."""
        self.wait_for_list(self.window.rail_button("voices").click)
        return [voice for voice in self.listed() if not voice.shipped]

    def listed(self):
        model = self.panel.model
        return [model.voice_at(model.index(row)) for row in range(model.rowCount())]

    def choose(self, voice):
        self.panel.select(voice.voice_id)
        self.wait(lambda: self.panel._described is not None and self.panel._described.voice == self.panel.current)

    def answer_keys(self, passphrase=PASSPHRASE):
        """Choose the passphrase that the first saving asks for; None: only until the end."""
        self.wait(lambda: self.control.passphrase is not None)
        dialog = self.control.passphrase
        if passphrase is None:
            dialog.memory.click()
            return
        dialog.first.setText(passphrase)
        dialog.second.setText(passphrase)
        dialog.ok.click()

    def save_own(self, speech, passphrase=PASSPHRASE):
        clone = self.studio.compose.clone
        self.window.rail_button("clone").click()
        self.studio.drop(clone.drop, speech)
        clone.pick.save_button.click()
        dialog = self.control.save_dialog
        clicks = [dialog.own, dialog.save]
        for button in clicks:
            button.click()
        if passphrase is not False:
            self.answer_keys(passphrase)
        self.wait(lambda: clone.pick.voice is not None)
        assert len(clicks) == 2
        return clone.pick.voice

    def answer(self, text):
        """Press a button of the question that is open."""
        self.wait(lambda: self.window.findChildren(QMessageBox))
        (question,) = self.window.findChildren(QMessageBox)
        button = next(each for each in question.buttons() if each.text() == text)
        button.click()


@pytest.fixture
def hand(studio):
    return Hand(studio)


def test_the_shipped_voices_are_there_at_once_with_their_record(hand):
    hand.open()
    shipped = hand.listed()
    assert len(shipped) == 3 and all(voice.shipped for voice in shipped)
    hand.choose(shipped[0])
    assert "used under a licence" in hand.panel.record.text()
    assert hand.panel.reasons.text() == ""
    assert not hand.panel.buttons["delete"].isEnabled() and not hand.panel.name.isEnabled()
    assert hand.control.passphrase is None  # nothing was saved, so nothing is asked
    hand.panel.buttons["clone"].click()
    assert hand.studio.compose.clone.isVisible()
    hand.studio.generate("Good evening.")
    voice = hand.studio.fake.jobs[-1].voice
    assert (voice.voice_id, voice.reference, voice.consent) == (shipped[0].voice_id, SAVED, None)


def test_the_own_voice_is_saved_in_two_clicks_and_there_after_a_restart(make_studio, speech):
    hand = Hand(make_studio().show())
    saved = hand.save_own(speech)
    assert saved.name == "speech" and saved.card.kind == SELF
    assert hand.library.voices.verdict(saved.voice_id).ok
    hand.studio.generate("Good evening.")
    assert hand.studio.fake.jobs[-1].voice.voice_id == saved.voice_id
    hand.window.close()
    again = Hand(make_studio().show())
    (there,) = again.open()
    assert there.voice_id == saved.voice_id and there.card is None and again.panel.unlock_button.isVisible()
    again.panel.unlock_button.click()
    dialog = again.control.passphrase
    dialog.first.setText("another passphrase")
    dialog.ok.click()
    again.wait(lambda: dialog.problem.text())
    dialog.first.setText(PASSPHRASE)
    with again.qtbot.waitSignal(again.desk.unlocked, timeout=20_000):
        dialog.ok.click()
    again.wait(lambda: any(voice.name == "speech" for voice in again.listed()))
    assert not again.panel.unlock_button.isVisible()


def test_without_a_passphrase_the_voice_lasts_until_the_program_ends_and_that_is_said(hand, speech):
    clone = hand.studio.compose.clone
    hand.window.rail_button("clone").click()
    hand.studio.drop(clone.drop, speech)
    clone.pick.save_button.click()
    hand.control.save_dialog.own.click()
    hand.control.save_dialog.save.click()
    hand.wait(lambda: hand.control.passphrase is not None)
    assert "until the program ends" in hand.control.passphrase._why.text()
    hand.control.passphrase.cancel.click()
    assert "Nothing was saved" in hand.control.save_dialog.problem.text()
    assert hand.control.save_dialog.save.isEnabled()
    hand.control.save_dialog.save.click()
    hand.answer_keys(None)
    hand.wait(lambda: clone.pick.voice is not None)
    assert not hand.library.store.keys.lasting


def test_the_style_note_is_saved_with_the_voice_and_comes_back_with_it(hand, speech):
    clone = hand.studio.compose.clone
    clone.style_note.setText("softly")
    hand.save_own(speech)
    clone.style_note.clear()
    hand.open()
    hand.wait(hand.panel.buttons["clone"].isEnabled)
    hand.panel.buttons["clone"].click()
    assert clone.style_note.text() == "softly"


def test_a_second_question_for_keys_lets_what_waits_wait(hand, speech):
    clone = hand.studio.compose.clone
    hand.window.rail_button("clone").click()
    hand.studio.drop(clone.drop, speech)
    clone.pick.save_button.click()
    hand.control.save_dialog.own.click()
    hand.control.save_dialog.save.click()
    hand.wait(lambda: hand.control.passphrase is not None)
    first = hand.control.passphrase
    hand.desk.keys_needed.emit(False)
    assert hand.control.passphrase is not first and hand.control.save_dialog.problem.text() == ""
    hand.answer_keys()
    hand.wait(lambda: clone.pick.voice is not None)


def test_another_persons_voice_needs_a_name_and_a_contact_and_takes_proof(hand, speech, tmp_path):
    going_on = hand.studio.compose.continue_
    hand.window.rail_button("continue").click()
    hand.studio.drop(going_on.drop, speech)
    going_on.pick.save_button.click()
    assert hand.control.save_dialog is None and "Write down" in hand.window.notice.message
    going_on.transcript.setPlainText("What is said.")
    going_on.pick.save_button.click()
    dialog = hand.control.save_dialog
    assert not dialog.save.isEnabled() and "whose voice" in dialog.missing()
    dialog.other.click()
    for field, text in ((dialog.who, "Ada Lind"), (dialog.contact, "ada@example.org")):
        assert not dialog.save.isEnabled()
        field.setText(text)
        field.textEdited.emit(text)
    dialog.minor.click()
    assert not dialog.save.isEnabled() and dialog.representative.isVisible()
    dialog.minor.click()
    contract = tmp_path / "contract.pdf"
    contract.write_bytes(b"signed")
    dialog.add_document(str(contract))
    dialog.allowed["commercial"].click()
    dialog.tags.setText("warm, low")
    dialog.save.click()
    hand.answer_keys()
    hand.wait(lambda: going_on.pick.voice is not None)
    voices = hand.library.voices
    voice, record = going_on.pick.voice, voices.record(going_on.pick.voice.voice_id)
    assert (voice.mode, voice.card.tags, voice.card.transcript) == ("continuation", ("low", "warm"), "What is said.")
    assert (record.level, record.subject_kind, record.speaker.name.text) == ("L1", OTHER, "Ada Lind")
    assert record.scope.commercial and not record.scope.training and record.expires_at is not None
    assert not going_on.transcript.isVisible()
    hand.studio.generate("And on.")
    assert hand.studio.fake.jobs[-1].voice.mode == "continuation"
    (kept,) = [each for each in hand.open() if each.name == "speech"]
    hand.choose(kept)
    assert "This is the voice of Ada Lind." in hand.panel.record.text()


def test_a_designed_voice_is_kept_from_a_take(hand):
    hand.studio.compose.design.edit.setText("a calm old man")
    (take,) = hand.studio.generate("Good evening.")
    hand.studio.takes_panel.select(take)
    hand.studio.takes_panel.keep_button.click()
    dialog = hand.control.save_dialog
    assert dialog.name.text() == "a calm old man" and not dialog.own.isVisible() and dialog.save.isEnabled()
    dialog.save.click()
    hand.answer_keys()
    hand.wait(lambda: hand.control.save_dialog is None)
    (voice,) = hand.open()
    record = hand.library.voices.record(voice.voice_id)
    assert voice.card.kind == SYNTHETIC and voice.card.from_take == take.uid
    assert record.design.seed == take.seed and record.design.description.text == "a calm old man"
    hand.choose(voice)
    assert "No person is behind this voice" in hand.panel.record.text()


def test_a_voice_is_renamed_found_frozen_and_deleted(hand, speech):
    saved = hand.save_own(speech)
    (voice,) = hand.open()
    hand.choose(voice)
    hand.panel.name.setText("Zoë")
    hand.panel.tags.setText("warm, low")
    hand.panel.rename_button.click()
    hand.wait(lambda: any(each.name == "Zoë" for each in hand.listed()))
    hand.wait_for_list(lambda: hand.panel.search.setText("zoe warm"))
    hand.wait(lambda: [each.voice_id for each in hand.listed()] == [saved.voice_id])
    clone = hand.studio.compose.clone
    assert clone.missing() == ""
    hand.choose(hand.listed()[0])
    hand.panel.buttons["withdraw"].click()
    hand.window.consents.dialog.withdraw.click()
    hand.wait(lambda: hand.window.consents.dialog is None and "withdrew" in clone.missing())
    hand.wait(lambda: hand.panel.current.state is VoiceState.FROZEN and "withdrew" in hand.panel.reasons.text())
    assert not hand.panel.buttons["clone"].isEnabled() and hand.panel.buttons["delete"].isEnabled()
    hand.window.rail_button("clone").click()
    assert "withdrew" in hand.studio.compose.reason.text() and not hand.studio.compose.generate.isEnabled()
    hand.open()
    hand.choose(hand.listed()[0])
    hand.panel.buttons["delete"].click()
    hand.answer("Delete")
    hand.wait(lambda: clone.pick.voice is None and hand.listed() == [])


def test_listening_plays_the_recording(hand):
    hand.open()
    hand.choose(hand.listed()[0])
    hand.panel.buttons["play"].click()
    hand.wait(lambda: hand.studio.player.is_active)


def test_a_voice_travels_and_comes_in(hand, make_studio, speech, tmp_path):
    saved = hand.save_own(speech)
    hand.open()
    hand.choose(saved)
    hand.panel.buttons["export"].click()
    (dialog,) = hand.window.findChildren(QFileDialog)
    path = tmp_path / Path(dialog.selectedFiles()[0]).name
    assert path.name == f"{saved.voice_id[:8]}.voice.zip"
    dialog.setDirectory(str(tmp_path))
    with hand.qtbot.waitSignal(hand.desk.exported, timeout=20_000):
        dialog.accept()
    other = Hand(make_studio(data_folder=tmp_path / "other").show())
    other.desk.take_in(path)
    other.answer_keys()
    other.wait(lambda: "is here" in other.window.notice.message)
    (there,) = other.open()
    other.choose(there)
    assert "Another studio signed" in other.panel.record.text() and other.panel.buttons["clone"].isEnabled()
    broken = tmp_path / "b.voice.zip"
    broken.write_bytes(path.read_bytes()[:-9])
    other.desk.take_in(broken)
    other.wait(lambda: "could not be imported" in other.window.notice.message)


def test_what_fails_is_told_and_the_dialog_stays(hand, speech):
    clone = hand.studio.compose.clone
    hand.window.rail_button("clone").click()
    hand.studio.drop(clone.drop, speech)
    clone.pick.save_button.click()
    Path(speech).unlink()
    dialog = hand.control.save_dialog
    dialog.own.click()
    dialog.save.click()
    hand.answer_keys()
    hand.wait(lambda: dialog.problem.text() != "")
    assert "does not exist" in dialog.problem.text() and dialog.isVisible() and dialog.save.isEnabled()


def test_everything_has_a_name_for_screen_readers(hand, speech):
    hand.save_own(speech)
    hand.open()
    hand.studio.compose.clone.pick.set_voice(None)
    hand.window.rail_button("clone").click()
    hand.studio.compose.clone.pick.save_button.click()
    dialog = hand.control.save_dialog
    for parent in (hand.panel, dialog, hand.studio.compose.clone.pick):
        for kind in (QAbstractButton, QLineEdit):
            for widget in parent.findChildren(kind):
                part_of_a_field = isinstance(widget.parent(), QLineEdit)  # the cross that clears it
                if not widget.objectName().startswith("qt_") and not part_of_a_field:
                    assert widget.accessibleName(), (parent, widget)


def test_the_desk_begins_nothing_once_it_is_closed(hand):
    desk = VoiceDesk(hand.library)
    assert desk.close(1.0)
    desk.look()
    assert desk.close(1.0)

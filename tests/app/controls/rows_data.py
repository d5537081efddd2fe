"""Complaints about voices, the saved data with its backups, and the texts of help."""

from __future__ import annotations

import json

from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox

from app.core.store.backups import list_backups
from app.core.store.restoring import wish, wished
from app.core.voice_card import VoiceState
from app.core.voice_copying import copy_voice
from app.core.voice_deletion import read_tombstone
from app.dialogs.help_dialog import TOPICS, HelpDialog
from tests.app.controls.rows_voices import an_own, listed, panel
from tests.app.controls.stage import type_into, unfolds


def complaint(stage, *, copied=False):
    """The dialog about a voice of one's own that nobody has complained about yet; ``copied``: there is a copy of it."""
    voice = an_own(stage)
    if copied:
        copy_voice(stage.application.library.door, voice.voice_id, "A copy")
    panel(stage).buttons["complaint"].click()
    dialog = stage.application.takedown.dialog
    stage.wait(lambda: dialog._derived is not None)
    assert dialog.isVisible() and dialog.voice.voice_id == voice.voice_id
    return dialog


def frozen(stage, *, copied=False):
    """The same once it is frozen."""
    dialog = complaint(stage, copied=copied)
    type_into(dialog.text, "Ada says that she did not agree.")
    dialog.freeze.click()
    stage.wait(lambda: dialog.pages.currentIndex() == 1)
    return dialog


def freezes(stage):
    dialog = complaint(stage)
    assert not dialog.freeze.isEnabled()
    type_into(dialog.text, "Ada says that she did not agree.")
    dialog.hours.setValue(24)
    dialog.freeze.click()
    stage.wait(lambda: dialog.pages.currentIndex() == 1)
    library = stage.application.library
    (opened,) = library.complaints.of_voice(dialog.voice.voice_id)
    assert (opened.decide_by - opened.opened_at).total_seconds() == 24 * 3600
    assert library.complaints.text(opened.complaint_id) == "Ada says that she did not agree." == dialog.said.text()
    assert library.voices.get(dialog.voice.voice_id).state is VoiceState.FROZEN
    dialog.close_button.click()
    assert stage.application.takedown.dialog is None


def lists(stage):
    dialog = frozen(stage, copied=True)
    inside, outside = (dialog.tree.topLevelItem(row) for row in range(2))
    derived = stage.application.library.voices.derived(dialog.voice.voice_id)
    assert derived.files[0][1] in inside.child(0).text(1) and outside.child(0).text(0) == "Nothing"
    last = inside.child(inside.childCount() - 1)
    assert last.text(0) == "Copies of the voice" and last.text(1).startswith("1:") and len(derived.copies) == 1
    dialog.close()


def releases(stage):
    dialog = frozen(stage)
    voice = dialog.voice.voice_id
    assert not dialog.release.isEnabled()
    type_into(dialog.reason, "It was somebody else.")
    dialog.release.click()
    stage.wait(lambda: stage.application.takedown.dialog is None)
    assert stage.application.library.voices.get(voice).state is VoiceState.ACTIVE


def exports_log(stage):
    dialog = frozen(stage)
    target = stage.tmp / "audit.jsonl"
    dialog.log.click()
    stage.answer_file(target)
    stage.wait(target.exists)
    assert "voice_frozen" in target.read_text(encoding="utf-8")
    dialog.close()


def deletes(stage):
    dialog = frozen(stage, copied=True)
    voice = dialog.voice.voice_id
    (copy,) = stage.application.library.voices.copies(voice)
    dialog.delete.click()
    stage.wait(lambda: dialog.findChildren(QMessageBox))
    (question,) = dialog.findChildren(QMessageBox)
    next(button for button in question.buttons() if button.text() == "Delete").click()
    stage.wait(lambda: dialog.pages.currentIndex() == 2)
    stage.wait(lambda: all(one.voice_id not in (voice, copy) for one in listed(stage)))
    target = stage.tmp / f"{voice}.json"
    dialog.note.click()
    stage.answer_file(target)
    stage.wait(target.exists)
    stone, signed = read_tombstone(target.read_bytes())
    assert signed and stone["voice_id"] == voice and json.loads(target.read_bytes())["public_key"]
    dialog.close()


def data(stage):
    """The dialog of the saved data."""
    stage.window.menus.actions["data"].trigger()
    dialog = stage.application.data.dialog
    assert dialog.isVisible()
    stage.wait(lambda: dialog._state.backups)
    return dialog


def shows_data(stage):
    dialog = data(stage)
    assert str(stage.application.library.folder) in dialog.folder.text()
    dialog.close_button.click()
    assert stage.application.data.dialog is None


def backs_up(stage):
    dialog = data(stage)
    before = list_backups(stage.application.data.folder / "backups")[0].number
    dialog.backup.click()
    stage.wait(lambda: list_backups(stage.application.data.folder / "backups")[0].number == before + 1)
    stage.wait(lambda: dialog._state.backups[0].backup.number == before + 1)
    assert dialog.table.item(0, 1).text() == str(before + 1)


def checks(stage):
    dialog = data(stage)
    dialog.check.click()
    stage.wait(lambda: dialog._health is not None)
    assert dialog._health.is_whole and "Everything is whole" in dialog.status.text()


def restores(stage):
    dialog = data(stage)
    dialog.select(0)
    dialog.restore.click()
    stage.wait(lambda: dialog.findChildren(QMessageBox))
    (question,) = dialog.findChildren(QMessageBox)
    assert "30 days" in question.informativeText()
    next(button for button in question.buttons() if button.text() != "Go back").click()
    stage.wait(lambda: not dialog.findChildren(QMessageBox))
    assert wished(stage.application.data.folder) is None


def leaves_it(stage):
    dialog = data(stage)
    wish(stage.application.data.folder, dialog._state.backups[0].backup.number)
    stage.application.data._look()
    stage.wait(lambda: dialog.unwish.isVisible())
    dialog.unwish.click()
    stage.wait(lambda: not dialog.unwish.isVisible())
    assert wished(stage.application.data.folder) is None


def shows_folder(stage):
    opened = []
    before, QDesktopServices.openUrl = QDesktopServices.openUrl, opened.append
    try:
        data(stage).show_folder.click()
    finally:
        QDesktopServices.openUrl = before
    assert [url.toLocalFile() for url in opened] == [str(stage.application.data.folder)]


def help_of(topic):
    def row(stage):
        stage.window.menus.actions[f"help_{topic}"].trigger()
        dialog = stage.application.help
        assert (
            dialog.isVisible() and dialog.topic == topic and dialog.view.toPlainText().startswith(dialog.windowTitle())
        )
        dialog.close_button.click()
        assert not dialog.isVisible()

    return row


COMPLAINT = {
    "voices_panel.buttons[complaint]": lambda s: complaint(s).close(),
    "TakeDownDialog.text": freezes,
    "TakeDownDialog.hours": freezes,
    "TakeDownDialog.freeze": freezes,
    "TakeDownDialog.close_button": freezes,
    "TakeDownDialog.tree": lists,
    "TakeDownDialog.reason": releases,
    "TakeDownDialog.release": releases,
    "TakeDownDialog.log": exports_log,
    "TakeDownDialog.delete": deletes,
    "TakeDownDialog.note": deletes,
    "TakeDownDialog.problem.details_button": unfolds(lambda s: complaint(s).problem),
}
DATA = {
    "menu: data": shows_data,
    "DataDialog.close_button": shows_data,
    "DataDialog.backup": backs_up,
    "DataDialog.table": restores,
    "DataDialog.check": checks,
    "DataDialog.restore": restores,
    "DataDialog.unwish": leaves_it,
    "DataDialog.show_folder": shows_folder,
    "DataDialog.problem.details_button": unfolds(lambda s: data(s).problem),
}
HELP = {
    **{f"menu: help_{topic}": help_of(topic) for topic in TOPICS},
    "HelpDialog.close_button": help_of(TOPICS[0]),
}
AREAS = {"complaints": COMPLAINT, "saved data": DATA, "help": HELP}
DIALOGS = {
    "TakeDownDialog": complaint,
    "DataDialog": data,
    "HelpDialog": lambda stage: HelpDialog(TOPICS[0], stage.window),
}

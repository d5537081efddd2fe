"""The library of voices, and the dialogs that save one and ask for the passphrase."""

from __future__ import annotations

import zipfile

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.core.voice_card import VoiceState, in_order
from tests.app.controls.stage import LONG, type_into, unfolds, writes
from tests.app.voices.makers import place
from tests.app.voices.test_voice_bundle import shared

WORDS = "a few words for the test"


def panel(stage):
    return stage.window.voices_panel


def control(stage):
    return stage.window.voices


def listed(stage):
    model = panel(stage).model
    return [model.voice_at(model.index(row)) for row in range(model.rowCount())]


def choose(stage, voice):
    panel(stage).select(voice.voice_id)
    stage.wait(lambda: panel(stage)._described is not None and panel(stage)._described.voice == panel(stage).current)


def a_shipped(stage):
    stage.go("voices")
    stage.wait(lambda: any(voice.shipped for voice in listed(stage)))
    voice = next(voice for voice in listed(stage) if voice.shipped)
    choose(stage, voice)
    return voice


def save_dialog(stage, other=True):
    """Ask to save the recording of the clone panel."""
    if control(stage).save_dialog is not None:
        control(stage).save_dialog.reject()
    mode = stage.recording("clone")
    mode.pick.save_button.click()
    dialog = control(stage).save_dialog
    if other:
        dialog.other.click()
        type_into(dialog.who, "Ada Lind")
        type_into(dialog.contact, "ada@example.org")
    return dialog


def press_save(stage, dialog):
    """Save, with keys that last as long as the program; the voice with its record."""
    dialog.save.click()
    stage.wait(lambda: control(stage).save_dialog is None or control(stage).passphrase is not None)
    if control(stage).passphrase is not None:
        control(stage).passphrase.memory.click()
    stage.wait(lambda: control(stage).save_dialog is None and stage.compose.clone.pick.voice is not None)
    voice = stage.compose.clone.pick.voice
    return voice, stage.application.library.voices.record(voice.voice_id)


def an_own(stage):
    """A saved voice, chosen in the panel."""
    dialog = save_dialog(stage, other=False)
    dialog.own.click()
    voice, _ = press_save(stage, dialog)
    stage.go("voices")
    stage.wait(lambda: any(one.voice_id == voice.voice_id for one in listed(stage)))
    choose(stage, voice)
    return voice


def saved(act, seen, wanted):
    """The field reaches the record or the card of the voice that is saved."""

    def row(stage):
        dialog = save_dialog(stage)
        act(stage, dialog)
        voice, record = press_save(stage, dialog)
        assert seen(voice, record) == wanted

    return row


def own_voice(stage):
    dialog = save_dialog(stage, other=False)
    assert not dialog.save.isEnabled()
    dialog.own.click()
    _, record = press_save(stage, dialog)
    assert record.subject_kind == "self"


def represented(stage, dialog):
    dialog.minor.click()
    type_into(dialog.representative, "Eva Lind")
    dialog.authority.setCurrentIndex(dialog.authority.findData("guardian"))


def speaks_for(voice, record):
    one = record.representative
    return one.name.text, one.authority


def proof(stage, dialog):
    path = stage.tmp / "contract.pdf"
    path.write_bytes(b"signed")
    dialog.document_button.click()
    stage.answer_file(path)


def cancel(stage):
    dialog = save_dialog(stage)
    before = len(listed(stage))
    dialog.cancel.click()
    assert control(stage).save_dialog is None and len(listed(stage)) == before


def searches(stage):
    a_shipped(stage)
    type_into(panel(stage).search, "slt")
    stage.wait(lambda: len(listed(stage)) == 1)
    panel(stage).search.clear()
    stage.wait(lambda: len(listed(stage)) > 1)


def sorts(stage):
    a_shipped(stage)
    before = listed(stage)
    for order, wanted in (("newest", in_order(before, "newest")), ("oldest", before)):
        panel(stage).sort.setCurrentIndex(panel(stage).sort.findData(order))
        panel(stage).sort.activated.emit(panel(stage).sort.currentIndex())
        stage.wait(lambda wanted=wanted: listed(stage) == wanted)
        assert stage.settings.get("voices_order") == order
    assert before != in_order(before, "newest")


def duplicates(stage):
    """Another voice with a key of its own; a withdrawal of one freezes both."""
    voice = an_own(stage)
    stage.wait(panel(stage).buttons["copy"].isEnabled)
    panel(stage).buttons["copy"].click()
    name = f"{voice.name} (copy)"
    stage.wait(lambda: panel(stage).current is not None and panel(stage).current.name == name)
    copy, voices = panel(stage).current, stage.application.library.voices
    assert copy.stands_on == voice.voice_id and voices.store.keys.has_voice_key(copy.voice_id)
    stage.wait(lambda: "stand on this consent: 1" in panel(stage).record.text())
    voices.withdraw(copy.voice_id)
    assert voices.get(voice.voice_id).state is VoiceState.FROZEN


def listens(stage):
    a_shipped(stage)
    QTest.keyClick(panel(stage).list, Qt.Key.Key_Return)
    stage.wait(lambda: stage.player.is_active)
    stage.player.stop()


def plays(stage):
    a_shipped(stage)
    panel(stage).buttons["play"].click()
    stage.wait(lambda: stage.player.is_active)
    stage.player.stop()


def hears(stage):
    """The take that was made with the voice."""
    voice = an_own(stage)
    assert not panel(stage).buttons["hear"].isEnabled()
    stage.compose.clone.pick.set_voice(voice)
    stage.go("clone")
    (take,) = stage.generate()
    stage.compose.clone.pick.set_voice(None)
    stage.wait(lambda: take.kept)
    stage.go("voices")
    choose(stage, voice)
    stage.wait(panel(stage).buttons["hear"].isEnabled)
    panel(stage).buttons["hear"].click()
    stage.wait(lambda: stage.player.is_active)
    assert stage.player.source.length == len(take.samples)
    stage.player.stop()


def renames(stage):
    an_own(stage)
    type_into(panel(stage).name, "Zoe")
    type_into(panel(stage).tags, "warm, low")
    panel(stage).rename_button.click()
    stage.wait(lambda: any(voice.name == "Zoe" and voice.card.tags == ("low", "warm") for voice in listed(stage)))


def used(key):
    def row(stage):
        voice = an_own(stage) if key == "clone" else a_prompt(stage)
        stage.wait(panel(stage).buttons[key].isEnabled)
        panel(stage).buttons[key].click()
        assert stage.job().voice.voice_id == voice.voice_id
        stage.compose.panel.pick.set_voice(None)

    return row


def a_prompt(stage):
    mode = stage.recording("continue")
    mode.pick.save_button.click()
    dialog = control(stage).save_dialog
    dialog.own.click()
    dialog.save.click()
    stage.wait(lambda: control(stage).save_dialog is None or control(stage).passphrase is not None)
    if control(stage).passphrase is not None:
        control(stage).passphrase.memory.click()
    stage.wait(lambda: mode.pick.voice is not None)
    voice = mode.pick.voice
    stage.go("voices")
    stage.wait(lambda: any(one.voice_id == voice.voice_id for one in listed(stage)))
    choose(stage, voice)
    return voice


def export(stage):
    an_own(stage)
    panel(stage).buttons["export"].click()


def imports(stage):
    """A voice of another studio, taken in."""
    with place(stage.tmp / "other studio") as there:
        voice, path = shared(there, stage.tmp)
    an_own(stage)  # now there are keys
    panel(stage).import_button.click()
    stage.answer_file(path)
    stage.wait(lambda: any(one.voice_id == voice.voice_id for one in listed(stage)))


def deletes(stage):
    voice = an_own(stage)
    panel(stage).buttons["delete"].click()
    stage.answer("Delete")
    stage.wait(lambda: all(one.voice_id != voice.voice_id for one in listed(stage)))


def unlocks(stage):
    panel(stage).unlock_button.click()
    assert control(stage).passphrase.known and control(stage).passphrase.isVisible()
    control(stage).passphrase.reject()


VOICES = {
    "voices_panel.search": searches,
    "voices_panel.list": listens,
    "voices_panel.sort": sorts,
    "voices_panel.name": renames,
    "voices_panel.tags": renames,
    "voices_panel.rename_button": renames,
    "voices_panel.buttons[clone]": used("clone"),
    "voices_panel.buttons[continue]": used("continue"),
    "voices_panel.buttons[play]": plays,
    "voices_panel.buttons[hear]": hears,
    "voices_panel.buttons[copy]": duplicates,
    "voices_panel.buttons[export]": writes(export, "voice.zip", zipfile.is_zipfile),
    "voices_panel.buttons[delete]": deletes,
    "voices_panel.import_button": imports,
    "voices_panel.unlock_button": unlocks,
    "voices_panel.reasons.details_button": unfolds(lambda s: panel(s).reasons),
}
_ALLOWED = {
    "commercial": lambda voice, record: record.scope.commercial,
    "training": lambda voice, record: record.scope.training,
    "sharing": lambda voice, record: record.scope.redistribution,
    "sensitive": lambda voice, record: record.scope.sensitive_text,
}
SAVE = {
    "SaveVoiceDialog.own": own_voice,
    "SaveVoiceDialog.other": saved(lambda s, d: None, lambda v, r: r.subject_kind, "other"),
    "SaveVoiceDialog.name": saved(lambda s, d: type_into(d.name, "Ada, low"), lambda v, r: v.name, "Ada, low"),
    "SaveVoiceDialog.tags": saved(lambda s, d: type_into(d.tags, "b, a"), lambda v, r: v.card.tags, ("a", "b")),
    "SaveVoiceDialog.who": saved(lambda s, d: type_into(d.who, "Bo"), lambda v, r: r.speaker.name.text, "Bo"),
    "SaveVoiceDialog.contact": saved(
        lambda s, d: type_into(d.contact, "bo@example.org"), lambda v, r: r.speaker.contact.text, "bo@example.org"
    ),
    "SaveVoiceDialog.operator": saved(
        lambda s, d: type_into(d.operator, "Studio Nord"), lambda v, r: r.operator.text, "Studio Nord"
    ),
    "SaveVoiceDialog.months": saved(
        lambda s, d: d.months.setValue(3), lambda v, r: 88 < (r.expires_at - r.valid_from).days < 93, True
    ),
    "SaveVoiceDialog.keep": saved(
        lambda s, d: d.keep.setCurrentIndex(d.keep.findData("7d")), lambda v, r: r.retention.reference, "7d"
    ),
    "SaveVoiceDialog.minor": saved(represented, speaks_for, ("Eva Lind", "guardian")),
    "SaveVoiceDialog.representative": saved(represented, speaks_for, ("Eva Lind", "guardian")),
    "SaveVoiceDialog.authority": saved(represented, speaks_for, ("Eva Lind", "guardian")),
    "SaveVoiceDialog.document_button": saved(proof, lambda v, r: r.level, "L1"),
    **{
        f"SaveVoiceDialog.allowed[{key}]": saved(lambda s, d, key=key: d.allowed[key].click(), seen, True)
        for key, seen in _ALLOWED.items()
    },
    "SaveVoiceDialog.save": own_voice,
    "SaveVoiceDialog.cancel": cancel,
    "SaveVoiceDialog.problem.details_button": unfolds(lambda s: save_dialog(s).problem),
}


def passphrase(known):
    def ask(stage):
        control(stage)._ask_for_keys(known)
        return control(stage).passphrase

    return ask


def chosen(stage):
    """A new passphrase, twice."""
    dialog = passphrase(False)(stage)
    type_into(dialog.first, WORDS)
    dialog.ok.click()
    assert "not the same" in dialog.problem.text()
    type_into(dialog.second, WORDS)
    dialog.ok.click()
    stage.wait(lambda: control(stage).passphrase is None)
    assert stage.application.library.store.keys.lasting


def asked_for(stage):
    """The one that was chosen, and no other."""
    dialog = passphrase(True)(stage)
    type_into(dialog.first, "another passphrase")
    dialog.ok.click()
    stage.wait(dialog.problem.text)
    type_into(dialog.first, WORDS)
    dialog.ok.click()
    stage.wait(lambda: control(stage).passphrase is None)


def in_memory(stage):
    dialog = passphrase(False)(stage)
    with stage.qtbot.waitSignal(dialog.memory_chosen, timeout=LONG):
        dialog.memory.click()
    stage.wait(lambda: control(stage).passphrase is None)
    assert not stage.application.library.store.keys.lasting


def no_key(stage):
    dialog = passphrase(False)(stage)
    dialog.cancel.click()
    assert control(stage).passphrase is None


KEYS = {  # in this order: what is chosen first lasts
    "PassphraseDialog.cancel": no_key,
    "PassphraseDialog.memory": in_memory,
    "PassphraseDialog.problem.details_button": unfolds(lambda s: passphrase(False)(s).problem),
}
CHOSEN = {
    "PassphraseDialog.second": chosen,
    "PassphraseDialog.first": asked_for,
    "PassphraseDialog.ok": asked_for,
}
AREAS = {"voices": VOICES, "save a voice": SAVE, "no passphrase": KEYS, "passphrase": CHOSEN}
DIALOGS = {"SaveVoiceDialog": save_dialog, "PassphraseDialog": passphrase(False)}

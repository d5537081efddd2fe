"""The consents of saved voices: spoken, renewed, asked for and answered from far away."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import soundfile

from app.core.consent.bundle import make_request, read_answer, read_request
from app.core.consent.record import OTHER, SELF
from app.core.sound_files import keep
from app.core.spoken import Listeners
from app.core.voice_card import VoiceCard, VoiceState
from app.core.voice_making import Word, save_files
from tests.app.consent.makers import Hears, Matches
from tests.app.controls.rows_voices import WORDS, choose, listed, panel
from tests.app.controls.stage import type_into, unfolds

SPOKEN = np.random.default_rng(6).uniform(-0.4, 0.4, 48_000).astype(np.float32)
TICKS = ("commercial", "training", "redistribution", "sensitive_text")


def control(stage):
    return stage.window.consents


def library(stage):
    """The library, with keys that last."""
    keys = stage.application.library.store.keys
    if not keys.lasting:
        keys.set_passphrase(WORDS)
    return stage.application.library


def saved(stage, word=None):
    """A voice of somebody else, or of this ``word``, chosen in the panel."""
    word = word or Word(OTHER, "Ada Lind", "ada@example.org")
    voice = save_files(library(stage).voices, VoiceCard("Ada"), word, {"reference": stage.speech})
    stage.go("voices")
    stage.application.desk.changed.emit()
    stage.wait(lambda: any(one.voice_id == voice.voice_id for one in listed(stage)))
    choose(stage, voice)
    return voice


def record_of(stage, voice):
    return library(stage).voices.record(voice.voice_id)


def on_top(stage, what):
    """The dialog that is open, once it is another than ``what``."""
    stage.wait(lambda: control(stage).dialog is not None and control(stage).dialog is not what)
    return control(stage).dialog


@contextmanager
def listening(said, score=0.9):
    """A recogniser that hears ``said``, and a comparison of voices with this outcome."""
    with patch("app.engine.ears.Ears.listeners", lambda *_: Listeners(Hears(said), Matches(score))):
        yield


# The statement of a saved voice, spoken here --------------------------------------------------------------------------


def speak_dialog(stage):
    saved(stage)
    before = control(stage).dialog
    panel(stage).buttons["raise"].click()
    dialog = on_top(stage, before)
    stage.wait(lambda: dialog._drawn is not None)
    return dialog


def check(stage, dialog, said=None):
    """Have the recording judged; the record that comes of it."""
    voice = panel(stage).current
    with listening(dialog._drawn.statement.text.text if said is None else said):
        dialog.check.click()
        stage.wait(lambda: dialog._kept is not None or dialog.problem.text())
    return record_of(stage, voice)


def kept_of(stage, dialog):
    """Source and hash of the statement that the record has after the check."""
    audio = check(stage, dialog).statement_audio
    return audio.source, audio.sha256_pcm


def language(stage):
    dialog = speak_dialog(stage)
    dialog.language.setCurrentIndex(dialog.language.findData("zh"))
    dialog.language.activated.emit(dialog.language.currentIndex())
    stage.wait(lambda: dialog._drawn.statement.lang == "zh")
    dialog.statement.use_file(str(stage.speech))
    assert check(stage, dialog).statement.lang == "zh"


def raises(stage):
    dialog = speak_dialog(stage)
    spoken(stage, dialog)
    record = check(stage, dialog)
    assert record.level == "L3" and record.statement == dialog._drawn.statement


def evidence_only(stage):
    dialog = speak_dialog(stage)
    assert not dialog.anyway.isVisible()
    dialog.statement.use_file(str(stage.speech))
    assert check(stage, dialog, "something else").level == "L0"
    voice = panel(stage).current
    with listening("something else"):
        dialog.anyway.click()
        stage.wait(lambda: dialog._kept is not None)
    assert record_of(stage, voice).level == "L1"


def speaks_no_more(stage):
    dialog = speak_dialog(stage)
    voice, before = panel(stage).current, record_of(stage, panel(stage).current)
    microphone(stage, dialog)
    dialog.done_button.click()
    assert control(stage).dialog is None and stage.audio.microphone.closed and record_of(stage, voice) == before


# The microphone row of a statement ------------------------------------------------------------------------------------


def microphone(stage, dialog):
    """The row with an open microphone, without the count."""
    row = dialog.statement.row
    row.cancel()
    dialog.statement.record_button.click()
    assert row.isVisible() and not stage.audio.microphone.closed
    if row.count_in.isChecked():
        row.count_in.click()
    return row


def spoken(stage, dialog):
    row = microphone(stage, dialog)
    row.record_button.click()
    stage.audio.microphone.speak(SPOKEN)
    row.stop_button.click()
    stage.wait(lambda: dialog.statement.spoken is not None)


def statement_rows(name, opened, outcome):
    """The rows of a statement in a dialog; ``outcome`` finishes it and gives source and hash of what was kept."""

    def by_microphone(stage):
        dialog = opened(stage)
        spoken(stage, dialog)
        assert stage.audio.microphone.closed
        assert outcome(stage, dialog) == ("live", keep(SPOKEN, 48_000).sha256)

    def by_file(stage):
        dialog = opened(stage)
        dialog.statement.file_button.click()
        stage.answer_file(stage.speech)
        source, digest = outcome(stage, dialog)
        sound, rate = soundfile.read(stage.speech, dtype="float32")
        assert source == "file" and digest == keep(sound.mean(axis=1, dtype=np.float32), rate).sha256

    def listens(stage):
        dialog = opened(stage)
        assert not dialog.statement.listen_button.isEnabled()
        spoken(stage, dialog)
        dialog.statement.listen_button.click()
        assert stage.player.is_active and stage.player.source.length == len(SPOKEN)
        stage.player.stop()

    def cancel(stage):
        dialog = opened(stage)
        row = microphone(stage, dialog)
        row.record_button.click()
        stage.audio.microphone.speak(SPOKEN)
        row.cancel_button.click()
        assert stage.audio.microphone.closed and not row.isVisible() and dialog.statement.spoken is None

    def count_in(stage):
        row = microphone(stage, opened(stage))
        row.count_in.click()
        row.record_button.click()
        assert "3" in row.count_label.text() and stage.settings.get("count_in")
        row.stop_button.click()
        row.count_in.click()
        row.record_button.click()
        assert row.count_label.text() == "Recording: speak now"
        row.cancel_button.click()

    def monitor(stage):
        row = microphone(stage, opened(stage))
        row.monitor.click()
        stream = stage.audio.streams[-1]
        stage.audio.microphone.speak(SPOKEN[:2000])
        stage.wait(lambda: bool(np.any(stream.heard)))
        row.monitor.click()
        assert not stream.active
        row.cancel_button.click()

    def device(stage):
        row = microphone(stage, opened(stage))
        for index, name in ((2, "other microphone"), (0, "fake microphone")):
            row.device.setCurrentIndex(index)
            row.device.activated.emit(index)
            assert stage.audio.opened[-1] == name
        row.cancel_button.click()

    rows = {
        "record_button": by_microphone,
        "file_button": by_file,
        "listen_button": listens,
        "row.record_button": by_microphone,
        "row.stop_button": by_microphone,
        "row.cancel_button": cancel,
        "row.count_in": count_in,
        "row.monitor": monitor,
        "row.device": device,
        "row.problem.details_button": unfolds(lambda s: opened(s).statement.row.problem),
    }
    return {f"{name}.statement.{key}": row for key, row in rows.items()}


# A consent that is given anew, or lasts longer ------------------------------------------------------------------------


def renew_dialog(stage, word=None):
    saved(stage, word)
    before = control(stage).dialog
    panel(stage).buttons["renew"].click()
    return on_top(stage, before)


def renewed(act, seen, wanted, word=None):
    """The field reaches the next version of the record, and did not hold before."""

    def row(stage):
        dialog = renew_dialog(stage, word() if word else None)
        voice = panel(stage).current
        before = record_of(stage, voice)
        assert seen(before) != wanted
        act(stage, dialog)
        dialog.save.click()
        stage.wait(lambda: control(stage).dialog is None)
        after = record_of(stage, voice)
        assert after.version == before.version + 1 and seen(after) == wanted

    return row


def back_to_anew(stage, dialog):
    dialog.longer.click()
    dialog.anew.click()


def proof(stage, dialog):
    path = stage.tmp / "letter.pdf"
    path.write_bytes(b"signed")
    dialog.document_button.click()
    stage.answer_file(path)


def proven(stage):
    renewed(proof, lambda record: record.level, "L1")(stage)
    voice, digest = panel(stage).current, hashlib.sha256(b"signed").hexdigest()
    assert ("evidence", digest) in library(stage).voices.derived(voice.voice_id).files


def renews_nothing(stage):
    dialog = renew_dialog(stage)
    voice, before = panel(stage).current, record_of(stage, panel(stage).current)
    dialog.months.setValue(30)
    dialog.cancel.click()
    assert control(stage).dialog is None and record_of(stage, voice) == before


def for_a_year():
    return Word(SELF, months=12)


# A consent that is taken back ----------------------------------------------------------------------------------------


def withdraw_dialog(stage):
    saved(stage)
    before = control(stage).dialog
    panel(stage).buttons["withdraw"].click()
    return on_top(stage, before)


def withdraws(stage):
    """The record says by which channel, and the voice is frozen."""
    dialog = withdraw_dialog(stage)
    voice = panel(stage).current
    dialog.channel.setCurrentIndex(dialog.channel.findData("letter"))
    dialog.withdraw.click()
    stage.wait(lambda: control(stage).dialog is None)
    said = record_of(stage, voice).withdrawal
    assert (said.channel, said.action) == ("letter", "freeze")
    stage.wait(lambda: panel(stage).current is not None and panel(stage).current.state is VoiceState.FROZEN)


def withdraws_all(stage):
    dialog = withdraw_dialog(stage)
    voice = panel(stage).current
    dialog.delete.click()
    dialog.withdraw.click()
    stage.wait(lambda: control(stage).dialog is None)
    stage.wait(lambda: all(one.voice_id != voice.voice_id for one in listed(stage)))
    entries = library(stage).audit.entries()
    facts = next(entry.facts for entry in reversed(list(entries)) if entry.event == "consent_withdrawn")
    assert (facts["voice"], facts["channel"], facts["action"]) == (voice.voice_id, "in_person", "delete")


def withdraws_nothing(stage):
    dialog = withdraw_dialog(stage)
    voice, before = panel(stage).current, record_of(stage, panel(stage).current)
    dialog.cancel.click()
    assert control(stage).dialog is None and record_of(stage, voice) == before


# A request that is sent -----------------------------------------------------------------------------------------------


def request_dialog(stage):
    library(stage)
    stage.go("voices")
    before = control(stage).dialog
    panel(stage).far_actions["ask"].trigger()
    dialog = on_top(stage, before)
    type_into(dialog.operator, "Studio North")
    return dialog


def write(stage, dialog, name):
    """Have the file of a dialog written."""
    path = stage.tmp / name
    path.unlink(missing_ok=True)
    dialog.write.click()
    stage.answer_file(path)
    stage.wait(lambda: control(stage).dialog is None)
    return path


def asked(act, seen, wanted):
    """The field reaches the file that is sent, and did not say so before."""

    def row(stage):
        dialog = request_dialog(stage)
        assert seen(read_request(write(stage, dialog, "a.consent-request.json").read_bytes())) != wanted
        dialog = request_dialog(stage)
        act(dialog)
        assert seen(read_request(write(stage, dialog, "a.consent-request.json").read_bytes())) == wanted

    return row


def asks_nobody(stage):
    dialog = request_dialog(stage)
    before = set(stage.tmp.iterdir())
    dialog.cancel.click()
    assert control(stage).dialog is None and set(stage.tmp.iterdir()) == before


def opens_request(stage):
    assert request_dialog(stage).write.isEnabled()


# An answer that is sent back ------------------------------------------------------------------------------------------


def request_file(stage, **options):
    """A request of this studio, as a file."""
    keys = library(stage).store.keys
    scope = record_of(stage, saved(stage)).scope
    request = make_request(operator="Studio North", scope=scope, key=keys.signing_key(), key_id=keys.key_id, **options)
    path = stage.tmp / "asked.consent-request.json"
    path.write_bytes(request.to_json())
    return path


def answer_dialog(stage, *, for_guardian=False):
    """The menu entry, and the file that is asked for."""
    path = request_file(stage, for_guardian=for_guardian)
    before = control(stage).dialog
    panel(stage).far_actions["answer"].trigger()
    stage.answer_file(path)
    return on_top(stage, before)


def complete(stage, dialog):
    """Fill in what is missing."""
    if dialog.statement.spoken is None:
        dialog.statement.use_file(str(stage.speech))
    for field, text in (
        (dialog.name, "Bea Ek"),
        (dialog.contact, "bea@example.org"),
        (dialog.representative, "Eva Ek"),
    ):
        if not field.text():
            type_into(field, text)
    if not dialog._files:
        dialog.add_files([str(stage.speech)])


@contextmanager
def answered(stage, dialog):
    """The answer that is written, as the studio that asked reads it."""
    path = write(stage, dialog, "answer.consent.zip")
    received = read_answer(path, own_keys=library(stage).voices.public_keys(""))
    with received.bundle:
        yield received


def answers(act, seen, wanted, *, for_guardian=False):
    """The field reaches the answer."""

    def row(stage):
        dialog = answer_dialog(stage, for_guardian=for_guardian)
        act(stage, dialog)
        complete(stage, dialog)
        with answered(stage, dialog) as received:
            assert seen(received.answer) == wanted

    return row


def sent_of(stage, dialog):
    """Source and hash of the statement in the answer."""
    complete(stage, dialog)
    with answered(stage, dialog) as received:
        item = received.answer.statement
        received.bundle.extract(item.file, stage.tmp / "sent.flac")
        sound, rate = soundfile.read(stage.tmp / "sent.flac", dtype="float32")
        (stage.tmp / "sent.flac").unlink()
        return item.source, keep(sound if sound.ndim == 1 else sound.mean(axis=1, dtype=np.float32), rate).sha256


def recordings(stage):
    dialog = answer_dialog(stage)
    dialog.files_button.click()
    stage.answer_file(stage.speech)
    complete(stage, dialog)
    with answered(stage, dialog) as received:
        (item,) = received.answer.references
        assert received.bundle.read(item.file) == stage.speech.read_bytes()


def answers_nothing(stage):
    dialog = answer_dialog(stage)
    complete(stage, dialog)
    microphone(stage, dialog)
    before = set(stage.tmp.iterdir())
    dialog.cancel.click()
    assert control(stage).dialog is None and stage.audio.microphone.closed and set(stage.tmp.iterdir()) == before


def authority(stage, dialog):
    dialog.authority.setCurrentIndex(dialog.authority.findData("guardian"))


# What the panel offers of it ------------------------------------------------------------------------------------------


def far_away(stage):
    stage.go("voices")
    texts = [action.text() for action in panel(stage).far_button.menu().actions() if action.isEnabled()]
    assert texts == ["Ask somebody for consent…", "Take in an answer…", "Answer a request…"]


def takes_in(stage):
    """An answer that came back makes a voice."""
    dialog = answer_dialog(stage)
    complete(stage, dialog)
    with answered(stage, dialog) as received:
        request = received.request
    panel(stage).far_actions["take"].trigger()
    with listening(request.text):
        stage.answer_file(stage.tmp / "answer.consent.zip")
        naming = control(stage).name_dialog
        naming.setTextValue("Bea")
        naming.accept()
        stage.wait(lambda: any(voice.name == "Bea" for voice in listed(stage)))
    voice = library(stage).voices.find("Bea")
    assert record_of(stage, voice).speaker.name.text == "Bea Ek" and record_of(stage, voice).level == "L2"


def tick(key):
    return lambda dialog: dialog.scope.ticks[key].click()


PANEL = {
    "voices_panel.buttons[raise]": raises,
    "voices_panel.buttons[renew]": renewed(lambda s, d: None, lambda r: r.change, "renewed"),
    "voices_panel.far_button": far_away,
    "voices_panel.far_button: Ask somebody for consent…": opens_request,
    "voices_panel.far_button: Answer a request…": answers(lambda s, d: None, lambda a: a.name, "Bea Ek"),
    "voices_panel.far_button: Take in an answer…": takes_in,
}
SPEAK = {
    "SpokenStatementDialog.language": language,
    "SpokenStatementDialog.check": raises,
    "SpokenStatementDialog.anyway": evidence_only,
    "SpokenStatementDialog.done_button": speaks_no_more,
    "SpokenStatementDialog.problem.details_button": unfolds(lambda s: speak_dialog(s).problem),
    **statement_rows("SpokenStatementDialog", speak_dialog, kept_of),
}
RENEW = {
    "RenewConsentDialog.anew": renewed(back_to_anew, lambda r: r.change, "renewed"),
    "RenewConsentDialog.longer": renewed(
        lambda s, d: (d.longer.click(), d.months.setValue(3)), lambda r: r.change, "extended"
    ),
    "RenewConsentDialog.months": renewed(
        lambda s, d: d.months.setValue(24), lambda r: (r.expires_at - r.granted_at).days > 700, True
    ),
    "RenewConsentDialog.endless": renewed(
        lambda s, d: d.endless.click(), lambda r: r.expires_at, None, word=for_a_year
    ),
    **{
        f"RenewConsentDialog.scope.ticks[{key}]": renewed(
            lambda s, d, key=key: tick(key)(d), lambda r, key=key: getattr(r.scope, key), True
        )
        for key in TICKS
    },
    "RenewConsentDialog.document_button": proven,
    "RenewConsentDialog.save": renewed(lambda s, d: None, lambda r: r.change, "renewed"),
    "RenewConsentDialog.cancel": renews_nothing,
    "RenewConsentDialog.problem.details_button": unfolds(lambda s: renew_dialog(s).problem),
}
WITHDRAW = {
    "voices_panel.buttons[withdraw]": withdraws,
    "WithdrawConsentDialog.channel": withdraws,
    "WithdrawConsentDialog.delete": withdraws_all,
    "WithdrawConsentDialog.withdraw": withdraws,
    "WithdrawConsentDialog.cancel": withdraws_nothing,
    "WithdrawConsentDialog.problem.details_button": unfolds(lambda s: withdraw_dialog(s).problem),
}
ASK = {
    "ConsentRequestDialog.operator": asked(lambda d: type_into(d.operator, "Bo Ek"), lambda r: r.operator, "Bo Ek"),
    "ConsentRequestDialog.use": asked(lambda d: type_into(d.use, "an audio guide"), lambda r: "guide" in r.text, True),
    "ConsentRequestDialog.note": asked(lambda d: type_into(d.note, "Please."), lambda r: r.note, "Please."),
    "ConsentRequestDialog.language": asked(
        lambda d: d.language.setCurrentIndex(d.language.findData("zh")), lambda r: r.lang, "zh"
    ),
    "ConsentRequestDialog.months": asked(lambda d: d.months.setValue(3), lambda r: r.months, 3),
    "ConsentRequestDialog.references": asked(lambda d: d.references.setValue(2), lambda r: r.references_wanted, 2),
    "ConsentRequestDialog.guardian": asked(
        lambda d: d.guardian.click(), lambda r: r.template_id.startswith("guardian"), True
    ),
    **{
        f"ConsentRequestDialog.scope.ticks[{key}]": asked(tick(key), lambda r, key=key: getattr(r.scope, key), True)
        for key in TICKS
    },
    "ConsentRequestDialog.write": asked(lambda d: type_into(d.operator, "Cy"), lambda r: "Cy" in r.text, True),
    "ConsentRequestDialog.cancel": asks_nobody,
    "ConsentRequestDialog.problem.details_button": unfolds(lambda s: request_dialog(s).problem),
}
ANSWER = {
    "ConsentAnswerDialog.name": answers(lambda s, d: type_into(d.name, "Di"), lambda a: a.name, "Di"),
    "ConsentAnswerDialog.contact": answers(
        lambda s, d: type_into(d.contact, "di@x.org"), lambda a: a.contact, "di@x.org"
    ),
    "ConsentAnswerDialog.representative": answers(
        lambda s, d: type_into(d.representative, "Fay"),
        lambda a: a.representative,
        ("Fay", "parent"),
        for_guardian=True,
    ),
    "ConsentAnswerDialog.authority": answers(
        authority, lambda a: a.representative, ("Eva Ek", "guardian"), for_guardian=True
    ),
    "ConsentAnswerDialog.minor": answers(lambda s, d: d.minor.click(), lambda a: a.adult, False, for_guardian=True),
    "ConsentAnswerDialog.files_button": recordings,
    "ConsentAnswerDialog.write": answers(lambda s, d: None, lambda a: a.contact, "bea@example.org"),
    "ConsentAnswerDialog.cancel": answers_nothing,
    "ConsentAnswerDialog.problem.details_button": unfolds(lambda s: answer_dialog(s).problem),
    **statement_rows("ConsentAnswerDialog", answer_dialog, sent_of),
}
AREAS = {
    "consent in the panel": PANEL,
    "spoken statement": SPEAK,
    "renewed consent": RENEW,
    "withdrawn consent": WITHDRAW,
    "request for consent": ASK,
    "answer to a request": ANSWER,
}
DIALOGS = {
    "SpokenStatementDialog": speak_dialog,
    "RenewConsentDialog": renew_dialog,
    "WithdrawConsentDialog": withdraw_dialog,
    "ConsentRequestDialog": request_dialog,
    "ConsentAnswerDialog": answer_dialog,
}

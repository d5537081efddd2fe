"""What is asked before sensitive text is spoken, one's own lists of it, and what is offered when the engine died."""

from __future__ import annotations

import os

from app.core.messages import Failure
from app.core.sensitive_lists import read_own
from app.widgets.notice import ALLOW, HALF, PROCESSOR
from tests.app.controls.rows_dialogs import settings
from tests.app.controls.stage import LONG, type_into, unfolds
from voxcpm.pins import may_be_read

SECRET = "Your verification code is {}."


def question(stage):
    """Press Generate with a text that is asked about; each one only once."""
    stage.go("design")
    stage.compose.text.setPlainText(SECRET.format(4711 + len(stage.fake.jobs)))
    if stage.window.review.dialog is not None:
        stage.window.review.dialog.reject()
    stage.compose.generate.click()
    stage.wait(lambda: stage.window.review.dialog is not None)
    return stage.window.review.dialog


def allowed(stage):
    dialog = question(stage)
    assert not dialog.allow.isEnabled()
    type_into(dialog.reason.lineEdit(), "A scene of a film")
    with stage.qtbot.waitSignal(stage.engine.job_ended, timeout=LONG):
        dialog.allow.click()
    assert stage.fake.jobs[-1].decided == frozenset({"code"})
    audit = stage.application.library.audit
    entries = [entry for entry in audit.entries() if entry.event == "sensitive_text"]
    assert audit.reason(entries[-1]) == "A scene of a film"


def refused(stage):
    before = len(stage.fake.jobs)
    question(stage).back.click()
    assert stage.window.review.dialog is None and len(stage.fake.jobs) == before


def lists(stage):
    settings(stage).sensitive_button.click()
    return stage.window.dialogs.settings_dialog.sensitive_dialog


def opened(stage):
    assert lists(stage).isVisible()


def saved(stage):
    dialog = lists(stage)
    type_into(dialog.own, "[news]\nmoon cheese\n")
    type_into(dialog.attempt, "The moon cheese is ripe.")
    assert "moon cheese" in dialog.answer.text()
    dialog.save.click()
    assert read_own() == "[news]\nmoon cheese\n"


def left_alone(stage):
    before, dialog = read_own(), lists(stage)
    type_into(dialog.own, "[news]\nanything\n")
    dialog.cancel.click()
    assert read_own() == before and not dialog.isVisible()


def turned(stage):
    dialog = lists(stage)
    for index in range(dialog.tabs.count()):
        dialog.tabs.tabBar().setCurrentIndex(index)
        assert dialog.tabs.currentWidget().isVisible()
    dialog.reject()


def remedy(name, key, value):
    def row(stage):
        stage.settings.set("device", "cuda")
        stage.settings.set("dtype", "float32")
        stage.wait(lambda: not stage.engine.is_loading)
        stage.window.notice.show_failure(Failure("The engine died.", code="crash"))
        button = stage.window.notice.remedy_buttons[name]
        assert button.isVisible()
        with stage.qtbot.waitSignal(stage.engine.model_loaded, timeout=LONG):
            button.click()
        assert stage.settings.get(key) == value and value in stage.fake.places[-1]

    return row


def known(stage):
    """The list that ``voxcpm pin`` writes has the very file afterwards, and the model is loaded."""
    file = stage.tmp / "weights" / "pytorch_model.bin"
    file.parent.mkdir()
    file.write_bytes(os.urandom(2000))
    assert not may_be_read(file)
    stage.window.notice.show_failure(Failure("Not known.", code="checkpoint.pickle", path=str(file)))
    button = stage.window.notice.remedy_buttons[ALLOW]
    assert button.isVisible()
    button.click()
    stage.wait(lambda: file.name in stage.window.notice.message)
    assert may_be_read(file)
    file.write_bytes(os.urandom(2000))
    assert not may_be_read(file)


AREAS = {
    "sensitive text": {
        "SensitiveTextDialog.reason": allowed,
        "SensitiveTextDialog.allow": allowed,
        "SensitiveTextDialog.back": refused,
        "SensitiveTextDialog.problem.details_button": unfolds(lambda s: question(s).problem),
        "SettingsDialog.sensitive_button": opened,
        "SensitiveListsDialog.own": saved,
        "SensitiveListsDialog.attempt": saved,
        "SensitiveListsDialog.save": saved,
        "SensitiveListsDialog.cancel": left_alone,
        "SensitiveListsDialog.tabs.bar": turned,
        "SensitiveListsDialog.problem.details_button": unfolds(lambda s: lists(s).problem),
    },
    "remedies": {
        "notice.remedy_buttons[half]": remedy(HALF, "dtype", "bfloat16"),
        "notice.remedy_buttons[processor]": remedy(PROCESSOR, "device", "cpu"),
        "notice.remedy_buttons[allow]": known,
    },
}
DIALOGS = {"SensitiveTextDialog": question, "SensitiveListsDialog": lists}

"""Rail, menus, model button, notice and the queue of jobs."""

from __future__ import annotations

import json

import numpy as np
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QGuiApplication, QPalette

from app.core.models import default_model_dir
from app.core.takes import TakeState
from app.marks import label
from app.style import DARK, LIGHT
from tests.app.controls.rows_takes import begin, join_dialog
from tests.app.controls.stage import LONG, shows, unfolds, writes


def menu(stage, key):
    stage.window.menus.actions[key].trigger()


def generates(stage):
    stage.go("design")
    stage.compose.text.setPlainText("By the menu.")
    with stage.qtbot.waitSignal(stage.engine.job_ended, timeout=LONG):
        menu(stage, "generate")
    assert stage.fake.jobs[-1].text == "By the menu."


def stops(stage):
    stage.fake._model.patches, stage.fake.step_delay = None, 0.005
    stage.generate("Never ending.", wait=False)
    stage.wait(lambda: stage.store.takes[-1].seconds > 0)
    with stage.qtbot.waitSignal(stage.engine.job_ended, timeout=LONG):
        menu(stage, "stop")
    stage.fake._model.patches, stage.fake.step_delay = 12, 0.0


def plays(stage):
    stage.take()
    stage.player.stop()
    stage.window.setFocus()
    menu(stage, "play")
    assert stage.player.is_active
    stage.player.stop()


def picks(number):
    def row(stage):
        takes = stage.take(3)
        stage.takes_panel.select(takes[number % 3])
        menu(stage, f"pick_{number}")
        assert stage.takes_panel.current is takes[number - 1]

    return row


def compares(key):
    def row(stage):
        stage.take(2)
        menu(stage, key)
        stage.wait(lambda: stage.window.compare.is_running)
        assert stage.window.compare._blind == (key == "blind")
        menu(stage, key)
        assert not stage.window.compare.is_running

    return row


def uses(stage):
    _, takes = begin(stage, count=2)
    stage.player.switch_to(1)
    menu(stage, "use")
    stage.wait(lambda: takes[1].chosen)


def copies(stage):
    stage.take()
    QGuiApplication.clipboard().clear()
    menu(stage, "copy_take")
    stage.wait(lambda: "Copied" in stage.window.notice.message)
    (url,) = QGuiApplication.clipboard().mimeData().urls()
    assert label.read(stage.tmp / url.toLocalFile(), "wav") is not None


def pastes(stage):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(stage.speech))])
    QGuiApplication.clipboard().setMimeData(mime)
    stage.go("clone")
    stage.compose.clone.drop.clear()
    menu(stage, "paste_audio")
    stage.wait(lambda: stage.compose.clone.drop.path == str(stage.speech))
    stage.compose.clone.drop.clear()


def joins(stage):
    join_dialog(stage).reject()


def sheet(stage):
    stage.take(2)
    folder = stage.tmp / "sheet"
    folder.mkdir()
    menu(stage, "sheet")
    with stage.qtbot.waitSignal(stage.window.sheets.saved, timeout=120_000):
        stage.answer_file(folder)
    assert {path.name for path in folder.iterdir()} == {"A.wav", "B.wav", "index.html", "order.txt"}


def heard_mark(stage):
    """The dialog for a take that carries the mark."""
    if stage.window.watermark.dialog is not None:
        stage.window.watermark.dialog.close()
    stage.take()
    stage.player.stop()
    menu(stage, "hear_watermark")
    stage.wait(lambda: stage.window.watermark.dialog is not None)
    return stage.window.watermark.dialog


def mark_switches(number):
    def row(stage):
        dialog = heard_mark(stage)
        dialog.choices[(number + 1) % 3].click()
        dialog.choices[number].click()
        assert stage.player.alternative == number
        take, source = stage.takes_panel.current, stage.player.source
        heard = source.read(0, source.length)
        marked = stage.fake.watermark().embed(take.samples, take.sample_rate)
        wanted = (take.samples, marked, marked - take.samples)[number]
        assert np.abs(heard - wanted).max() < 1e-5
        dialog.close()
        assert stage.player.source.take is take

    return row


def mark_plays(stage):
    dialog = heard_mark(stage)
    assert stage.player.is_active
    dialog.play_button.click()
    assert not stage.player.is_active
    dialog.close_button.click()
    assert stage.window.watermark.dialog is None


def verifies(stage):
    menu(stage, "verify")
    return stage.window.verifying.dialog


def looked_at(stage, path):
    dialog = stage.window.verifying.dialog
    stage.wait(lambda: dialog.found is not None and dialog.found.path == path)
    return dialog


def verify_browses(stage):
    path = stage.tmp / "marked.wav"
    if not path.exists():
        take = stage.take()
        with stage.qtbot.waitSignal(stage.window._saver.saved, timeout=LONG):
            stage.window.save_take(take, str(path))
    verifies(stage).choose_button.click()
    stage.answer_file(path)
    dialog = looked_at(stage, path)
    assert dialog.verdict.text() == "Marked as generated" and dialog.found.verdict == "intact"


def verify_copies(stage):
    verify_browses(stage)
    stage.window.verifying.dialog.copy_button.click()
    assert json.loads(QGuiApplication.clipboard().text())["verdict"] == "intact"


def verify_closes(stage):
    dialog = verifies(stage)
    dialog.close_button.click()
    assert not dialog.isVisible()


def reproduces(stage):
    stage.take()
    before = len(stage.fake.jobs)
    menu(stage, "reproduce")
    stage.wait(lambda: len(stage.fake.jobs) > before and stage.engine.job is None)


def to_bin(stage):
    take = stage.take()
    menu(stage, "to_bin")
    stage.wait(lambda: take.binned)
    menu(stage, "undo_bin")
    stage.wait(lambda: not take.binned)


def looks_again(stage):
    stage.audio.missing = "device"
    stage.player.probe()
    stage.audio.missing = ""
    menu(stage, "look_again")
    stage.wait(lambda: not stage.player.unavailable)


def forgets(stage):
    take = stage.take()
    menu(stage, "forget")
    stage.answer("Forget all takes")
    stage.wait(lambda: stage.store.find(take.uid) is None)


def opens_model(stage, press):
    folder = stage.model_folder(f"model{len(stage.fake.loads)}")
    press(stage)
    with stage.qtbot.waitSignal(stage.engine.model_loaded, timeout=LONG):
        stage.answer_file(folder)
    assert stage.fake.loads[-1] == str(folder)


def loads_at_start(stage):
    before = stage.settings.get("load_at_start")
    menu(stage, "load_at_start")
    assert stage.settings.get("load_at_start") is not before
    menu(stage, "load_at_start")


def theme(choice, colours):
    def row(stage):
        menu(stage, "theme_light" if choice == "dark" else "theme_dark")
        menu(stage, f"theme_{choice}")
        shown = stage.window.palette().color(QPalette.ColorRole.Window).name()
        assert stage.settings.get("theme") == choice and shown in [colour.window for colour in colours]

    return row


def language(choice, words):
    def row(stage):
        menu(stage, "language_zh_CN" if choice != "zh_CN" else "language_en")
        menu(stage, f"language_{choice}")
        stage.wait(lambda: stage.compose.generate.text() in words)
        assert stage.settings.get("language") == choice
        menu(stage, "language_en")
        stage.wait(lambda: stage.compose.generate.text() == "Generate")

    return row


def shows_panel(key):
    def row(stage):
        stage.go("voices" if key != "voices" else "design")
        stage.go(key)
        panels = {panel.key: panel for panel in stage.compose.modes} | {"voices": stage.window.voices_panel}
        assert [name for name, panel in panels.items() if panel.isVisible()] == [key]

    return row


def quits(stage):
    """Nothing is asked, and everything ends. The last row of all."""
    menu(stage, "quit")
    stage.wait(lambda: stage.application._closed)
    assert stage.application.ended_cleanly


def entry(stage, text):
    button = stage.window.models.button
    button.choices.aboutToShow.emit()
    return next(action for action in button.choices.actions() if action.text().startswith(text))


def bundled(stage):
    stage.open_model(stage.model_folder(f"other{len(stage.fake.loads)}"))
    with stage.qtbot.waitSignal(stage.engine.model_loaded, timeout=LONG):
        entry(stage, "Bundled").trigger()
    assert stage.fake.loads[-1] == str(default_model_dir())


def manages(stage):
    entry(stage, "Models and").trigger()
    assert stage.window.dialogs.manager.isVisible()
    stage.window.dialogs.manager.close()


def model_menu(stage):
    assert len([stage.window.models.button.menu()]) == 1 and entry(stage, "Open a model folder").isEnabled()


def says(stage):
    stage.window.notice.show_notice("What happened.", "Why it did.")
    return stage.window.notice


def notice_copied(stage):
    says(stage).copy_button.click()
    assert QGuiApplication.clipboard().text() == "What happened.\n\nWhy it did.\n"


def notice_unfolds(stage):
    notice = says(stage)
    assert not notice._details.isVisible()
    notice.details_button.click()
    assert notice._details.isVisible() and notice._details.toPlainText() == "Why it did."


def notice_closes(stage):
    notice = says(stage)
    notice.close_button.click()
    assert notice.isHidden() and notice.message == ""


def busy(stage):
    """A job that never ends runs, and two wait."""
    stage.go("design")
    stage.compose.takes.setValue(1)
    stage.fake._model.patches, stage.fake.step_delay = None, 0.005
    stage.generate("Never ending.", wait=False)
    for text in ("One.", "Two."):
        stage.compose.text.setPlainText(text)
        stage.compose.generate.click()
    return stage.window.jobs.panel


def end(stage):
    stage.fake._model.patches, stage.fake.step_delay = 12, 0.0
    stage.compose.stop.click()
    stage.wait(lambda: stage.engine.job is None and not stage.window.jobs.queue.waiting)


def choose(panel, text):
    rows = [row for row in range(panel.list.count()) if panel.list.item(row).text().startswith(text)]
    panel.list.setCurrentRow(rows[-1])


def reordered(stage):
    panel, queue = busy(stage), stage.window.jobs.queue
    choose(panel, "Two.")
    panel.earlier.click()
    assert [entry.job.text for entry in queue.waiting] == ["Two.", "One."]
    choose(panel, "Two.")
    panel.later.click()
    assert [entry.job.text for entry in queue.waiting] == ["One.", "Two."]
    end(stage)


def cancelled(stage):
    panel, queue = busy(stage), stage.window.jobs.queue
    choose(panel, "One.")
    panel.cancel.click()
    assert [entry.job.text for entry in queue.waiting] == ["Two."]
    end(stage)
    assert "One." not in [job.text for job in stage.fake.jobs[-2:]]


def retried(stage):
    stage.fake.fail_at_patch = 1
    stage.generate("Fails at first.")
    stage.fake.fail_at_patch = None
    panel = stage.window.jobs.panel
    choose(panel, "Fails at first.")
    with stage.qtbot.waitSignal(stage.engine.job_ended, timeout=LONG):
        panel.retry.click()
    assert stage.store.takes[-1].state is TakeState.DONE and stage.fake.jobs[-1].text == "Fails at first."


def dialog_of(stage, name):
    return getattr(stage.window.dialogs, name)


RAIL = {f"rail.buttons[{key}]": shows_panel(key) for key in ("design", "clone", "continue", "voices")}
NOTICE = {
    "notice.copy_button": notice_copied,
    "notice.details_button": notice_unfolds,
    "notice.close_button": notice_closes,
}
JOBS = {
    "jobs.panel.list": reordered,
    "jobs.panel.earlier": reordered,
    "jobs.panel.later": reordered,
    "jobs.panel.retry": retried,
    "jobs.panel.cancel": cancelled,
}
MODEL = {
    "models.button": model_menu,
    "models.button: Open a model folder…": lambda s: opens_model(s, lambda s: entry(s, "Open a model").trigger()),
    "models.button: Bundled: Demo voice (English, for trying out)": bundled,
    "models.button: Models and downloads…": manages,
}
MENUS = {
    "menu: open_model": lambda s: opens_model(s, lambda s: menu(s, "open_model")),
    "menu: models": shows(lambda s: menu(s, "models"), lambda s: dialog_of(s, "manager").isVisible()),
    "menu: settings": shows(lambda s: menu(s, "settings"), lambda s: dialog_of(s, "settings_dialog").isVisible()),
    "menu: load_at_start": loads_at_start,
    "menu: save": writes(
        lambda s: (s.take(), menu(s, "save")), "menu.wav", lambda path: label.read(path, "wav") is not None
    ),
    "menu: generate": generates,
    "menu: stop": stops,
    "menu: play": plays,
    **{f"menu: pick_{number}": picks(number) for number in (1, 2, 3)},
    "menu: compare": compares("compare"),
    "menu: blind": compares("blind"),
    "menu: use": uses,
    "menu: copy_take": copies,
    "menu: paste_audio": pastes,
    "menu: join": joins,
    "menu: sheet": sheet,
    "menu: hear_watermark": mark_plays,
    "menu: verify": verify_browses,
    "menu: reproduce": reproduces,
    "menu: to_bin": to_bin,
    "menu: undo_bin": to_bin,
    "menu: look_again": looks_again,
    "menu: forget": forgets,
    "menu: theme_system": theme("system", (DARK, LIGHT)),
    "menu: theme_light": theme("light", (LIGHT,)),
    "menu: theme_dark": theme("dark", (DARK,)),
    "menu: language_system": language("system", ("Generate", "生成")),
    "menu: language_en": language("en", ("Generate",)),
    "menu: language_zh_CN": language("zh_CN", ("生成",)),
}
MARKS = {
    **{f"HearWatermark.choices[{number}]": mark_switches(number) for number in range(3)},
    "HearWatermark.play_button": mark_plays,
    "HearWatermark.close_button": mark_plays,
    "VerifyDialog.choose_button": verify_browses,
    "VerifyDialog.copy_button": verify_copies,
    "VerifyDialog.close_button": verify_closes,
    "VerifyDialog.problem.details_button": unfolds(lambda s: verifies(s).problem),
}
AREAS = {
    "marks": MARKS,
    "rail": RAIL,
    "notice": NOTICE,
    "jobs": JOBS,
    "model": MODEL,
    "menus": MENUS,
    "end": {"menu: quit": quits},
}
DIALOGS = {"HearWatermark": heard_mark, "VerifyDialog": verifies}

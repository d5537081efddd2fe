"""Takes: list, search, bin, marks, buttons, comparison; and the dialog that joins phrases."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest

from app.dialogs.join_takes import JoinDialog
from app.marks import label
from tests.app.controls.stage import LONG, type_into, writes


def panel(stage):
    return stage.takes_panel


def search(stage):
    stage.take()
    type_into(panel(stage).search, "nothing like this")
    stage.wait(lambda: panel(stage).model.rowCount() == 0)
    type_into(panel(stage).search, "evening")
    stage.wait(lambda: panel(stage).model.rowCount() > 0)
    panel(stage).search.clear()


def chosen(stage):
    first, second = stage.take(2)
    panel(stage).select(second)
    assert stage.player.source.take is second
    panel(stage).select(first)
    QTest.keyClick(panel(stage).list, Qt.Key.Key_Return)
    assert stage.player.is_active
    stage.player.stop()
    panel(stage).list.setFocus()
    QTest.keySequence(panel(stage).list, QKeySequence(QKeySequence.StandardKey.Delete))
    stage.wait(lambda: first.binned)
    stage.window.menus.actions["undo_bin"].trigger()
    stage.wait(lambda: not first.binned)


def binned(stage):
    take = stage.take()
    panel(stage).move_button.click()
    stage.wait(lambda: take.binned and not panel(stage).model.index_of(take).isValid())
    panel(stage).bin_button.click()
    stage.wait(lambda: panel(stage).model.index_of(take).isValid())
    panel(stage).select(take)
    panel(stage).move_button.click()
    stage.wait(lambda: not take.binned)
    panel(stage).bin_button.click()


def emptied(stage):
    take = stage.take()
    panel(stage).move_button.click()
    panel(stage).bin_button.click()
    stage.wait(lambda: panel(stage).model.index_of(take).isValid())
    panel(stage).empty_button.click()
    stage.answer("Empty the bin")
    stage.wait(lambda: stage.store.find(take.uid) is None)
    panel(stage).bin_button.click()


def kept_marks(act, **wanted):
    def row(stage):
        take = stage.take()
        act(panel(stage).marks)
        library = stage.application.library.takes
        stage.wait(lambda: vars(library.get(take.uid).marks).items() >= wanted.items())

    return row


def rate(marks):
    marks.rating.setCurrentIndex(4)
    marks.rating.activated.emit(4)


def note(marks):
    type_into(marks.note, "the warm one")
    QTest.keyClick(marks.note, Qt.Key.Key_Return)


def seed(stage):
    take = stage.take()
    panel(stage).seed_button.click()
    assert stage.job().seed == take.seed


def copies(stage):
    stage.go("design")
    stage.compose.design.edit.setText("a child")
    stage.compose.advanced.steps.setValue(21)
    stage.take()
    was = stage.fake.jobs[-1]
    stage.compose.design.edit.clear()
    stage.compose.advanced.reset_button.click()
    stage.compose.text.setPlainText("Something else.")
    panel(stage).settings_button.click()
    stage.compose.generate.click()
    stage.wait(lambda: stage.fake.jobs[-1] is not was and stage.engine.job is None)
    now = stage.fake.jobs[-1]
    assert (now.text, now.description, now.steps, now.seed) == (was.text, was.description, was.steps, was.seed)
    stage.compose.design.edit.clear()
    stage.compose.advanced.reset_button.click()


def keeps(stage):
    take = stage.take()
    panel(stage).keep_button.click()
    dialog = stage.window.voices.save_dialog
    assert dialog.isVisible() and dialog.card().from_take == take.uid
    dialog.reject()


def reproduces(stage):
    take, before = stage.take(), len(stage.fake.jobs)
    panel(stage).reproduce_button.click()
    stage.wait(lambda: len(stage.fake.jobs) > before and stage.engine.job is None)
    assert stage.fake.jobs[-1].seed == take.job.seed and "same take" in stage.window.notice.message


def in_full(stage):
    stage.compose.advanced.draft.setChecked(True)
    take = stage.take()
    assert take.job.steps == 4
    stage.compose.advanced.draft.setChecked(False)
    assert panel(stage).full_button.isVisible()
    with stage.qtbot.waitSignal(stage.engine.job_ended, timeout=LONG):
        panel(stage).full_button.click()
    assert (stage.fake.jobs[-1].steps, stage.fake.jobs[-1].seed) == (10, take.seed)
    assert "may differ" in stage.window.notice.message


def tries_again(stage):
    stage.settings.set("retries", 0)
    stage.fake.flags = ("doubtful: too long",)
    take = stage.take()
    stage.fake.flags = ()
    with stage.qtbot.waitSignal(stage.engine.job_ended, timeout=LONG):
        panel(stage).retry_button.click()
    assert stage.fake.jobs[-1].seed == take.next_seed


def save(stage):
    stage.take()
    panel(stage).save_button.click()


def begin(stage, blind=False, count=3):
    takes = stage.take(count)
    bar = panel(stage).compare_bar
    bar.blind.setChecked(blind)
    bar.compare_button.click()
    stage.wait(lambda: stage.window.compare.is_running)
    return bar, takes


def compares(stage):
    bar, takes = begin(stage)
    assert stage.window.compare.takes == takes and stage.player.is_active
    bar.compare_button.click()
    assert not stage.window.compare.is_running


def blind(stage):
    bar, _ = begin(stage)
    bar.blind.click()
    stage.wait(lambda: bar.choices[0].text() == "A")
    assert stage.window.player_panel.timeline.take is None
    bar.compare_button.click()
    bar.blind.setChecked(False)


def switches(number):
    def row(stage):
        bar, takes = begin(stage)
        if number == 3:  # a fourth only with takes of several presses
            bar.compare_button.click()
            panel(stage).list.selectAll()
            more = [take for take in stage.store.takes if take not in takes][-1]
            selection = panel(stage).list.selectionModel()
            panel(stage).unselect()
            for take in (more, *takes):
                selection.select(panel(stage).model.index_of(take), selection.SelectionFlag.Select)
            bar.compare_button.click()
            stage.wait(lambda: stage.window.compare.is_running)
        bar.choices[number - 1].click()
        bar.choices[number].click()
        assert stage.player.alternative == number
        assert stage.player.source.take is stage.window.compare.takes[number]
        stage.window.compare.end()

    return row


def uses(stage):
    bar, takes = begin(stage)
    bar.choices[1].click()
    with stage.qtbot.waitSignal(stage.application.autosave.choice_kept, timeout=LONG):
        bar.use_button.click()
    assert panel(stage).current is takes[1] and takes[1].chosen


TAKES = {
    "takes_panel.search": search,
    "takes_panel.list": chosen,
    "takes_panel.bin_button": binned,
    "takes_panel.move_button": binned,
    "takes_panel.empty_button": emptied,
    "takes_panel.seed_button": seed,
    "takes_panel.settings_button": copies,
    "takes_panel.keep_button": keeps,
    "takes_panel.reproduce_button": reproduces,
    "takes_panel.full_button": in_full,
    "takes_panel.retry_button": tries_again,
    "takes_panel.save_button": writes(save, "take.wav", lambda path: label.read(path, "wav") is not None),
    "takes_panel.card.marks.rating": kept_marks(rate, rating=4),
    "takes_panel.card.marks.favourite": kept_marks(lambda marks: marks.favourite.click(), favourite=True),
    "takes_panel.card.marks.note": kept_marks(note, note="the warm one"),
}
COMPARE = {
    "takes_panel.compare_bar.compare_button": compares,
    "takes_panel.compare_bar.blind": blind,
    **{f"takes_panel.compare_bar.choices[{number}]": switches(number) for number in range(4)},
    "takes_panel.compare_bar.use_button": uses,
}


def join_dialog(stage):
    """Open the dialog for two takes with a pause in the middle, so that there are two phrases."""
    takes = stage.take(2)
    for take in takes:
        take._samples._data[40000:60000] = 0
    stage.window.menus.actions["join"].trigger()
    (dialog,) = [one for one in stage.window.findChildren(JoinDialog) if one.isVisible()]
    return dialog


def phrase(row, column):
    def hears(stage):
        dialog = join_dialog(stage)
        dialog.groups[row].button(1 - column).click()
        dialog.groups[row].button(column).click()
        assert stage.player.source.take is dialog._takes[column] and dialog.choice()[row] == column
        dialog.reject()

    return hears


def joins(stage):
    dialog = join_dialog(stage)
    dialog.groups[1].button(1).click()
    before = len(stage.store.takes)
    dialog.join_button.click()
    assert len(stage.store.takes) == before + 1 and len(stage.store.takes[-1].joined) == 2


def joins_not(stage):
    dialog = join_dialog(stage)
    before = len(stage.store.takes)
    dialog.cancel_button.click()
    assert len(stage.store.takes) == before and not dialog.isVisible()


JOIN = {
    **{f"JoinDialog.choices[({row}, {column})]": phrase(row, column) for row in (0, 1) for column in (0, 1)},
    "JoinDialog.join_button": joins,
    "JoinDialog.cancel_button": joins_not,
}
AREAS = {"takes": TAKES, "compare": COMPARE, "join": JOIN}
DIALOGS = {"JoinDialog": join_dialog}

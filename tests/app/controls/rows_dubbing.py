"""The dubbing panel with its menu, and the dialogs of a dub."""

from __future__ import annotations

import itertools

import numpy as np
import soundfile
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from tests.app.controls.stage import type_into, unfolds

TEXTS = ("Who is there?", "It is I, and nobody else.", "Come in then, if you must.")
_numbers = itertools.count(1)


def control(stage):
    return stage.window.dub


def panel(stage):
    return stage.window.dub.panel


def states(stage):
    return control(stage).overview.states


def cue(stage, number=0):
    return states(stage)[number].cue


def idle(stage):
    stage.wait(lambda: not panel(stage).is_busy)


def fresh(stage, *, made=False):
    """A new project of three cues, the first one chosen; ``made``: with takes."""
    stage.go("dub")
    path = stage.tmp / f"film {next(_numbers)}.srt"
    path.write_text(
        "\n".join(
            f"{n}\n00:00:{4 * n:02},000 --> 00:00:{4 * n + 3:02},000\n{text}\n" for n, text in enumerate(TEXTS, 1)
        )
    )
    control(stage).open(str(path))
    stage.wait(lambda: control(stage).dubbing is not None and control(stage).dubbing.project.name == path.stem)
    idle(stage)
    panel(stage).select(cue(stage).cue_id)
    if made:
        panel(stage).make.click()
        stage.wait(lambda: not control(stage).overview.to_make)
        idle(stage)
    return path


def dubs(act, seen, wanted, *, made=False):
    """The control changes the dub: ``seen`` gives ``wanted`` after ``act``, and not before."""

    def row(stage):
        fresh(stage, made=made)
        assert seen(stage) != wanted, "the effect was there before"
        act(stage)
        stage.wait(lambda: seen(stage) == wanted)
        idle(stage)

    return row


def speaks(act, seen, wanted):
    """The control reaches the model: ``seen`` of the first line of the next batch is ``wanted``."""

    def row(stage):
        fresh(stage)
        stage.fake.lines.clear()
        act(stage)
        panel(stage).make.click()
        stage.wait(lambda: not control(stage).overview.to_make)
        idle(stage)
        lines = {line.text: line for batch in stage.fake.lines for line in batch}
        assert seen(lines) == wanted

    return row


def menu(key):
    return lambda stage: stage.window.menus.actions[key].trigger()


def press(key):
    return lambda stage: panel(stage).card.buttons[key].click()


def choose(combo, data):
    row = combo.findData(data)
    combo.setCurrentIndex(row)
    combo.activated.emit(row)


def a_voice(stage):
    stage.wait(lambda: panel(stage).card.voice.count() > 1)
    return panel(stage).card.voice.itemData(1)


def own_voice(stage):
    choose(panel(stage).card.voice, a_voice(stage))
    stage.wait(lambda: cue(stage).voice)


def character(stage):
    field = panel(stage).card.character
    type_into(field.lineEdit(), "Ann")
    field.lineEdit().editingFinished.emit()


def style(stage):
    type_into(panel(stage).card.style_note, "loud")
    panel(stage).card.style_note.editingFinished.emit()


def time(which, text):
    def act(stage):
        field = getattr(panel(stage).card, which)
        type_into(field, text)
        field.editingFinished.emit()

    return act


def cast(stage):
    field = panel(stage).cast.line_field("", style=False)
    type_into(field, "an old man")
    field.editingFinished.emit()


def hears(act):
    """The player gets something to play."""

    def row(stage):
        fresh(stage, made=True)
        before = stage.player.source
        act(stage)
        stage.wait(lambda: stage.player.source is not None and stage.player.source is not before)
        control(stage).listening.stop()

    return row


def sound(stage):
    path = stage.tmp / "original.flac"
    soundfile.write(path, 0.1 * np.sin(np.arange(16_000 * 20) / 20), 16_000)
    return path


def original(act):
    def row(stage):
        fresh(stage)
        act(stage)
        stage.answer_file(sound(stage))
        stage.wait(lambda: control(stage).overview.dub.sound is not None and control(stage).listening.sound is not None)

    return row


def with_sound(stage):
    control(stage).take_sound(str(sound(stage)))
    stage.wait(lambda: control(stage).overview.dub.sound is not None and control(stage).listening.sound is not None)


def no_sound(stage):
    fresh(stage)
    with_sound(stage)
    menu("dub_no_sound")(stage)
    assert control(stage).overview.dub.sound is None


def the_original(stage):
    fresh(stage)
    with_sound(stage)
    menu("dub_original")(stage)
    stage.wait(lambda: stage.player.source is not None and stage.player.source.length == 3 * 16_000)
    control(stage).listening.stop()


def opens(act, *, folder=False):
    def row(stage):
        path = fresh(stage)
        control(stage).close_project()
        act(stage)
        stage.answer_file(path.with_suffix(".dub") if folder else path)
        stage.wait(lambda: control(stage).dubbing is not None and control(stage).dubbing.project.name == path.stem)
        idle(stage)

    return row


def shows_dialog(act, name):
    def row(stage):
        fresh(stage)
        act(stage)
        dialog = getattr(control(stage).dialogs, name)
        assert dialog.isVisible()
        dialog.close()

    return row


def closes(stage):
    fresh(stage)
    panel(stage).head["close"].click()
    assert control(stage).dubbing is None and not panel(stage).table.isVisible()


def stops(stage):
    fresh(stage)
    stage.fake.step_delay = 0.3
    panel(stage).make.click()
    panel(stage).stop.click()
    idle(stage)
    stage.fake.step_delay = 0.0
    assert control(stage).overview.to_make


def merged_by(act):
    return dubs(act, lambda s: cue(s).text, f"{TEXTS[0]} {TEXTS[1]}")


def problems(act, wanted):
    def row(stage):
        fresh(stage, made=True)
        for number in (1, 2):
            control(stage).dub.change(lambda dubbing, n=number: dubbing.write(cue(stage, n).cue_id, "New words."))
        act(stage)
        assert panel(stage).current == cue(stage, wanted).cue_id

    return row


def ripple(stage):
    fresh(stage, made=True)
    control(stage).dub.change(lambda dubbing: dubbing.move(cue(stage).cue_id, 7500, 7600))  # too short at any speed
    start = states(stage)[1].placed.start
    panel(stage).ripple.click()
    assert states(stage)[1].placed.start > start
    panel(stage).ripple.click()


def fill(stage):
    fresh(stage, made=True)
    assert all(state.placed.speed == 1 for state in states(stage))
    panel(stage).fill.click()
    assert any(state.placed.speed < 1 for state in states(stage))
    panel(stage).fill.click()


def take(stage):
    fresh(stage, made=True)
    press("redo")(stage)
    stage.wait(lambda: len(cue(stage).takes) == 2)
    idle(stage)
    panel(stage).card.takes.setCurrentRow(0)
    assert cue(stage).chosen == cue(stage).takes[0].take


def takes(stage):
    panel(stage).takes.setValue(3)
    fresh(stage, made=True)
    assert all(len(state.cue.takes) == 3 for state in states(stage))
    panel(stage).takes.setValue(1)


def redone(stage):
    fresh(stage)
    control(stage).dub.change(lambda dubbing: dubbing.write(cue(stage).cue_id, "Changed."))
    control(stage).undo()
    assert cue(stage).text == TEXTS[0]
    menu("dub_redo_step")(stage)
    assert cue(stage).text == "Changed."


def snaps(stage):
    timeline = panel(stage).timeline
    panel(stage).snap.click()
    assert not timeline.snap
    panel(stage).snap.click()
    assert timeline.snap


def goes_there(stage):
    fresh(stage)
    timeline = panel(stage).timeline
    QTest.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=QPoint(timeline.width() // 2, 2))
    assert timeline.playhead == timeline.ms_at(timeline.width() // 2)


def zoomed(key, wanted):
    def row(stage):
        fresh(stage)
        axis = panel(stage).timeline.axis
        axis.show_between(2.0, 6.0)
        span = axis.span
        menu(key)(stage)
        assert wanted(axis.span, span, axis.length)

    return row


def tab(stage):
    panel(stage).tabs.tabBar().setCurrentIndex(1)
    assert panel(stage).cast.isVisible()
    panel(stage).tabs.tabBar().setCurrentIndex(0)


def row_chosen(stage):
    fresh(stage)
    panel(stage).table.selectRow(2)
    assert panel(stage).card.text.toPlainText() == TEXTS[2]


def writes_text(stage):
    fresh(stage)
    menu("dub_write")(stage)
    assert stage.window.focusWidget() is panel(stage).card.text  # whichever window is in front


CHOSEN = {
    "dub.panel.card.text": dubs(lambda s: type_into(panel(s).card.text, "Hey."), lambda s: cue(s).text, "Hey."),
    "dub.panel.card.character": dubs(character, lambda s: cue(s).character, "Ann"),
    "dub.panel.card.voice": speaks(own_voice, lambda lines: bool(lines[TEXTS[0]].voice.voice_id), True),
    "dub.panel.card.style_note": speaks(style, lambda lines: lines[TEXTS[0]].description, "loud"),
    "dub.panel.card.start": dubs(time("start", "0:04.500"), lambda s: cue(s).start, 4500),
    "dub.panel.card.end": dubs(time("end", "0:07.500"), lambda s: cue(s).end, 7500),
    "dub.panel.card.takes": take,
    "dub.panel.card.buttons[listen]": hears(press("listen")),
    "dub.panel.card.buttons[redo]": dubs(press("redo"), lambda s: len(cue(s).takes), 1),
    "dub.panel.card.buttons[split]": dubs(press("split"), lambda s: len(states(s)), 4),
    "dub.panel.card.buttons[merge]": merged_by(press("merge")),
    "dub.panel.card.buttons[delete]": dubs(press("delete"), lambda s: len(states(s)), 2),
    "dub.panel.cast.table": speaks(cast, lambda lines: lines[TEXTS[0]].description, "an old man"),
}
PANEL = {
    "rail.buttons[dub]": lambda s: (s.go("design"), s.go("dub"), s.wait(panel(s).isVisible)),
    "dub.panel.head[sound]": original(lambda s: panel(s).head["sound"].click()),
    "dub.panel.head[words]": shows_dialog(lambda s: panel(s).head["words"].click(), "words"),
    "dub.panel.head[report]": shows_dialog(lambda s: panel(s).head["report"].click(), "report"),
    "dub.panel.head[export]": shows_dialog(lambda s: panel(s).head["export"].click(), "exporting"),
    "dub.panel.head[close]": closes,
    "dub.panel.open_button": opens(lambda s: panel(s).open_button.click()),
    "dub.panel.open_button: Subtitles, script, text or table…": opens(
        lambda s: panel(s).open_menu.actions()[0].trigger()
    ),
    "dub.panel.open_button: Project folder…": opens(lambda s: panel(s).open_menu.actions()[1].trigger(), folder=True),
    "dub.panel.open_large": opens(lambda s: panel(s).open_large.click()),
    "dub.panel.tabs.bar": tab,
    "dub.panel.table": row_chosen,
    "dub.panel.timeline": goes_there,
    "dub.panel.takes": takes,
    "dub.panel.fill": fill,
    "dub.panel.ripple": ripple,
    "dub.panel.snap": snaps,
    "dub.panel.problem_button": problems(lambda s: panel(s).problem_button.click(), 1),
    "dub.panel.make": dubs(lambda s: panel(s).make.click(), lambda s: len(control(s).overview.to_make), 0),
    "dub.panel.stop": stops,
}
MENU = {
    "menu: dub_open": opens(menu("dub_open")),
    "menu: dub_sound": original(menu("dub_sound")),
    "menu: dub_no_sound": no_sound,
    "menu: dub_words": shows_dialog(menu("dub_words"), "words"),
    "menu: dub_export": shows_dialog(menu("dub_export"), "exporting"),
    "menu: dub_redo_step": redone,
    "menu: dub_listen_on": hears(menu("dub_listen_on")),
    "menu: dub_original": the_original,
    "menu: dub_redo": dubs(menu("dub_redo"), lambda s: len(cue(s).takes), 1),
    "menu: dub_write": writes_text,
    "menu: dub_split": dubs(menu("dub_split"), lambda s: len(states(s)), 4),
    "menu: dub_merge": merged_by(menu("dub_merge")),
    "menu: dub_delete": dubs(menu("dub_delete"), lambda s: len(states(s)), 2),
    "menu: dub_next": dubs(menu("dub_next"), lambda s: panel(s).table.currentIndex().row(), 1),
    "menu: dub_before": dubs(
        lambda s: (panel(s).step(2), menu("dub_before")(s)), lambda s: panel(s).table.currentIndex().row(), 1
    ),
    "menu: dub_problem": problems(menu("dub_problem"), 1),
    "menu: dub_problem_before": problems(menu("dub_problem_before"), 2),
    "menu: dub_earlier": dubs(menu("dub_earlier"), lambda s: (cue(s).start, cue(s).end), (3950, 6950)),
    "menu: dub_later": dubs(menu("dub_later"), lambda s: (cue(s).start, cue(s).end), (4050, 7050)),
    "menu: dub_shorter": dubs(menu("dub_shorter"), lambda s: (cue(s).start, cue(s).end), (4000, 6950)),
    "menu: dub_longer": dubs(menu("dub_longer"), lambda s: (cue(s).start, cue(s).end), (4000, 7050)),
    "menu: dub_zoom_in": zoomed("dub_zoom_in", lambda now, before, length: now < before),
    "menu: dub_zoom_out": zoomed("dub_zoom_out", lambda now, before, length: now > before),
    "menu: dub_zoom_all": zoomed("dub_zoom_all", lambda now, before, length: now == length),
}


# The dialogs ---------------------------------------------------------------------------------------------------------


def export(stage):
    if control(stage).dubbing is None:
        fresh(stage)
        with_sound(stage)
    if control(stage).dialogs.exporting is not None:
        control(stage).dialogs.exporting.close()
    stage.go("dub")
    control(stage).dialogs.ask_export()
    dialog = control(stage).dialogs.exporting
    dialog.out.setText(str(stage.tmp / "mix.wav"))
    return dialog


def wishes(act, seen, wanted):
    """The field changes what is asked for, and nothing else has to be done for it."""

    def row(stage):
        dialog = export(stage)
        assert seen(dialog.wishes()) != wanted
        act(dialog)
        assert seen(dialog.wishes()) == wanted
        dialog.close()

    return row


def left_out(mark):
    def act(dialog):
        dialog.marks[mark].click()
        type_into(dialog.reason, "a test")

    return wishes(act, lambda w: w.form.choice.left_out, frozenset({mark}))


def reason(stage):
    dialog = export(stage)
    assert not dialog.reason.isEnabled()
    dialog.marks["label"].click()
    type_into(dialog.reason, "why")
    assert dialog.wishes().form.choice.reason == "why"
    dialog.close()


def named(stage):
    dialog = export(stage)
    dialog.cues.setChecked(True)
    type_into(dialog.name, "{number}")
    assert dialog.wishes().name == "{number}"
    dialog.close()


def subtitle_kind(stage):
    dialog = export(stage)
    dialog.subtitles.setChecked(True)
    dialog.kind.setCurrentIndex(dialog.kind.findData(".ass"))
    assert dialog.wishes().subtitles.suffix == ".ass"
    dialog.close()


def browse(stage):
    dialog = export(stage)
    dialog.browse.click()
    stage.answer_file(stage.tmp / "chosen.flac")
    assert dialog.wishes().out == stage.tmp / "chosen.flac"
    dialog.close()


def quality(stage):
    dialog = export(stage)
    dialog.out.setText(str(stage.tmp / "mix.mp3"))
    dialog.quality.setValue(30)
    assert dialog.wishes().form.quality == 0.3
    dialog.close()


def exported(stage):
    fresh(stage, made=True)
    dialog = export(stage)
    dialog.out.setText(str(stage.tmp / "made.flac"))
    dialog.export_button.click()
    stage.wait(lambda: (stage.tmp / "made.flac").exists())
    idle(stage)
    assert len(soundfile.read(stage.tmp / "made.flac")[0]) > 10 * 48_000


def closed(open_dialog, name):
    def row(stage):
        dialog = open_dialog(stage)
        dialog.close_button.click()
        dialogs = control(stage).dialogs
        stage.wait(lambda: getattr(dialogs, name) is None or not getattr(dialogs, name).isVisible())

    return row


def words(stage):
    fresh(stage)
    control(stage).dialogs.show_words()
    return control(stage).dialogs.words


def set_word(stage, word="nobody", said="no body", everywhere=False):
    dialog = words(stage)
    type_into(dialog.word, word)
    type_into(dialog.said, said)
    dialog.scope.setCurrentIndex(int(everywhere))
    dialog.set_button.click()
    return dialog


def word_counts(stage):
    dialog = set_word(stage)
    assert control(stage).overview.dub.words == {"nobody": "no body"}
    assert dialog.changed.count() == 1 and states(stage)[1].changes[0].said == "no body"
    dialog.close()


def word_everywhere(stage):
    dialog = set_word(stage, everywhere=True)
    assert stage.settings.get("words") == {"nobody": "no body"} and states(stage)[1].changes
    dialog.remove_button.click()
    assert stage.settings.get("words") == {} and not states(stage)[1].changes
    dialog.close()


def word_chosen(stage):
    dialog = set_word(stage)
    dialog.word.clear()
    dialog.table.setCurrentCell(-1, -1)
    dialog.table.setCurrentCell(0, 0)
    assert dialog.word.text() == "nobody" and dialog.said.text() == "no body"
    dialog.close()


def report(stage):
    path = stage.tmp / f"odd {next(_numbers)}.srt"
    path.write_text("1\n00:00:01,000 --> 00:00:00,500\nBackwards.\n")
    stage.go("dub")
    control(stage).open(str(path))
    stage.wait(lambda: control(stage).dubbing is not None and control(stage).dubbing.project.name == path.stem)
    stage.wait(lambda: control(stage).dialogs.report is not None)
    return control(stage).dialogs.report


def reported(stage):
    dialog = report(stage)
    assert dialog.list.count() == 1 and "ends before it starts" in dialog.list.item(0).text()
    dialog.close()


EXPORT = {
    "DubExportDialog.out": wishes(lambda d: type_into(d.out, "/a/b.mp3"), lambda w: str(w.out), "/a/b.mp3"),
    "DubExportDialog.browse": browse,
    "DubExportDialog.loudness": wishes(lambda d: d.loudness.setCurrentIndex(2), lambda w: w.mix.target, -23.0),
    "DubExportDialog.rate": wishes(lambda d: d.rate.setCurrentIndex(0), lambda w: w.mix.rate, 16_000),
    "DubExportDialog.bits": wishes(lambda d: d.bits.setCurrentIndex(1), lambda w: w.form.bits, "16"),
    "DubExportDialog.quality": quality,
    "DubExportDialog.stereo": wishes(lambda d: d.stereo.click(), lambda w: w.mix.channels, 2),
    "DubExportDialog.bed": wishes(lambda d: d.bed.setCurrentIndex(2), lambda w: w.mix.bed, "none"),
    "DubExportDialog.duck": wishes(lambda d: d.duck.setValue(-20), lambda w: w.mix.duck_db, -20.0),
    "DubExportDialog.stems": wishes(lambda d: d.stems.click(), lambda w: w.stems is not None, True),
    "DubExportDialog.cues": wishes(lambda d: d.cues.click(), lambda w: w.cues is not None, True),
    "DubExportDialog.subtitles": wishes(lambda d: d.subtitles.click(), lambda w: w.subtitles is not None, True),
    "DubExportDialog.kind": subtitle_kind,
    "DubExportDialog.name": named,
    "DubExportDialog.marks[label]": left_out("label"),
    "DubExportDialog.marks[credentials]": left_out("credentials"),
    "DubExportDialog.marks[watermark]": left_out("watermark"),
    "DubExportDialog.reason": reason,
    "DubExportDialog.overwrite": wishes(lambda d: d.overwrite.click(), lambda w: w.overwrite, True),
    "DubExportDialog.problem.details_button": unfolds(lambda s: export(s).problem),
    "DubExportDialog.close_button": closed(export, "exporting"),
    "DubExportDialog.export_button": exported,
}
WORDS = {
    "DubWords.table": word_chosen,
    "DubWords.word": word_counts,
    "DubWords.said": word_counts,
    "DubWords.scope": word_everywhere,
    "DubWords.set_button": word_counts,
    "DubWords.remove_button": word_everywhere,
    "DubWords.changed": word_counts,
    "DubWords.close_button": closed(words, "words"),
    "DubReport.list": reported,
    "DubReport.close_button": closed(report, "report"),
}
AREAS = {
    "dub: the cue": CHOSEN, "dub: the panel": PANEL, "dub: the menu": MENU, "dub: export": EXPORT, "dub: words": WORDS,
}  # fmt: skip
DIALOGS = {"DubExportDialog": export, "DubWords": words, "DubReport": report}

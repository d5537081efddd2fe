"""Dubbing in the window: from a file to the mix, by what a person presses and types."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from app.core.dubbing.cues import Role
from app.core.dubbing.editing import TYPES, Dubbing
from app.core.messages import SAVED
from app.core.project import Project
from tests.app.voices.makers import new_voice

PATIENCE = 30_000
LINES = ("Who is there?", "It is I, and nobody else.", "Come in then.", "Thank you kindly, NASA.")
SRT = "\n".join(f"{n}\n00:00:{3 * n:02},000 --> 00:00:{3 * n + 2:02},000\n{text}\n" for n, text in enumerate(LINES, 1))
SCRIPT = "Ann: Hello there, Bob.\nBob: Hello, Ann, how are you?\nAnn: Fine.\n"


class Hand:
    """Does what a person does in the panel, and waits for what comes of it."""

    def __init__(self, studio):
        self.studio, self.qtbot, self.window = studio, studio.qtbot, studio.window
        self.control, self.panel, self.fake = studio.window.dub, studio.window.dub.panel, studio.fake

    def wait(self, true):
        self.qtbot.waitUntil(lambda: bool(true()), timeout=PATIENCE)

    def show(self):
        self.window.rail_button("dub").click()
        return self

    def open(self, path):
        self.show()
        self.control.open(str(path))
        self.wait(lambda: self.control.dubbing is not None and not self.panel.is_busy)
        return self

    def do(self, key):
        """Trigger an entry of the menus."""
        self.window.menus.actions[key].trigger()

    def make(self):
        self.do("generate")
        self.wait(lambda: not self.panel.is_busy and not self.control.overview.to_make)

    def is_saved(self):
        self.wait(lambda: self.control.dubbing.project.is_saved)

    def key(self, key, modifier=Qt.KeyboardModifier.NoModifier):
        """Press a key where the focus is."""
        QTest.keyClick(QApplication.focusWidget(), key, modifier)

    def focus(self, widget):
        self.window.activateWindow()
        widget.setFocus()
        self.wait(widget.hasFocus)

    @property
    def states(self):
        return self.control.overview.states

    def spoken(self):
        return [line.text for lines in self.fake.lines for line in lines]


@pytest.fixture
def srt(tmp_path: Path) -> Path:
    path = tmp_path / "film.srt"
    path.write_text(SRT, encoding="utf-8")
    return path


@pytest.fixture
def hand(studio) -> Hand:
    return Hand(studio)


@pytest.fixture
def open_hand(hand: Hand, srt: Path) -> Hand:
    return hand.open(srt)


def test_a_file_becomes_a_project_beside_it_and_is_listed(hand: Hand, tmp_path: Path) -> None:
    path = tmp_path / "odd.srt"
    path.write_text(SRT + "\n9\n00:00:40,000 --> 00:00:39,000\nIt ends before it starts.\n\n10\nnonsense\n")
    hand.open(path)
    assert (tmp_path / "odd.dub" / "project.json").is_file()
    assert [state.cue.text for state in hand.states][:4] == list(LINES)
    assert hand.panel.model.rowCount() == 5 and hand.panel.title.text() == "odd"
    dialogs = hand.control.dialogs
    assert dialogs.report is not None and dialogs.report.list.count() == len(dialogs.remarks) > 0
    dialogs.report.close()
    assert str(tmp_path / "odd.dub") in hand.studio.settings.get("recent_projects")
    hand.control.close_project()
    assert hand.control.dubbing is None and not hand.panel.table.isVisible()
    # The project that comes back does not say what was skipped when it was made, and nobody claims that nothing was.
    hand.open(tmp_path / "odd.dub")
    assert dialogs.report is None and hand.panel.head["words"].isVisible() and not hand.panel.head["report"].isVisible()
    other = tmp_path / "odd.srt"
    other.write_text(SRT.replace("Who", "What"))
    hand.open(other)  # other cues: the first project stays as it is
    assert hand.control.dubbing.project.folder.name == "odd 2.dub"


def test_what_cannot_be_read_is_said_and_nothing_is_left_open(hand: Hand, tmp_path: Path) -> None:
    (tmp_path / "empty.srt").write_bytes(b"")
    hand.show()
    hand.control.open(str(tmp_path / "empty.srt"))
    hand.wait(lambda: hand.window.notice.message)
    assert "empty.srt" in hand.window.notice.message and hand.control.dubbing is None and not hand.panel.is_busy


def test_make_listen_redo_and_pick_by_keys_alone(open_hand: Hand) -> None:
    hand = open_hand
    assert hand.panel.make.text() == "Make 4"
    hand.make()
    assert sorted(hand.spoken()) == sorted(LINES)
    assert hand.panel.make.text() == "All is made" and not hand.panel.make.isEnabled()
    hand.focus(hand.panel.table)
    hand.key(Qt.Key.Key_Down)
    cue = hand.states[1].cue
    assert hand.panel.current == cue.cue_id
    hand.key(Qt.Key.Key_Space)
    hand.wait(lambda: hand.studio.player.is_active)
    assert hand.studio.player.source.length / hand.studio.player.source.sample_rate > 0.2
    hand.key(Qt.Key.Key_Space)
    assert not hand.studio.player.is_active
    hand.key(Qt.Key.Key_R)
    hand.wait(lambda: len(hand.states[1].cue.takes) == 2 and not hand.panel.is_busy)
    assert hand.spoken()[4:] == [LINES[1]]
    assert hand.states[1].cue.chosen == hand.states[1].cue.takes[1].take
    hand.key(Qt.Key.Key_1)
    assert hand.states[1].cue.chosen == hand.states[1].cue.takes[0].take == cue.chosen
    assert [len(state.cue.takes) for state in hand.states] == [1, 2, 1, 1]
    seeds = {line.seed for lines in hand.fake.lines for line in lines}
    assert len(seeds) == 5


def test_editing_one_cue_makes_it_alone_stale_and_make_makes_it_alone(open_hand: Hand) -> None:
    hand = open_hand
    hand.make()
    before = [state.cue.chosen for state in hand.states]
    hand.panel.select(hand.states[2].cue.cue_id)
    hand.do("dub_write")
    hand.wait(hand.panel.card.text.hasFocus)
    hand.key(Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(QApplication.focusWidget(), " R 1!")  # keys that mean something elsewhere are letters here
    hand.wait(lambda: hand.states[2].cue.text == "Come in then. R 1!")
    assert [state.problem for state in hand.states] == ["", "", "stale", ""]
    assert [state.cue.chosen for state in hand.states] == before
    hand.make()
    assert hand.spoken()[4:] == ["Come in then. R 1!"]
    after = [state.cue.chosen for state in hand.states]
    assert after[:2] == before[:2] and after[3] == before[3] and after[2] != before[2]


def test_undo_and_redo_go_through_everything_even_from_within_the_text(open_hand: Hand) -> None:
    hand = open_hand
    start = json.loads(hand.control.dubbing.project.snapshot().data)
    hand.panel.select(hand.states[0].cue.cue_id)
    hand.do("dub_write")
    hand.wait(hand.panel.card.text.hasFocus)
    QTest.keyClicks(QApplication.focusWidget(), "Hey. ")
    hand.panel.card.flush()
    hand.panel.card.style_edited.emit(hand.panel.current, "loud")
    hand.panel.card.buttons["split"].click()
    hand.do("dub_later")
    hand.panel.card.buttons["merge"].click()
    hand.panel.card.buttons["delete"].click()
    end = json.loads(hand.control.dubbing.project.snapshot().data)
    assert start != end
    hand.focus(hand.panel.card.text)
    steps = 0
    while hand.control.dubbing.project.undo_label != "Import cues" and hand.control.dubbing.project.undo_label:
        hand.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        steps += 1
        assert steps < 20
    assert steps >= 5 and json.loads(hand.control.dubbing.project.snapshot().data) == start
    assert hand.panel.card.text.toPlainText() == hand.states[0].cue.text == LINES[0]
    for _ in range(steps):
        hand.do("dub_redo_step")
    assert json.loads(hand.control.dubbing.project.snapshot().data) == end


def test_split_at_the_text_cursor_merge_and_move(open_hand: Hand) -> None:
    hand = open_hand
    hand.make()
    second = hand.states[1].cue
    hand.panel.select(second.cue_id)
    hand.focus(hand.panel.card.text)
    cursor = hand.panel.card.text.textCursor()
    cursor.setPosition(len("It is I, "))
    hand.panel.card.text.setTextCursor(cursor)
    hand.panel.card.asked.emit("split")
    assert [state.cue.text for state in hand.states[1:3]] == ["It is I,", "and nobody else."]
    assert hand.panel.current == hand.states[2].cue.cue_id and hand.states[1].cue.takes == second.takes
    assert hand.states[1].problem == "stale" and hand.states[2].problem == "no_take"
    hand.panel.select(second.cue_id)
    hand.do("dub_merge")
    assert hand.states[1].cue.text == LINES[1] and hand.states[1].problem == ""
    hand.do("dub_later")
    hand.do("dub_longer")
    cue = hand.states[1].cue
    assert (cue.start, cue.end) == (6050, 8100) and not hand.states[1].problem
    hand.panel.card.start.setText("0:06,5")
    hand.panel.card.start.editingFinished.emit()
    assert hand.states[1].cue.start == 6500
    hand.panel.card.start.setText("nonsense")
    hand.panel.card.start.editingFinished.emit()
    assert hand.states[1].cue.start == 6500 and hand.panel.card.start.text() == "0:06.500"


def test_a_cue_is_dragged_on_the_timeline_and_snaps(open_hand: Hand) -> None:
    hand, timeline = open_hand, open_hand.panel.timeline
    timeline.axis.show_between(0.0, 16.0)
    cue = hand.states[1].cue  # 6 to 8 s
    y = round(timeline._bands()[2].center().y())

    def drag(start_ms, to_ms, modifier=Qt.KeyboardModifier.NoModifier):
        a, b = QPoint(round(timeline.x_of(start_ms)), y), QPoint(round(timeline.x_of(to_ms)), y)
        QTest.mousePress(timeline, Qt.MouseButton.LeftButton, modifier, a)
        for part in (0.3, 0.7, 1.0):
            QTest.mouseMove(timeline, a + QPoint(round((b - a).x() * part), 0))
            from PySide6.QtGui import QMouseEvent

            place = QPointF(a.x() + (b - a).x() * part, y)
            move = QMouseEvent(
                QMouseEvent.Type.MouseMove, place, timeline.mapToGlobal(place), Qt.MouseButton.NoButton,
                Qt.MouseButton.LeftButton, modifier,
            )  # fmt: skip
            QApplication.sendEvent(timeline, move)
        QTest.mouseRelease(timeline, Qt.MouseButton.LeftButton, modifier, b)

    pixel = 16_000 / timeline.width()
    drag(7000, 7020 + round(3 * pixel))  # less than it takes: a click
    assert hand.states[1].cue.start == 6000 and hand.panel.current == cue.cue_id
    timeline.set_playhead(15_000)
    drag(8000, 9000 - round(4 * pixel))  # the end, close to the start of the next cue
    assert (hand.states[1].cue.start, hand.states[1].cue.end) == (6000, 9000)
    drag(7000, 7000 - round(500 / pixel) * round(pixel), Qt.KeyboardModifier.AltModifier)
    moved = hand.states[1].cue
    assert moved.start < 5700 and moved.end - moved.start == 3000
    hand.control.undo()
    drag(6000, 8999)  # an edge stops before the other one
    assert hand.states[1].cue.start == 8900


def test_saved_voices_are_cast_asked_for_and_refused(hand: Hand, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("VOXCPM_PASSPHRASE", "words for the test")
    library = hand.studio.application.library
    voice = library.voices.add(new_voice("Ada", now=datetime.now(UTC))).voice_id
    (tmp_path / "s.txt").write_text(SCRIPT)
    hand.open(tmp_path / "s.txt")
    cast = hand.panel.cast
    hand.wait(lambda: cast.voice_field("Ann").findData(voice) >= 0)

    def choose(combo, voice_id):
        row = combo.findData(voice_id)
        combo.setCurrentIndex(row)
        combo.activated.emit(row)

    choose(cast.voice_field("Ann"), voice)
    hand.wait(lambda: hand.control.overview.dub.cast["Ann"].voice == voice)
    shipped = next(iter(library.voices.shipped.all())).voice_id
    hand.panel.select(hand.states[1].cue.cue_id)
    choose(hand.panel.card.voice, shipped)
    hand.wait(lambda: hand.states[1].cue.voice == shipped)
    cast.line_field("Bob", style=True).setText("in a hurry")
    cast.line_field("Bob", style=True).editingFinished.emit()
    hand.make()
    lines = {line.text: line for batch in hand.fake.lines for line in batch}
    assert lines["Hello there, Bob."].voice.voice_id == lines["Fine."].voice.voice_id == voice
    assert lines["Fine."].voice.reference == SAVED
    assert lines["Hello, Ann, how are you?"].voice.voice_id == shipped
    assert lines["Hello, Ann, how are you?"].description == "in a hurry"
    library.voices.withdraw(voice)
    hand.panel.cast.cast_changed.emit("Ann", Role())
    assert hand.control.overview.dub.cast["Ann"].voice == ""
    choose(cast.voice_field("Ann"), voice)
    hand.wait(lambda: hand.window.notice.message)
    assert hand.control.overview.dub.cast["Ann"].voice == "" and cast.voice_field("Ann").currentData() == ""
    hand.control.undo()  # back to the cast with that voice: making is refused as well
    assert hand.control.overview.dub.cast["Ann"].voice == voice
    count = len(hand.fake.lines)
    hand.control.dub.change(lambda dubbing: dubbing.write(hand.states[2].cue.cue_id, "New words."))
    hand.window.notice.hide()
    hand.do("generate")
    hand.wait(lambda: not hand.panel.is_busy and hand.window.notice.message)
    assert len(hand.fake.lines) == count and "Ann" in hand.window.notice.message


def test_words_of_the_project_and_of_all_change_what_is_spoken(open_hand: Hand) -> None:
    hand = open_hand
    hand.do("dub_words")
    words = hand.control.dialogs.words
    words.word.setText("NASA")
    words.said.setText("nassa")
    words.scope.setCurrentIndex(1)
    words.set_button.click()
    assert hand.studio.settings.get("words") == {"NASA": "nassa"}
    assert words.changed.count() == 1 and "nassa" in words.changed.item(0).text()
    words.scope.setCurrentIndex(0)
    words.said.setText("the agency")
    words.set_button.click()
    hand.make()
    assert "Thank you kindly, the agency." in hand.spoken()
    words.table.setCurrentCell(0, 0)
    assert words.said.text() == "the agency"
    words.remove_button.click()
    assert hand.states[3].problem == "stale" and hand.states[3].changes[0].said == "nassa"
    words.close()


def test_takes_fill_and_ripple_reach_the_dub(open_hand: Hand) -> None:
    hand = open_hand
    hand.panel.takes.setValue(3)
    hand.make()
    assert [len(state.cue.takes) for state in hand.states] == [3, 3, 3, 3]
    assert hand.studio.settings.get("dub_takes") == 3
    hand.panel.fill.click()
    assert any(state.placed.speed < 1 for state in hand.states)
    hand.panel.fill.click()
    first = hand.states[0].cue.cue_id
    hand.control.dub.change(lambda dubbing: dubbing.move(first, 5600, 5900))
    assert hand.states[1].placed.start == 6000
    hand.panel.ripple.click()
    assert hand.states[0].placed.end > 5940 and hand.states[1].placed.start > 6000
    assert "moved" in hand.states[1].placed.flags


def test_what_takes_long_is_stopped_and_goes_on(open_hand: Hand) -> None:
    hand = open_hand
    hand.fake.step_delay = 0.15
    many = [f"{line} And once more, {number}." for number in range(5) for line in LINES]
    for number, state in enumerate(hand.states):
        hand.control.dub.change(lambda d, s=state, n=number: d.write(s.cue.cue_id, many[n]))
    from app.core.dubbing.cues import Cue, new_id

    hand.control.dub.change(lambda d: d.add(Cue(new_id(), text, 20_000 + 3000 * n, 22_000 + 3000 * n)
                                         for n, text in enumerate(many[4:])))  # fmt: skip
    hand.do("generate")
    hand.wait(lambda: hand.panel.is_busy)
    assert not hand.panel.head["export"].isEnabled() and hand.panel.stop.isEnabled()
    hand.wait(lambda: len(hand.control.overview.to_make) < len(many))
    hand.do("stop")
    hand.wait(lambda: not hand.panel.is_busy)
    made = {state.cue.cue_id: state.cue.chosen for state in hand.states if state.cue.chosen}
    assert 0 < len(made) < len(many)
    hand.fake.step_delay = 0.0
    hand.make()
    assert all(state.cue.chosen == made.get(state.cue.cue_id, state.cue.chosen) for state in hand.states)
    assert all(len(state.cue.takes) == 1 for state in hand.states) and set(hand.spoken()) == set(many)


def test_edits_are_saved_by_themselves_and_come_back_at_the_next_start(make_studio, srt: Path) -> None:
    hand = Hand(make_studio().show()).open(srt)
    hand.make()
    hand.control.dub.change(lambda dubbing: dubbing.write(hand.states[0].cue.cue_id, "Other words."))
    hand.is_saved()
    folder = hand.control.dubbing.project.folder
    with Project.open(folder, types=TYPES, readonly=True) as project:  # as a kill would leave it
        assert Dubbing(project).dub == hand.control.overview.dub
    saved = json.loads((folder / "project.json").read_text("utf-8"))
    hand.panel.card.text.setPlainText("Typed at the very end.")
    hand.window.close()
    assert hand.studio.application.ended_cleanly
    assert json.loads((folder / "project.json").read_text("utf-8")) != saved
    hand = Hand(make_studio().show()).show()
    hand.wait(lambda: hand.control.dubbing is not None)
    assert hand.states[0].cue.text == "Typed at the very end."
    assert [len(state.cue.takes) for state in hand.states] == [1, 1, 1, 1]


def test_closing_while_takes_are_made_ends_cleanly_and_loses_nothing(make_studio, srt: Path) -> None:
    hand = Hand(make_studio().show()).open(srt)
    hand.fake.step_delay = 0.1
    hand.do("generate")
    hand.wait(lambda: hand.fake.lines)
    hand.window.close()
    assert hand.studio.application.ended_cleanly
    with Project.open(srt.with_suffix(".dub"), types=TYPES) as project:
        assert len(Dubbing(project).dub.cues) == 4


def test_the_original_sound_is_seen_heard_and_mixed(open_hand: Hand, tmp_path: Path) -> None:
    hand = open_hand
    hand.make()
    at = np.arange(16_000 * 20) / 16_000
    soundfile.write(tmp_path / "orig.flac", 0.1 * np.sin(2 * np.pi * 100 * at), 16_000)
    hand.control.take_sound(str(tmp_path / "orig.flac"))
    hand.wait(lambda: hand.control.overview.dub.sound is not None and hand.control.listening.sound is not None)
    assert hand.panel.sound_name.text() == "orig.flac"
    assert hand.panel.timeline.axis.length == pytest.approx(20.0)
    hand.do("dub_original")
    hand.wait(lambda: hand.studio.player.is_active)
    assert hand.studio.player.source.length == 2 * 16_000
    hand.control.listening.stop()
    hand.panel.timeline.set_playhead(3000)
    hand.do("dub_listen_on")
    hand.wait(lambda: hand.studio.player.is_active)
    source = hand.studio.player.source
    assert source.length == 17 * 16_000
    quiet = source.read(int(2.6 * 16_000), 1600)  # between two cues: the original alone
    assert np.abs(quiet).max() == pytest.approx(0.1, abs=0.02)
    hand.wait(lambda: hand.panel.timeline.playhead > 3000)
    hand.control.listening.stop()
    hand.control.remove_sound()
    assert hand.control.overview.dub.sound is None and hand.control.listening.sound is None


def test_mix_and_export_writes_what_was_asked_for(open_hand: Hand, tmp_path: Path) -> None:
    hand = open_hand
    hand.make()
    hand.do("dub_export")
    dialog = hand.control.dialogs.exporting
    dialog.out.setText("nowhere.txt")
    dialog.export_button.click()
    assert "wav" in dialog.problem.text()
    dialog.marks["watermark"].setChecked(False)
    dialog.out.setText(str(tmp_path / "out" / "film.flac"))
    dialog.export_button.click()
    assert dialog.problem.text() == "Say why a mark is left out."
    dialog.reason.setText("a test")
    dialog.stems.setChecked(True)
    dialog.cues.setChecked(True)
    dialog.name.setText("{number}-{start}")
    dialog.subtitles.setChecked(True)
    dialog.rate.setCurrentIndex(dialog.rate.findData(44_100))
    dialog.loudness.setCurrentIndex(dialog.loudness.findData(-23.0))
    dialog.stereo.setChecked(True)
    dialog.export_button.click()
    hand.wait(lambda: not hand.panel.is_busy and hand.window.notice.message)
    assert "could not be written" in hand.window.notice.message  # there is no such folder
    (tmp_path / "out").mkdir()
    hand.window.notice.hide()
    hand.do("dub_export")
    dialog = hand.control.dialogs.exporting
    assert dialog.name.text() == "{number}-{start}" and dialog.stems.isChecked()  # as it was the last time
    dialog.out.setText(str(tmp_path / "out" / "film.flac"))
    dialog.marks["watermark"].setChecked(False)
    dialog.reason.setText("a test")
    dialog.export_button.click()
    hand.wait(lambda: not hand.panel.is_busy and hand.window.notice.message)
    assert "Saved" in hand.window.notice.message, hand.window.notice.message
    samples, rate = soundfile.read(tmp_path / "out" / "film.flac")
    assert rate == 44_100 and samples.shape[1] == 2 and len(samples) / rate > 12
    assert (tmp_path / "out" / "film.srt").read_text("utf-8").count("-->") == 4
    assert [path.name for path in (tmp_path / "out" / "film stems").iterdir()] == ["voice.flac"]
    assert len(list((tmp_path / "out" / "film cues").iterdir())) == 4
    assert (tmp_path / "out" / "film cues" / "1-00-00-03-000.flac").is_file()
    entry = list(hand.studio.application.library.audit.entries())[-6]
    assert entry.event == "export" and entry.facts["mark_watermark"] == "left_out" and "reason" in entry.facts


def test_an_export_is_stopped(open_hand: Hand, tmp_path: Path) -> None:
    hand = open_hand
    hand.make()
    hand.do("dub_export")
    hand.control.dialogs.exporting.out.setText(str(tmp_path / "film.wav"))
    hand.control.dialogs.exporting.export_button.click()
    assert hand.panel.is_busy
    hand.do("stop")
    hand.wait(lambda: not hand.panel.is_busy)
    assert not (tmp_path / "film.wav").exists() and not list(tmp_path.glob(".saving-*"))


def test_n_goes_from_problem_to_problem(open_hand: Hand) -> None:
    hand = open_hand
    hand.make()
    for row in (1, 3):
        hand.control.dub.change(lambda d, row=row: d.write(hand.states[row].cue.cue_id, "Changed."))
    hand.focus(hand.panel.table)
    visited = []
    for _ in range(3):
        hand.key(Qt.Key.Key_N)
        visited.append(hand.control.overview.by_id[hand.panel.current].number)
    assert visited == [2, 4, 2]
    assert hand.panel.problem_button.text() == "Look at 2"


def test_a_model_that_is_not_loaded_is_loaded_first(make_studio, srt: Path) -> None:
    studio = make_studio()
    studio.settings.set("load_at_start", False)
    hand = Hand(studio.show(wait_for_model=False)).open(srt)
    assert studio.engine.model is None
    hand.make()
    assert studio.engine.model is not None and len(hand.spoken()) == 4


def test_other_panels_have_their_keys_and_takes_back(open_hand: Hand) -> None:
    hand = open_hand
    assert not hand.studio.takes_panel.isVisible() and not hand.window.player_panel.isVisible()
    hand.window.rail_button("design").click()
    assert hand.studio.takes_panel.isVisible() and hand.window.player_panel.isVisible()
    assert len(hand.studio.generate("Good evening.")) == 1
    assert hand.studio.player.source is not None and hand.spoken() == []
    hand.show()
    assert hand.panel.model.rowCount() == 4


def test_it_fits_a_small_screen(open_hand: Hand) -> None:
    hand = open_hand
    hand.qtbot.wait(0)
    hint = hand.window.minimumSizeHint()
    assert hint.width() <= 940 and hint.height() <= 500


def test_sensitive_cues_are_asked_about_once_and_made_after_a_reason(hand: Hand, tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("Ann: Please send me your password and the code at once.\nBob: No.\n")
    hand.open(tmp_path / "s.txt")
    hand.do("generate")
    hand.wait(lambda: hand.window.review.dialog is not None)
    assert hand.fake.lines == [] and not hand.panel.is_busy
    hand.window.review.dialog.back.click()
    assert hand.fake.lines == [] and len(hand.control.overview.to_make) == 2
    hand.do("generate")
    hand.wait(lambda: hand.window.review.dialog is not None)
    dialog = hand.window.review.dialog
    dialog.reason.setEditText("a play")
    dialog.allow.click()
    hand.wait(lambda: not hand.panel.is_busy and not hand.control.overview.to_make)
    lines = {line.text: line for batch in hand.fake.lines for line in batch}
    assert lines["Please send me your password and the code at once."].decided
    hand.panel.select(hand.states[0].cue.cue_id)
    hand.do("dub_redo")
    hand.wait(lambda: len(hand.states[0].cue.takes) == 2)
    assert hand.window.review.dialog is None
    events = [entry.event for entry in hand.studio.application.library.audit.entries()]
    assert "sensitive_text" in events


def test_takes_that_the_library_lacks_are_told_and_made_again(open_hand: Hand) -> None:
    hand, takes = open_hand, open_hand.studio.application.library.takes
    hand.make()
    hand.is_saved()
    before = [state.cue.chosen for state in hand.states]
    takes.move_to_bin(before)
    takes.empty_bin()
    hand.window.rail_button("design").click()
    hand.show()
    hand.wait(lambda: hand.panel.make.text() == "Make 4")
    assert "4 takes" in hand.window.notice.message
    hand.make()
    assert [state.cue.chosen for state in hand.states] == before and not takes.lacking(before)


def test_what_is_there_already_is_not_replaced_unasked(open_hand: Hand, tmp_path: Path) -> None:
    hand = open_hand
    hand.do("dub_export")
    dialog = hand.control.dialogs.exporting
    (tmp_path / "film.wav").write_bytes(b"kept")
    dialog.out.setText(str(tmp_path / "film.wav"))
    dialog.export_button.click()
    assert "film.wav is there already" in dialog.problem.text() and dialog.isVisible()
    assert [button for button in dialog.findChildren(QPushButton) if button.isDefault()] == [dialog.export_button]
    dialog.overwrite.click()
    assert dialog.wishes().overwrite
    dialog.close()


def test_remarks_and_refusals_are_chinese_with_their_numbers(hand: Hand, tmp_path: Path) -> None:
    path = tmp_path / "odd.srt"
    path.write_text(SRT + "\n9\n00:00:13,000 --> 00:00:12,000\nIt ends before it starts.\n", encoding="utf-8")
    hand.do("language_zh_CN")
    hand.open(path)
    report = hand.control.dialogs.report
    told = [report.list.item(row).text() for row in range(report.list.count())]
    assert [text.split("：", 1)[1] for text in told] == ["与下一条台词重叠 1.00 秒。", "结束早于开始；已改为 1.6 秒。"]
    report.close()
    hand.control.dub.change(lambda dubbing: dubbing.split(hand.states[0].cue.cue_id, 0))
    assert hand.window.notice.message == "请在文本中间拆分：两部分都要有文字。"
    hand.do("language_en")


def test_make_goes_back_to_a_take_that_says_what_the_cue_says_again(open_hand: Hand) -> None:
    hand = open_hand
    hand.make()
    cue, first = hand.states[0].cue, hand.states[0].cue.chosen
    hand.control.dub.change(lambda dubbing: dubbing.write(cue.cue_id, "Other words."))
    hand.make()
    assert hand.states[0].cue.chosen != first
    hand.control.dub.change(lambda dubbing: dubbing.write(cue.cue_id, cue.text))
    assert hand.states[0].problem == "stale" and hand.panel.make.text() == "Make 1"
    spoken = len(hand.spoken())
    hand.do("generate")
    assert hand.states[0].cue.chosen == first and not hand.states[0].problem
    assert len(hand.spoken()) == spoken and hand.panel.make.text() == "All is made"

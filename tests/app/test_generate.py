"""The whole way from the fields to the takes, with the real window and a fake engine."""

import re

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.core.messages import Failure
from app.core.takes import TakeState


def test_a_press_of_generate_makes_the_takes_that_were_asked_for(studio):
    studio.compose.takes.setValue(3)
    takes = studio.generate("Good evening.")
    assert [take.state for take in takes] == [TakeState.DONE] * 3
    assert len({take.seed for take in takes}) == 3
    assert all(take.seconds == pytest.approx(12 * 0.16) for take in takes)
    assert all(take.latents.shape == (48, 16) for take in takes)
    assert studio.takes_panel.model.rowCount() == 3
    assert studio.takes_panel.current is takes[0]


def test_the_take_keeps_everything_it_was_made_from(studio):
    studio.compose.design.edit.setText("an old man")
    studio.compose.seed.set_seed(77)
    (take,) = studio.generate("Mind the gap.")
    assert take.job.text == "Mind the gap."
    assert take.job.description == "an old man"
    assert take.final_text == "(an old man)Mind the gap."
    assert take.seed == 77
    assert take.end == "stopped"
    assert take.model is studio.engine.model


def test_takes_are_never_overwritten(studio):
    (first,) = studio.generate("One.")
    before = first.samples.copy()
    (second,) = studio.generate("Two.")
    assert studio.store.takes == (first, second)
    assert np.array_equal(first.samples, before)
    assert studio.takes_panel.current is second


def test_stop_keeps_what_was_heard_and_generate_works_again(studio):
    studio.fake._model.patches = None
    studio.fake.step_delay = 0.005
    studio.generate("Never ending.", wait=False)
    studio.qtbot.waitUntil(lambda: studio.store.takes[0].seconds > 0)
    assert studio.compose.stop.isEnabled()
    assert "Esc stops" in studio.compose.reason.text()
    with studio.qtbot.waitSignal(studio.engine.job_ended) as ended:
        studio.compose.stop.click()
    assert ended.args[0].cancelled
    (take,) = studio.store.takes
    assert take.state is TakeState.STOPPED
    assert take.seconds > 0
    assert "stopped" in studio.takes_panel.model.subtitle(take)
    assert studio.compose.generate.isEnabled()
    studio.fake._model.patches = 3
    studio.generate("Again.")
    assert len(studio.store.takes) == 2


def test_nothing_to_say_is_told_beside_the_text_and_generate_stays_usable(studio):
    for text in ("", "   \t", "…", "（）"):
        studio.generate(text)
        assert studio.compose.text_problem.isVisible()
        assert "nothing to speak" in studio.compose.text_problem.text()
        assert studio.compose.generate.isEnabled()
        assert studio.store.takes == ()
    studio.generate("Now words.")
    assert not studio.compose.text_problem.isVisible()
    assert len(studio.store.takes) == 1


def test_a_failure_half_way_keeps_the_part_and_says_what_happened(studio):
    studio.fake.fail_at_patch = 3
    studio.generate("Good evening.")
    (take,) = studio.store.takes
    assert take.state is TakeState.FAILED
    assert take.seconds == pytest.approx(3 * 0.16)
    assert "the pretended device is gone" in studio.window.notice.message
    assert studio.window.notice.details_button.isVisible()
    studio.fake.fail_at_patch = None
    studio.generate("Good evening.")
    assert studio.store.takes[-1].state is TakeState.DONE
    assert studio.window.notice.message == ""


def test_a_failure_before_any_sound_leaves_no_empty_take(studio):
    studio.fake.fail_at_patch = 0
    studio.generate("Good evening.")
    assert studio.store.takes == ()
    assert studio.takes_panel.model.rowCount() == 0
    assert studio.player.source is None


def test_generate_before_the_model_is_there_waits_for_it(make_studio, fake_engine):
    fake_engine.load_delay = 0.3
    studio = make_studio().show(wait_for_model=False)
    studio.compose.text.setPlainText("Early bird.")
    with studio.qtbot.waitSignal(studio.engine.job_ended):
        studio.compose.generate.click()
        assert "as soon as the model is loaded" in studio.compose.reason.text()
    assert len(studio.store.takes) == 1


def test_a_waiting_press_can_be_given_up(make_studio, fake_engine):
    fake_engine.load_delay = 0.2
    studio = make_studio().show(wait_for_model=False)
    studio.compose.text.setPlainText("Early bird.")
    with studio.qtbot.waitSignal(studio.engine.model_loaded):
        studio.compose.generate.click()
        studio.compose.stop.click()
    assert fake_engine.jobs == []
    assert studio.compose.generate.isEnabled()


def test_a_model_that_is_not_loaded_at_start_is_loaded_by_generate(make_studio, fake_engine):
    studio = make_studio()
    studio.settings.set("load_at_start", False)
    studio.show(wait_for_model=False)
    studio.qtbot.waitUntil(lambda: studio.audio.probes == 1)
    assert fake_engine.loads == []
    studio.generate("Now.")
    assert len(fake_engine.loads) == 1
    assert len(studio.store.takes) == 1


def test_a_model_that_cannot_be_loaded_is_told_with_details(make_studio, fake_engine):
    fake_engine.load_failure = Failure("The tensor 'x' is missing. Download the model again.", "", "traceback")
    studio = make_studio()
    with studio.qtbot.waitSignal(studio.engine.load_failed):
        studio.show(wait_for_model=False)
    assert "tensor 'x' is missing" in studio.window.notice.message
    assert studio.window.notice.details_button.isVisible()
    assert "No model" in studio.window.status.model_label.text()


def test_the_job_line_counts_and_the_bar_moves(studio):
    studio.fake.step_delay = 0.12  # slower than the line changes
    seen = set()
    studio.engine.chunk_arrived.connect(
        lambda chunk: seen.add((studio.window.status.job_label.text(), studio.window.status.bar.value()))
    )
    studio.compose.takes.setValue(2)
    studio.generate("Good evening.")
    lines = {line for line, _ in seen}
    # The line changes a few times a second, so that a busy machine passes over some patches.
    assert any(re.fullmatch(r"Take 1 of 2 · \d+ of ~12 patches · Esc stops", line) for line in lines)
    assert len({value for _, value in seen}) > 2
    assert studio.window.status.job_label.text() == "Done. Takes made: 2"
    assert not studio.window.status.bar.isVisible()


def test_the_status_bar_names_model_device_precision_memory_and_speed(studio):
    studio.fake.step_delay = 0.01
    studio.generate()
    status = studio.window.status
    assert status.model_label.text() == "demo-voice · cpu float32"
    assert status.memory_label.text().endswith(("MB", "GB"))
    assert status.speed_label.text().startswith("RTF 0.")


def test_the_keyboard_does_it_all(studio):
    window, qtbot = studio.window, studio.qtbot
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    studio.compose.takes.setValue(3)
    studio.compose.text.setPlainText("Good evening.")
    studio.compose.text.setFocus()
    with qtbot.waitSignal(studio.engine.job_ended):
        qtbot.keyClick(studio.compose.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    takes = studio.store.takes
    studio.takes_panel.list.setFocus()
    for key, take in ((Qt.Key.Key_2, takes[1]), (Qt.Key.Key_3, takes[2]), (Qt.Key.Key_1, takes[0])):
        qtbot.keyClick(window, key)
        assert studio.takes_panel.current is take
    studio.player.stop()
    qtbot.keyClick(window, Qt.Key.Key_Space)
    assert studio.player.is_active
    qtbot.keyClick(window, Qt.Key.Key_Space)
    assert not studio.player.is_active
    studio.fake._model.patches = None
    studio.fake.step_delay = 0.005
    studio.generate("Never ending.", wait=False)
    with qtbot.waitSignal(studio.engine.job_ended):
        qtbot.keyClick(window, Qt.Key.Key_Escape)


def test_space_writes_a_blank_in_a_text_and_ticks_a_tick(studio):
    window, qtbot = studio.window, studio.qtbot
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    studio.generate("Good")
    studio.player.stop()
    studio.compose.text.setFocus()
    studio.compose.text.moveCursor(studio.compose.text.textCursor().MoveOperation.End)
    qtbot.keyClick(studio.compose.text, Qt.Key.Key_Space)
    assert studio.compose.text.toPlainText() == "Good "
    qtbot.keyClick(studio.compose.text, Qt.Key.Key_2)
    assert studio.compose.text.toPlainText() == "Good 2"
    studio.compose.seed.lock.setFocus()
    qtbot.keyClick(studio.compose.seed.lock, Qt.Key.Key_Space)
    assert studio.compose.seed.is_locked
    assert not studio.player.is_active
    studio.compose.generate.setFocus()
    jobs = len(studio.fake.jobs)
    qtbot.keyClick(studio.compose.generate, Qt.Key.Key_Space)
    assert studio.player.is_active
    assert len(studio.fake.jobs) == jobs

"""Takes against each other in the real window: equally loud, at the same place, blind, and the choice is kept."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.core.loudness import loudness


@pytest.fixture
def three(studio):
    """Three takes of one press, one of them much louder."""
    studio.compose.takes.setValue(3)
    takes = studio.generate("Good evening.")
    takes[1]._samples._data *= 0.25
    studio.qtbot.waitUntil(lambda: all(take.kept for take in takes))
    return takes


def begin(studio, blind=False):
    bar = studio.takes_panel.compare_bar
    studio.player.stop()
    if blind:
        bar.blind.setChecked(True)
    bar.compare_button.click()
    studio.qtbot.waitUntil(lambda: studio.window.compare.is_running, timeout=60000)  # scipy is imported
    assert studio.player.is_active
    return bar


def test_compare_plays_the_takes_of_the_press_equally_loud(studio, three):
    bar = begin(studio)
    compare = studio.window.compare
    assert compare.takes == three
    levels = [
        loudness(take.samples * np.float32(10 ** (gain / 20)), take.sample_rate)
        for take, gain in zip(three, compare.gains, strict=True)
    ]
    assert max(levels) - min(levels) <= 0.1 and min(compare.gains) < -11
    assert [button.text() for button in bar.choices if button.isVisible()] == ["1", "2", "3"]
    assert studio.player.source.take is three[0]


def test_switching_keeps_the_place(studio, three):
    bar = begin(studio)
    studio.player.pause()
    studio.player.seek(1.0)
    bar.choices[2].click()
    assert studio.player.source.take is three[2] and studio.player.position == pytest.approx(1.0, abs=0.2)
    assert studio.window.player_panel.timeline.take is three[2]


def test_use_this_selects_and_is_kept(studio, three):
    bar = begin(studio)
    bar.choices[1].click()
    with studio.qtbot.waitSignal(studio.application.autosave.choice_kept):
        bar.use_button.click()
    assert not studio.window.compare.is_running
    assert studio.takes_panel.current is three[1]
    assert [take.chosen for take in three] == [False, True, False]
    assert "chosen" in studio.takes_panel.model.subtitle(three[1])
    (choice,) = studio.application.library.comparisons.all()
    assert choice.chosen == three[1].uid and choice.offered == tuple(take.uid for take in three) and not choice.blind


def test_blind_hides_which_is_which_until_the_choice(studio, three):
    bar = begin(studio, blind=True)
    assert [button.text() for button in bar.choices if button.isVisible()] == ["A", "B", "C"]
    assert studio.takes_panel.current is None and studio.window.player_panel.timeline.take is None
    assert "blind" in studio.window.player_panel.timeline._empty.text()
    order = studio.window.compare.takes
    assert sorted(take.row for take in order) == [0, 1, 2]
    bar.choices[1].click()
    assert studio.window.player_panel.timeline.take is None
    with studio.qtbot.waitSignal(studio.application.autosave.choice_kept):
        bar.use_button.click()
    assert studio.takes_panel.current is order[1]
    assert studio.window.player_panel.timeline.take is order[1]
    assert "blind" not in studio.window.player_panel.timeline._empty.text()
    told = " · ".join(str(take.row + 1) for take in order)
    assert bar.said.text() == f"{order[1].row + 1} was chosen. The order was: {told}"
    (choice,) = studio.application.library.comparisons.all()
    assert choice.blind and choice.offered == tuple(take.uid for take in order) and choice.chosen == order[1].uid


def test_the_keyboard_compares(studio, three):
    window, qtbot = studio.window, studio.qtbot
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    studio.takes_panel.list.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_X)
    qtbot.waitUntil(lambda: window.compare.is_running, timeout=60000)
    order = window.compare.takes
    qtbot.keyClick(window, Qt.Key.Key_3)
    assert studio.player.source.take is order[2]
    qtbot.keyClick(window, Qt.Key.Key_Space)
    assert not studio.player.is_active
    with qtbot.waitSignal(studio.application.autosave.choice_kept):
        qtbot.keyClick(window, Qt.Key.Key_U)
    assert studio.takes_panel.current is order[2]
    qtbot.keyClick(window, Qt.Key.Key_C)
    qtbot.waitUntil(lambda: window.compare.is_running)
    qtbot.keyClick(window, Qt.Key.Key_C)
    assert not window.compare.is_running


def test_turning_to_another_take_ends_the_comparison(studio, three):
    begin(studio)
    studio.takes_panel.select(three[2])
    assert not studio.window.compare.is_running and studio.player.source.take is three[2]
    assert studio.takes_panel.compare_bar.compare_button.isEnabled()


def test_turning_away_before_it_begins_gives_it_up(studio, three):
    begin(studio)
    studio.window.compare.end()
    studio.takes_panel.compare_bar.compare_button.click()
    studio.takes_panel.select(three[1])
    studio.qtbot.waitUntil(lambda: studio.window.compare._work.is_idle)
    assert not studio.window.compare.is_running and studio.player.source.take is three[1]


def test_takes_of_several_presses_are_compared_when_selected(studio):
    studio.generate("One.")
    studio.generate("Two.")
    assert not studio.takes_panel.compare_bar.compare_button.isEnabled()
    studio.takes_panel.list.selectAll()
    assert studio.takes_panel.compare_bar.compare_button.isEnabled()
    begin(studio)
    assert [take.job.text for take in studio.window.compare.takes] == ["One.", "Two."]


@pytest.mark.parametrize("blind", [False, True])
def test_earlier_takes_are_read_before_they_are_compared(make_studio, blind):
    studio = make_studio().show()
    studio.compose.takes.setValue(2)
    studio.generate("Good evening.")
    studio.window.close()
    again = make_studio()
    with again.qtbot.waitSignal(again.application.autosave.restored):
        again.show()
    takes = again.store.takes
    again.takes_panel.select(takes[0])
    begin(again, blind=blind)
    assert not any(take.is_unread for take in takes)


def test_the_window_fits_a_small_screen_with_takes_a_comparison_and_a_queue(studio, three):
    begin(studio)
    studio.fake._model.patches = None
    studio.fake.step_delay = 0.005
    for text in ("Never ending.", "Two."):
        studio.compose.text.setPlainText(text)
        studio.compose.generate.click()
    studio.qtbot.waitUntil(studio.window.jobs.panel.isVisible)
    studio.qtbot.wait(0)
    hint = studio.window.minimumSizeHint()
    assert hint.width() <= 940 and hint.height() <= 500
    studio.compose.stop.click()
    studio.fake._model.patches = 2

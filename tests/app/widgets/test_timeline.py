"""The tracks on their one axis: what they draw is the take, mouse and keys reach the player, nothing stalls."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.core.mel import TILE, TileKey, level_for, mel_tile
from app.widgets.timeline import TRACKS

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


@pytest.fixture
def viewer(studio):
    """A studio with one take whose tracks are all shown."""
    studio.settings.set("play_while_made", False)
    studio.window.resize(1200, 1000)
    (studio.made,) = studio.generate()
    studio.timeline = studio.window.player_panel.timeline
    studio.timeline.show_tracks(TRACKS)
    studio.qtbot.waitUntil(lambda: not studio.made.is_growing)
    studio.player.stop()  # its end would wipe out what is said beside it
    settle(studio)
    return studio


def settle(studio):
    studio.timeline.draw()
    studio.qtbot.waitUntil(
        lambda: (
            studio.timeline.is_drawn and studio.timeline.work.is_idle and studio.timeline.tracks.spectrogram.is_complete
        )
    )


def wheel(track, at, notches, modifiers=NONE):
    place = QPointF(at)
    event = QWheelEvent(
        place, track.mapToGlobal(place), QPoint(0, 0), QPoint(0, 120 * notches), Qt.MouseButton.NoButton, modifiers,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(track.viewport(), event)


def place_of(track, seconds):
    scene = track.getPlotItem().getViewBox().mapViewToScene(QPointF(seconds, 0))
    return QPoint(track.mapFromScene(scene).x(), track.height() // 2)


def colours_at(viewer, seconds):
    """The column of pixels at a place, of every track."""
    found = []
    for track in viewer.timeline.tracks.by_name.values():
        image, x = track.grab().toImage(), place_of(track, seconds).x()
        found.append([image.pixelColor(x, y).name() for y in range(track.height())])
    return found


def test_the_drawn_wave_has_the_peaks_of_the_take_at_every_zoom(viewer):
    take, timeline = viewer.made, viewer.timeline
    for start, stop in ((0.0, take.seconds), (0.5, 1.0), (0.9, 0.91)):
        timeline.axis.show_between(start, stop)
        x, y = timeline.tracks.waveform.drawn
        part = take.samples[round(start * take.sample_rate) : round(stop * take.sample_rate)]
        assert y.max() == pytest.approx(part.max(), abs=0.01)
        assert y.min() == pytest.approx(part.min(), abs=0.01)
        assert len(x) <= 2 * timeline.tracks.waveform.columns
        assert x[0] >= start - (stop - start) / 50
        assert x[-1] <= stop + (stop - start) / 50


def test_the_spectrogram_shows_the_tiles_of_the_take(viewer):
    take, view = viewer.made, viewer.timeline.tracks.spectrogram
    level = level_for(viewer.timeline.axis.span / view.columns)
    wanted = mel_tile(take.samples, take.sample_rate, TileKey(level, 0), TILE)
    assert np.array_equal(view._image.image[:, :TILE], wanted)


def test_the_values_per_patch_are_those_of_the_take(viewer):
    take, timeline = viewer.made, viewer.timeline
    borders, stops = timeline.tracks.stop.drawn
    assert np.array_equal(stops, take.stop_probabilities)
    assert borders == pytest.approx(np.arange(take.patches + 1) * take.model.patch_seconds)
    assert np.allclose(timeline.tracks.speed.drawn[1] * take.model.patch_seconds, take.patch_times)


def test_a_click_goes_there_and_a_drag_selects_what_is_looped(viewer):
    timeline, player = viewer.timeline, viewer.player
    for track in timeline.tracks.by_name.values():
        QTest.mouseClick(track.viewport(), LEFT, NONE, place_of(track, 1.2))
        assert player.position == pytest.approx(1.2, abs=0.02)
        player.seek(0.0)
    track = timeline.tracks.waveform
    QTest.mousePress(track.viewport(), LEFT, NONE, place_of(track, 0.5))
    QTest.mouseMove(track.viewport(), place_of(track, 0.8))
    QTest.mouseMove(track.viewport(), place_of(track, 1.0))
    QTest.mouseRelease(track.viewport(), LEFT, NONE, place_of(track, 1.0))
    assert timeline.axis.selection == pytest.approx((0.5, 1.0), abs=0.02)
    chosen = colours_at(viewer, 0.75)
    assert player.loop is None
    viewer.window.player_panel.transport.loop_button.click()
    assert player.loop == timeline.axis.selection
    QTest.mouseClick(track.viewport(), LEFT, NONE, place_of(track, 1.7))
    assert timeline.axis.selection is None
    assert player.loop is None
    assert all(before != after for before, after in zip(chosen, colours_at(viewer, 0.75), strict=True))


def test_the_wheel_zooms_around_the_cursor_and_moves_with_shift(viewer):
    timeline, track = viewer.timeline, viewer.timeline.tracks.latents
    at = place_of(track, 0.7)
    wheel(track, at, 5)
    assert timeline.axis.span < 0.4 * viewer.made.seconds
    settle(viewer)
    assert track.seconds_at(QPointF(at)) == pytest.approx(0.7, abs=0.02)
    settle(viewer)
    start = timeline.axis.start
    wheel(track, at, -2, Qt.KeyboardModifier.ShiftModifier)
    assert timeline.axis.start > start
    settle(viewer)
    ranges = {
        tuple(np.round(track.getPlotItem().getViewBox().viewRange()[0], 6))
        for track in timeline.tracks.by_name.values()
    }
    assert ranges == {tuple(np.round([timeline.axis.start, timeline.axis.stop], 6))}


def test_everything_works_by_keys(viewer):
    timeline, axis, player = viewer.timeline, viewer.timeline.axis, viewer.player
    timeline.setFocus()
    QTest.keyClick(timeline, Qt.Key.Key_End)
    assert player.position == pytest.approx(viewer.made.seconds)
    QTest.keyClick(timeline, Qt.Key.Key_Home)
    assert player.position == 0.0
    QTest.keyClick(timeline, Qt.Key.Key_Right)
    assert player.position == pytest.approx(0.02 * axis.span)
    QTest.keyClick(timeline, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(timeline, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert axis.selection == pytest.approx((0.02 * axis.span, 0.06 * axis.span))
    QTest.keyClick(timeline, Qt.Key.Key_L)
    assert player.loop == axis.selection
    QTest.keyClick(timeline, Qt.Key.Key_Plus)
    assert axis.span == pytest.approx(viewer.made.seconds / 1.5)
    QTest.keyClick(timeline, Qt.Key.Key_Minus)
    QTest.keyClick(timeline, Qt.Key.Key_0)
    assert axis.span == pytest.approx(viewer.made.seconds)
    QTest.keyClick(timeline, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert axis.selection == pytest.approx((0.0, viewer.made.seconds))


def test_the_values_under_the_cursor_are_said_in_words(viewer):
    timeline = viewer.timeline
    QTest.mouseMove(timeline.tracks.latents.viewport(), place_of(timeline.tracks.latents, 1.0))
    words = timeline.readout.text()
    for part in ("cursor 0:0", "level -", "Hz with", "patch 7, latents from", "stop 1 %", "made in"):
        assert part in words
    assert timeline.accessibleDescription() == words


def test_the_buttons_zoom(viewer):
    tools, axis = viewer.window.player_panel.tools, viewer.timeline.axis
    tools.in_button.click()
    assert axis.span == pytest.approx(viewer.made.seconds / 1.5)
    tools.out_button.click()
    assert axis.span == pytest.approx(viewer.made.seconds)
    tools.in_button.click()
    tools.fit_button.click()
    assert axis.span == pytest.approx(viewer.made.seconds)


def test_tracks_are_chosen_and_remembered_and_one_always_stays(viewer):
    tools, timeline = viewer.window.player_panel.tools, viewer.timeline
    timeline.show_tracks(("waveform", "latents"))
    for action in tools._tracks.actions():
        action.setChecked(False)
    tools._tracks.actions()[3].trigger()
    assert timeline.shown_tracks == ("stop",)
    assert viewer.settings.get("tracks") == ["stop"]
    tools._tracks.actions()[3].trigger()
    assert timeline.shown_tracks == ("waveform",)


def test_another_take_can_be_laid_over(viewer):
    viewer.compose.seed.set_seed(7)
    (second,) = viewer.generate("Mind the gap, please.")
    tools, timeline = viewer.window.player_panel.tools, viewer.timeline
    viewer.takes_panel.select(second)
    assert tools.over_box.count() == 2
    tools.over_box.setCurrentIndex(1)
    tools.over_box.activated.emit(1)
    settle(viewer)
    assert timeline.other is viewer.made
    _, y = timeline.tracks.waveform._outline.getData()
    assert np.nanmax(y) == pytest.approx(viewer.made.samples.max(), abs=1e-6)
    assert timeline.tracks.latents._over.image is not None
    assert timeline.tracks.spectrogram._over.image is not None
    viewer.takes_panel.select(viewer.made)  # another take begins without one
    assert timeline.other is None
    assert tools.over_box.currentIndex() == 0


def test_the_data_of_every_track_are_written(viewer, tmp_path):
    viewer.timeline.axis.select(0.4, 1.2)
    tools = viewer.window.player_panel.tools
    for track in TRACKS:
        for suffix in ("csv", "npy"):
            path = tmp_path / f"{track}.{suffix}"
            with viewer.qtbot.waitSignal(tools.exported):
                tools.export(path, suffix, track)
            rows = np.load(path) if suffix == "npy" else np.loadtxt(path, delimiter=",", skiprows=1)
            assert rows[0, 0] == pytest.approx(0.4, abs=0.17)
            assert rows[-1, 0] == pytest.approx(1.2, abs=0.17)


def test_a_picture_of_the_tracks_is_written(viewer, tmp_path):
    from PySide6.QtGui import QImage

    path = tmp_path / "view.png"
    with viewer.qtbot.waitSignal(viewer.window.player_panel.tools.exported):
        viewer.window.player_panel.tools.export(path, "png")
    image = QImage(str(path))
    assert image.width() > 500
    colours = {image.pixelColor(x, y).rgb() for x in range(100, 500, 7) for y in range(0, image.height(), 5)}
    assert len(colours) > 50


def test_a_name_that_ends_otherwise_is_kept_and_the_format_that_was_asked_for_too(viewer, tmp_path):
    tools, path = viewer.window.player_panel.tools, tmp_path / "latents.of my take"
    with viewer.qtbot.waitSignal(tools.exported):
        tools.export(path, "npy", "latents")
    assert np.load(path).ndim == 2


@pytest.mark.parametrize(("suffix", "track"), [("csv", "latents"), ("png", "")])
def test_what_cannot_be_written_is_said(viewer, tmp_path, suffix, track):
    panel = viewer.window.player_panel
    with viewer.qtbot.waitSignal(panel.tools.said):
        panel.tools.export(tmp_path / "not there" / f"x.{suffix}", suffix, track)
    assert panel.state_label.text().startswith("Not exported")
    assert "No such file" in panel.state_label.text()


def test_a_growing_take_is_drawn_as_it_grows(viewer):
    viewer.fake.step_delay = 0.4
    viewer.generate("A longer one.", wait=False)
    timeline = viewer.timeline
    viewer.qtbot.waitUntil(lambda: timeline.take is not viewer.made and timeline.take.patches > 1, timeout=20000)
    take = timeline.take
    viewer.qtbot.waitUntil(lambda: len(timeline.tracks.waveform.drawn[0]) > 0)
    assert take.is_growing
    assert timeline.axis.length == pytest.approx(14 * 0.16)  # what is expected has its place already
    with viewer.qtbot.waitSignal(viewer.engine.job_ended, timeout=20000):
        viewer.window.stop()
    settle(viewer)
    assert np.array_equal(timeline.tracks.latents.shown, take.latents)
    assert timeline.axis.length == pytest.approx(take.seconds)


def test_the_speed_of_drawing_is_one_command(qtbot, capsys, monkeypatch):
    """Small here; the figures of two hours come from ``python -m tests.gui_speed``."""
    from tests import gui_speed

    monkeypatch.setattr("sys.argv", ["gui_speed", "--hours", "0.05", "--frames", "3"])
    assert gui_speed.main() == 0
    rows = capsys.readouterr().out.splitlines()[2:]
    assert len(rows) == 7
    assert all(float(row.split()[-1]) > 0 for row in rows)

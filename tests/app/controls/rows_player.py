"""The player, the timeline and its tools."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from app.audio.player import PlayState
from tests.app.controls.stage import LONG, shows, writes

TRACKS = {
    "waveform": "Waveform",
    "spectrogram": "Spectrogram",
    "latents": "Latents",
    "stop": "Stop probability",
    "speed": "Time per patch",
}


def transport(stage):
    return stage.window.player_panel.transport


def tools(stage):
    return stage.window.player_panel.tools


def timeline(stage):
    return stage.window.player_panel.timeline


def quiet(stage):
    """A take that does not play."""
    transport(stage).while_made.setChecked(False)
    take = stage.take()
    stage.player.stop()
    return take


def plays(stage):
    quiet(stage)
    transport(stage).play_button.click()
    assert stage.player.is_active
    transport(stage).play_button.click()
    assert not stage.player.is_active


def stops(stage):
    quiet(stage)
    stage.player.play()
    transport(stage).stop_button.click()
    assert stage.player.state is PlayState.STOPPED and stage.player.position == 0


def loops(stage):
    quiet(stage)
    timeline(stage).axis.select(0.2, 0.6)
    transport(stage).loop_button.click()
    assert stage.player.loop == (0.2, 0.6)
    transport(stage).loop_button.click()
    assert stage.player.loop is None


def while_made(stage):
    quiet(stage)
    assert not stage.player.is_active
    transport(stage).while_made.click()
    with stage.qtbot.waitSignal(stage.player.state_changed, timeout=LONG):
        stage.generate()
    stage.player.stop()
    transport(stage).while_made.click()


def track(name):
    def row(stage):
        take, view = quiet(stage), timeline(stage).tracks.by_name[name]
        timeline(stage).show_tracks([name])
        stage.qtbot.waitUntil(lambda: view.isVisible() and view.is_drawn)
        scene = view.getPlotItem().getViewBox().mapViewToScene(QPointF(take.seconds / 2, 0))
        place = view.mapFromScene(scene)
        place.setY(view.height() // 2)
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
        assert stage.player.position == pytest.approx(take.seconds / 2, abs=0.03)

    return row


def keys(stage):
    take = quiet(stage)
    timeline(stage).setFocus()
    QTest.keyClick(timeline(stage), Qt.Key.Key_End)
    assert stage.player.position == pytest.approx(take.seconds)


def lays_over(stage):
    stage.compose.takes.setValue(2)
    quiet(stage)
    first, second = stage.take(2)
    box = tools(stage).over_box
    box.setCurrentIndex(1)
    box.activated.emit(1)
    assert timeline(stage).take is first and timeline(stage).other is second
    box.setCurrentIndex(0)
    box.activated.emit(0)
    assert timeline(stage).other is None


def zooms(stage):
    take = quiet(stage)
    tools(stage).in_button.click()
    assert timeline(stage).axis.span < take.seconds
    smaller = timeline(stage).axis.span
    tools(stage).out_button.click()
    assert timeline(stage).axis.span > smaller
    tools(stage).in_button.click()
    tools(stage).fit_button.click()
    assert timeline(stage).axis.span == pytest.approx(take.seconds)


def entry(button, text):
    button.menu().aboutToShow.emit()
    return next(action for action in button.menu().actions() if action.text() == text)


def track_shown(name, text):
    def row(stage):
        timeline(stage).show_tracks(["waveform", "spectrogram"])
        for action in tools(stage)._tracks.actions():
            action.setChecked(action.data() in ("waveform", "spectrogram"))
        before = name in timeline(stage).shown_tracks
        entry(tools(stage).tracks_button, text).trigger()
        assert (name in timeline(stage).shown_tracks) != before and stage.settings.get("tracks")

    return row


def exports(text, tracks=("waveform", "spectrogram", "latents")):
    def act(stage):
        quiet(stage)
        timeline(stage).show_tracks(tracks)
        entry(tools(stage).export_button, text).trigger()

    return act


def is_table(path):
    rows = list(csv.reader(path.open(encoding="utf-8")))
    return len(rows) > 2 and all(len(row) == len(rows[0]) > 1 for row in rows)


def opens_menu(find):
    def row(stage):
        menu = find(stage).menu()
        menu.aboutToShow.emit()
        assert [action.text() for action in menu.actions() if action.isEnabled()]

    return row


def device(text, wanted):
    def row(stage):
        stage.player.use_device("other device\nFake" if wanted == "fake device" else "")
        assert stage.player.device_name != wanted
        entry(transport(stage).device_button, text).trigger()
        assert stage.player.device_name == wanted

    return row


def looks_again(stage):
    stage.audio.missing = "device"
    stage.player.probe()
    assert stage.player.unavailable
    stage.audio.missing = ""
    entry(transport(stage).device_button, "Look for sound devices again").trigger()
    stage.wait(lambda: not stage.player.unavailable)


EXPORTS = {
    f"player_panel.tools.export_button: {text} as {kind}…": writes(
        exports(f"{text} as {kind}…"), f"{name}.{kind.lower()}", right
    )
    for name, text in TRACKS.items()
    if name in ("waveform", "spectrogram", "latents")
    for kind, right in (("CSV", is_table), ("NPY", lambda path: np.load(path).size > 0))
}
PLAYER = {
    "player_panel.transport.play_button": plays,
    "player_panel.transport.stop_button": stops,
    "player_panel.transport.loop_button": loops,
    "player_panel.transport.speed_box": shows(
        lambda s: transport(s).speed_box.setCurrentIndex(5), lambda s: s.player.speed, 2.0
    ),
    "player_panel.transport.while_made": while_made,
    "player_panel.transport.volume": shows(lambda s: transport(s).volume.setValue(0), lambda s: s.player.volume, 0.0),
    "player_panel.transport.device_button": opens_menu(lambda s: transport(s).device_button),
    "player_panel.transport.device_button: The system's choice": device("The system's choice", "fake device"),
    "player_panel.transport.device_button: fake device (Fake)": device("fake device (Fake)", "fake device"),
    "player_panel.transport.device_button: other device (Fake)": device("other device (Fake)", "other device"),
    "player_panel.transport.device_button: Look for sound devices again": looks_again,
}
TIMELINE = {
    "player_panel.timeline": keys,
    **{f"player_panel.timeline.tracks.{name}": track(name) for name in TRACKS},
    "player_panel.tools.over_box": lays_over,
    "player_panel.tools.in_button": zooms,
    "player_panel.tools.out_button": zooms,
    "player_panel.tools.fit_button": zooms,
    "player_panel.tools.tracks_button": opens_menu(lambda s: tools(s).tracks_button),
    **{f"player_panel.tools.tracks_button: {text}": track_shown(name, text) for name, text in TRACKS.items()},
    "player_panel.tools.export_button": opens_menu(lambda s: tools(s).export_button),
    "player_panel.tools.export_button: Picture (PNG)…": writes(
        exports("Picture (PNG)…"), "view.png", lambda path: QImage(str(path)).width() > 100
    ),
    **EXPORTS,
}
AREAS = {"player": PLAYER, "timeline": TIMELINE}

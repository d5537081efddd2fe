"""Every control of the player reaches it, and what it does is said."""

import pytest

from app.audio.player import PlayState
from app.panels.transport import SPEEDS
from app.widgets.level_meter import LevelMeter


@pytest.fixture
def transport(studio):
    studio.settings.set("play_while_made", False)
    studio.generate()
    return studio.window.player_panel.transport


def test_play_and_stop(studio, transport):
    transport.play_button.click()
    assert studio.player.is_active
    assert transport.play_button.accessibleName() == "Pause"
    studio.qtbot.waitUntil(lambda: studio.player.position > 0.1)
    transport.stop_button.click()
    assert studio.player.state is PlayState.STOPPED
    assert studio.player.position == 0.0
    assert transport.clock.text().startswith("00:00.0")


def test_every_speed(studio, transport):
    for at, speed in enumerate(SPEEDS):
        transport.speed_box.setCurrentIndex(at)
        assert studio.player.speed == speed
    assert transport.speed_box.currentText() == "2×"


def test_volume_is_remembered(make_studio):
    studio = make_studio().show()
    transport = studio.window.player_panel.transport
    assert studio.player.volume == 1.0
    transport.volume.setValue(50)
    assert studio.player.volume == pytest.approx(0.1)  # -20 dB
    transport.volume.setValue(0)
    assert studio.player.volume == 0.0
    transport.volume.setValue(75)
    studio.window.close()
    assert make_studio().player.volume == pytest.approx(10 ** (-10 / 20))


def test_the_device_is_chosen_by_name_and_host_and_remembered(make_studio, fake_audio):
    studio = make_studio().show()
    transport = studio.window.player_panel.transport
    transport._devices.aboutToShow.emit()
    names = [action.text() for action in transport._devices.actions()]
    assert names[:3] == ["The system's choice", "fake device (Fake)", "other device (Fake)"]
    transport._devices.actions()[2].trigger()
    assert studio.player.device_name == "other device"
    assert "other device" in transport.device_button.toolTip()
    studio.window.close()
    again = make_studio()
    assert again.player.device_key == "other device\nFake"
    fake_audio.names.remove("other device")  # gone: the system's choice plays, and nothing is in the way
    again.player.look_again()
    assert again.player.device_name == "fake device"
    assert again.player.unavailable == ""


def test_gaps_and_waits_are_shown(studio, transport):
    studio.player.waits = 2
    studio.player.underruns = 1
    studio.player.health_changed.emit()
    assert transport.state_label.text() == "held up 2 time(s) by the model · 1 gap(s) in the sound"


def test_the_level_is_held_and_said_in_words(qtbot):
    meter = LevelMeter()
    qtbot.addWidget(meter)
    assert meter.text == "silent"
    meter.show_level(0.5)
    meter.show_level(0.01)
    assert meter.peak == pytest.approx(-6.02, abs=0.01)
    assert meter.text == "-6 dB"
    meter.show_level(1.2)
    assert meter.text == "too loud"
    meter.resize(meter.sizeHint())
    assert not meter.grab().isNull()

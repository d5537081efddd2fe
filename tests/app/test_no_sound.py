"""OPEN-16 for the window: no sound card, no PortAudio; everything but playing works."""

import pytest
import soundfile

from tests.app.fake_audio import FakeAudio


@pytest.mark.parametrize("code", ["library", "device"])
def test_the_studio_works_without_sound_and_says_why(make_studio, tmp_path, code):
    studio = make_studio(backend=FakeAudio(missing=code)).show()
    panel = studio.window.player_panel
    (take,) = studio.generate()
    assert take.seconds > 0
    assert not panel.play_button.isEnabled()
    assert panel.state_label.text().startswith("No playback")
    assert ("PortAudio" in panel.state_label.text()) == (code == "library")
    path = tmp_path / "take.wav"
    with studio.qtbot.waitSignal(studio.window._saver.saved, timeout=60000):
        studio.window.save_take(take, str(path))
    assert soundfile.info(path).frames == len(take.samples)
    studio.window.menus.actions["play"].trigger()
    assert not studio.player.is_active


def test_a_device_that_comes_later_is_found(make_studio):
    audio = FakeAudio(missing="device")
    studio = make_studio(backend=audio).show()
    studio.generate()
    audio.missing = ""
    studio.window.menus.actions["look_again"].trigger()
    assert studio.window.player_panel.play_button.isEnabled()
    studio.window.player_panel.play_button.click()
    assert studio.player.is_active

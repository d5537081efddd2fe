"""Choosing a model: bundled, folder, dropped, remembered; and the rate that every take keeps (OPEN-07)."""

import numpy as np
import pytest
import soundfile

from app.audio.player import PlayState
from app.audio.sources import TakeSource
from app.engine.fake import FakeModel
from tests.app.fake_audio import FakeAudio, trimmed


def test_the_bundled_model_opens_and_is_called_what_it_is(studio):
    assert studio.fake.loads[0].endswith("demo-voice")
    assert "Demo voice (English, for trying out)" in studio.window.models.button.text()


def test_a_folder_is_opened_by_drop_remembered_and_listed(make_studio, model_folder):
    folder = model_folder("chosen", {"name": "My voice", "note": "a trial"})
    studio = make_studio().show()
    with studio.qtbot.waitSignal(studio.engine.model_loaded):
        _drop_on_window(studio.window, folder)
    assert studio.fake.loads[-1] == str(folder)
    assert studio.window.models.button.text().strip() == "My voice"
    assert "a trial" in studio.window.models.button.toolTip()
    studio.window.close()
    again = make_studio()
    assert again.settings.get("model_folder") == str(folder)
    again.show()
    assert again.fake.loads[-1] == str(folder)
    texts = [action.text() for action in again.window.models.button.choices.actions()]
    assert any(str(folder) in text for text in texts)
    bundled = next(action for action in again.window.models.button.choices.actions() if "Bundled" in action.text())
    with again.qtbot.waitSignal(again.engine.model_loaded):
        bundled.trigger()
    assert again.settings.get("model_folder") == ""


def test_a_given_folder_comes_before_the_remembered_one(make_studio, model_folder):
    folder = model_folder("given")
    studio = make_studio(model_folder=str(folder)).show()
    assert studio.fake.loads == [str(folder)]


def test_a_folder_without_a_model_is_refused_in_words(studio, tmp_path):
    studio.window.open_model(str(tmp_path))
    assert "no model folder" in studio.window.notice.message
    assert len(studio.fake.loads) == 1
    studio.window.notice.close_button.click()
    assert studio.window.notice.message == ""


def test_a_remembered_model_that_is_gone_is_told_and_the_bundled_one_opens(make_studio, model_folder, tmp_path):
    studio = make_studio()
    studio.settings.set("model_folder", str(tmp_path / "gone"))
    studio.window.choose_model()
    studio.show()
    assert studio.fake.loads[-1].endswith("demo-voice")
    assert f"is gone: {tmp_path / 'gone'}" in studio.window.notice.message  # still there to be read


def test_another_model_may_be_chosen_while_one_loads(studio, model_folder):
    studio.fake.load_delay = 0.2
    studio.window.open_model(str(model_folder("first")))
    studio.open_model(model_folder("second"))
    assert studio.engine.model.name == "second"


def test_choosing_a_model_stops_the_job_and_keeps_its_part(studio, model_folder):
    studio.fake._model.patches = None
    studio.fake.step_delay = 0.005
    studio.generate("Never ending.", wait=False)
    studio.qtbot.waitUntil(lambda: studio.store.takes[0].seconds > 0)
    studio.open_model(model_folder("other"))
    assert studio.store.takes[0].end == "cancelled"
    assert studio.store.takes[0].model.name == "demo-voice"
    studio.generate("Again.")
    assert studio.store.takes[1].model.name == "other"


RATES = {"v1": 16000, "v15": 44100, "v2": 48000}


def test_every_take_keeps_its_own_rate_shown_saved_and_played(make_studio, fake_engine, model_folder, tmp_path):
    """OPEN-07, with a device that offers 44.1 kHz only."""
    audio = FakeAudio(rates=[44100])
    fake_engine.models = {name: FakeModel(output_rate=rate) for name, rate in RATES.items()}
    studio = make_studio(backend=audio).show()
    studio.settings.set("play_while_made", False)
    for name in RATES:
        studio.open_model(model_folder(name))
        studio.generate(f"With {name}.")
    takes = studio.store.takes
    assert [take.sample_rate for take in takes] == list(RATES.values())
    assert all(take.seconds == pytest.approx(12 * 0.16) for take in takes)
    for take in takes:  # the last model is loaded now: its rate must not leak into older takes
        path = tmp_path / f"{take.take_id}.wav"
        with studio.qtbot.waitSignal(studio.window._saver.saved):
            studio.window.save_take(take, str(path))
        info = soundfile.info(path)
        assert info.samplerate == take.sample_rate
        assert info.frames == len(take.samples)
        assert info.frames / info.samplerate == pytest.approx(take.seconds)
        samples, _ = soundfile.read(path, dtype="float32")
        marked = fake_engine.watermark().embed(take.samples, take.sample_rate)  # all that a file may differ by
        assert np.max(np.abs(samples - marked)) < 1e-5

        studio.takes_panel.select(take)
        _play_to_the_end(studio)
        stream = audio.streams[-1]
        assert stream.rate == 44100
        heard = trimmed(stream.heard, 2e-3)
        assert len(heard) / 44100 == pytest.approx(len(trimmed(take.samples, 2e-3)) / take.sample_rate, abs=0.01)


def test_a_device_that_takes_the_rate_gets_the_samples_untouched(studio):
    studio.settings.set("play_while_made", False)
    (take,) = studio.generate()
    _play_to_the_end(studio)
    stream = studio.audio.streams[-1]
    assert stream.rate == take.sample_rate
    wanted, heard = trimmed(take.samples, 0), trimmed(stream.heard, 0)
    assert np.array_equal(heard, wanted)


def test_the_waveform_and_the_latents_share_one_time_axis(studio):
    studio.settings.set("play_while_made", False)  # else the view follows the playhead
    (take,) = studio.generate()
    timeline = studio.window.player_panel.timeline
    timeline.draw()
    assert np.array_equal(timeline.tracks.latents.shown, take.latents)
    assert timeline.tracks.latents.shown_span == pytest.approx((0.0, take.seconds))
    x, y = timeline.tracks.waveform.drawn
    assert x[-1] == pytest.approx(take.seconds, abs=0.01)
    assert y.max() == take.samples.max()
    wave, latents = (view.getPlotItem().getViewBox() for view in (timeline.tracks.waveform, timeline.tracks.latents))
    assert wave.viewRange()[0] == pytest.approx((0.0, take.seconds))
    timeline.axis.show_between(0.5, 1.0)
    studio.qtbot.waitUntil(lambda: timeline.is_drawn)
    assert wave.viewRange()[0] == latents.viewRange()[0] == pytest.approx((0.5, 1.0))
    studio.player.seek(0.7)
    assert timeline.tracks.waveform.playhead == timeline.tracks.latents.playhead == pytest.approx(0.7)


def _play_to_the_end(studio):
    studio.player.play()
    assert studio.player.state is PlayState.PLAYING or studio.player.state is PlayState.WAITING
    studio.qtbot.waitUntil(lambda: studio.player.state is PlayState.STOPPED, timeout=10000)
    assert isinstance(studio.player.source, TakeSource)
    assert studio.player.position == pytest.approx(studio.player.source.take.seconds)


def _drop_on_window(window, folder):
    from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
    from PySide6.QtGui import QDragEnterEvent, QDropEvent
    from PySide6.QtWidgets import QApplication

    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(folder))])
    place, buttons, keys = window.rect().center(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(place, Qt.DropAction.CopyAction, mime, buttons, keys)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(window, QDropEvent(QPointF(place), Qt.DropAction.CopyAction, mime, buttons, keys))

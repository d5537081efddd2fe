"""What keeps the window smooth, and Stop quick: garbage, pictures that grow, the status line, the device's buffer."""

import gc
import sys
import threading
import weakref

import pytest
from PySide6.QtCore import QObject

from app.audio.output import LATENCIES
from app.audio.player import PlayState
from app.collector import Collector
from app.engine.fake import FakeModel


@pytest.fixture
def collector(qapp):
    gc.enable()  # as a program finds it; tests with a window have none
    interval = sys.getswitchinterval()
    parent = QObject()
    collector = Collector(parent)
    yield collector
    collector.stop()
    assert gc.isenabled() and sys.getswitchinterval() == interval
    gc.disable()


def test_garbage_is_collected_in_the_windows_thread_alone(collector):
    where = []

    class Knot:
        def __init__(self):
            self.me = self

        def __del__(self):
            where.append(threading.current_thread())

    def tie(count=5000):
        for _ in range(count):
            Knot()

    other = threading.Thread(target=tie)
    other.start()
    other.join()
    assert where == []
    collector.look()
    assert set(where) == {threading.main_thread()} and len(where) == 5000


def test_old_garbage_goes_too(collector):
    class Knot:
        def __init__(self):
            self.me = self

    old = Knot()
    gone = weakref.ref(old)
    gc.collect()  # it is of the oldest generation now
    del old
    for _ in range(1000):
        kept = [[] for _ in range(3000)]
        collector.look()
        del kept
        if gone() is None:
            break
    assert gone() is None


def test_stop_holds_the_sound_of_the_take_that_is_made_and_of_no_other(make_studio, fake_engine):
    fake_engine.models["demo-voice"] = FakeModel(patches=None)
    studio = make_studio().show()
    fake_engine.step_delay = 0.02
    studio.generate(wait=False)
    studio.qtbot.waitUntil(lambda: studio.player.state is PlayState.PLAYING and studio.player.position > 0.1)
    with studio.qtbot.waitSignal(studio.engine.job_ended):
        studio.compose.stop.click()
        assert studio.player.state is PlayState.PAUSED  # at once
    (take,) = studio.store.takes
    studio.player.play()
    assert studio.player.is_active
    fake_engine.step_delay = 0.02
    studio.window.player_panel.while_made.setChecked(False)
    studio.qtbot.waitUntil(lambda: studio.engine.job is None)
    studio.generate(wait=False)
    studio.takes_panel.select(take)
    studio.player.play()
    with studio.qtbot.waitSignal(studio.engine.job_ended):
        studio.compose.stop.click()
    assert studio.player.is_active  # what a person chose to hear goes on


def test_the_device_is_open_before_the_first_sound_is_there(make_studio, fake_engine, fake_audio):
    studio = make_studio().show()
    fake_engine.step_delay = 0.5
    studio.generate(wait=False)
    assert len(fake_audio.streams) == 1 and not studio.player.is_active
    studio.qtbot.waitUntil(lambda: studio.player.state is PlayState.PLAYING, timeout=30000)
    assert len(fake_audio.streams) == 1
    with studio.qtbot.waitSignal(studio.engine.job_ended, timeout=30000):
        studio.compose.stop.click()


def test_a_device_that_ran_dry_gets_a_longer_buffer_and_the_sound_goes_on(make_studio, fake_engine, fake_audio):
    wished = []
    real = fake_audio.open

    def open_stream(rate, callback, key="", latency=0.0):
        wished.append(latency)
        return real(rate, callback, key, latency)

    fake_audio.open = open_stream
    fake_engine.models["demo-voice"] = FakeModel(patches=200)
    studio = make_studio().show()
    studio.window.player_panel.while_made.setChecked(False)
    studio.generate()
    studio.player.play()
    for count in (1, 2, 3):
        studio.qtbot.waitUntil(
            lambda: studio.player.state is PlayState.PLAYING and not studio.player._output.mixer.is_silent
        )
        before = studio.player.position
        fake_audio.streams[-1].underflows += 1
        studio.qtbot.waitUntil(lambda count=count: studio.player.underruns == count)
        assert studio.player.is_active and studio.player.position >= before - 0.5
    assert wished == [*LATENCIES]  # the third time there is nothing longer
    assert "3" in studio.window.player_panel.state_label.text()


def test_a_fast_model_does_not_hurry_the_status_line_and_its_last_word_is_shown(studio):
    status, shown = studio.window.status, []
    real = status.job_label.setText
    status.job_label.setText = lambda text: (shown.append(text), real(text))
    takes = studio.generate(wait=True)
    del status.job_label.setText
    assert len(shown) < 12  # patches were made
    (take,) = takes
    status.show_job(takes, stopping=False)
    take.patches = 777
    status.show_job(takes, stopping=False)
    studio.qtbot.waitUntil(lambda: "777" in status.job_label.text())
    status.show_job(takes, stopping=True)
    assert status.job_label.text() == "Stopping…"
    status.show_idle("over")
    assert status.job_label.text() == "over" and status._job is None


def test_every_track_of_a_growing_take_is_drawn_to_its_end(studio):
    (take,) = studio.generate()
    timeline = studio.window.player_panel.timeline
    studio.qtbot.waitUntil(lambda: timeline.is_drawn)
    assert timeline.axis.length == pytest.approx(take.seconds)
    assert timeline.tracks.latents.shown_span[1] == pytest.approx(take.seconds, abs=0.05)
    drawn = [name for name in timeline.shown_tracks if timeline.tracks.by_name[name].take is take]
    assert drawn == list(timeline.shown_tracks)

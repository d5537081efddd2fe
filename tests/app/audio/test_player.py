import numpy as np
import pytest

from app.audio.feeder import Feeder
from app.audio.mixer import FADE_SECONDS
from app.audio.player import Player, PlayState
from tests.app.fake_audio import FakeAudio, trimmed


class GrowingSound:
    """A sound that the test makes longer."""

    def __init__(self, rate=48000):
        self.sample_rate = rate
        self.is_growing = True
        self.samples = np.zeros(0, np.float32)

    @property
    def length(self):
        return len(self.samples)

    def read(self, start, count):
        return self.samples[start : start + count]

    def add(self, seconds, level=0.5):
        self.samples = np.concatenate([self.samples, np.full(round(seconds * self.sample_rate), level, np.float32)])


def whole(seconds, rate=48000):
    sound = GrowingSound(rate)
    at = np.arange(round(seconds * rate)) / rate
    sound.samples = (0.5 * np.sin(2 * np.pi * 440 * at) + 0.1).astype(np.float32)
    sound.is_growing = False
    return sound


def player_fade(rate):
    return round(FADE_SECONDS * rate)


@pytest.fixture
def audio():
    return FakeAudio()


@pytest.fixture
def player(qtbot, audio):
    player = Player(audio)
    yield player
    player.close()
    player.deleteLater()


def until(qtbot, player, state):
    qtbot.waitUntil(lambda: player.state is state, timeout=5000)


def sounding(heard, level=0.5):
    """Each sample of a constant sound is heard once at its level; what a gap's fades cover is heard twice, lower."""
    return np.count_nonzero(heard == np.float32(level))


def biggest_step(samples):
    return float(np.abs(np.diff(np.concatenate([[0.0], samples, [0.0]]))).max())


def test_a_growing_sound_starts_early_waits_for_more_and_ends(qtbot, player, audio):
    sound = GrowingSound()
    player.set_source(sound)
    player.play()
    assert player.state is PlayState.WAITING
    sound.add(0.3)
    until(qtbot, player, PlayState.PLAYING)
    until(qtbot, player, PlayState.WAITING)  # ran dry: the model is slower than the sound
    assert player.waits == 1
    assert player.underruns == 0
    assert player.position == pytest.approx(0.3, abs=0.07)  # up to the device's latency behind
    sound.add(0.16)  # too little to go on with, after a gap
    qtbot.waitUntil(lambda: player._feeder.lane.ring.filled > 0.1 * 48000)
    assert player.state is PlayState.WAITING
    sound.add(0.4)
    until(qtbot, player, PlayState.PLAYING)
    sound.is_growing = False
    until(qtbot, player, PlayState.STOPPED)
    heard = audio.streams[-1].heard
    fade = player_fade(48000)
    # All but three fades: at the start, after the gap, at the end.
    assert sounding(heard) == pytest.approx(sound.length - 3 * fade, abs=4)
    assert biggest_step(heard) <= 0.5 / fade * 1.01  # no click anywhere


def test_a_take_that_ends_while_too_little_waits_is_still_played_to_its_end(qtbot, player, audio):
    sound = GrowingSound()
    player.set_source(sound)
    player.play()
    sound.add(0.3)
    until(qtbot, player, PlayState.PLAYING)
    until(qtbot, player, PlayState.WAITING)
    sound.add(0.05)
    sound.is_growing = False
    until(qtbot, player, PlayState.STOPPED)
    assert sounding(audio.streams[-1].heard) == pytest.approx(sound.length - 3 * player_fade(48000), abs=4)


def test_pause_holds_the_place_and_play_goes_on_there(qtbot, player, audio):
    sound = whole(2.0)
    player.set_source(sound)
    player.play()
    qtbot.waitUntil(lambda: player.position > 0.5)
    player.toggle()
    assert player.state is PlayState.PAUSED
    held = player.position
    assert 0.5 < held < 2.0
    player.toggle()
    until(qtbot, player, PlayState.STOPPED)
    assert player.position == pytest.approx(2.0)
    heard = audio.streams[-1].heard
    assert np.count_nonzero(heard) == pytest.approx(np.count_nonzero(sound.samples), abs=1024 + 480)


def test_play_after_the_end_starts_over(qtbot, player):
    player.set_source(whole(0.2))
    player.play()
    until(qtbot, player, PlayState.STOPPED)
    player.play()
    assert player.is_active
    assert player.position < 0.2
    until(qtbot, player, PlayState.STOPPED)


def test_seek_while_playing_goes_on_from_there(qtbot, player, audio):
    player.set_source(whole(3.0))
    player.play()
    player.seek(2.5)
    assert player.position >= 2.5
    until(qtbot, player, PlayState.STOPPED)
    assert np.count_nonzero(audio.streams[-1].heard) < 1.5 * 48000


def test_another_sound_stops_the_one_before(qtbot, player):
    player.set_source(whole(5.0))
    player.play()
    player.set_source(whole(1.0))
    assert player.state is PlayState.STOPPED
    assert player.position == 0.0


@pytest.mark.parametrize("rates", [[44100], [48000], [8000]])
@pytest.mark.parametrize("rate", [16000, 44100, 48000])
def test_a_device_with_its_own_rate_gets_resampled_sound_of_equal_length(qtbot, rates, rate):
    audio = FakeAudio(rates=rates)
    player = Player(audio)
    player.set_source(whole(1.0, rate))
    player.play()
    until(qtbot, player, PlayState.STOPPED)
    (stream,) = audio.streams
    assert stream.rate == rates[0]
    assert len(trimmed(stream.heard, 1e-2)) / stream.rate == pytest.approx(1.0, abs=0.005)
    assert np.max(np.abs(stream.heard)) == pytest.approx(0.6, abs=0.1)
    player.close()


def test_a_device_that_vanishes_ends_the_sound_with_a_reason_and_can_come_back(qtbot, player, audio):
    player.set_source(whole(5.0))
    player.play()
    with qtbot.waitSignal(player.availability_changed):
        audio.vanish()
    assert player.state is PlayState.STOPPED
    assert player.unavailable == "device"
    player.play()
    assert not player.is_active
    audio.missing = ""
    player.look_again()
    assert player.unavailable == ""
    player.play()
    assert player.is_active


def test_without_a_device_nothing_plays_and_nothing_breaks(qtbot):
    player = Player(FakeAudio(missing="library"))
    player.probe()
    assert player.unavailable == "library"
    player.set_source(whole(1.0))
    player.play()
    assert not player.is_active
    player.close()


def test_a_device_that_cannot_be_opened_is_told(qtbot, player, audio):
    player.probe()
    audio.missing = "failed"
    player.set_source(whole(1.0))
    player.play()
    assert not player.is_active
    assert player.unavailable == "failed"


def test_close_ends_the_stream(qtbot, audio):
    player = Player(audio)
    player.set_source(whole(5.0))
    player.play()
    player.close()
    assert not audio.streams[0].active
    assert not audio.streams[0]._thread.is_alive()
    player.close()


def tone(seconds, frequency, rate=48000, level=0.5):
    sound = GrowingSound(rate)
    at = np.arange(round(seconds * rate)) / rate
    sound.samples = (level * np.sin(2 * np.pi * frequency * at)).astype(np.float32)
    sound.is_growing = False
    return sound


def frequency_of(samples, rate=48000):
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return np.fft.rfftfreq(len(samples), 1 / rate)[spectrum.argmax()]


def test_seek_pause_and_stop_do_not_click(qtbot, player, audio):
    """The steepest slope of a 100 Hz sine of 0.5 is 0.0065 a sample; a click would be far above."""
    player.set_source(tone(5.0, 100))
    player.play()
    for place in (1.013, 3.307, 0.5043):
        qtbot.waitUntil(lambda: player._output.mixer.lane is player._feeder.lane and not player._output.mixer.is_silent)
        qtbot.waitUntil(lambda: player._feeder.lane.ring.taken > 4000)
        player.seek(place)
    qtbot.waitUntil(lambda: player._feeder.lane.ring.taken > 4000)
    player.pause()
    qtbot.waitUntil(lambda: player._output.mixer.is_silent)
    player.play()
    qtbot.waitUntil(lambda: player._feeder.lane.ring.taken > 4000)
    player.stop()
    qtbot.waitUntil(lambda: player._output.mixer.is_silent)
    heard = audio.streams[-1].heard
    assert np.abs(heard).max() > 0.49
    assert biggest_step(heard) < 0.0065 + 0.5 / player_fade(48000) * 1.5


def test_a_loop_comes_back_to_its_start_until_it_is_taken_away(qtbot, player, audio):
    player.set_source(tone(4.0, 100))
    player.set_loop((1.0, 1.25))
    player.play()
    seen = []
    player.position_changed.connect(seen.append)
    qtbot.waitUntil(lambda: player._feeder.lane.ring.taken > 48000)
    assert min(seen) >= 1.0 - 0.001
    assert max(seen) <= 1.25
    assert np.abs(np.diff(audio.streams[-1].heard)).max() < 0.0065 + 0.5 / player_fade(48000) * 1.5
    player.set_loop(None)
    until(qtbot, player, PlayState.STOPPED)
    assert player.position == pytest.approx(4.0)


def test_a_loop_set_elsewhere_is_gone_to(qtbot, player):
    player.set_source(tone(4.0, 100))
    player.play()
    player.set_loop((2.0, 3.0))
    qtbot.waitUntil(lambda: 2.0 <= player.position < 3.0)
    player.set_source(tone(1.0, 100))
    assert player.loop is None


@pytest.mark.parametrize("speed", [0.5, 1.5, 2.0])
def test_speed_keeps_the_pitch_and_changes_the_length(qtbot, player, audio, speed):
    player.set_source(tone(2.0, 440))
    player.set_speed(speed)
    player.play()
    until(qtbot, player, PlayState.STOPPED)
    heard = trimmed(audio.streams[-1].heard, 0.05)
    assert len(heard) / 48000 == pytest.approx(2.0 / speed, abs=0.06)
    assert frequency_of(heard) == pytest.approx(440, abs=3)
    inside = np.abs(heard[4800:-4800].reshape(-1)[: (len(heard) - 9600) // 480 * 480].reshape(-1, 480)).max(axis=1)
    assert inside.min() > 0.4  # no hole at the joins of blocks
    assert inside.max() < 0.65
    assert player.position == pytest.approx(2.0)


def test_speed_can_change_while_it_plays(qtbot, player):
    player.set_source(tone(3.0, 440))
    player.play()
    qtbot.waitUntil(lambda: player.position > 0.3)
    before = player.position
    player.set_speed(2.0)
    assert player.is_active
    assert player.position >= before
    until(qtbot, player, PlayState.STOPPED)
    assert player.position == pytest.approx(3.0)
    assert player.underruns == 0


def test_alternatives_are_switched_at_the_same_place_without_a_gap(qtbot, player, audio):
    """Three alternatives that are the same sound: whatever is switched, what is heard is that sound, to the sample."""
    player.set_alternatives([tone(3.0, 220), tone(3.0, 220), tone(3.0, 220)])
    player.play()
    for number, index in enumerate((1, 2, 0, 2)):
        qtbot.waitUntil(lambda n=number: player.position > 0.2 + 0.3 * n)
        player.switch_to(index)
        assert player.alternative == index
    until(qtbot, player, PlayState.STOPPED)
    heard = audio.streams[-1].heard
    wanted = trimmed(tone(3.0, 220).samples, 1e-7)
    start = np.flatnonzero(heard)[0]
    until_fade = len(wanted) - player_fade(48000)
    assert np.abs(heard[start : start + until_fade] - wanted[:until_fade]).max() < 1e-4
    assert not heard[start + len(wanted) :].any()


def test_the_gains_of_alternatives_are_heard(qtbot, player, audio):
    player.set_alternatives([tone(1.0, 220), tone(1.0, 330, 44100)], [-6.0, 0.0])
    player.play()
    qtbot.waitUntil(lambda: player.position > 0.3)
    first = np.abs(audio.streams[-1].heard).max()
    player.switch_to(1)
    until(qtbot, player, PlayState.STOPPED)
    heard = audio.streams[-1].heard
    assert first == pytest.approx(0.5 * 10 ** (-6 / 20), rel=0.01)
    assert np.abs(heard[-20000:]).max() == pytest.approx(0.5, rel=0.02)
    assert frequency_of(trimmed(heard, 0.02)[-16000:]) == pytest.approx(330, abs=3)
    assert len(audio.streams) == 1
    with pytest.raises(IndexError):
        player.switch_to(2)


def test_volume_and_level(qtbot, player, audio):
    levels = []
    player.level_changed.connect(levels.append)
    player.set_volume(0.5)
    player.set_source(tone(0.5, 220))
    player.play()
    until(qtbot, player, PlayState.STOPPED)
    assert np.abs(audio.streams[-1].heard).max() == pytest.approx(0.25, rel=0.01)
    assert max(levels) == pytest.approx(0.25, rel=0.01)
    assert levels[-1] == 0.0


def test_the_device_can_be_changed_while_it_plays(qtbot, player, audio):
    player.probe()
    player.set_source(tone(3.0, 220))
    player.play()
    qtbot.waitUntil(lambda: player.position > 0.3)
    before = player.position
    other = player.devices()[1]
    player.use_device(other.key)
    assert player.is_active
    assert player.position >= before
    assert audio.opened == ["fake device", "other device"]
    assert player.device_name == "other device"
    assert not audio.streams[0].active
    until(qtbot, player, PlayState.STOPPED)
    player.use_device("gone\nFake")  # kept from another day: the system's choice plays
    assert player.unavailable == ""
    assert player.device_name == "fake device"


def test_what_the_device_missed_is_counted(qtbot, player, audio):
    player.set_source(tone(2.0, 220))
    player.play()
    qtbot.waitUntil(lambda: player.position > 0.2)
    with qtbot.waitSignal(player.health_changed):
        audio.streams[-1].underflows += 2
    assert player.underruns == 2
    player.set_source(None)
    assert player.underruns == 0


def test_a_window_that_is_held_up_counts_as_an_underrun_and_not_as_waiting(qtbot, player, audio):
    import time

    sound = GrowingSound()
    sound.add(30.0)
    player.set_source(sound)
    player.play()
    qtbot.waitUntil(lambda: player.position > 0.1)
    time.sleep(0.5)  # the device pulls ten times as fast: more than the two seconds that wait
    qtbot.waitUntil(lambda: player.underruns == 1)
    assert player.waits == 0


def test_a_short_loop_that_runs_for_hours_takes_no_more_memory():
    feeder = Feeder(tone(1.0, 440), 48000, 0.0, loop=(0.0, 0.04))
    for _ in range(40):  # two seconds each
        feeder.feed()
        feeder.lane.ring.skip(96000)
        assert 0.0 <= feeder.place(feeder.lane.ring.taken - 9600) <= 0.04
    assert len(feeder._places) <= 512

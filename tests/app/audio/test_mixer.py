"""The audio callback without a device: every sample can be accounted for, and nothing clicks."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from app.audio.mixer import Lane, Mixer

RATE = 8000


def lane_of(samples, *, whole=True, from_start=True):
    lane = Lane(len(samples) / RATE + 1, RATE, from_start=from_start)
    lane.write(np.asarray(samples, np.float32))
    if whole:
        lane.complete()
    return lane


def playing(lane):
    mixer = Mixer()
    mixer.swap(lane)
    mixer.wanted = True
    return mixer


def pull(mixer, *sizes):
    blocks = []
    for size in sizes:
        out = np.full(size, np.nan, np.float32)
        mixer.read_into(out)
        blocks.append(out)
    return np.concatenate(blocks)


def biggest_step(samples):
    return float(np.abs(np.diff(np.concatenate([[0.0], samples, [0.0]]))).max())


def test_a_sound_that_begins_and_ends_quietly_goes_through_untouched():
    sound = np.sin(np.arange(2000) * 0.05).astype(np.float32) * np.sin(np.linspace(0, np.pi, 2000)).astype(np.float32)
    heard = pull(playing(lane_of(sound)), 700, 700, 1000)
    assert np.array_equal(heard[:2000], sound)
    assert not heard[2000:].any()


@settings(deadline=None)
@given(st.lists(st.integers(1, 500), min_size=1, max_size=12), st.data())
def test_whatever_is_asked_of_it_nothing_clicks_and_silence_follows_the_end(sizes, data):
    """A constant sound: the largest step of a fade is 1/64 of it, that of a click all of it."""
    lane = lane_of(np.full(sum(sizes) // 2 + 200, 0.8), whole=False)
    mixer, heard = playing(lane), []
    for size in sizes:
        match data.draw(st.sampled_from(["nothing", "pause", "play", "write", "swap", "complete"])):
            case "pause":
                mixer.wanted = False
            case "play":
                mixer.wanted = True
                mixer.go_on()
            case "write":
                lane.write(np.full(300, 0.8, np.float32)) if not lane.is_complete else None
            case "swap":
                at = mixer.lane.ring.taken + 50 if mixer.lane else 0
                lane = lane_of(np.full(400, 0.8), whole=False, from_start=False)
                mixer.swap(lane, mixer.lane, at)
            case "complete":
                lane.complete()
        heard.append(pull(mixer, size))
    lane.complete()
    mixer.go_on()
    mixer.wanted = True
    heard.append(pull(mixer, 20000))
    assert biggest_step(np.concatenate(heard)) <= 0.8 * 2.1 / lane.fade
    assert not np.concatenate(heard)[-1000:].any()


def test_running_dry_loses_nothing():
    """The samples that the fade has covered come once more, so all of them are heard at full level."""
    sound = np.arange(1, 3001, dtype=np.float32) / 3000
    lane = lane_of(sound[:1000], whole=False)
    mixer = playing(lane)
    first = pull(mixer, 600, 600)
    assert mixer.dry
    assert lane.ring.taken == 1000 - lane.fade
    lane.write(sound[1000:])
    lane.complete()
    assert not pull(mixer, 100).any()  # it waits until it is told to go on
    mixer.go_on()
    second = pull(mixer, 4000)
    at = lane.fade
    assert np.array_equal(first[: 1000 - at], sound[: 1000 - at])
    assert np.allclose(second[at - 1 : 2000], sound[1000 - 1 : 3000 - at])
    assert biggest_step(np.concatenate([first, second])) < 2 / lane.fade


@given(st.integers(1, 300), st.integers(0, 900))
def test_two_equal_sounds_are_crossed_without_a_trace_however_late_the_callback_is(size, late):
    sound = np.sin(np.arange(6000) * 0.03).astype(np.float32)
    old = lane_of(sound)
    mixer = playing(old)
    before = pull(mixer, 1000)
    if late > 500:  # the callback has passed the place already
        before = np.concatenate([before, pull(mixer, late)])
    new = lane_of(sound[1500:], from_start=False)
    mixer.swap(new, old, 1500)
    after = pull(mixer, *[size] * (3000 // size))
    heard = np.concatenate([before, after])
    assert mixer.lane is new
    assert np.abs(heard - sound[: len(heard)]).max() < 1e-6


def test_volume_moves_without_a_step():
    mixer = playing(lane_of(np.full(4000, 0.8)))
    first = pull(mixer, 1000)
    mixer.volume = 0.25
    second = pull(mixer, 512, 512)
    assert second[-1] == np.float32(0.8) * np.float32(0.25)
    assert biggest_step(np.concatenate([first, second])[:-1]) < 0.81  # the last value is not followed by silence
    assert np.abs(np.diff(np.concatenate([first[-1:], second]))).max() < 0.01


def test_the_level_is_the_largest_sample_since_it_was_asked():
    mixer = playing(lane_of(np.array([0.0, 0.1, -0.7, 0.2, 0.0])))
    pull(mixer, 50)
    assert mixer.take_peak() == np.float32(0.7)
    assert mixer.take_peak() == 0.0


def test_a_wish_that_comes_while_another_has_its_turn_is_not_lost(monkeypatch):
    lanes = [lane_of(np.full(2000, level), from_start=False) for level in (0.2, 0.4, 0.6)]
    mixer = playing(lanes[0])
    pull(mixer, 200)
    # The window's thread comes in between, in the middle of the callback's work.
    monkeypatch.setattr(lanes[1].ring, "skip", lambda count: mixer.swap(lanes[2], lanes[1], 100))
    mixer.swap(lanes[1])
    pull(mixer, 600)
    assert mixer.lane is lanes[2]
    assert not mixer.is_swapping

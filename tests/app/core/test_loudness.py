import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.loudness import loudness, matching_gains


def noise(seconds, level, rate=24000, seed=1):
    return (level * np.random.default_rng(seed).standard_normal(round(seconds * rate))).astype(np.float32)


def test_a_full_scale_sine_at_997_hz_has_the_loudness_of_the_standard():
    at = np.arange(5 * 48000) / 48000
    assert loudness(np.sin(2 * np.pi * 997 * at).astype(np.float32), 48000) == pytest.approx(-3.01, abs=0.05)


@pytest.mark.parametrize("samples", [np.zeros(0, np.float32), np.zeros(100, np.float32), np.zeros(48000, np.float32)])
def test_silence_has_the_lowest_value(samples):
    assert loudness(samples, 24000) == -70.0


def test_short_sounds_fall_back_to_their_level():
    assert loudness(noise(0.39, 0.1), 24000) == pytest.approx(-20.7, abs=0.3)


@settings(deadline=None, max_examples=20)
@given(st.lists(st.tuples(st.floats(0.5, 2.0), st.floats(0.02, 0.3)), min_size=1, max_size=3))
def test_takes_that_are_matched_lie_within_a_tenth_and_none_is_turned_up(takes):
    sounds = [(noise(seconds, level, seed=at), 24000) for at, (seconds, level) in enumerate(takes)]
    gains = matching_gains(sounds)
    assert max(gains) == pytest.approx(0.0, abs=1e-9)
    matched = [loudness(samples * 10 ** (gain / 20), rate) for (samples, rate), gain in zip(sounds, gains, strict=True)]
    assert max(matched) - min(matched) < 0.1


def test_silence_among_takes_changes_nothing():
    loud = (noise(1, 0.1), 24000)
    assert matching_gains([loud, (np.zeros(24000, np.float32), 24000)]) == [0.0, 0.0]
    assert matching_gains([]) == []

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.peaks import BLOCK, PeakPyramid


def pyramid_of(samples, cuts=()):
    pyramid = PeakPyramid()
    for cut in sorted(cuts):
        pyramid.extend(samples[:cut])
    pyramid.extend(samples)
    return pyramid


def sound(length, seed=0):
    return np.random.default_rng(seed).standard_normal(length).astype(np.float32)


@settings(deadline=None, max_examples=150)
@given(st.integers(1, 200_000), st.data())
def test_columns_are_the_exact_peaks_of_stretches_that_cover_everything_once(length, data):
    samples = sound(length)
    cuts = data.draw(st.lists(st.integers(0, length), max_size=5))
    start = data.draw(st.integers(0, length - 1))
    stop = data.draw(st.integers(start + 1, length))
    count = data.draw(st.integers(1, 1500))
    got = pyramid_of(samples, cuts).columns(samples, start, stop, count)
    assert 1 <= len(got.lows) == len(got.highs) == len(got.borders) - 1 <= count
    assert (np.diff(got.borders) > 0).all()
    width = (stop - start) / count
    assert abs(got.borders[0] - start) <= max(1, width)
    assert abs(got.borders[-1] - stop) <= max(1, width)
    for low, high, first, last in zip(got.lows, got.highs, got.borders, got.borders[1:], strict=False):
        assert low == samples[first:last].min()
        assert high == samples[first:last].max()


def test_close_up_every_sample_is_a_column():
    samples = sound(5000)
    got = pyramid_of(samples).columns(samples, 1000, 1500, 800)
    assert np.array_equal(got.borders, np.arange(1000, 1501))
    assert np.array_equal(got.lows, samples[1000:1500])
    assert np.array_equal(got.highs, samples[1000:1500])


def test_a_single_peak_is_never_lost():
    samples = np.zeros(3_000_000, np.float32)
    samples[1_234_567] = 1.0
    pyramid = pyramid_of(samples)
    for count in (1, 7, 100, 1000, 5000):
        assert pyramid.columns(samples, 0, len(samples), count).highs.max() == 1.0


@pytest.mark.parametrize("length", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1])
def test_short_sounds(length):
    samples = sound(length)
    got = pyramid_of(samples).columns(samples, 0, length, 100)
    assert len(got.lows) == min(length, 100)


def test_values_that_are_no_numbers_are_left_out():
    samples = sound(100_000)
    samples[5000:40_000] = np.nan
    got = pyramid_of(samples).columns(samples, 0, len(samples), 50)
    assert np.isfinite(got.lows).all()
    assert np.isfinite(got.highs).all()

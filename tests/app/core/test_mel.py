import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.mel import (
    BANDS,
    FLOOR_DB,
    LEVELS,
    TILE,
    TileKey,
    band_centres,
    columns_ready,
    hop_seconds,
    level_for,
    mel_tile,
    tiles_between,
)


def sine(frequency, seconds=3.0, rate=24000, level=1.0):
    return (level * np.sin(2 * np.pi * frequency * np.arange(round(seconds * rate)) / rate)).astype(np.float32)


@pytest.mark.parametrize("rate", [16000, 24000, 48000])
@pytest.mark.parametrize("frequency", [200, 1000, 4000, 7000])
@pytest.mark.parametrize("level", [0, 2, 4])
def test_a_sine_lies_in_its_band_at_its_level(rate, frequency, level):
    tile = mel_tile(sine(frequency, rate=rate), rate, TileKey(level, 0), 20)
    column = tile[:, 10]
    centres = band_centres(rate)
    loudest = int(column.argmax())
    assert abs(centres[loudest] - frequency) <= np.diff(centres)[min(loudest, BANDS - 2)] + 25
    assert column.max() == pytest.approx(0.0, abs=4.0)  # a sine between two bands is seen by both


def test_silence_and_what_lies_outside_are_the_floor():
    tile = mel_tile(np.zeros(1000, np.float32), 24000, TileKey(0, 5), TILE)
    assert tile.shape == (BANDS, TILE)
    assert (tile == FLOOR_DB).all()
    broken = np.full(24000, np.nan, np.float32)
    assert np.isfinite(mel_tile(broken, 24000, TileKey(0, 0), TILE)).all()


def test_a_click_is_seen_in_time():
    samples = np.zeros(48000, np.float32)
    samples[24000] = 1.0
    tile = mel_tile(samples, 24000, TileKey(0, 1), TILE)
    at = (TILE + int(tile.sum(axis=0).argmax()) + 0.5) * hop_seconds(0)
    assert at == pytest.approx(1.0, abs=0.01)


@given(st.floats(0, 7200), st.floats(0.001, 7200), st.floats(1e-5, 100))
def test_the_tiles_of_any_view_cover_it_and_are_few(start, span, per_pixel):
    level = level_for(span / 1000)
    tiles = tiles_between(start, start + span, level)
    width = TILE * hop_seconds(level)
    assert tiles[0].index * width <= start
    assert (tiles[-1].index + 1) * width >= start + span
    assert len(tiles) <= 2 * 1000 / TILE + 3
    assert 0 <= level_for(per_pixel) < LEVELS


@given(st.integers(0, 400_000), st.integers(0, 6), st.integers(0, 20))
def test_a_growing_sound_never_shows_more_than_it_has_and_a_whole_one_shows_all(length, level, index):
    key = TileKey(level, index)
    ready = columns_ready(key, length, 24000, growing=True)
    whole = columns_ready(key, length, 24000, growing=False)
    assert 0 <= ready <= whole <= TILE
    hop = hop_seconds(level) * 24000
    if ready:
        assert (index * TILE + ready - 1) * hop + hop / 2 + 0.02 * 24000 <= length + 1e-6
    assert (index * TILE + whole) * hop >= min(length, (index + 1) * TILE * hop)

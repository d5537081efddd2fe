import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from app.core.messages import Job, TakeResult
from app.core.takes import TakeStore
from app.core.track_data import to_csv, to_npy, track_table
from app.engine.fake import FakeEngine

TRACKS = ("waveform", "spectrogram", "latents", "stop", "speed")


@pytest.fixture(scope="module")
def take():
    engine, store = FakeEngine(), TakeStore()
    info = engine.load("model", "cpu", "float32", lambda part: None, lambda: False)
    (take,) = store.open_job(Job(1, "Good evening.", seed=5), info)
    for chunk in engine.stream(take.job, lambda: False):
        store.take_in(chunk)
    assert isinstance(take.result, TakeResult)
    return take


@pytest.mark.parametrize("track", TRACKS)
def test_csv_and_npy_hold_the_same_rows(take, track):
    table = track_table(take, track, 0.0, take.seconds)
    assert table.rows.shape[1] == len(table.header)
    assert table.rows[0, 0] >= 0
    assert table.rows[-1, 0] <= take.seconds
    assert (np.diff(table.rows[:, 0]) > 0).all()
    head, *lines = csv.reader(io.StringIO(to_csv(table).decode()))
    assert tuple(head) == table.header
    assert np.allclose(np.array(lines, float), table.rows, rtol=1e-5, atol=1e-6)
    assert np.array_equal(np.load(io.BytesIO(to_npy(table)), allow_pickle=False), table.rows)


def test_the_data_are_those_of_the_take(take):
    assert np.array_equal(track_table(take, "latents", 0, 99).rows[:, 1:], take.latents)
    assert len(track_table(take, "latents", 0.4, 0.8).rows) == round(0.4 * take.frame_rate)
    assert np.array_equal(track_table(take, "stop", 0, 99).rows[:, 1], take.stop_probabilities)
    assert np.array_equal(track_table(take, "speed", 0, 99).rows[:, 1], take.patch_times)
    wave = track_table(take, "waveform", 0, 99).rows
    assert wave[:, 1].min() == take.samples.min()
    assert wave[:, 2].max() == take.samples.max()


def test_the_sound_itself_is_not_among_them(take):
    """However short the stretch, a row stands for 128 samples or more: 375 values a second are no speech."""
    for start, stop in ((0.0, take.seconds), (0.3, 0.5), (0.3, 0.301)):
        wave = track_table(take, "waveform", start, stop).rows
        assert len(wave) <= max(1, (stop - start) * take.sample_rate / 256 + 1)


def test_nothing_is_refused_by_name(take):
    with pytest.raises(ValueError, match="nothing of the take"):
        track_table(take, "latents", 5.0, 4.0)
    with pytest.raises(ValueError, match="no track"):
        track_table(take, "phase", 0.0, 1.0)


def test_a_take_whose_sound_is_still_on_the_disk_is_not_written_as_silence(take):
    unread = replace(take, stored_samples=len(take.samples) + 1)
    for track in TRACKS:
        with pytest.raises(ValueError, match="not been read yet"):
            track_table(unread, track, 0.0, take.seconds)

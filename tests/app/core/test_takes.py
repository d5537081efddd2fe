import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.growing import GrowingArray
from app.core.messages import Chunk, Job, ModelInfo, TakeResult
from app.core.takes import TakeState, TakeStore

MODEL = ModelInfo("f", "m", "", "fake", 16000, 48000, 4, 8, 25.0, 100, "cpu", "float32", 1, True, True)


def chunk(job_id=1, row=0, patch=0, count=10, result=None):
    return Chunk(
        job_id,
        row,
        patch,
        np.full(count, patch, np.float32),
        48000,
        np.zeros((4, 8), np.float32),
        0.0,
        0.1,
        (3, 5),
        result,
    )


def result(end="stopped"):
    return TakeResult(np.zeros(10, np.float32), 48000, np.zeros((4, 8), np.float32), 1, "design", "t", 9, end)


def test_chunks_go_to_their_own_row():
    store = TakeStore()
    first, second = store.open_job(Job(1, "t", takes=2), MODEL)
    store.take_in(chunk(row=1, patch=7))
    assert first.state is TakeState.WAITING
    assert second.state is TakeState.STREAMING
    assert list(second.samples) == [7.0] * 10
    assert second.latents.shape == (4, 8)


def test_a_finished_take_never_changes_again():
    store = TakeStore()
    (take,) = store.open_job(Job(1, "t"), MODEL)
    store.take_in(chunk(result=result()))
    assert take.state is TakeState.DONE
    before = take.samples.copy()
    assert store.take_in(chunk(patch=5)) is None
    assert store.take_in(chunk(job_id=2)) is None
    assert np.array_equal(take.samples, before)
    with pytest.raises(ValueError, match="read-only"):
        take.samples[0] = 1.0


def test_what_was_seen_stays_when_more_comes():
    store = TakeStore()
    (take,) = store.open_job(Job(1, "t"), MODEL)
    store.take_in(chunk(patch=1))
    seen = take.samples
    for patch in range(2, 500):
        store.take_in(chunk(patch=patch))
    assert list(seen) == [1.0] * 10
    assert len(take.samples) == 10 * 499


def test_a_cancelled_result_makes_a_stopped_take_and_silence_leaves_none():
    store = TakeStore()
    heard, silent = store.open_job(Job(1, "t", takes=2), MODEL)
    removed = []
    store.on_removed(removed.append)
    store.take_in(chunk(result=result("cancelled")))
    store.close_job(1, TakeState.STOPPED)
    assert heard.state is TakeState.STOPPED
    assert removed == [silent]
    assert store.takes == (heard,)


def test_numbers_go_on_after_a_take_went():
    store = TakeStore()
    store.open_job(Job(1, "t"), MODEL)
    store.close_job(1, TakeState.STOPPED)
    (take,) = store.open_job(Job(2, "t"), MODEL)
    assert (take.number, take.take_id) == (2, 2)


@given(st.lists(st.integers(0, 3000)), st.sampled_from([None, 3]))
def test_a_growing_array_is_the_concatenation(sizes, width):
    array, blocks, at = GrowingArray(width), [], 0
    for size in sizes:
        block = np.arange(at, at + size, dtype=np.float32)
        at += size
        blocks.append(block if width is None else np.stack([block] * width, axis=1))
        array.append(blocks[-1])
    empty = np.zeros((0,) if width is None else (0, width), np.float32)
    assert np.array_equal(array.view(), np.concatenate([empty, *blocks]))
    assert len(array) == at


def test_a_block_of_another_width_is_refused():
    with pytest.raises(ValueError, match="does not fit"):
        GrowingArray(4).append(np.zeros((2, 5), np.float32))

import threading

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.audio.ring_buffer import RingBuffer

STEPS = st.lists(st.tuples(st.sampled_from(["write", "read", "skip", "rewind"]), st.integers(0, 60)))


@given(st.integers(1, 40), st.integers(0, 9), STEPS)
def test_what_goes_in_comes_out_in_order_and_can_be_put_back(capacity, keep, steps):
    ring = RingBuffer(capacity, keep)
    everything = np.zeros(0, np.float32)
    taken, least = 0, 0  # ``least``: what was overwritten cannot be read again
    for action, count in steps:
        if action == "write":
            block = np.arange(len(everything) + 1, len(everything) + 1 + count, dtype=np.float32)
            written = ring.write(block)
            assert written == min(count, max(0, capacity - (len(everything) - taken)))
            everything = np.concatenate([everything, block[:written]])
            least = max(least, len(everything) - capacity - keep)
        elif action == "read":
            out = np.full(count, np.nan, np.float32)
            real = ring.read_into(out)
            assert np.array_equal(out[:real], everything[taken : taken + count])
            assert np.isnan(out[real:]).all()
            taken += real
        elif action == "skip":
            taken += ring.skip(count)
        else:
            back = min(count, keep, taken - least)  # the mixer puts back once, right after it has read as much
            assert ring.rewind(back) == back
            taken -= back
        assert ring.taken == taken
        assert ring.written == len(everything)
        assert ring.filled == len(everything) - taken


def test_a_writer_and_a_reader_on_two_threads_lose_nothing():
    ring, total = RingBuffer(1000), 50_000
    source = np.arange(1, total + 1, dtype=np.float32)

    def write():
        at = 0
        while at < total:
            at += ring.write(source[at : at + 333])

    writer = threading.Thread(target=write)
    writer.start()
    heard, count = [], 0
    while count < total:
        out = np.zeros(171, np.float32)
        real = ring.read_into(out)
        heard.append(out[:real].copy())
        count += real
    writer.join()
    assert np.array_equal(np.concatenate(heard), source)

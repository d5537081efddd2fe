"""What listens is a process of its own: it answers, dies, is started anew, rests, and is ended with what it does."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import psutil
import pytest

from app.core.engine_api import EngineCancelled, EngineDied
from app.core.quality import judge
from app.engine.ears import Ears
from app.engine.evidence import EvidenceUnavailable, recogniser_availability

TONE = (0.2 * np.sin(np.arange(48000) / 8) * (1 + 0.5 * np.sin(np.arange(48000) / 900))).astype(np.float32)


@pytest.fixture
def ears():
    made = Ears()
    yield made
    made.close()
    assert made.process_id == 0


def measured(ears):
    return ears.judge("Good evening to you.", TONE, 16000, None, None)


def test_a_take_is_measured_as_here(ears):
    card, here = measured(ears), judge("Good evening to you.", TONE, 16000)
    assert (card.seconds, card.level, card.rate, card.clipped) == (here.seconds, here.level, here.rate, here.clipped)
    assert card.words is not None or "words" in card.unavailable
    first = ears.process_id
    assert measured(ears) == card and ears.process_id == first  # what was loaded is kept


def test_what_is_not_there_is_told(ears, tmp_path):
    state = recogniser_availability("zh", tmp_path)
    with pytest.raises(EvidenceUnavailable) as caught:
        ears.recogniser("zh", tmp_path)
    assert caught.value.availability == state
    there = ears.listeners("zh", tmp_path)
    assert there.recogniser is None and there.recogniser_state == state
    assert (there.matcher is None) == (not there.matcher_state.available)


def test_one_that_dies_is_started_anew(ears):
    measured(ears)
    first = ears.process_id
    psutil.Process(first).kill()
    with pytest.raises(EngineDied):
        while True:  # the question may come before the end is known
            measured(ears)
    assert measured(ears).seconds == 3.0 and ears.process_id != first


def test_closing_ends_a_question_that_is_under_way():
    ears, told, asked = Ears((__name__,)), [], threading.Event()

    def ask():
        asked.set()
        try:
            measured(ears)
        except EngineCancelled:
            told.append("cancelled")

    thread = threading.Thread(target=ask)
    thread.start()
    asked.wait()
    while not ears.process_id:
        time.sleep(0.01)
    ears.close()
    thread.join(60)
    assert told == ["cancelled"] and ears.process_id == 0
    with pytest.raises(EngineCancelled):
        measured(ears)


def test_it_rests_when_nothing_is_asked():
    ears = Ears(idle_seconds=0.01)
    measured(ears)
    until = time.monotonic() + 60
    while ears.process_id:
        assert time.monotonic() < until
        time.sleep(0.01)
    ears.close()


def test_it_leaves_the_processor_to_others(ears):
    measured(ears)
    if os.name == "posix":
        assert psutil.Process(ears.process_id).nice() > psutil.Process().nice()


def test_the_window_needs_nothing_of_what_it_loads():
    code = "import sys; import app.engine.ears; assert not {'torch', 'scipy', 'faster_whisper'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


if __name__ == "__main__":  # a child that never answers
    from app.engine.child_side import open_link

    open_link({"judge": lambda *_: time.sleep(600)}, nice=0).serve()

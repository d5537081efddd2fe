"""The engine in a process of its own: it says the same, is stopped, dies, hangs, and ends with its parent."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from app.core.engine_api import EngineCancelled, EngineDied, EngineError
from app.core.messages import Job
from app.engine.child_engine import ChildEngine
from app.engine.child_process import Patience
from app.engine.fake import FakeEngine

posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


def never():
    return False


@pytest.fixture
def make():
    engines = []

    def make(patience=Patience(), **options):  # noqa: B008 - frozen
        engine = ChildEngine(None, ("tests.app.engine.fake_child", json.dumps(options)), patience)
        engines.append(engine)
        return engine

    yield make
    for engine in engines:
        engine.close()
        assert engine.process_id == 0


def loaded(engine):
    engine.load("model", "cpu", "auto", lambda fraction: None, never)
    return engine


def same(one, other):
    """Whether two values are equal, arrays included."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if hasattr(one, "__dataclass_fields__"):
        return type(one) is type(other) and all(
            same(getattr(one, name), getattr(other, name)) for name in one.__dataclass_fields__
        )
    return one == other


def gone(pid, seconds=20.0):
    """Wait until a process has ended."""
    until = time.monotonic() + seconds
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < until, "the process is still there"
        time.sleep(0.01)


def test_it_says_what_the_engine_in_this_process_says(make):
    here, there = FakeEngine(), make()
    told = []
    info = there.load("model", "cpu", "float32", told.append, never)
    assert info == here.load("model", "cpu", "float32", told.append, never)
    job = Job(1, "Good evening.", takes=3)
    assert there.plan(job) == here.plan(job)
    assert there.use_lora("warm", 0.5) == here.use_lora("warm", 0.5)
    chunks = list(there.stream(job, never))
    expected = list(here.stream(job, never))
    assert len(chunks) == len(expected) == 36
    assert all(same(one, other) for one, other in zip(chunks, expected, strict=True))
    chunks[0].samples[0] = 1.0  # arrays that arrived can be written to, like those that were made here


def test_what_the_engine_refuses_is_refused_in_the_same_words(make):
    engine = loaded(make())
    with pytest.raises(EngineError) as caught:
        list(engine.stream(Job(1, "..."), never))
    assert caught.value.failure.field == "text" and "nothing to speak" in caught.value.failure.message
    assert list(engine.stream(Job(2, "Good evening."), never))  # and it goes on


def test_what_nobody_expected_comes_with_the_place_where_it_happened(make):
    engine = loaded(make(fail_at_patch=1))
    with pytest.raises(EngineError) as caught:
        list(engine.stream(Job(1, "Good evening."), never))
    failure = caught.value.failure
    assert "pretended device is gone" in failure.message and failure.code == "unexpected"
    assert "fake.py" in failure.details


def test_the_progress_of_a_load_is_told_and_a_load_can_be_given_up(make):
    engine = make(load_delay=0.3)
    told = []
    engine.load("model", "cpu", "auto", told.append, never)
    assert len(told) > 3 and told == sorted(told)
    with pytest.raises(EngineCancelled):
        engine.load("model", "cpu", "auto", told.append, lambda: True)
    assert engine.load("model", "cpu", "auto", told.append, never).name == "model"


def test_a_load_that_hears_nothing_is_ended_with_its_process(make):
    engine = make(load_delay=60.0, stubborn_load=True)
    began = time.monotonic()
    with pytest.raises(EngineCancelled):
        engine.load("model", "cpu", "auto", lambda fraction: None, lambda: True)
    assert time.monotonic() - began < 20
    assert engine.process_id == 0


def test_a_cancelled_job_ends_with_what_was_made(make):
    engine = loaded(make(step_delay=0.01, endless=True))
    chunks = []
    for chunk in engine.stream(Job(1, "Good evening."), lambda: len(chunks) >= 5):
        chunks.append(chunk)
    assert chunks[-1].result is not None and chunks[-1].result.end == "cancelled"
    made = np.concatenate([chunk.samples for chunk in chunks])
    assert np.array_equal(made, chunks[-1].result.samples)
    again = engine.stream(Job(2, "Good evening."), never)
    assert [next(again).job_id for _ in range(3)] == [2, 2, 2]
    again.close()  # nobody wants the rest: the child stops too, and answers what comes next
    assert engine.plan(Job(3, "Good evening.")).text_tokens == 13


def test_a_mark_is_made_between_two_steps(make):
    engine = loaded(make(step_delay=0.01, endless=True))
    seen = []
    stream = engine.stream(Job(1, "Good evening."), lambda: len(seen) > 40)
    seen.append(next(stream))
    sound = 0.1 * np.sin(np.arange(16000) / 10).astype(np.float32)
    marked = engine.watermark().embed(sound, 16000)
    assert marked.shape == sound.shape and not np.array_equal(marked, sound)
    seen.extend(stream)
    assert [chunk.patch for chunk in seen] == list(range(len(seen)))  # nothing got lost meanwhile


def test_what_a_library_prints_does_not_disturb_the_conversation(make):
    engine = loaded(make(misbehave="print"))
    assert len(list(engine.stream(Job(1, "Good evening."), never))) == 12


@posix
def test_one_that_is_killed_says_so_and_what_came_before_was_heard(make):
    engine = loaded(make(step_delay=0.01, endless=True))
    chunks = []
    with pytest.raises(EngineDied) as caught:
        for chunk in engine.stream(Job(1, "Good evening."), never):
            chunks.append(chunk)
            if len(chunks) == 4:
                os.kill(engine.process_id, signal.SIGKILL)
    assert len(chunks) >= 4 and caught.value.failure.code == "crash.memory"
    assert engine.process_id == 0
    assert loaded(engine).process_id  # the next question starts another one


@posix
def test_one_that_dies_while_nothing_is_asked_of_it_is_noticed(make):
    engine = make()
    died = threading.Event()
    engine.watch(died.set)
    loaded(engine).check()
    assert not died.is_set()
    os.kill(engine.process_id, signal.SIGKILL)
    assert died.wait(60)
    with pytest.raises(EngineDied) as caught:
        engine.check()
    assert caught.value.failure.code == "crash.memory" and engine.process_id == 0
    loaded(engine).check()


@posix
def test_an_idle_engine_that_dies_is_started_again_in_the_window(make_studio):
    studio = make_studio(engine_factory=lambda: ChildEngine(None, ("tests.app.engine.fake_child", "{}"))).show()
    with studio.qtbot.waitSignal(studio.engine.model_loaded):
        os.kill(studio.engine.process_id, signal.SIGKILL)
    studio.compose.text.setPlainText("Good evening.")
    with studio.qtbot.waitSignal(studio.engine.job_ended):
        studio.compose.generate.click()
    assert studio.store.takes[-1].seconds > 0


@posix
def test_one_that_crashes_leaves_its_last_words_in_the_details(make):
    engine = loaded(make(misbehave="segfault"))
    with pytest.raises(EngineDied) as caught:
        list(engine.stream(Job(1, "Good evening."), never))
    assert caught.value.failure.code == "crash"
    assert "Segmentation fault" in caught.value.failure.details and "fake_child.py" in caught.value.failure.details


@posix
def test_one_that_hangs_is_ended_and_one_that_computes_is_not(make):
    patience = Patience(idle=1.5, silent=900.0, look=0.2)
    engine = loaded(make(patience, step_delay=0.01, endless=True))
    stream = engine.stream(Job(1, "Good evening."), never)
    next(stream)
    os.kill(engine.process_id, signal.SIGSTOP)
    with pytest.raises(EngineDied) as caught:
        list(stream)
    assert caught.value.failure.code == "crash.hung"
    busy = loaded(make(Patience(idle=1.5, silent=6.0, look=0.2), misbehave="spin"))
    began = time.monotonic()
    with pytest.raises(EngineDied) as caught:
        list(busy.stream(Job(1, "Good evening."), never))
    assert caught.value.failure.code == "crash.hung"
    assert time.monotonic() - began > 5  # it was computing, so it was given more time


def test_giving_up_ends_what_blocks(make):
    import threading

    engine = loaded(make(misbehave="spin"))
    timer = threading.Timer(0.5, engine.give_up)
    timer.start()
    with pytest.raises(EngineCancelled):
        list(engine.stream(Job(1, "Good evening."), never))
    timer.join()
    with pytest.raises(EngineCancelled):
        engine.plan(Job(1, "Good evening."))


PARENT = """
import sys
from app.core.messages import Job
from app.engine.child_engine import ChildEngine
engine = ChildEngine(None, ("tests.app.engine.fake_child", '{"misbehave": "spin"}'))
engine.load("model", "cpu", "auto", lambda fraction: None, lambda: False)
print(engine.process_id, flush=True)
list(engine.stream(Job(1, "Good evening."), lambda: False))
"""


@posix
def test_it_ends_with_its_parent_however_that_ends_and_leaves_nothing_behind(tmp_path):
    environment = {**os.environ, "PYTHONPATH": os.getcwd(), "TMPDIR": str(tmp_path), "TEMP": str(tmp_path)}
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True, env=environment, cwd=Path.cwd()
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    time.sleep(0.3)  # it spins, and hears nothing between steps
    parent.kill()
    parent.wait()
    parent.stdout.close()
    gone(child)
    assert list(tmp_path.iterdir()) == []

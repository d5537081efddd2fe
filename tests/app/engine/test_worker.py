"""The engine's thread: order, cancelling, stale messages, endings."""

import sys
import threading

import pytest

from app.core.messages import Chunk, Job, JobEnded, PlanReady
from app.engine.fake import FakeEngine, FakeModel
from app.engine.worker import EngineWorker


@pytest.fixture
def fake():
    return FakeEngine(models={"endless": FakeModel(patches=None)})


@pytest.fixture
def worker(qtbot, fake):
    worker = EngineWorker(lambda: fake)
    yield worker
    assert worker.close(5.0)
    assert fake.closed or not fake.loads


def load(qtbot, worker, folder="model"):
    with qtbot.waitSignal(worker.model_loaded):
        worker.load(folder)


def test_the_engine_lives_in_a_thread_of_its_own_and_facts_arrive_in_the_windows(qtbot, worker, fake):
    threads = {"engine": set(), "window": set()}
    stream = fake.stream

    def spy(job, is_cancelled):
        threads["engine"].add(threading.get_ident())
        yield from stream(job, is_cancelled)

    fake.stream = spy
    worker.chunk_arrived.connect(lambda chunk: threads["window"].add(threading.get_ident()))
    load(qtbot, worker)
    with qtbot.waitSignal(worker.job_ended):
        worker.submit(Job(1, "Good evening."))
    assert threads["window"] == {threading.get_ident()}
    assert len(threads["engine"]) == 1
    assert threads["engine"].isdisjoint(threads["window"])


def test_a_job_needs_a_model_and_an_idle_engine(qtbot, worker):
    with pytest.raises(RuntimeError):
        worker.submit(Job(1, "Good evening."))
    load(qtbot, worker, "endless")
    worker.submit(Job(1, "Good evening."))
    with pytest.raises(RuntimeError):
        worker.submit(Job(2, "Good evening."))
    with qtbot.waitSignal(worker.job_ended):
        worker.cancel()


def test_cancelling_one_job_does_not_cancel_the_next(qtbot, worker, fake):
    load(qtbot, worker, "endless")
    worker.submit(Job(1, "Good evening."))
    with qtbot.waitSignal(worker.job_ended) as ended:
        worker.cancel()
    assert ended.args[0].cancelled
    fake._model.patches = 3
    with qtbot.waitSignal(worker.job_ended) as ended:
        worker.submit(Job(2, "Good evening."))
    assert not ended.args[0].cancelled


def test_messages_of_a_job_that_is_not_the_current_one_are_dropped(qtbot, worker, fake):
    load(qtbot, worker)
    seen = []
    worker.chunk_arrived.connect(seen.append)
    worker.job_ended.connect(seen.append)
    old = fake._chunk(Job(99, "t"), 0, 0)
    assert isinstance(old, Chunk)
    worker._thread.message.emit(old)
    worker._thread.message.emit(JobEnded(99))
    assert seen == []


def test_only_the_newest_plan_is_answered(qtbot, worker, fake):
    load(qtbot, worker)
    answers = []
    worker.plan_ready.connect(answers.append)
    for text in ("a", "ab", "abc"):
        last = worker.plan(Job(0, text))
    qtbot.waitUntil(lambda: bool(answers))
    assert [answer.ticket for answer in answers] == [last]
    assert isinstance(answers[0], PlanReady)
    assert answers[0].plan.final_text == "abc"


def test_a_failing_engine_is_told_and_the_thread_goes_on(qtbot, worker, fake):
    load(qtbot, worker)
    fake.fail_at_patch = 1
    with qtbot.waitSignal(worker.job_ended) as ended:
        worker.submit(Job(1, "Good evening."))
    assert "pretended device is gone" in ended.args[0].failure.message
    assert "Traceback" in ended.args[0].failure.details
    fake.fail_at_patch = None
    with qtbot.waitSignal(worker.job_ended) as ended:
        worker.submit(Job(2, "Good evening."))
    assert ended.args[0].failure is None


def test_closing_in_the_middle_of_a_job_waits_for_one_step_only(qtbot, fake):
    fake.step_delay = 0.05
    worker = EngineWorker(lambda: fake)
    load(qtbot, worker, "endless")
    worker.submit(Job(1, "Good evening."))
    assert worker.close(2.0)
    assert fake.closed
    assert worker.close(2.0)


def test_a_signal_keeps_the_references_that_it_was_given(qtbot, worker, fake):
    """One release of Qt's bindings lost a reference to True with every emit, and the program died of it."""
    load(qtbot, worker)
    before = sys.getrefcount(True)
    for _ in range(5):
        with qtbot.waitSignal(worker.job_ended):
            worker.submit(Job(worker.next_job_id(), "Good evening.", takes=3))
    assert sys.getrefcount(True) > before - 50  # 5 x 36 chunks and more were emitted

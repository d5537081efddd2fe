"""Lines of a dub through the engine's thread: in their turn among the jobs, cancelled, refused, and at the end."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.core.dubbing.lines import Line
from app.core.engine_api import EngineCancelled, EngineError
from app.core.messages import Job
from app.engine.fake import FakeEngine, FakeModel
from app.engine.worker import EngineWorker

LINES = (Line("One.", 1), Line("Two, which is a good deal longer.", 2))


@pytest.fixture
def fake():
    return FakeEngine(models={"endless": FakeModel(patches=None)})


@pytest.fixture
def worker(qtbot, fake):
    worker = EngineWorker(lambda: fake)
    yield worker
    assert worker.close(5.0)


@pytest.fixture
def others():
    with ThreadPoolExecutor(1) as pool:
        yield pool


def load(qtbot, worker, folder="model"):
    with qtbot.waitSignal(worker.model_loaded):
        worker.load(folder)


def test_a_batch_runs_in_the_engines_thread_and_comes_back_row_by_row(qtbot, worker, fake, others):
    load(qtbot, worker)
    engine_threads = set()
    speak = fake.speak_lines
    fake.speak_lines = lambda lines, stop: engine_threads.add(threading.get_ident()) or speak(lines, stop)
    results = others.submit(worker.speak_lines, worker.model, LINES, lambda: False).result(10)
    assert [[part.text for part in parts] for parts in results] == [[line.text] for line in LINES]
    assert len(results[0][0].samples) < len(results[1][0].samples)
    assert fake.lines == [list(LINES)]
    assert engine_threads and threading.get_ident() not in engine_threads


def test_a_batch_waits_for_the_job_that_runs_and_a_job_for_the_batch(qtbot, worker, fake, others):
    load(qtbot, worker, "endless")
    with qtbot.waitSignal(worker.chunk_arrived):
        worker.submit(Job(1, "Good evening."))
    waiting = others.submit(worker.speak_lines, worker.model, LINES, lambda: False)
    with qtbot.waitSignals([worker.chunk_arrived] * 3):
        pass
    assert fake.lines == [] and not waiting.done()
    with qtbot.waitSignal(worker.job_ended):
        worker.cancel()
    assert len(waiting.result(10)) == 2


def test_a_wish_to_stop_and_a_refusal_reach_whoever_asked(qtbot, worker, others):
    load(qtbot, worker)
    ask = lambda *lines, stop=False: others.submit(worker.speak_lines, worker.model, lines, lambda: stop)  # noqa: E731
    with pytest.raises(EngineCancelled):
        ask(*LINES, stop=True).result(10)
    with pytest.raises(EngineError, match="nothing to speak"):
        ask(Line("...", 1)).result(10)
    assert len(ask(*LINES).result(10)) == 2


def test_another_model_speaks_no_line_that_was_planned_for_the_first(qtbot, worker, fake, others):
    load(qtbot, worker)
    first = worker.model
    load(qtbot, worker, "other")
    with pytest.raises(EngineError, match="Another model"):
        others.submit(worker.speak_lines, first, LINES, lambda: False).result(10)
    assert fake.lines == []


def test_closing_ends_a_batch_and_what_waits(qtbot, fake, others):
    worker = EngineWorker(lambda: fake)
    load(qtbot, worker)
    begun, speak = threading.Event(), fake.speak_lines

    def endless(lines, is_cancelled):
        begun.set()
        while not is_cancelled():
            pass
        return speak(lines, is_cancelled)

    fake.speak_lines = endless
    running = others.submit(worker.speak_lines, worker.model, LINES, lambda: False)
    assert begun.wait(10)
    assert worker.close(5.0)
    with pytest.raises(EngineCancelled):
        running.result(10)
    with pytest.raises(EngineCancelled):
        worker.speak_lines(None, LINES, lambda: False)

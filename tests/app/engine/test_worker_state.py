"""What the engine's thread does with its model: LoRA, unloading, warming up, and another thread when it dies."""

import time

import pytest

from app.core.messages import Failure, Job
from app.engine.fake import FakeEngine, FakeModel
from app.engine.worker import EngineWorker


@pytest.fixture
def fakes():
    """The engines that were made, one per thread."""
    return []


@pytest.fixture
def worker(qtbot, fakes):
    def make():
        fakes.append(FakeEngine(models={"endless": FakeModel(patches=None)}))
        return fakes[-1]

    worker = EngineWorker(make)
    yield worker
    assert worker.close(5.0)


def load(qtbot, worker, folder="model", *place):
    with qtbot.waitSignal(worker.model_loaded):
        worker.load(folder, *place)


def test_device_and_precision_reach_the_engine(qtbot, worker, fakes):
    load(qtbot, worker, "model", "cuda", "bfloat16")
    assert fakes[0].places == [("cuda", "bfloat16")]
    assert (worker.model.device, worker.model.dtype) == ("cuda", "bfloat16")


def test_the_model_is_warmed_up_when_nothing_else_is_wanted(qtbot, worker, fakes):
    load(qtbot, worker)
    qtbot.waitUntil(lambda: fakes[0].warmed == 1)


def test_a_lora_is_chosen_and_taken_away(qtbot, worker, fakes):
    worker.use_lora("early")  # without a model there is nothing to do
    load(qtbot, worker)
    with qtbot.waitSignal(worker.lora_changed) as told:
        worker.use_lora("warm", 0.5)
    assert (told.args[0].name, worker.lora.strength) == ("warm", 0.5)
    with qtbot.waitSignal(worker.lora_changed) as told:
        worker.use_lora("")
    assert told.args[0] is None and worker.lora is None
    assert fakes[0].loras == [("warm", 0.5), ("", 1.0)]


def test_a_refused_lora_leaves_the_one_in_use(qtbot, worker, fakes):
    load(qtbot, worker)
    with qtbot.waitSignal(worker.lora_changed):
        worker.use_lora("warm")
    fakes[0].lora_failure = Failure("Nobody has agreed.", "consent", code="consent.missing")
    with qtbot.waitSignal(worker.lora_failed) as told:
        worker.use_lora("other")
    assert told.args[0].code == "consent.missing" and worker.lora.name == "warm"


def test_another_model_starts_without_the_lora(qtbot, worker):
    load(qtbot, worker)
    with qtbot.waitSignal(worker.lora_changed):
        worker.use_lora("warm")
    load(qtbot, worker, "other")
    assert worker.lora is None


def test_unloading_frees_the_model_and_stops_the_job(qtbot, worker, fakes):
    load(qtbot, worker, "endless")
    with qtbot.waitSignal(worker.chunk_arrived):
        worker.submit(Job(1, "Good evening."))
    with qtbot.waitSignals([worker.job_ended, worker.unloaded]):
        worker.unload()
    assert fakes[0].closed and worker.model is None
    worker.unload()  # harmless
    load(qtbot, worker)
    assert worker.model is not None


def test_a_load_that_is_under_way_is_given_up_by_unloading(qtbot, worker, fakes):
    load(qtbot, worker)
    fakes[0].load_delay = 5.0
    worker.load("slow")
    with qtbot.waitSignal(worker.unloaded):
        worker.unload()
    assert worker.model is None and not worker.is_loading


def test_when_the_thread_dies_the_job_ends_with_its_part_and_the_model_comes_back(qtbot, worker, fakes):
    load(qtbot, worker, "endless")
    fakes[0].crash_at_patch = 2
    chunks, order = [], []
    worker.chunk_arrived.connect(chunks.append)
    worker.job_ended.connect(lambda ended: order.append(("ended", ended.failure)))
    worker.crashed.connect(lambda failure: order.append(("crashed", failure)))
    with qtbot.waitSignal(worker.model_loaded):
        worker.submit(Job(1, "Good evening."))
    assert [what for what, _ in order] == ["ended", "crashed"]
    assert "SystemExit" in order[0][1].message and "Traceback" in order[1][1].details
    assert len(chunks) == 2 and worker.job is None
    assert len(fakes) == 2 and fakes[0].closed and fakes[1].loads == ["endless"]
    fakes[1]._model.patches = 3
    with qtbot.waitSignal(worker.job_ended) as ended:
        worker.submit(Job(2, "Good evening."))
    assert ended.args[0].failure is None


def test_a_load_that_kills_the_thread_is_not_tried_again(qtbot):
    made = []

    def make():
        made.append(1)
        raise SystemExit("no engine here")

    worker = EngineWorker(make)
    with qtbot.waitSignals([worker.load_failed, worker.crashed]):
        worker.load("model")
    assert len(made) == 1 and worker.model is None and not worker.is_loading
    assert worker.close(5.0)


class Dying(FakeEngine):
    """Dies while it warms up: at once, or when it is asked for something."""

    patient = True

    def warm_up(self, is_cancelled):
        super().warm_up(is_cancelled)
        while self.patient and not is_cancelled():
            time.sleep(0.001)
        raise SystemExit("the pretended engine is dead")


@pytest.fixture
def dying(qtbot):
    """A worker and its engines, which die one after the other."""
    made = []

    def make():
        made.append(Dying())
        return made[-1]

    worker = EngineWorker(make)
    yield worker, made
    assert worker.close(5.0)


def test_one_that_dies_again_and_again_before_anybody_asks_is_given_up(qtbot, dying, monkeypatch):
    worker, made = dying
    monkeypatch.setattr(Dying, "patient", False)
    with qtbot.waitSignal(worker.load_failed):
        worker.load("model")
    assert len(made) == 3 and worker.model is None and not worker.is_loading


def test_what_is_asked_counts_also_when_the_engine_dies_before_it_begins_with_it(qtbot, dying):
    worker, made = dying
    failures = []
    worker.job_ended.connect(lambda ended: failures.append(ended.failure))
    load(qtbot, worker)
    for number in range(5):
        qtbot.waitUntil(lambda: made[-1].warmed == 1)
        with qtbot.waitSignal(worker.model_loaded):
            worker.submit(Job(number, "Good evening."))
    assert len(made) == 6 and len(failures) == 5 and all(failures) and worker.model is not None

"""When memory runs out: the failed step is let go before anything else is tried, and people are told what helps."""

import gc
import weakref

import numpy as np
import pytest

from app.core.engine_api import EngineError
from app.core.messages import Job
from app.core.models import default_model_dir
from app.engine.local import LocalEngine
from app.engine.room import lack_of_room


def never():
    return False


def test_lacks_of_memory_are_told_apart_from_other_errors():
    class OutOfMemoryError(RuntimeError):
        pass

    for error in (
        MemoryError(),
        np._core._exceptions._ArrayMemoryError((1 << 40,), np.dtype("f4")),
        OutOfMemoryError("CUDA"),
        RuntimeError("[enforce fail at alloc_cpu.cpp:121] DefaultCPUAllocator: can't allocate memory: you tried"),
        RuntimeError("MPS backend out of memory (MPS allocated: 1 GB)"),
        OSError(12, "Cannot allocate memory"),
    ):
        assert lack_of_room(error)
    for error in (RuntimeError("shapes differ"), ValueError("out of memory"), OSError(28, "No space left on device")):
        assert lack_of_room(error) == ""
    outer = ValueError("a step failed")
    outer.__cause__ = MemoryError()
    assert lack_of_room(outer)


def test_what_the_failed_step_held_is_free_before_people_are_told(monkeypatch):
    engine = LocalEngine()
    engine.load(str(default_model_dir()), "cpu", "auto", lambda fraction: None, never)
    held = []

    class Tensor:
        pass

    def fail(*arguments, **options):
        large = Tensor()
        held.append(weakref.ref(large))
        raise MemoryError
        yield large

    monkeypatch.setattr(engine._model, "stream_batch", fail)
    with pytest.raises(EngineError) as caught:
        list(engine.stream(Job(1, "Good evening."), never))
    assert held[0]() is None  # though the error that people get still lives
    assert caught.value.failure.code == "memory" and "MemoryError" in caught.value.failure.details
    monkeypatch.undo()
    assert list(engine.stream(Job(2, "Good evening.", max_patches=3), never))
    engine.close()
    gc.collect()

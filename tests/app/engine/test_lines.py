"""Lines of a dub with a real model: batches, long ones in parts, and lines that go on from another."""

from __future__ import annotations

import numpy as np
import pytest

from app.core.dubbing.lines import Anchor, Line
from app.core.engine_api import EngineCancelled, EngineError
from app.engine.local import LocalEngine
from tests.conftest import parity_dir

FAST = {"steps": 2, "max_patches": 5, "retries": 1}


@pytest.fixture(scope="module")
def engine():
    engine = LocalEngine()
    engine.load(str(parity_dir() / "checkpoints" / "tiny-v2"), "cpu", "float32", lambda fraction: None, lambda: False)
    yield engine
    engine.close()


def speak(engine: LocalEngine, *lines: Line):
    return engine.speak_lines(lines, lambda: False)


def test_short_lines_are_one_batch_and_come_back_in_their_order(engine: LocalEngine) -> None:
    lines = [Line(text, seed, **FAST) for seed, text in enumerate(("One.", "Two, which is longer.", "三，是中文。"))]
    results = speak(engine, *lines)
    assert [parts[0].text for parts in results] == [line.text for line in lines]
    assert all(len(parts) == 1 and len(parts[0].batch) == 3 and len(parts[0].samples) for parts in results)
    again = speak(engine, *lines)
    for one, two in zip(results, again, strict=True):
        np.testing.assert_array_equal(one[0].samples, two[0].samples)


def test_a_long_line_between_short_ones_comes_in_parts(engine: LocalEngine) -> None:
    long = " ".join(f"This is sentence number {n} of a long paragraph." for n in range(12))
    first, parts, last = speak(engine, Line("Short.", 1, **FAST), Line(long, 2, **FAST), Line("End.", 3, **FAST))
    assert len(parts) > 1 and parts[0].mode == "design"
    assert [part.text for part in parts] == [f"This is sentence number {n} of a long paragraph." for n in range(12)]
    assert len(first) == len(last) == 1 and len(first[0].batch) == 2


def test_a_line_goes_on_from_an_anchor(engine: LocalEngine) -> None:
    ((anchor,),) = speak(engine, Line("This one gives the voice.", 4, **FAST))
    going_on = Line("And this one goes on.", 5, anchor=Anchor("This one gives the voice.", anchor.latents), **FAST)
    ((alone,), (made,)) = speak(engine, Line("And this one goes on.", 5, **FAST), going_on)
    assert (alone.mode, made.mode) == ("design", "continuation")
    assert not np.array_equal(alone.samples[: len(made.samples)], made.samples[: len(alone.samples)])


def test_stopped_and_refused_lines_return_nothing(engine: LocalEngine) -> None:
    with pytest.raises(EngineCancelled):
        engine.speak_lines([Line("Never.", 1, **FAST)], lambda: True)
    with pytest.raises(EngineError):
        speak(engine, Line("...", 1, **FAST))
    with pytest.raises(EngineError, match="No model"):
        LocalEngine().speak_lines([Line("Yes.", 1)], lambda: False)

"""Several takes at once, one after another, and from several threads (OPEN-11)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from tests.voxcpm.conftest import TINY, load, modes_of, spy, text_of, voice_of
from voxcpm.config import CFMConfig
from voxcpm.errors import RequestError
from voxcpm.pipeline import VoxCPM
from voxcpm.request import Request, spread_seeds

Engines = Callable[[str], VoxCPM]
TEXT = "Hello 你好 world"


# -- batches --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TINY)
def test_rows_of_any_lengths_equal_their_single_runs(engines: Engines, name: str) -> None:
    engine = engines(name)
    modes = modes_of(name)
    texts = [
        "Hello 你好 world",
        "How are you?",
        "(A young woman)今天天气真好",
        "Hello, this is the first test sentence.",
    ]
    requests = [Request(text, voice=voice_of(engine, modes[i % len(modes)]), seed=42 + i, max_patches=9 + i, retries=1)
                for i, text in enumerate(texts)]  # fmt: skip
    together = engine.generate_batch(requests)
    for row, (request, take) in enumerate(zip(requests, together, strict=True)):
        alone = engine.generate(request)
        assert (take.patches, take.end, take.seed) == (alone.patches, alone.end, alone.seed)
        assert np.abs(take.samples - alone.samples).max() < 1e-4
        assert take.row == row and len(take.batch) == len(requests)
        assert take.batch[row].seed == request.seed and take.batch[row].text == take.text
    assert len({take.patches for take in together}) > 1, "rows end at different times"


def test_takes_of_one_text_share_their_prefill(never: Engines) -> None:
    engine = load("tiny-v2", stop="never")
    calls = spy(engine)
    seeds = spread_seeds(42, 3)
    takes = engine.generate_batch([Request(TEXT, seed=s, steps=3, max_patches=5, retries=1) for s in seeds])
    assert calls.count("prefill") == 1 and calls.count("sample") == 5
    assert [t.seed for t in takes] == list(seeds)
    for take in takes:
        alone = never("tiny-v2").generate(Request(TEXT, seed=take.seed, steps=3, max_patches=5, retries=1))
        assert np.abs(take.samples - alone.samples).max() < 1e-4


def test_a_batch_repeats_exactly_from_its_make_up(engines: Engines) -> None:
    engine = engines("tiny-v1")
    takes = engine.generate_batch(
        [Request(t, seed=4 + i, steps=4, max_patches=7, retries=1) for i, t in enumerate(("Hi", TEXT))]
    )
    rows = takes[1].batch
    again = engine.generate_batch([Request(r.text, seed=r.seed, steps=r.steps, cfg=r.cfg, min_patches=r.min_patches,
                                           max_patches=r.max_patches, retries=1) for r in rows])  # fmt: skip
    assert all(np.array_equal(a.samples, b.samples) for a, b in zip(takes, again, strict=True))


def test_only_bad_rows_are_tried_again() -> None:
    engine = load("tiny-v2", stop="never")
    good = Request(text_of(engine, 10), seed=1, steps=2, max_patches=5, retry_ratio=1.0, retries=3)
    bad = replace(good, max_patches=500, seed=2)
    seen: list[tuple[int, int]] = []
    takes = engine.generate_batch([good, bad], on_progress=lambda p: seen.append((p.row, p.attempt)))
    assert [t.attempts for t in takes] == [1, 3]
    assert {attempt for row, attempt in seen if row == 0} == {0}
    assert {attempt for row, attempt in seen if row == 1} == {0, 1, 2}


def test_rows_must_share_steps_and_guidance(never: Engines) -> None:
    for change in ({"steps": 3}, {"cfg": 1.0}):
        rows = [Request(TEXT, steps=2), replace(Request(TEXT, steps=2), **change)]  # type: ignore[arg-type]
        with pytest.raises(RequestError, match="same value"):
            never("tiny-v1").stream_batch(rows)
    with pytest.raises(RequestError, match="empty"):
        never("tiny-v1").stream_batch([])


def test_guidance_and_temperature_are_the_models_own_unless_asked_for(never: Engines) -> None:
    engine = never("tiny-v2")
    short = Request(TEXT, seed=3, steps=2, max_patches=4, retries=1)
    plain = engine.generate(short)
    assert (plain.cfg, plain.temperature) == (2.0, 1.0)
    asked = engine.generate(replace(short, cfg=2.0, temperature=1.0))
    assert np.array_equal(plain.samples, asked.samples)
    own = CFMConfig(inference_cfg_rate=3.0, inference_temperature=0.5)
    changed = load("tiny-v2", stop="never")
    changed.config = replace(changed.config, dit_config=replace(changed.config.dit_config, cfm_config=own))
    weaker = changed.generate(short)
    assert (weaker.cfg, weaker.temperature, weaker.batch[0].temperature) == (3.0, 0.5, 0.5)
    assert np.array_equal(weaker.samples, engine.generate(replace(short, cfg=3.0, temperature=0.5)).samples)
    assert not np.array_equal(weaker.samples, engine.generate(replace(short, cfg=3.0)).samples)


# -- long texts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TINY)
def test_long_text_goes_on_from_part_to_part(name: str) -> None:
    engine = load(name, stop="always")
    text = "Good evening. The last train leaves at ten. Nobody waits on the platform."
    chunks = list(engine.stream_long(Request(text, seed=5, steps=2, retries=1), max_chars=40))
    results = [c.result for c in chunks if c.result is not None]
    assert len(results) == 3 == max(c.row for c in chunks) + 1
    assert results[0].mode == "design" and {r.mode for r in results[1:]} == {"continuation"}
    assert results[1].text.startswith("Good evening. The last"), "the part before stands in front as transcript"
    assert len({r.seed for r in results}) == 3
    again = list(engine.stream_long(Request(text, seed=5, steps=2, retries=1), max_chars=40))
    assert all(np.array_equal(a.samples, b.samples) for a, b in zip(chunks, again, strict=True))


def test_long_text_keeps_its_reference() -> None:
    engine = load("tiny-v2", stop="always")
    request = Request("One is here. Two is there.", voice=voice_of(engine, "reference"), seed=5, steps=2, retries=1)
    results = [c.result for c in engine.stream_long(request, max_chars=14) if c.result is not None]
    assert [r.mode for r in results] == ["reference", "combined"]
    assert {r.consent_id for r in results} == {"test-signal"}


# -- OPEN-11: several threads, one model ----------------------------------------------------------------------


def test_four_threads_share_one_model(engines: Engines) -> None:
    engine = engines("tiny-v2")
    texts = ["Hello world", "你好 world", "How are you today?", "Hello, this is a test."]
    modes = modes_of("tiny-v2")
    requests = [Request(t, voice=voice_of(engine, m), seed=i, steps=3, max_patches=6, retries=1)
                for i, (t, m) in enumerate(zip(texts, modes, strict=True))]  # fmt: skip
    wanted = [engine.generate(request).samples for request in requests]
    failures: list[str] = []

    def work(index: int, spoilt: bool) -> None:
        try:
            if spoilt:
                with pytest.raises(RequestError):
                    engine.generate(replace(requests[index], text="..."))
            elif not np.array_equal(engine.generate(requests[index]).samples, wanted[index]):
                failures.append(f"{modes[index]} differs")
        except BaseException as error:
            failures.append(f"{modes[index]}: {error!r}")

    for turn in range(5):
        threads = [threading.Thread(target=work, args=(i, turn == i + 1)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        assert not any(thread.is_alive() for thread in threads)
    assert not failures

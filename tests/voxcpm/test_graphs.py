"""Recorded patch steps, run step by step on the CPU: the same takes come out, and nothing of a step leaks into others.

Whether CUDA records them is checked by ``tests/speed/gpu.py`` and by the tests marked ``gpu``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from tests.voxcpm.conftest import MODEL_MODES, TINY, checkpoint, load, voice_of
from voxcpm import graphs
from voxcpm.graphs import GraphPool
from voxcpm.modules.static_cache import bucket_for
from voxcpm.noise import RecordedNoise
from voxcpm.pipeline import VoxCPM
from voxcpm.request import Request
from voxcpm.result import AudioChunk, Result


def same(one: Result, two: Result) -> None:
    """Equal but for the rounding of attention over a masked bucket."""
    assert (one.end, one.patches, one.flags, one.seed) == (two.end, two.patches, two.flags, two.seed)
    np.testing.assert_allclose(one.latents, two.latents, atol=2e-3, rtol=1e-3)
    np.testing.assert_allclose(one.samples, two.samples, atol=5e-3)
    np.testing.assert_allclose(one.stop_probabilities, two.stop_probabilities, atol=2e-3)


def with_steps(engine: VoxCPM, run: Callable[[], list[Result]]) -> list[Result]:
    """Run twice with a pool: the first prepares the step, the second uses it."""
    engine.graphs = GraphPool(record=False)
    run()
    used: list[graphs.PatchStep] = []
    original = graphs.PatchStep.step

    def noted(self: graphs.PatchStep, noise: torch.Tensor) -> graphs.Output:
        used.append(self)
        return original(self, noise)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graphs.PatchStep, "step", noted)
        results = run()
    assert len(used) >= max(r.patches for r in results)
    return results


@pytest.mark.parametrize(("name", "mode"), MODEL_MODES)
def test_every_mode_gives_the_same_take(name: str, mode: str) -> None:
    engine = load(name)
    voice = voice_of(engine, mode)
    request = Request("Good evening, all of you.", seed=5, voice=voice, max_patches=9)
    plain = engine.generate(request)
    same(with_steps(engine, lambda: [engine.generate(request)])[0], plain)


@pytest.mark.parametrize("name", TINY)
def test_rows_of_different_lengths_end_each_at_its_own_place(name: str) -> None:
    engine = load(name, stop="never")
    requests = [
        Request("Good evening.", seed=1, max_patches=4),
        Request("The last train leaves at ten, and nobody waits on the platform.", seed=2, max_patches=7),
        Request("Yes.", seed=3, max_patches=5),
    ]
    plain = engine.generate_batch(requests)
    for one, two in zip(with_steps(engine, lambda: engine.generate_batch(requests)), plain, strict=True):
        same(one, two)
    assert [r.patches for r in plain] == [4, 7, 5]


@pytest.mark.parametrize("cfg", [1.0, 2.0])
def test_the_stop_flag_is_read_late_and_the_patch_after_it_dropped(cfg: float) -> None:
    engine = load("tiny-v2", stop="always")
    request = Request("Good evening, all of you.", seed=5, cfg=cfg)
    plain = engine.generate(request)
    assert plain.end == "stopped"
    steps: list[int] = []
    engine.graphs = GraphPool(record=False)
    engine.generate(request)
    (step,) = engine.graphs._free.values()
    same(engine.generate(request), plain)
    steps.append(step.taken)
    assert steps == [plain.patches + 1], "one step was begun before the flag was read"


def test_no_step_is_begun_that_no_row_can_use() -> None:
    engine = load("tiny-v2", stop="never")
    engine.graphs = GraphPool(record=False)
    request = Request("Good evening.", seed=5, max_patches=4)
    engine.generate(request)
    (step,) = engine.graphs._free.values()
    engine.generate(request)
    assert step.taken == 4


def test_recorded_noise_ends_a_take() -> None:
    engine = load("tiny-v2", stop="never")
    config = engine.config
    values = torch.randn(3, config.feat_dim, config.patch_size, generator=torch.Generator().manual_seed(1))
    request = Request("Good evening.", seed=1, noise=RecordedNoise(values))
    plain = engine.generate(request)
    same(with_steps(engine, lambda: [engine.generate(request)])[0], plain)
    assert plain.patches == 3


def test_interleaved_takes_do_not_share_buffers() -> None:
    engine = load("tiny-v2", stop="never")
    requests = [Request("Good evening.", seed=seed, max_patches=6) for seed in (1, 2)]
    plain = [engine.generate(r) for r in requests]
    engine.graphs = GraphPool(record=False)
    engine.generate(requests[0])
    streams = [engine.stream(r) for r in requests]
    results: list[Result | None] = [None, None]
    while any(r is None for r in results):
        for index, stream in enumerate(streams):
            if results[index] is None:
                results[index] = next(stream).result
    for stream in streams:
        assert list(stream) == []
    for one, two in zip(results, plain, strict=True):
        assert one is not None
        same(one, two)
    assert len(engine.graphs._free) == 1, "the second take ran by itself and recorded one more of the same kind"


def test_a_dropped_stream_gives_its_step_back() -> None:
    engine = load("tiny-v2", stop="never")
    engine.graphs = GraphPool(record=False)
    request = Request("Good evening.", seed=1, max_patches=6)
    plain = engine.generate(request)
    stream = engine.stream(request)
    next(stream)
    assert not engine.graphs._free
    stream.close()
    assert len(engine.graphs._free) == 1
    same(engine.generate(request), plain)


def test_cancelling_ends_all_rows() -> None:
    engine = load("tiny-v2", stop="never")
    engine.graphs = GraphPool(record=False)
    requests = [Request("Good evening.", seed=seed, max_patches=6) for seed in (1, 2)]
    engine.generate_batch(requests)
    chunks: list[AudioChunk] = []
    for chunk in engine.stream_batch(requests, cancelled=lambda: len(chunks) >= 4):
        chunks.append(chunk)
    assert [c.result.end for c in chunks if c.result is not None] == ["cancelled", "cancelled"]
    assert len(engine.graphs._free) == 1


def test_an_adapter_has_a_step_of_its_own() -> None:
    from tests.conftest import parity_dir

    engine = load("tiny-v2", stop="never")
    request = Request("Good evening.", seed=1, max_patches=4)
    base = engine.generate(request)
    engine.load_lora(parity_dir() / "lora" / "tiny-v2-lora")
    adapted = engine.generate(request)
    same(with_steps(engine, lambda: [engine.generate(request)])[0], adapted)
    engine.unload_lora()
    pool = engine.graphs
    same(engine.generate(request), base)
    assert pool is not None and len(pool._free) == 2
    same(engine.generate(request), base)


def test_only_some_are_kept_and_closing_frees_them() -> None:
    engine = load("tiny-v2", stop="never")
    engine.graphs = GraphPool(record=False)
    for steps in range(4, 4 + graphs.MOST_GRAPHS + 2):
        engine.generate(Request("Yes.", seed=1, max_patches=2, steps=steps))
    assert [kind.steps for kind in engine.graphs._free] == list(range(6, 6 + graphs.MOST_GRAPHS))
    engine.close()
    assert not engine.graphs._free


def test_what_cannot_be_recorded_costs_only_the_speed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("out of memory")

    engine = load("tiny-v2", stop="never")
    request = Request("Yes.", seed=1, max_patches=3)
    plain = engine.generate(request)
    engine.graphs = GraphPool(record=False)
    monkeypatch.setattr(graphs, "PatchStep", fails)
    assert (engine.generate(request).samples == plain.samples).all()
    assert "no recorded step" in caplog.text and not engine.graphs._free


@pytest.mark.parametrize(
    ("positions", "limit", "slots"),
    [(1, 4096, 256), (256, 4096, 256), (257, 4096, 512), (3000, 4096, 4096), (4096, 4096, 4096), (300, 300, 300)],
)
def test_buckets(positions: int, limit: int, slots: int) -> None:
    assert bucket_for(positions, limit) == slots


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("rows", [1, 3])
def test_a_recorded_step_gives_the_same_take_on_a_gpu(rows: int) -> None:
    engine = VoxCPM.load(checkpoint("tiny-v2"), device="cuda", dtype="float32")
    requests = [Request("Good evening.", seed=seed, max_patches=8) for seed in range(rows)]
    engine.graphs, pool = None, engine.graphs
    plain = engine.generate_batch(requests)
    engine.graphs = pool
    engine.generate_batch(requests)
    assert pool is not None and len(pool._free) == 1
    for one, two in zip(engine.generate_batch(requests), plain, strict=True):
        same(one, two)

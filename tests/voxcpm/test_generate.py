"""The loop and the pipeline: limits, retries, streaming, seeds (OPEN-01, 02, 08, 09, 10)."""

from __future__ import annotations

import gc
import random
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.voxcpm.conftest import CONSENT, MODEL_MODES, TINY, checkpoint, load, spy, text_of, voice_of
from voxcpm.errors import RequestError
from voxcpm.noise import RecordedNoise
from voxcpm.pipeline import VoxCPM
from voxcpm.request import SEED_LIMIT, Request, retry_seed, spread_seeds
from voxcpm.result import AudioChunk, Progress, Result

Engines = Callable[[str], VoxCPM]
TEXT = "Hello 你好 world"


def joined(chunks: Iterator[AudioChunk]) -> tuple[np.ndarray, Result]:
    """A stream's audio put together, and its result."""
    seen = list(chunks)
    assert [c.result is not None for c in seen] == [False] * (len(seen) - 1) + [True]
    result = seen[-1].result
    assert result is not None
    return np.concatenate([c.samples for c in seen]), result


# -- OPEN-01: the context runs out ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", TINY)
def test_full_context_ends_the_take_and_keeps_it(name: str, tmp_path: Path) -> None:
    engine = load(name, stop="never", max_length=64, folder=tmp_path)
    request = Request(text_of(engine, 20), seed=1, steps=2, max_patches=4096, retry_ratio=1000.0, retries=1)
    whole = engine.generate(request)
    # 21 positions are taken by text and the audio-start id; the last patch is not fed back.
    assert whole.patches == 64 - 21 + 1
    assert whole.end == "context_full" and "cut: context full" in whole.flags
    assert engine.plan(request).max_patches == whole.patches and engine.plan(request).limit == "context_full"
    audio, streamed = joined(engine.stream(request))
    assert streamed.end == "context_full"
    assert np.abs(audio - whole.samples).max() < 1e-4


@pytest.mark.parametrize("name", TINY)
def test_a_prompt_beyond_the_context_is_refused_before_work(name: str, tmp_path: Path) -> None:
    engine = load(name, stop="never", max_length=12, folder=tmp_path)
    voice = voice_of(engine, "continuation")
    before = spy(engine)
    with pytest.raises(RequestError, match=r"need \d+ positions.* 12") as refusal:
        engine.generate(Request("How are you today, and tomorrow?", voice=voice, steps=2))
    assert refusal.value.field == "prompt" and before == []
    short = Request("H", seed=3, steps=2, max_patches=3)
    fresh = load(name, stop="never", max_length=12, folder=tmp_path / "again")
    assert np.array_equal(engine.generate(short).samples, fresh.generate(short).samples)


# -- OPEN-02: retries -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_retries_stay_within_their_limit(limit: int) -> None:
    engine = load("tiny-v2", stop="never")
    request = Request(text_of(engine, 10), seed=11, steps=2, retries=limit, retry_ratio=1.0)
    result = engine.generate(request)
    assert result.attempts == max(1, limit)
    assert result.seed == retry_seed(11, result.attempts - 1) and result.first_seed == 11
    assert "doubtful: too long" in result.flags and result.end == "length_cap"
    assert result.retry_helped is (None if limit < 2 else False)
    assert result.patches == 1 * 10 + 10  # floor(ratio x tokens + 10)
    again = engine.generate(replace(request, seed=result.seed, retries=1))
    assert np.array_equal(again.samples, result.samples), "the reported seed is that of the returned audio"
    told = [chunk.doubtful for chunk in engine.stream(request)]
    assert told == [False] * 9 + [True] * 11, "a stream tells as soon as it is known"
    audio, streamed = joined(engine.stream(request))
    assert streamed.attempts == 1 and streamed.seed == 11 and len(audio)
    assert "doubtful: too long" in streamed.flags
    assert streamed.next_seed == retry_seed(11, 1), "a stream cannot be taken back, so it offers the next seed"


def test_a_retry_that_helps_is_kept() -> None:
    engine = load("tiny-v2", stop="never")
    head = engine.model.stop_head
    calls = {"n": 0}
    original = engine._run

    def second_attempt_stops(laid: object, stop: object, attempt: int, *rest: object) -> Iterator[AudioChunk]:
        calls["n"] += 1
        head.logits = torch.tensor([20.0, -20.0]) if attempt == 0 else torch.tensor([-20.0, 20.0])  # type: ignore[union-attr]
        yield from original(laid, stop, attempt, *rest)  # type: ignore[arg-type]

    engine._run = second_attempt_stops  # type: ignore[method-assign, assignment]
    result = engine.generate(Request(text_of(engine, 10), seed=5, steps=2, retries=3, retry_ratio=1.0))
    assert calls["n"] == 2 and result.attempts == 2 and result.retry_helped is True
    assert result.flags == () and result.end == "stopped" and result.seed == retry_seed(5, 1)


def test_a_cancelled_retry_takes_nothing_away() -> None:
    engine = load("tiny-v2", stop="never")
    request = Request(text_of(engine, 10), seed=5, steps=2, retries=3, retry_ratio=1.0)
    seen: list[Progress] = []
    result = engine.generate(request, on_progress=seen.append, cancelled=lambda: bool(seen) and seen[-1].attempt == 1)
    assert result.patches == 20 and result.seed == 5 and result.end == "length_cap"
    assert result.attempts == 2 and result.retry_helped is False


@pytest.mark.parametrize("retries", [1, 3])
def test_length_cap_holds_with_and_without_retries(retries: int) -> None:
    engine = load("tiny-v1", stop="never")
    request = Request("H", seed=1, steps=1, retry_ratio=0.5, retries=retries)
    assert engine.generate(request).patches == 10


def test_retry_seeds_meet_no_neighbouring_take() -> None:
    takes = {*spread_seeds(7, 3), 7, 8, 9, 10}
    assert not {retry_seed(seed, attempt) for seed in takes for attempt in range(1, 6)} & takes


# -- OPEN-08: stream equals file ------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "mode"), MODEL_MODES)
def test_streamed_equals_whole(never: Engines, name: str, mode: str) -> None:
    engine = never(name)
    request = Request(text_of(engine, 30), voice=voice_of(engine, mode), seed=7, steps=4, max_patches=40)
    whole = engine.generate(replace(request, retries=1))
    chunks = []
    for number, chunk in enumerate(engine.stream(request)):
        if number % 13 == 5:
            time.sleep(0.3)  # a consumer that dozes now and then
        chunks.append(chunk.samples)
    audio = np.concatenate(chunks)
    assert audio.shape == whole.samples.shape
    assert np.abs(audio - whole.samples).max() < 1e-4
    # The file is what the codec makes of the context and all patches in one piece: no jump where prompt and take meet.
    latents = torch.from_numpy(whole.latents)
    context = engine._lay_out(request).context
    cut = 0
    if context is not None:
        latents = torch.cat((context.flatten(0, 1), latents))
        cut = context.shape[0] * engine.config.patch_size * engine.vae.config.output_hop
    with torch.inference_mode():
        in_one_piece = engine.vae.decode(latents.T[None])[0, cut:].numpy()
    assert np.abs(audio - in_one_piece).max() < 1e-4
    for join in np.cumsum([len(c) for c in chunks])[:-1]:
        around = np.abs(np.diff(audio[join - 8 : join + 8])).max()
        assert around <= np.abs(np.diff(in_one_piece[join - 8 : join + 8])).max() + 1e-4


# -- what upstream does wrong, done right ---------------------------------------------------------------------


def test_a_prompt_of_one_patch_loses_no_audio(never: Engines) -> None:
    for name in ("tiny-v1", "tiny-v15"):
        engine = never(name)
        voice = engine.encode_voice(
            prompt=(np.sin(np.arange(int(0.05 * engine.info.encode_rate)) / 7).astype(np.float32) * 0.5,
                    engine.info.encode_rate),
            transcript="Oh.", consent=CONSENT, min_seconds=0.0)  # fmt: skip
        assert voice.prompt is not None and voice.prompt.shape[0] == 1
        result = engine.generate(Request("How are you?", voice=voice, seed=1, steps=2, max_patches=6, retries=1))
        assert result.patches == 6
        assert len(result.samples) == 6 * engine.config.patch_size * engine.vae.config.output_hop
        assert result.latents.shape == (6 * engine.config.patch_size, engine.config.feat_dim), "no context in front"


def test_context_never_reaches_into_the_reference(never: Engines) -> None:
    engine = never("tiny-v2")
    rate = engine.info.encode_rate
    short = (np.sin(np.arange(int(0.3 * rate)) / 9).astype(np.float32) * 0.5, rate)
    voice = engine.encode_voice(reference=(np.cos(np.arange(rate) / 5).astype(np.float32) * 0.5, rate), prompt=short,
                                transcript="Oh.", consent=CONSENT, min_seconds=0.0)  # fmt: skip
    assert voice.prompt is not None and voice.prompt.shape[0] == 2 < engine.config.context_patches
    context = engine._lay_out(Request("Hi", voice=voice)).context
    assert context is not None and torch.equal(context, voice.prompt)


def test_stream_is_warm_at_the_join(never: Engines) -> None:
    """Upstream's first streamed patches of a continuation are off by up to 0.78 because its decoder starts cold."""
    engine = never("tiny-v2")
    request = Request("How are you?", voice=voice_of(engine, "continuation"), seed=1, steps=2, max_patches=2, retries=1)
    audio, result = joined(engine.stream(request))
    with torch.inference_mode():
        cold = engine.vae.decode(torch.from_numpy(result.latents).T[None])[0].numpy()
    assert np.abs(audio - cold).max() > 0.1, "the warm start makes a difference here"


# -- OPEN-09: a stream dropped half way -----------------------------------------------------------------------

_DROPPED = """
import sys, threading, numpy as np
sys.path.insert(0, sys.argv[2])
from voxcpm.pipeline import VoxCPM
from voxcpm.request import Request
engine = VoxCPM.load(sys.argv[1], device="cpu", dtype="float32")
request = Request("Hello world", seed=7, steps=2, max_patches=12, min_patches=12, retries=1)
if sys.argv[3] == "drop":
    for round in range(20):
        for way in ("close", "delete", "raise", "cancel"):
            stop = threading.Event()
            stream = engine.stream(request, cancelled=stop.is_set)
            if way == "raise":
                try:
                    for number, chunk in enumerate(stream):
                        if number == 1:
                            raise KeyError("consumer")
                except KeyError:
                    continue
            next(stream), next(stream)
            if way == "close":
                stream.close()
            elif way == "delete":
                del stream
            else:
                thread = threading.Thread(target=stop.set)
                thread.start(); thread.join()
                rest = list(stream)
                assert len(rest) == 1 and rest[0].result.end == "cancelled" and rest[0].result.patches == 2, rest
    count = threading.active_count()
    assert count == 1, count
sys.stdout.buffer.write(engine.generate(request).samples.tobytes())
"""


def test_dropped_streams_leave_nothing_behind() -> None:
    root = str(Path(__file__).resolve().parents[2])
    outputs = []
    for way in ("drop", "fresh"):
        done = subprocess.run([sys.executable, "-c", _DROPPED, str(checkpoint("tiny-v2")), root, way],
                              capture_output=True, timeout=120, check=False)  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()
        assert done.stderr == b""
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1] and outputs[0]


def test_cancelled_before_the_first_patch(never: Engines) -> None:
    result = never("tiny-v1").generate(Request(TEXT, seed=1, steps=2), cancelled=lambda: True)
    assert result.end == "cancelled" and result.patches == 0 and len(result.samples) == 0
    assert result.latents.shape == (0, 16) and result.flags == ("cut: cancelled",)


# -- OPEN-10: seeds -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [-1, 2**32, 2**63, 2**64 - 1, 2**64, "12", 1.5, True])
def test_seeds_outside_the_range_are_refused(never: Engines, seed: object) -> None:
    with pytest.raises(RequestError, match=f"0 to {SEED_LIMIT - 1}") as refusal:
        never("tiny-v1").stream(Request(TEXT, seed=seed))  # type: ignore[arg-type]
    assert refusal.value.field == "seed"


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1])
def test_a_seed_repeats_its_take_whatever_ran_before(never: Engines, seed: int) -> None:
    engine = never("tiny-v1")
    request = Request(TEXT, seed=seed, steps=3, max_patches=5, retries=1)
    first = engine.generate(request)
    engine.generate(Request("Something else", seed=99, steps=2, max_patches=3, retries=1))
    assert first.samples.tobytes() == engine.generate(request).samples.tobytes()


def test_allowed_seeds_differ_from_each_other(never: Engines) -> None:
    engine = never("tiny-v1")
    takes = [
        engine.generate(Request(TEXT, seed=s, steps=2, max_patches=2, retries=1)) for s in (0, 1, 2**31, 2**32 - 1)
    ]
    assert len({take.samples.tobytes() for take in takes}) == 4


def test_no_seed_means_one_is_drawn_and_told(never: Engines) -> None:
    engine = never("tiny-v1")
    request = Request(TEXT, steps=2, max_patches=3, retries=1)
    first, second = engine.generate(request), engine.generate(request)
    assert first.seed != second.seed
    assert np.array_equal(engine.generate(replace(request, seed=first.seed)).samples, first.samples)


@pytest.mark.parametrize("seed", [None, 5])
def test_global_random_state_is_untouched(never: Engines, seed: int | None) -> None:
    random.seed(1)
    np.random.seed(1)
    torch.manual_seed(1)
    before = (random.getstate(), np.random.get_state()[1].tobytes(), torch.get_rng_state().tolist())  # type: ignore[union-attr]
    never("tiny-v2").generate(Request(TEXT, seed=seed, steps=2, max_patches=3, retries=1))
    after = (random.getstate(), np.random.get_state()[1].tobytes(), torch.get_rng_state().tolist())  # type: ignore[union-attr]
    assert before == after


def test_every_step_has_noise_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = load("tiny-v2", stop="never")
    seen: list[torch.Tensor] = []
    original = engine.model.sample
    monkeypatch.setattr(
        engine.model, "sample", lambda s, noise, *rest: (seen.append(noise), original(s, noise, *rest))[1]
    )
    engine.generate(Request(TEXT, seed=3, steps=2, max_patches=6, retries=1))
    assert len(seen) == 6
    assert all(not torch.equal(a, b) for i, a in enumerate(seen) for b in seen[:i])


def test_recorded_noise_is_used_and_may_end(never: Engines) -> None:
    engine = never("tiny-v2")
    request = Request(TEXT, seed=3, steps=2, max_patches=6, retries=1)
    generator = torch.Generator().manual_seed(3)
    noise = torch.stack([torch.randn((1, 16, 4), generator=generator)[0] for _ in range(6)])
    plain = engine.generate(request)
    assert np.array_equal(plain.samples, engine.generate(replace(request, seed=8, noise=RecordedNoise(noise))).samples)
    short = engine.generate(replace(request, noise=RecordedNoise(noise[:4])))
    assert short.patches == 4 and "cut: noise ended" in short.flags
    with pytest.raises(RequestError, match="noise"):
        engine.generate(replace(request, noise=RecordedNoise(noise[:, :3])))


# -- progress, timings, plain way -----------------------------------------------------------------------------


def test_progress_and_timings(never: Engines) -> None:
    engine = never("tiny-v2")
    seen: list[Progress] = []
    result = engine.generate(Request(TEXT, seed=1, steps=2, max_patches=4, retries=1), on_progress=seen.append)
    assert [p.patches for p in seen] == [1, 2, 3, 4]
    assert seen[-1].audio_seconds == pytest.approx(result.seconds)
    low, high = seen[0].expected_patches
    assert 1 <= low <= high
    assert 0 < result.time_to_first_audio < result.last_packet_seconds <= result.total_seconds
    assert result.real_time_factor == pytest.approx(result.total_seconds / result.seconds)
    assert {"lm", "locdit", "locenc", "vae"} <= set(result.part_seconds)
    assert len(result.stop_probabilities) == len(result.patch_seconds) == 4
    assert result.stop_probabilities.max() <= 1e-6  # NEVER
    assert (result.device, result.dtype, result.model) == ("cpu", "float32", engine.info.fingerprint)


@pytest.mark.parametrize("name", TINY)
def test_the_plain_way_gives_the_same(engines: Engines, name: str) -> None:
    plain = load(name, plain=True)
    request = Request(
        "How are you?", voice=voice_of(plain, "continuation"), seed=42, cfg=1.0, steps=4, max_patches=6, retries=1
    )
    ours = engines(name)
    assert (
        np.abs(
            plain.generate(request).samples
            - ours.generate(replace(request, voice=voice_of(ours, "continuation"))).samples
        ).max()
        < 1e-3
    )
    with pytest.raises(RequestError, match="one take"):
        plain.stream_batch([request, request])


def test_nothing_of_a_finished_take_stays_in_memory(never: Engines) -> None:
    engine = never("tiny-v1")
    request = Request(TEXT, seed=1, steps=1, max_patches=3, retries=1)
    engine.generate(request)

    def tensors() -> int:
        gc.collect()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return sum(isinstance(thing, torch.Tensor) for thing in gc.get_objects())

    before = tensors()
    for _ in range(5):
        engine.generate(request)
    assert tensors() <= before

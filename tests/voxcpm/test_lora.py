"""Adapters: loading is all or nothing (OPEN-12), and threads do not mix them (OPEN-11)."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.conftest import parity_dir
from tests.voxcpm.conftest import checkpoint, load, voice_of
from voxcpm.consent import ConsentRecord
from voxcpm.errors import CheckpointError, ConsentError, RequestError, VoxCPMError
from voxcpm.lora import (
    CONFIG,
    WEIGHTS,
    LoRAConfig,
    LoRAWeights,
    LowRank,
    Merged,
    inject,
    linear_shapes,
    put,
    read_lora,
    save_lora,
    take,
)
from voxcpm.pins import ALLOW_UNKNOWN
from voxcpm.pipeline import VoxCPM
from voxcpm.request import Request
from voxcpm.training.loading import load_trainable

RECORDED = parity_dir() / "lora" / "tiny-v2-lora"
REQUEST = Request("Hello 你好 world", seed=3, steps=3, max_patches=5, retries=1)
MODEL = load_trainable(checkpoint("tiny-v2"), device=torch.device("cpu"))
SHAPES = linear_shapes(MODEL.model)


def make_lora(
    folder: Path, rank: int, *, alpha: float = 8.0, seed: int = 0, size: float = 0.5, consent: tuple[str, ...] = ()
) -> Path:
    """A LoRA of random values for tiny-v2."""
    config = LoRAConfig(enable_proj=True, r=rank, alpha=alpha)
    generator = torch.Generator().manual_seed(seed)
    layers = {
        name: LowRank(
            torch.randn(rank, inputs, generator=generator) * size, torch.randn(out, rank, generator=generator) * size
        )
        for name, (out, inputs) in SHAPES.items()
        if config.covers(name)
    }
    save_lora(folder, LoRAWeights(folder.name, config, layers, (), "tiny-v2", consent))
    return folder


def change(folder: Path, tensors: dict[str, torch.Tensor]) -> Path:
    """Write other tensors in place of the folder's own."""
    save_file(tensors, folder / WEIGHTS)
    return folder


def audio(engine: VoxCPM, request: Request = REQUEST) -> np.ndarray:
    return engine.generate(request).samples


def state(engine: VoxCPM) -> list[torch.Tensor]:
    """Every value that the running model computes with, packed ones by what they give."""
    values = []
    for _, module in sorted(engine.model.named_modules(), key=lambda item: item[0]):
        values += [
            t.detach().clone() for t in (*module._parameters.values(), *module._buffers.values()) if t is not None
        ]
        if hasattr(module, "packed"):
            values.append(module(torch.eye(module.in_features)))
    return values


def equal(first: list[torch.Tensor], second: list[torch.Tensor]) -> bool:
    return len(first) == len(second) and all(map(torch.equal, first, second))


@pytest.fixture(params=[False, True], ids=["packed", "plain"])
def engine(request: pytest.FixtureRequest) -> VoxCPM:
    return load("tiny-v2", plain=request.param)


# -- OPEN-12 --------------------------------------------------------------------------------------------------


def test_rank_and_alpha_come_from_the_file(engine: VoxCPM, tmp_path: Path) -> None:
    first = engine.load_lora(make_lora(tmp_path / "eight", 8))
    assert (first.rank, first.alpha, first.layers, first.skipped, first.missing) == (8, 8.0, 28, (), ())
    with_eight = audio(engine)
    second = engine.load_lora(make_lora(tmp_path / "four", 4, alpha=2.0))
    assert (second.rank, second.alpha) == (4, 2.0)
    louder = engine.load_lora(make_lora(tmp_path / "louder", 8, alpha=32.0))
    assert louder.alpha == 32.0
    four_times = audio(engine)
    assert not np.array_equal(with_eight, four_times)
    # The same tensors at a quarter of the strength are the first adapter again.
    engine.set_lora_strength(0.25)
    assert np.array_equal(audio(engine), with_eight)


def test_back_and_forth_is_as_fresh_and_unloading_is_the_base(engine: VoxCPM, tmp_path: Path) -> None:
    a, b = make_lora(tmp_path / "a", 8), make_lora(tmp_path / "b", 4, seed=1)
    base, before = audio(engine), state(engine)
    engine.load_lora(a)
    fresh = audio(engine)
    assert not np.array_equal(fresh, base)
    engine.load_lora(b)
    assert not np.array_equal(audio(engine), fresh)
    engine.load_lora(a)
    assert np.array_equal(audio(engine), fresh)
    engine.set_lora_strength(0.0)
    assert np.array_equal(audio(engine), base)
    engine.set_lora_strength(1.0)
    assert np.array_equal(audio(engine), fresh)
    engine.unload_lora()
    assert engine.lora is None
    assert equal(state(engine), before)
    assert np.array_equal(audio(engine), base)


def test_half_of_the_modules_leaves_nothing_of_the_old_adapter(engine: VoxCPM, tmp_path: Path) -> None:
    whole = make_lora(tmp_path / "whole", 8)
    half = make_lora(tmp_path / "half", 8, seed=1)
    kept = {k: v for k, v in load_file(half / WEIGHTS).items() if k.startswith(("base_lm.layers.0", "enc_to_lm"))}
    change(half, {**kept, "base_lm.extra.lora_magnitude": torch.ones(2), "nowhere.q_proj.lora_A": torch.ones(8, 4),
                  "nowhere.q_proj.lora_B": torch.ones(4, 8)})  # fmt: skip
    info = engine.load_lora(half)
    alone = audio(engine)
    assert info.layers == 5
    assert len(info.missing) == 23 and "residual_lm.layers.0.self_attn.q_proj" in info.missing
    assert set(info.skipped) == {"base_lm.extra.lora_magnitude", "nowhere.q_proj.lora_A", "nowhere.q_proj.lora_B"}
    engine.load_lora(whole)
    engine.load_lora(half)
    assert np.array_equal(audio(engine), alone)


def wrong_shape_last(folder: Path) -> None:
    tensors = load_file(folder / WEIGHTS)
    last = sorted(tensors)[-1]
    change(folder, {**tensors, last: torch.zeros(tensors[last].shape[0] + 1, tensors[last].shape[1])})


def not_a_number(folder: Path) -> None:
    tensors = load_file(folder / WEIGHTS)
    tensors[sorted(tensors)[-1]][0, 0] = float("nan")
    change(folder, tensors)


def truncated(folder: Path) -> None:
    content = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(content[: len(content) * 2 // 3])


def half_a_pair(folder: Path) -> None:
    tensors = load_file(folder / WEIGHTS)
    del tensors[sorted(tensors)[-1]]
    change(folder, tensors)


def other_rank_in_settings(folder: Path) -> None:
    raw = json.loads((folder / CONFIG).read_text())
    raw["lora_config"]["r"] = 4
    (folder / CONFIG).write_text(json.dumps(raw))


def no_alpha(folder: Path) -> None:
    change(folder, load_file(folder / WEIGHTS))  # without the settings inside
    (folder / CONFIG).unlink()


def broken_settings(folder: Path) -> None:
    (folder / CONFIG).write_text("{")


def nothing_fits(folder: Path) -> None:
    change(folder, {"a.q_proj.lora_A": torch.ones(8, 4), "a.q_proj.lora_B": torch.ones(4, 8)})


def no_file(folder: Path) -> None:
    (folder / WEIGHTS).unlink()


@pytest.mark.parametrize(
    "damage",
    [wrong_shape_last, not_a_number, truncated, half_a_pair, other_rank_in_settings, no_alpha, broken_settings,
     nothing_fits, no_file],
)  # fmt: skip
def test_a_refused_load_changes_nothing(engine: VoxCPM, tmp_path: Path, damage: Callable[[Path], None]) -> None:
    engine.load_lora(make_lora(tmp_path / "good", 8))
    with_good = audio(engine)
    before, info = state(engine), engine.lora
    bad = make_lora(tmp_path / "bad", 8, seed=1)
    damage(bad)
    with pytest.raises(CheckpointError) as caught:
        engine.load_lora(bad)
    assert len(str(caught.value)) > 40
    assert engine.lora == info
    assert equal(state(engine), before)
    assert np.array_equal(audio(engine), with_good)


def test_strengths_that_make_no_sense_are_refused(engine: VoxCPM, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="no LoRA is loaded"):
        engine.set_lora_strength(1.0)
    folder = make_lora(tmp_path / "a", 4)
    for strength in (float("nan"), -0.1, 4.1, "1", True):
        with pytest.raises(RequestError, match="strength"):
            engine.load_lora(folder, strength=strength)  # type: ignore[arg-type]
        assert engine.lora is None
    engine.load_lora(folder)
    with pytest.raises(RequestError, match="strength"):
        engine.set_lora_strength(float("inf"))
    assert engine.lora is not None and engine.lora.strength == 1.0


def test_other_forms_of_the_file(engine: VoxCPM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine.load_lora(RECORDED)
    wanted = audio(engine)
    engine.load_lora(RECORDED / WEIGHTS)
    assert np.array_equal(audio(engine), wanted)
    pickled = tmp_path / "pickled"
    pickled.mkdir()
    torch.save({"state_dict": load_file(RECORDED / WEIGHTS)}, pickled / "lora_weights.ckpt")
    flat = json.loads((RECORDED / CONFIG).read_text())["lora_config"]
    (pickled / CONFIG).write_text(json.dumps(flat))
    with pytest.raises(CheckpointError, match=r"lora_weights\.ckpt was not read"):
        engine.load_lora(pickled)
    monkeypatch.setenv(ALLOW_UNKNOWN, "1")
    assert engine.load_lora(pickled).rank == 4
    assert np.array_equal(audio(engine), wanted)
    alone = tmp_path / "alone.safetensors"  # our own file carries its settings
    save_lora(tmp_path / "own", read_lora(RECORDED))
    alone.write_bytes((tmp_path / "own" / WEIGHTS).read_bytes())
    assert engine.load_lora(alone).name == "alone"
    assert np.array_equal(audio(engine), wanted)


def test_packed_and_plain_agree(tmp_path: Path) -> None:
    folder = make_lora(tmp_path / "a", 8, size=0.1)
    waves = []
    for plain in (False, True):
        engine = load("tiny-v2", plain=plain)
        engine.load_lora(folder, strength=0.5)
        waves.append(audio(engine))
    assert np.allclose(*waves, atol=1e-3)


# -- consent --------------------------------------------------------------------------------------------------


def test_a_persons_adapter_needs_the_persons_record(engine: VoxCPM, tmp_path: Path) -> None:
    folder = make_lora(tmp_path / "anna", 4, consent=("anna-1",))
    good = ConsentRecord("anna-1", frozenset({"generate"}))
    past = replace(good, expires_at=datetime.now(UTC) - timedelta(days=1))
    other = ConsentRecord("bert-2", frozenset({"generate"}))
    for consent in (None, other, past, replace(good, scope=frozenset({"training"}))):
        with pytest.raises(ConsentError):
            engine.load_lora(folder, consent=consent)
        assert engine.lora is None
    (folder / CONFIG).unlink()  # the settings inside the file name the person just as well
    with pytest.raises(ConsentError, match="anna-1"):
        engine.load_lora(folder)
    assert engine.load_lora(folder, consent=[other, good]).consent_ids == ("anna-1",)
    result = engine.generate(REQUEST)
    assert result.consent_id == "anna-1" and result.lora is not None
    engine.unload_lora()
    assert engine.generate(REQUEST).consent_id is None


def test_an_expired_record_stops_the_next_take(engine: VoxCPM, tmp_path: Path) -> None:
    folder = make_lora(tmp_path / "anna", 4, consent=("anna-1",))
    soon = datetime.now(UTC) + timedelta(hours=1)
    engine.load_lora(folder, consent=ConsentRecord("anna-1", frozenset({"generate"}), expires_at=soon))
    adapter = engine._adapters.current
    assert adapter is not None
    late = replace(adapter.consent[0], expires_at=datetime.now(UTC) - timedelta(seconds=1))
    engine._adapters.current = replace(adapter, consent=(late,))
    with pytest.raises(ConsentError, match="expired"):
        engine.generate(REQUEST)


# -- running takes --------------------------------------------------------------------------------------------


def test_a_swap_never_changes_a_take_half_way(engine: VoxCPM, tmp_path: Path) -> None:
    a, b = make_lora(tmp_path / "a", 8), make_lora(tmp_path / "b", 4, seed=1)
    request = replace(REQUEST, voice=voice_of(engine, "reference"))
    single = {}
    for name, folder in (("base", None), ("a", a), ("b", b)):
        if folder is None:
            engine.unload_lora()
        else:
            engine.load_lora(folder)
        single[name] = audio(engine, request)
    engine.load_lora(a)
    with_a = engine.stream(request)
    pieces = {"a": [next(with_a).samples]}
    engine.load_lora(b)
    with_b = engine.stream(request)
    pieces["b"] = [next(with_b).samples]
    engine.unload_lora()
    pieces["base"] = [chunk.samples for chunk in engine.stream(request)]
    for turn in itertools.zip_longest(with_a, with_b):  # patch by patch in turn
        for name, chunk in zip(("a", "b"), turn, strict=True):
            pieces[name].append(chunk.samples if chunk is not None else np.zeros(0, np.float32))
    for name, wanted in single.items():
        assert np.array_equal(np.concatenate(pieces[name]), wanted), name


def test_four_threads_two_adapters_one_model(tmp_path: Path) -> None:
    """OPEN-11: 4 modes from 4 threads, 5 rounds, adapters on and off in turn; one thread fails in every round."""
    engine = load("tiny-v2")
    loras = [None, make_lora(tmp_path / "a", 8), make_lora(tmp_path / "b", 4, seed=1)]
    texts = ("One two three", "你好 world", "How are you today?", "Good evening all")
    modes = ("design", "reference", "continuation", "combined")
    requests = [
        replace(REQUEST, text=text, seed=seed, max_patches=4, voice=voice_of(engine, mode))
        for seed, (text, mode) in enumerate(zip(texts, modes, strict=True))
    ]
    single: dict[tuple[int, str | None], np.ndarray] = {}
    for lora in loras:
        if lora is None:
            engine.unload_lora()
        else:
            engine.load_lora(lora)
        for index, request in enumerate(requests):
            result = engine.generate(request)
            single[index, result.lora] = result.samples
    assert len({wave.tobytes() for wave in single.values()}) == len(single)
    wrong: list[str] = []
    barrier = threading.Barrier(4)

    def work(index: int) -> None:
        for turn in range(5):
            barrier.wait(60)
            try:
                lora = loras[(turn + index) % 3]
                if index == 3 and turn % 2:
                    engine.generate(replace(requests[index], text="（）"))
                elif index < 2:  # two of the threads switch adapters under the others
                    engine.unload_lora() if lora is None else engine.load_lora(lora)
                result = engine.generate(requests[index])
                # Which adapter it began with depends on the threads' order; the result says which one it was.
                if not np.array_equal(result.samples, single[index, result.lora]):
                    wrong.append(f"thread {index}, turn {turn}, {result.lora}")
            except RequestError:
                if index != 3:
                    wrong.append(f"thread {index} was refused")
            except Exception as error:
                wrong.append(f"thread {index}: {type(error).__name__}: {error}")

    threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    assert not wrong


# -- training side --------------------------------------------------------------------------------------------


def test_fresh_adapters_change_nothing_and_keep_the_keys() -> None:
    parts = load_trainable(checkpoint("tiny-v2"), device=torch.device("cpu"))
    names = set(dict(parts.model.named_parameters()))
    x = torch.randn(1, 4, parts.config.lm_config.hidden_size, generator=torch.Generator().manual_seed(0))
    before = parts.model.base_lm(x, causal=True)
    layers = inject(parts.model, LoRAConfig(r=4, alpha=8), torch.Generator().manual_seed(1))
    assert torch.equal(parts.model.base_lm(x, causal=True), before)
    new = set(dict(parts.model.named_parameters())) - names
    assert new == {f"{layer}.{part}" for layer in layers for part in ("lora_A", "lora_B")}
    assert {n for n, p in parts.model.named_parameters() if p.requires_grad} == new


def test_dropout_lies_on_the_output() -> None:
    parts = load_trainable(checkpoint("tiny-v2"), device=torch.device("cpu"))
    put(parts.model, replace(read_lora(RECORDED), config=replace(read_lora(RECORDED).config, dropout=0.5)))
    layer = parts.model.enc_to_lm_proj
    x = torch.randn(1, layer.in_features)
    with torch.no_grad():
        base = torch.nn.functional.linear(x, layer.weight, layer.bias)
        branch = layer.lora_B @ (layer.lora_A @ x[0]) * layer.scaling
        share = (layer(x) - base)[0] / branch
    # Each output is either gone or doubled: half of the outputs are kept at twice their size.
    assert set(share.round().int().tolist()) == {0, 2}
    layer.eval()
    with torch.no_grad():
        assert torch.allclose(layer(x)[0], base[0] + branch, atol=1e-5)


def test_saved_values_come_back(tmp_path: Path) -> None:
    parts = load_trainable(checkpoint("tiny-v2"), device=torch.device("cpu"))
    weights = read_lora(RECORDED)
    put(parts.model, weights)
    taken = take(parts.model, weights.config, name="x", base_model="tiny-v2", consent_ids=("a", "b"))
    save_lora(tmp_path, taken)
    again = read_lora(tmp_path)
    assert again.consent_ids == ("a", "b") and again.config == weights.config
    for layer, pair in weights.layers.items():
        assert torch.equal(again.layers[layer].a, pair.a) and torch.equal(again.layers[layer].b, pair.b)


def test_merging_gives_the_adapted_model_and_can_be_undone(tmp_path: Path) -> None:
    folder = make_lora(tmp_path / "a", 8, size=0.1)
    parts = load_trainable(checkpoint("tiny-v2"), device=torch.device("cpu"))
    before = {name: p.detach().clone() for name, p in parts.model.named_parameters()}
    merged = Merged(parts.model, read_lora(folder), strength=0.5)
    engine = load("tiny-v2", plain=True)
    engine.load_lora(folder, strength=0.5)
    x = torch.randn(1, 4, parts.config.lm_config.hidden_size)
    with torch.no_grad(), engine._adapters.using(engine._adapters.current):
        assert torch.allclose(parts.model.base_lm(x, causal=True), engine.model.base_lm(x, causal=True), atol=1e-4)
    merged.undo()
    assert all(torch.equal(p, before[name]) for name, p in parts.model.named_parameters())
    with pytest.raises(VoxCPMError):
        bad = make_lora(tmp_path / "bad", 8)
        wrong_shape_last(bad)
        Merged(parts.model, read_lora(bad))
    assert all(torch.equal(p, before[name]) for name, p in parts.model.named_parameters())

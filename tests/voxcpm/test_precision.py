"""8-bit models: the stated error of every module, rows that do not disturb each other, memory, and what is refused."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from app.core.resources import default_model_folder
from tests.voxcpm.conftest import checkpoint
from voxcpm.devices import needs_half_weights
from voxcpm.errors import RequestError
from voxcpm.modules.packed import (
    FixedLinear,
    HalfWeightLinear,
    PackedLinear,
    fuse_and_replace,
    has_half_weights,
    held_bytes,
)
from voxcpm.modules.quantised import FewRowsInt8, ManyRowsInt8, can_quantise, few_rows_layer, works
from voxcpm.pipeline import VoxCPM
from voxcpm.precision import choose_precision
from voxcpm.request import Request

CPU = torch.device("cpu")
_FREED = """
import contextlib, psutil, sys, torch
from voxcpm.modules.heap import large_blocks_apart
torch.ones(7 << 20)  # 28 MiB: from now on glibc maps only larger ones on their own
with large_blocks_apart() if sys.argv[1] == "apart" else contextlib.nullcontext():
    blocks = [torch.ones(2 << 20) for _ in range(40)]  # of 8 MiB
    held = psutil.Process().memory_info().rss
    del blocks[::2]
    print(held - psutil.Process().memory_info().rss)
"""
# Relative error against float32 (norm of the difference over the norm) of the demo voice's modules. Measured:
# bfloat16 0.8, 0.9, 0.5, 0.7 and 0.3 %; int8 2.0, 3.3, 1.4, 1.9 and 0 %; and int8 with the 7 bits that are left to
# activations without VNNI instructions 3.6, 6.0, 2.5, 2.9 and 0 %. Stated is half as much again.
STATED = {
    "bfloat16": {"base_lm": 0.012, "residual_lm": 0.014, "feat_encoder": 0.008, "estimator": 0.011, "fsq_layer": 0.004},
    "half_weights": dict.fromkeys(("base_lm", "residual_lm", "feat_encoder", "estimator", "fsq_layer"), 1e-5),
    "int8": {"base_lm": 0.03, "residual_lm": 0.05, "feat_encoder": 0.021, "estimator": 0.028, "fsq_layer": 1e-5},
    "int7": {"base_lm": 0.053, "residual_lm": 0.09, "feat_encoder": 0.038, "estimator": 0.044, "fsq_layer": 1e-5},
}

HALVES = needs_half_weights(CPU)
SEVEN_BITS = works(FewRowsInt8) and FewRowsInt8(torch.ones(8, 8), None).seven_bits
KINDS = [pytest.param(kind, marks=pytest.mark.skipif(not works(kind), reason="wrong or far too slow here")) for kind in
         (FewRowsInt8, ManyRowsInt8)]  # fmt: skip
needs_int8 = pytest.mark.skipif(not can_quantise(), reason="this torch has no 8-bit products")


def relative(found: Tensor, wanted: Tensor) -> float:
    return float((found.float() - wanted.float()).norm() / wanted.float().norm())


@pytest.fixture(scope="module")
def demo() -> dict[str, VoxCPM]:
    return {
        name: VoxCPM.load(default_model_folder(), device="cpu", dtype=name)
        for name in ("float32", "bfloat16", *(["int8"] if can_quantise() else []))
    }


def outputs(engine: VoxCPM) -> dict[str, Tensor]:
    """What each module makes of the same inputs: real embeddings of a text, noise for the local models."""
    model, config = engine.model, engine.config
    generator = torch.Generator().manual_seed(3)
    tokens = torch.tensor(engine.tokenizer.encode("The last train leaves at ten, and nobody waits."))
    patches = torch.randn(2, 6, config.patch_size, config.feat_dim, generator=generator)
    net = model.feat_decoder.estimator
    noise, previous = patches[:, 0], patches[:, 1]
    condition = torch.randn(2, net.condition_tokens * net.size, generator=generator) * 0.5
    times, steps = torch.tensor([0.7, 0.3]), torch.zeros(2)
    kind = model.dtype
    with torch.inference_mode():
        embedded = model.base_lm.embed(tokens)[None]
        hidden = model.base_lm(embedded, causal=True)
        fixed = torch.randn(1, 12, config.lm_config.hidden_size, generator=generator).to(kind)
        return {
            "base_lm": hidden,
            "residual_lm": model.residual_lm(fixed, causal=True),
            "feat_encoder": model.feat_encoder(patches.to(kind)),
            "estimator": net(*(t.to(kind) for t in (noise, condition, times, previous, steps))),
            "fsq_layer": model.fsq_layer.bounded(fixed),
        }


@pytest.mark.parametrize("name", ["bfloat16", pytest.param("int8", marks=needs_int8)])
def test_every_module_keeps_its_stated_error(demo: dict[str, VoxCPM], name: str) -> None:
    exact, found = outputs(demo["float32"]), outputs(demo[name])
    errors = {module: relative(found[module], exact[module]) for module in exact}
    stated = STATED[{"bfloat16": "half_weights" if HALVES else name, "int8": "int7" if SEVEN_BITS else name}[name]]
    assert {m: e for m, e in errors.items() if e > stated[m]} == {}, errors
    if name == "bfloat16" and not HALVES:
        assert all(error > 1e-5 for error in errors.values()), "this is not bfloat16 at all"


@needs_int8
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bias", [False, True])
def test_an_8_bit_layer_is_as_exact_as_8_bits_can_be(kind: type[FixedLinear], bias: bool) -> None:
    torch.manual_seed(1)
    layer = nn.Linear(256, 96, bias=bias).requires_grad_(False)
    found = kind(layer.weight, layer.bias)
    x = torch.randn(5, 3, 256)
    assert found(x).shape == (5, 3, 96) and found(x).dtype == torch.float32
    assert relative(found(x), layer(x)) < (0.025 if SEVEN_BITS else 0.015)
    assert (found.out_features, found.in_features) == (96, 256)
    if bias:
        assert torch.allclose(found(torch.zeros(2, 256)), layer.bias.expand(2, -1)), "zeros give the bias"
    assert found(torch.full((2, 256), float("nan"))).isnan().all(), "a fault is not hidden"


@pytest.mark.skipif(not has_half_weights(), reason="this torch has no such products")
@pytest.mark.parametrize("bias", [False, True])
def test_16_bit_weights_with_float32_products_lose_nothing_of_bfloat16(bias: bool) -> None:
    torch.manual_seed(3)
    layer = nn.Linear(256, 96, bias=bias).requires_grad_(False).bfloat16()
    layer.weight[0, :4] = torch.tensor([1e-7, -3e-5, 240.0, 0.0])  # smaller than float16 holds exactly, and large
    found, x = HalfWeightLinear(layer.weight, layer.bias), torch.randn(5, 3, 256)
    assert relative(found(x), layer.float()(x)) < 1e-5
    assert found.weight_bytes == 2 * layer.weight.numel() and found(x).dtype == torch.float32
    assert found(torch.full((2, 256), float("nan"))).isnan().all(), "a fault is not hidden"


@pytest.mark.skipif(not has_half_weights(), reason="this torch has no such products")
def test_a_model_in_16_bits_takes_half_and_says_the_same_as_in_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voxcpm.devices.multiplies_bf16", lambda device: False)  # as on an older processor
    monkeypatch.setattr("voxcpm.precision.needs_half_weights", lambda device: True)
    exact = VoxCPM.load(default_model_folder(), device="cpu", dtype="float32")
    half = VoxCPM.load(default_model_folder(), device="cpu", dtype="auto")
    assert half.info.dtype == "bfloat16" and half.model.dtype == torch.float32
    assert half.info.weight_bytes < 0.75 * exact.info.weight_bytes  # the codec stays as it is
    one, two = outputs(exact), outputs(half)
    assert max(relative(two[name], one[name]) for name in one) < 1e-5
    request = Request("Yes.", seed=2, max_patches=3, min_patches=3)
    assert half.generate(request).patches == 3


@needs_int8
@pytest.mark.parametrize("kind", KINDS)
def test_a_loud_row_does_not_coarsen_its_neighbour(kind: type[FixedLinear]) -> None:
    torch.manual_seed(2)
    layer = nn.Linear(128, 64, bias=False).requires_grad_(False)
    found, x = kind(layer.weight, None), torch.randn(2, 128)
    alone = found(x[:1])
    beside = found(torch.stack((x[0], x[1] * 1000)))[:1]
    assert relative(beside, layer(x[:1])) < (0.03 if SEVEN_BITS else 0.02)
    assert relative(beside, alone) < 0.01


def test_a_kernel_that_is_right_and_a_thousand_times_slower_is_not_taken() -> None:
    class Loops(FixedLinear):
        def __init__(self, weight: Tensor, bias: Tensor | None) -> None:
            super().__init__(weight, bias)
            self.weight = weight

        def forward(self, x: Tensor) -> Tensor:
            return torch.stack([(self.weight * row).sum(dim=1) for row in x for _ in range(20)])[::20]

    assert not works(Loops)


@needs_int8
def test_8_bits_are_a_quarter_of_the_stacks_and_small_parts_stay_exact(demo: dict[str, VoxCPM]) -> None:
    model = demo["int8"].model
    kinds = {name: type(module) for name, module in model.named_modules() if isinstance(module, FixedLinear)}
    assert {kind for name, kind in kinds.items() if ".layers." in name} <= {FewRowsInt8, ManyRowsInt8}
    small = {name: kind for name, kind in kinds.items() if ".layers." not in name}
    assert set(small.values()) == {PackedLinear}
    assert {"stop_head", "fsq_layer.in_proj", "feat_decoder.estimator.in_proj"} <= set(small)
    stacks = sum(m.weight_bytes for n, m in model.named_modules() if isinstance(m, FixedLinear) and ".layers." in n)
    exact = demo["float32"].model
    whole = sum(
        getattr(m, "weight_bytes", 0) or m.weight.nbytes
        for n, m in exact.named_modules()
        if isinstance(m, (FixedLinear, nn.Linear)) and ".layers." in n
    )
    assert stacks < 0.27 * whole
    assert demo["int8"].info.weight_bytes == held_bytes(model) + held_bytes(demo["int8"].vae)
    assert demo["int8"].info.dtype == "int8" and model.dtype == torch.float32


@needs_int8
@pytest.mark.parametrize("name", ["tiny-v1", "tiny-v15", "tiny-v2"])
def test_takes_stream_batch_and_repeat_in_8_bits(name: str) -> None:
    engine = VoxCPM.load(checkpoint(name), device="cpu", dtype="int8")
    requests = [Request("Good evening.", seed=seed, max_patches=5, min_patches=5) for seed in (1, 2, 3)]
    first, again = engine.generate_batch(requests), engine.generate_batch(requests)
    for one, two in zip(first, again, strict=True):
        assert (one.samples == two.samples).all() and abs(one.samples).max() > 0
        assert one.dtype == "int8"
    alone = engine.generate(requests[1])
    assert abs(alone.latents - first[1].latents).max() < 0.5 * abs(alone.latents).max(), "a neighbour changes little"


@needs_int8
def test_bf16_checkpoints_are_quantised_from_what_is_stored(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    source = checkpoint("tiny-v2")
    for part in source.iterdir():
        (tmp_path / part.name).write_bytes(part.read_bytes())
    halved = {name: t.bfloat16() for name, t in load_file(source / "model.safetensors").items()}
    save_file(halved, tmp_path / "model.safetensors")
    engine = VoxCPM.load(tmp_path, device="cpu", dtype="int8")
    assert engine.model.base_lm.embed_tokens.weight.dtype == torch.bfloat16, "the table stays as stored"
    rest = {t.dtype for n, t in engine.model.named_parameters() if "embed_tokens" not in n}
    assert rest == {torch.float32}
    assert engine.generate(Request("Yes.", seed=1, max_patches=3)).patches == 3


def test_what_cannot_be_had_is_refused() -> None:
    with pytest.raises(RequestError, match="int8 is for the CPU"):
        choose_precision("int8", torch.device("cuda"), torch.bfloat16)
    with pytest.raises(RequestError, match="use auto, float32, bfloat16, float16 or int8"):
        choose_precision("int4", CPU, torch.bfloat16)
    if can_quantise():
        with pytest.raises(RequestError, match="plain way"):
            VoxCPM.load(checkpoint("tiny-v2"), device="cpu", dtype="int8", plain=True)


@needs_int8
def test_a_lora_works_beside_8_bit_layers_and_leaves_them_as_they_were() -> None:
    from tests.conftest import parity_dir

    folder = parity_dir() / "lora" / "tiny-v2-lora"
    assert json.loads((folder / "lora_config.json").read_text())
    engine = VoxCPM.load(checkpoint("tiny-v2"), device="cpu", dtype="int8")
    request = Request("Good evening.", seed=4, max_patches=4, min_patches=4)
    before = engine.generate(request).samples
    engine.load_lora(folder)
    assert (engine.generate(request).samples != before).any()
    engine.unload_lora()
    assert (engine.generate(request).samples == before).all()


@needs_int8
def test_layers_made_side_by_side_are_those_made_one_after_the_other() -> None:
    before = torch.backends.quantized.engine
    models = [nn.Sequential(*(nn.Linear(64, 64) for _ in range(12))).requires_grad_(False) for _ in range(2)]
    models[1].load_state_dict(models[0].state_dict())
    x = torch.randn(2, 64)
    for workers, model in zip((1, 3), models, strict=True):
        fuse_and_replace(model, lambda _, layer: few_rows_layer(layer), workers)
    assert torch.equal(models[0](x), models[1](x))
    assert torch.backends.quantized.engine == before


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library keeps its own books")
def test_large_blocks_are_given_back_one_by_one() -> None:
    """Each in a process of its own: blocks that others left free would be taken first."""

    def freed(how: str) -> int:
        return int(subprocess.run([sys.executable, "-c", _FREED, how], capture_output=True, check=True).stdout)

    assert freed("usual") < 40 << 20 and freed("apart") > 140 << 20


def test_a_layer_that_cannot_be_made_ends_it_all() -> None:
    def refuse(path: str, _: nn.Linear) -> nn.Module:
        raise NotImplementedError(path)

    with pytest.raises(NotImplementedError):
        fuse_and_replace(nn.Sequential(*(nn.Linear(4, 4) for _ in range(5))), refuse, 2)

"""Pieces joined equal the whole, layer by layer and end to end, however the pieces are cut."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.voxcpm.conftest import TINY
from voxcpm.pipeline import VoxCPM
from voxcpm.vae.causal_conv import CausalConv1d, CausalConvTranspose1d
from voxcpm.vae.decoder import DecoderState

cuts = st.lists(st.integers(1, 7), min_size=1, max_size=6)


def pieces(x: torch.Tensor, sizes: list[int]) -> list[torch.Tensor]:
    return list(x.split(sizes, dim=2))


@given(cuts, st.sampled_from([(7, 1), (7, 3), (7, 9), (3, 1), (1, 1)]), st.sampled_from([1, 4]))
@settings(max_examples=60, deadline=None)
def test_convolution(sizes: list[int], window: tuple[int, int], groups: int) -> None:
    kernel, dilation = window
    layer = CausalConv1d(4, 8, kernel, dilation=dilation, pad=(kernel - 1) * dilation, groups=groups)
    torch.nn.init.normal_(layer.weight, generator=torch.Generator().manual_seed(1))
    x = torch.randn(2, 4, sum(sizes), generator=torch.Generator().manual_seed(2))
    memory, out = None, []
    for piece in pieces(x, sizes):
        y, memory = layer.stream(piece, memory)
        out.append(y)
    assert torch.allclose(torch.cat(out, dim=2), layer(x), atol=1e-5)


@given(cuts, st.integers(2, 9))
@settings(max_examples=60, deadline=None)
def test_transposed_convolution(sizes: list[int], stride: int) -> None:
    layer = CausalConvTranspose1d(4, 3, stride)
    torch.nn.init.normal_(layer.weight, generator=torch.Generator().manual_seed(1))
    x = torch.randn(2, 4, sum(sizes), generator=torch.Generator().manual_seed(2))
    memory, out = None, []
    for piece in pieces(x, sizes):
        y, memory = layer.stream(piece, memory)
        out.append(y)
    assert torch.allclose(torch.cat(out, dim=2), layer(x), atol=1e-5)
    assert layer(x).shape[2] == x.shape[2] * stride


@pytest.mark.parametrize("name", TINY)
@given(sizes=cuts)
@settings(max_examples=8, deadline=None)
def test_decoder(engines: Callable[[str], VoxCPM], name: str, sizes: list[int]) -> None:
    vae = engines(name).vae
    latents = torch.randn(1, 16, sum(sizes), generator=torch.Generator().manual_seed(3))
    with torch.inference_mode():
        state, out = DecoderState(), []
        for piece in pieces(latents, sizes):
            wave, state = vae.decode_stream(piece, state)
            out.append(wave)
        assert (torch.cat(out, dim=1) - vae.decode(latents)).abs().max() < 1e-4


@pytest.mark.parametrize("name", TINY)
def test_warm_and_cold_rows_share_a_batch(engines: Callable[[str], VoxCPM], name: str) -> None:
    vae = engines(name).vae
    generator = torch.Generator().manual_seed(4)
    before, after = torch.randn(1, 16, 5, generator=generator), torch.randn(2, 16, 4, generator=generator)
    with torch.inference_mode():
        _, warm = vae.decode_stream(before, DecoderState())
        both, state = vae.decode_stream(after, DecoderState.join([warm, DecoderState()]))
        alone, _ = vae.decode_stream(after[:1], warm)
        cold = vae.decode(after[1:])
        assert (both[0] - alone[0]).abs().max() < 1e-4 and (both[1] - cold[0]).abs().max() < 1e-4
        assert not torch.allclose(alone[0], vae.decode(after[:1])[0], atol=1e-2)
        kept = state.select(torch.tensor([1]))
        assert all(m is None or m.shape[0] == 1 for m in kept.memories)
    assert DecoderState.join([DecoderState(), DecoderState()]).memories == []


def test_the_output_rate_picks_its_bucket(engines: Callable[[str], VoxCPM]) -> None:
    decoder = engines("tiny-v2").vae.decoder
    wanted = {8000: 0, 20000: 0, 20001: 1, 30000: 1, 40000: 2, 40001: 3, 48000: 3}
    assert {rate: int(decoder.bucket(rate)) for rate in wanted} == wanted  # type: ignore[arg-type]
    assert engines("tiny-v1").vae.decoder.bucket(16000) is None


@pytest.mark.parametrize("name", TINY)
def test_the_state_holds_its_few_samples_and_no_more(engines: Callable[[str], VoxCPM], name: str) -> None:
    vae = engines(name).vae
    gc.collect()
    gc.disable()
    try:
        with torch.inference_mode():
            state = DecoderState()
            for _ in range(3):
                _, state = vae.decode_stream(torch.zeros(1, 16, 4), state)
        assert all(m is not None and m.untyped_storage().nbytes() == m.nbytes for m in state.memories)
        assert gc.collect() == 0, "no cycles: memory is freed at once and not when the collector comes round"
    finally:
        gc.enable()

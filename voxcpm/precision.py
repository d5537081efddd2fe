"""In what precision a model computes, and its layers made ready for that."""

from __future__ import annotations

import os
from dataclasses import dataclass

import torch
from torch import nn

from voxcpm.devices import choose_dtype, dtype_name, needs_half_weights
from voxcpm.errors import RequestError
from voxcpm.model import VoxCPMModel
from voxcpm.modules.heap import large_blocks_apart
from voxcpm.modules.minicpm4 import MLP, Attention
from voxcpm.modules.packed import PackedLinear, can_pack, fuse_and_replace, halve_layers, pack_layer
from voxcpm.modules.quantised import can_quantise, few_rows_layer, many_rows_layer
from voxcpm.vae.audio_vae import AudioVAE

INT8 = "int8"
_MOST_WORKERS = 4
LANGUAGE_MODELS = ("base_lm.", "residual_lm.")


@dataclass(frozen=True)
class Precision:
    """``name`` is what people choose and read; everything between the layers is in ``compute``."""

    name: str
    compute: torch.dtype
    halves: bool = False
    """bfloat16 weights, computed with in float32: on processors without bfloat16 products."""

    @property
    def load_dtype(self) -> torch.dtype | None:
        """What weights are cast to while a file is read; None leaves them as stored, to be cast layer by layer."""
        if self.halves:
            return torch.bfloat16
        return None if self.name == INT8 else self.compute

    @property
    def is_int8(self) -> bool:
        """8-bit weights in the transformer stacks."""
        return self.name == INT8


def choose_precision(name: str, device: torch.device, stored: torch.dtype) -> Precision:
    """A name that people gave (``auto``, ``float32``, ``bfloat16``, ``float16``, ``int8``) for a device.

    Raises :class:`RequestError` for an unknown one, or one that does not work there.
    """
    if name != INT8:
        dtype = choose_dtype(name, device, stored)
        if dtype == torch.bfloat16 and needs_half_weights(device):
            return Precision(dtype_name(dtype), torch.float32, halves=True)
        return Precision(dtype_name(dtype), dtype)
    if device.type != "cpu":
        raise RequestError("dtype", f"int8 is for the CPU, and the model would run on {device}; use bfloat16 there")
    if not can_quantise():
        raise RequestError("dtype", "this build of torch has no 8-bit products for this processor; use bfloat16")
    return Precision(INT8, torch.float32)


def prepare_layers(model: VoxCPMModel, vae: AudioVAE, precision: Precision) -> None:
    """Lay all weights out for the CPU, layer by layer.

    ``int8`` takes the layers of the four transformer stacks, which are nearly all there is to read. Embeddings stay as
    stored. FSQ (which rounds), the stop head, the projections between parts and the time embedding stay in float32:
    they are small, and a rounding error there is not averaged out by anything.

    16-bit and 8-bit layouts are made by one core each, which takes longer than reading the file: several work at once.
    """
    with large_blocks_apart():
        _prepare_layers(model, vae, precision)


def _prepare_layers(model: VoxCPMModel, vae: AudioVAE, precision: Precision) -> None:
    packs = can_pack(precision.compute)
    if precision.halves:
        fuse_and_replace(model, halve_layers(), _workers())
        _cast_rest(model, precision.compute)
    elif precision.is_int8:
        fuse_and_replace(model, lambda path, layer: _int8_layer(model, path, layer, packs), _workers())
        _cast_rest(model, precision.compute)
    elif packs:
        # Packing float32 makes a product of one to three rows a third slower than leaving it (tests/speed/README.md).
        skip = LANGUAGE_MODELS if precision.compute == torch.float32 else ()
        fuse_and_replace(model, lambda path, layer: layer if path.startswith(skip) else pack_layer(path, layer))
    if can_pack(torch.float32):
        fuse_and_replace(vae, pack_layer)


def _workers() -> int:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(_MOST_WORKERS, cores)


def _int8_layer(model: nn.Module, path: str, layer: nn.Linear, packs: bool) -> nn.Module:
    if isinstance(model.get_submodule(path.rpartition(".")[0]), (Attention, MLP)):
        return few_rows_layer(layer) if path.startswith(LANGUAGE_MODELS) else many_rows_layer(layer)
    layer = layer.float()
    return PackedLinear(layer.weight, layer.bias) if packs else layer


def _cast_rest(model: VoxCPMModel, dtype: torch.dtype) -> None:
    """Norms, biases and the special token; the embedding table is as large as a tenth of the model and stays."""
    for module in model.modules():
        if not isinstance(module, nn.Embedding):
            for parameter in module.parameters(recurse=False):
                parameter.data = parameter.data.to(dtype)
    model.prepare()

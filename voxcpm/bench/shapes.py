"""A model of a config's shape with random weights: tells speed and memory, speaks nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from voxcpm.checkpoint import load_model, load_vae, read_tensors
from voxcpm.config import VoxCPMConfig
from voxcpm.devices import choose_device
from voxcpm.model import VoxCPMModel
from voxcpm.precision import choose_precision
from voxcpm.vae.audio_vae import AudioVAE

if TYPE_CHECKING:
    from voxcpm.pipeline import VoxCPM

MODEL, CODEC = "model", "codec"
_BLOCK = 1 << 20
_SHARD_BYTES = 1 << 29


def write_random(config_file: Path, folder: Path) -> None:
    """Weight files of the config's shape, as published (model in bfloat16, codec in float32), a few at a time."""
    config = VoxCPMConfig.from_file(config_file)
    with torch.device("meta"):
        parts = {
            MODEL: (VoxCPMModel(config), torch.bfloat16),
            CODEC: (AudioVAE(config.audio_vae_config), torch.float32),
        }
    for name, (shapes, dtype) in parts.items():
        shard: dict[str, Tensor] = {}
        count = 0
        for key, tensor in random_tensors(shapes, dtype):
            shard[key] = tensor
            if sum(t.nbytes for t in shard.values()) >= _SHARD_BYTES:
                save_file(shard, folder / f"{name}-{count:03}.safetensors")
                shard, count = {}, count + 1
        save_file(shard, folder / f"{name}-{count:03}.safetensors")


def random_engine(config_file: Path, folder: Path, device: str, dtype: str, *, plain: bool) -> VoxCPM:
    """An engine on the weights that :func:`write_random` left in ``folder``."""
    from voxcpm.pipeline import VoxCPM

    config = VoxCPMConfig.from_file(config_file)
    where = choose_device(device)
    precision = choose_precision(dtype, where, torch.bfloat16)
    files = {name: tuple(sorted(folder.glob(f"{name}-*.safetensors"))) for name in (MODEL, CODEC)}
    model = load_model(config, read_tensors(files[MODEL]), device=where, dtype=precision.load_dtype)
    vae = load_vae(config, read_tensors(files[CODEC]), device=where)
    return VoxCPM(
        config,
        model,
        vae,
        Letters(config.lm_config.vocab_size),
        name=config_file.stem,
        fingerprint="random",
        plain=plain,
        precision=precision,
    )


def random_tensors(module: nn.Module, dtype: torch.dtype) -> Iterator[tuple[str, Tensor]]:
    """Small random values for every parameter, one at a time and straight in the dtype wanted.

    One block of numbers is repeated: drawing two thousand million would take minutes.
    """
    block = torch.empty(_BLOCK, dtype=dtype).normal_(0.0, 0.02, generator=torch.Generator().manual_seed(0))
    for name, parameter in module.named_parameters():
        value = torch.empty(parameter.shape, dtype=dtype)
        if name.endswith(("norm.weight", "alpha", "scale_embed.weight")):
            yield name, value.fill_(1.0)
            continue
        flat = value.view(-1)
        for start in range(0, flat.numel(), _BLOCK):
            piece = flat[start : start + _BLOCK]
            piece.copy_(block[: piece.numel()])
        yield name, value
    for name, buffer in module.named_buffers():
        if name.endswith("sr_bin_boundaries"):
            yield name, torch.arange(20000, 20000 + 10000 * buffer.shape[0], 10000, dtype=torch.int32)


class Letters:
    """One token for every third character, anywhere in the vocabulary above the control ids."""

    def __init__(self, size: int) -> None:
        self.size = size

    def encode(self, text: str) -> list[int]:
        """Token ids."""
        return [200 + ord(character) * 37 % (self.size - 200) for character in text[::3]]

    def unknown(self, text: str) -> str:
        """None is unknown."""
        return ""

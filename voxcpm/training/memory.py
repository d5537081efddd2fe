"""How much memory a run needs, worked out from shapes before it starts. An estimate: nothing is measured."""

from __future__ import annotations

from dataclasses import dataclass

import psutil
import torch
from torch import nn

from voxcpm.config import LMConfig, VoxCPMConfig
from voxcpm.model import VoxCPMModel
from voxcpm.training.options import TrainOptions


@dataclass(frozen=True)
class TrainingMemory:
    """Bytes."""

    weights: int
    gradients: int
    optimizer: int
    activations: int
    """Of the largest batch that the options allow."""
    codec: int
    available: int
    """On the device, at this moment."""

    @property
    def total(self) -> int:
        """All together."""
        return self.weights + self.gradients + self.optimizer + self.activations + self.codec

    @property
    def fits(self) -> bool:
        """Whether it is likely to fit; weights and codec are there already."""
        return self.gradients + self.optimizer + self.activations <= self.available

    def sentence(self) -> str:
        """For people."""
        parts = ", ".join(
            f"{getattr(self, name) / 2**30:.2f} {name}"
            for name in ("weights", "gradients", "optimizer", "activations", "codec")
        )
        word = "" if self.fits else " That is not likely to fit: switch recompute on, or lower batch_tokens."
        free = self.available / 2**30
        return f"Needs about {self.total / 2**30:.2f} GiB ({parts}); {free:.2f} GiB are free beside the weights.{word}"


def training_memory(model: VoxCPMModel, codec: nn.Module, options: TrainOptions, value_bytes: int) -> TrainingMemory:
    """For a model as it is set up; ``value_bytes`` is the width of activations (2 under autocast)."""
    learning = sum(p.numel() for p in model.parameters() if p.requires_grad)
    device = model.device
    available = torch.cuda.mem_get_info(device)[0] if device.type == "cuda" else int(psutil.virtual_memory().available)
    return TrainingMemory(
        sum(p.nbytes for p in model.parameters()),
        4 * learning,
        8 * learning,
        activation_values(model.config, options.batch_tokens, recompute=options.recompute) * value_bytes,
        sum(p.nbytes for p in codec.parameters()),
        available,
    )


def activation_values(config: VoxCPMConfig, positions: int, *, recompute: bool) -> int:
    """Values kept for the backward pass when every position carries audio with loss (the worst case)."""
    patch = config.patch_size
    conditions = 3 if config.separate_dit_conditions else 1
    local = (
        (config.local_config(config.encoder_config), patch + 1),
        (config.local_config(config.dit_config), 2 * patch + conditions),
    )
    stacks = [(config.lm_config, 1), (config.residual_lm_config, 1), *local]
    if recompute:  # every layer's input, and the insides of one layer at a time
        kept = sum(length * stack.hidden_size * stack.num_hidden_layers for stack, length in stacks)
        return positions * (kept + max(length * _layer_values(stack) for stack, length in stacks))
    return positions * sum(length * _layer_values(stack) * stack.num_hidden_layers for stack, length in stacks)


def _layer_values(stack: LMConfig) -> int:
    """Per position of one layer: inputs of every product, both norms, queries, keys, values and the gate's two halves.

    The attention weights themselves are not kept: they are computed again.
    """
    heads = (stack.num_attention_heads + 2 * stack.num_key_value_heads) * stack.head_dim
    return 6 * stack.hidden_size + 3 * heads + 4 * stack.intermediate_size

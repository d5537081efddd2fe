"""LongRoPE: rotary position encoding with one division factor per frequency (arXiv:2402.13753)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from voxcpm.config import LMConfig


def longrope_scale(config: LMConfig) -> float:
    """``sqrt(1 + ln(max / original) / ln(original))``; not clamped, so a shorter maximum gives a scale below 1."""
    original = config.rope_scaling.original_max_position_embeddings
    return math.sqrt(1 + math.log(config.max_position_embeddings / original) / math.log(original))


def rope_tables(config: LMConfig, positions: Tensor, dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor]:
    """Cosine and sine rows for integer ``positions`` [N], each [N, head_dim], already multiplied by the scale.

    The long factors are used if and only if ``max_position_embeddings`` exceeds the original length: decided by
    the config alone, never by the length in use. ``dtype`` is the model's: published checkpoints in bf16 were made
    with tables rounded to bf16.
    """
    scaling = config.rope_scaling
    is_long = config.max_position_embeddings > scaling.original_max_position_embeddings
    factors = torch.tensor(scaling.long_factor if is_long else scaling.short_factor, dtype=torch.float32)
    half = torch.arange(0, config.head_dim, 2, dtype=torch.float32) / config.head_dim
    inverse = 1.0 / config.rope_theta**half
    angles = torch.outer(positions.to(torch.float32).cpu(), 1.0 / factors) * inverse
    angles = torch.cat((angles, angles), dim=-1)
    scale = longrope_scale(config)
    return (angles.cos() * scale).to(dtype), (angles.sin() * scale).to(dtype)


def apply_rope(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotate ``x`` [B, heads, T, d] by tables [T, d] or [B, 1, T, d], half-split form, always in float32."""
    x32 = x.float()
    first, second = x32.chunk(2, dim=-1)
    rotated = torch.cat((-second, first), dim=-1)
    return (x32 * cos + rotated * sin).to(x.dtype)

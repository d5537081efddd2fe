"""Euler solver from noise to a patch, with a sway time grid, zero-velocity first steps and CFG-zero* guidance.

Sources: conditional flow matching (arXiv:2210.02747), sway sampling (F5-TTS, arXiv:2410.06885), CFG-zero*
(arXiv:2503.18886). Time runs from 1 (noise) to 0 (data).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from voxcpm.modules.locdit import LocDiT

ZERO_INIT_SHARE = 0.04  # share of the grid points whose velocity is taken as zero (CFG-zero*), at least one step


def time_grid(steps: int, *, sway: float = 1.0, dtype: torch.dtype = torch.float32) -> Tensor:
    """``steps + 1`` times from 1 to 0 in the model's dtype; ``sway`` 0 gives a uniform grid."""
    grid = torch.linspace(1, 0, steps + 1, dtype=dtype)
    return grid + sway * (torch.cos(torch.pi / 2 * grid) - 1 + grid)


def zero_velocity_steps(steps: int) -> int:
    """How many first steps leave the noise as it is."""
    return max(1, int((steps + 1) * ZERO_INIT_SHARE))


@dataclass(frozen=True)
class SamplerPlan:
    """All that does not depend on the request's content: step lengths and embedded times, made once per request."""

    lengths: tuple[float, ...]
    """Euler step length of every step; a zero-velocity step keeps its place with ``None`` in ``times``."""
    times: tuple[Tensor | None, ...]
    """Embedded time [1, H] of every step, None where the velocity is taken as zero."""
    cfg: float
    zero_star: bool
    guide_always: bool


def plan_sampler(
    locdit: LocDiT,
    steps: int,
    cfg: float,
    *,
    sway: float = 1.0,
    zero_star: bool = True,
    mean_mode: bool = False,
    guide_always: bool = False,
) -> SamplerPlan:
    """Prepare ``steps`` Euler steps. ``guide_always`` also runs the guidance half where ``cfg`` 1 makes it pointless.

    The grid is walked as the reference walks it (time by repeated subtraction, length re-derived from the grid), so
    that rounding is the same in any dtype.
    """
    bias = locdit.in_proj.bias  # there in every layout of the layers
    dtype, device = bias.dtype, bias.device
    grid = time_grid(steps, sway=sway, dtype=dtype)
    zero_steps = zero_velocity_steps(steps) if zero_star else 0
    time, length = grid[0], grid[0] - grid[1]
    lengths: list[float] = []
    times: list[Tensor | None] = []
    with torch.no_grad():
        for step in range(1, steps + 1):
            lengths.append(float(length))
            if step <= zero_steps:
                times.append(None)
            else:
                delta = length if mean_mode else torch.zeros_like(length)
                times.append(locdit.embed_time(time[None].to(device), delta[None].to(device)))
            time = time - length
            if step < steps:
                length = time - grid[step + 1]
    return SamplerPlan(tuple(lengths), tuple(times), cfg, zero_star, guide_always)


def sample_patch(locdit: LocDiT, plan: SamplerPlan, noise: Tensor, condition: Tensor, previous: Tensor) -> Tensor:
    """Noise [B, P, D], condition [B, C], previous patch [B, P, D] -> patch [B, P, D].

    Guidance runs a second half of the batch with a zero condition but the same previous patch. At ``cfg`` exactly 1
    that half cancels out and is left out.
    """
    guided = plan.cfg != 1.0 or plan.guide_always
    rows = noise.shape[0]
    projected = locdit.project_previous(previous)
    if guided:
        condition = torch.cat((condition, torch.zeros_like(condition)))
        projected = torch.cat((projected, projected))
    x = noise
    for length, time in zip(plan.lengths, plan.times, strict=True):
        if time is None:
            continue
        if not guided:
            x = x - length * locdit.velocity(x, condition, time, projected)
            continue
        positive, negative = locdit.velocity(torch.cat((x, x)), condition, time, projected).split(rows)
        if plan.zero_star:
            negative = negative * guidance_scale(positive, negative)
        x = x - length * (negative + plan.cfg * (positive - negative))
    return x


def guidance_scale(positive: Tensor, negative: Tensor) -> Tensor:
    """Projection of the conditional on the unconditional velocity, per row: [B, P, D] twice -> [B, 1, 1]."""
    dot = (positive * negative).flatten(1).sum(dim=1)
    norm = negative.square().flatten(1).sum(dim=1) + 1e-8
    return (dot / norm)[:, None, None]

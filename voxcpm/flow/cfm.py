"""Flow-matching loss: how well LocDiT predicts the velocity from data to noise at a random time.

The straight path between a patch (time 0) and noise (time 1) has the velocity ``noise - patch`` everywhere
(arXiv:2210.02747). Times are log-normal, and a share of the conditions is dropped so that guidance has something to
guide away from.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import torch
from torch import Tensor

from voxcpm.config import CFMConfig
from voxcpm.errors import ConfigError
from voxcpm.modules.locdit import LocDiT

TIME_SHIFT = -0.4  # mean of the normal whose sigmoid is the time


@dataclass(frozen=True)
class FlowDraws:
    """Every random number of one evaluation for N patches, in the order in which they are drawn."""

    keep: Tensor
    """[N] uniform; the condition is kept where it exceeds the dropout share."""
    noisy: Tensor
    """[N] uniform; the previous patch gets noise where it exceeds one minus the share for that."""
    previous_noise: Tensor
    """[N, P, D] normal."""
    r: Tensor
    """[N] normal; counts in mean mode only, and is drawn always so that seeds keep their meaning."""
    t: Tensor
    """[N] normal; the time is its shifted sigmoid."""
    r_differs: Tensor
    """[N] uniform; counts in mean mode only."""
    z: Tensor
    """[N, P, D] normal, the noise end of the path."""

    @classmethod
    def make(cls, rows: int, patch_size: int, channels: int, generator: torch.Generator) -> FlowDraws:
        """Draw on the generator's device (the CPU, so that a seed means the same everywhere)."""

        def uniform() -> Tensor:
            return torch.rand(rows, generator=generator)

        def normal(*shape: int) -> Tensor:
            return torch.randn(rows, *shape, generator=generator)

        return cls(
            uniform(),
            uniform(),
            normal(patch_size, channels),
            normal(),
            normal(),
            uniform(),
            normal(patch_size, channels),
        )

    def select(self, rows: Tensor) -> FlowDraws:
        """The draws of some patches only (bool [N] or indices)."""
        return FlowDraws(*(getattr(self, field.name)[rows] for field in dataclasses.fields(self)))

    def to(self, device: torch.device) -> FlowDraws:
        """All draws on ``device``."""
        return FlowDraws(*(getattr(self, field.name).to(device) for field in dataclasses.fields(self)))


def check_trainable(config: CFMConfig, *, mean_mode: bool) -> None:
    """Raise :class:`ConfigError` for settings that no published model was trained with and that are not built here."""
    if mean_mode:
        raise ConfigError("mean-mode models cannot be trained here; use a model without dit_mean_mode")
    if config.t_scheduler != "log-norm":
        raise ConfigError(f"training times {config.t_scheduler!r} are not known; expected t_scheduler 'log-norm'")


def flow_loss(
    locdit: LocDiT,
    target: Tensor,
    condition: Tensor,
    previous: Tensor,
    draws: FlowDraws,
    config: CFMConfig,
    *,
    progress: float = 0.0,
) -> Tensor:
    """Mean squared error of the velocity, one value per patch [N] in float32.

    ``target`` and ``previous`` [N, P, D], ``condition`` [N, C]. ``progress`` (0..1 of the whole training) moves the
    share of noisy previous patches through its range.
    """
    low, high = config.noise_cond_prob_range
    noisy = draws.noisy > 1.0 - (low + progress * (high - low))
    keep = draws.keep > config.training_cfg_rate if config.training_cfg_rate > 0 else torch.ones_like(noisy)
    condition = condition * keep[:, None].to(condition.dtype)
    previous = previous + noisy[:, None, None] * draws.previous_noise * config.noise_cond_scale
    times = torch.sigmoid(draws.t + TIME_SHIFT)
    at = times[:, None, None]
    point = (1.0 - at) * target + at * draws.z
    velocity = locdit(point, condition, times, previous, torch.zeros_like(times))
    return (velocity.float() - (draws.z - target)).square().mean(dim=(1, 2))

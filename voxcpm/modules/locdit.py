"""LocDiT: the local diffusion transformer that predicts the velocity of one patch."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from voxcpm.config import VoxCPMConfig
from voxcpm.modules.minicpm4 import MiniCPM4

TIME_SCALE = 1000.0


def sinusoidal_embedding(times: Tensor, size: int) -> Tensor:
    """Times [N] in 0..1 -> [N, size], sine half then cosine half (frequency step ln(10000) / (half - 1)).

    Computed in the dtype of ``times``, as the published code does: in bfloat16 the angles are coarse, and the published
    models have only ever been heard with those.
    """
    half = size // 2
    step = math.log(10000.0) / (half - 1)
    frequencies = torch.exp(torch.arange(half, dtype=times.dtype, device=times.device) * -step)
    angles = TIME_SCALE * times[:, None] * frequencies[None, :]
    return torch.cat((angles.sin(), angles.cos()), dim=-1)


class TimeMLP(nn.Module):
    """Two linear layers with SiLU between them."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.linear_1 = nn.Linear(size, size)
        self.linear_2 = nn.Linear(size, size)

    def forward(self, x: Tensor) -> Tensor:
        """[N, size] -> [N, size]."""
        return self.linear_2(F.silu(self.linear_1(x)))


class LocDiT(nn.Module):
    """Velocity of a noisy patch given the language models' condition and the previous patch.

    Sequence of the stack: condition token(s), previous patch, noisy patch. Older models have one condition token to
    which the time is added; VoxCPM2 has two and a time token of its own.
    """

    def __init__(self, config: VoxCPMConfig) -> None:
        super().__init__()
        stack = config.local_config(config.dit_config)
        self.size = stack.hidden_size
        self.condition_tokens = 2 if config.separate_dit_conditions else 1
        self.time_token = config.separate_dit_conditions
        self.in_proj = nn.Linear(config.feat_dim, stack.hidden_size)
        self.cond_proj = nn.Linear(config.feat_dim, stack.hidden_size)
        self.out_proj = nn.Linear(stack.hidden_size, config.feat_dim)
        self.time_mlp = TimeMLP(stack.hidden_size)
        self.delta_time_mlp = TimeMLP(stack.hidden_size)
        length = self.condition_tokens + self.time_token + 2 * config.patch_size
        self.decoder = MiniCPM4(stack, length)

    def embed_time(self, times: Tensor, deltas: Tensor) -> Tensor:
        """Times and step lengths [N] -> [N, H]. The embedding of a zero step is not zero and is always added."""
        dtype = self.in_proj.bias.dtype
        time = self.time_mlp(sinusoidal_embedding(times, self.size).to(dtype))
        return time + self.delta_time_mlp(sinusoidal_embedding(deltas, self.size).to(dtype))

    def velocity(self, x: Tensor, condition: Tensor, time: Tensor, previous: Tensor) -> Tensor:
        """Noisy patch [N, P, D], condition [N, tokens * H], embedded time [N|1, H], projected previous patch [N, P, H]
        (see :meth:`project_previous`) -> velocity [N, P, D]."""
        rows, patch = x.shape[:2]
        head = condition.view(rows, self.condition_tokens, self.size)
        head = torch.cat((head, time[:, None].expand(rows, 1, -1)), dim=1) if self.time_token else head + time[:, None]
        hidden = self.decoder(torch.cat((head, previous, self.in_proj(x)), dim=1), causal=False)
        return self.out_proj(hidden[:, -patch:])

    def project_previous(self, previous: Tensor) -> Tensor:
        """Previous patch [N, P, D] -> [N, P, H]; the same for every step of one patch."""
        return self.cond_proj(previous)

    def forward(self, x: Tensor, condition: Tensor, times: Tensor, previous: Tensor, deltas: Tensor) -> Tensor:
        """[N, P, D], [N, tokens * H], [N], [N, P, D], [N] -> velocity [N, P, D]."""
        return self.velocity(x, condition, self.embed_time(times, deltas), self.project_previous(previous))

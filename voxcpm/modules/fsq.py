"""FSQ: finite scalar quantisation as a bottleneck between the two language models (arXiv:2309.15505)."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ScalarQuantizer(nn.Module):
    """Project, bound with tanh, round to ``2 * scale + 1`` levels, project back (``fsq_layer``)."""

    def __init__(self, size: int, latent_dim: int, scale: int) -> None:
        super().__init__()
        self.in_proj = nn.Linear(size, latent_dim)
        self.out_proj = nn.Linear(latent_dim, size)
        self.scale = scale

    def bounded(self, hidden: Tensor) -> Tensor:
        """[..., size] -> [..., latent_dim] in (-1, 1), before rounding."""
        return torch.tanh(self.in_proj(hidden))

    def forward(self, hidden: Tensor) -> Tensor:
        """[..., size] -> [..., size]. Rounds half to even; in training the gradient passes straight through."""
        bounded = self.bounded(hidden)
        rounded = torch.round(bounded * self.scale) / self.scale
        if self.training:
            rounded = bounded + (rounded - bounded).detach()
        return self.out_proj(rounded)

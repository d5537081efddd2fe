"""LocEnc: turns one patch of latents into one vector."""

from __future__ import annotations

import torch
from einops import rearrange
from torch import Tensor, nn

from voxcpm.config import VoxCPMConfig
from voxcpm.modules.minicpm4 import MiniCPM4


class LocEnc(nn.Module):
    """A special token in front of the patch, a stack without causal mask, and the special token's row as the result."""

    def __init__(self, config: VoxCPMConfig) -> None:
        super().__init__()
        stack = config.local_config(config.encoder_config)
        self.special_token = nn.Parameter(torch.zeros(1, 1, 1, stack.hidden_size))
        self.in_proj = nn.Linear(config.feat_dim, stack.hidden_size)
        self.encoder = MiniCPM4(stack, config.patch_size + 1)

    def forward(self, patches: Tensor) -> Tensor:
        """[B, T, P, D] latents -> [B, T, H_enc]."""
        batch, length = patches.shape[:2]
        x = self.in_proj(patches)
        x = torch.cat((self.special_token.expand(batch, length, 1, -1), x), dim=2)
        x = self.encoder(rearrange(x, "b t p h -> (b t) p h"), causal=False)
        return rearrange(x[:, 0], "(b t) h -> b t h", b=batch)

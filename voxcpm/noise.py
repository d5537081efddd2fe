"""Where the starting noise of every patch comes from: a seed, or noise that was given or recorded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from voxcpm.errors import RequestError
from voxcpm.request import retry_seed

Draw = Callable[[], Tensor | None]
"""The next noise [P, D], or None when there is no more."""


def scaled(draw: Draw, temperature: float) -> Draw:
    """The same noise, ``temperature`` times as strong."""

    def weaker() -> Tensor | None:
        value = draw()
        return None if value is None else value * temperature

    return weaker


class NoiseSource(Protocol):
    """Noise for the attempts at one take."""

    def start(self, attempt: int, offset: int, patch_size: int, feat_dim: int) -> Draw:
        """Begin an attempt (0, 1, ...); ``offset`` patches were drawn by the attempts before it."""


@dataclass(frozen=True)
class SeededNoise:
    """Normal noise from a generator of its own, drawn as [1, D, P] in float32 on the CPU whatever the device, so that
    a seed means the same everywhere. Global random state is untouched."""

    seed: int

    def start(self, attempt: int, offset: int, patch_size: int, feat_dim: int) -> Draw:
        """A fresh generator; later attempts use seeds far from those of neighbouring takes."""
        generator = torch.Generator().manual_seed(retry_seed(self.seed, attempt))
        return lambda: torch.randn((1, feat_dim, patch_size), generator=generator)[0].T


@dataclass(frozen=True)
class RecordedNoise:
    """Noise [steps, D, P] or [steps, 1, D, P], used in order over all attempts."""

    values: Tensor

    def start(self, attempt: int, offset: int, patch_size: int, feat_dim: int) -> Draw:
        """Go on where the attempts before ended."""
        values = self.values.float()
        if values.dim() == 4 and values.shape[1] == 1:
            values = values[:, 0]
        if values.dim() != 3 or values.shape[1:] != (feat_dim, patch_size):
            raise RequestError("noise", f"must be [steps, {feat_dim}, {patch_size}], is {list(self.values.shape)}")
        rest = iter(values[offset:])

        def draw() -> Tensor | None:
            value = next(rest, None)
            return None if value is None else value.T

        return draw

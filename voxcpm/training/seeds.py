"""Generators for everything random in a run: each made anew from the seed, a kind and a count."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import torch

_KINDS = {"order": 1, "draws": 2, "validation": 3, "adapter": 4, "dropout": 5, "noise": 6}


def generator_for(seed: int, kind: str, index: int = 0) -> torch.Generator:
    """A generator of its own for everything random, so that there is no random state to keep or to disturb."""
    return torch.Generator().manual_seed(mixed_seed(seed, kind, index))


def mixed_seed(seed: int, kind: str, index: int = 0) -> int:
    """A seed far from those of neighbouring indices and other kinds (a 64-bit finaliser of splitmix)."""
    mask = 2**64 - 1
    value = (seed * 0x9E3779B97F4A7C15 + _KINDS[kind] * 0xD1B54A32D192ED03 + (index + 1) * 0x8CB92BA72F3D8DD7) & mask
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        value = ((value ^ (value >> shift)) * factor) & mask
    return (value ^ (value >> 31)) % 2**32


class Seeded(AbstractContextManager[None]):
    """The global generators at a seed, and afterwards as they were."""

    def __init__(self, seed: int, devices: list[torch.device]) -> None:
        self.seed = seed
        self._fork = torch.random.fork_rng(devices=devices)

    def __enter__(self) -> None:
        self._fork.__enter__()
        torch.manual_seed(self.seed)

    def __exit__(self, *details: Any) -> None:
        self._fork.__exit__(*details)

"""A key-value cache whose size and addresses never change, as CUDA graphs need it.

The place to write is a number on the device, so that the same recorded work fills slot after slot. Every step attends
over the whole bucket with a mask; buckets are small multiples of what a take can need, so that this costs little.
"""

from __future__ import annotations

import torch
from torch import Tensor

from voxcpm.modules.kv_cache import KVCache

SMALLEST = 256


def bucket_for(positions: int, limit: int) -> int:
    """Slots for a take of up to ``positions``: a power of two from 256 on, or ``limit`` (the model's context)."""
    slots = SMALLEST
    while slots < positions:
        slots *= 2
    return max(positions, min(slots, limit))


class StaticKVCache(KVCache):
    """Stands in for :class:`KVCache` in a step of one position."""

    def __init__(self, k: Tensor, v: Tensor, position: Tensor, first: Tensor) -> None:
        """``position`` int64 [1] is the next slot, ``first`` int64 [B] the first valid slot of each row."""
        super().__init__(k, v, whole=True)
        self.position, self.first = position, first
        self.slots = torch.arange(k.shape[3], device=k.device)

    @classmethod
    def shaped_like(cls, cache: KVCache, rows: int, slots: int) -> StaticKVCache:
        """Empty, for the stack that ``cache`` belongs to."""
        layers, _, heads, _, size = cache.k.shape
        shape = (layers, rows, heads, slots, size)
        device = cache.k.device
        place = torch.zeros(1, dtype=torch.int64, device=device)
        first = torch.zeros(rows, dtype=torch.int64, device=device)
        return cls(cache.k.new_zeros(shape), cache.v.new_zeros(shape), place, first)

    def load(self, cache: KVCache) -> None:
        """Take over what a cache of as many rows holds; addresses stay."""
        if cache.used >= self.k.shape[3]:
            raise IndexError(f"the bucket holds {self.k.shape[3]} positions, {cache.used} are filled already")
        self.k[:, :, :, : cache.used] = cache.k[:, :, :, : cache.used]
        self.v[:, :, :, : cache.used] = cache.v[:, :, :, : cache.used]
        self.position.fill_(cache.used)
        if cache.starts is None:
            self.first.zero_()
        else:
            self.first.copy_(cache.starts)

    def reserve(self, count: int) -> None:
        """One position at a time fits; the caller counts."""
        if count != 1:
            raise ValueError("a static cache takes one position at a time")

    def positions(self, count: int) -> Tensor:
        """[B, 1] position ids."""
        return (self.position - self.first)[:, None]

    def mask(self, count: int) -> Tensor:
        """bool [B, 1, 1, slots]."""
        valid = (self.slots <= self.position) & (self.slots >= self.first[:, None])
        return valid[:, None, None, :]

    def write(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Store [B, kv_heads, 1, d] at the place and return all slots."""
        self.k[layer].index_copy_(2, self.position, k)
        self.v[layer].index_copy_(2, self.position, v)
        return self.k[layer], self.v[layer]

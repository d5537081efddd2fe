"""Keys and values of a causal stack, grown in blocks and addressed by slot.

Layout: ``k`` and ``v`` are [layers, B, kv_heads, slots, head_dim]; slots ``0 .. used-1`` are filled. Rows of a batch
may have different lengths: they are aligned at the right, so that all rows write the same slot, and row ``b`` is
valid from slot ``starts[b]`` on. ``starts`` is None when every row starts at slot 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from voxcpm.config import LMConfig

BLOCK = 128


@dataclass
class KVCache:
    """Filled keys and values; belongs to one request or one batch, never to a module."""

    k: Tensor
    v: Tensor
    used: int = 0
    starts: Tensor | None = None
    whole: bool = False
    """Attend over every slot with a mask, filled or not (the plain way, kept for measuring against it)."""

    @classmethod
    def empty(
        cls, config: LMConfig, rows: int, slots: int, *, device: torch.device, dtype: torch.dtype, whole: bool = False
    ) -> KVCache:
        """A cache with room for ``slots`` positions (rounded up to a block unless ``whole``)."""
        if not whole:
            slots = -(-max(slots, 1) // BLOCK) * BLOCK
        shape = (config.num_hidden_layers, rows, config.num_key_value_heads, slots, config.head_dim)
        make = torch.zeros if whole else torch.empty
        return cls(make(shape, device=device, dtype=dtype), make(shape, device=device, dtype=dtype), whole=whole)

    @property
    def rows(self) -> int:
        """Batch size."""
        return self.k.shape[1]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.k.nbytes + self.v.nbytes

    def reserve(self, count: int) -> None:
        """Make room for ``count`` more positions, doubling so that copying stays cheap."""
        need, have = self.used + count, self.k.shape[3]
        if need <= have:
            return
        if self.whole:
            raise IndexError(f"the key-value cache holds {have} positions, {need} are needed")
        slots = -(-max(need, 2 * have) // BLOCK) * BLOCK
        for name in ("k", "v"):
            old = getattr(self, name)
            new = old.new_empty((*old.shape[:3], slots, old.shape[4]))
            new[:, :, :, : self.used] = old[:, :, :, : self.used]
            setattr(self, name, new)

    def positions(self, count: int) -> Tensor | slice:
        """Position ids of the next ``count`` slots: a slice when rows are equal, else [B, count]."""
        if self.starts is None:
            return slice(self.used, self.used + count)
        slots = torch.arange(self.used, self.used + count, device=self.starts.device)
        return slots[None, :] - self.starts[:, None]

    def mask(self, count: int) -> Tensor | None:
        """Who the next ``count`` queries may see: None for all up to ``used + 1``, else bool [B|1, 1, count, S]."""
        device = self.k.device
        total = self.k.shape[3] if self.whole else self.used + count
        if count == 1 and self.starts is None and not self.whole:
            return None
        slots = torch.arange(total, device=device)
        queries = torch.arange(self.used, self.used + count, device=device)
        mask = (slots[None, :] <= queries[:, None])[None, None]
        if self.starts is not None:
            mask = mask & (slots[None, None, None, :] >= self.starts[:, None, None, None])
        return mask

    def write(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Store [B, kv_heads, count, d] at the next slots and return what is to be attended to."""
        end = self.used + k.shape[2]
        self.k[layer, :, :, self.used : end] = k
        self.v[layer, :, :, self.used : end] = v
        if self.whole:
            end = self.k.shape[3]
        return self.k[layer, :, :, :end], self.v[layer, :, :, :end]

    def trimmed(self, used: int) -> KVCache:
        """A copy of the first ``used`` positions with no spare room."""
        return KVCache(self.k[:, :, :, :used].clone(), self.v[:, :, :, :used].clone(), used)

    def select(self, rows: Tensor) -> KVCache:
        """The cache of some rows only."""
        starts = None if self.starts is None else self.starts[rows]
        return KVCache(self.k[:, rows], self.v[:, rows], self.used, starts, self.whole)

    @classmethod
    def join(cls, caches: list[KVCache], extra: int) -> KVCache:
        """One batch from single-row caches of any lengths, aligned at the right, with room for ``extra`` more."""
        used = max(c.used for c in caches)
        first = caches[0]
        slots = -(-(used + max(extra, 1)) // BLOCK) * BLOCK
        shape = (first.k.shape[0], len(caches), first.k.shape[2], slots, first.k.shape[4])
        k, v = first.k.new_zeros(shape), first.v.new_zeros(shape)  # padding is masked but must not hold NaN
        starts = [used - c.used for c in caches]
        for row, cache in enumerate(caches):
            k[:, row, :, starts[row] : used] = cache.k[:, 0, :, : cache.used]
            v[:, row, :, starts[row] : used] = cache.v[:, 0, :, : cache.used]
        ragged = torch.tensor(starts, device=k.device) if any(starts) else None
        return cls(k, v, used, ragged)

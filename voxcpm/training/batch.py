"""Training sequences as published, and batches of them.

One example is ``[103 reference 104] text 101 target 102``; the part in brackets is optional. Only target patches carry
loss, and the last of them carries the stop label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from voxcpm.sequence import (
    AUDIO_END,
    AUDIO_START,
    REFERENCE_END,
    REFERENCE_START,
    Audio,
    PackedSequence,
    Text,
    pack,
)


@dataclass(frozen=True)
class Example:
    """One sentence to learn from."""

    text_ids: Sequence[int]
    """Without control ids."""
    target: Tensor
    """Latent patches [n, P, D]."""
    reference: Tensor | None = None
    """Latent patches [m, P, D] of another recording of the same voice."""
    dataset: int = 0
    prompt_only: bool = False
    """Text and audio as a prompt without loss, between the reference ids (published packing knows it)."""

    def segments(self) -> list[Text | Audio]:
        """In order of the sequence."""
        segments: list[Text | Audio] = []
        if self.reference is not None:
            segments += [Text([REFERENCE_START]), Audio(self.reference), Text([REFERENCE_END])]
        if self.prompt_only:
            start, end = REFERENCE_START, REFERENCE_END
        else:
            start, end = AUDIO_START, AUDIO_END
        target = Audio(self.target, loss=not self.prompt_only, stop=True)
        return [*segments, Text([*self.text_ids, start]), target, Text([end])]

    @property
    def length(self) -> int:
        """Positions of the sequence."""
        reference = 0 if self.reference is None else self.reference.shape[0] + 2
        return reference + len(self.text_ids) + self.target.shape[0] + 2

    def packed(self, max_length: int | None = None) -> PackedSequence:
        """The sequence; over-long ones are cut on the right, which loses the stop label."""
        sequence = pack(self.segments(), *self.target.shape[1:])
        return sequence if max_length is None else sequence.part(0, min(max_length, sequence.length))


@dataclass(frozen=True)
class TrainingBatch:
    """B sequences padded on the right to T positions. Padding is neither text nor audio."""

    tokens: Tensor
    """int64 [B, T]."""
    feats: Tensor
    """float32 [B, T, P, D]."""
    text_mask: Tensor
    """bool [B, T]."""
    audio_mask: Tensor
    """bool [B, T]."""
    loss_mask: Tensor
    """bool [B, T]."""
    stop_labels: Tensor
    """int64 [B, T]."""
    position_ids: Tensor
    """int64 [B, T], 0 in the padding."""
    dataset_ids: Tensor
    """int64 [B, T]: the dataset's number plus one on audio positions."""
    text_tokens: Tensor
    """int64 [B], text ids without control ids."""
    heard: Tensor | None = None
    """float32 [B, T, P, D] in the place of ``feats`` where earlier patches condition later ones; None is ``feats``."""

    @property
    def audio_patches(self) -> Tensor:
        """int64 [B], patches of every row, reference included."""
        return self.audio_mask.sum(dim=1)

    @property
    def loss_patches(self) -> int:
        """Patches that carry loss, over all rows."""
        return int(self.loss_mask.sum())

    def to(self, device: torch.device) -> TrainingBatch:
        """All tensors on ``device``."""
        tensors = {name: value for name, value in vars(self).items() if value is not None}
        return TrainingBatch(**{name: value.to(device, non_blocking=True) for name, value in tensors.items()})


def collate(examples: Sequence[Example], max_length: int | None = None) -> TrainingBatch:
    """Pack examples and pad them to the longest."""
    rows = [example.packed(max_length) for example in examples]
    datasets = [
        torch.where(row.audio_mask, example.dataset + 1, 0) for row, example in zip(rows, examples, strict=True)
    ]
    return TrainingBatch(
        pad_rows([row.tokens for row in rows]),
        pad_rows([row.feats for row in rows]),
        pad_rows([row.text_mask for row in rows]),
        pad_rows([row.audio_mask for row in rows]),
        pad_rows([row.loss_mask for row in rows]),
        pad_rows([row.stop_labels for row in rows]),
        pad_rows([torch.arange(row.length) for row in rows]),
        pad_rows(datasets),
        torch.tensor([len(example.text_ids) for example in examples]),
    )


def pad_rows(rows: Sequence[Tensor], value: float = 0) -> Tensor:
    """Rows [n_i, ...] -> [B, longest, ...], filled with ``value`` on the right."""
    longest = max(row.shape[0] for row in rows)
    still = (0, 0) * (rows[0].dim() - 1)
    return torch.stack([F.pad(row, (*still, 0, longest - row.shape[0]), value=value) for row in rows])

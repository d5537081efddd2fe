"""From segments to the packed sequence that the model reads; the only place that knows the control token ids.

Sequences as published: plain ``[text 101]``; reference ``[103 reference 104 text 101]``; continuation
``[prompt text + target text 101 prompt audio]``; combined: both in front of each other. ``102`` ends the target audio
in training.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

AUDIO_START = 101
AUDIO_END = 102
REFERENCE_START = 103
REFERENCE_END = 104
PADDING = 0  # token id under audio positions


@dataclass(frozen=True)
class Text:
    """Token ids, control ids included."""

    ids: Sequence[int]


@dataclass(frozen=True)
class Audio:
    """Latent patches [n, P, D]."""

    patches: Tensor
    loss: bool = False
    """Whether these patches are training targets."""
    stop: bool = False
    """Whether the last patch carries the stop label."""


@dataclass(frozen=True)
class PackedSequence:
    """One sequence of T positions, each either text or one patch of audio."""

    tokens: Tensor
    """int64 [T], 0 under audio."""
    feats: Tensor
    """float32 [T, P, D], zeros under text."""
    audio_mask: Tensor
    """bool [T]; text positions are the others."""
    loss_mask: Tensor
    """bool [T], training targets."""
    stop_labels: Tensor
    """int64 [T], 1 on the last target patch."""

    @property
    def length(self) -> int:
        """Number of positions."""
        return self.tokens.shape[0]

    @property
    def text_mask(self) -> Tensor:
        """bool [T]."""
        return ~self.audio_mask

    def part(self, start: int, stop: int) -> PackedSequence:
        """Positions ``start .. stop-1``."""
        cut = slice(start, stop)
        return PackedSequence(
            self.tokens[cut], self.feats[cut], self.audio_mask[cut], self.loss_mask[cut], self.stop_labels[cut]
        )


def pack(segments: Sequence[Text | Audio], patch_size: int, feat_dim: int) -> PackedSequence:
    """Lay segments one after another."""
    tokens, feats, audio, loss, stop = [], [], [], [], []
    for segment in segments:
        if isinstance(segment, Text):
            count = len(segment.ids)
            tokens.append(torch.tensor(list(segment.ids), dtype=torch.int64))
            feats.append(torch.zeros(count, patch_size, feat_dim))
        else:
            count = segment.patches.shape[0]
            tokens.append(torch.full((count,), PADDING, dtype=torch.int64))
            feats.append(segment.patches.float().cpu())
        is_audio = isinstance(segment, Audio)
        is_loss = isinstance(segment, Audio) and segment.loss
        stops = isinstance(segment, Audio) and segment.stop
        audio.append(torch.full((count,), is_audio))
        loss.append(torch.full((count,), is_loss))
        labels = torch.zeros(count, dtype=torch.int64)
        if stops and count:
            labels[-1] = 1
        stop.append(labels)
    return PackedSequence(torch.cat(tokens), torch.cat(feats), torch.cat(audio), torch.cat(loss), torch.cat(stop))


def inference_segments(text_ids: Sequence[int], reference: Tensor | None, prompt: Tensor | None) -> list[Text | Audio]:
    """The segments of a request. ``text_ids`` are those of prompt text and target text joined; audio is [n, P, D]."""
    segments: list[Text | Audio] = []
    if reference is not None:
        segments += [Text([REFERENCE_START]), Audio(reference), Text([REFERENCE_END])]
    segments.append(Text([*text_ids, AUDIO_START]))
    if prompt is not None:
        segments.append(Audio(prompt))
    return segments

"""The two training losses of a model: flow matching on target patches, and when to stop.

Every target patch is predicted from the hidden states one position before it, exactly as in generation. LocDiT is by
far the largest part of the work, and only target patches count: the others are never sent through it.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from voxcpm.flow.cfm import FlowDraws, flow_loss
from voxcpm.model import VoxCPMModel
from voxcpm.training.batch import TrainingBatch


@dataclass(frozen=True)
class Losses:
    """Sums over the target patches of a batch, so that batches can be joined without weighting them wrongly."""

    diff: Tensor
    """Flow-matching loss, scalar with gradient."""
    stop: Tensor
    """Cross entropy of the stop head, scalar with gradient."""
    patches: int
    """Target patches summed over."""
    states: Tensor
    """[patches, H] TSLM states from which the target patches are predicted, row by row, with gradient."""

    @property
    def mean_diff(self) -> Tensor:
        """Per target patch."""
        return self.diff / max(self.patches, 1)

    @property
    def mean_stop(self) -> Tensor:
        """Per target patch."""
        return self.stop / max(self.patches, 1)


def hidden_states(model: VoxCPMModel, batch: TrainingBatch) -> tuple[Tensor, Tensor]:
    """Outputs of TSLM (quantised on audio) and RALM for every position, each [B, T, H]."""
    embeddings = model.base_lm.embed(batch.tokens)
    is_audio = batch.audio_mask[..., None]
    encoded = model.encode_patches(heard(batch)[batch.audio_mask][None])[0]
    audio = torch.zeros_like(embeddings).masked_scatter(is_audio, encoded.to(embeddings.dtype))
    hidden = model.base_lm(torch.where(is_audio, audio, embeddings), causal=True)
    hidden = torch.where(is_audio, model.fsq_layer(hidden).to(hidden.dtype), hidden)
    return hidden, model.residual_lm(model.residual_input(hidden, audio), causal=True)


def training_losses(
    model: VoxCPMModel,
    batch: TrainingBatch,
    draws: FlowDraws | torch.Generator,
    *,
    progress: float = 0.0,
    every_position: bool = False,
) -> Losses:
    """Both losses of a batch that lies on the model's device.

    ``draws`` are the random numbers for the target patches in order (row by row), or the generator to draw them from.
    ``every_position`` runs LocDiT on all B * T positions and masks afterwards, with draws for all of them: the
    published way, kept to compare with.
    """
    lm_hidden, residual_hidden = hidden_states(model, batch)
    counts = torch.ones_like(batch.loss_mask) if every_position else batch.loss_mask
    lm, residual = before(lm_hidden)[counts], before(residual_hidden)[counts]
    target, previous = batch.feats[counts], before(heard(batch))[counts]
    parts = (model.lm_to_dit_proj(lm), model.res_to_dit_proj(residual))
    condition = torch.cat(parts, dim=-1) if model.config.separate_dit_conditions else parts[0] + parts[1]
    if isinstance(draws, torch.Generator):
        rows, patch_size, channels = target.shape
        draws = FlowDraws.make(rows, patch_size, channels, draws)
    diff = flow_loss(
        model.feat_decoder.estimator,
        target,
        condition,
        previous,
        draws.to(target.device),
        model.config.dit_config.cfm_config,
        progress=progress,
    )
    logits = model.stop_head(F.silu(model.stop_proj(lm)))
    stop = F.cross_entropy(logits.float(), batch.stop_labels[counts], reduction="none")
    weights = batch.loss_mask[counts].to(diff.dtype)
    states = lm[batch.loss_mask[counts]] if every_position else lm
    return Losses((diff * weights).sum(), (stop * weights).sum(), batch.loss_patches, states)


def heard(batch: TrainingBatch) -> Tensor:
    """[B, T, P, D] latents as far as they condition later ones."""
    return batch.feats if batch.heard is None else batch.heard


def before(values: Tensor) -> Tensor:
    """[B, T, ...] moved one position to the right, zeros in front."""
    return torch.cat((torch.zeros_like(values[:, :1]), values[:, :-1]), dim=1)

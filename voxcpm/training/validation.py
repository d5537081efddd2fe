"""Judging a model between steps, without touching the randomness of training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch

from voxcpm.flow.cfm import FlowDraws
from voxcpm.model import VoxCPMModel
from voxcpm.training.batch import Example, collate
from voxcpm.training.data import Item, make_batches
from voxcpm.training.latents import LatentCache
from voxcpm.training.losses import training_losses
from voxcpm.training.options import TrainOptions
from voxcpm.training.seeds import generator_for
from voxcpm.training.world import World


@dataclass(frozen=True)
class Validation:
    """Means over all target patches."""

    loss: float
    diff: float
    stop: float
    text_gap: float | None
    """How much worse the flow loss gets with the text of another sentence: near 0, the text is not used yet. None
    where no batch has two sentences."""


class Validator:
    """The same sentences with the same random draws every time, shared out among the processes."""

    def __init__(self, items: Sequence[Item], cache: LatentCache, options: TrainOptions, world: World) -> None:
        self.cache, self.options, self.world = cache, options, world
        generator = generator_for(options.seed, "validation")
        self.batches = make_batches(items, options.batch_size, options.batch_tokens, generator)

    @torch.no_grad()
    def run(self, model: VoxCPMModel, autocast: torch.autocast) -> Validation:
        """Losses of the model as it is; its training mode is put back."""
        sums = torch.zeros(5, dtype=torch.float64)
        training = model.training
        model.eval()
        try:
            for index, batch in enumerate(self.batches):
                if index % self.world.size == self.world.rank:
                    sums += self._one(model, index, [item.load(self.cache) for item in batch], autocast)
        finally:
            model.train(training)
        where = model.device if model.device.type == "cuda" else torch.device("cpu")
        diff, stop, patches, swapped, compared = self.world.add(sums.to(where)).tolist()
        gap = (swapped / compared) if compared else None
        diff, stop = diff / patches, stop / patches
        return Validation(diff + self.options.stop_weight * stop, diff, stop, gap)

    def _one(self, model: VoxCPMModel, index: int, examples: list[Example], autocast: torch.autocast) -> torch.Tensor:
        """Sums: flow loss, stop loss, patches, extra flow loss with swapped texts, patches compared."""
        config = model.config
        batch = collate(examples)
        generator = generator_for(self.options.seed, "validation", index)
        draws = FlowDraws.make(batch.loss_patches, config.patch_size, config.feat_dim, generator)
        with autocast:
            losses = training_losses(model, batch.to(model.device), draws)
            diff, stop = float(losses.diff), float(losses.stop)
            if len(examples) < 2:
                return torch.tensor([diff, stop, losses.patches, 0.0, 0.0], dtype=torch.float64)
            texts = [example.text_ids for example in examples]
            swapped = [replace(e, text_ids=ids) for e, ids in zip(examples, texts[1:] + texts[:1], strict=True)]
            wrong = training_losses(model, collate(swapped).to(model.device), draws)
        return torch.tensor([diff, stop, losses.patches, float(wrong.diff) - diff, losses.patches], dtype=torch.float64)

"""From a checked manifest to batches, in an order that depends on seed and count alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch

from voxcpm.errors import DatasetError
from voxcpm.tokenizer import TextTokenizer
from voxcpm.training.batch import Example
from voxcpm.training.latents import LatentCache
from voxcpm.training.manifest import Checked, Entry
from voxcpm.training.options import TrainOptions
from voxcpm.training.seeds import generator_for

_SORTED_AT_A_TIME = 64  # batches that are sorted by length together: little padding, and still well mixed


@dataclass(frozen=True)
class Item:
    """One sentence, its latents still on disk."""

    entry: Entry
    text_ids: tuple[int, ...]
    patches: int
    reference_patches: int
    dataset: int

    @property
    def length(self) -> int:
        """Positions of its sequence."""
        return len(self.text_ids) + self.patches + 2 + (self.reference_patches + 2 if self.entry.reference else 0)

    def load(self, cache: LatentCache) -> Example:
        """With its latents."""
        reference = cache.get(self.entry.reference) if self.entry.reference is not None else None
        return Example(self.text_ids, cache.get(self.entry.audio), reference, self.dataset)


@dataclass(frozen=True)
class Dataset:
    """What is learned from, and what happened to the rest."""

    items: tuple[Item, ...]
    checked: Checked
    dropped: Counter[str]
    notes: tuple[str, ...]

    @property
    def summary(self) -> str:
        """Counts for people."""
        gone = ", ".join(f"{count} {reason}" for reason, count in sorted(self.dropped.items())) or "none"
        return f"{self.checked.path.name}: {self.checked.read} lines read, {len(self.items)} kept, left out: {gone}"


def build_dataset(
    checked: Checked,
    cache: LatentCache,
    tokenizer: TextTokenizer,
    *,
    max_tokens: int,
    takes_reference: bool,
) -> Dataset:
    """Keep what fits; raises :class:`DatasetError` with counts and a proposal if nothing is left."""
    checked.require()
    datasets = {name: index for index, name in enumerate(sorted({e.dataset_id for e in checked.entries}))}
    items, dropped, notes = [], checked.dropped(), []
    longest = 0
    without_reference = 0
    for entry in checked.entries:
        if entry.reference is not None and not takes_reference:
            entry = replace(entry, reference=None)
            without_reference += 1
        ids = tuple(tokenizer.encode(entry.text))
        reference = cache.count(entry.reference) if entry.reference is not None else 0
        item = Item(entry, ids, cache.count(entry.audio), reference, datasets[entry.dataset_id])
        if item.length > max_tokens:
            dropped[f"longer than {max_tokens} positions"] += 1
            longest = max(longest, item.length)
        elif not ids:
            dropped["text without tokens"] += 1
        else:
            items.append(item)
    if without_reference:
        notes.append(f"this model takes no reference: {without_reference} references are not used")
    data = Dataset(tuple(items), checked, dropped, tuple(notes))
    if not items:
        raise DatasetError(f"nothing is left to learn from. {data.summary}. {_proposal(checked, longest)}")
    return data


def _proposal(checked: Checked, longest: int) -> str:
    if not checked.read:
        return "The manifest is empty: write one line for every recording"
    if longest:
        return f"Raise the limit to {longest} positions (max_tokens), or cut the recordings together with their texts"
    return "Add recordings of 1 to 30 seconds with their exact texts"


def fitted_batch(items: Sequence[Item], options: TrainOptions, world: int) -> tuple[int, str | None]:
    """Sentences per batch in force, and a remark if it is less than what was asked for."""
    share = max(1, len(items) // world)
    if share >= options.batch_size:
        return options.batch_size, None
    across = f" across {world} processes" if world > 1 else ""
    return share, (
        f"{len(items)} sentences do not fill a batch of {options.batch_size}{across}; "
        f"a batch of {share} is used. More recordings make a better voice: some ten minutes are a good start"
    )


def make_batches(items: Sequence[Item], size: int, tokens: int, generator: torch.Generator) -> list[list[Item]]:
    """All items once, in batches of similar lengths, in random order. A sentence above ``tokens`` is alone."""
    order = torch.randperm(len(items), generator=generator).tolist()
    batches: list[list[Item]] = []
    span = size * _SORTED_AT_A_TIME
    for start in range(0, len(order), span):
        some = sorted((items[index] for index in order[start : start + span]), key=lambda item: item.length)
        batch: list[Item] = []
        for item in some:
            if batch and (len(batch) == size or (len(batch) + 1) * item.length > tokens):
                batches.append(batch)
                batch = []
            batch.append(item)
        batches.append(batch)
    return [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]


class BatchStream:
    """Batch 0, 1, 2, ... over as many epochs as are asked for; where to start is all that there is to resume."""

    def __init__(self, items: Sequence[Item], size: int, tokens: int, seed: int) -> None:
        self.items, self.size, self.tokens, self.seed = items, size, tokens, seed

    def epoch(self, number: int) -> list[list[Item]]:
        """The batches of one epoch."""
        return make_batches(self.items, self.size, self.tokens, generator_for(self.seed, "order", number))

    def start_at(self, index: int) -> Iterator[tuple[int, list[Item]]]:
        """(epoch, batch) from batch ``index`` on, without end."""
        number = 0
        while True:
            batches = self.epoch(number)
            if index >= len(batches):
                index -= len(batches)
            else:
                for batch in batches[index:]:
                    yield number, batch
                index = 0
            number += 1

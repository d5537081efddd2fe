"""Latents of all speech in one file, with what is said and how: the training data of the demo model's language part.

A folder with ``latents.f16`` (float16 [patches, P, D], one recording after the other), ``index.npy`` (int64 [n, 2]:
first patch, number of patches), ``items.jsonl`` (see make_speech.py) and ``latents.json``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from voxcpm.tokenizer import TextTokenizer
from voxcpm.training.batch import Example
from voxcpm.training.seeds import generator_for

DEFAULT_VOICE = "rms"
"""Who speaks when nothing is asked for. No other voice is ever learned plain."""
SHARES = {True: (0.3, 0.2), False: (0.6, 0.4)}
"""Shares of sequences with a description before the text and with a reference: the default voice, and the others."""
REFERENCE_PATCHES = 25
"""Longest reference; longer recordings are cut to a piece of it."""
PLACES = 2
"""Phones told for each latent frame."""
SILENCE = "pau"


class LatentStore:
    """Recordings as latent patches, mapped and not read."""

    def __init__(self, folder: Path) -> None:
        self.head = json.loads((folder / "latents.json").read_text(encoding="utf-8"))
        shape = (-1, self.head["patch_size"], self.head["latent_dim"])
        self.index = np.load(folder / "index.npy")
        self.latents = np.memmap(folder / "latents.f16", dtype=np.float16, mode="r").reshape(shape)
        lines = (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()
        self.items = [json.loads(line) for line in lines[: len(self.index)]]
        self.by_voice: dict[str, list[int]] = {}
        for number, item in enumerate(self.items):
            self.by_voice.setdefault(item["voice"], []).append(number)
        self.phones = sorted({SILENCE, *(name for item in self.items for name in item["phones"].split())})
        self.place_ms = 1000 * self.head["frame_seconds"] / PLACES
        self._number_of = {name: number for number, name in enumerate(self.phones)}

    def __len__(self) -> int:
        return len(self.index)

    def patches(self, number: int) -> Tensor:
        """float32 [n, P, D]."""
        first, count = self.index[number]
        return torch.from_numpy(self.latents[first : first + count].astype(np.float32))

    def places(self, number: int) -> Tensor:
        """int64 [n, P * PLACES]: the phone heard in the middle of each place, as its place in ``phones``."""
        item, count = self.items[number], int(self.index[number, 1])
        names = [self._number_of[name] for name in item["phones"].split()] + [self._number_of[SILENCE]]
        times = (np.arange(count * self.head["patch_size"] * PLACES) + 0.5) * self.place_ms
        heard = np.asarray(names)[np.searchsorted(np.asarray(item["ends"]), times, side="right")]
        return torch.from_numpy(heard.reshape(count, -1))


@dataclass(frozen=True)
class StoredItem:
    """One sequence to learn from; fits where the trainer's items go (``length``, ``patches``, ``load``)."""

    store: LatentStore
    number: int
    text_ids: tuple[int, ...]
    reference: int | None
    reference_start: int

    @property
    def patches(self) -> int:
        """Target patches."""
        return int(self.store.index[self.number, 1])

    @property
    def reference_patches(self) -> int:
        """Reference patches, 0 without one."""
        return 0 if self.reference is None else min(REFERENCE_PATCHES, int(self.store.index[self.reference, 1]))

    @property
    def length(self) -> int:
        """Positions of the sequence."""
        return len(self.text_ids) + self.patches + 2 + (self.reference_patches + 2 if self.reference_patches else 0)

    def load(self, cache: object = None) -> Example:
        """With its latents (``cache`` is not needed)."""
        reference = None
        if self.reference is not None:
            start = self.reference_start
            reference = self.store.patches(self.reference)[start : start + self.reference_patches]
        return Example(self.text_ids, self.store.patches(self.number), reference)


def mixed_items(
    store: LatentStore,
    tokenizer: TextTokenizer,
    numbers: Sequence[int],
    seed: int,
    *,
    plain: bool = False,
) -> Iterator[StoredItem]:
    """Recordings with their description or a reference of the same voice; of the default voice also without both.

    References are of the same voice and pitch and never the recording itself. ``plain`` gives nothing but texts. The
    same seed gives the same items.
    """
    pools: dict[tuple[str, str], list[int]] = {}
    for number in numbers:
        pools.setdefault((store.items[number]["voice"], store.items[number]["pitch"]), []).append(number)
    for number in numbers:
        draw = generator_for(seed, "order", number)
        choice, place, start = torch.rand(3, generator=draw, dtype=torch.float64).tolist()
        item, text = store.items[number], store.items[number]["text"]
        described, referenced = (0.0, 0.0) if plain else SHARES[item["voice"] == DEFAULT_VOICE]
        reference = None
        if choice < described:
            text = f"({item['description']}){text}"
        elif choice < described + referenced:
            pool = pools[item["voice"], item["pitch"]]
            candidate = pool[int(place * len(pool))]
            reference = candidate if candidate != number else None
        room = 0 if reference is None else max(0, int(store.index[reference, 1]) - REFERENCE_PATCHES)
        yield StoredItem(store, number, tuple(tokenizer.encode(text)), reference, int(start * (room + 1)))

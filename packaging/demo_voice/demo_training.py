"""Training the demo model from first weights: the project's trainer, fed from a store of latents.

What is added to it: every epoch mixes other descriptions and references, the states that condition the target patches
must also tell the phones heard in them (a head that is never exported), what was spoken before is heard with noise, the
large matrices learn by Muon, the weights are averaged, and validation measures whether the text is used.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from latent_store import DEFAULT_VOICE, PLACES, LatentStore, StoredItem, mixed_items
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from voxcpm.errors import CheckpointError, DatasetError, RequestError
from voxcpm.model import VoxCPMModel
from voxcpm.tokenizer import TextTokenizer
from voxcpm.training.batch import TrainingBatch
from voxcpm.training.codec_net import Average
from voxcpm.training.data import BatchStream, make_batches
from voxcpm.training.latents import codec_identity
from voxcpm.training.loading import Trainable
from voxcpm.training.losses import Losses
from voxcpm.training.options import TrainOptions
from voxcpm.training.runs import Saved
from voxcpm.training.seeds import generator_for, mixed_seed
from voxcpm.training.trainer import Trainer
from voxcpm.training.validation import Validation, Validator
from voxcpm.training.world import World

AVERAGED = "averaged.safetensors"
PHONES = "phone_head"
OPTIMIZERS = ("muon", "adamw")
SWAPPED_AMONG = 8
"""Sentences of neighbouring text lengths that exchange their texts to see whether the text matters."""


@dataclass(frozen=True)
class DemoOptions(TrainOptions):
    """One run; ``data`` is a store of latents."""

    mode: str = "full"
    learning_rate: float = 1e-3
    warmup_steps: int = 300
    final_rate: float = 0.02
    beta2: float = 0.98
    steps: int = 20_000
    batch_size: int = 256
    batch_tokens: int = 2400
    save_every: int = 250
    validate_every: int = 250
    samples: tuple[str, ...] = (
        "The garden was quiet after the rain.",
        "(a Scottish man, speaking slowly)They waited for the boat until evening.",
    )
    phone_weight: float = 0.5
    """Of the phones' cross entropy beside the other losses; 0 goes without."""
    history_noise: float = 0.3
    """Largest standard deviation of the noise on what was spoken before (latents have 1): generation is never clean."""
    optimizer: str = "muon"
    """``muon`` for the matrices of the layers (the rest AdamW), or ``adamw`` for all."""
    average: float = 0.999
    """How much of the averaged weights, those that are judged and exported, each step keeps."""
    judged: int = 64
    """Recordings at the end of the store to judge by; their texts are not learned from in any voice."""

    def check(self) -> None:
        super().check()
        if self.mode != "full":
            raise RequestError("mode", "the demo model is trained as a whole: full")
        if self.validation:
            raise RequestError("validation", "the last recordings of the store are judged by; see judged")
        for name, high in (("phone_weight", 100.0), ("history_noise", 10.0), ("average", 0.999999)):
            value = getattr(self, name)
            if isinstance(value, bool) or not math.isfinite(value) or not 0 <= value <= high:
                raise RequestError(name, f"must be a number from 0 to {high:g}, is {value!r}")
        if self.judged < 2:
            raise RequestError("judged", f"must be a whole number from 2 on, is {self.judged!r}")
        if self.optimizer not in OPTIMIZERS:
            raise RequestError("optimizer", f"must be one of {', '.join(OPTIMIZERS)}, is {self.optimizer!r}")


class MixedStream(BatchStream):
    """Batches over the store; no two epochs have the same mixture."""

    def __init__(
        self, store: LatentStore, tokenizer: TextTokenizer, numbers: Sequence[int], options: DemoOptions
    ) -> None:
        super().__init__((), options.batch_size, options.batch_tokens, options.seed)
        self.store, self.tokenizer, self.numbers, self.options = store, tokenizer, numbers, options

    def epoch(self, number: int) -> list[list[StoredItem]]:
        """The batches of one epoch."""
        seed = mixed_seed(self.seed, "order", number)
        mixed = mixed_items(self.store, self.tokenizer, self.numbers, seed)
        items = [item for item in mixed if item.length <= self.options.max_tokens]
        if not items:
            raise DatasetError(f"no recording is as short as {self.options.max_tokens} positions; raise max_tokens")
        return make_batches(items, self.size, self.tokens, generator_for(self.seed, "order", number))


class DemoValidator(Validator):
    """Losses on the mixture as in training; the text gap on plain sentences, where only the text can help."""

    def __init__(
        self, mixed: Sequence[StoredItem], plain: Sequence[StoredItem], options: DemoOptions, world: World
    ) -> None:
        super().__init__(mixed, None, options, world)
        self.plain = Validator(plain, None, options, world)
        ordered = sorted(plain, key=lambda item: (len(item.text_ids), item.number))
        self.plain.batches = [ordered[n : n + SWAPPED_AMONG] for n in range(0, len(ordered), SWAPPED_AMONG)]

    def run(self, model: VoxCPMModel, autocast: torch.autocast) -> Validation:
        """See :meth:`Validator.run`."""
        found = super().run(model, autocast)
        return replace(found, text_gap=self.plain.run(model, autocast).text_gap)


class PhoneHead(nn.Module):
    """Phones from TSLM states: several places a patch, for a patch may hold more than one."""

    def __init__(self, width: int, places: int, phones: int) -> None:
        super().__init__()
        self.shape = (places, phones)
        self.weight = nn.Parameter(torch.zeros(places * phones, width))
        self.bias = nn.Parameter(torch.zeros(places * phones))

    def forward(self, states: Tensor, heard: Tensor) -> Tensor:
        """Summed over the patches: cross entropy in nats, mean of a patch's places, and the share told right.

        ``states`` [patches, H], ``heard`` int64 [patches, places].
        """
        told = F.linear(states, self.weight, self.bias).float().unflatten(-1, self.shape)
        nats = F.cross_entropy(told.flatten(0, 1), heard.flatten(), reduction="sum")
        right = (told.detach().argmax(dim=-1) == heard).sum()
        return torch.stack((nats, right.to(nats.dtype))) / self.shape[0]


class Joined:
    """Muon for the matrices of the layers, AdamW for all else, as one optimizer with one state."""

    def __init__(self, model: nn.Module, options: DemoOptions) -> None:
        named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
        matrices = {name for name, p in named if p.dim() == 2 and ".layers." in name}
        if options.optimizer == "adamw":
            matrices = set()
        rest = [p for name, p in named if name not in matrices]
        adamw = torch.optim.AdamW(rest, lr=options.rate, betas=(0.9, options.beta2), weight_decay=options.weight_decay)
        self.state: dict[Any, Any] = adamw.state
        self.all: list[torch.optim.Optimizer] = [adamw]
        if matrices:
            muon = torch.optim.Muon(
                [p for name, p in named if name in matrices],
                lr=options.rate,
                weight_decay=options.weight_decay,
                adjust_lr_fn="match_rms_adamw",
            )
            muon.state = self.state
            self.all.append(muon)
        self.param_groups = [group for optimizer in self.all for group in optimizer.param_groups]

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Of both."""
        for optimizer in self.all:
            optimizer.zero_grad(set_to_none=set_to_none)

    def step(self) -> None:
        """Of both."""
        for optimizer in self.all:
            optimizer.step()


class DemoTrainer(Trainer):
    """See the top of this file."""

    options: DemoOptions

    def _check_data(self) -> str:
        self.consent_ids = ()
        folder = Path(self.options.data)
        try:
            self.store = LatentStore(folder)
        except (OSError, ValueError, KeyError) as error:
            message = f"{folder} holds no store of latents ({error}); make one with encode_speech.py"
            raise DatasetError(message) from error
        count = len(self.store) - self.options.judged
        self.judged_numbers = range(max(0, count), len(self.store))
        kept = {self.store.items[number]["text"].casefold() for number in self.judged_numbers}
        self.numbers = [n for n in range(count) if self.store.items[n]["text"].casefold() not in kept]
        if not self.numbers:
            raise DatasetError(f"{len(self.store)} recordings are too few: {self.options.judged} are judged by")
        digest = hashlib.sha256()
        for name in ("latents.json", "index.npy", "items.jsonl"):
            digest.update((folder / name).read_bytes())
        return digest.hexdigest()

    def _load(self) -> Trainable:
        parts = super()._load()
        config = parts.config
        if self.store.head.get("codec") != codec_identity(parts.vae):
            raise DatasetError("the latents were made by another codec than the model's; run encode_speech.py again")
        if self.options.phone_weight:
            head = PhoneHead(config.lm_config.hidden_size, config.patch_size * PLACES, len(self.store.phones))
            # A part of the model while it is trained: optimizer, clipping, averages and checkpoints take it along.
            parts.model.add_module(PHONES, head.to(self.device))
        self.average = Average(parts.model, self.options.average)
        return parts

    def _open_data(self) -> None:
        self.cache = None  # stored items bring their latents
        options, tokenizer = self.options, self.parts.tokenizer
        self.stream = MixedStream(self.store, tokenizer, self.numbers, options)
        mixed = list(mixed_items(self.store, tokenizer, self.judged_numbers, options.seed))
        default = [n for n in self.judged_numbers if self.store.items[n]["voice"] == DEFAULT_VOICE]
        plain = list(mixed_items(self.store, tokenizer, default, 0, plain=True))
        self.validator = DemoValidator(mixed, plain, options, self.world)
        seconds = int(self.store.index[self.numbers, 1].sum()) * self.parts.config.patch_seconds
        self.teller.note(f"{len(self.numbers)} recordings, {seconds / 3600:.1f} hours; {len(mixed)} to judge by")

    def _make_optimizer(self) -> Joined:
        return Joined(self.parts.model, self.options)

    def _collate(self, batch: list[StoredItem], index: int) -> TrainingBatch:
        plain = super()._collate(batch, index)
        draw = generator_for(self.options.seed, "noise", index)
        strength = self.options.history_noise * torch.rand(len(batch), 1, 1, 1, generator=draw)
        noise = torch.randn(plain.feats.shape, generator=draw) * strength
        return replace(plain, heard=torch.where(plain.audio_mask[..., None, None], plain.feats + noise, plain.feats))

    def _objective(self, losses: Losses, batch: list[StoredItem]) -> Tensor:
        objective = super()._objective(losses, batch)
        if not self.options.phone_weight:
            return objective
        heard = torch.cat([self.store.places(item.number) for item in batch]).to(self.device)
        found = self.parts.model.get_submodule(PHONES)(losses.states, heard)
        self.told += torch.tensor([*found.detach().tolist(), losses.patches])
        return objective + self.options.phone_weight * found[0]

    def _step(self, step: int, batches: list[tuple[int, list[StoredItem]]]) -> dict[str, Any]:
        self.told = torch.zeros(3)
        event = super()._step(step, batches)
        self.average.add(self.parts.model, step)
        if self.options.phone_weight:
            nats, right, patches = self.told.tolist()
            event |= {"phone": nats / patches, "phones_right": right / patches}
        return event

    def _validate(self, step: int) -> bool:
        self.average.swap(self.parts.model)
        try:
            return super()._validate(step)
        finally:
            self.average.swap(self.parts.model)

    def _write(self, part: Path) -> None:
        super()._write(part)
        save_file({name: value.cpu().contiguous() for name, value in self.average.state().items()}, part / AVERAGED)

    def _restore(self, saved: Saved) -> int:
        step = super()._restore(saved)
        try:
            self.average.load(load_file(saved.folder / AVERAGED))
        except (SafetensorError, OSError, KeyError) as error:
            raise CheckpointError(f"{saved.folder} cannot be read ({error}); remove it to resume before it") from error
        return step

    def _export(self, source: Saved) -> None:
        from demo_export import export_demo

        export_demo(self.options, self.folder, source, self.folder.final, self.parts)

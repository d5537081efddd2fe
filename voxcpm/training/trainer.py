"""Fine-tuning a published model: the whole of it, or low-rank adapters.

Everything random comes from generators that are made anew from the seed and a count, and every step's batches are known
from its number. So a resumed run does exactly what an uninterrupted one would have done, and two processes with one
batch each do the same step as one process that accumulates two.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock, Timeout
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from voxcpm.config import VoxCPMConfig
from voxcpm.devices import choose_device, multiplies_bf16
from voxcpm.errors import CheckpointError, RequestError, VoxCPMError
from voxcpm.lora import LoRAConfig, inject
from voxcpm.modules.minicpm4 import MiniCPM4
from voxcpm.training.batch import TrainingBatch, collate
from voxcpm.training.curves import check_tensorboard
from voxcpm.training.data import BatchStream, Dataset, Item, build_dataset, fitted_batch
from voxcpm.training.latents import FOLDER, LatentCache
from voxcpm.training.loading import Trainable, load_trainable
from voxcpm.training.losses import Losses, training_losses
from voxcpm.training.manifest import Checked, check_for_training
from voxcpm.training.memory import TrainingMemory, training_memory
from voxcpm.training.options import TrainOptions
from voxcpm.training.runs import RunFolder, Saved
from voxcpm.training.saving import export, read_training_state, write_training_state
from voxcpm.training.seeds import Seeded, generator_for, mixed_seed
from voxcpm.training.speaking import speak_samples
from voxcpm.training.telling import Listener, Teller
from voxcpm.training.validation import Validation, Validator
from voxcpm.training.world import World

PLAIN_ATTENTION_LENGTH = 512
"""Longest batch whose attention may keep all its weights in memory."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    steps: int
    reason: str
    """``finished``, ``stopped`` (on request; resume to go on) or ``early`` (validation no longer got better)."""
    result: Path | None
    """Folder of the LoRA or model; None for a run that was stopped."""
    best_loss: float | None
    best_step: int | None


def train(
    options: TrainOptions,
    folder: Path,
    *,
    resume: bool = False,
    listener: Listener | None = None,
    stopping: Callable[[], bool] | None = None,
    kind: type[Trainer] | None = None,
) -> Outcome:
    """Run to the end, or until ``stopping`` says so between two steps (a checkpoint is then written).

    A new run needs an empty or new ``folder``; ``resume`` goes on from its newest complete checkpoint with the choices
    it was started with (``options`` must be those, see :func:`resumed_options`). ``kind`` is a trainer that takes its
    data from elsewhere or learns something more.

    Raises :class:`RequestError`, :class:`DatasetError`, :class:`CheckpointError` or ``OSError``.
    """
    options.check()
    if options.tensorboard:
        check_tensorboard()
    device = choose_device(options.device)
    threads = torch.get_num_threads()
    if options.threads:
        torch.set_num_threads(options.threads)
    world = World.join(device)
    if device.type == "cuda":
        if world.size > 1:
            device = torch.device("cuda", world.local_rank)
        torch.cuda.set_device(device)
    lock = FileLock(folder / ".lock", timeout=0)
    try:
        if world.leads:
            folder.mkdir(parents=True, exist_ok=True)
            _acquire(lock, folder)
        trainer = (kind or Trainer)(options, RunFolder(folder), device, world, listener)
        return trainer.run(resume, stopping or _never)
    finally:
        lock.release()
        world.leave()
        torch.set_num_threads(threads)


def _acquire(lock: FileLock, folder: Path) -> None:
    try:
        lock.acquire()
    except Timeout:
        message = f"another process is training in {folder}; wait for it or choose another folder"
        raise RequestError("out", message) from None


def resumed_options(folder: Path) -> TrainOptions:
    """The choices that the run in ``folder`` was started with."""
    return TrainOptions.from_dict(RunFolder(folder).read_choices()["options"])


class Trainer:
    """One run in one process."""

    def __init__(
        self, options: TrainOptions, folder: RunFolder, device: torch.device, world: World, listener: Listener | None
    ) -> None:
        self.options, self.folder, self.device, self.world = options, folder, device, world
        self.teller = Teller(folder, world, listener)
        self.best_loss: float | None = None
        self.best_step: int | None = None
        self.bad_validations = 0

    # Setting up

    def run(self, resume: bool, stopping: Callable[[], bool]) -> Outcome:
        """See :func:`train`."""
        saved = self._newest(resume)
        content = self._check_data()
        self.parts = self._load()
        self._open_data()
        self._identify(content, resume)
        self.optimizer = self._make_optimizer()
        memory = self._memory()
        self.teller.note(memory.sentence())
        start = self._restore(saved) if saved is not None else 0
        if self.options.tensorboard:
            self.teller.draw_curves(start)
        try:
            return self._steps(start, stopping)
        finally:
            self.teller.close()

    def _check_data(self) -> str:
        """Refuse bad data before the model is read; returns an identity of what is learned from."""
        self.checked = check_for_training(self.options.data)
        self.judged = check_for_training(self.options.validation) if self.options.validation else None
        self.consent_ids = self.checked.consent_ids()
        return self.checked.content

    def _open_data(self) -> None:
        """Have all latents at hand, and set ``stream``, ``cache`` and ``validator``."""
        data = self._dataset(self.checked)
        self.cache = self._cache(self.checked.path)
        self.validator: Validator | None = None
        if self.judged is not None:
            judged = self._dataset(self.judged)
            for text in self.checked.shared_with(self.judged):
                self.teller.note(text)
            self.validator = Validator(judged.items, self._cache(self.judged.path), self.options, self.world)
        size, remark = fitted_batch(data.items, self.options, self.world.size)
        if remark:
            self.teller.note(remark)
        self.stream = BatchStream(data.items, size, self.options.batch_tokens, self.options.seed)

    def _newest(self, resume: bool) -> Saved | None:
        found, notes = self.folder.checkpoints()
        if not resume:
            if found or self.folder.log():
                raise RequestError("out", f"{self.folder.path} holds a run; resume it or choose another folder")
            return None
        for text in notes:
            self.teller.note(text)
        if not found:
            self.teller.note("there is no complete checkpoint yet; starting from the beginning")
            return None
        return found[-1]

    def _load(self) -> Trainable:
        options = self.options
        precision = options.precision
        if precision == "auto":
            precision = "bfloat16" if multiplies_bf16(self.device) else "float32"
        self.autocasts = precision == "bfloat16"
        # Frozen weights can be kept in 16 bits; those that learn stay in float32, where a small step is not lost.
        dtype = torch.bfloat16 if self.autocasts and options.mode == "lora" else torch.float32
        parts = load_trainable(Path(options.model), device=self.device, dtype=dtype)
        for stack in parts.model.modules():
            if isinstance(stack, MiniCPM4):
                stack.recompute = options.recompute
        self.lora: LoRAConfig | None = None
        if options.mode == "lora":
            self.lora = LoRAConfig(
                options.adapt_lm,
                options.adapt_dit,
                options.adapt_projections,
                options.rank,
                options.alpha,
                options.dropout,
            )
            inject(parts.model, self.lora, generator_for(options.seed, "adapter"))
        return parts

    def _cache(self, manifest: Path) -> LatentCache:
        folder = Path(self.options.cache) if self.options.cache else manifest.parent / FOLDER
        return LatentCache(folder, self.parts.vae, self.parts.config.patch_size)

    def _dataset(self, checked: Checked) -> Dataset:
        config: VoxCPMConfig = self.parts.config
        cache = self._cache(checked.path)
        recordings = [r for e in checked.entries for r in (e.audio, e.reference) if r is not None]
        if self.world.leads:
            cache.fill(recordings, lambda done, of: self.teller.tell({"event": "encoding", "done": done, "of": of}))
        self.world.wait()
        data = build_dataset(
            checked,
            cache,
            self.parts.tokenizer,
            max_tokens=min(self.options.max_tokens, config.max_length),
            takes_reference=config.takes_reference,
        )
        for text in (data.summary, *data.notes):
            self.teller.note(text)
        return data

    def _make_optimizer(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(
            [p for p in self.parts.model.parameters() if p.requires_grad],
            lr=self.options.rate,
            betas=(0.9, self.options.beta2),
            weight_decay=self.options.weight_decay,
        )

    def _identify(self, content: str, resume: bool) -> None:
        """Refuse to go on with other data or another model; note what a new run is made of."""
        identity = {"data": content, "model": self.parts.fingerprint}
        if resume:
            before = self.folder.read_choices()
            for key, what in (("data", "the training manifest"), ("model", "the model")):
                if before.get(key) != identity[key]:
                    raise CheckpointError(f"{what} is not the one that the run was started with; put it back")
            if type(self.options).from_dict(before["options"]) != self.options:
                raise RequestError("resume", "a run goes on with the options it was started with; leave the others out")
        elif self.world.leads:
            choices = {"options": self.options.to_dict(), **identity, "consent_record_ids": list(self.consent_ids)}
            self.folder.write_choices(choices)

    def _memory(self) -> TrainingMemory:
        return training_memory(self.parts.model, self.parts.vae, self.options, 2 if self.autocasts else 4)

    def _restore(self, saved: Saved) -> int:
        read_training_state(saved.folder, self.parts.model, self.optimizer)
        self.best_loss, self.best_step = saved.state["best_loss"], saved.state["best_step"]
        self.bad_validations = int(saved.state["bad_validations"])
        if self.world.leads:
            self.folder.cut_log(saved.step)
        self.teller.note(f"going on after step {saved.step}")
        return saved.step

    # Steps

    def _steps(self, start: int, stopping: Callable[[], bool]) -> Outcome:
        options = self.options
        per_step = options.accumulate * self.world.size
        stream = self.stream.start_at(start * per_step)
        reason, last_saved = "finished", start
        if options.patience and self.bad_validations >= options.patience:
            return self._finish(start, "early")  # it had ended before it was resumed
        for step in range(start + 1, options.steps + 1):
            began = time.perf_counter()
            event = self._step(step, list(islice(stream, per_step)))
            self.teller.log({**event, "seconds": time.perf_counter() - began})
            stopped = self.world.any(stopping(), self.device)
            last = stopped or step == options.steps
            better = False
            if self.validator is not None and (step % options.validate_every == 0 or (last and not stopped)):
                better = self._validate(step)
                if options.patience and self.bad_validations >= options.patience:
                    reason, last = "early", True
            if last or better or step % options.save_every == 0:
                self._save(step)
                last_saved = step
            if stopped and step < options.steps:
                return Outcome(step, "stopped", None, self.best_loss, self.best_step)
            if reason == "early":
                break
        return self._finish(last_saved, reason)

    def _step(self, step: int, batches: list[tuple[int, list[Item]]]) -> dict[str, Any]:
        """One optimizer step over ``accumulate`` batches of every process."""
        options, model = self.options, self.parts.model
        rate = options.learning_rate_at(step)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        # Patches that carry loss in the whole step, in all processes: the mean is over all of them, whatever the split.
        patches = sum(item.patches for _, batch in batches for item in batch)
        first = (step - 1) * len(batches)
        sums = torch.zeros(2, device=self.device)
        self.optimizer.zero_grad(set_to_none=True)
        for place, (_, batch) in enumerate(batches):
            if place % self.world.size == self.world.rank:
                sums += self._backward(first + place, batch, patches, step)
        self.world.add_gradients(model.parameters())
        self.world.add(sums)
        learning = [p for p in model.parameters() if p.requires_grad]
        norm = nn.utils.clip_grad_norm_(learning, options.clip or float("inf"))
        diff, stop = (sums / patches).tolist()
        if not bool(torch.isfinite(norm)) or not bool(torch.isfinite(sums).all()):
            raise VoxCPMError(
                f"the loss is no number any more at step {step}; the last checkpoint is kept. "
                "Lower the learning rate, or train in float32"
            )
        self.optimizer.step()
        return {
            "event": "step",
            "step": step,
            "of": options.steps,
            "epoch": batches[0][0],
            "loss": diff + options.stop_weight * stop,
            "diff": diff,
            "stop": stop,
            "rate": rate,
            "grad_norm": float(norm),
            "sentences": sum(len(batch) for _, batch in batches),
            "patches": patches,
            "audio_seconds": patches * self.parts.config.patch_seconds,
        }

    def _backward(self, index: int, batch: list[Item], patches: int, step: int) -> Tensor:
        """Gradients of one batch; returns its two summed losses."""
        options = self.options
        tensors = self._collate(batch, index).to(self.device)
        with self._dropout(index), self._autocast(), self._attention(tensors.tokens.shape[1]):
            losses = training_losses(
                self.parts.model,
                tensors,
                generator_for(options.seed, "draws", index),
                progress=(step - 1) / options.steps,
            )
            (self._objective(losses, batch) / patches).backward()
        return torch.stack((losses.diff.detach(), losses.stop.detach()))

    def _collate(self, batch: list[Item], index: int) -> TrainingBatch:
        """The batch with that number, counted over the whole run."""
        return collate([item.load(self.cache) for item in batch])

    def _objective(self, losses: Losses, batch: list[Item]) -> Tensor:
        """What goes down in training: a sum over the batch's target patches, scalar with gradient."""
        return losses.diff + self.options.stop_weight * losses.stop

    def _autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.autocasts)

    def _attention(self, length: int) -> AbstractContextManager[object]:
        """The fused kernel's backward pass is slow on CPUs for LocDiT's few positions (up to 4 times in bfloat16)."""
        if self.device.type == "cpu" and length <= PLAIN_ATTENTION_LENGTH:
            return sdpa_kernel(SDPBackend.MATH)
        return nullcontext()

    def _dropout(self, index: int) -> AbstractContextManager[object]:
        """Dropout draws from the global generator: give it a seed of the batch's own, and put its state back after."""
        if not (self.lora and self.lora.dropout):
            return nullcontext()
        devices = [self.device] if self.device.type == "cuda" else []
        return Seeded(mixed_seed(self.options.seed, "dropout", index), devices)

    def _validate(self, step: int) -> bool:
        """Judge, speak, and tell whether it was the best so far."""
        assert self.validator is not None
        found: Validation = self.validator.run(self.parts.model, self._autocast())
        better = self.best_loss is None or found.loss < self.best_loss
        if better:
            self.best_loss, self.best_step, self.bad_validations = found.loss, step, 0
        else:
            self.bad_validations += 1
        spoken: list[str] = []
        if self.world.leads and self.options.samples:
            spoken = speak_samples(self.parts, self.options.samples, self.folder.path / "samples", step)
        self.teller.log({"event": "validation", "step": step, **asdict(found), "best": better, "samples": spoken})
        return better

    def _save(self, step: int) -> None:
        if self.world.leads:
            state = {
                "best_loss": self.best_loss,
                "best_step": self.best_step,
                "bad_validations": self.bad_validations,
            }
            self.folder.save(step, state, self._write)
            self.folder.prune(self.options.keep, self.best_step)
            self.teller.tell({"event": "saved", "step": step})
        self.world.wait()

    def _write(self, part: Path) -> None:
        """All files of a checkpoint."""
        write_training_state(
            part, self.parts.model, self.optimizer, self.lora, self.parts.folder.name, self.consent_ids
        )

    def _export(self, source: Saved) -> None:
        """Make the result from a checkpoint."""
        export(source.folder, self.folder.final, self.parts, self.consent_ids)

    def _finish(self, last_saved: int, reason: str) -> Outcome:
        chosen = last_saved if self.best_step is None else self.best_step
        if self.world.leads:
            found, _ = self.folder.checkpoints()
            self._export(next(saved for saved in found if saved.step == chosen))
            self.teller.note(f"the result is that of step {chosen}: {self.folder.final}")
        self.world.wait()
        return Outcome(last_saved, reason, self.folder.final, self.best_loss, self.best_step)


def _never() -> bool:
    return False

"""Training an AudioVAE: a new small one, or a published one further. ``python -m voxcpm.training.codec --help``.

As in the training of models, every step's data and noise come from its number: a resumed run does exactly what an
uninterrupted one would have done.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock, Timeout
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from voxcpm.checkpoint import CheckpointFiles, load_vae, read_tensors
from voxcpm.config import AudioVAEConfig, VoxCPMConfig
from voxcpm.devices import choose_device
from voxcpm.errors import CheckpointError, RequestError, VoxCPMError
from voxcpm.training.codec_losses import SpectralSettings, kl_divergence, spectral_losses, weighted
from voxcpm.training.codec_net import Average, add_weight_norm, export_codec, make_trainable, new_codec, reconstruct
from voxcpm.training.codec_options import DEMO_CODEC, CodecOptions, codec_from_dict
from voxcpm.training.crops import Crops
from voxcpm.training.manifest import check_manifest
from voxcpm.training.pcm_store import HEAD, PcmStore, store_recordings
from voxcpm.training.runs import RunFolder, Saved
from voxcpm.training.seeds import generator_for
from voxcpm.vae.audio_vae import AudioVAE

logger = logging.getLogger(__name__)

WEIGHTS, AVERAGED, OPTIMIZER = "weights.safetensors", "averaged.safetensors", "optimizer.safetensors"
Listener = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    steps: int
    result: Path | None
    """Folder with ``audiovae.safetensors``; None for a run that was stopped."""
    validation: dict[str, float]
    """The last one."""


def train_codec(
    options: CodecOptions,
    folder: Path,
    *,
    resume: bool = False,
    listener: Listener | None = None,
    stopping: Callable[[], bool] | None = None,
) -> Outcome:
    """Run to the end, or until ``stopping`` says so between two steps (a checkpoint is then written).

    A new run needs an empty or new ``folder``. Raises :class:`RequestError`, :class:`DatasetError`,
    :class:`CheckpointError` or ``OSError``.
    """
    options.check()
    device = choose_device(options.device)
    threads = torch.get_num_threads()
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / ".lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise RequestError("out", f"another process is training in {folder}; choose another folder") from None
    try:
        if options.threads:
            torch.set_num_threads(options.threads)
        run = RunFolder(folder)
        saved = _newest(run, resume)
        if saved is None:
            run.write_choices({"options": options.to_dict()})
        elif CodecOptions.from_dict(run.read_choices()["options"]) != options:
            raise RequestError("resume", "a run goes on with the options it was started with; leave the others out")
        return CodecTrainer(options, run, device, listener).run(saved, stopping or (lambda: False))
    finally:
        torch.set_num_threads(threads)
        lock.release()


def _newest(run: RunFolder, resume: bool) -> Saved | None:
    found, notes = run.checkpoints()
    for note in notes:
        logger.warning("%s", note)
    if not resume and (found or run.log()):
        raise RequestError("out", f"{run.path} holds a run; resume it or choose another folder")
    return found[-1] if resume and found else None


def resumed_options(folder: Path) -> CodecOptions:
    """The choices that the run in ``folder`` was started with."""
    return CodecOptions.from_dict(RunFolder(folder).read_choices()["options"])


def open_store(data: Path, config: AudioVAEConfig, made_in: Path) -> PcmStore:
    """A store as it is, or one made of a manifest's recordings (once: it is kept in ``made_in``)."""
    if data.is_dir():
        return PcmStore(data)
    checked = check_manifest(data)
    checked.require()
    key = hashlib.sha256(f"{checked.content}/{config.output_rate}".encode()).hexdigest()[:12]
    folder = made_in / f"recordings-{key}"
    if (folder / HEAD).is_file():
        return PcmStore(folder)
    files = {r.content: r.path for e in checked.entries for r in (e.audio, e.reference) if r is not None}
    return store_recordings(files.values(), folder, config.output_rate)


def start_codec(options: CodecOptions) -> AudioVAE:
    """The codec before the first step, ready to learn."""
    if options.model:
        files = CheckpointFiles.locate(Path(options.model))
        vae = load_vae(VoxCPMConfig.from_file(files.config), read_tensors(files.vae), device=torch.device("cpu"))
        make_trainable(vae)
    else:
        vae = new_codec(options.codec, generator_for(options.seed, "adapter"))
    if options.weight_norm:
        add_weight_norm(vae)
    if options.decoder_only:
        vae.encoder.requires_grad_(False)
    return vae


class CodecTrainer:
    """One run in one process."""

    def __init__(
        self, options: CodecOptions, folder: RunFolder, device: torch.device, listener: Listener | None
    ) -> None:
        self.options, self.folder, self.device, self.listener = options, folder, device, listener
        self.vae = start_codec(options).to(device)
        self.config = self.vae.config
        self.crops = Crops(open_store(Path(options.data), self.config, folder.path), self.config, options)
        self.settings = SpectralSettings(
            floor=options.floor,
            mel_weight=options.mel_weight,
            magnitude_weight=options.magnitude_weight,
            complex_weight=options.complex_weight,
        )
        self.learning = [p for p in self.vae.parameters() if p.requires_grad]
        self.optimizer = torch.optim.AdamW(
            self.learning, lr=options.learning_rate, betas=(0.8, 0.99), weight_decay=options.weight_decay
        )
        self.average = Average(self.vae, options.ema)
        self.reconstruct = self._compiled() if options.compile else reconstruct
        self.validation: dict[str, float] = {}

    def run(self, saved: Saved | None, stopping: Callable[[], bool]) -> Outcome:
        """See :func:`train_codec`."""
        options, start = self.options, 0
        if saved is not None:
            self._restore(saved)
            start = saved.step
        self._tell(
            {
                "event": "start",
                "step": start,
                "parameters": {
                    "encoder": sum(p.numel() for p in self.vae.encoder.parameters()),
                    "decoder": sum(p.numel() for p in self.vae.decoder.parameters()),
                },
                "recordings": len(self.crops.store) - self.crops.judged,
                "hours": self.crops.store.seconds / 3600,
            }
        )
        for step in range(start + 1, options.steps + 1):
            began = time.perf_counter()
            event = self._step(step)
            self._tell({**event, "seconds": time.perf_counter() - began})
            stopped = stopping() and step < options.steps
            last = step == options.steps
            if last or (step % options.validate_every == 0 and not stopped):
                self._validate(step)
            if last or stopped or step % options.save_every == 0:
                self._save(step)
            if stopped:
                return Outcome(step, None, self.validation)
        self.average.swap(self.vae)
        export_codec(self.vae, self.folder.final)
        return Outcome(options.steps, self.folder.final, self.validation)

    def _step(self, step: int) -> dict[str, Any]:
        options = self.options
        for group in self.optimizer.param_groups:
            group["lr"] = options.learning_rate_at(step)
        heard, wanted, noise = (tensor.to(self.device) for tensor in self.crops.batch(step))
        self.optimizer.zero_grad(set_to_none=True)
        with self._autocast():
            decoded, mean, log_variance = self.reconstruct(self.vae, heard, noise)
        losses = spectral_losses(decoded.float(), wanted, self.config.output_rate, self.settings)
        kl = kl_divergence(mean.float(), log_variance.float())
        loss = weighted(losses, self.settings) + options.kl_weight * kl
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.learning, options.clip or float("inf"))
        if not bool(torch.isfinite(norm)):
            raise VoxCPMError(
                f"the loss is no number any more at step {step}; the last checkpoint is kept. Lower the learning rate"
            )
        self.optimizer.step()
        self.average.add(self.vae, step)
        return {
            "event": "step",
            "step": step,
            "of": options.steps,
            "loss": loss.item(),
            **{name: value.item() for name, value in losses.items()},
            "kl": kl.item(),
            "latent_size": mean.detach().float().std().item(),
            "grad_norm": norm.item(),
            "rate": options.learning_rate_at(step),
        }

    @torch.no_grad()
    def _validate(self, step: int) -> None:
        """Losses of the averaged weights on recordings that are never trained on, from mean latents."""
        sums: dict[str, float] = {}
        self.average.swap(self.vae)
        count = 0
        for heard, wanted in self.crops.validation():
            decoded = self.vae.decode(self.vae.encode(heard.to(self.device)))
            losses = spectral_losses(decoded, wanted.to(self.device), self.config.output_rate, self.settings)
            for name, value in (*losses.items(), ("loss", weighted(losses, self.settings))):
                sums[name] = sums.get(name, 0.0) + value.item()
            count += 1
        self.average.swap(self.vae)
        self.validation = {name: value / count for name, value in sums.items()}
        self._tell({"event": "validation", "step": step, **self.validation})

    def _autocast(self) -> AbstractContextManager[Any]:
        if not self.options.bfloat16:
            return nullcontext()
        return torch.autocast(self.device.type, dtype=torch.bfloat16)

    def _compiled(self) -> Callable[[AudioVAE, Tensor, Tensor], tuple[Tensor, Tensor, Tensor]]:
        """The compiled forward pass if it can be made here (it needs a C compiler), else the plain one."""
        compiled = torch.compile(reconstruct, dynamic=False)
        try:
            heard, _, noise = self.crops.batch(1)
            with self._autocast():
                decoded, mean, log_variance = compiled(self.vae, heard.to(self.device), noise.to(self.device))
            (decoded.sum() + mean.sum() + log_variance.sum()).backward()
        except Exception as error:  # whatever the compiler, its tools and its temporary folders come up with
            logger.warning("the codec cannot be compiled here and takes longer to train: %s", _first_line(error))
            return reconstruct
        finally:
            self.optimizer.zero_grad(set_to_none=True)
        return compiled

    # Checkpoints

    def _save(self, step: int) -> None:
        def write(folder: Path) -> None:
            save_file({n: p.detach().cpu().contiguous() for n, p in self.vae.named_parameters()}, folder / WEIGHTS)
            save_file({n: v.cpu().contiguous() for n, v in self.average.state().items()}, folder / AVERAGED)
            state = {}
            for name, parameter in self.vae.named_parameters():
                for key, value in self.optimizer.state.get(parameter, {}).items():
                    state[f"{name}.{key}"] = value.detach().cpu().contiguous()
            save_file(state, folder / OPTIMIZER)

        self.folder.save(step, {"validation": self.validation}, write)
        self.folder.prune(self.options.keep)
        self._tell({"event": "checkpoint", "step": step})

    @torch.no_grad()
    def _restore(self, saved: Saved) -> None:
        weights, averaged, state = (_read(saved.folder / name) for name in (WEIGHTS, AVERAGED, OPTIMIZER))
        parameters = dict(self.vae.named_parameters())
        if set(weights) != set(parameters) or any(weights[n].shape != p.shape for n, p in parameters.items()):
            raise CheckpointError(f"{saved.folder} was made with another codec; it cannot be resumed here")
        for name, parameter in parameters.items():
            parameter.copy_(weights[name])
            entries = {k.rpartition(".")[2]: v for k, v in state.items() if k.rpartition(".")[0] == name}
            if entries:
                self.optimizer.state[parameter] = {
                    key: value.clone() if key == "step" else value.to(self.device) for key, value in entries.items()
                }
        self.average.load(averaged)
        self.validation = dict(saved.state["validation"])
        self.folder.cut_log(saved.step)

    def _tell(self, event: dict[str, Any]) -> None:
        self.folder.append(event)
        if self.listener is not None:
            self.listener(event)


def averaged_codec(folder: Path) -> tuple[AudioVAE, int]:
    """The averaged weights of a run's newest checkpoint, ready for inference, and its step."""
    options = resumed_options(folder)
    found, _ = RunFolder(folder).checkpoints()
    if not found:
        raise CheckpointError(f"{folder} has no complete checkpoint yet; wait for the first one")
    vae = start_codec(options)
    average = Average(vae, options.ema)
    average.load(_read(found[-1].folder / AVERAGED))
    average.swap(vae)
    return vae.eval().requires_grad_(False), found[-1].step


def codec_shape(raw: dict[str, Any]) -> AudioVAEConfig:
    """A codec of the second generation from the keys of ``audio_vae_config`` (all others keep the demo's values)."""
    return codec_from_dict({**asdict(DEMO_CODEC), **raw})


def _read(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(path)
    except (SafetensorError, OSError) as error:
        message = f"{path} cannot be read ({error}); remove its folder to resume from the one before"
        raise CheckpointError(message) from error


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


if __name__ == "__main__":
    from voxcpm.training.codec_cli import main

    main()

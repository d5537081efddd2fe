"""What a checkpoint of a run holds, and how the result is made from one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from voxcpm.checkpoint import CheckpointFiles, read_tensors
from voxcpm.errors import CheckpointError
from voxcpm.files import write_atomically
from voxcpm.lora import CONFIG, CONSENT_KEY, WEIGHTS, LoRAConfig, save_lora, take
from voxcpm.model import VoxCPMModel
from voxcpm.training.loading import Trainable

OPTIMIZER = "optimizer.safetensors"
MODEL = "model.safetensors"
CODEC = "audiovae.safetensors"
ORIGIN = "training.json"


def write_training_state(
    folder: Path,
    model: VoxCPMModel,
    optimizer: torch.optim.Optimizer,
    lora: LoRAConfig | None,
    base_model: str,
    consent_ids: tuple[str, ...],
) -> None:
    """Weights that learn (a LoRA in the published form, or the whole model in float32) and the optimizer's state."""
    if lora is not None:
        save_lora(folder, take(model, lora, name=folder.name, base_model=base_model, consent_ids=consent_ids))
    else:
        save_file({n: p.detach().cpu().contiguous() for n, p in model.named_parameters()}, folder / MODEL)
    state: dict[str, Tensor] = {}
    for name, parameter in model.named_parameters():
        for key, value in optimizer.state.get(parameter, {}).items():
            state[f"{name}.{key}"] = value.detach().cpu().contiguous()
    save_file(state, folder / OPTIMIZER)


@torch.no_grad()
def read_training_state(folder: Path, model: VoxCPMModel, optimizer: torch.optim.Optimizer) -> None:
    """Put back what :func:`write_training_state` wrote; :class:`CheckpointError` if it is of another run."""
    try:
        weights = load_file(folder / (WEIGHTS if (folder / WEIGHTS).is_file() else MODEL))
        state = load_file(folder / OPTIMIZER)
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"{folder} cannot be read ({error}); remove it to resume from the one before") from error
    learning = {name: p for name, p in model.named_parameters() if p.requires_grad}
    if set(weights) != set(learning) or any(weights[n].shape != p.shape for n, p in learning.items()):
        raise CheckpointError(f"{folder} was made with other settings or another model; it cannot be resumed here")
    for name, parameter in learning.items():
        parameter.copy_(weights[name])
        entries = {key.rpartition(".")[2]: value for key, value in state.items() if key.rpartition(".")[0] == name}
        # AdamW keeps the count of steps on the CPU and the moments beside the parameter.
        optimizer.state[parameter] = {
            key: value.clone() if key == "step" else value.to(parameter.device) for key, value in entries.items()
        }


def export(
    source: Path,
    target: Path,
    parts: Trainable,
    consent_ids: tuple[str, ...],
    *,
    weights: str = MODEL,
    dtype: torch.dtype | None = None,
) -> None:
    """Make the result from a checkpoint: the two files of a LoRA, or a model folder like the one trained on.

    A whole model is taken from the checkpoint's file ``weights`` and stored in ``dtype``, or in the number format of
    the base model, a pickled codec as safetensors. Parts that the base model does not have only helped in training:
    left out. Raises ``OSError``.
    """
    made = target.with_name(f".{target.name}.part")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    if (source / WEIGHTS).is_file():
        for name in (WEIGHTS, CONFIG):
            shutil.copyfile(source / name, made / name)
    else:
        base = CheckpointFiles.locate(parts.folder)
        dtypes = {name: tensor.dtype for name, tensor in read_tensors(base.model)}
        kept = {name: tensor for name, tensor in load_file(source / weights).items() if name in dtypes}
        save_file({name: t.to(dtype or dtypes[name]) for name, t in kept.items()}, made / MODEL, {"format": "pt"})
        shards, written = {file.name for file in base.model}, [MODEL]
        if any(file.suffix != ".safetensors" for file in base.vae):  # a copy of a pickle would be known to nobody
            shards |= {file.name for file in base.vae}
            codec = {name: tensor.contiguous() for name, tensor in read_tensors(base.vae)}
            save_file(codec, made / CODEC, {"format": "pt"})
            written.append(CODEC)
        for file in sorted(parts.folder.iterdir()):
            is_weights = file.name in shards or file.name.startswith(("model.safetensors", "pytorch_model.bin"))
            if file.is_file() and not is_weights:
                shutil.copyfile(file, made / file.name)
        for name in written:  # written for their owner only; a model is for all to read
            shutil.copymode(made / "config.json", made / name)
        origin: dict[str, Any] = {"base_model": parts.folder.name, "base_fingerprint": parts.fingerprint}
        origin[CONSENT_KEY] = list(consent_ids)
        write_atomically(made / ORIGIN, (json.dumps(origin, indent=2) + "\n").encode())
    shutil.rmtree(target, ignore_errors=True)
    made.rename(target)

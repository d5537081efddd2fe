"""A published model folder, opened for training instead of generating."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch

from voxcpm.checkpoint import CheckpointFiles, Progress, detach_from_files, load_model, load_vae, read_tensors
from voxcpm.config import VoxCPMConfig
from voxcpm.flow.cfm import check_trainable
from voxcpm.model import VoxCPMModel
from voxcpm.tokenizer import TextTokenizer
from voxcpm.vae.audio_vae import AudioVAE


@dataclass(frozen=True)
class Trainable:
    """The parts of a model folder. The codec stays as it is; the model's parameters can be changed."""

    folder: Path
    config: VoxCPMConfig
    model: VoxCPMModel
    vae: AudioVAE
    tokenizer: TextTokenizer
    fingerprint: str


def load_trainable(
    folder: Path, *, device: torch.device, dtype: torch.dtype = torch.float32, progress: Progress | None = None
) -> Trainable:
    """Read a model folder with every parameter in ``dtype``, in training mode and with gradients.

    Raises :class:`CheckpointError` or :class:`ConfigError` (also for a kind that cannot be trained).
    """
    files = CheckpointFiles.locate(Path(folder))
    config = VoxCPMConfig.from_file(files.config)
    check_trainable(config.dit_config.cfm_config, mean_mode=config.dit_config.dit_mean_mode)
    tokenizer = TextTokenizer.from_dir(files.folder)
    model = load_model(config, read_tensors(files.model), device=device, dtype=dtype, progress=progress)
    vae = load_vae(config, read_tensors(files.vae), device=device)
    for part in (model, vae):
        detach_from_files(part)
    model.requires_grad_(True).train()
    return Trainable(files.folder, config, model, vae, tokenizer, files.fingerprint())

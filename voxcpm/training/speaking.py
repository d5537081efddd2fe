"""Letting a model that is being trained speak, to hear where it stands."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from voxcpm.audio_file import write_wav
from voxcpm.errors import VoxCPMError
from voxcpm.pipeline import VoxCPM
from voxcpm.request import Request
from voxcpm.training.loading import Trainable

logger = logging.getLogger(__name__)

MAX_SECONDS = 15.0


def speak_samples(parts: Trainable, texts: Sequence[str], folder: Path, step: int) -> list[str]:
    """One take of every text with a fixed seed, as WAV files; returns their names. The model is left as it was.

    A text that fails is logged and left out: training must not end because of it.
    """
    engine = VoxCPM(
        parts.config,
        parts.model,
        parts.vae,
        parts.tokenizer,
        name=parts.folder.name,
        fingerprint=parts.fingerprint,
        keep_layers=True,
    )
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    training = parts.model.training
    parts.model.eval()
    try:
        for number, text in enumerate(texts, 1):
            limit = max(1, round(MAX_SECONDS / parts.config.patch_seconds))
            try:
                result = engine.generate(Request(text, seed=0, retries=1, max_patches=limit))
                name = f"step-{step:08d}-{number}.wav"
                write_wav(folder / name, result.samples, result.sample_rate)
                names.append(name)
            except VoxCPMError as error:
                logger.warning("sample %d could not be spoken: %s", number, error)
    finally:
        parts.model.train(training)
    return names

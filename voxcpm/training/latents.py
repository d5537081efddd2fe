"""Latents of recordings, computed once and kept on disk by content."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from voxcpm import audio
from voxcpm.errors import AudioError, DatasetError
from voxcpm.files import write_atomically
from voxcpm.foreign_audio import read_audio
from voxcpm.training.manifest import Recorded
from voxcpm.vae.audio_vae import AudioVAE

logger = logging.getLogger(__name__)

FOLDER = ".latents"


class LatentCache:
    """Patches [n, P, D] of recordings in one folder. A key is the recording's content and the codec's weights, so that
    neither a moved file nor another model can bring wrong latents. Several processes may share a folder."""

    def __init__(self, folder: Path, vae: AudioVAE, patch_size: int) -> None:
        self.folder, self.vae, self.patch_size = folder, vae, patch_size
        self._codec = codec_identity(vae)

    def path(self, recorded: Recorded) -> Path:
        """Where the latents of a recording are."""
        key = hashlib.sha256(f"{recorded.content}/{self._codec}/{self.patch_size}".encode()).hexdigest()[:40]
        return self.folder / key[:2] / f"{key}.safetensors"

    def count(self, recorded: Recorded) -> int:
        """Patches of a recording; encodes it if that has not been done."""
        path = self.path(recorded)
        try:
            with safe_open(path, framework="pt") as reader:
                return int(reader.get_slice("patches").get_shape()[0])
        except (SafetensorError, OSError):
            return self.get(recorded).shape[0]

    def get(self, recorded: Recorded) -> Tensor:
        """Patches float32 [n, P, D] on the CPU; encodes if they are not there or damaged.

        Raises :class:`DatasetError` for a recording that cannot be used.
        """
        path = self.path(recorded)
        try:
            with safe_open(path, framework="pt") as reader:
                patches: Tensor = reader.get_tensor("patches")
                return patches
        except FileNotFoundError:
            pass
        except (SafetensorError, OSError) as error:
            logger.warning("kept latents cannot be read (%s); they are made again", type(error).__name__)
        patches = self.encode(recorded)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, save({"patches": patches}))
        return patches

    @torch.inference_mode()
    def encode(self, recorded: Recorded) -> Tensor:
        """Read, mend, resample and encode one recording, padded with zeros on the right to a whole patch."""
        rate = self.vae.config.sample_rate
        try:
            prepared = audio.prepare_reference(
                read_audio(recorded.path), rate, min_seconds=0.0, max_seconds=float("inf")
            )
        except AudioError as error:
            raise DatasetError(f"{recorded.path.name} cannot be learned from: {error}") from error
        samples = torch.from_numpy(prepared.samples).to(next(self.vae.parameters()).device)
        patches = self.vae.encode_patches(samples, self.patch_size).cpu()
        return torch.empty(patches.shape).copy_(patches)  # a tensor born in inference mode cannot be trained on

    def fill(self, recordings: Iterable[Recorded], progress: Callable[[int, int], None] | None = None) -> int:
        """Encode what is not there yet; returns how many were made. ``progress`` gets (done, of)."""
        wanted = {self.path(recorded): recorded for recorded in recordings}
        missing = [recorded for path, recorded in wanted.items() if not path.is_file()]
        for done, recorded in enumerate(missing, 1):
            self.get(recorded)
            if progress is not None:
                progress(done, len(missing))
        return len(missing)


def codec_identity(vae: AudioVAE) -> str:
    """Short identity of an encoder: its configuration and every weight."""
    digest = hashlib.sha256(repr(vae.config).encode())
    for name, tensor in sorted(vae.encoder.state_dict().items()):
        digest.update(name.encode() + tensor.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()[:16]

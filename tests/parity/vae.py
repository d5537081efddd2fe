"""Rules for ``vae.safetensors``: the codec, whole and in pieces."""

from __future__ import annotations

import re

import torch
from torch import Tensor

from tests.parity.folder import Rule, Vectors
from voxcpm import audio
from voxcpm.vae.audio_vae import AudioVAE
from voxcpm.vae.decoder import DecoderState

FILE = "vae.safetensors"
WINDOW = 3  # patches that the first generations decode again for every streamed patch


@torch.inference_mode()
def check(vectors: Vectors) -> None:
    """Compare the whole file."""
    tensors = vectors.tensors(FILE)
    if tensors:
        vectors.run(FILE, tensors, VAERules(vectors, tensors).rules())


class VAERules:
    """One method per kind of key."""

    def __init__(self, vectors: Vectors, tensors: dict[str, Tensor]) -> None:
        self.vectors, self.t = vectors, tensors
        self.vae = vectors.engine.vae
        self.patch = vectors.engine.config.patch_size

    def rules(self) -> list[tuple[str, Rule]]:
        """Patterns in order of trial."""
        return [
            (r"wav_(\w+)", self.wav),
            (r"encode_(\w+)", lambda m: self.vae.encode(self.t[f"wav_{m[1]}"][None])),
            (r"encoder_(hidden|logvar)_(\w+)", self.inside),
            (r"decode_whole", lambda _: self.vae.decode(self.t["decode_z"])[:, None]),
            (r"decode_b\d+", lambda m: self.vae.decode(self.t[m[0].replace("decode_", "decode_z_")])[:, None]),
            (r"decode_srcond_(\d+)", lambda m: self.vae.decode(self.first_frames(m[0]), int(m[1]))[:, None]),
            (r"decode_stream(_1frame)?", self.stream),
            (r"decode_window", lambda _: window_decode(self.vae, self.t["decode_z"], self.patch)[:, None]),
            (r"decode_z\w*", lambda _: None),
        ]

    def wav(self, match: re.Match[str]) -> Tensor:
        """The recorded samples are those that our reader finds in the file."""
        recording = audio.read_audio(self.vectors.audio(match[1]))
        return torch.from_numpy(recording.samples)

    def inside(self, match: re.Match[str]) -> Tensor:
        """Before the heads, and the unused head."""
        hidden = self.vae.encoder.hidden(self.vae.pad(self.t[f"wav_{match[2]}"])[None, None])
        return hidden if match[1] == "hidden" else self.vae.encoder.fc_logvar(hidden)

    def frames_of(self, key: str) -> int:
        """Latent frames that a recorded waveform stands for."""
        return self.t[key].shape[-1] // self.vae.config.output_hop

    def first_frames(self, key: str) -> Tensor:
        """The start of ``decode_z`` that a recording was made of."""
        return self.t["decode_z"][:, :, : self.frames_of(key)]

    def stream(self, match: re.Match[str]) -> Tensor:
        """Stateful decode in pieces of one patch or one frame."""
        latents = self.first_frames(match[0])
        size = 1 if match[1] else self.patch
        return stream_decode(self.vae, latents, size)[:, None]


def stream_decode(vae: AudioVAE, latents: Tensor, size: int) -> Tensor:
    """Decode [B, D, frames] in pieces of ``size`` frames from a cold start."""
    state, pieces = DecoderState(), []
    for piece in latents.split(size, dim=2):
        wave, state = vae.decode_stream(piece, state)
        pieces.append(wave)
    return torch.cat(pieces, dim=1)


def window_decode(vae: AudioVAE, latents: Tensor, patch: int, skip: int = 0) -> Tensor:
    """What the first generations stream: the last patch of audio of a sliding window, from patch ``skip`` on."""
    pieces = []
    for end in range((skip + 1) * patch, latents.shape[2] + 1, patch):
        window = latents[:, :, max(0, end - WINDOW * patch) : end]
        pieces.append(vae.decode(window)[:, -patch * vae.config.output_hop :])
    return torch.cat(pieces, dim=1)

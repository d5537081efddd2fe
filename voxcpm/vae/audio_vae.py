"""AudioVAE: encoder and decoder together, with padding to whole frames."""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn

from voxcpm.config import AudioVAEConfig
from voxcpm.vae.decoder import Decoder, DecoderState
from voxcpm.vae.encoder import Encoder


class AudioVAE(nn.Module):
    """Continuous latents at 25 frames a second. Always float32: published codecs are run so."""

    def __init__(self, config: AudioVAEConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)

    def pad(self, wave: Tensor) -> Tensor:
        """[..., n] -> zeros added on the right to a whole number of frames."""
        return F.pad(wave, (0, -wave.shape[-1] % self.config.hop))

    def encode(self, wave: Tensor) -> Tensor:
        """[B, n] at ``sample_rate`` -> mean latents [B, D, frames]."""
        return self.encoder(self.pad(wave)[:, None])

    def encode_patches(self, samples: Tensor, patch_size: int, *, pad_left: bool = False) -> Tensor:
        """[n] at ``sample_rate``, padded with zeros to whole patches -> mean latents [patches, P, D]."""
        missing = -samples.shape[-1] % (patch_size * self.config.hop)
        padded = F.pad(samples, (missing, 0) if pad_left else (0, missing))
        return self.encode(padded[None])[0].T.unflatten(0, (-1, patch_size))

    def decode(self, latents: Tensor, rate: int | None = None) -> Tensor:
        """[B, D, frames] -> [B, samples] at ``output_rate``; ``rate`` in Hz overrides the output-rate condition."""
        return self.decoder(latents, rate or self.config.output_rate)[:, 0]

    def decode_stream(self, latents: Tensor, state: DecoderState) -> tuple[Tensor, DecoderState]:
        """The next frames [B, D, frames] -> only their samples [B, frames * hop], and the new state."""
        wave, state = self.decoder.stream(latents, state, self.config.output_rate)
        return wave[:, 0], state

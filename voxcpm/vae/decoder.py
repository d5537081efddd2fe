"""AudioVAE decoder: latents to waveform, whole or piece by piece with the state passed in."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from voxcpm.config import AudioVAEConfig
from voxcpm.modules.embedding import blank_embedding
from voxcpm.vae.causal_conv import CausalConv1d, CausalConvTranspose1d, Snake
from voxcpm.vae.encoder import ResidualUnit


@dataclass
class DecoderState:
    """What the decoder remembers between pieces: one tensor [B, C, taps] per convolution, in order; empty = cold."""

    memories: list[Tensor | None] = field(default_factory=list)

    @classmethod
    def join(cls, states: list[DecoderState]) -> DecoderState:
        """One batched state from single-row states; cold rows count as zeros, which is what they stand for."""
        count = max(len(s.memories) for s in states)
        if count == 0:
            return cls()
        memories: list[Tensor | None] = []
        for index in range(count):
            rows = [s.memories[index] if s.memories else None for s in states]
            shape = next(r for r in rows if r is not None)
            memories.append(torch.cat([torch.zeros_like(shape) if r is None else r for r in rows]))
        return cls(memories)

    def select(self, rows: Tensor) -> DecoderState:
        """The state of some rows only."""
        return DecoderState([None if m is None else m[rows] for m in self.memories])


class RateCondition(nn.Module):
    """Scale and bias per channel, chosen by the bucket of the output rate (``decoder.sr_cond_model.N``)."""

    def __init__(self, buckets: int, channels: int) -> None:
        super().__init__()
        self.scale_embed = blank_embedding(buckets, channels)
        self.bias_embed = blank_embedding(buckets, channels)

    def forward(self, x: Tensor, bucket: int) -> Tensor:
        """[B, C, n], bucket index -> [B, C, n]."""
        return x * self.scale_embed.weight[bucket, :, None] + self.bias_embed.weight[bucket, :, None]


class DecoderBlock(nn.Module):
    """Snake, upsampling that halves the channels, three residual units."""

    def __init__(self, channels_in: int, channels_out: int, stride: int, groups: int) -> None:
        super().__init__()
        self.block = nn.ModuleList(
            (
                Snake(channels_in),
                CausalConvTranspose1d(channels_in, channels_out, stride),
                *(ResidualUnit(channels_out, dilation, groups) for dilation in (1, 3, 9)),
            )
        )

    def forward(self, x: Tensor) -> Tensor:
        """[B, C, n] -> [B, C/2, n * stride]."""
        for layer in self.block:
            x = layer(x)
        return x


class Decoder(nn.Module):
    """Latents to waveform in -1..1. Keys: ``decoder.model.N``."""

    def __init__(self, config: AudioVAEConfig) -> None:
        super().__init__()
        size = config.decoder_dim
        layers: list[nn.Module] = []
        if config.depthwise:
            layers += [
                CausalConv1d(config.latent_dim, config.latent_dim, 7, pad=6, groups=config.latent_dim),
                CausalConv1d(config.latent_dim, size, 1, pad=0),
            ]
        else:
            layers.append(CausalConv1d(config.latent_dim, size, 7, pad=6))
        conditions = {}
        buckets = len(config.sr_bin_boundaries) + 1 if config.sr_bin_boundaries is not None else 0
        for stride in config.decoder_rates:
            if buckets:
                conditions[str(len(layers))] = RateCondition(buckets, size)
            layers.append(DecoderBlock(size, size // 2, stride, size // 2 if config.depthwise else 1))
            size //= 2
        layers += [Snake(size), CausalConv1d(size, 1, 7, pad=6)]
        self.model = nn.ModuleList(layers)
        self.sr_cond_model = nn.ModuleDict(conditions)
        self._boundaries: list[int] | None = None
        if buckets:
            self.register_buffer("sr_bin_boundaries", torch.tensor(config.sr_bin_boundaries, dtype=torch.int32))

    def bucket(self, rate: int) -> int | None:
        """Index of the output-rate bucket; a rate equal to a boundary falls in the lower one."""
        if not self.sr_cond_model:
            return None
        if self._boundaries is None:  # read once: on a GPU it waits for all work before it
            self._boundaries = self.get_buffer("sr_bin_boundaries").tolist()
        return bisect_left(self._boundaries, rate)

    def forward(self, latents: Tensor, rate: int) -> Tensor:
        """[B, D, frames] -> [B, 1, frames * hop]; ``rate`` in Hz picks the output-rate condition."""
        return self.stream(latents, DecoderState(), rate)[0]

    def stream(self, latents: Tensor, state: DecoderState, rate: int) -> tuple[Tensor, DecoderState]:
        """The next piece: [B, D, frames], state -> [B, 1, frames * hop], new state. The given state is not changed."""
        bucket = self.bucket(rate)
        old, new = iter(state.memories), list[Tensor | None]()
        x = latents
        for index, layer in enumerate(self.model):
            key = str(index)
            if bucket is not None and key in self.sr_cond_model:
                x = self.sr_cond_model[key](x, bucket)
            for part in layer.block if isinstance(layer, DecoderBlock) else (layer,):
                if isinstance(part, CausalConv1d | CausalConvTranspose1d | ResidualUnit):
                    x, memory = part.stream(x, next(old, None))
                    new.append(memory)
                else:
                    x = part(x)
        return torch.tanh(x), DecoderState(new)

"""AudioVAE encoder: strided causal convolutions down to 25 frames a second."""

from __future__ import annotations

from torch import Tensor, nn

from voxcpm.config import AudioVAEConfig
from voxcpm.vae.causal_conv import CausalConv1d, Snake


class ResidualUnit(nn.Module):
    """Snake, dilated 7-tap convolution, snake, pointwise convolution, and the input added. Key: ``block.N``."""

    def __init__(self, channels: int, dilation: int, groups: int) -> None:
        super().__init__()
        self.block = nn.ModuleList(
            (
                Snake(channels),
                CausalConv1d(channels, channels, 7, dilation=dilation, pad=6 * dilation, groups=groups),
                Snake(channels),
                CausalConv1d(channels, channels, 1, pad=0),
            )
        )

    def forward(self, x: Tensor) -> Tensor:
        """[B, C, n] -> [B, C, n]."""
        y = x
        for layer in self.block:
            y = layer(y)
        return x + y

    def stream(self, x: Tensor, memory: Tensor | None) -> tuple[Tensor, Tensor]:
        """The next piece; only the 7-tap convolution has a memory."""
        snake_1, conv, snake_2, point = self.block
        assert isinstance(conv, CausalConv1d)
        y, memory = conv.stream(snake_1(x), memory)
        return x + point(snake_2(y)), memory


class EncoderBlock(nn.Module):
    """Three residual units, then a strided convolution that doubles the channels."""

    def __init__(self, channels_in: int, channels_out: int, stride: int, groups: int, trim_odd: bool) -> None:
        super().__init__()
        # A window of two strides; an odd stride pads one more in the first codec generation (checkpoint quirk).
        pad = 2 * -(-stride // 2) - (stride % 2 if trim_odd else 0)
        self.block = nn.ModuleList(
            (
                *(ResidualUnit(channels_in, dilation, groups) for dilation in (1, 3, 9)),
                Snake(channels_in),
                CausalConv1d(channels_in, channels_out, 2 * stride, stride=stride, pad=pad),
            )
        )

    def forward(self, x: Tensor) -> Tensor:
        """[B, C, n] -> [B, 2C, n / stride]."""
        for layer in self.block:
            x = layer(x)
        return x


class Encoder(nn.Module):
    """Waveform to the hidden frames and their mean (``fc_mu``) and log-variance (``fc_logvar``) heads."""

    def __init__(self, config: AudioVAEConfig) -> None:
        super().__init__()
        size = config.encoder_dim
        blocks: list[nn.Module] = [CausalConv1d(1, size, 7, pad=6)]
        for stride in config.encoder_rates:
            groups = size if config.depthwise else 1
            blocks.append(EncoderBlock(size, 2 * size, stride, groups, config.trim_odd_strides))
            size *= 2
        self.block = nn.ModuleList(blocks)
        self.fc_mu = CausalConv1d(size, config.latent_dim, 3, pad=2)
        self.fc_logvar = CausalConv1d(size, config.latent_dim, 3, pad=2)

    def hidden(self, wave: Tensor) -> Tensor:
        """[B, 1, n] with n a multiple of the hop -> [B, H, n / hop]."""
        for layer in self.block:
            wave = layer(wave)
        return wave

    def forward(self, wave: Tensor) -> Tensor:
        """[B, 1, n] -> mean latents [B, D, n / hop]; nothing is sampled at inference."""
        return self.fc_mu(self.hidden(wave))

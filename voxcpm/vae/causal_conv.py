"""Causal convolutions whose memory is passed in and out, so that pieces joined equal the whole.

A convolution's memory is the last inputs that the next outputs still need; an empty memory (None) stands for zeros,
which is exactly the left padding of a whole-file run. Weights are stored in weight-norm form (``weight_g``,
``weight_v``) in checkpoints and folded into plain weights at load time.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def fold_weight_norm(weight_v: Tensor, weight_g: Tensor) -> Tensor:
    """``g * v / |v|`` with the norm over all dimensions but the first (for transposed convolutions: input channel)."""
    norm = weight_v.float().flatten(1).norm(dim=1).view(-1, *[1] * (weight_v.dim() - 1))
    return weight_g.float() * (weight_v.float() / norm)


class CausalConv1d(nn.Module):
    """Convolution with all padding on the left.

    ``pad`` is the number of zeros in front of a whole-file run; the rest of the window is the receptive field.
    """

    def __init__(
        self,
        channels_in: int,
        channels_out: int,
        kernel: int,
        *,
        stride: int = 1,
        dilation: int = 1,
        pad: int,
        groups: int = 1,
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(channels_out, channels_in // groups, kernel))
        self.bias = nn.Parameter(torch.zeros(channels_out))
        self.stride, self.dilation, self.pad, self.groups = stride, dilation, pad, groups

    def forward(self, x: Tensor) -> Tensor:
        """[B, C, n] -> [B, C', ceil(n / stride)] for n a multiple of the stride."""
        return self.convolve(F.pad(x, (self.pad, 0)))

    def convolve(self, x: Tensor) -> Tensor:
        """The bare convolution, padding already in place."""
        return F.conv1d(x, self.weight, self.bias, self.stride, 0, self.dilation, self.groups)

    def stream(self, x: Tensor, memory: Tensor | None) -> tuple[Tensor, Tensor]:
        """The next piece, stride 1: [B, C, n], memory [B, C, pad] -> [B, C', n], new memory."""
        if self.pad == 0:
            return self.convolve(x), x[:, :, :0].clone()
        x = F.pad(x, (self.pad, 0)) if memory is None else torch.cat((memory, x), dim=2)
        # A copy: a view would keep the whole piece alive for its last few samples.
        return self.convolve(x), x[:, :, -self.pad :].clone()


class CausalConvTranspose1d(nn.Module):
    """Upsampling by ``stride`` with a kernel of twice the stride, trimmed on the right.

    So every input frame makes ``stride`` outputs, together with the frame before it. :meth:`fuse` turns that into one
    matrix product, which for the few frames of a streamed piece is many times faster than the convolution.
    """

    def __init__(self, channels_in: int, channels_out: int, stride: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(channels_in, channels_out, 2 * stride))
        self.bias = nn.Parameter(torch.zeros(channels_out))
        self.stride, self.channels_out = stride, channels_out
        self.product: nn.Module | None = None

    def fuse(self) -> None:
        """Become a product of [this frame, the frame before] with a matrix [stride * C', 2 C] (inference only)."""
        weight, size = self.weight.detach(), self.weight.shape[0]
        matrix = weight.new_empty(self.stride * self.channels_out, 2 * size)
        by_output = matrix.view(self.stride, self.channels_out, 2 * size)
        for half, taps in enumerate(weight.split(self.stride, dim=2)):
            by_output[:, :, half * size : (half + 1) * size] = taps.permute(2, 1, 0)
        self.product = nn.Linear(matrix.shape[1], matrix.shape[0], device="meta")
        self.product.weight = nn.Parameter(matrix, requires_grad=False)
        self.product.bias = nn.Parameter(self.bias.detach().repeat(self.stride), requires_grad=False)
        del self.weight, self.bias

    def forward(self, x: Tensor) -> Tensor:
        """[B, C, n] -> [B, C', n * stride]."""
        return self.stream(x, None)[0]

    def stream(self, x: Tensor, memory: Tensor | None) -> tuple[Tensor, Tensor]:
        """The next piece: [B, C, n], memory [B, C, 1] (the last input) -> [B, C', n * stride], new memory."""
        frames, last = x.shape[2], x[:, :, -1:].clone()
        if self.product is not None:
            before = F.pad(x[:, :, :-1], (1, 0)) if memory is None else torch.cat((memory, x[:, :, :-1]), dim=2)
            out = self.product(torch.cat((x, before), dim=1).transpose(1, 2).contiguous())
            out = out.view(-1, frames, self.stride, self.channels_out).permute(0, 3, 1, 2)
            return out.reshape(-1, self.channels_out, frames * self.stride), last
        skip = 0 if memory is None else self.stride
        x = x if memory is None else torch.cat((memory, x), dim=2)
        out = F.conv_transpose1d(x, self.weight, self.bias, self.stride)
        return out[:, :, skip : skip + self.stride * frames], last


class Snake(nn.Module):
    """``x + sin(alpha x)^2 / alpha`` with a learned alpha per channel (arXiv:2006.08195)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(1, channels, 1))

    def forward(self, x: Tensor) -> Tensor:
        """[B, C, n] -> [B, C, n]."""
        return x + (self.alpha + 1e-9).reciprocal() * torch.sin(self.alpha * x).square()

"""What a decoded waveform is measured by when a codec is trained: log-mel and magnitude spectra at several window
lengths, the complex spectrum at one, and how far the latents are from a standard normal distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor


@dataclass(frozen=True)
class SpectralSettings:
    """Window lengths in samples (hop: a quarter of it), and how much each term counts."""

    windows: tuple[int, ...] = (128, 512, 1024)
    mels: tuple[int, ...] = (20, 64, 80)
    complex_window: int = 512
    floor: float = 1e-4
    """Least mel amplitude that is told apart from silence; a third of clean speech lies below this one."""
    mel_weight: float = 1.0
    magnitude_weight: float = 0.5
    complex_weight: float = 0.1


@lru_cache(maxsize=16)
def mel_matrix(rate: int, window: int, mels: int) -> Tensor:
    """Triangles [window / 2 + 1, mels] from 0 Hz to half of ``rate``, each with a sum of one."""
    top = 2595 * math.log10(1 + rate / 2 / 700)
    centres = 700 * (10 ** (torch.linspace(0, top, mels + 2, dtype=torch.float64) / 2595) - 1)
    bins = torch.linspace(0, rate / 2, window // 2 + 1, dtype=torch.float64)[:, None]
    rising = (bins - centres[:-2]) / (centres[1:-1] - centres[:-2])
    falling = (centres[2:] - bins) / (centres[2:] - centres[1:-1])
    weights = torch.minimum(rising, falling).clamp(min=0)
    # A narrow triangle between two bins would hear nothing: it takes the nearest bin instead.
    deaf = weights.sum(dim=0) == 0
    nearest = (bins - centres[1:-1]).abs().argmin(dim=0)
    weights[nearest[deaf], deaf.nonzero()[:, 0]] = 1.0
    return (weights / weights.sum(dim=0)).float()


def spectrum(wave: Tensor, window: int) -> Tensor:
    """[B, n] -> complex [B, window / 2 + 1, frames], scaled so that a full-scale sine has a magnitude near one half."""
    shape = torch.hann_window(window, device=wave.device)
    found = torch.stft(wave, window, window // 4, window=shape, center=True, pad_mode="constant", return_complex=True)
    return found * (2.0 / window)


def spectral_losses(decoded: Tensor, wave: Tensor, rate: int, settings: SpectralSettings) -> dict[str, Tensor]:
    """Both [B, n] at ``rate`` Hz -> scalars ``mel`` (mean log ratio), ``magnitude``, ``complex`` (relative errors)."""
    mel, magnitude = wave.new_zeros(()), wave.new_zeros(())
    for window, mels in zip(settings.windows, settings.mels, strict=True):
        found, wanted = _amplitude(spectrum(decoded, window)), spectrum(wave, window).abs()
        matrix = mel_matrix(rate, window, mels).to(wave.device)
        logs = [(s.transpose(1, 2) @ matrix).clamp(min=settings.floor).log() for s in (found, wanted)]
        mel = mel + (logs[0] - logs[1]).abs().mean()
        magnitude = magnitude + torch.linalg.vector_norm(found - wanted) / _size(wanted)
    found, wanted = spectrum(decoded, settings.complex_window), spectrum(wave, settings.complex_window)
    error = _amplitude(found - wanted).mean() / wanted.abs().mean().clamp(min=1e-4)
    count = len(settings.windows)
    return {"mel": mel / count, "magnitude": magnitude / count, "complex": error}


def weighted(losses: dict[str, Tensor], settings: SpectralSettings) -> Tensor:
    """The sum that is trained on."""
    return (
        settings.mel_weight * losses["mel"]
        + settings.magnitude_weight * losses["magnitude"]
        + settings.complex_weight * losses["complex"]
    )


def kl_divergence(mean: Tensor, log_variance: Tensor) -> Tensor:
    """Of the latents from a standard normal distribution, in nats per number; scalar."""
    return 0.5 * (mean.square() + log_variance.exp() - 1 - log_variance).mean()


def _amplitude(spectra: Tensor) -> Tensor:
    # The gradient of abs() at zero is no number; this one is zero there.
    parts = torch.view_as_real(spectra)
    return (parts.square().sum(dim=-1) + 1e-12).sqrt()


def _size(spectra: Tensor) -> Tensor:
    return torch.linalg.vector_norm(spectra).clamp(min=1e-3)

"""A codec while it learns: first weights, noisy latents, averaged weights, and its file in the published layout."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save
from torch import Tensor, nn
from torch.nn.utils import parametrizations, parametrize

from voxcpm.audio import resample
from voxcpm.config import AudioVAEConfig
from voxcpm.files import write_atomically
from voxcpm.training.pcm_store import PcmStore
from voxcpm.vae.audio_vae import AudioVAE
from voxcpm.vae.causal_conv import CausalConv1d, CausalConvTranspose1d
from voxcpm.vae.decoder import RateCondition
from voxcpm.vae.encoder import ResidualUnit

WEIGHTS, CONFIG = "audiovae.safetensors", "audio_vae_config.json"
_LOG_VARIANCE = (-14.0, 6.0)
_BRANCH = 0.3  # first size of what a residual unit adds
_QUIET = -4.0  # first log-variance: noise that does not yet drown the latents


def new_codec(config: AudioVAEConfig, generator: torch.Generator) -> AudioVAE:
    """Weights that pass a signal of size one on as one; drawn from ``generator``."""
    vae = AudioVAE(config)
    with torch.no_grad():
        for module in vae.modules():
            if isinstance(module, CausalConv1d):
                fan = module.weight.shape[1] * module.weight.shape[2]
                module.weight.normal_(0, fan**-0.5, generator=generator)
            elif isinstance(module, CausalConvTranspose1d):
                module.weight.normal_(0, (2 * module.weight.shape[0]) ** -0.5, generator=generator)
            elif isinstance(module, RateCondition):
                module.scale_embed.weight.fill_(1.0)
                module.bias_embed.weight.zero_()
        for module in vae.modules():
            if isinstance(module, ResidualUnit):
                last = module.block[-1]
                assert isinstance(last, CausalConv1d)
                last.weight.mul_(_BRANCH)
        vae.encoder.fc_logvar.weight.mul_(0.1)
        vae.encoder.fc_logvar.bias.fill_(_QUIET)
        final = vae.decoder.model[-1]
        assert isinstance(final, CausalConv1d)
        final.weight.mul_(0.1)
    return vae


def make_trainable(vae: AudioVAE) -> None:
    """Take a codec that was loaded for inference out of its mapped file and give it gradients."""
    for tensor in (*vae.parameters(), *vae.buffers()):
        tensor.data = tensor.data.clone()
    vae.requires_grad_(True).train()


def add_weight_norm(vae: AudioVAE) -> None:
    """Learn direction and length of every convolution's weights apart, as the published codecs did."""
    for module in list(vae.modules()):
        if isinstance(module, CausalConv1d | CausalConvTranspose1d):
            parametrizations.weight_norm(module, dim=0)


def fold_weight_norms(vae: AudioVAE) -> None:
    """Back to plain weights."""
    for module in list(vae.modules()):
        if isinstance(module, CausalConv1d | CausalConvTranspose1d) and parametrize.is_parametrized(module):
            parametrize.remove_parametrizations(module, "weight")


@torch.no_grad()
def latent_deviation(vae: AudioVAE, store: PcmStore, count: int = 200) -> Tensor:
    """Standard deviation [D] of the mean latents of ``count`` recordings spread over a store (at the codec's rate)."""
    picked = range(0, len(store), max(1, len(store) // count))
    rates = store.sample_rate, vae.config.sample_rate
    waves = (torch.from_numpy(resample(store.read(number), *rates)) for number in picked)
    return torch.cat([vae.encode(wave[None])[0] for wave in waves], dim=1).std(dim=1)


def reconstruct(vae: AudioVAE, wave: Tensor, noise: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """[B, n] with n a multiple of the hop, normal noise [B, D, frames] -> decoded [B, m], mean and log-variance
    [B, D, frames]. What is decoded is drawn from the distribution, so that the decoder stands small errors."""
    hidden = vae.encoder.hidden(wave[:, None])
    mean = vae.encoder.fc_mu(hidden)
    log_variance = vae.encoder.fc_logvar(hidden).clamp(*_LOG_VARIANCE)
    decoded = vae.decode(mean + (0.5 * log_variance).exp() * noise)
    return decoded, mean, log_variance


class Average:
    """Averaged copies of parameters. Young averages forget faster, so that the first weights do not linger."""

    def __init__(self, module: nn.Module, decay: float) -> None:
        self.decay = decay
        self.names = [name for name, _ in module.named_parameters()]
        self.values = [p.detach().clone() for p in module.parameters()]

    @torch.no_grad()
    def add(self, module: nn.Module, step: int) -> None:
        """Take in the weights after step 1, 2, ..."""
        keep = min(self.decay, step / (step + 9))
        torch._foreach_lerp_(self.values, [p.detach() for p in module.parameters()], 1 - keep)

    def state(self) -> dict[str, Tensor]:
        """By parameter name."""
        return dict(zip(self.names, self.values, strict=True))

    @torch.no_grad()
    def load(self, state: dict[str, Tensor]) -> None:
        """Back from :meth:`state`."""
        for name, value in zip(self.names, self.values, strict=True):
            value.copy_(state[name])

    @torch.no_grad()
    def swap(self, module: nn.Module) -> None:
        """Exchange with the module's weights; twice is as before."""
        for parameter, value in zip(module.parameters(), self.values, strict=True):
            kept = parameter.detach().clone()
            parameter.copy_(value)
            value.copy_(kept)


@torch.no_grad()
def scale_latents(vae: AudioVAE, deviation: Tensor) -> None:
    """Divide every latent channel by ``deviation`` [D] in the encoder and multiply it back in the decoder: the same
    sound, and latents of size one, which is what flow matching starts from. Plain weights only."""
    first = vae.decoder.model[0]
    assert isinstance(first, CausalConv1d)
    mean, spread = vae.encoder.fc_mu, vae.encoder.fc_logvar
    mean.weight.div_(deviation[:, None, None])
    mean.bias.div_(deviation)
    spread.bias.sub_(2 * deviation.log())
    first.weight.mul_(deviation[:, None, None] if first.groups > 1 else deviation[None, :, None])


def plain_state(vae: AudioVAE) -> dict[str, Tensor]:
    """Weights by name with weight norm folded in."""
    state = {name: tensor for name, tensor in vae.state_dict().items() if ".parametrizations." not in name}
    for name, module in vae.named_modules():
        if isinstance(module, CausalConv1d | CausalConvTranspose1d) and parametrize.is_parametrized(module):
            state[f"{name}.weight"] = module.weight
    return {name: tensor.detach().cpu().contiguous() for name, tensor in state.items()}


def published_state(vae: AudioVAE) -> dict[str, Tensor]:
    """The layout of checkpoints: ``weight_g`` and ``weight_v`` in the place of every convolution's weight."""
    convolutions = {n for n, m in vae.named_modules() if isinstance(m, CausalConv1d | CausalConvTranspose1d)}
    state: dict[str, Tensor] = {}
    for name, tensor in plain_state(vae).items():
        owner, _, kind = name.rpartition(".")
        if kind == "weight" and owner in convolutions:
            norm = tensor.flatten(1).norm(dim=1).view(-1, *[1] * (tensor.dim() - 1))
            # A channel of zeros has no direction: any one with length zero is the same channel.
            state[f"{owner}.weight_v"] = torch.where(norm == 0, torch.ones_like(tensor), tensor)
            state[f"{owner}.weight_g"] = norm
        else:
            state[name] = tensor
    return state


def config_section(config: AudioVAEConfig) -> dict[str, Any]:
    """``audio_vae_config`` of a config.json; what follows from the architecture is left out."""
    section = {k: list(v) if isinstance(v, tuple) else v for k, v in dataclasses.asdict(config).items()}
    section.pop("trim_odd_strides")
    if section["sr_bin_boundaries"] is None:
        section.pop("sr_bin_boundaries")
    return section


def export_codec(vae: AudioVAE, folder: Path) -> None:
    """Write ``audiovae.safetensors`` and its part of config.json, ``audio_vae_config.json``. Raises ``OSError``."""
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / WEIGHTS, save(published_state(vae), {"format": "pt"}))
    section = json.dumps(config_section(vae.config), indent=2) + "\n"
    write_atomically(folder / CONFIG, section.encode())

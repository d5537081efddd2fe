"""Everything that can be chosen about the training of a codec, checked before any work. Loads no torch."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from voxcpm.config import AudioVAEConfig
from voxcpm.errors import RequestError

DEMO_CODEC = AudioVAEConfig(
    encoder_dim=16,
    encoder_rates=(8, 5, 4, 4),
    latent_dim=32,
    decoder_dim=384,
    decoder_rates=(4, 4, 5, 8),
    sample_rate=16_000,
    out_sample_rate=16_000,
    trim_odd_strides=True,
)
"""A small codec of the second generation for 16 kHz. Its large strides are next to the waveform, where work is dear."""
_COUNTS = ("steps", "batch_size", "save_every", "keep", "validate_every", "validation_items")


@dataclass(frozen=True)
class CodecOptions:
    """One run."""

    data: str
    """A store of recordings, or a manifest (a store is then made beside the run)."""
    model: str = ""
    """Folder of a model whose codec is trained further; empty: a new codec of the shape ``codec``."""
    codec: AudioVAEConfig = field(default=DEMO_CODEC)
    decoder_only: bool = False
    """Keep the encoder, so that latents made before stay right."""
    weight_norm: bool = False
    steps: int = 10_000
    batch_size: int = 8
    crop_seconds: float = 0.6
    learning_rate: float = 2e-3
    warmup_steps: int = 100
    final_rate: float = 0.02
    """Share of the learning rate that is left at the end of the cosine."""
    weight_decay: float = 0.0
    clip: float = 5.0
    ema: float = 0.999
    """How much of the averaged weights, those that are exported, each step keeps."""
    kl_weight: float = 0.005
    mel_weight: float = 1.0
    magnitude_weight: float = 0.5
    complex_weight: float = 0.1
    floor: float = 1e-4
    bfloat16: bool = False
    """Autocast; pays where the hardware multiplies bfloat16 and the codec is large."""
    compile: bool = False
    """Let torch compile the codec, where there is a C compiler."""
    seed: int = 0
    device: str = "auto"
    threads: int = 0
    save_every: int = 500
    keep: int = 2
    validate_every: int = 500
    validation_items: int = 32
    """Recordings at the end of the store that are kept for validation."""

    def check(self) -> None:
        """Raise :class:`RequestError` naming the first field that makes no sense."""
        for name in _COUNTS:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise RequestError(name, f"must be a whole number from 1 on, is {value!r}")
        for name, low, high in (
            ("crop_seconds", 0.1, 30.0),
            ("learning_rate", 1e-9, 1.0),
            ("final_rate", 0.0, 1.0),
            ("weight_decay", 0.0, 10.0),
            ("clip", 0.0, 1e6),
            ("ema", 0.0, 0.999999),
            ("kl_weight", 0.0, 100.0),
            ("mel_weight", 0.0, 100.0),
            ("magnitude_weight", 0.0, 100.0),
            ("complex_weight", 0.0, 100.0),
            ("floor", 1e-8, 0.1),
            ("warmup_steps", 0, 1e9),
            ("threads", 0, 4096),
            ("seed", 0, 2**32 - 1),
        ):
            value = getattr(self, name)
            if isinstance(value, bool) or not math.isfinite(value) or not low <= value <= high:
                raise RequestError(name, f"must be a number from {low:g} to {high:g}, is {value!r}")
        if self.decoder_only and not self.model:
            raise RequestError("decoder_only", "needs a model whose encoder is kept")

    def learning_rate_at(self, step: int) -> float:
        """Rate of step 1, 2, ...: a straight warm-up, then a cosine down to ``final_rate`` of it at the last step."""
        if step <= self.warmup_steps:
            return self.learning_rate * step / self.warmup_steps
        along = min(1.0, (step - self.warmup_steps) / max(1, self.steps - self.warmup_steps))
        return self.learning_rate * (self.final_rate + (1 - self.final_rate) * (1 + math.cos(math.pi * along)) / 2)

    def to_dict(self) -> dict[str, Any]:
        """A JSON form."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> CodecOptions:
        """Back from :meth:`to_dict`; :class:`RequestError` for keys that are not known."""
        foreign = sorted(set(raw) - {f.name for f in dataclasses.fields(cls)})
        if foreign:
            raise RequestError("options", f"of another version of this program: {', '.join(foreign)} is not known")
        return cls(**{**raw, "codec": codec_from_dict(raw["codec"])})


def codec_from_dict(raw: Mapping[str, Any]) -> AudioVAEConfig:
    """A codec's shape from JSON; :class:`RequestError` for keys and rates that cannot be used."""
    names = {f.name for f in dataclasses.fields(AudioVAEConfig)}
    foreign = sorted(set(raw) - names)
    if foreign:
        raise RequestError("codec", f"{', '.join(foreign)} is not known; known are {', '.join(sorted(names))}")
    values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in raw.items()}
    config = AudioVAEConfig(**values)
    if config.hop * config.output_rate != config.output_hop * config.sample_rate:
        raise RequestError("codec", "a frame lasts longer at one end than at the other: check rates and strides")
    if config.decoder_dim % 2 ** len(config.decoder_rates):
        raise RequestError("codec", f"decoder_dim {config.decoder_dim} cannot be halved at every stride")
    return config

"""Model configuration: frozen dataclasses whose field names are the keys of a checkpoint's ``config.json``.

The three generations are one model with different field values. :meth:`VoxCPMConfig.from_dict` reads the
``architecture`` key once and turns it into switches; nothing after it asks for a version.
"""

from __future__ import annotations

import dataclasses
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from voxcpm.errors import ConfigError

logger = logging.getLogger(__name__)

FRAME_RATE = 25.0  # latent frames per second, the same for all published codecs

# Keys that published files carry and that change nothing at inference: device and dtype are load arguments here, and
# the reference code never reads the others (``mean_mode`` is a known trap: the code looks for ``dit_mean_mode``).
_UNUSED = {
    "device",
    "dtype",
    "lora_config",
    "mean_mode",
    "dim_model_base",
    "hidden_act",
    "attention_bias",
    "attention_dropout",
    "initializer_range",
    "pretraining_tp",
    "rope_type",
    "_name_or_path",
    "torch_dtype",
}


@dataclass(frozen=True)
class RopeScaling:
    """LongRoPE: one factor per rotary frequency (``lm_config.rope_scaling``)."""

    long_factor: tuple[float, ...]
    short_factor: tuple[float, ...]
    original_max_position_embeddings: int
    type: str = "longrope"


@dataclass(frozen=True)
class LMConfig:
    """One MiniCPM4 stack (``lm_config``; the other three stacks are derived from it)."""

    hidden_size: int
    intermediate_size: int
    max_position_embeddings: int
    num_attention_heads: int
    num_hidden_layers: int
    num_key_value_heads: int
    rms_norm_eps: float
    rope_theta: float
    rope_scaling: RopeScaling
    vocab_size: int
    use_mup: bool
    scale_emb: float
    scale_depth: float
    bos_token_id: int = 1
    eos_token_id: int = 2
    kv_channels: int | None = None
    no_rope: bool = False

    @property
    def head_dim(self) -> int:
        """Channels of one attention head."""
        return self.kv_channels or self.hidden_size // self.num_attention_heads

    @property
    def residual_scale(self) -> float:
        """Factor on every residual branch (mup: ``scale_depth / sqrt(layers of this stack)``)."""
        return self.scale_depth / self.num_hidden_layers**0.5 if self.use_mup else 1.0

    @property
    def embedding_scale(self) -> float:
        """Factor on token embeddings; ``scale_emb`` counts only with mup on."""
        return self.scale_emb if self.use_mup else 1.0


@dataclass(frozen=True)
class LocEncConfig:
    """Local encoder (``encoder_config``)."""

    hidden_dim: int
    ffn_dim: int
    num_heads: int
    num_layers: int
    kv_channels: int | None = None


@dataclass(frozen=True)
class CFMConfig:
    """Flow matching (``dit_config.cfm_config``). The inference values hold where a request asks for nothing else."""

    sigma_min: float = 1e-6
    solver: str = "euler"
    t_scheduler: str = "log-norm"
    inference_cfg_rate: float = 2.0
    inference_temperature: float = 1.0
    """Not in published files: standard deviation of the starting noise."""
    training_cfg_rate: float = 0.1
    reg_loss_type: str = "l1"
    ratio_r_neq_t_range: tuple[float, float] = (0.25, 0.75)
    noise_cond_prob_range: tuple[float, float] = (0.0, 0.0)
    noise_cond_scale: float = 0.0


@dataclass(frozen=True)
class LocDiTConfig:
    """Local diffusion transformer (``dit_config``)."""

    hidden_dim: int
    ffn_dim: int
    num_heads: int
    num_layers: int
    kv_channels: int | None = None
    cfm_config: CFMConfig = field(default_factory=CFMConfig)
    dit_mean_mode: bool = False


@dataclass(frozen=True)
class AudioVAEConfig:
    """AudioVAE (``audio_vae_config``). The defaults are those of the 0.5B codec, whose file may leave them out."""

    encoder_dim: int = 128
    encoder_rates: tuple[int, ...] = (2, 5, 8, 8)
    latent_dim: int = 64
    decoder_dim: int = 1536
    decoder_rates: tuple[int, ...] = (8, 8, 5, 2)
    depthwise: bool = True
    sample_rate: int = 16000
    out_sample_rate: int | None = None
    use_noise_block: bool = False
    sr_bin_boundaries: tuple[int, ...] | None = None
    trim_odd_strides: bool = False
    """Whether a strided convolution with an odd stride pads one sample less (the second codec generation)."""

    @property
    def hop(self) -> int:
        """Input samples per latent frame."""
        return _product(self.encoder_rates)

    @property
    def output_hop(self) -> int:
        """Output samples per latent frame."""
        return _product(self.decoder_rates)

    @property
    def output_rate(self) -> int:
        """Sample rate of decoded audio in Hz."""
        return self.out_sample_rate or self.sample_rate


@dataclass(frozen=True)
class VoxCPMConfig:
    """A whole model. ``architecture`` is kept for display only; the fields below it are what the code reads."""

    architecture: str
    lm_config: LMConfig
    encoder_config: LocEncConfig
    dit_config: LocDiTConfig
    audio_vae_config: AudioVAEConfig
    patch_size: int
    feat_dim: int
    scalar_quantization_latent_dim: int
    scalar_quantization_scale: int
    residual_lm_num_layers: int
    max_length: int
    residual_lm_no_rope: bool = False
    # Switches between the generations:
    fuse_residual_input: bool = False
    """Residual LM input: concatenation and a linear layer instead of a sum."""
    separate_dit_conditions: bool = False
    """LocDiT condition: two condition tokens and a time token instead of one token with the time added to it."""
    takes_reference: bool = False
    """Whether an isolated reference segment (ids 103 .. 104) and a voice description are understood."""
    context_patches: int = 2
    """Prompt patches that the decoder hears before the first new patch of a continuation."""
    unknown_keys: tuple[str, ...] = ()

    @property
    def patch_seconds(self) -> float:
        """Seconds of audio in one patch."""
        return self.patch_size * self.audio_vae_config.hop / self.audio_vae_config.sample_rate

    @property
    def residual_lm_config(self) -> LMConfig:
        """The residual LM: the LM's shape with its own depth and position encoding."""
        return replace(
            self.lm_config,
            num_hidden_layers=self.residual_lm_num_layers,
            vocab_size=0,
            no_rope=self.residual_lm_no_rope,
        )

    def local_config(self, part: LocEncConfig | LocDiTConfig) -> LMConfig:
        """The stack of LocEnc or LocDiT: rope settings and KV head count come from the LM."""
        return replace(
            self.lm_config,
            hidden_size=part.hidden_dim,
            intermediate_size=part.ffn_dim,
            num_attention_heads=part.num_heads,
            num_hidden_layers=part.num_layers,
            kv_channels=part.kv_channels,
            vocab_size=0,
        )

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any], *, strict: bool = False) -> VoxCPMConfig:
        """Build from the parsed ``config.json``.

        Unknown keys are logged by name and kept in ``unknown_keys``; with ``strict`` they raise.
        Missing or contradictory values always raise :class:`ConfigError`.
        """
        reader = _Reader()
        architecture = str(raw.get("architecture", "voxcpm"))
        if architecture not in ("voxcpm", "voxcpm2"):
            raise ConfigError(f"architecture {architecture!r} is not known; expected 'voxcpm' or 'voxcpm2'")
        second = architecture == "voxcpm2"
        vae = dict(raw.get("audio_vae_config") or {})
        vae["trim_odd_strides"] = second
        if second:
            vae.setdefault("out_sample_rate", 48000)
        dit = dict(_section(raw, "dit_config"))
        if not second and "dit_mean_mode" in raw:
            dit["dit_mean_mode"] = raw["dit_mean_mode"]
        values = {
            **raw,
            "architecture": architecture,
            "lm_config": reader.build(LMConfig, _section(raw, "lm_config"), "lm_config"),
            "encoder_config": reader.build(LocEncConfig, _section(raw, "encoder_config"), "encoder_config"),
            "dit_config": reader.build(LocDiTConfig, dit, "dit_config"),
            "audio_vae_config": reader.build(AudioVAEConfig, vae, "audio_vae_config"),
            "fuse_residual_input": second,
            "separate_dit_conditions": second,
            "takes_reference": second,
            "context_patches": 3 if second else 2,
        }
        values.pop("dit_mean_mode", None)
        values.pop("unknown_keys", None)
        config = reader.build(cls, values, "")
        if reader.unknown:
            names = ", ".join(reader.unknown)
            if strict:
                raise ConfigError(f"config.json has keys that are not known here: {names}")
            logger.warning("config.json has keys that are not known here and are ignored: %s", names)
        config = replace(config, unknown_keys=tuple(reader.unknown))
        _check(config)
        return config

    @classmethod
    def from_file(cls, path: Path, *, strict: bool = False) -> VoxCPMConfig:
        """Read ``config.json`` (or a folder that holds it)."""
        path = Path(path)
        file = path / "config.json" if path.is_dir() else path
        try:
            raw = json.loads(file.read_text(encoding="utf-8-sig"))
        except FileNotFoundError:
            raise ConfigError(f"no config.json in {file.parent}; choose the folder that holds the model") from None
        except (OSError, ValueError, RecursionError) as error:
            raise ConfigError(f"{file.name} cannot be read as JSON ({error}); fetch the model again") from error
        if not isinstance(raw, dict):
            raise ConfigError(f"{file.name} must hold a JSON object, found {type(raw).__name__}")
        return cls.from_dict(raw, strict=strict)


def _product(rates: tuple[int, ...]) -> int:
    result = 1
    for rate in rates:
        result *= rate
    return result


def _section(raw: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = raw.get(key)
    if not isinstance(value, Mapping):
        raise ConfigError(f"config.json has no {key!r} object; the file is incomplete or of another model")
    return value


class _Reader:
    """Builds dataclasses from dicts, names what is missing, collects what is unknown."""

    def __init__(self) -> None:
        self.unknown: list[str] = []

    def build(self, kind: Any, raw: Mapping[str, Any], where: str) -> Any:
        fields = {f.name: f for f in dataclasses.fields(kind)}
        values: dict[str, Any] = {}
        for key, value in raw.items():
            name = f"{where}.{key}" if where else key
            if key not in fields:
                if key not in _UNUSED:
                    self.unknown.append(name)
                continue
            values[key] = self._convert(str(fields[key].type), value, name)
        missing = [
            n
            for n, f in fields.items()
            if n not in values and f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING
        ]
        if missing:
            prefix = f"{where}." if where else ""
            raise ConfigError("config.json lacks " + ", ".join(prefix + n for n in missing))
        return kind(**values)

    def _convert(self, kind: str, value: Any, name: str) -> Any:
        optional = kind.endswith("| None")
        kind = kind.removesuffix("| None").strip()
        if value is None:
            if optional:
                return None
            raise ConfigError(f"config.json: {name} must not be null")
        if kind == "RopeScaling":
            return self.build(RopeScaling, value, name)
        if kind == "CFMConfig":
            return self.build(CFMConfig, value, name)
        if dataclasses.is_dataclass(value):
            return value
        try:
            if kind.startswith("tuple"):
                number = int if "int" in kind else float
                return tuple(number(v) for v in value)
            if kind == "bool":
                if not isinstance(value, bool):
                    raise ValueError(value)
                return value
            if kind == "int":
                if isinstance(value, bool) or int(value) != value:
                    raise ValueError(value)
                return int(value)
            if kind == "float":
                return float(value)
            return str(value)
        except (TypeError, ValueError):
            raise ConfigError(f"config.json: {name} must be {kind}, found {value!r}") from None


_LARGEST = 1 << 22


def _check(config: VoxCPMConfig) -> None:
    """Refuse contradictions that would otherwise surface as a shape error deep inside."""
    lm, vae = config.lm_config, config.audio_vae_config
    problems = []
    for name, stack in (
        ("lm_config", lm),
        ("encoder_config", config.local_config(config.encoder_config)),
        ("dit_config", config.local_config(config.dit_config)),
    ):
        if stack.head_dim <= 0 or stack.head_dim % 2:
            problems.append(f"{name}: head size {stack.head_dim} must be even and positive")
        if stack.num_attention_heads % stack.num_key_value_heads:
            problems.append(
                f"{name}: {stack.num_attention_heads} heads do not share {stack.num_key_value_heads} KV heads"
            )
        for factor in ("short_factor", "long_factor"):
            count = len(getattr(stack.rope_scaling, factor))
            if count != stack.head_dim // 2:
                problems.append(
                    f"{name}: rope {factor} has {count} values, head size {stack.head_dim} needs half of it"
                )
    if config.feat_dim != vae.latent_dim:
        problems.append(f"feat_dim {config.feat_dim} differs from audio_vae_config.latent_dim {vae.latent_dim}")
    if vae.decoder_dim % 2 ** len(vae.decoder_rates):
        problems.append(f"decoder_dim {vae.decoder_dim} cannot be halved {len(vae.decoder_rates)} times")
    if config.dit_config.hidden_dim % 2 or config.dit_config.hidden_dim < 4:
        problems.append("dit_config.hidden_dim must be even and at least 4")
    if vae.use_noise_block:
        problems.append("audio_vae_config.use_noise_block is not supported (no published model uses it)")
    positive = (
        config.patch_size,
        config.max_length,
        config.scalar_quantization_scale,
        config.residual_lm_num_layers,
        *vae.encoder_rates,
        *vae.decoder_rates,
        vae.sample_rate,
        vae.output_rate,
    )
    if min(positive) <= 0:
        problems.append("sizes, rates and lengths must be positive")
    elif max(positive) > _LARGEST:  # tables of that size are made while loading
        problems.append(f"a size, rate or length of {max(positive)} is beyond the largest that is taken, {_LARGEST}")
    elif vae.hop * vae.output_rate != vae.output_hop * vae.sample_rate:
        problems.append(
            f"a latent frame is {vae.hop} samples in at {vae.sample_rate} Hz but {vae.output_hop} samples out "
            f"at {vae.output_rate} Hz: not the same duration"
        )
    if problems:
        raise ConfigError("config.json contradicts itself: " + "; ".join(problems))

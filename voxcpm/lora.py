"""LoRA (low-rank adapters, arXiv:2106.09685) in the published file layout: what is in a file, and layers to train.

An adapted linear layer gives ``W x + dropout(B A x) * alpha / r``; the dropout lies on the output. Files hold
``<layer>.lora_A`` [r, in] and ``<layer>.lora_B`` [out, r] for every adapted layer; ``lora_config.json`` lies
beside them. Running a model with an adapter is the business of ``voxcpm.adapters``.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from voxcpm.checkpoint import read_tensors
from voxcpm.errors import CheckpointError, ConfigError
from voxcpm.files import write_atomically
from voxcpm.model import VoxCPMModel

WEIGHTS = "lora_weights.safetensors"
PICKLED_WEIGHTS = "lora_weights.ckpt"
CONFIG = "lora_config.json"
CONSENT_KEY = "consent_record_ids"

ATTENTION = ("q_proj", "v_proj", "k_proj", "o_proj")
PROJECTIONS = ("enc_to_lm_proj", "lm_to_dit_proj", "res_to_dit_proj", "fusion_concat_proj")
LM_ROOTS = ("base_lm.layers.", "residual_lm.layers.")
DIT_ROOTS = ("feat_decoder.estimator.decoder.layers.",)


@dataclass(frozen=True)
class LoRAConfig:
    """Which layers are adapted and how; field names are those of ``lora_config.json``."""

    enable_lm: bool = True
    """Both language models."""
    enable_dit: bool = True
    """LocDiT."""
    enable_proj: bool = False
    """The projections between the parts."""
    r: int = 32
    alpha: float = 32
    dropout: float = 0.0
    target_modules_lm: tuple[str, ...] = ATTENTION
    target_modules_dit: tuple[str, ...] = ATTENTION
    target_proj_modules: tuple[str, ...] = PROJECTIONS

    @property
    def scaling(self) -> float:
        """Factor on the low-rank branch."""
        return self.alpha / self.r

    def covers(self, layer: str) -> bool:
        """Whether the layer of that name gets an adapter."""
        leaf = layer.rpartition(".")[2]
        if layer.startswith(LM_ROOTS):
            return self.enable_lm and leaf in self.target_modules_lm
        if layer.startswith(DIT_ROOTS):
            return self.enable_dit and leaf in self.target_modules_dit
        return self.enable_proj and layer in self.target_proj_modules

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in dataclasses.asdict(self).items()}

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> LoRAConfig:
        """From the JSON form; :class:`CheckpointError` for values that make no sense. Unknown keys are left alone."""
        known = {field.name for field in dataclasses.fields(cls)}
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in raw.items() if k in known}
        config = cls(**values)
        problems = []
        if isinstance(config.r, bool) or not isinstance(config.r, int) or config.r < 1:
            problems.append(f"r must be a whole number from 1 on, is {config.r!r}")
        for name, most in (("alpha", math.inf), ("dropout", 1.0)):
            value = getattr(config, name)
            good = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
            if not good or not 0 <= value <= most:
                problems.append(f"{name} is {value!r}")
        for field in dataclasses.fields(cls):
            value = getattr(config, field.name)
            if field.name.startswith("enable_") and not isinstance(value, bool):
                problems.append(f"{field.name} must be true or false, is {value!r}")
            if field.name.startswith("target_") and not (
                isinstance(value, tuple) and all(isinstance(entry, str) for entry in value)
            ):
                problems.append(f"{field.name} must be a list of names, is {value!r}")
        if problems:
            raise CheckpointError(f"the LoRA's settings make no sense: {'; '.join(problems)}. Export the LoRA again")
        return config


@dataclass(frozen=True)
class LowRank:
    """One layer's adapter: ``a`` [r, in], ``b`` [out, r]."""

    a: Tensor
    b: Tensor


@dataclass(frozen=True, eq=False)
class LoRAWeights:
    """All that a LoRA file says, complete in itself: rank and alpha are its own."""

    name: str
    config: LoRAConfig
    layers: dict[str, LowRank]
    foreign: tuple[str, ...] = ()
    """Keys of the file that are no adapter of any layer."""
    base_model: str = ""
    consent_ids: tuple[str, ...] = ()
    """Of the persons whose recordings it was made from; empty for a voice that is nobody's."""

    @property
    def fingerprint(self) -> str:
        """Short identity by content."""
        digest = hashlib.sha256(repr((self.config.scaling, self.consent_ids)).encode())
        for layer, pair in sorted(self.layers.items()):
            digest.update(layer.encode())
            for tensor in (pair.a, pair.b):
                digest.update(tensor.detach().cpu().float().contiguous().numpy().tobytes())
        return digest.hexdigest()[:16]


@dataclass(frozen=True)
class LoRAFit:
    """How a LoRA meets a model."""

    used: dict[str, LowRank]
    skipped: tuple[str, ...]
    """Keys of the file that the model has no place for."""
    missing: tuple[str, ...]
    """Layers that the LoRA's own settings name and its file lacks; they stay as in the base model."""


def fit(weights: LoRAWeights, shapes: Mapping[str, tuple[int, int]]) -> LoRAFit:
    """Match a LoRA with layers ``{name: (out, in)}``; :class:`CheckpointError` if a shape is wrong or nothing fits."""
    used, skipped, wrong = {}, list(weights.foreign), []
    for layer, pair in weights.layers.items():
        if layer not in shapes:
            skipped += [f"{layer}.lora_A", f"{layer}.lora_B"]
            continue
        found = (pair.b.shape[0], pair.a.shape[1])
        if found != shapes[layer]:
            wrong.append(f"{layer} is for a layer {list(found)}, the model's is {list(shapes[layer])}")
        used[layer] = pair
    if wrong:
        raise CheckpointError(
            f"LoRA {weights.name} does not fit this model: {'; '.join(wrong[:4])}"
            f"{f' and {len(wrong) - 4} more' if len(wrong) > 4 else ''}. It was made for another model"
            + (f" ({weights.base_model})" if weights.base_model else "")
        )
    if not used:
        raise CheckpointError(f"LoRA {weights.name} has no layer that this model has; it was made for another model")
    missing = sorted(layer for layer in shapes if weights.config.covers(layer) and layer not in used)
    return LoRAFit(used, tuple(skipped), tuple(missing))


# -- files ----------------------------------------------------------------------------------------------------


def read_lora(path: Path) -> LoRAWeights:
    """Read a LoRA folder, or a weights file with its ``lora_config.json`` beside it.

    Raises :class:`CheckpointError` for a damaged or truncated file, values that are not finite, half of a pair, or
    an unknown or contradictory rank or alpha.
    """
    path = Path(path)
    folder = path if path.is_dir() else path.parent
    file = path
    if path.is_dir():
        file = next((f for name in (WEIGHTS, PICKLED_WEIGHTS) if (f := folder / name).is_file()), folder / WEIGHTS)
    if not file.is_file():
        raise CheckpointError(f"{path} holds no {WEIGHTS}; choose the folder that a LoRA was saved to")
    meta = _metadata(file)
    raw = _read_config(folder / CONFIG) or _read_json(meta.get("lora"), file.name)
    layers, foreign = _pairs(file)
    rank = _rank(layers, file.name)
    settings = raw.get("lora_config", raw)
    if not isinstance(settings, Mapping) or "alpha" not in settings:
        raise CheckpointError(
            f"{CONFIG} beside {file.name} is missing or says no alpha, and without it the strength of the LoRA is not "
            "known; put the file back that belongs to it"
        )
    config = LoRAConfig.from_dict({"r": rank, **settings})
    if config.r != rank:
        raise CheckpointError(
            f"{CONFIG} says rank {config.r}, the tensors of {file.name} have rank {rank}; "
            "the two files are not of the same LoRA"
        )
    consent = (*_ids(raw.get(CONSENT_KEY)), *_ids(_read_json(meta.get("lora"), file.name).get(CONSENT_KEY)))
    name = folder.name if file.name in (WEIGHTS, PICKLED_WEIGHTS) else file.stem
    return LoRAWeights(
        name, config, layers, tuple(foreign), str(raw.get("base_model") or ""), tuple(dict.fromkeys(consent))
    )


def save_lora(folder: Path, weights: LoRAWeights) -> None:
    """Write the published two files into ``folder`` (made if missing), each atomically; the settings also go into the
    weights file, so that it can stand alone. Raises ``OSError``."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {}
    for layer, pair in sorted(weights.layers.items()):
        tensors[f"{layer}.lora_A"] = pair.a.detach().cpu().contiguous()
        tensors[f"{layer}.lora_B"] = pair.b.detach().cpu().contiguous()
    settings: dict[str, Any] = {"base_model": weights.base_model, "lora_config": weights.config.to_dict()}
    if weights.consent_ids:
        settings[CONSENT_KEY] = list(weights.consent_ids)
    write_atomically(folder / WEIGHTS, save(tensors, {"format": "pt", "lora": json.dumps(settings)}))
    write_atomically(folder / CONFIG, (json.dumps(settings, indent=2) + "\n").encode())


def _metadata(file: Path) -> dict[str, str]:
    if file.suffix != ".safetensors":
        return {}
    try:
        with safe_open(file, framework="pt") as reader:
            return reader.metadata() or {}
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"{file.name} cannot be read ({error}); copy or export the LoRA again") from error


def _read_config(file: Path) -> dict[str, Any]:
    try:
        return _read_json(file.read_text(encoding="utf-8-sig"), file.name)
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise CheckpointError(f"{file.name} cannot be read ({error}); copy or export the LoRA again") from error


def _read_json(content: str | None, name: str) -> dict[str, Any]:
    if content is None:
        return {}
    try:
        raw = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"{name} holds no JSON ({error}); copy or export the LoRA again") from error
    if not isinstance(raw, dict):
        raise CheckpointError(f"{name} must hold a JSON object, found {type(raw).__name__}")
    return raw


def _ids(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(str(entry) for entry in (value if isinstance(value, list) else [value]))


def _pairs(file: Path) -> tuple[dict[str, LowRank], list[str]]:
    halves: dict[str, dict[str, Tensor]] = {}
    foreign = []
    for key, tensor in read_tensors((file,)):
        layer, _, kind = key.rpartition(".")
        if kind not in ("lora_A", "lora_B") or not layer:
            foreign.append(key)
            continue
        if tensor.dim() != 2 or not tensor.is_floating_point():
            raise CheckpointError(f"{file.name}: {key} is no matrix of numbers; export the LoRA again")
        if not bool(torch.isfinite(tensor).all()):
            raise CheckpointError(f"{file.name}: {key} holds values that are no numbers; export the LoRA again")
        # A copy of our own: the file may be mapped, and may be changed or removed while the adapter is in use.
        halves.setdefault(layer, {})[kind] = tensor.clone()
    alone = [layer for layer, pair in halves.items() if len(pair) != 2]
    if alone:
        raise CheckpointError(f"{file.name} holds only half of the adapter of {', '.join(alone[:4])}; export it again")
    return {layer: LowRank(pair["lora_A"], pair["lora_B"]) for layer, pair in halves.items()}, foreign


def _rank(layers: Mapping[str, LowRank], name: str) -> int:
    ranks = {size for pair in layers.values() for size in (pair.a.shape[0], pair.b.shape[1])}
    if len(ranks) != 1 or 0 in ranks:
        found = ", ".join(map(str, sorted(ranks))) or "none"
        raise CheckpointError(f"{name}: all layers must have one rank, found {found}; it is no LoRA of this kind")
    return int(ranks.pop())


# -- training -------------------------------------------------------------------------------------------------


class LoRALinear(nn.Linear):
    """A linear layer with a low-rank branch to train. Keys: ``weight``, ``bias``, ``lora_A``, ``lora_B``."""

    def __init__(self, base: nn.Linear, config: LoRAConfig, generator: torch.Generator) -> None:
        super().__init__(base.in_features, base.out_features, bias=base.bias is not None, device="meta")
        self.weight = base.weight
        self.bias = base.bias
        bound = 1.0 / math.sqrt(base.in_features)
        a = torch.rand(config.r, base.in_features, generator=generator).mul_(2 * bound).sub_(bound)
        # Adapters are trained in float32 whatever the frozen weights are in: a step would be lost in 16 bits.
        self.lora_A = nn.Parameter(a.to(base.weight.device))
        self.lora_B = nn.Parameter(torch.zeros(base.out_features, config.r, device=base.weight.device))
        self.scaling = config.scaling
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor) -> Tensor:
        """[..., in] -> [..., out]."""
        base = F.linear(x.to(self.weight.dtype), self.weight, self.bias).to(x.dtype)
        low = F.linear(F.linear(x, self.lora_A.to(x.dtype)), self.lora_B.to(x.dtype))
        return base + self.dropout(low) * self.scaling


def linear_shapes(model: VoxCPMModel) -> dict[str, tuple[int, int]]:
    """The layers of a plain (not fused) model that can be adapted: ``{name: (out, in)}``."""
    return {
        name: (module.out_features, module.in_features)
        for name, module in model.named_modules()
        if isinstance(module, nn.Linear) and adaptable(name)
    }


def adaptable(layer: str) -> bool:
    """Whether an adapter can be put on the layer of that name."""
    return layer.startswith((*LM_ROOTS, *DIT_ROOTS)) or layer in PROJECTIONS


def inject(model: VoxCPMModel, config: LoRAConfig, generator: torch.Generator) -> list[str]:
    """Freeze a plain model and put a fresh adapter (which changes nothing yet) on every layer that ``config`` covers.

    Returns the layers' names; :class:`ConfigError` if there are none.
    """
    names = [name for name in linear_shapes(model) if config.covers(name)]
    if not names:
        raise ConfigError("the LoRA settings choose no layer at all; enable the LM, LocDiT or the projections")
    model.requires_grad_(False)
    for name in names:
        parent, _, leaf = name.rpartition(".")
        base = model.get_submodule(name)
        assert isinstance(base, nn.Linear)
        setattr(model.get_submodule(parent), leaf, LoRALinear(base, config, generator))
    return names


def adapted(model: VoxCPMModel) -> Iterable[tuple[str, LoRALinear]]:
    """The layers with an adapter to train."""
    return ((name, module) for name, module in model.named_modules() if isinstance(module, LoRALinear))


def put(model: VoxCPMModel, weights: LoRAWeights) -> LoRAFit:
    """Inject with the file's own settings and copy its values, to train on from there. All or nothing."""
    result = fit(weights, linear_shapes(model))
    if set(result.used) != {name for name in linear_shapes(model) if weights.config.covers(name)}:
        raise CheckpointError(f"LoRA {weights.name} lacks layers that its settings name; it cannot be trained on")
    inject(model, weights.config, torch.Generator().manual_seed(0))
    with torch.no_grad():
        for name, module in adapted(model):
            module.lora_A.copy_(result.used[name].a)
            module.lora_B.copy_(result.used[name].b)
    return result


def take(
    model: VoxCPMModel, config: LoRAConfig, *, name: str, base_model: str, consent_ids: tuple[str, ...]
) -> LoRAWeights:
    """A copy of what has been trained."""
    layers = {
        layer: LowRank(module.lora_A.detach().cpu().clone(), module.lora_B.detach().cpu().clone())
        for layer, module in adapted(model)
    }
    return LoRAWeights(name, config, layers, (), base_model, consent_ids)


# -- merging --------------------------------------------------------------------------------------------------


class Merged:
    """A LoRA added into a plain model's own weights; :meth:`undo` gives back the weights of before, bit for bit."""

    def __init__(self, model: VoxCPMModel, weights: LoRAWeights, strength: float = 1.0) -> None:
        """Raises :class:`CheckpointError`, and then nothing has been changed."""
        self.fit = fit(weights, linear_shapes(model))
        self._before: dict[nn.Linear, nn.Parameter] = {}
        scale = weights.config.scaling * strength
        for name, pair in self.fit.used.items():
            layer = model.get_submodule(name)
            assert isinstance(layer, nn.Linear) and isinstance(layer.weight, nn.Parameter)
            a, b = (t.to(layer.weight.device, torch.float32) for t in (pair.a, pair.b))
            summed = layer.weight.detach().float() + b @ a * scale
            self._before[layer] = layer.weight
            layer.weight = nn.Parameter(summed.to(layer.weight.dtype), layer.weight.requires_grad)

    def undo(self) -> None:
        """Restore every weight."""
        for layer, weight in self._before.items():
            layer.weight = weight
        self._before.clear()

"""Adapters on a model that generates: a low-rank branch beside each linear layer, packed, fused or plain.

The base layers are never touched; an adapter is a set of layers that stand in their places. So unloading gives back the
base bit for bit, and each batch can run with the adapter that it began with.
"""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from voxcpm.consent import GENERATE, ConsentRecord
from voxcpm.errors import ConsentError, RequestError
from voxcpm.lora import LoRAFit, LoRAWeights, LowRank, adaptable, fit
from voxcpm.model import VoxCPMModel
from voxcpm.modules.minicpm4 import MLP, Attention
from voxcpm.modules.packed import FixedLinear

logger = logging.getLogger(__name__)

STRENGTH_LIMIT = 4.0


class AdaptedLinear(nn.Module):
    """A layer and a low-rank branch on the same input, scaling already in ``up``."""

    def __init__(self, base: nn.Module, down: Tensor, up: Tensor) -> None:
        super().__init__()
        self.base = base
        self.register_buffer("down", down, persistent=False)
        self.register_buffer("up", up, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """[..., in] -> [..., out]."""
        return self.base(x) + F.linear(F.linear(x, self.get_buffer("down")), self.get_buffer("up"))


@dataclass(frozen=True)
class Place:
    """Where a published layer is in the running model: rows ``start .. stop-1`` of the layer ``module``."""

    module: str
    start: int
    stop: int
    inputs: int


def find_places(model: VoxCPMModel) -> dict[str, Place]:
    """Every adaptable layer under its published name, also where several were fused into one product."""
    places: dict[str, Place] = {}
    for name, module in model.named_modules():
        if isinstance(module, (nn.Linear, FixedLinear)):
            parts = [(name, module.out_features)]
            parent, _, leaf = name.rpartition(".")
            owner = model.get_submodule(parent)
            if isinstance(owner, Attention) and leaf == "qkv_proj":
                sizes = (owner.heads, owner.kv_heads, owner.kv_heads)
                parts = [
                    (f"{parent}.{part}", count * owner.head_dim)
                    for part, count in zip(("q_proj", "k_proj", "v_proj"), sizes, strict=True)
                ]
            elif isinstance(owner, MLP) and leaf == "gate_up_proj":
                parts = [(f"{parent}.{part}", module.out_features // 2) for part in ("gate_proj", "up_proj")]
            start = 0
            for part, rows in parts:
                if adaptable(part):
                    places[part] = Place(name, start, start + rows, module.in_features)
                start += rows
    return places


@dataclass(frozen=True)
class LoRAInfo:
    """What is loaded, for people."""

    name: str
    rank: int
    alpha: float
    strength: float
    layers: int
    skipped: tuple[str, ...]
    """Keys of the file that this model has no place for."""
    missing: tuple[str, ...]
    """Layers that the LoRA's settings name and its file lacks; they are as in the base model."""
    base_model: str
    consent_ids: tuple[str, ...]
    fingerprint: str


@dataclass(frozen=True, eq=False)
class Adapter:
    """A LoRA made ready for one running model; never changed. Another strength is another adapter."""

    weights: LoRAWeights
    fit: LoRAFit
    strength: float
    consent: tuple[ConsentRecord, ...]
    layers: dict[str, AdaptedLinear]
    """By place in the running model; empty at strength 0, which is the base model itself."""

    @cached_property
    def key(self) -> str:
        """Identity by content and strength."""
        return f"{self.weights.fingerprint}@{self.strength:g}"

    def check_consent(self) -> None:
        """Raise :class:`ConsentError` if a person's permission does not hold now."""
        for record in self.consent:
            record.check(GENERATE)

    @property
    def info(self) -> LoRAInfo:
        """For people."""
        config = self.weights.config
        return LoRAInfo(
            self.weights.name,
            config.r,
            float(config.alpha),
            self.strength,
            len(self.fit.used),
            self.fit.skipped,
            self.fit.missing,
            self.weights.base_model,
            self.weights.consent_ids,
            self.weights.fingerprint,
        )


class AdapterHost:
    """Owns the places of adapters in one model. ``lock`` is held by whoever computes with the model."""

    def __init__(self, model: VoxCPMModel, lock: threading.Lock) -> None:
        self.model, self.lock = model, lock
        self.current: Adapter | None = None
        """For batches that begin from now on."""
        self.swapping = threading.Lock()
        """Held by whoever changes ``current``."""
        self._installed: Adapter | None = None
        self._places = find_places(model)
        self._base = {place.module: model.get_submodule(place.module) for place in self._places.values()}

    def prepare(
        self, weights: LoRAWeights, strength: float, consent: ConsentRecord | Sequence[ConsentRecord] | None
    ) -> Adapter:
        """Check everything and build the layers; the model is not touched.

        Raises :class:`ConsentError` if the LoRA carries a person's voice and no valid record with that id is given,
        :class:`CheckpointError` if it does not fit.
        """
        records = (consent,) if isinstance(consent, ConsentRecord) else tuple(consent or ())
        _check_records(weights, records)
        found = fit(weights, {name: (p.stop - p.start, p.inputs) for name, p in self._places.items()})
        if found.skipped or found.missing:
            logger.warning(
                "LoRA %s: skipped keys: %s; layers without an adapter: %s",
                weights.name,
                ", ".join(found.skipped) or "none",
                ", ".join(found.missing) or "none",
            )
        return self._build(weights, found, strength, records)

    def with_strength(self, adapter: Adapter, strength: float) -> Adapter:
        """The same LoRA at another strength."""
        return self._build(adapter.weights, adapter.fit, strength, adapter.consent)

    def _build(
        self, weights: LoRAWeights, found: LoRAFit, strength: float, consent: tuple[ConsentRecord, ...]
    ) -> Adapter:
        check_strength(strength)
        by_module: dict[str, list[tuple[Place, LowRank]]] = {}
        for name, pair in found.used.items() if strength else ():
            by_module.setdefault(self._places[name].module, []).append((self._places[name], pair))
        scale = weights.config.scaling * strength
        layers = {module: self._layer(module, parts, scale) for module, parts in by_module.items()}
        return Adapter(weights, found, float(strength), consent, layers)

    def _layer(self, module: str, parts: list[tuple[Place, LowRank]], scale: float) -> AdaptedLinear:
        """One branch for all parts of a fused layer: ``down`` stacked, ``up`` with each part in its own rows."""
        base = self._base[module]
        assert isinstance(base, (nn.Linear, FixedLinear))
        down = torch.cat([pair.a.float() for _, pair in parts])
        up = torch.zeros(base.out_features, down.shape[0])
        column = 0
        for place, pair in parts:
            rank = pair.a.shape[0]
            up[place.start : place.stop, column : column + rank] = pair.b.float() * scale
            column += rank
        where, dtype = self.model.device, self.model.dtype
        return AdaptedLinear(base, down.to(where, dtype), up.to(where, dtype))

    def using(self, adapter: Adapter | None) -> AbstractContextManager[None]:
        """Hold the lock with ``adapter`` (None: the base model) in place. Can be entered again and again."""
        return _Using(self, adapter)

    def install(self, adapter: Adapter | None) -> None:
        """Put ``adapter`` in place; the lock must be held."""
        if adapter is self._installed:
            return
        new = adapter.layers if adapter is not None else {}
        old = self._installed.layers if self._installed is not None else {}
        for path in {**old, **new}:
            parent, _, leaf = path.rpartition(".")
            setattr(self.model.get_submodule(parent), leaf, new.get(path, self._base[path]))
        self._installed = adapter


class _Using(AbstractContextManager[None]):
    def __init__(self, host: AdapterHost, adapter: Adapter | None) -> None:
        self.host, self.adapter = host, adapter

    def __enter__(self) -> None:
        self.host.lock.acquire()
        try:
            self.host.install(self.adapter)
        except BaseException:
            self.host.lock.release()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.host.lock.release()


def check_strength(strength: object) -> None:
    """Raise :class:`RequestError` unless it is a number from 0 to 4."""
    good = isinstance(strength, (int, float)) and not isinstance(strength, bool) and math.isfinite(strength)
    if not good or not 0 <= float(strength) <= STRENGTH_LIMIT:  # type: ignore[arg-type]
        raise RequestError("strength", f"must be a number from 0 to {STRENGTH_LIMIT:g}, got {strength!r}")


def _check_records(weights: LoRAWeights, records: tuple[ConsentRecord, ...]) -> None:
    for record in records:
        record.check(GENERATE)
    lacking = sorted(set(weights.consent_ids) - {record.record_id for record in records})
    if lacking:
        raise ConsentError(
            f"LoRA {weights.name} carries the voice of a person (consent record {', '.join(lacking)}); "
            "give that record to use it"
        )

"""What is asked of the engine about its model, and what it tells of itself. Jobs are in ``messages``."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.messages import Failure, LoraInfo, ModelInfo


@dataclass(frozen=True)
class LoadModel:
    """Load the model in ``folder``, in place of the one that is loaded."""

    ticket: int
    folder: str
    device: str = "auto"
    dtype: str = "auto"


@dataclass(frozen=True)
class UseLora:
    """Use the LoRA in ``path`` (empty: none) from the next job on, unless that has a voice with its own."""

    ticket: int
    path: str
    strength: float = 1.0


@dataclass(frozen=True)
class Unload:
    """Free the loaded model."""


@dataclass(frozen=True)
class LoadProgress:
    """``fraction`` 0..1 of the load with this ticket is done."""

    ticket: int
    fraction: float


@dataclass(frozen=True)
class ModelLoaded:
    """The model of this ticket is ready."""

    ticket: int
    info: ModelInfo


@dataclass(frozen=True)
class LoadFailed:
    """The model of this ticket could not be loaded; none is loaded now."""

    ticket: int
    failure: Failure


@dataclass(frozen=True)
class LoraChanged:
    """The answer to UseLora: what is in use now (None = none), or why nothing was changed."""

    ticket: int
    lora: LoraInfo | None
    failure: Failure | None = None


@dataclass(frozen=True)
class Unloaded:
    """No model is loaded any more."""


@dataclass(frozen=True)
class Crashed:
    """The engine's thread ended by itself; nothing more comes from it."""

    failure: Failure

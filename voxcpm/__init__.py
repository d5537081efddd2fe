"""VoxCPM-0.5B, VoxCPM1.5 and VoxCPM2: tokenizer-free speech models. Importing this package loads no torch."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voxcpm.config import VoxCPMConfig
    from voxcpm.consent import ConsentRecord
    from voxcpm.noise import RecordedNoise
    from voxcpm.pipeline import VoxCPM
    from voxcpm.request import Request, spread_seeds
    from voxcpm.result import AudioChunk, Result
    from voxcpm.voice import Voice

_HOMES = {
    "AudioChunk": "voxcpm.result",
    "ConsentRecord": "voxcpm.consent",
    "RecordedNoise": "voxcpm.noise",
    "Request": "voxcpm.request",
    "Result": "voxcpm.result",
    "Voice": "voxcpm.voice",
    "VoxCPM": "voxcpm.pipeline",
    "VoxCPMConfig": "voxcpm.config",
    "spread_seeds": "voxcpm.request",
}

__all__ = [
    "AudioChunk",
    "ConsentRecord",
    "RecordedNoise",
    "Request",
    "Result",
    "Voice",
    "VoxCPM",
    "VoxCPMConfig",
    "spread_seeds",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'voxcpm' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

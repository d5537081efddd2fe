"""What a loaded model is, for results and for people. Loads no torch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ModelInfo:
    """What is loaded."""

    name: str
    architecture: str
    encode_rate: int
    """Sample rate of references and prompts in Hz."""
    output_rate: int
    patch_size: int
    latent_dim: int
    frame_rate: float
    patch_seconds: float
    max_length: int
    """Positions in the context: text, audio patches and control ids together."""
    device: str
    dtype: str
    weight_bytes: int
    takes_reference: bool
    takes_description: bool
    fingerprint: str
    unknown_keys: tuple[str, ...]

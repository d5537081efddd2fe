"""What comes out: chunks while a take is made, and the take's result. Loads no torch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from voxcpm.audio_file import Finding

Samples = NDArray[np.float32]

END_REASONS = ("stopped", "length_cap", "max_patches", "context_full", "cancelled")
FLAG_TOO_LONG = "doubtful: too long"
FLAG_CONTEXT = "cut: context full"
FLAG_NOISE = "cut: noise ended"
FLAG_CANCELLED = "cut: cancelled"


@dataclass(frozen=True)
class BatchRow:
    """One row of the batch that a take was made in. The rows together repeat the batch exactly on the same machine."""

    text: str
    mode: str
    seed: int
    attempt: int
    steps: int
    cfg: float
    min_patches: int
    max_patches: int
    """The limit in force: the least of what was asked, the length cap and the room in the context."""
    voice: str | None
    temperature: float = 1.0


@dataclass(frozen=True)
class Result:
    """A finished (or stopped) take."""

    samples: Samples
    """float32 [n], mono, -1..1."""
    sample_rate: int
    latents: NDArray[np.float32]
    """float32 [patches * P, D], 25 frames a second."""
    patches: int
    mode: str
    text: str
    """What the model got, description and normalising included."""
    seed: int
    """The seed of the returned audio (of the attempt that was kept)."""
    first_seed: int
    """The seed asked for; the same unless a retry was kept."""
    steps: int
    cfg: float
    temperature: float
    end: str
    """One of :data:`END_REASONS`."""
    flags: tuple[str, ...]
    stop_probabilities: NDArray[np.float32]
    """float32 [patches], in 0..1."""
    patch_seconds: NDArray[np.float32]
    """float32 [patches], compute time."""
    attempts: int
    retry_helped: bool | None
    """None without a retry; else whether the last attempt was no bad case any more."""
    next_seed: int
    """Offered for a redo."""
    time_to_first_audio: float
    total_seconds: float
    last_packet_seconds: float
    """Seconds from the start to the last chunk."""
    part_seconds: dict[str, float]
    """Seconds per part of the model, of the whole batch."""
    batch: tuple[BatchRow, ...]
    row: int
    """This take's place in ``batch``."""
    model: str
    device: str
    dtype: str
    consent_id: str | None
    """Of the person whose voice or whose adapter was used (several are joined with commas)."""
    lora: str | None = None
    """Fingerprint and strength of the adapter."""

    @property
    def seconds(self) -> float:
        """Length of the audio."""
        return len(self.samples) / self.sample_rate

    @property
    def real_time_factor(self) -> float:
        """Compute time over audio time; below 1 is faster than it plays."""
        return self.total_seconds / self.seconds if len(self.samples) else float("nan")


@dataclass(frozen=True)
class AudioChunk:
    """New audio of one take: one patch, or the closing chunk."""

    row: int
    patch: int
    """Index of the patch in its take."""
    samples: Samples
    """float32 [n], mono; empty on a closing chunk that brings no new audio."""
    sample_rate: int
    latents: NDArray[np.float32]
    """float32 [P, D], or [0, D] without new audio."""
    stop_probability: float
    seconds: float
    """Compute time of this patch, for the whole batch."""
    expected_patches: tuple[int, int]
    """Low and high guess of the take's length."""
    attempt: int = 0
    doubtful: bool = False
    """The take is already far too long for its text; heard in a stream, that is the moment to offer another seed."""
    result: Result | None = field(default=None, compare=False)
    """On the last chunk of a row, and only there."""


@dataclass(frozen=True)
class Progress:
    """How far a take is."""

    row: int
    patches: int
    audio_seconds: float
    expected_patches: tuple[int, int]
    attempt: int


@dataclass(frozen=True)
class Plan:
    """What the model would get, worked out without running it."""

    mode: str
    text: str
    """Description, normalising and prompt transcript included, as it is tokenised."""
    target_tokens: int
    positions: int
    """Positions of the sequence in front of the first patch."""
    max_patches: int
    limit: str
    """Which end reason the limit stands for."""
    expected_patches: tuple[int, int]
    expected_seconds: tuple[float, float]
    reference_seconds: float
    prompt_seconds: float
    findings: tuple[Finding, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        """The findings in English."""
        return tuple(finding.message for finding in self.findings)

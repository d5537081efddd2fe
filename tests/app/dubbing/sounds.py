"""A pretended line engine and sounds to mix: tones that rise and fall as speech does. No model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from app.core.dubbing.lines import Line
from app.core.messages import ModelInfo, TakeResult

RATE = 16_000
MODEL = ModelInfo(
    folder="/models/tone", name="tone", note="", architecture="fake", encode_rate=RATE, output_rate=RATE, patch_size=4,
    latent_dim=2, frame_rate=25.0, max_length=4096, device="cpu", dtype="float32", weight_bytes=1, takes_reference=True,
    takes_description=True, fingerprint="f" * 32, threads=1,
)  # fmt: skip


def speech(seconds: float, seed: int = 0, rate: int = RATE, lead: float = 0.15) -> np.ndarray:
    """A voiced tone in syllables, with silence before and behind, float32 [n]."""
    rng = np.random.default_rng(seed)
    at = np.arange(round(seconds * rate)) / rate
    pitch = 120 + 80 * rng.random()
    tone = sum(np.sin(2 * np.pi * pitch * k * at + rng.random()) / k for k in range(1, 12))
    syllables = np.clip(np.sin(2 * np.pi * 3.5 * at), 0, None) ** 0.5
    voiced = 0.05 * tone * syllables
    quiet = np.zeros(round(lead * rate))
    return np.concatenate([quiet, voiced, quiet]).astype(np.float32)


class ToneEngine:
    """Speaks tones; what it was asked for stays in ``asked``. ``fail_at``: the batch (from 0) at which it raises."""

    def __init__(self, fail_at: int | None = None) -> None:
        self.asked: list[list[Line]] = []
        self.fail_at = fail_at

    def speak_lines(self, lines: Sequence[Line], is_cancelled: Callable[[], bool]) -> list[list[TakeResult]]:
        if self.fail_at == len(self.asked):
            raise KeyboardInterrupt
        self.asked.append(list(lines))
        # As with a real model, the last bits depend on what is computed along.
        along = sum(line.seed for line in lines) % 1000
        return [[self._result(line, along)] for line in lines]

    @staticmethod
    def _result(line: Line, along: int) -> TakeResult:
        samples = speech(0.3 + 0.03 * len(line.text) + line.seed % 5 / 20, line.seed) * np.float32(1 + along * 1e-6)
        return TakeResult(
            samples=samples, sample_rate=RATE, latents=np.full((8, 2), line.seed % 7, np.float32), patches=2,
            mode="design", text=line.text, seed=line.seed, end="stopped", model=MODEL.fingerprint,
            settings={"steps": line.steps, "cfg": 2.0},
        )  # fmt: skip

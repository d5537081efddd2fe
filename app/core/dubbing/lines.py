"""What the engine is asked for by a dub: lines of different texts that are computed together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from app.core.messages import TakeResult, VoiceSpec

LONGEST_WHOLE = 240
"""Characters: a longer line is spoken sentence by sentence, each going on from the one before, and by itself."""


@dataclass(frozen=True, eq=False)
class Anchor:
    """A take of a designed voice that others go on from: its text and its latents float32 [frames, D]."""

    text: str
    latents: np.ndarray


@dataclass(frozen=True)
class Line:
    """One line to be spoken; fields as those of ``Job``. ``anchor``: only without a ``voice``."""

    text: str
    seed: int
    voice: VoiceSpec | None = None
    description: str = ""
    steps: int = 10
    cfg: float | None = None
    temperature: float | None = None
    min_patches: int = 2
    max_patches: int = 4096
    retries: int = 3
    retry_ratio: float = 6.0
    normalize: bool = False
    anchor: Anchor | None = None
    decided: frozenset[str] = frozenset()


class LineEngine(Protocol):
    """An engine that speaks lines of a batch; called from one thread only."""

    def speak_lines(self, lines: Sequence[Line], is_cancelled: Callable[[], bool]) -> list[list[TakeResult]]:
        """Speak all lines at once; for each the results of its parts, which are several where it is long.

        All lines have the same voice, ``steps`` and ``cfg``.

        Raises:
            EngineError: what a person can act upon.
            EngineCancelled: told to stop; nothing is returned.
        """
        ...

"""The watermark, made by the engine's thread for exports that run in others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from app.core.engine_api import Engine, EngineError, PieceScore
from app.engine.worker import EngineWorker
from app.marks.errors import MarkError

T = TypeVar("T")


class EngineWatermark:
    """Asks the engine and waits for it; never used in the window's thread.

    Raises EngineCancelled when the engine is closed first, MarkError when it dies over it, and what the engine's
    watermark raises.
    """

    def __init__(self, engine: EngineWorker) -> None:
        self._engine = engine

    def embed(self, samples: np.ndarray, sample_rate: int) -> np.ndarray:
        """Return float32 [n] or [n, channels] with the mark."""
        return self._ask(lambda engine: engine.watermark().embed(samples, sample_rate))

    def score(self, samples: np.ndarray, sample_rate: int) -> tuple[PieceScore, ...]:
        """Look for the mark in float32 [n] or [n, channels]."""
        return self._ask(lambda engine: engine.watermark().score(samples, sample_rate))

    def _ask(self, work: Callable[[Engine], T]) -> T:
        try:
            return self._engine.call(work)
        except EngineError as error:
            raise MarkError(error.failure.message) from error

"""What every engine offers: the real one in this process, one far away, or the fake one of the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from app.core.messages import Chunk, Failure, Job, LoraInfo, ModelInfo, PlanInfo, TakeResult

if TYPE_CHECKING:
    from app.core.dubbing.lines import Line


class EngineError(Exception):
    """A failure that the window can show as it is: what happened, which field, and the technical part apart."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure

    def __reduce__(self) -> tuple[type[EngineError], tuple[Failure]]:
        """It travels between processes."""
        return type(self), (self.failure,)


class EngineCancelled(Exception):  # noqa: N818 - a wish that was granted, not a failure
    """The work was given up because ``is_cancelled`` said so."""


class EngineDied(BaseException):
    """The engine has ended by itself, its model with it; another has to follow, so nothing on the way swallows it."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class EngineLost(EngineError):  # noqa: N818 - what became of the engine
    """The engine has ended by itself while, or before, it did what another thread asked of it."""


class PieceScore(NamedTuple):
    """How sure a detector is of a stretch of sound (seconds), 0..1; None where it is silent or too short to tell."""

    start: float
    end: float
    score: float | None


class Watermark(Protocol):
    """The two things that an export asks of the watermark. Sound is float32 [n] or [n, channels]."""

    def embed(self, samples: np.ndarray, sample_rate: int) -> np.ndarray:
        """Return ``samples`` with the mark, of the same shape."""
        ...

    def score(self, samples: np.ndarray, sample_rate: int) -> tuple[PieceScore, ...]:
        """Look for the mark, piece by piece."""
        ...


class Engine(Protocol):
    """Called from one thread only. Every method may block; none may touch the window.

    All methods raise EngineError for what a person can understand and act upon, and EngineDied when the engine has
    ended by itself.
    """

    @property
    def process_id(self) -> int:
        """The number of the process that it works in; 0 for this one, or none yet. From any thread."""
        ...

    def load(
        self, folder: str, device: str, dtype: str, progress: Callable[[float], None], is_cancelled: Callable[[], bool]
    ) -> ModelInfo:
        """Load a model folder in place of the loaded one; raises EngineCancelled when told to stop."""
        ...

    def warm_up(self, is_cancelled: Callable[[], bool]) -> None:
        """Make a sound that nobody hears, so that the first take does not wait for what is done only once."""
        ...

    def use_lora(self, path: str, strength: float) -> LoraInfo | None:
        """Use the LoRA in ``path`` at ``strength`` (0..4) for jobs whose voice brings none; empty takes it away.

        All or nothing. A LoRA that carries a person's voice is asked for at the door, now and at every job. Loading
        a model takes it away.
        """
        ...

    def plan(self, job: Job) -> PlanInfo:
        """Work out what the model would get, without running it."""
        ...

    def stream(self, job: Job, is_cancelled: Callable[[], bool]) -> Iterator[Chunk]:
        """Make the takes of a job, chunk by chunk; each row ends with a chunk that carries its result.

        ``is_cancelled`` is looked at between steps. A cancelled row still ends with a result, whose ``end`` is
        ``cancelled``, when it has made any sound.
        """
        ...

    def speak_lines(self, lines: Sequence[Line], is_cancelled: Callable[[], bool]) -> list[list[TakeResult]]:
        """Speak lines of a dub as one batch; see ``app.core.dubbing.lines.LineEngine``."""
        ...

    def watermark(self) -> Watermark:
        """What makes and finds the watermark; loaded at the first call, whether or not a model is loaded.

        Raises what its maker raises when it is not installed: the export that asks says so.
        """
        ...

    def watch(self, died: Callable[[], object]) -> None:
        """Have ``died`` called, from any thread, when the engine ends by itself; ``check`` then raises EngineDied."""
        ...

    def check(self) -> None:
        """Raise EngineDied when the engine has ended by itself while nothing was asked of it."""
        ...

    def close(self) -> None:
        """Free the model. Harmless when nothing is loaded."""
        ...

    def give_up(self) -> None:
        """The program ends: let a method that blocks return soon, if that can be done. From any thread, at any time."""
        ...

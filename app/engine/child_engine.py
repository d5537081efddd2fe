"""The engine in a process of its own: what it costs in memory or crashes of is not the window's."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np

from app.core.consent.verify import Use
from app.core.door import Admitted
from app.core.engine_api import EngineCancelled, EngineDied, PieceScore, Watermark
from app.core.messages import Chunk, Job, LoraInfo, ModelInfo, PlanInfo, TakeResult, VoiceSpec
from app.engine.child import DECODE
from app.engine.child_process import ChildProcess, Patience
from app.engine.link import Answer, Handler, LinkGone, Part
from app.engine.voice_door import FindDoor, LocalDoor

if TYPE_CHECKING:
    from app.core.dubbing.lines import Line

_LOOK_SECONDS = 0.01
"""How often ``is_cancelled`` is looked at while the child works."""
_IMPORT_SECONDS = 0.5
"""A load that is given up and has not stopped by then is in an import: its process is ended."""


class ChildEngine:
    """An ``Engine`` whose work is done by a child. Called from one thread, like every engine.

    The child is started when it is first needed, and ends with ``close``, which gives back all of its memory. No voice
    is used without ``door``: it is asked in this process, where the keys are; the child gets what is admitted.
    """

    def __init__(
        self,
        door: FindDoor | None = None,
        module: Sequence[str] = ("app.engine.child",),
        patience: Patience = Patience(),  # noqa: B008 - frozen
    ) -> None:
        """``module`` is what Python runs as the child."""
        self._door = LocalDoor(door)
        self._module, self._patience = module, patience
        self._child: ChildProcess | None = None
        self._given_up = threading.Event()
        self._marks = _ChildWatermark(self)
        self._loading = False
        self._died: Callable[[], object] = lambda: None

    @property
    def process_id(self) -> int:
        """The number of the child's process; 0 while there is none."""
        child = self._child
        return 0 if child is None else child.pid

    def load(
        self, folder: str, device: str, dtype: str, progress: Callable[[float], None], is_cancelled: Callable[[], bool]
    ) -> ModelInfo:
        """Load a model in the child."""
        self._loading = True
        try:
            info: ModelInfo = self._ask("load", folder, device, dtype, told=progress, is_cancelled=is_cancelled)
        finally:
            self._loading = False
        return info

    def warm_up(self, is_cancelled: Callable[[], bool]) -> None:
        """Warm up."""
        self._ask("warm_up", is_cancelled=is_cancelled)

    def use_lora(self, path: str, strength: float) -> LoraInfo | None:
        """Use a LoRA."""
        info: LoraInfo | None = self._ask("use_lora", path, strength)
        return info

    def plan(self, job: Job) -> PlanInfo:
        """Plan."""
        info: PlanInfo = self._ask("plan", job)
        return info

    def stream(self, job: Job, is_cancelled: Callable[[], bool]) -> Iterator[Chunk]:
        """Make takes."""
        with closing(self._talk("stream", (job,), is_cancelled)) as talk:
            yield from talk

    def speak_lines(self, lines: Sequence[Line], is_cancelled: Callable[[], bool]) -> list[list[TakeResult]]:
        """Speak lines of a dub."""
        spoken: list[list[TakeResult]] = self._ask("speak_lines", tuple(lines), is_cancelled=is_cancelled)
        return spoken

    def watermark(self) -> Watermark:
        """The child's: it needs torch."""
        return self._marks

    def watch(self, died: Callable[[], object]) -> None:
        """Have it told when the child ends."""
        self._died = died

    def check(self) -> None:
        """Raise EngineDied when the child has ended unasked."""
        child = self._child
        if child is not None and child.has_ended:
            self._child = None
            raise EngineDied(child.post_mortem())

    def close(self) -> None:
        """End the child."""
        child, self._child = self._child, None
        if child is not None:
            child.end()

    def give_up(self) -> None:
        """End whatever the child does."""
        self._given_up.set()
        child = self._child
        if child is not None:
            child.kill()

    def _ask(
        self,
        name: str,
        *arguments: Any,
        told: Callable[[Any], object] = lambda value: None,
        is_cancelled: Callable[[], bool] = lambda: False,
    ) -> Any:
        talk = self._talk(name, arguments, is_cancelled)
        with closing(talk):
            while True:
                try:
                    told(next(talk))
                except StopIteration as end:
                    return end.value

    def _talk(
        self, name: str, arguments: tuple[Any, ...], is_cancelled: Callable[[], bool]
    ) -> Generator[Any, None, Any]:
        """Ask the child: yields the parts of its answer and returns its end. Raises what it raises, or EngineDied."""
        if self._given_up.is_set():
            raise EngineCancelled
        if self._child is None:
            self._child = ChildProcess(self._module, self._handlers(), self._patience, lambda: self._died())
        child = self._child
        child.calm_down()
        number = 0
        try:
            number = child.link.begin(name, *arguments)
            given_up_at: float | None = None
            while True:
                message = child.link.following(number, _LOOK_SECONDS)
                if isinstance(message, Part):
                    yield message.value
                elif isinstance(message, Answer):
                    number = 0
                    if message.error is not None:
                        raise message.error
                    return message.value
                if given_up_at is None and is_cancelled():
                    given_up_at = time.monotonic()
                    child.link.cancel(number)
                if message is None:
                    child.look_after()
                if self._loading and given_up_at is not None and time.monotonic() - given_up_at > _IMPORT_SECONDS:
                    number = 0
                    self._drop(child)
                    raise EngineCancelled
        except LinkGone:
            number = 0
            self._child = None
            if self._given_up.is_set():
                child.end()
                raise EngineCancelled from None
            raise EngineDied(child.post_mortem()) from None
        finally:
            if number:
                child.link.forget(number)

    def _drop(self, child: ChildProcess) -> None:
        """End a child that holds nothing yet."""
        self._child = None
        child.kill()
        child.end()

    def _handlers(self) -> dict[str, Handler]:
        door = self._door

        def admit_spec(number: int, spec: VoiceSpec, use: Use) -> Admitted:
            child = self._child
            assert child is not None
            return door.admit_spec(spec, lambda: child.link.ask(DECODE), use)

        return {
            "admit_spec": admit_spec,
            "admit": lambda number, *arguments: door.admit(*arguments),
            "admit_voice": lambda number, *arguments: door.admit_voice(*arguments),
            "admit_all": lambda number, *arguments: door.admit_all(*arguments),
            "note": lambda number, *arguments: door.note(*arguments),
            "latents": lambda number, *arguments: door.latents(*arguments),
            "keep_latents": lambda number, *arguments: door.keep_latents(*arguments),
        }


class _ChildWatermark:
    """The watermark of the child."""

    def __init__(self, engine: ChildEngine) -> None:
        self._engine = engine

    def embed(self, samples: np.ndarray, sample_rate: int) -> np.ndarray:
        """Return ``samples`` with the mark."""
        marked: np.ndarray = self._engine._ask("embed", samples, sample_rate)
        return marked

    def score(self, samples: np.ndarray, sample_rate: int) -> tuple[PieceScore, ...]:
        """Look for the mark."""
        found: tuple[PieceScore, ...] = self._engine._ask("score", samples, sample_rate)
        return found

"""What the window listens with: the recogniser and the speaker embedding, in a process of their own."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from app.core.consent.evidence import Availability, Sound
from app.core.engine_api import EngineCancelled, EngineDied
from app.core.quality import QualityCard
from app.engine.child_process import ChildProcess, Patience
from app.engine.evidence import EvidenceUnavailable
from app.engine.link import Answer, LinkGone

if TYPE_CHECKING:
    from app.core.spoken import Listeners

_LOOK_SECONDS = 0.05
_IDLE_SECONDS = 120.0
"""After so long without a question the process ends, which gives back its memory."""


class Ears:
    """Started at the first question. From any thread but the window's; one question at a time.

    Every question raises EngineCancelled once this is closed, and EngineDied when the process dies over it: the next
    question starts another one.
    """

    def __init__(
        self,
        module: Sequence[str] = ("app.engine.ears_child",),
        patience: Patience = Patience(),  # noqa: B008 - frozen
        idle_seconds: float = _IDLE_SECONDS,
    ) -> None:
        """``module`` is what Python runs as the child."""
        self._module, self._patience, self._idle = module, patience, idle_seconds
        self._turn = threading.Lock()
        self._child: ChildProcess | None = None
        self._closed = threading.Event()
        self._rest: threading.Timer | None = None
        self._asked_at = 0.0

    @property
    def process_id(self) -> int:
        """The number of the process; 0 while there is none."""
        child = self._child
        return 0 if child is None else child.pid

    def judge(
        self, text: str, samples: np.ndarray, sample_rate: int, reference: Sound | None, folder: Path | None
    ) -> QualityCard:
        """See ``app.core.quality.judge``; ``folder`` is the recogniser's model, None the packaged one."""
        card: QualityCard = self._ask("judge", text, samples, sample_rate, reference, folder)
        return card

    def recogniser(self, language: str, folder: Path | None) -> RemoteRecogniser:
        """Load the recogniser. Raises EvidenceUnavailable."""
        identity = self._ask("open_recogniser", language, folder)
        if isinstance(identity, Availability):
            raise EvidenceUnavailable(identity)
        return RemoteRecogniser(self, language, folder, identity)

    def matcher(self) -> RemoteMatcher:
        """Load what compares voices. Raises EvidenceUnavailable."""
        opened = self._ask("open_matcher")
        if isinstance(opened, Availability):
            raise EvidenceUnavailable(opened)
        return RemoteMatcher(self, *opened)

    def listeners(self, language: str, folder: Path | None) -> Listeners:
        """Load what is there for a spoken statement; what is not is None with the reason."""
        from app.core.spoken import Listeners  # with all that a consent record is made of, which no window waits for

        recogniser, matcher = None, None
        recogniser_state = matcher_state = Availability(True)
        try:
            recogniser = self.recogniser(language, folder)
        except EvidenceUnavailable as error:
            recogniser_state = error.availability
        try:
            matcher = self.matcher()
        except EvidenceUnavailable as error:
            matcher_state = error.availability
        return Listeners(recogniser, matcher, recogniser_state, matcher_state)

    def close(self) -> None:
        """End it now, from any thread; whoever waits for an answer gets EngineCancelled."""
        self._closed.set()
        if self._rest is not None:
            self._rest.cancel()
        child = self._child
        if child is not None:
            child.kill()
        if self._turn.acquire(blocking=False):  # else the one who asks is told, and sees to it
            try:
                self._end()
            finally:
                self._turn.release()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _ask(self, name: str, *arguments: Any) -> Any:
        with self._turn:
            try:
                return self._answer(name, arguments)
            except LinkGone:
                child, self._child = self._child, None
                assert child is not None
                if self._closed.is_set():
                    child.end()
                    raise EngineCancelled from None
                raise EngineDied(child.post_mortem()) from None
            finally:
                self._asked_at = time.monotonic()
                self._rest_later()

    def _answer(self, name: str, arguments: tuple[Any, ...]) -> Any:
        if self._closed.is_set():
            raise EngineCancelled
        child = self._child
        if child is None:
            child = self._child = ChildProcess(self._module, {}, self._patience)
            if self._closed.is_set():
                child.kill()
        child.calm_down()
        number = child.link.begin(name, *arguments)
        while True:
            message = child.link.following(number, _LOOK_SECONDS)
            if isinstance(message, Answer):
                if message.error is not None:
                    raise message.error
                return message.value
            if message is None:
                child.look_after()

    def _rest_later(self) -> None:
        if self._rest is not None:
            self._rest.cancel()
        self._rest = threading.Timer(self._idle, self._look_whether_idle)
        self._rest.daemon = True
        if self._child is not None and not self._closed.is_set():
            self._rest.start()

    def _look_whether_idle(self) -> None:
        if self._turn.acquire(blocking=False):
            try:
                if time.monotonic() - self._asked_at >= self._idle:
                    self._end()
            finally:
                self._turn.release()

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.end()


class RemoteRecogniser:
    """A ``StatementRecogniser`` in the other process."""

    def __init__(self, ears: Ears, language: str, folder: Path | None, identity: str) -> None:
        self._ears, self._language, self._folder = ears, language, folder
        self.identity = identity

    def transcribe(self, samples: np.ndarray, sample_rate: int) -> str:
        """See ``StatementRecogniser``."""
        said = self._ears._ask("transcribe", self._language, self._folder, np.asarray(samples, np.float32), sample_rate)
        return str(said)


class RemoteMatcher:
    """A ``SpeakerMatcher`` in the other process."""

    def __init__(self, ears: Ears, identity: str, threshold: float) -> None:
        self._ears = ears
        self.identity, self.threshold = identity, threshold

    def score(self, one: Sound, others: Sequence[Sound]) -> float:
        """See ``SpeakerMatcher``."""
        return float(self._ears._ask("score", one, tuple(others)))

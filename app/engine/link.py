"""Two processes that ask each other: frames over pipes, questions in both directions, answers that come in parts.

While one side waits for an answer it answers what the other side asks, so a question may hang on another one. What is
asked is served by the thread that uses the link; a second thread only reads, so that a wish to stop and the end of the
other side are known at once.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import pickle
import queue
import struct
import threading
from collections import deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from app.core.engine_api import EngineError
from app.core.messages import Failure

log = logging.getLogger(__name__)

_COUNT, _LENGTH = struct.Struct("<I"), struct.Struct("<Q")


class LinkGone(Exception):  # noqa: N818 - the other side has ended
    """Nothing more comes from the other side."""


@dataclass(frozen=True)
class Ask:
    """A question; ``number`` is the asker's."""

    number: int
    name: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class Part:
    """A part of the answer to a question."""

    number: int
    value: Any


@dataclass(frozen=True)
class Answer:
    """The end of an answer: ``value``, or the ``error`` that came of it."""

    number: int
    value: Any = None
    error: Exception | None = None


@dataclass(frozen=True)
class Cancel:
    """The asker does not want the rest."""

    number: int


@dataclass(frozen=True)
class Logged:
    """A line for the log of the other side."""

    level: int
    text: str


Message = Ask | Part | Answer | Cancel | Logged
Handler = Callable[..., Any]
"""Answers a question: is called with its number and its arguments."""


class Frames:
    """Messages as frames over two byte streams; arrays travel beside the pickle, without being copied into it."""

    def __init__(self, reading: BinaryIO, writing: BinaryIO) -> None:
        self._reading, self._writing = reading, writing
        self._turn = threading.Lock()

    def send(self, message: Message) -> None:
        """Write one message. Raises LinkGone."""
        buffers: list[pickle.PickleBuffer] = []
        head = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
        parts = [memoryview(head), *(buffer.raw() for buffer in buffers)]
        lengths = b"".join(_LENGTH.pack(part.nbytes) for part in parts)
        try:
            with self._turn:
                self._writing.write(_COUNT.pack(len(parts)) + lengths)
                for part in parts:
                    self._writing.write(part)
                self._writing.flush()
        except (OSError, ValueError) as error:  # ValueError: closed on this side
            raise LinkGone from error

    def receive(self) -> Message:
        """Wait for the next message. Raises LinkGone."""
        (count,) = _COUNT.unpack(self._exactly(_COUNT.size))
        lengths = [_LENGTH.unpack(self._exactly(_LENGTH.size))[0] for _ in range(count)]
        head, *buffers = [self._exactly(length) for length in lengths]
        message: Message = pickle.loads(head, buffers=buffers)
        return message

    def close(self) -> None:
        """Say that nothing more comes."""
        with contextlib.suppress(OSError, ValueError):
            self._writing.close()

    def _exactly(self, length: int) -> bytearray:
        data = bytearray(length)
        view, done = memoryview(data), 0
        try:
            while done < length:
                count = self._reading.readinto(view[done:])  # type: ignore[attr-defined]
                if not count:
                    raise LinkGone
                done += count
        except (OSError, ValueError) as error:
            raise LinkGone from error
        return data


class Link:
    """One side of the conversation. Used by one thread; ``close`` may be called by any."""

    def __init__(
        self,
        frames: Frames,
        handlers: Mapping[str, Handler],
        at_once: Collection[str],
        on_gone: Callable[[], object] = lambda: None,
    ) -> None:
        """``handlers`` answer questions by name; those of ``at_once`` also while something else is done or waited for.

        ``on_gone`` is called in the reading thread when the other side ends.
        """
        self._frames, self._handlers, self._at_once, self._on_gone = frames, handlers, at_once, on_gone
        self._numbers = itertools.count(1)
        self._arrived: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._asked: deque[Ask] = deque()  # not now
        self._parts: dict[int, deque[Part | Answer]] = {}  # of questions that are still open
        self._cancelled: set[int] = set()
        self.heard = 0  # messages so far
        self._reader = threading.Thread(target=self._read, name="engine-link", daemon=True)
        self._reader.start()

    # As the one who asks ---------------------------------------------------------------------------------------------

    def begin(self, name: str, *arguments: Any) -> int:
        """Ask; ``following`` brings the answer. Returns the number of the question. Raises LinkGone."""
        number = next(self._numbers)
        self._parts[number] = deque()
        self._frames.send(Ask(number, name, arguments))
        return number

    def following(self, number: int, timeout: float | None = None) -> Part | Answer | None:
        """The next part of an answer or its end; None when none came in ``timeout`` seconds. Raises LinkGone.

        What may not wait is answered meanwhile.
        """
        waiting = self._parts[number]
        if not waiting:
            self._take(timeout)
            self._answer_at_once()
        if not waiting:
            return None
        message = waiting.popleft()
        if isinstance(message, Answer):
            del self._parts[number]
        return message

    def ask(self, name: str, *arguments: Any) -> Any:
        """Ask and wait for an answer in one piece. Raises LinkGone and what the other side raises."""
        number = self.begin(name, *arguments)
        while True:
            message = self.following(number)
            if isinstance(message, Answer):
                if message.error is not None:
                    raise message.error
                return message.value

    def cancel(self, number: int) -> None:
        """Say that the rest of an answer is not wanted; it still ends with an Answer."""
        with contextlib.suppress(LinkGone):
            self._frames.send(Cancel(number))

    def forget(self, number: int) -> None:
        """Drop what still comes for a question, and cancel it."""
        if self._parts.pop(number, None) is not None:
            self.cancel(number)

    # As the one who is asked -----------------------------------------------------------------------------------------

    def tell(self, number: int, value: Any) -> None:
        """Send a part of the answer to a question. Raises LinkGone."""
        self._frames.send(Part(number, value))

    def is_cancelled(self, number: int) -> bool:
        """Whether the asker does not want the rest."""
        return number in self._cancelled

    def serve(self) -> None:
        """Answer questions until the other side ends."""
        with contextlib.suppress(LinkGone):
            while True:
                if self._asked:
                    self._answer(self._asked.popleft())
                else:
                    self._take(None)

    def serve_waiting(self) -> None:
        """Between two steps of something long: answer what was asked by now and may not wait for its end."""
        while self._take(0.0):
            pass
        self._answer_at_once()

    def note(self, level: int, text: str) -> None:
        """Send a line for the other side's log; harmless when it has ended."""
        with contextlib.suppress(LinkGone):
            self._frames.send(Logged(level, text))

    def close(self) -> None:
        """End the conversation."""
        self._frames.close()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        try:
            while True:
                message = self._frames.receive()
                self.heard += 1
                if isinstance(message, Cancel):
                    self._cancelled.add(message.number)
                elif isinstance(message, Logged):
                    log.log(message.level, message.text)  # made private where it was written
                else:
                    self._arrived.put(message)
        except LinkGone:
            pass
        except Exception:  # a frame that is none: nothing after it can be read
            log.exception("What the other process says cannot be read")
        self._arrived.put(None)
        self._on_gone()

    def _take(self, timeout: float | None) -> bool:
        """Take in one message, waiting for it; False when none came."""
        try:
            message = self._arrived.get(timeout != 0.0, timeout or None)
        except queue.Empty:
            return False
        if message is None:
            self._arrived.put(None)  # whoever asks next is told as well
            raise LinkGone
        if isinstance(message, Ask):
            self._asked.append(message)
        elif isinstance(message, Part | Answer) and message.number in self._parts:
            self._parts[message.number].append(message)
        return True

    def _answer_at_once(self) -> None:
        for _ in range(len(self._asked)):
            question = self._asked.popleft()
            if question.name in self._at_once:
                self._answer(question)
            else:
                self._asked.append(question)

    def _answer(self, question: Ask) -> None:
        try:
            value = self._handlers[question.name](question.number, *question.arguments)
        except LinkGone:
            raise
        except Exception as error:  # what ends a program ends this one
            self._frames.send(Answer(question.number, error=portable(error)))
        else:
            self._frames.send(Answer(question.number, value))
        finally:
            self._cancelled.discard(question.number)


def portable(error: Exception) -> Exception:
    """``error`` itself if it survives the way, else an EngineError that says the same."""
    try:
        if type(pickle.loads(pickle.dumps(error))) is type(error):
            return error
    except Exception:
        log.debug("An error of kind %s does not survive the way", type(error).__name__)
    return EngineError(Failure(f"{type(error).__name__}: {error}", code="unexpected"))

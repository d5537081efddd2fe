"""The takes of this session: kept in the order they were asked for, never overwritten."""

from __future__ import annotations

import bisect
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import Enum

import numpy as np

from app.core.growing import GrowingArray
from app.core.messages import Chunk, Job, ModelInfo, TakeResult, VoiceSpec

_NOTHING = np.zeros(0, np.float32)


class TakeState(Enum):
    """Where a take stands. STOPPED keeps what was heard; FAILED keeps what there was, if anything."""

    WAITING = "waiting"
    STREAMING = "streaming"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True)
class TakeMarks:
    """What a person thinks of a take: ``rating`` 1..5 (0: none), ``favourite``, and a ``note``."""

    rating: int = 0
    favourite: bool = False
    note: str = ""


@dataclass(frozen=True)
class JoinedPiece:
    """A part of another take, from ``start`` to ``stop`` in seconds, that a joined take was made of."""

    uid: str
    start: float
    stop: float


@dataclass(eq=False)
class Take:
    """One result for one request and seed.

    It keeps its own ``sample_rate`` (Hz) and ``frame_rate`` (latent frames per second), so that a later change of
    the model changes nothing about it. ``number`` counts presses of Generate, ``row`` the takes of one press; the
    numbers of earlier starts are far below 0. ``uid`` and ``press`` are UUIDs that hold for ever.

    A take of an earlier start is ``restored``: its ``stored_samples`` samples are in the library and not here until
    ``fill``. ``kept`` tells that the library has acknowledged it. ``reproduces`` is the uid of the take that this one
    makes once more; such a one is ``pending`` until it was compared.

    ``chosen``: it won the last comparison that it was in. ``joined``: the parts of other takes that it consists of.
    """

    take_id: int
    number: int
    row: int
    job: Job
    model: ModelInfo
    sample_rate: int
    frame_rate: float
    patch_size: int
    created_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    state: TakeState = TakeState.WAITING
    seed: int | None = None
    final_text: str = ""
    end: str = ""
    flags: tuple[str, ...] = ()
    result: TakeResult | None = None
    expected_patches: tuple[int, int] = (0, 0)
    patches: int = 0
    compute_seconds: float = 0.0
    saved_as: str = ""
    uid: str = field(default_factory=lambda: str(uuid.uuid4()))
    press: str = ""
    restored: bool = False
    kept: bool = False
    stored_samples: int = 0
    marks: TakeMarks = field(default_factory=lambda: TakeMarks())
    binned: bool = False
    reproduces: str = ""
    pending: bool = False
    chosen: bool = False
    joined: tuple[JoinedPiece, ...] = ()
    _samples: GrowingArray = field(default_factory=GrowingArray, repr=False)
    _latents: GrowingArray | None = field(default=None, repr=False)
    _stops: GrowingArray = field(default_factory=GrowingArray, repr=False)
    _times: GrowingArray = field(default_factory=GrowingArray, repr=False)

    @property
    def samples(self) -> np.ndarray:
        """The sound so far, float32 [n] at ``sample_rate``."""
        return self._samples.view()

    @property
    def latents(self) -> np.ndarray:
        """The latents so far, float32 [frames, D]."""
        return self._latents.view() if self._latents is not None else np.zeros((0, self.model.latent_dim), np.float32)

    @property
    def stop_probabilities(self) -> np.ndarray:
        """How likely the model held it to stop after each patch so far, float32 [patches], 0..1."""
        kept = self.result.stop_probabilities if self.result is not None else _NOTHING
        return kept if len(kept) else self._stops.view()

    @property
    def patch_times(self) -> np.ndarray:
        """Seconds that each patch so far took to compute, float32 [patches]."""
        kept = self.result.patch_seconds if self.result is not None else _NOTHING
        return kept if len(kept) else self._times.view()

    @property
    def next_seed(self) -> int | None:
        """The seed for another try at a doubtful take; None for one that is as it should be."""
        doubtful = any(flag.startswith("doubtful") for flag in self.flags)
        return self.result.next_seed if doubtful and self.result is not None else None

    @property
    def seconds(self) -> float:
        """Length of the sound so far."""
        return max(len(self._samples), self.stored_samples) / self.sample_rate

    @property
    def is_unread(self) -> bool:
        """Whether its sound is still on the disk alone."""
        return len(self._samples) < self.stored_samples

    @property
    def voice_id(self) -> str:
        """The UUID of the saved voice that it was made from; empty for none."""
        return self.job.voice.voice_id if self.job.voice is not None else ""

    @property
    def is_growing(self) -> bool:
        """Whether more sound may still come."""
        return self.state in (TakeState.WAITING, TakeState.STREAMING)

    @property
    def real_time_factor(self) -> float:
        """Computing time per second of sound; 0 while unknown."""
        if self.result is not None and self.result.real_time_factor > 0:
            return self.result.real_time_factor
        return self.compute_seconds / self.seconds if self.seconds > 0 else 0.0

    def take_in(self, chunk: Chunk) -> None:
        """Add a chunk of this take, and its result when it carries one."""
        if chunk.samples.size:
            self.sample_rate = chunk.sample_rate
            self._samples.append(chunk.samples)
        if chunk.latents.size:
            if self._latents is None:
                self._latents = GrowingArray(chunk.latents.shape[1])
            self._latents.append(chunk.latents)
            self.patches += 1
            self.compute_seconds += chunk.seconds
            self._stops.append(np.array([chunk.stop_probability], np.float32))
            self._times.append(np.array([chunk.seconds], np.float32))
        self.expected_patches = chunk.expected_patches
        if self.is_growing:
            self.state = TakeState.STREAMING
        if chunk.result is not None:
            self._finish(chunk.result)

    def fill(
        self, samples: np.ndarray, latents: np.ndarray, result: TakeResult | None, voice: VoiceSpec | None = None
    ) -> None:
        """Bring what was stored: ``samples`` float32 [n], ``latents`` float32 [frames, D], and the whole voice."""
        self._samples.append(samples)
        self._latents = GrowingArray(latents.shape[1])
        self._latents.append(latents)
        self.result = result
        self.job = replace(self.job, voice=voice)

    def give_up(self, state: TakeState) -> None:
        """End a growing take without a result: what was made stays."""
        if self.is_growing:
            self.state = state
            self.end = "cancelled" if state is TakeState.STOPPED else "failed"

    def _finish(self, result: TakeResult) -> None:
        self.result = result
        self.seed = result.seed
        self.final_text = result.text
        self.end = result.end
        self.flags = result.flags
        self.state = TakeState.STOPPED if result.end == "cancelled" else TakeState.DONE


class TakeStore:
    """All takes, oldest first. Listeners are plain callables, told after each change, on the caller's thread."""

    def __init__(self) -> None:
        self._takes: list[Take] = []
        self._by_uid: dict[str, Take] = {}
        self._numbers = 0
        self._ids = 0
        self._added: list[Callable[[Take], None]] = []
        self._changed: list[Callable[[Take], None]] = []
        self._removed: list[Callable[[Take], None]] = []

    @property
    def takes(self) -> tuple[Take, ...]:
        """Every take, oldest first."""
        return tuple(self._takes)

    def on_added(self, listener: Callable[[Take], None]) -> None:
        """Call ``listener`` with each new take."""
        self._added.append(listener)

    def on_changed(self, listener: Callable[[Take], None]) -> None:
        """Call ``listener`` with each take that changed."""
        self._changed.append(listener)

    def on_removed(self, listener: Callable[[Take], None]) -> None:
        """Call ``listener`` with each take that went: it never made a sound, or was to be forgotten."""
        self._removed.append(listener)

    def open_job(self, job: Job, model: ModelInfo, reproduces: Mapping[int, str] | None = None) -> tuple[Take, ...]:
        """Make the waiting takes of a job; returns them in row order.

        ``reproduces``: for a job that is only made once more, the uids of the takes to compare with, by row.
        """
        self._numbers += 1
        press = str(uuid.uuid4())
        made = []
        for row in range(job.takes):
            self._ids += 1
            take = Take(
                take_id=self._ids,
                number=self._numbers,
                row=row,
                job=job,
                model=model,
                sample_rate=model.output_rate,
                frame_rate=model.frame_rate,
                patch_size=model.patch_size,
                press=press,
                reproduces=(reproduces or {}).get(row, ""),
                pending=reproduces is not None,
            )
            self._takes.append(take)
            self._by_uid[take.uid] = take
            made.append(take)
            for listener in self._added:
                listener(take)
        return tuple(made)

    def add(self, take: Take) -> None:
        """Add a take that was made of others; it gets the next number."""
        self._numbers += 1
        self._ids += 1
        take.take_id, take.number = self._ids, self._numbers
        take.press = take.press or str(uuid.uuid4())
        self._takes.append(take)
        self._by_uid[take.uid] = take
        for listener in self._added:
            listener(take)
        self.tell(take)

    def restore(self, takes: Iterable[Take]) -> None:
        """Add takes of earlier starts that are not here yet, in the order of their numbers and rows."""
        for take in takes:
            if take.uid in self._by_uid:
                continue
            self._by_uid[take.uid] = take
            self._ids += 1
            take.take_id = self._ids
            bisect.insort(self._takes, take, key=lambda other: (other.number, other.row))
            for listener in self._added:
                listener(take)

    def find(self, uid: str) -> Take | None:
        """The take of that uid; None when it is not here."""
        return self._by_uid.get(uid)

    def forget(self) -> None:
        """Let go of every take but those that are being made."""
        for take in self.takes:
            if not take.is_growing:
                self.remove(take)

    def of_job(self, job_id: int) -> tuple[Take, ...]:
        """The takes of a job, in row order; empty for an unknown job."""
        return tuple(take for take in self._takes if take.job.job_id == job_id)

    def take_in(self, chunk: Chunk) -> Take | None:
        """Give a chunk to its take; None, and nothing happens, when no growing take waits for it."""
        for take in self.of_job(chunk.job_id):
            if take.row == chunk.row and take.is_growing:
                take.take_in(chunk)
                self.tell(take)
                return take
        return None

    def close_job(self, job_id: int, state: TakeState) -> None:
        """End what still grows in ``state``. A take that never made a sound goes: there is nothing to keep."""
        for take in self.of_job(job_id):
            if not take.is_growing:
                continue
            take.give_up(state)
            if take.seconds > 0:
                self.tell(take)
            else:
                self.remove(take)

    def tell(self, take: Take) -> None:
        """Tell the listeners that ``take`` changed."""
        for listener in self._changed:
            listener(take)

    def remove(self, take: Take) -> None:
        """Let go of a take; where it is stored it stays stored."""
        self._takes.remove(take)
        del self._by_uid[take.uid]
        for listener in self._removed:
            listener(take)

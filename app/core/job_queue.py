"""The jobs that wait for the engine, the one that runs, and those that failed: in order, one at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from app.core.messages import Failure, Job
from app.core.takes import Take

_MOST_ENDED = 20


class JobState(Enum):
    """FAILED and STOPPED ones stay in the queue until they are tried again or removed."""

    WAITING = "waiting"
    RUNNING = "running"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(eq=False)
class QueuedJob:
    """One job. ``retries``: how often its doubtful takes are made anew by themselves; ``follows``: it is such a one.

    ``again``: the take that it makes once more, to compare.
    """

    job: Job
    retries: int = 0
    follows: bool = False
    again: Take | None = None
    state: JobState = JobState.WAITING
    failure: Failure | None = None


class JobQueue:
    """At most one job runs. Listeners are plain callables, told after each change."""

    def __init__(self) -> None:
        self._entries: list[QueuedJob] = []
        self._listeners: list[Callable[[], None]] = []

    @property
    def entries(self) -> tuple[QueuedJob, ...]:
        """Every job, in the order in which they will run or have run."""
        return tuple(self._entries)

    @property
    def running(self) -> QueuedJob | None:
        """The one that runs."""
        return next((entry for entry in self._entries if entry.state is JobState.RUNNING), None)

    @property
    def waiting(self) -> tuple[QueuedJob, ...]:
        """Those that wait, the next one first."""
        return tuple(entry for entry in self._entries if entry.state is JobState.WAITING)

    def on_changed(self, listener: Callable[[], None]) -> None:
        """Call ``listener`` after each change."""
        self._listeners.append(listener)

    def add(self, entry: QueuedJob, *, first: bool = False) -> None:
        """Let a job wait, behind all others or before them."""
        waiting = self.waiting
        self._entries.insert(self._entries.index(waiting[0]) if first and waiting else len(self._entries), entry)
        self._tell()

    def begin(self) -> QueuedJob | None:
        """Let the next one run; None when one runs, or none waits."""
        if self.running is not None or not self.waiting:
            return None
        entry = self.waiting[0]
        entry.state = JobState.RUNNING
        self._tell()
        return entry

    def end(self, entry: QueuedJob, state: JobState | None, failure: Failure | None = None) -> None:
        """Say how the one that ran, or waited, ended; None: well, and it goes."""
        if state is None:
            self._entries.remove(entry)
        else:
            entry.state, entry.failure = state, failure
            ended = [other for other in self._entries if other.state in (JobState.STOPPED, JobState.FAILED)]
            for old in ended[:-_MOST_ENDED]:
                self._entries.remove(old)
        self._tell()

    def remove(self, entry: QueuedJob) -> None:
        """Take a job out that does not run."""
        if entry in self._entries and entry.state is not JobState.RUNNING:
            self._entries.remove(entry)
            self._tell()

    def drop_waiting(self, *, follow_ups_only: bool = False) -> None:
        """Take out those that wait; or only those that were to follow by themselves."""
        gone = [entry for entry in self.waiting if entry.follows or not follow_ups_only]
        if gone:
            self._entries = [entry for entry in self._entries if entry not in gone]
            self._tell()

    def fail_waiting(self, failure: Failure) -> None:
        """There is no engine for those that wait: they can be tried again."""
        for entry in self.waiting:
            self.end(entry, JobState.FAILED, failure)

    def move(self, entry: QueuedJob, by: int) -> None:
        """Let a job that waits change places with its neighbour: -1 earlier, 1 later."""
        waiting = self.waiting
        if entry in waiting:
            at = waiting.index(entry) + by
            if 0 <= at < len(waiting):
                one, other = self._entries.index(entry), self._entries.index(waiting[at])
                self._entries[one], self._entries[other] = self._entries[other], self._entries[one]
                self._tell()

    def retry(self, entry: QueuedJob, job_id: int) -> None:
        """Let one that failed or was stopped wait once more, behind all others."""
        if entry in self._entries and entry.state in (JobState.FAILED, JobState.STOPPED):
            self._entries.remove(entry)
            self.add(QueuedJob(replace(entry.job, job_id=job_id), entry.retries, entry.follows, entry.again))

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()

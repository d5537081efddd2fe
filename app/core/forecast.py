"""How long takes will be and how long they will take here, by what this machine did before."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from statistics import median

from app.core.leaks import count_letters
from app.core.messages import Job, ModelInfo
from app.core.takes import Take, TakeState

_MOST = 300  # takes that are remembered
_ENOUGH = 3  # takes for a length of its own
_NEWEST = 15  # of those that fit, so that another load of the machine is noticed


@dataclass(frozen=True)
class _Past:
    model: tuple[str, ...]
    mode: str
    steps: int
    takes: int
    factor: float  # seconds of work per second of sound
    per_letter: float  # seconds of sound; 0 for a take that was cut


class Forecast:
    """Learns from every take that has ended. A figure is 0 where nothing like it was made yet."""

    def __init__(self) -> None:
        self._past: deque[_Past] = deque(maxlen=_MOST)
        self._known: set[str] = set()

    def learn(self, take: Take) -> None:
        """Remember how a take went; those that grow, or were joined, tell nothing. The newest come last."""
        if take.uid in self._known or take.is_growing or take.joined or take.real_time_factor <= 0:
            return
        self._known.add(take.uid)
        letters = count_letters(take.job.text)
        whole = take.state is TakeState.DONE and take.end in ("", "stopped") and letters > 0
        job = take.job
        per_letter = take.seconds / letters if whole else 0.0
        past = _Past(_identity(take.model), job.mode, job.steps, job.takes, take.real_time_factor, per_letter)
        self._past.append(past)

    def real_time_factor(self, model: ModelInfo, job: Job) -> float:
        """Seconds of work per second of sound of one take of the job.

        From jobs with as many steps and takes; else from others, in proportion to their steps.
        """
        mine = [past for past in self._past if past.model == _identity(model)]
        same = [past.factor for past in mine if (past.steps, past.takes) == (job.steps, job.takes)]
        if same:
            return median(same[-_NEWEST:])
        near = [past for past in mine if past.takes == job.takes] or mine
        return median(past.factor * job.steps / past.steps for past in near[-_NEWEST:]) if near else 0.0

    def seconds(self, model: ModelInfo, job: Job) -> float:
        """Length of the sound of one take; 0 with fewer than three takes of this mode to go by."""
        mine = [past for past in self._past if past.model == _identity(model) and past.mode == job.mode]
        rates = [past.per_letter for past in mine if past.per_letter]
        if len(rates) < _ENOUGH:
            return 0.0
        longest = job.max_patches * model.patch_seconds
        return min(longest, count_letters(job.text) * median(rates[-_NEWEST:]))

    def wait(self, model: ModelInfo, job: Job) -> float:
        """Seconds until the job is done."""
        return self.seconds(model, job) * self.real_time_factor(model, job)


def _identity(model: ModelInfo) -> tuple[str, ...]:
    return (model.fingerprint or model.name, model.device, model.dtype, str(model.threads), model.machine)

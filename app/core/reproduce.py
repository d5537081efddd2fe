"""Make a stored take once more and say whether the same samples came out; if not, what differs and how far.

The same samples can be promised on the same machine only: with the same model, device, precision, number of threads
and library, and with the same takes computed along, since all of these change the order in which sums are made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

import numpy as np

from app.core.engine_api import Engine
from app.core.messages import PARTS, BatchRow, Job, ModelInfo
from app.core.takes import Take, TakeState, TakeStore

_OF_MODEL = (
    "name", "architecture", "fingerprint", "device", "dtype", "threads", "library", "machine", "output_rate",
)  # fmt: skip
_SILENT = 1e-12


class NotReproducibleError(ValueError):
    """This take does not hold what is needed to make it again; the message says what is missing."""


@dataclass(frozen=True)
class Difference:
    """One thing that is not as it was. ``name`` is one of the model's facts, ``text``, ``lora``, ``seed``, ``voice``,
    ``batch`` (which takes were computed together), ``batch.FIELD`` or ``end``.
    """

    name: str
    before: str
    now: str


@dataclass(frozen=True)
class Comparison:
    """What came of making a take again.

    ``identical``: the first ``compared`` samples are equal, and these are all of both, or all of the one that was
    broken off. ``largest`` is the largest difference of two samples (full scale is 1), ``level`` the power of the
    difference against that of the take, in dB; both None where nothing can be compared.
    """

    identical: bool
    differences: tuple[Difference, ...]
    compared: int
    samples_before: int
    samples_now: int
    largest: float | None = None
    level: float | None = None


def job_of(take: Take, job_id: int) -> Job:
    """Return the job that made this take, all takes of its press included: they were computed together.

    Raises:
        NotReproducibleError: the take was not read from the library yet, nothing came of it, or it was joined or
            made in parts.
    """
    if take.joined:
        raise NotReproducibleError("This take was joined of others. Reproduce the takes that it was made of.")
    if take.result is not None and (parts := take.result.settings.get(PARTS)):
        raise NotReproducibleError(
            f"This take is a long text, made in {len(parts)} parts one after the other. Make it again with the command "
            "that made it (--long, with the same seed)."
        )
    if take.is_unread:
        raise NotReproducibleError("The sound of this take has not been read yet. Wait a moment and try again.")
    if not len(take.samples):
        raise NotReproducibleError("This take has no sound to compare with.")
    return replace(take.job, job_id=job_id)


def was_cut(take: Take) -> bool:
    """Whether the take ended before the model ended it, so that only its beginning can be compared."""
    return take.state in (TakeState.STOPPED, TakeState.FAILED)


def compare(before: Take, now: Take) -> Comparison:
    """Compare two takes of the same job; ``now`` has ended, or has at least the length of a ``before`` that was cut."""
    first, second = before.samples, now.samples
    cut = was_cut(before) or was_cut(now)
    count = min(len(first), len(second))
    same_rate = before.sample_rate == now.sample_rate
    equal = same_rate and count > 0 and bool(np.array_equal(first[:count], second[:count]))
    identical = equal and (len(first) == len(second) or (cut and count == len(first if was_cut(before) else second)))
    largest = level = None
    if same_rate and count > 0:
        difference = first[:count].astype(np.float64) - second[:count]
        largest = float(np.abs(difference).max())
        power = float(np.mean(np.square(first[:count], dtype=np.float64)))
        if largest > 0 and power > _SILENT:
            level = 10 * float(np.log10(np.mean(np.square(difference)) / power))
    found = tuple(_differences(before, now, ended=not cut))
    return Comparison(identical, found, count if same_rate else 0, len(first), len(second), largest, level)


def reproduce(
    take: Take, engine: Engine, model: ModelInfo, is_cancelled: Callable[[], bool] = lambda: False
) -> tuple[Comparison, Take]:
    """Make ``take`` again with the loaded ``model``; return the comparison and the new take, which is stored nowhere.

    A take that had been broken off is made only as far.

    Raises:
        NotReproducibleError: see ``job_of``.
        EngineError: the engine refuses the job, such as for a voice whose consent has ended.
    """
    job = job_of(take, 1)
    made = TakeStore()
    again = made.open_job(job, model)[take.row]

    def enough() -> bool:
        return is_cancelled() or (was_cut(take) and len(again.samples) >= len(take.samples))

    for chunk in engine.stream(job, enough):
        made.take_in(chunk)
    again.give_up(TakeState.STOPPED)
    return compare(take, again), again


def _differences(before: Take, now: Take, *, ended: bool) -> list[Difference]:
    found = [
        Difference(name, str(old), str(new))
        for name in _OF_MODEL
        if (old := getattr(before.model, name)) != (new := getattr(now.model, name))
    ]
    if before.result is None or now.result is None:
        return found
    old, new = before.result, now.result
    for name, was, is_ in (("text", old.text, new.text), ("seed", old.seed, new.seed), ("lora", old.lora, new.lora)):
        if was != is_:
            found.append(Difference(name, str(was), str(is_)))
    if ended and old.end != new.end:
        found.append(Difference("end", old.end, new.end))
    return found + _of_batch(old.batch, new.batch, old.row)


def _of_batch(before: tuple[BatchRow, ...], now: tuple[BatchRow, ...], row: int) -> list[Difference]:
    """Compare what was computed together; a take of another program may not tell."""
    if not before or not now or before == now:
        return []
    if len(before) != len(now):
        return [Difference("batch", f"{len(before)}", f"{len(now)}")]
    found = []
    for number, (old, new) in enumerate(zip(before, now, strict=True)):
        for field in fields(BatchRow):
            was, is_ = getattr(old, field.name), getattr(new, field.name)
            if was == is_ or (field.name in ("text", "seed") and number == row):  # said of the take itself
                continue
            name = "voice" if field.name == "voice" else f"batch.{field.name}"
            found.append(Difference(name, str(was), str(is_)))
    return list(dict.fromkeys(found))

"""The first half of an evaluation: every take is made, timed and kept, before anything is listened to.

A recogniser that runs in between would leave its threads spinning in the next take's first packet.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from voxcpm.audio_file import write_wav
from voxcpm.config import VoxCPMConfig
from voxcpm.consent import GENERATE, ConsentRecord
from voxcpm.errors import RequestError
from voxcpm.evaluation.jobs import GUI, REFERENCE, Job
from voxcpm.evaluation.options import EvaluateOptions
from voxcpm.evaluation.store import EvaluationFolder, Record
from voxcpm.request import Request, check_request, generation
from voxcpm.result import Result

if TYPE_CHECKING:
    from voxcpm.pipeline import VoxCPM
    from voxcpm.voice import Voice

logger = logging.getLogger(__name__)

BROKEN = "broken: not finite"
_WARM_UP = "One, two."
Told = Callable[[str, int, int], None]
"""Called with what is being done, how many are done, and how many there are."""


def request_for(job: Job, options: EvaluateOptions) -> Request:
    """The request of a job, without its voice."""
    return Request(
        job.text,
        description=job.description,
        seed=job.seed,
        steps=options.steps,
        cfg=options.cfg,
        temperature=options.temperature,
        retries=options.retries,
        retry_ratio=options.retry_ratio,
    )


def check_jobs(jobs: Sequence[Job], options: EvaluateOptions, config: VoxCPMConfig) -> None:
    """Refuse what the model cannot take, before it is loaded. Raises :class:`RequestError`."""
    for job in jobs:
        if job.kind == REFERENCE and not config.takes_reference:
            raise RequestError("references", f"{generation(config)} takes no reference; leave --references out")
        try:
            check_request(request_for(job, options), config)
        except RequestError as error:
            raise RequestError(error.field, f"{error.problem} (in {job.text!r})") from error


def pending(jobs: Sequence[Job], folder: EvaluationFolder) -> list[Job]:
    """The jobs that have no record or whose recording is gone."""
    done = {record["key"]: record for record in folder.records("takes")}
    return [job for job in jobs if job.key not in done or not (folder.takes / done[job.key]["file"]).is_file()]


def speak(
    model: VoxCPM, jobs: Sequence[Job], folder: EvaluationFolder, options: EvaluateOptions, told: Told, done: int
) -> None:
    """Make the takes of ``jobs`` in their order and record each; ``done`` takes were made before.

    Raises :class:`RequestError` before the first take if one cannot fit the context.
    """
    record = ConsentRecord(options.consent.strip(), frozenset({GENERATE}))
    voices: dict[Path, Voice] = {}
    for job in jobs:
        if job.reference is not None and job.reference not in voices:
            voices[job.reference] = model.encode_voice(reference=job.reference, consent=record)
    requests = [
        replace(request_for(job, options), voice=voices[job.reference] if job.reference is not None else None)
        for job in jobs
    ]
    for job, request in zip(jobs, requests, strict=True):
        try:
            model.plan(request)
        except RequestError as error:
            raise RequestError(error.field, f"{error.problem} (in {job.text!r})") from error
    current = 0
    with _threads_kept():
        for number, (job, request) in enumerate(zip(jobs, requests, strict=True)):
            told("speaking", done + number, done + len(jobs))
            threads = options.all_threads - (job.kind == GUI)
            if threads != current:
                _use_threads(model, threads, options)
                current = threads
            load = _load_average()
            result = model.generate(request)
            samples, flags = result.samples, result.flags
            if not np.isfinite(samples).all():
                samples, flags = np.nan_to_num(samples, nan=0.0, posinf=0.0, neginf=0.0), (*flags, BROKEN)
            write_wav(folder.takes / job.file, samples, result.sample_rate)
            folder.append("takes", _record(job, result, flags, threads, load))
    told("speaking", done + len(jobs), done + len(jobs))


def _record(job: Job, result: Result, flags: tuple[str, ...], threads: int, load: float | None) -> Record:
    """One line of ``takes.jsonl``. Seconds; first and last packet are those of the attempt that was kept."""
    return {
        "key": job.key,
        "kind": job.kind,
        "text": job.text,
        "description": job.description,
        "voice": job.voice,
        "reference": str(job.reference) if job.reference is not None else None,
        "seed": job.seed,
        "file": job.file,
        "end": result.end,
        "flags": list(flags),
        "attempts": result.attempts,
        "retry_helped": result.retry_helped,
        "patches": result.patches,
        "audio_seconds": result.seconds,
        "first_packet_seconds": _finite(result.time_to_first_audio),
        "last_packet_seconds": _finite(result.last_packet_seconds),
        "total_seconds": result.total_seconds,
        "threads": threads,
        "load_average": load,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _use_threads(model: VoxCPM, count: int, options: EvaluateOptions) -> None:
    """Set the number of threads, and make a short take with it: the first one also starts the threads."""
    import torch

    torch.set_num_threads(count)
    model.generate(Request(_WARM_UP, seed=0, steps=options.steps, cfg=options.cfg, max_patches=4))


@contextmanager
def _threads_kept() -> Iterator[None]:
    """Whatever happens to the number of threads inside, it is back afterwards."""
    import torch

    before = torch.get_num_threads()
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _load_average() -> float | None:
    """Processes that wanted a core during the last minute: on a busy machine no time means much."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None

"""The second half of an evaluation: recordings are recognised, and voices compared."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from voxcpm.evaluation.jobs import DESCRIPTION, REFERENCE, Job
from voxcpm.evaluation.recogniser import Recogniser
from voxcpm.evaluation.speakers import Embedding, ReferenceVoices, SpeakerEmbedder, nearest, similarity
from voxcpm.evaluation.speaking import Told
from voxcpm.evaluation.store import EvaluationFolder
from voxcpm.foreign_audio import read_audio


class Listener:
    """A recogniser that remembers in the evaluation's folder what it has heard, by the recordings' content."""

    def __init__(self, folder: EvaluationFolder, recogniser: Callable[[], Recogniser], told: Told) -> None:
        """``recogniser`` makes the recogniser; it is called at once, and its model stays loaded."""
        self._folder, self._recogniser, self._told = folder, recogniser(), told
        self._heard = {(r["digest"], r["recogniser"]): str(r["text"]) for r in folder.records("heard")}

    @property
    def identity(self) -> str:
        """The recogniser's."""
        return self._recogniser.identity

    def hear(self, files: Sequence[Path], what: str) -> list[str]:
        """What is said in every file. Raises :class:`AudioError` for one that cannot be read."""
        said = []
        for number, file in enumerate(files):
            self._told(what, number, len(files))
            said.append(self._text(file))
        self._told(what, len(files), len(files))
        return said

    def _text(self, file: Path) -> str:
        identity = self._recogniser.identity
        key = (hashlib.sha256(file.read_bytes()).hexdigest(), identity)
        if key not in self._heard:
            recording = read_audio(file)
            text = self._recogniser.transcribe(recording.samples, recording.sample_rate)
            self._folder.append("heard", {"digest": key[0], "recogniser": identity, "file": file.name, "text": text})
            self._heard[key] = text
        return self._heard[key]


def embed_takes(
    jobs: Sequence[Job], folder: EvaluationFolder, embedder: SpeakerEmbedder, told: Told
) -> dict[str, Embedding]:
    """The embeddings of the described and imitated takes, by the jobs' keys."""
    wanted = [job for job in jobs if job.kind in (DESCRIPTION, REFERENCE)]
    made = {}
    for number, job in enumerate(wanted):
        told("comparing voices", number, len(wanted))
        recording = read_audio(folder.takes / job.file)
        made[job.key] = embedder.embed(recording.samples, recording.sample_rate)
    return made


def judge_descriptions(
    jobs: Sequence[Job], embeddings: dict[str, Embedding], voices: ReferenceVoices
) -> list[dict[str, Any]]:
    """For every description: which voice each take sounds like, how many are right, how alike the takes are."""
    groups: dict[tuple[str, str], list[Embedding]] = {}
    for job in jobs:
        if job.kind == DESCRIPTION:
            groups.setdefault((job.description, job.voice), []).append(embeddings[job.key])
    judged = []
    for (description, voice), takes in groups.items():
        heard = [nearest(voices.similarities(take)) for take in takes]
        alike = [similarity(one, other) for one, other in combinations(takes, 2)]
        judged.append(
            {
                "description": description,
                "expected": voice,
                "nearest": heard,
                "right": heard.count(voice),
                "takes": len(takes),
                "similarity_between_takes": sum(alike) / len(alike),
            }
        )
    return judged


def judge_references(
    jobs: Sequence[Job], embeddings: dict[str, Embedding], voices: ReferenceVoices, held_out: Sequence[str]
) -> list[dict[str, Any]]:
    """For every reference voice: which voice each take sounds like, and how like it is to its own and to others."""
    judged: dict[str, dict[str, Any]] = {}
    for job in jobs:
        if job.kind != REFERENCE:
            continue
        found = voices.similarities(embeddings[job.key], without=job.reference)
        others = [value for name, value in found.items() if name != job.voice]
        entry = judged.setdefault(
            job.voice,
            {"voice": job.voice, "held_out": job.voice in held_out, "nearest": [], "own": [], "best_other": []},
        )
        entry["nearest"].append(nearest(found))
        entry["own"].append(found[job.voice])
        entry["best_other"].append(max(others) if others else None)
    for entry in judged.values():
        own, others = entry.pop("own"), [value for value in entry.pop("best_other") if value is not None]
        entry["right"] = entry["nearest"].count(entry["voice"])
        entry["takes"] = len(own)
        entry["similarity"] = sum(own) / len(own)
        entry["similarity_of_nearest_other"] = sum(others) / len(others) if others else None
    return list(judged.values())

"""What is spoken in an evaluation, as a list that depends on the choices alone. Loads no torch."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from voxcpm.errors import RequestError
from voxcpm.evaluation.options import EvaluateOptions
from voxcpm.evaluation.sentences import DescribedVoice, Sentence
from voxcpm.request import spread_seeds

TAKE, GUI, DESCRIPTION, REFERENCE = "take", "gui", "description", "reference"
KINDS = (TAKE, GUI, DESCRIPTION, REFERENCE)
"""Takes that are listened to; the same takes timed with a core left over; described voices; imitated voices."""


@dataclass(frozen=True)
class Job:
    """One take to be made."""

    kind: str
    text: str
    seed: int
    description: str = ""
    voice: str = ""
    """The voice that should be heard, with descriptions and references."""
    reference: Path | None = None
    reference_digest: str = ""

    @cached_property
    def key(self) -> str:
        """Identity by content: an evaluation that goes on keeps what is the same, wherever it stands in the set."""
        content = {k: v for k, v in dataclasses.asdict(self).items() if k != "reference"}
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def file(self) -> str:
        """Name of its recording: the first words, so that people find it."""
        words = "-".join("".join(c if c.isalnum() and c.isascii() else " " for c in self.text.lower()).split()[:5])
        return f"{self.kind}-{words[:40] or 'text'}-{self.key}.wav"


def sentence_jobs(sentences: Sequence[Sentence], options: EvaluateOptions) -> list[Job]:
    """Every sentence with every seed; with ``gui_core`` the first seed of each once more, at the end."""
    seeds = spread_seeds(options.seed, options.seeds)
    jobs = [Job(TAKE, s.text, seed, s.description) for s in sentences for seed in seeds]
    if options.gui_core:
        jobs += [Job(GUI, s.text, seeds[0], s.description) for s in sentences]
    return jobs


def description_jobs(
    descriptions: Sequence[DescribedVoice], sentences: Sequence[Sentence], options: EvaluateOptions
) -> list[Job]:
    """Every description with ``voice_seeds`` seeds, each on another sentence, so that no text makes takes alike."""
    texts = _texts(sentences)
    return [
        Job(DESCRIPTION, next(texts), seed, item.description, item.voice)
        for item in descriptions
        for seed in spread_seeds(options.seed, options.voice_seeds)
    ]


def reference_jobs(
    voices: Mapping[str, Sequence[Path]], sentences: Sequence[Sentence], options: EvaluateOptions
) -> list[Job]:
    """``voice_seeds`` takes of every voice, over its recordings in turn, each with another sentence and seed."""
    texts = _texts(sentences)
    jobs = []
    for name, files in voices.items():
        for number, seed in enumerate(spread_seeds(options.seed, options.voice_seeds)):
            file = files[number % len(files)]
            digest = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
            jobs.append(Job(REFERENCE, next(texts), seed, voice=name, reference=file, reference_digest=digest))
    return jobs


def with_descriptions(sentences: Sequence[Sentence], options: EvaluateOptions) -> tuple[Sentence, ...]:
    """``sentences`` with the descriptions that ``options`` give to categories. Raises :class:`RequestError`."""
    given = dict(options.describe)
    foreign = sorted(given.keys() - {s.category for s in sentences})
    if foreign:
        raise RequestError("describe", f"the set has no category {', '.join(foreign)}")
    return tuple(
        s if s.description or s.category not in given else dataclasses.replace(s, description=given[s.category])
        for s in sentences
    )


def check_voices(voices: Mapping[str, object], descriptions: Sequence[DescribedVoice], held_out: Sequence[str]) -> None:
    """Raise :class:`RequestError` for a voice that is expected or held out and has no folder."""
    known = ", ".join(voices)
    for field, names in (("descriptions", [d.voice for d in descriptions]), ("held_out", list(held_out))):
        for name in names:
            if name not in voices:
                raise RequestError(field, f"{name!r} is no folder of --references; there are {known}")


def _texts(sentences: Sequence[Sentence]) -> Iterator[str]:
    """The plain sentences, over and over; all if none is called plain."""
    texts = [s.text for s in sentences if s.category == "plain"] or [s.text for s in sentences]
    while True:
        yield from texts

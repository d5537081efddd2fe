"""One evaluation from beginning to end: check, speak, listen, sum up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voxcpm.checkpoint import CheckpointFiles
from voxcpm.config import VoxCPMConfig
from voxcpm.errors import RequestError
from voxcpm.evaluation import report as figures
from voxcpm.evaluation.jobs import (
    DESCRIPTION,
    GUI,
    REFERENCE,
    TAKE,
    Job,
    check_voices,
    description_jobs,
    reference_jobs,
    sentence_jobs,
    with_descriptions,
)
from voxcpm.evaluation.listening import Listener, embed_takes, judge_descriptions, judge_references
from voxcpm.evaluation.options import EvaluateOptions
from voxcpm.evaluation.originals import check_originals, original_recordings
from voxcpm.evaluation.recogniser import Recogniser
from voxcpm.evaluation.sentences import DescribedVoice, Sentence, read_descriptions, read_sentences
from voxcpm.evaluation.speakers import ReferenceVoices, SpeakerEmbedder, check_readable, voice_folders
from voxcpm.evaluation.speaking import Told, check_jobs, pending, speak
from voxcpm.evaluation.store import EvaluationFolder
from voxcpm.evaluation.wording import TextNormaliser, align

if TYPE_CHECKING:
    from voxcpm.pipeline import VoxCPM


@dataclass(frozen=True)
class Tools:
    """The heavy parts, each made when it is needed and not before."""

    model: Callable[[], VoxCPM]
    recogniser: Callable[[], Recogniser]
    embedder: Callable[[], SpeakerEmbedder]


@dataclass(frozen=True)
class Assignment:
    """What was read and checked before any work."""

    sentences: tuple[Sentence, ...]
    said: tuple[list[str], ...]
    """Normalised words of every sentence."""
    voices: dict[str, tuple[Path, ...]]
    descriptions: tuple[DescribedVoice, ...]
    jobs: tuple[Job, ...]


def evaluate(options: EvaluateOptions, model_folder: Path, tools: Tools, told: Told) -> dict[str, Any]:
    """Evaluate the model in ``model_folder``, or go on with an evaluation that was broken off; returns the report.

    Everything in ``options.out`` is kept: the report, a line per sentence, a line and a recording per take. Raises
    what is wrong with the choices, the files or the model before the first take is made.
    """
    files = CheckpointFiles.locate(model_folder)
    config, fingerprint = VoxCPMConfig.from_file(files.config), files.fingerprint()
    normaliser = TextNormaliser(options.language)
    todo = read_assignment(options, config, normaliser)
    folder = EvaluationFolder(options.out)
    folder.begin(_identity(options, fingerprint))
    left = pending(todo.jobs, folder)
    if left:
        model = tools.model()
        if model.info.fingerprint != fingerprint:
            raise RequestError("model", "the files changed while they were read; evaluate a folder that rests")
        speak(model, left, folder, options, told, len(todo.jobs) - len(left))
        model.close()
        del model  # a large model's memory goes before the recogniser's comes
    records = {record["key"]: record for record in folder.records("takes")}
    listener = Listener(folder, tools.recogniser, told)
    results = _listen(todo, options, folder, listener, records, normaliser)
    own = config.dit_config.cfm_config
    report = {
        "model": {"name": files.folder.name, "architecture": config.architecture, "fingerprint": fingerprint},
        "sampling": {
            "steps": options.steps,
            "cfg": own.inference_cfg_rate if options.cfg is None else options.cfg,
            "temperature": own.inference_temperature if options.temperature is None else options.temperature,
            **{name: getattr(options, name) for name in ("retries", "retry_ratio", "seeds")},
        },
        "recogniser": listener.identity,
        "overall": figures.summarise(results),
        "categories": figures.by_category(results),
        "timing": {
            name: figures.summarise_timing(chosen) if chosen else None
            for name, kind in (("all_cores", TAKE), ("gui_core", GUI))
            for chosen in [[records[job.key] for job in todo.jobs if job.kind == kind]]
        },
        **_compare_voices(todo, options, folder, tools, told),
    }
    folder.write_result(report, figures.as_text(report), (result.to_dict() for result in results))
    return report


def read_assignment(options: EvaluateOptions, config: VoxCPMConfig, normaliser: TextNormaliser) -> Assignment:
    """Read every file and refuse what cannot be done. Raises :class:`RequestError` or :class:`ConsentError`."""
    options.check()
    sentences = with_descriptions(read_sentences(options.sentences), options)
    said = tuple(normaliser.words(sentence.text) for sentence in sentences)
    for sentence, words in zip(sentences, said, strict=True):
        if not words:
            raise RequestError("sentences", f"{sentence.text!r} has no word that a recogniser would write down")
    if options.originals:
        check_originals(options.originals, sentences)
    descriptions = read_descriptions(options.descriptions) if options.descriptions is not None else ()
    voices: dict[str, tuple[Path, ...]] = {}
    if options.references is not None:
        voices = voice_folders(options.references)
        check_voices(voices, descriptions, options.held_out)
        check_readable(voices)
    jobs = (
        *sentence_jobs(sentences, options),
        *description_jobs(descriptions, sentences, options),
        *reference_jobs(voices, sentences, options),
    )
    check_jobs(jobs, options, config)
    # Timed last, so that the number of threads changes once.
    ordered = sorted(jobs, key=lambda job: job.kind == GUI)
    return Assignment(sentences, said, voices, descriptions, tuple(dict.fromkeys(ordered)))


def _identity(options: EvaluateOptions, fingerprint: str) -> dict[str, Any]:
    """What must not change when an evaluation goes on. Texts and seeds may: takes are known by them."""
    return {
        "format": 1,
        "model": fingerprint,
        "threads": options.all_threads,
        **{
            name: getattr(options, name)
            for name in ("steps", "cfg", "temperature", "retries", "retry_ratio", "device", "dtype")
        },
    }


def _listen(
    todo: Assignment,
    options: EvaluateOptions,
    folder: EvaluationFolder,
    listener: Listener,
    records: dict[str, dict[str, Any]],
    normaliser: TextNormaliser,
) -> list[figures.SentenceResult]:
    takes: dict[tuple[str, str], list[Job]] = {}
    for job in todo.jobs:
        if job.kind == TAKE:
            takes.setdefault((job.text, job.description), []).append(job)
    jobs = [job for sentence in todo.sentences for job in takes[sentence.text, sentence.description]]
    heard = dict(
        zip((job.key for job in jobs), listener.hear([folder.takes / j.file for j in jobs], "listening"), strict=True)
    )
    originals: Sequence[str | None] = [None] * len(todo.sentences)
    if options.originals:
        recordings = original_recordings(options.originals, todo.sentences, folder.originals)
        originals = listener.hear(recordings, "listening to the originals")

    def reading(words: list[str], text: str) -> figures.Reading:
        return figures.Reading(text, align(words, normaliser.words(text)))

    return [
        figures.SentenceResult(
            sentence,
            tuple(
                (records[job.key], reading(words, heard[job.key])) for job in takes[sentence.text, sentence.description]
            ),
            reading(words, original) if original is not None else None,
        )
        for sentence, words, original in zip(todo.sentences, todo.said, originals, strict=True)
    ]


def _compare_voices(
    todo: Assignment, options: EvaluateOptions, folder: EvaluationFolder, tools: Tools, told: Told
) -> dict[str, Any]:
    """The report's part about descriptions and references."""
    nothing = {"reference_voices": None, "descriptions": None, "references": None}
    if not todo.voices:
        return nothing
    embedder = tools.embedder()
    voices = ReferenceVoices.embedded(todo.voices, embedder)
    embeddings = embed_takes(todo.jobs, folder, embedder, told)
    right, recordings = voices.told_apart()
    found: dict[str, Any] = nothing | {
        "reference_voices": {"voices": list(todo.voices), "recordings": recordings, "right": right}
    }
    if any(job.kind == DESCRIPTION for job in todo.jobs):
        judged = judge_descriptions(todo.jobs, embeddings, voices)
        found["descriptions"] = figures.summarise_voices(judged, "similarity_between_takes") | {"each": judged}
    if any(job.kind == REFERENCE for job in todo.jobs):
        judged = judge_references(todo.jobs, embeddings, voices, options.held_out)
        groups = {"known": [e for e in judged if not e["held_out"]], "held_out": [e for e in judged if e["held_out"]]}
        summed = {name: figures.summarise_voices(group, "similarity") for name, group in groups.items() if group}
        found["references"] = summed | {"each": judged}
    return found

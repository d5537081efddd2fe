"""How a take is written down: facts as JSON that can be searched and listed, and one file of sound and latents."""

from __future__ import annotations

import dataclasses
import functools
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

import numpy as np

from app.core.messages import MAX_TAKES, BatchRow, Consent, Job, ModelInfo, SpokenPiece, TakeResult, VoiceSpec
from app.core.takes import JoinedPiece, Take, TakeState

FORMAT = 2
_ENDED = (TakeState.DONE, TakeState.STOPPED, TakeState.FAILED)
_ARRAYS = ("stop_probabilities", "patch_seconds")
_NOT_IN_FACTS = {"samples", "latents", "sample_rate", *_ARRAYS}
_SEALED = "sealed"  # stands in the facts for what only the file of the take says, which is encrypted

_T = TypeVar("_T")


class TakeUnreadableError(ValueError):
    """What is stored of a take is not what this version writes; the message says what is wrong, without its texts."""


@dataclass(frozen=True, eq=False)
class StoredSound:
    """The file of a take: ``samples`` float32 [n], ``latents`` float32 [frames, D], its result, and its voice."""

    samples: np.ndarray
    latents: np.ndarray
    result: TakeResult | None
    voice: VoiceSpec | None


def write_facts(take: Take) -> str:
    """Return the facts of a take that has ended, as JSON. Paths, transcripts and names of people are not in it."""
    result = None
    if take.result is not None:
        fields = (field.name for field in dataclasses.fields(take.result))
        result = {name: getattr(take.result, name) for name in fields if name not in _NOT_IN_FACTS}
        result["batch"] = [dataclasses.asdict(row) for row in take.result.batch]
        result["pieces"] = [dataclasses.asdict(piece) for piece in take.result.pieces]
    spec = take.job.without_names().voice
    job = replace(take.job, voice=None if spec is None else _without_person(spec))
    facts = {
        "format": FORMAT,
        "created_at": take.created_at,
        "state": take.state.value,
        "seed": take.seed,
        "final_text": take.final_text,
        "end": take.end,
        "flags": take.flags,
        "patches": take.patches,
        "compute_seconds": take.compute_seconds,
        "sample_rate": take.sample_rate,
        "frame_rate": take.frame_rate,
        "patch_size": take.patch_size,
        "samples": len(take.samples),
        "reproduces": take.reproduces,
        "joined": [dataclasses.asdict(piece) for piece in take.joined],
        "job": dataclasses.asdict(job),
        "model": dataclasses.asdict(take.model),
        "result": result,
    }
    return json.dumps(facts, ensure_ascii=False, default=_plain)


def write_sound(take: Take) -> bytes:
    """Return the file of a take: an uncompressed .npz with samples, latents, the figures per patch, and the voice."""
    arrays = {name: getattr(take.result, name) for name in _ARRAYS} if take.result else {}
    spec = take.job.without_names().voice
    voice = "" if spec is None else json.dumps(dataclasses.asdict(spec), default=_plain)
    file = io.BytesIO()
    np.savez(file, samples=take.samples, latents=take.latents, voice=np.frombuffer(voice.encode(), np.uint8), **arrays)
    return file.getvalue()


def read_facts(text: str) -> Take:
    """Return a take without its sound. Its ids, number and marks are the caller's.

    Raises:
        TakeUnreadableError: the facts are not complete, of another kind, or out of range.
    """
    try:
        return _read_take(json.loads(text))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise TakeUnreadableError(f"The facts of this take cannot be read ({type(error).__name__}).") from error


def read_sound(data: bytes, facts: str) -> StoredSound:
    """Read the file of the take whose facts are given.

    Raises:
        TakeUnreadableError: the file is damaged, or belongs to another take.
    """
    try:
        known = json.loads(facts)
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            samples, latents = arrays["samples"], arrays["latents"]
            extra = {name: arrays[name] for name in _ARRAYS if name in arrays}
            voice = arrays["voice"].tobytes().decode()
        if samples.shape != (known["samples"],) or samples.dtype != np.float32 or latents.ndim != 2:
            raise ValueError("sound and facts do not belong together")
        result = None
        if (raw := known["result"]) is not None:
            rest = {"samples": samples, "sample_rate": known["sample_rate"], "latents": latents, **extra}
            result = _build_result({**raw, **rest})
        return StoredSound(samples, latents, result, build_voice(json.loads(voice)) if voice else None)
    except Exception as error:  # whatever stands in the file, zip and numpy have many ways to say it
        raise TakeUnreadableError(f"The sound of this take cannot be read ({type(error).__name__}).") from error


def build_voice(raw: dict[str, Any]) -> VoiceSpec:
    """Make a voice of what was written; ValueError, TypeError or KeyError when something is wrong with it.

    Its consent is never a fresh one, whatever was written: nobody at the screen has agreed just now.
    """
    consent = raw["consent"]
    if consent is not None:
        times = {
            key: datetime.fromisoformat(consent[key]) if consent[key] else None for key in ("valid_from", "expires_at")
        }
        consent = _build(Consent, {**consent, **times, "scope": frozenset(consent["scope"])}).without_names()
    return _build(VoiceSpec, {**raw, "consent": consent})


def build_job(raw: dict[str, Any]) -> Job:
    """Make a job of what was written; ValueError, TypeError or KeyError when something is wrong with it."""
    decided = frozenset(str(category) for category in raw.get("decided", ()))
    voice = None if raw["voice"] is None else build_voice(raw["voice"])
    return _build(Job, {**raw, "voice": voice, "decided": decided})


def build_model(raw: dict[str, Any]) -> ModelInfo:
    """Make the facts of a model of what was written; ValueError or TypeError when something is wrong with it."""
    return _build(ModelInfo, raw)


def _without_person(voice: VoiceSpec) -> VoiceSpec:
    return replace(
        voice,
        reference=_SEALED if voice.reference else None,
        prompt=_SEALED if voice.prompt else None,
        transcript="",
    )


def _read_take(facts: dict[str, Any]) -> Take:
    if facts["format"] != FORMAT:
        raise ValueError("written by another version")
    count, seed = facts["samples"], facts["seed"]
    take = _build(
        Take,
        {
            **{key: facts[key] for key in ("final_text", "end", "patches", "compute_seconds", "reproduces")},
            **{key: facts[key] for key in ("sample_rate", "frame_rate", "patch_size")},
            "take_id": 0,
            "number": 0,
            "row": 0,
            "job": build_job(facts["job"]),
            "model": build_model(facts["model"]),
            "created_at": datetime.fromisoformat(facts["created_at"]).astimezone(UTC),
            "state": TakeState(facts["state"]),
            "seed": seed,
            "flags": tuple(str(flag) for flag in facts["flags"]),
            "stored_samples": count,
            "restored": True,
            "joined": tuple(_build(JoinedPiece, piece) for piece in facts.get("joined", ())),
        },
    )
    if take.state not in _ENDED or not 1 <= take.job.takes <= MAX_TAKES or not (seed is None or isinstance(seed, int)):
        raise ValueError("state, takes or seed is out of its range")
    if not all(value > 0 for value in (take.sample_rate, take.frame_rate, take.patch_size, count)):
        raise ValueError("rates and lengths are above 0")
    return take


def _build_result(raw: dict[str, Any]) -> TakeResult:
    batch = tuple(_build(BatchRow, row) for row in raw.get("batch", ()))
    pieces = tuple(_build(SpokenPiece, piece) for piece in raw.get("pieces", ()))
    return _build(TakeResult, {**raw, "flags": tuple(raw["flags"]), "batch": batch, "pieces": pieces})


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} cannot be kept")


_TYPES: dict[str, tuple[type, ...]] = {"str": (str,), "int": (int,), "bool": (bool,), "float": (int, float)}


def _build(kind: type[_T], raw: dict[str, Any]) -> _T:
    """Make ``kind`` from what a file said. ValueError for a plain field of another type, TypeError for other names."""
    for name, wanted in _plain_fields(kind):  # type: ignore[arg-type]
        if name in raw and not isinstance(raw[name], wanted):
            raise ValueError(f"{name} is of another type")
    return kind(**raw)


@functools.cache
def _plain_fields(kind: type) -> tuple[tuple[str, tuple[type, ...]], ...]:
    """Names and types of the fields that hold a plain value; a list shows hundreds of takes at once."""
    fields = ((field.name, _TYPES.get(str(field.type))) for field in dataclasses.fields(kind))
    return tuple((name, wanted) for name, wanted in fields if wanted is not None)

"""Writes a take as versions did that kept each in a folder of its own."""

from __future__ import annotations

import dataclasses
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from app.core.takes import Take

_NEW_OF_JOB = {"voice_id"}
_NEW_OF_CONSENT = {"contact", "fresh"}
_OLD_MODEL = {"threads", "library", "machine"}
_NOT_OLD = {"samples", "latents", "sample_rate", "stop_probabilities", "patch_seconds", "batch", "row", "lora"}


def write_folder(parent: Path, take: Take, name: str) -> Path:
    """Write ``take`` below ``parent`` in format 1."""
    folder = parent / name
    folder.mkdir(parents=True)
    soundfile.write(folder / "sound.wav", take.samples, take.sample_rate, subtype="FLOAT")
    arrays = {}
    result: dict[str, Any] | None = None
    if take.result is not None:
        arrays = {"stop_probabilities": take.result.stop_probabilities, "patch_seconds": take.result.patch_seconds}
        result = {
            field.name: getattr(take.result, field.name)
            for field in dataclasses.fields(take.result)
            if field.name not in _NOT_OLD
        }
    np.savez(folder / "latents.npz", latents=take.latents, **arrays)
    model = {key: value for key, value in dataclasses.asdict(take.model).items() if key not in _OLD_MODEL}
    job = dataclasses.asdict(take.job)
    if job["voice"] is not None:
        job["voice"] = {key: value for key, value in job["voice"].items() if key not in _NEW_OF_JOB}
        if job["voice"]["consent"] is not None:
            consent = job["voice"]["consent"]
            job["voice"]["consent"] = {key: value for key, value in consent.items() if key not in _NEW_OF_CONSENT}
    facts = {
        **{key: getattr(take, key) for key in ("row", "created_at", "seed", "final_text", "end", "flags", "patches")},
        **{key: getattr(take, key) for key in ("compute_seconds", "sample_rate", "frame_rate", "patch_size")},
        "format": 1,
        "press": take.press,
        "state": take.state.value,
        "samples": len(take.samples),
        "job": job,
        "model": model,
        "result": result,
    }
    (folder / "take.json").write_text(json.dumps(facts, default=_plain), encoding="utf-8")
    return folder


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else sorted(value)

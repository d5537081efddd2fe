"""Takes of versions that kept each in a folder of its own are taken into the library once; then the folder goes."""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from app.core.messages import MAX_TAKES, TakeResult
from app.core.store import errors
from app.core.take_codec import build_job, build_model
from app.core.take_store import NoOriginError, TakeExistsError, TakeLibrary
from app.core.takes import Take, TakeState

log = logging.getLogger(__name__)

FOLDER = "autosave"
_FORMAT = 1
_FACTS, _SOUND, _LATENTS = "take.json", "sound.wav", "latents.npz"
_UNFINISHED = ".unfinished-"
_NAMES = uuid.UUID("5f0dd2a1-6f1c-4d3c-8a43-6d0f6f0c0f11")  # a folder read twice, after a crash, is the same take


def import_folders(folder: Path, library: TakeLibrary, is_cancelled: Callable[[], bool] = lambda: False) -> int:
    """Take in every take below ``folder`` (see ``FOLDER``), oldest first, and return how many.

    Each folder goes once its take is in the library. One that is damaged, or does not say where its sound came from,
    stays where it is, with a log line.

    Raises:
        StoreError: the library could not take one in; the rest waits for the next time.
        OSError: the folder cannot be read.
    """
    if not folder.is_dir():
        return 0
    count = 0
    for path in sorted(path for path in folder.iterdir() if path.is_dir()):
        if is_cancelled():
            return count
        if not path.name.startswith(_UNFINISHED):
            try:
                library.add(_read(path))
                count += 1
            except TakeExistsError:
                pass
            except errors.StoreError:
                raise
            except NoOriginError as error:
                log.warning("A kept take is not taken in: %s (%s)", path.name, error)
                continue
            except Exception as error:  # whatever stands in these files, the other takes come in
                log.warning("A kept take is left out, it is damaged: %s (%s)", path.name, type(error).__name__)
                continue
        shutil.rmtree(path, ignore_errors=True)
    with contextlib.suppress(OSError):
        folder.rmdir()
    return count


def _read(folder: Path) -> Take:
    """Read one folder; any exception when something is wrong with it."""
    import soundfile  # not needed to open the window

    facts = json.loads((folder / _FACTS).read_text(encoding="utf-8"))
    if facts["format"] != _FORMAT:
        raise ValueError("written by another version")
    samples, rate = soundfile.read(folder / _SOUND, dtype="float32")
    with np.load(folder / _LATENTS, allow_pickle=False) as arrays:
        extra = {name: arrays[name] for name in arrays.files}
    latents = extra.pop("latents").astype(np.float32, copy=False)
    if samples.shape != (facts["samples"],) or rate != facts["sample_rate"] or latents.ndim != 2 or not len(samples):
        raise ValueError("sound and facts do not belong together")
    take = _take(facts, folder.name)
    result = None
    if (raw := facts["result"]) is not None:
        given = {**raw, **extra, "samples": samples, "sample_rate": rate, "latents": latents}
        result = TakeResult(**{**given, "flags": tuple(raw["flags"])})
    take.fill(samples, latents, result, take.job.voice)
    return take


def _take(facts: dict[str, Any], name: str) -> Take:
    row, state = facts["row"], TakeState(facts["state"])
    if state not in (TakeState.DONE, TakeState.STOPPED, TakeState.FAILED) or row not in range(MAX_TAKES):
        raise ValueError("state or row is out of its range")
    return Take(
        take_id=0,
        number=0,
        row=row,
        job=build_job(facts["job"]),
        model=build_model(facts["model"]),
        state=state,
        created_at=datetime.fromisoformat(facts["created_at"]).astimezone(UTC),
        flags=tuple(str(flag) for flag in facts["flags"]),
        uid=str(uuid.uuid5(_NAMES, name)),
        press=str(uuid.uuid5(_NAMES, str(facts["press"]))),
        **{key: facts[key] for key in ("seed", "final_text", "end", "patches", "compute_seconds")},
        **{key: facts[key] for key in ("sample_rate", "frame_rate", "patch_size")},
    )

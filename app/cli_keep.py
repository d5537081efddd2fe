"""Takes of the command line go into the library of the studio as well, unless that is left out."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.core.engine_api import EngineError
from app.core.library import Library
from app.core.messages import PARTS, Job, VoiceSpec
from app.core.store import errors
from app.core.take_store import TakeError
from app.core.takes import Take, TakeState
from app.engine.local import model_info, take_result

if TYPE_CHECKING:
    from voxcpm.pipeline import VoxCPM
    from voxcpm.request import Request
    from voxcpm.result import Result

log = logging.getLogger(__name__)


def _part(part: Result) -> dict[str, object]:
    """What one part of a long text was made with: the parts are made one after the other, each in its own batch."""
    plain = take_result(part)
    rows = [asdict(row) for row in plain.batch]
    return {"text": plain.text, "seed": plain.seed, "patches": plain.patches, "row": plain.row, "batch": rows}


class Keeper:
    """Keeps what one run of a command makes. ``wanted`` False keeps nothing."""

    def __init__(self, library: Library, *, wanted: bool = True) -> None:
        self._library = library
        self._wanted = wanted

    def keep(
        self,
        requests: Sequence[Request],
        takes: Sequence[Sequence[Result]],
        model: VoxCPM,
        folder: Path,
        spec: VoiceSpec | None,
        decided: frozenset[str] = frozenset(),
    ) -> list[str]:
        """Keep takes that were made together; return why some could not be kept, in sentences.

        Each take is the list of its parts, which become one sound. ``requests`` go with them; ``spec`` is the voice,
        ``decided`` what a person decided about (see ``Job``).
        """
        if not self._wanted:
            return []
        press, info, refused = str(uuid.uuid4()), model_info(model, str(folder)), []
        for row, (request, parts) in enumerate(zip(requests, takes, strict=False)):
            if not any(len(part.samples) for part in parts):
                continue
            job = Job(
                job_id=1,
                text=request.text,
                description=request.description,
                voice=spec,
                seed=int(requests[0].seed or 0),
                takes=min(3, len(requests)),
                steps=request.steps,
                cfg=float(parts[0].cfg),
                temperature=float(parts[0].temperature),
                min_patches=request.min_patches,
                max_patches=request.max_patches,
                retry_ratio=request.retry_ratio,
                normalize=request.normalize,
                decided=decided,
            ).without_names()
            result = take_result(parts[0])
            if len(parts) > 1:
                result = replace(
                    result,
                    samples=np.concatenate([part.samples for part in parts]),
                    latents=np.concatenate([take_result(part).latents for part in parts]),
                    patches=sum(part.patches for part in parts),
                    text=" ".join(part.text for part in parts),
                    end=parts[-1].end,
                    total_seconds=sum(part.total_seconds for part in parts),
                    stop_probabilities=np.concatenate([take_result(part).stop_probabilities for part in parts]),
                    patch_seconds=np.concatenate([take_result(part).patch_seconds for part in parts]),
                    batch=(),
                    settings={**result.settings, PARTS: [_part(part) for part in parts]},
                )
            take = Take(
                take_id=0,
                number=0,
                row=row,
                job=job,
                model=info,
                sample_rate=result.sample_rate,
                frame_rate=info.frame_rate,
                patch_size=info.patch_size,
                state=TakeState.STOPPED if result.end == "cancelled" else TakeState.DONE,
                seed=result.seed,
                final_text=result.text,
                end=result.end,
                flags=result.flags,
                patches=result.patches,
                compute_seconds=result.total_seconds,
                press=press,
            )
            take.fill(result.samples, result.latents, result, job.voice)
            try:
                self._library.takes.add(take)
            except (errors.StoreError, TakeError, EngineError, ValueError, OSError) as error:
                log.warning("A take is not kept: %s", type(error).__name__)
                refused.append(f"The take is not kept in the library of the studio: {error}")
        return list(dict.fromkeys(refused))

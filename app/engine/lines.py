"""Lines of a dub, spoken by the loaded model: short ones as one batch, long ones sentence by sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from app.core.dubbing.lines import LONGEST_WHOLE
from app.core.engine_api import EngineCancelled
from app.engine.voices import EngineVoices

if TYPE_CHECKING:
    from app.core.dubbing.lines import Anchor, Line
    from voxcpm.pipeline import VoxCPM
    from voxcpm.request import Request
    from voxcpm.result import Result
    from voxcpm.voice import Voice


def speak(
    model: VoxCPM, voices: EngineVoices, lines: Sequence[Line], is_cancelled: Callable[[], bool]
) -> list[list[Result]]:
    """Speak ``lines``; for each the results of its parts. Every use of a voice is asked for at the door.

    Raises EngineCancelled when told to stop, EngineError of the door, and the library's own errors.
    """
    from voxcpm.long_text import pieces_of

    requests = [_request(model, voices, line) for line in lines]
    long = [number for number, line in enumerate(lines) if len(line.text) > LONGEST_WHOLE]
    short = [number for number in range(len(lines)) if number not in long]
    results: dict[int, list[Result]] = {}
    if short:
        batch = model.generate_batch([requests[number] for number in short], cancelled=is_cancelled)
        results = {number: [result] for number, result in zip(short, batch, strict=True)}
    for number in long:
        if is_cancelled():
            raise EngineCancelled
        chunks = model.stream_long(requests[number], max_chars=LONGEST_WHOLE, cancelled=is_cancelled)
        made = [chunk.result for chunk in chunks if chunk.result is not None]
        pieces = pieces_of(requests[number], LONGEST_WHOLE)  # its own text, without what it goes on from
        results[number] = [replace(result, text=piece) for result, piece in zip(made, pieces, strict=False)]
    if is_cancelled():
        raise EngineCancelled
    return [results[number] for number in range(len(lines))]


def _request(model: VoxCPM, voices: EngineVoices, line: Line) -> Request:
    from voxcpm.request import Request

    voice = voices.use(model, line.voice, line.text, line.decided)
    if voice is None and line.anchor is not None:
        voice = _going_on(model, line.anchor)
    return Request(
        text=line.text,
        description=line.description,
        voice=voice,
        seed=line.seed,
        steps=line.steps,
        cfg=line.cfg,
        temperature=line.temperature,
        min_patches=line.min_patches,
        max_patches=line.max_patches,
        retries=line.retries,
        retry_ratio=line.retry_ratio,
        normalize=line.normalize,
    )


def _going_on(model: VoxCPM, anchor: Anchor) -> Voice:
    """A designed voice that goes on from a take of its own: nobody's voice, so its record is a synthetic one."""
    import torch

    from voxcpm.long_text import carried
    from voxcpm.text import joint

    patches = torch.from_numpy(anchor.latents).view(-1, model.config.patch_size, model.config.feat_dim)
    return carried(None, patches, anchor.text + joint(anchor.text), model.info)

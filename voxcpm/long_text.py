"""Long texts: spoken part by part, each part continuing the one before, so that the voice stays the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from voxcpm import text
from voxcpm.config import VoxCPMConfig
from voxcpm.consent import GENERATE, ConsentRecord
from voxcpm.info import ModelInfo
from voxcpm.request import Request, retry_seed
from voxcpm.result import AudioChunk
from voxcpm.voice import Voice

_SEEDS_PER_PART = 1000  # attempts that a part may use up before it would meet the next part's seeds


def pieces_of(request: Request, max_chars: int) -> list[str]:
    """The request's text in pieces of whole sentences; what has nothing to say is left out."""
    text.check_speakable(request.text, "text")
    sentences = text.split_sentences(text.fold_text(request.text), max_chars=max_chars)
    return [piece for piece in sentences if text.is_speakable(piece)]


def stream_parts(
    request: Request,
    pieces: list[str],
    run: Callable[[Request], Iterator[AudioChunk]],
    config: VoxCPMConfig,
    info: ModelInfo,
) -> Iterator[AudioChunk]:
    """Chunks of all parts; ``row`` is the part. ``request`` has a seed; ``run`` makes one part."""
    seed, voice = request.seed, request.voice
    assert seed is not None
    for part, piece in enumerate(pieces):
        result = None
        current = replace(
            request,
            text=piece,
            voice=voice,
            seed=retry_seed(seed, _SEEDS_PER_PART * part),
            description=request.description if part == 0 or voice is request.voice else "",
        )
        for chunk in run(current):
            result = chunk.result
            yield replace(chunk, row=part)
        if result is None or result.end == "cancelled":
            return
        if result.end == "stopped":  # never steer by a part that was cut: its audio lacks the end of its text
            patches = torch.from_numpy(result.latents).view(-1, config.patch_size, config.feat_dim)
            voice = carried(request.voice, patches, piece + text.joint(piece), info)


def carried(voice: Voice | None, patches: torch.Tensor, transcript: str, info: ModelInfo) -> Voice:
    """A voice that goes on from a finished part: its ``patches`` [T, P, D] and what they say.

    It is the same person's as ``voice`` (None: nobody's), so the record stays.
    """
    return Voice(
        reference=voice.reference if voice is not None else None,
        prompt=patches,
        transcript=transcript,
        fingerprint=info.fingerprint,
        consent=voice.consent if voice is not None else ConsentRecord("synthetic", frozenset({GENERATE})),
        patch_seconds=info.patch_seconds,
    )

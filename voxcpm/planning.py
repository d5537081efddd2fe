"""From a checked request to its sequence, limits and expected length: all that is known before the model runs."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from voxcpm.audio_file import Finding
from voxcpm.config import VoxCPMConfig
from voxcpm.errors import RequestError
from voxcpm.request import Request, model_text
from voxcpm.result import BatchRow, Plan
from voxcpm.sequence import PackedSequence, inference_segments, pack
from voxcpm.text import check_speakable, fold_text

LENGTH_CAP_EXTRA = 10  # patches on top of ratio x target tokens (the reference's length rule)

# Speaking times in seconds, rough on purpose: reading speed of about 14 Latin letters or 4.5 Han characters a second.
_SECONDS_PER_HAN = 0.22
_SECONDS_PER_LETTER = 0.07
_SECONDS_PER_PAUSE = 0.25
_SPREAD = (0.7, 1.5)
_MOST_UNKNOWN = 12  # that are named


class Encoder(Protocol):
    """The tokenizer's side that planning needs."""

    def encode(self, text: str) -> list[int]:
        """Token ids without special ones."""

    def unknown(self, text: str) -> str:
        """Characters that no token stands for."""


@dataclass(frozen=True)
class LaidOut:
    """A request made ready to run."""

    request: Request
    target_text: str
    """Folded and maybe normalised, description in front."""
    text: str
    """The prompt's transcript in front."""
    text_ids: tuple[int, ...]
    target_tokens: int
    sequence: PackedSequence
    context: Tensor | None
    """Prompt patches [n, P, D] that warm the decoder."""
    counted_context: int
    """Context patches that the bad-case rule counts along (older generations)."""
    max_patches: int
    unknown: str
    """Characters of the target that the model has no tokens for, each once."""
    limit: str
    """End reason if the limit is reached: ``length_cap``, ``max_patches`` or ``context_full``."""
    expected: tuple[int, int]

    @property
    def seed(self) -> int:
        """The request's seed; drawn by now."""
        assert self.request.seed is not None
        return self.request.seed

    @property
    def cfg(self) -> float:
        """Guidance, the model's own by now where none was asked for."""
        assert self.request.cfg is not None
        return float(self.request.cfg)

    @property
    def temperature(self) -> float:
        """Standard deviation of the starting noise, likewise."""
        assert self.request.temperature is not None
        return float(self.request.temperature)

    def is_bad(self, patches: int) -> bool:
        """Whether a take of that many patches is far too long for its text (the reference's rule)."""
        return patches + self.counted_context >= self.request.retry_ratio * self.target_tokens

    def batch_row(self, attempt: int) -> BatchRow:
        """This request's part of a batch's make-up."""
        request = self.request
        return BatchRow(
            self.text,
            request.mode,
            self.seed,
            attempt,
            request.steps,
            self.cfg,
            request.min_patches,
            self.max_patches,
            request.voice.key if request.voice else None,
            self.temperature,
        )


def lay_out(
    request: Request, config: VoxCPMConfig, tokenizer: Encoder, normalizer: Callable[[str], str] | None
) -> LaidOut:
    """Build the sequence and the limits; :class:`RequestError` if it cannot fit the context."""
    target = fold_text(request.text)
    if request.normalize and normalizer is not None:
        target = normalizer(target)
        check_speakable(target, "text")
    target = model_text(request, target)
    voice = request.voice
    reference = voice.reference if voice is not None else None
    prompt = voice.prompt if voice is not None else None
    whole = (voice.transcript if voice is not None and prompt is not None else "") + target
    ids = tuple(tokenizer.encode(whole))
    target_tokens = len(tokenizer.encode(target))
    unknown = tokenizer.unknown(target)
    words = {character for character in fold_text(request.text) if character.isalnum()}
    if not target_tokens or words <= set(unknown):
        raise RequestError("text", "the model knows none of these characters; write in a language that it was made for")
    sequence = pack(inference_segments(ids, reference, prompt), config.patch_size, config.feat_dim)
    max_patches, limit = _limit(request, config, sequence.length, target_tokens)
    context = None if prompt is None else prompt[-config.context_patches :]
    counted = 0 if config.takes_reference or context is None else context.shape[0]
    return LaidOut(
        request.resolved(config),
        target,
        whole,
        ids,
        target_tokens,
        sequence,
        context,
        counted,
        max_patches,
        unknown,
        limit,
        expected_patches(target if not request.description else fold_text(request.text), config, max_patches),
    )


def _limit(request: Request, config: VoxCPMConfig, positions: int, target_tokens: int) -> tuple[int, str]:
    # The patch of the last step is not fed back, so one more fits than there are free positions.
    room = config.max_length - positions + 1
    if room < 1:
        part = "text" if request.voice is None else "prompt" if request.voice.prompt is not None else "reference"
        raise RequestError(
            part,
            f"text and audio need {positions} positions, and the model's context holds "
            f"{config.max_length}; shorten the text or the audio",
        )
    cap = math.floor(request.retry_ratio * target_tokens + LENGTH_CAP_EXTRA)
    return min(
        (request.max_patches, "max_patches"), (cap, "length_cap"), (room, "context_full"), key=lambda item: item[0]
    )


def expected_patches(text: str, config: VoxCPMConfig, max_patches: int) -> tuple[int, int]:
    """Low and high guess of a take's patches from its text alone."""
    seconds = 0.3
    for character in text:
        category = unicodedata.category(character)
        if category == "Lo":
            seconds += _SECONDS_PER_HAN
        elif category[0] in "LN":
            seconds += _SECONDS_PER_LETTER if category[0] == "L" else 3 * _SECONDS_PER_LETTER
        elif category == "Po":
            seconds += _SECONDS_PER_PAUSE
    low, high = (max(1, min(max_patches, round(seconds * factor / config.patch_seconds))) for factor in _SPREAD)
    return low, high


def plan_from(item: LaidOut, config: VoxCPMConfig) -> Plan:
    """The plan as people see it."""
    voice, findings = item.request.voice, []
    if item.unknown:
        shown = " ".join(item.unknown[:_MOST_UNKNOWN])
        message = f"the model does not know these characters and leaves them out: {shown}"
        findings.append(Finding("unknown", message, "warning", {"characters": shown}))
    if item.limit == "context_full":
        room = item.max_patches * config.patch_seconds
        message = f"the context has room for {room:.1f} s of audio"
        findings.append(Finding("context_room", message, values={"seconds": room}))
    low, high = item.expected
    return Plan(
        item.request.mode,
        item.text,
        item.target_tokens,
        item.sequence.length,
        item.max_patches,
        item.limit,
        item.expected,
        (low * config.patch_seconds, high * config.patch_seconds),
        voice.reference_seconds if voice else 0.0,
        voice.prompt_seconds if voice else 0.0,
        tuple(findings),
    )

"""Joins phrases of several takes at their pauses into one sound, which says where each part came from."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.core.activity import LEAST_PAUSE, Stretch, pauses, speech
from app.core.takes import JoinedPiece, Take, TakeState

_FADE_SECONDS = 0.005  # at each join; it lies in a pause


class JoinError(ValueError):
    """These takes cannot be joined; the message says why and what to do."""


def phrases(takes: Sequence[Take]) -> list[list[Stretch]]:
    """Cut takes of the same text into phrases, for each take a list, all of the same length.

    The cuts lie in the middle of pauses. Where one take has more pauses than another its longest ones count.

    Raises:
        JoinError: fewer than two takes, of different texts, rates or voices; or without any pause.
    """
    check(takes)
    spoken = [speech(take.samples, take.sample_rate, LEAST_PAUSE) for take in takes]
    count = min(len(stretches) for stretches in spoken)
    if count < 2:
        raise JoinError("There is no pause in one of these takes, so there is nothing to choose phrase by phrase.")
    found = []
    for take, stretches in zip(takes, spoken, strict=True):
        gaps = sorted(sorted(pauses(stretches), key=lambda gap: -gap.seconds)[: count - 1], key=lambda gap: gap.start)
        cuts = [0.0, *((gap.start + gap.stop) / 2 for gap in gaps), take.seconds]
        found.append([Stretch(start, stop) for start, stop in itertools.pairwise(cuts)])
    return found


def check(takes: Sequence[Take]) -> None:
    """Refuse takes that do not belong together. Raises as ``phrases``."""
    if len(takes) < 2:
        raise JoinError("Select two or more takes of the same text to join.")
    if any(take.is_growing or take.is_unread or not len(take.samples) for take in takes):
        raise JoinError("One of these takes has no sound yet. Wait until it is there.")
    first = takes[0]
    for take in takes[1:]:
        if " ".join(take.job.text.split()) != " ".join(first.job.text.split()):
            raise JoinError("These takes say different texts. Select takes of the same text.")
        if take.sample_rate != first.sample_rate or take.latents.shape[1:] != first.latents.shape[1:]:
            raise JoinError("These takes come from models with different sample rates.")
        # What is made from a person's voice is encrypted with the key of that voice, and goes with it.
        if take.job.voice != first.job.voice:
            raise JoinError("These takes were made from different voices. Select takes of one voice.")


def join(takes: Sequence[Take], choice: Sequence[int]) -> Take:
    """Return a new take that says phrase after phrase as the take of that number in ``choice`` does.

    Raises:
        JoinError: see ``phrases``.
        ValueError: ``choice`` does not fit the phrases.
    """
    cut = phrases(takes)
    if len(choice) != len(cut[0]) or not all(0 <= number < len(takes) for number in choice):
        raise ValueError(f"there are {len(cut[0])} phrases of {len(takes)} takes")
    pieces = [(takes[number], cut[number][place]) for place, number in enumerate(choice)]
    first = takes[choice[0]]
    samples, latents = _sound(pieces), [_frames(take, stretch) for take, stretch in pieces]
    parts = tuple(part for take, stretch in pieces for part in _origin(take, stretch))
    joined = Take(
        take_id=0,
        number=0,
        row=0,
        job=replace(first.job, job_id=0, takes=1),
        model=first.model,
        sample_rate=first.sample_rate,
        frame_rate=first.frame_rate,
        patch_size=first.patch_size,
        state=TakeState.DONE,
        final_text=first.final_text,
        end="joined",
        joined=_merged(parts),
    )
    joined.fill(samples, np.concatenate(latents), None, first.job.voice)
    joined.patches = -(-len(joined.latents) // max(1, first.patch_size))
    return joined


def _sound(pieces: Sequence[tuple[Take, Stretch]]) -> np.ndarray:
    """The pieces one after the other, float32 [n]; neighbours of one take are not cut at all."""
    made: list[np.ndarray] = []
    for place, (take, stretch) in enumerate(pieces):
        rate = take.sample_rate
        part = np.array(take.samples[round(stretch.start * rate) : round(stretch.stop * rate)], np.float32)
        fade = np.linspace(0, 1, min(round(_FADE_SECONDS * rate), len(part)), dtype=np.float32)
        if len(fade) and place > 0 and pieces[place - 1][0] is not take:
            part[: len(fade)] *= fade
        if len(fade) and place + 1 < len(pieces) and pieces[place + 1][0] is not take:
            part[-len(fade) :] *= fade[::-1]
        made.append(part)
    return np.concatenate(made)


def _frames(take: Take, stretch: Stretch) -> np.ndarray:
    return take.latents[round(stretch.start * take.frame_rate) : round(stretch.stop * take.frame_rate)]


def _origin(take: Take, stretch: Stretch) -> list[JoinedPiece]:
    """Where the stretch comes from; of a take that was joined itself, from those that made the sound."""
    if not take.joined:
        return [JoinedPiece(take.uid, round(stretch.start, 4), round(stretch.stop, 4))]
    found, at = [], 0.0
    for piece in take.joined:
        length = piece.stop - piece.start
        start, stop = max(stretch.start, at), min(stretch.stop, at + length)
        if stop > start:
            offset = piece.start - at
            found.append(JoinedPiece(piece.uid, round(start + offset, 4), round(stop + offset, 4)))
        at += length
    return found


def _merged(parts: Sequence[JoinedPiece]) -> tuple[JoinedPiece, ...]:
    """Pieces that follow each other in one take are one."""
    merged: list[JoinedPiece] = []
    for part in parts:
        if merged and merged[-1].uid == part.uid and abs(merged[-1].stop - part.start) < 1e-3:
            merged[-1] = JoinedPiece(part.uid, merged[-1].start, part.stop)
        else:
            merged.append(part)
    return tuple(merged)

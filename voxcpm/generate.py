"""The autoregressive loop for a batch: prefill, then patch after patch, each decoded to sound at once.

Rows of any lengths run together; a row that has ended leaves the batch. All that changes lives in local state, so a
generator that is dropped half way leaves nothing behind.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import torch
from torch import Tensor

from voxcpm.flow.solver import SamplerPlan
from voxcpm.model import DecodeState, PrefixState, Stopwatch, VoxCPMModel
from voxcpm.noise import Draw
from voxcpm.sequence import PackedSequence
from voxcpm.vae.audio_vae import AudioVAE
from voxcpm.vae.decoder import DecoderState


@dataclass(frozen=True)
class Row:
    """One row of a batch."""

    sequence: PackedSequence
    prefix: PrefixState | None
    """Filled caches of the sequence's first positions, shared and never changed."""
    context: Tensor | None
    """Prompt patches [n, P, D] that the decoder hears first, so that there is no jump at the join."""
    draw: Draw
    min_patches: int
    max_patches: int


@dataclass(frozen=True)
class PatchEvent:
    """One patch of one row."""

    row: int
    index: int
    patch: Tensor
    """float32 [P, D] on the CPU."""
    samples: Tensor
    """float32 [n] on the CPU."""
    stop_logits: Tensor
    """float32 [2]."""
    condition: Tensor
    """float32 [C], what LocDiT was given."""
    seconds: float
    end: str | None
    """Why the row ends with this patch: ``stopped``, ``limit``; None if it goes on."""


@dataclass(frozen=True)
class EndEvent:
    """A row that ends without a further patch: ``cancelled``, or ``noise`` when recorded noise ran out."""

    row: int
    end: str


Event = PatchEvent | EndEvent


class Loop:
    """Runs batches on one model. ``lock`` is held while the model computes and never across a yield."""

    def __init__(
        self, model: VoxCPMModel, vae: AudioVAE, lock: AbstractContextManager[object], *, whole_cache: bool = False
    ) -> None:
        self.model, self.vae, self.lock, self.whole_cache = model, vae, lock, whole_cache

    @torch.inference_mode()
    def start(self, rows: Sequence[Row]) -> tuple[DecodeState, DecoderState]:
        """Prefill every row (equal sequences once) and warm the decoder on the prompts' ends."""
        prefilled: dict[int, DecodeState] = {}
        for row in rows:
            if id(row.sequence) not in prefilled:
                prefilled[id(row.sequence)] = self.model.prefill(row.sequence, row.prefix, whole=self.whole_cache)
        if self.whole_cache:
            state = prefilled[id(rows[0].sequence)]
        else:
            room = min(max(r.max_patches for r in rows), 128)
            state = DecodeState.join([prefilled[id(r.sequence)] for r in rows], room)
        decoders = []
        for row in rows:
            decoder = DecoderState()
            if row.context is not None and row.context.shape[0]:
                _, decoder = self.vae.decode_stream(frames_of(row.context[None]).to(self.model.device), decoder)
            decoders.append(decoder)
        return state, DecoderState.join(decoders)

    def run(
        self, rows: Sequence[Row], plan: SamplerPlan, cancelled: Callable[[], bool], watch: Stopwatch
    ) -> Iterator[Event]:
        """Yield a :class:`PatchEvent` per row and patch, and an :class:`EndEvent` for rows that end without one."""
        if self.whole_cache and len(rows) != 1:
            raise ValueError("the plain way runs one row at a time")
        active = list(range(len(rows)))
        began = time.perf_counter()
        with self.lock, watch.part("prefill"):
            state, decoder = self.start(rows)
        index = 0
        while active:
            if cancelled():
                yield from (EndEvent(row, "cancelled") for row in active)
                return
            noise = [rows[row].draw() for row in active]
            ended = [position for position, value in enumerate(noise) if value is None]
            if ended:
                yield from (EndEvent(active[position], "noise") for position in ended)
                active, state, decoder = self._keep(active, state, decoder, set(ended))
                noise = [value for value in noise if value is not None]
                if not active:
                    return
            with self.lock, torch.inference_mode():
                step = self.model.sample(state, torch.stack([n for n in noise if n is not None]), plan, watch)
                patch = step.patch.float()
                with watch.part("vae"):
                    samples, decoder = self.vae.decode_stream(frames_of(patch[:, None]), decoder)
                patch, samples = patch.cpu(), samples.cpu()
                logits, condition = step.stop_logits.float().cpu(), step.condition.float().cpu()
            seconds = time.perf_counter() - began
            ends = [self._end(rows[row], index, logits[position]) for position, row in enumerate(active)]
            for position, row in enumerate(active):
                yield PatchEvent(
                    row,
                    index,
                    patch[position],
                    samples[position],
                    logits[position],
                    condition[position],
                    seconds,
                    ends[position],
                )
            gone = {position for position, end in enumerate(ends) if end is not None}
            if len(gone) == len(active):
                return
            began = time.perf_counter()
            newest = step.patch
            if gone:
                kept = torch.tensor([p for p in range(len(active)) if p not in gone], device=newest.device)
                newest = newest[kept]
                active, state, decoder = self._keep(active, state, decoder, gone)
            with self.lock, torch.inference_mode():
                self.model.advance(state, newest, watch)
            index += 1

    @staticmethod
    def _end(row: Row, index: int, stop_logits: Tensor) -> str | None:
        # The reference looks at the stop head only after min_patches, and keeps the patch at which it fires.
        if index > row.min_patches and bool(stop_logits[1] > stop_logits[0]):
            return "stopped"
        return "limit" if index + 1 >= row.max_patches else None

    def _keep(
        self, active: list[int], state: DecodeState, decoder: DecoderState, gone: set[int]
    ) -> tuple[list[int], DecodeState, DecoderState]:
        kept = [position for position in range(len(active)) if position not in gone]
        if not kept:
            return [], state, decoder
        index = torch.tensor(kept, device=self.model.device)
        with torch.inference_mode():
            return [active[p] for p in kept], state.select(index), decoder.select(index)


def frames_of(patches: Tensor) -> Tensor:
    """[B, n, P, D] -> [B, D, n * P]."""
    return patches.float().flatten(1, 2).transpose(1, 2)

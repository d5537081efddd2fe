"""Gathers the events of one row into chunks and a result."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import torch

from voxcpm.generate import Event, PatchEvent
from voxcpm.model import Stopwatch
from voxcpm.planning import LaidOut
from voxcpm.request import retry_seed
from voxcpm.result import FLAG_CANCELLED, FLAG_CONTEXT, FLAG_NOISE, FLAG_TOO_LONG, AudioChunk, BatchRow, Result

if TYPE_CHECKING:
    from voxcpm.adapters import Adapter
    from voxcpm.info import ModelInfo


class TakeBuilder:
    """One row's audio, latents and timings, in order."""

    def __init__(
        self,
        item: LaidOut,
        info: ModelInfo,
        row: int,
        batch: tuple[BatchRow, ...],
        attempt: int,
        began: float,
        watch: Stopwatch,
        adapter: Adapter | None = None,
    ) -> None:
        self.item, self.info, self.row, self.batch, self.attempt = item, info, row, batch, attempt
        self.began, self.watch, self.adapter = began, watch, adapter
        self.samples: list[np.ndarray] = []
        self.latents: list[np.ndarray] = []
        self.stop: list[float] = []
        self.seconds: list[float] = []
        self.first_audio = float("nan")
        self.last_packet = float("nan")

    def add(self, event: Event) -> AudioChunk:
        """Take in an event and turn it into a chunk; the row's last chunk carries the result."""
        now = time.perf_counter() - self.began
        if isinstance(event, PatchEvent):
            samples, latents = event.samples.numpy(), event.patch.numpy()
            self.samples.append(samples)
            self.latents.append(latents)
            self.stop.append(float(torch.softmax(event.stop_logits, 0)[1]))
            self.seconds.append(event.seconds)
            if len(self.samples) == 1:
                self.first_audio = now
            self.last_packet = now
            end, patch = event.end, event.index
        else:
            samples = np.zeros(0, np.float32)
            latents = np.zeros((0, self.info.latent_dim), np.float32)
            end, patch = event.end, len(self.samples)
        result = self._result(end, now) if end is not None else None
        return AudioChunk(
            self.row,
            patch,
            samples,
            self.info.output_rate,
            latents,
            self.stop[-1] if self.stop else 0.0,
            self.seconds[-1] if self.seconds else 0.0,
            self.item.expected,
            self.attempt,
            self.item.is_bad(len(self.samples)),
            result,
        )

    def _result(self, end: str, now: float) -> Result:
        request, patches = self.item.request, len(self.samples)
        flags = []
        if end == "limit":
            end = self.item.limit
        if end == "noise":
            end = "max_patches"
            flags.append(FLAG_NOISE)
        if end == "context_full":
            flags.append(FLAG_CONTEXT)
        if end == "cancelled":
            flags.append(FLAG_CANCELLED)
        elif self.item.is_bad(patches):
            flags.append(FLAG_TOO_LONG)
        empty = np.zeros((0, self.info.latent_dim), np.float32)
        consent = [request.voice.consent_id] if request.voice is not None else []
        consent += self.adapter.weights.consent_ids if self.adapter is not None else ()
        return Result(
            samples=np.concatenate(self.samples) if self.samples else np.zeros(0, np.float32),
            sample_rate=self.info.output_rate,
            latents=np.concatenate(self.latents) if self.latents else empty,
            patches=patches,
            mode=request.mode,
            text=self.item.text,
            seed=retry_seed(self.item.seed, self.attempt),
            first_seed=self.item.seed,
            steps=request.steps,
            cfg=self.item.cfg,
            temperature=self.item.temperature,
            end=end,
            flags=tuple(flags),
            stop_probabilities=np.array(self.stop, np.float32),
            patch_seconds=np.array(self.seconds, np.float32),
            attempts=1,
            retry_helped=None,
            next_seed=retry_seed(self.item.seed, self.attempt + 1),
            time_to_first_audio=self.first_audio,
            total_seconds=now,
            last_packet_seconds=self.last_packet,
            part_seconds=dict(self.watch.seconds),
            batch=self.batch,
            row=self.row,
            model=self.info.fingerprint,
            device=self.info.device,
            dtype=self.info.dtype,
            consent_id=", ".join(dict.fromkeys(consent)) or None,
            lora=self.adapter.key if self.adapter is not None else None,
        )

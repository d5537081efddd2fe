"""Rules for ``generate.safetensors``: whole requests, from text and audio files to the waveform.

Everything is made by our own way of doing it; where the recorded behaviour is another (marked as wrong in the data's
notes, or a detail of the older streaming), the recorded composition is put together here from our patches.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from tests.parity.folder import Rule, Vectors
from tests.parity.vae import stream_decode, window_decode
from voxcpm.consent import ConsentRecord
from voxcpm.flow.solver import plan_sampler
from voxcpm.generate import PatchEvent, Row
from voxcpm.model import Stopwatch
from voxcpm.noise import RecordedNoise
from voxcpm.pipeline import VoxCPM
from voxcpm.planning import LaidOut
from voxcpm.request import Request
from voxcpm.result import Result
from voxcpm.voice import Voice

FILE = "generate.safetensors"
CONSENT = ConsentRecord("parity-data", frozenset({"generate"}))  # synthetic signals, nobody's voice


@torch.inference_mode()
def check(vectors: Vectors) -> None:
    """Compare the whole file, and the recorded scalars of every case."""
    tensors = vectors.tensors(FILE)
    if not tensors:
        return
    entries = vectors.entries(FILE)
    cases = dict(vectors.manifest.get("generate_cases", {}))
    if "core" in vectors.manifest:
        cases["core"] = core_case(vectors.manifest["core"])
    runs = {name: CaseRun(vectors, name, case, tensors) for name, case in cases.items()}
    for key in sorted(set(tensors) | set(entries)):
        name, _, part = key.rpartition(".")
        if name in runs:
            vectors.one(FILE, key, tensors, entries, [(rf"{name}\.{part}", runs[name].rule(part))])
        else:
            vectors.report.leave_out(f"{vectors.name}/{FILE}:{key}", "no case of this name in the manifest")
    for run in runs.values():
        run.check_scalars()


def core_case(core: dict[str, Any]) -> dict[str, Any]:
    """The case at the level of the published interface, as a case like the others."""
    given = {**core.get("default_kwargs", {}), **core.get("kwargs", {})}
    return {**given, "text": core["text"], "mode": "zero_shot", "text_seen_by_model": core["text_seen_by_model"]}


@dataclass
class CaseRun:
    """One recorded case and our run of it."""

    vectors: Vectors
    name: str
    case: dict[str, Any]
    tensors: dict[str, Tensor]

    @property
    def engine(self) -> VoxCPM:
        return self.vectors.engine

    def tensor(self, part: str) -> Tensor:
        return self.tensors[f"{self.name}.{part}"]

    @cached_property
    def voice(self) -> Voice | None:
        """Encoded from the audio files that the case names."""
        files = {
            part: self.vectors.audio(self.case[key])
            for part, key in (("reference", "ref"), ("prompt", "prompt"))
            if self.case.get(key)
        }
        if not files:
            return None
        return self.engine.encode_voice(
            **files, transcript=self.case.get("prompt_text"), consent=CONSENT, min_seconds=0.0
        )

    @cached_property
    def request(self) -> Request:
        """The case as a request; recorded noise if there is any, else its seed."""
        case = self.case
        noise = RecordedNoise(self.tensor("noise")) if f"{self.name}.noise" in self.tensors else None
        return Request(
            case["text"],
            voice=self.voice,
            seed=case["seed"],
            steps=case["inference_timesteps"],
            cfg=case["cfg_value"],
            min_patches=case["min_len"],
            max_patches=case["max_len"],
            retries=case.get("retry_badcase_max_times", 3) if case.get("retry_badcase") else 1,
            retry_ratio=case.get("retry_badcase_ratio_threshold", 6.0),
            noise=noise,
        )

    @cached_property
    def laid(self) -> LaidOut:
        return self.engine._lay_out(self.request)

    @cached_property
    def attempts(self) -> list[list[PatchEvent]]:
        """The patches of every attempt, made by the loop itself so that its inside can be seen."""
        engine, laid, request = self.engine, self.laid, self.request
        plan = plan_sampler(engine.model.feat_decoder.estimator, request.steps, request.cfg, guide_always=engine.plain)
        noise = request.noise or RecordedNoise(self.seeded_noise(laid.max_patches))
        done: list[list[PatchEvent]] = []
        while True:
            draw = noise.start(len(done), sum(map(len, done)), engine.config.patch_size, engine.config.feat_dim)
            adapter = engine._adapters.current
            row = Row(
                laid.sequence,
                engine.prefix_of(laid, adapter),
                laid.context,
                draw,
                request.min_patches,
                laid.max_patches,
            )
            done.append(list(engine._loop(adapter).run([row], plan, lambda: False, Stopwatch())))  # type: ignore[arg-type]
            if not laid.is_bad(len(done[-1])) or len(done) >= max(1, request.retries):
                return done

    @cached_property
    def result(self) -> Result:
        """The same through the public interface."""
        return self.engine.generate(self.request)

    def seeded_noise(self, steps: int) -> Tensor:
        """One draw a step from the case's seed; every attempt begins again with the seed plus its number."""
        config = self.engine.config
        attempts = self.case.get("attempts", 1)
        draws = []
        for attempt in range(attempts):
            generator = torch.Generator().manual_seed(self.case["seed"] + attempt)
            draws += [
                torch.randn((1, config.feat_dim, config.patch_size), generator=generator)
                for _ in range(steps // attempts)
            ]
        return torch.stack(draws)

    @cached_property
    def patches(self) -> Tensor:
        """Ours: [n, P, D] of the attempt that is kept."""
        return torch.stack([event.patch for event in self.attempts[-1]])

    @cached_property
    def recorded_context(self) -> Tensor:
        """The patches that the reference puts in front: the last audio positions, whatever segment they are of."""
        if self.voice is None or self.voice.prompt is None:
            return self.patches[:0]
        return self.laid.sequence.feats[self.laid.sequence.audio_mask][-self.engine.config.context_patches :]

    @cached_property
    def latents(self) -> Tensor:
        """[1, D, frames] with the recorded context in front."""
        return frames(torch.cat((self.recorded_context, self.patches)))

    def rule(self, part: str) -> Rule:
        """How to make the tensor of a key."""
        return lambda _: self.make(part)

    def make(self, part: str) -> Tensor:
        """The tensor of one key."""
        sequence, events = self.laid.sequence, [event for attempt in self.attempts for event in attempt]
        simple = {
            "text_token": lambda: sequence.tokens[None],
            "text_mask": lambda: sequence.text_mask[None].int(),
            "audio_feat": lambda: sequence.feats[None],
            "audio_mask": lambda: sequence.audio_mask[None].int(),
            "noise": lambda: self.seeded_noise(len(self.tensor("noise"))),
            "target_text_token": lambda: torch.tensor(self.engine.tokenizer.encode(self.laid.target_text)),
            "stop_logits": lambda: torch.stack([event.stop_logits for event in events]),
            "lm_mu": lambda: torch.stack([event.condition for event in events]),
            "lm_cond": self.previous,
            "feat_pred": lambda: self.latents,
            "generated_feat": self.returned_patches,
            "stream_latents": lambda: frames(self.patches),
            "wave": self.wave,
            "wave_direct": lambda: self.engine.vae.decode(self.latents),
            "stream_wave": self.stream_wave,
        }
        if part not in simple:
            raise KeyError(f"no rule for {part}")
        return simple[part]()

    def previous(self) -> Tensor:
        """[steps, D, P]: before every patch the one before it, and the sequence's last position at the start."""
        start = self.laid.sequence.feats[-1:]
        return torch.cat(
            [torch.cat((start, torch.stack([e.patch for e in attempt])[:-1])) for attempt in self.attempts]
        ).transpose(1, 2)

    def returned_patches(self) -> Tensor:
        """The older generations leave the context in front."""
        return self.patches if self.engine.config.takes_reference else torch.cat((self.recorded_context, self.patches))

    def wave(self) -> Tensor:
        """Decoded with the recorded context, of which the older generations cut two patches whatever its length."""
        context = len(self.recorded_context)
        cut = context if self.engine.config.takes_reference or not context else 2
        wave = self.engine.vae.decode(self.latents)[:, cut * self.patch_samples :]
        ours = torch.from_numpy(self.result.samples)[None]
        if cut == context and torch.equal(self.recorded_context, self.own_context):
            wave = ours  # where nothing was marked as wrong, the public result itself is compared
        return wave[0] if self.name == "core" else wave

    @property
    def own_context(self) -> Tensor:
        return self.laid.context if self.laid.context is not None else self.patches[:0]

    @property
    def patch_samples(self) -> int:
        return self.engine.config.patch_size * self.engine.vae.config.output_hop

    def stream_wave(self) -> Tensor:
        """As recorded: VoxCPM2 streams from a cold decoder, the older ones decode a sliding window again."""
        if self.engine.config.takes_reference:
            return stream_decode(self.engine.vae, frames(self.patches), self.engine.config.patch_size)
        return window_decode(
            self.engine.vae, self.latents, self.engine.config.patch_size, skip=len(self.recorded_context)
        )

    def check_scalars(self) -> None:
        """Numbers that the manifest records beside the tensors."""
        report, prefix = self.vectors.report, f"{self.vectors.name}/manifest:{self.name}"
        try:
            self._check_scalars(prefix)
        except Exception as error:
            report.settle(prefix, f"{type(error).__name__}: {error}")

    def _check_scalars(self, prefix: str) -> None:
        report, case = self.vectors.report, self.case
        if "text_seen_by_model" in case:
            report.equal(f"{prefix}.text_seen_by_model", self.laid.target_text, case["text_seen_by_model"])
        if "patches_returned" in case:
            report.equal(f"{prefix}.patches_returned", len(self.returned_patches()), case["patches_returned"])
        if "max_len_passed" in case:
            report.equal(f"{prefix}.max_len_passed", self.laid.max_patches, case["max_len_passed"])
        if "attempts" in case:
            report.equal(f"{prefix}.attempts", self.result.attempts, case["attempts"])
        if "stop_argmax" in case:
            ours = [int(event.stop_logits.argmax()) for attempt in self.attempts for event in attempt]
            report.equal(f"{prefix}.stop_argmax", ours, case["stop_argmax"])
        if "stream_chunk_samples" in case:
            chunks = [len(c.samples) for c in self.engine.stream(replace(self.request, retries=1)) if len(c.samples)]
            report.equal(f"{prefix}.stream_chunk_samples", chunks, case["stream_chunk_samples"])


def frames(patches: Tensor) -> Tensor:
    """[n, P, D] -> [1, D, n * P]."""
    return patches.flatten(0, 1).T[None]

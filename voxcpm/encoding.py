"""Encoding voices: the one door that demands consent, and the key-value prefix that a voice fills."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor

from voxcpm import audio, text
from voxcpm.adapters import Adapter, AdapterHost
from voxcpm.config import VoxCPMConfig
from voxcpm.consent import GENERATE, ConsentRecord
from voxcpm.errors import AudioError, RequestError
from voxcpm.info import ModelInfo
from voxcpm.model import PrefixState, VoxCPMModel
from voxcpm.request import generation
from voxcpm.sequence import PackedSequence, inference_segments, pack
from voxcpm.vae.audio_vae import AudioVAE
from voxcpm.voice import PrefixCache, Voice, to_device


class Tokenizer(Protocol):
    """What is needed of a tokenizer."""

    def encode(self, text: str) -> list[int]:
        """Token ids without special ones."""

    def unknown(self, text: str) -> str:
        """Characters that no token stands for."""


class VoiceEncoder:
    """Turns audio into voices on one loaded model."""

    def __init__(
        self,
        config: VoxCPMConfig,
        model: VoxCPMModel,
        vae: AudioVAE,
        tokenizer: Tokenizer,
        info: ModelInfo,
        adapters: AdapterHost,
        lock: threading.Lock,
        cache: PrefixCache,
    ) -> None:
        """``lock`` is held while the model computes."""
        self.config, self.model, self.vae, self.tokenizer, self.info = config, model, vae, tokenizer, info
        self._adapters, self._lock, self._cache = adapters, lock, cache

    def encode_voice(
        self,
        *,
        reference: audio.AudioSource | audio.Recording | None = None,
        prompt: audio.AudioSource | audio.Recording | None = None,
        transcript: str | None = None,
        consent: ConsentRecord,
        min_seconds: float = audio.MIN_SECONDS,
        max_seconds: float = audio.MAX_SECONDS,
    ) -> Voice:
        """Encode a reference (timbre), a prompt with its exact transcript (to be continued), or both.

        ``consent`` must be a valid record for the purpose ``generate``; it is checked first, and again at every use
        (:class:`ConsentError`). Unusable audio raises :class:`AudioError`, a wrong combination :class:`RequestError`.
        A reference longer than ``max_seconds`` is cut at a quiet place; a prompt is refused, since its transcript
        would no longer match.
        """
        if not isinstance(consent, ConsentRecord):
            raise RequestError("consent", "a consent record is required to use a person's voice")
        consent.check(GENERATE)
        check_parts(self.config, reference, prompt, transcript)
        findings: list[str] = []
        encoded: dict[str, Tensor | None] = {"reference": None, "prompt": None}
        for part, source in (("reference", reference), ("prompt", prompt)):
            if source is None:
                continue
            # The source itself and not a recording: no more than max_seconds of a long file is ever read.
            prepared = audio.prepare_reference(
                source, self.info.encode_rate, min_seconds=min_seconds, max_seconds=max_seconds
            )
            if part == "prompt" and prepared.transcript_stale:
                raise AudioError(
                    "prompt_too_long",
                    f"the prompt is longer than {max_seconds:g} s, and a cut prompt no "
                    "longer matches its transcript; trim the audio and give the transcript of what is left",
                )
            findings += [f"{part}: {finding.message}" for finding in prepared.findings]
            encoded[part] = self.encode_audio(torch.from_numpy(prepared.samples), pad_left=part == "prompt")
        return Voice(
            encoded["reference"],
            encoded["prompt"],
            transcript or "",
            self.info.fingerprint,
            consent,
            self.info.patch_seconds,
            tuple(findings),
        )

    @torch.inference_mode()
    def encode_audio(self, samples: Tensor, *, pad_left: bool) -> Tensor:
        """Samples float32 [n] at the encode rate -> latent patches float32 [patches, P, D] on the CPU.

        Prompts are padded with zeros on the left to a whole patch (so that they end on their last sound), references
        on the right.
        """
        with self._lock:
            moved = samples.to(self.model.device)
            patches = self.vae.encode_patches(moved, self.config.patch_size, pad_left=pad_left).cpu()
        # A plain copy: a tensor born in inference mode could not be used for training afterwards.
        return torch.empty(patches.shape).copy_(patches)

    def prefix_segments(self, voice: Voice) -> tuple[list[int], PackedSequence]:
        """The start of every sequence that uses ``voice``: transcript ids (all but the last, which may merge with what
        follows) and the packed positions."""
        transcript = self.tokenizer.encode(voice.transcript)[:-1] if voice.prompt is not None else []
        segments = inference_segments(transcript, voice.reference, None)
        packed = pack(segments, self.config.patch_size, self.config.feat_dim)
        return transcript, packed.part(0, packed.length - 1)  # without the audio-start id

    def voice_prefix(self, voice: Voice, adapter: Adapter | None = None) -> PrefixState:
        """The filled key-value prefix of a voice, from the cache, from its file, or computed now.

        It is another one with an adapter; a voice's file holds that of the base model.
        """

        def make() -> PrefixState:
            _, packed = self.prefix_segments(voice)
            if adapter is None and voice.prefix is not None and voice.prefix.length == packed.length:
                return to_device(voice.prefix, self.model.device, self.model.dtype)
            with self._adapters.using(adapter), torch.inference_mode():
                prefix = self.model.empty_prefix(packed.length)
                if packed.length:
                    self.model.extend_prefix(prefix, packed)
                return PrefixState(prefix.lm_cache.trimmed(packed.length), prefix.residual_cache.trimmed(packed.length))

        return self._cache.get(voice.key if adapter is None else f"{voice.key}/{adapter.key}", make)

    def prefix_for(self, voice: Voice, text_ids: Sequence[int], adapter: Adapter | None) -> PrefixState | None:
        """As much of the voice's prefix as a sequence with ``text_ids`` begins with; None if that is nothing."""
        prefix = self.voice_prefix(voice, adapter)
        transcript, _ = self.prefix_segments(voice)
        common = 0
        for ours, wanted in zip(transcript, text_ids, strict=False):
            if ours != wanted:
                break
            common += 1
        length = prefix.length - len(transcript) + common
        if length <= 0:
            return None
        return (
            prefix
            if length == prefix.length
            else PrefixState(prefix.lm_cache.trimmed(length), prefix.residual_cache.trimmed(length))
        )


def check_parts(
    config: VoxCPMConfig,
    reference: audio.AudioSource | audio.Recording | None,
    prompt: audio.AudioSource | audio.Recording | None,
    transcript: str | None,
) -> None:
    """Raise :class:`RequestError` unless the parts of a voice belong together and the model takes them."""
    if reference is None and prompt is None:
        raise RequestError("reference", "no audio was given; give a reference, or a prompt with its transcript")
    if reference is not None and not config.takes_reference:
        raise RequestError(
            "reference",
            f"{generation(config)} does not take a reference; give the audio as a "
            "prompt with its transcript instead, or load VoxCPM2",
        )
    if prompt is not None and (not isinstance(transcript, str) or not transcript.strip()):
        raise RequestError("transcript", "a prompt needs its exact transcript; write down what is said in it")
    if prompt is not None:
        text.check_speakable(transcript, "transcript")
    if prompt is None and transcript:
        raise RequestError(
            "transcript",
            "a transcript belongs to a prompt, and no prompt was given; leave it out, or give the audio as a prompt",
        )

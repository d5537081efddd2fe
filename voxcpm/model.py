"""The whole model: prefill of a sequence, then patch by patch. Nothing that changes is kept on the module.

Module names are the checkpoint's: ``base_lm`` is the TSLM (text-semantic language model), ``residual_lm`` the RALM
(residual acoustic language model), ``feat_encoder`` LocEnc, ``feat_decoder.estimator`` LocDiT.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from voxcpm.config import VoxCPMConfig
from voxcpm.flow.solver import SamplerPlan, sample_patch
from voxcpm.modules.fsq import ScalarQuantizer
from voxcpm.modules.kv_cache import KVCache
from voxcpm.modules.locdit import LocDiT
from voxcpm.modules.locenc import LocEnc
from voxcpm.modules.minicpm4 import MiniCPM4
from voxcpm.sequence import PackedSequence


@dataclass
class Stopwatch:
    """Seconds spent per part (``lm``, ``locdit``, ``locenc``, ``vae``), for benchmarks and result timings."""

    seconds: dict[str, float] = field(default_factory=dict)
    synchronize: bool = False
    """Wait for the GPU at every part's end. Without it work is noted where it is waited for, which costs nothing."""

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Add the time of a block to ``name``."""
        start = time.perf_counter()
        try:
            yield
        finally:
            if self.synchronize:
                torch.cuda.synchronize()
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start


@dataclass
class PrefixState:
    """Filled caches of a sequence's first positions (single row), reusable by every request that starts the same."""

    lm_cache: KVCache
    residual_cache: KVCache

    @property
    def length(self) -> int:
        """Positions filled."""
        return self.lm_cache.used

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self.lm_cache.nbytes + self.residual_cache.nbytes


@dataclass
class DecodeState:
    """Everything that changes while a batch is generated."""

    lm_cache: KVCache
    residual_cache: KVCache
    lm_hidden: Tensor
    """[B, H] of the newest position; quantised if that was audio."""
    residual_hidden: Tensor
    """[B, H]."""
    previous: Tensor
    """[B, P, D], the previous patch; zeros at the start unless a prompt precedes."""

    @property
    def rows(self) -> int:
        """Batch size."""
        return self.lm_hidden.shape[0]

    def select(self, rows: Tensor) -> DecodeState:
        """The state of some rows only (those still running)."""
        return DecodeState(
            self.lm_cache.select(rows),
            self.residual_cache.select(rows),
            self.lm_hidden[rows],
            self.residual_hidden[rows],
            self.previous[rows],
        )

    @classmethod
    def join(cls, states: list[DecodeState], extra: int) -> DecodeState:
        """One batch from single-row states of any lengths, with room for ``extra`` more positions."""
        return cls(
            KVCache.join([s.lm_cache for s in states], extra),
            KVCache.join([s.residual_cache for s in states], extra),
            torch.cat([s.lm_hidden for s in states]),
            torch.cat([s.residual_hidden for s in states]),
            torch.cat([s.previous for s in states]),
        )


@dataclass(frozen=True)
class Step:
    """One new patch per row."""

    patch: Tensor
    """[B, P, D]."""
    stop_logits: Tensor
    """[B, 2], class 1 = stop, read from the hidden state that produced this patch."""
    condition: Tensor
    """[B, C], what LocDiT was given."""


class CFM(nn.Module):
    """Holder of the velocity network under its checkpoint name ``feat_decoder.estimator``."""

    def __init__(self, config: VoxCPMConfig) -> None:
        super().__init__()
        self.estimator = LocDiT(config)


class VoxCPMModel(nn.Module):
    """Parameters and the stateless steps on them."""

    def __init__(self, config: VoxCPMConfig) -> None:
        super().__init__()
        lm = config.lm_config
        size, dit_size = lm.hidden_size, config.dit_config.hidden_dim
        self.config = config
        self.base_lm = MiniCPM4(lm, config.max_length)
        self.residual_lm = MiniCPM4(config.residual_lm_config, config.max_length)
        self.feat_encoder = LocEnc(config)
        self.feat_decoder = CFM(config)
        self.fsq_layer = ScalarQuantizer(size, config.scalar_quantization_latent_dim, config.scalar_quantization_scale)
        self.enc_to_lm_proj = nn.Linear(config.encoder_config.hidden_dim, size)
        self.lm_to_dit_proj = nn.Linear(size, dit_size)
        self.res_to_dit_proj = nn.Linear(size, dit_size)
        if config.fuse_residual_input:
            self.fusion_concat_proj = nn.Linear(2 * size, size)
        self.stop_proj = nn.Linear(size, size)
        self.stop_head = nn.Linear(size, 2, bias=False)

    @property
    def device(self) -> torch.device:
        """Where the parameters are."""
        return self.stop_proj.bias.device

    @property
    def dtype(self) -> torch.dtype:
        """Dtype of the parameters."""
        return self.stop_proj.bias.dtype

    def prepare(self) -> None:
        """Fill the rotary tables of all stacks once parameters are in place."""
        for module in self.modules():
            if isinstance(module, MiniCPM4):
                module.prepare(self.device, self.dtype)

    def empty_prefix(self, slots: int, *, whole: bool = False) -> PrefixState:
        """Empty caches for one row."""
        caches = [
            KVCache.empty(stack.config, 1, slots, device=self.device, dtype=self.dtype, whole=whole)
            for stack in (self.base_lm, self.residual_lm)
        ]
        return PrefixState(*caches)

    def encode_patches(self, patches: Tensor) -> Tensor:
        """[B, T, P, D] -> audio embeddings [B, T, H]."""
        return self.enc_to_lm_proj(self.feat_encoder(patches.to(self.device, self.dtype)))

    def extend_prefix(self, prefix: PrefixState, sequence: PackedSequence) -> tuple[Tensor, Tensor]:
        """Run more positions of one row through both language models; the caches grow.

        Returns the last hidden states (TSLM, RALM), each [1, H]. Text positions skip LocEnc and FSQ: the published
        code runs them and multiplies the result by zero.
        """
        audio_mask = sequence.audio_mask.to(self.device)
        embeddings = self.base_lm.embed(sequence.tokens.to(self.device))[None]
        audio = torch.zeros_like(embeddings)
        if bool(sequence.audio_mask.any()):
            audio[0, audio_mask] = self.encode_patches(sequence.feats[sequence.audio_mask][None])[0]
            embeddings = torch.where(audio_mask[None, :, None], audio, embeddings)
        hidden = self.base_lm.extend(embeddings, prefix.lm_cache)
        if bool(sequence.audio_mask.any()):
            hidden = torch.where(audio_mask[None, :, None], self.fsq_layer(hidden), hidden)
        residual = self.residual_lm.extend(self.residual_input(hidden, audio), prefix.residual_cache)
        return hidden[:, -1], residual[:, -1]

    def residual_input(self, hidden: Tensor, audio: Tensor) -> Tensor:
        """TSLM output and audio embedding [..., H] each -> RALM input [..., H]."""
        if self.config.fuse_residual_input:
            return self.fusion_concat_proj(torch.cat((hidden, audio), dim=-1))
        return hidden + audio

    def prefill(
        self, sequence: PackedSequence, prefix: PrefixState | None = None, *, whole: bool = False
    ) -> DecodeState:
        """Read a sequence (one row) and be ready for the first patch.

        ``prefix`` holds its first positions already; it is copied, never changed. ``whole`` allocates the full
        context and attends over all of it (the plain way).
        """
        if prefix is None:
            state = self.empty_prefix(self.config.max_length if whole else sequence.length, whole=whole)
        else:
            state = PrefixState(prefix.lm_cache.trimmed(prefix.length), prefix.residual_cache.trimmed(prefix.length))
        rest = sequence.part(state.length, sequence.length)
        lm_hidden, residual_hidden = self.extend_prefix(state, rest)
        previous = sequence.feats[-1:].to(self.device, self.dtype)
        return DecodeState(state.lm_cache, state.residual_cache, lm_hidden, residual_hidden, previous)

    def sample(self, state: DecodeState, noise: Tensor, plan: SamplerPlan, watch: Stopwatch) -> Step:
        """The next patch of every row from ``noise`` [B, P, D], and the stop head's opinion of it."""
        with watch.part("lm"):
            parts = (self.lm_to_dit_proj(state.lm_hidden), self.res_to_dit_proj(state.residual_hidden))
            condition = torch.cat(parts, dim=-1) if self.config.separate_dit_conditions else parts[0] + parts[1]
            stop_logits = self.stop_head(F.silu(self.stop_proj(state.lm_hidden)))
        with watch.part("locdit"):
            patch = sample_patch(
                self.feat_decoder.estimator, plan, noise.to(self.device, self.dtype), condition, state.previous
            )
        return Step(patch, stop_logits, condition)

    def advance(self, state: DecodeState, patch: Tensor, watch: Stopwatch) -> None:
        """Feed a patch [B, P, D] back: one step of both language models."""
        with watch.part("locenc"):
            audio = self.encode_patches(patch[:, None])
        with watch.part("lm"):
            hidden = self.fsq_layer(self.base_lm.extend(audio, state.lm_cache))
            residual = self.residual_lm.extend(self.residual_input(hidden, audio), state.residual_cache)
        state.lm_hidden, state.residual_hidden, state.previous = hidden[:, -1], residual[:, -1], patch

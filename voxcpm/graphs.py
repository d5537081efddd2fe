"""The whole patch step as one CUDA graph: a step is one launch, and nothing waits for the GPU but the stop flag.

A graph is recorded with torch alone: no compiler and no Triton. It belongs to a number of rows, a bucket of the
context, a sampler and an adapter; the first take of a kind runs eagerly, so that nobody waits for a recording, and the
graph is recorded when that take is over. The stop flag is read while the next step already runs; a patch after the
last one is dropped. With ``record`` off the same code runs step by step on any device, which is how it is tested.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from voxcpm.flow.solver import SamplerPlan
from voxcpm.generate import EndEvent, Event, Loop, PatchEvent, Row, frames_of
from voxcpm.model import DecodeState, Stopwatch, VoxCPMModel
from voxcpm.modules.static_cache import StaticKVCache, bucket_for
from voxcpm.vae.audio_vae import AudioVAE
from voxcpm.vae.decoder import DecoderState

logger = logging.getLogger(__name__)

MOST_GRAPHS = 4
_WARM_UP = 3  # steps before a recording, in which libraries choose and allocate what they need
Recorder = Callable[[Callable[[], None]], Callable[[], None]]


@dataclass(frozen=True)
class Kind:
    """What a recorded step is good for."""

    rows: int
    slots: int
    steps: int
    cfg: float
    adapter: object
    """Held, so that its weights live as long as the recording that reads them."""


@dataclass(frozen=True)
class Output:
    """One step's results on their way to the host."""

    patch: Tensor
    samples: Tensor
    stop_logits: Tensor
    condition: Tensor
    ready: torch.cuda.Event | None

    def wait(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Patch [B, P, D], samples [B, n], stop logits [B, 2] and condition [B, C], copied off the ring."""
        if self.ready is not None:
            self.ready.synchronize()
        return self.patch.clone(), self.samples.clone(), self.stop_logits.clone(), self.condition.clone()


class PatchStep:
    """Buffers at fixed addresses and the step on them; one take or batch at a time."""

    @torch.inference_mode()
    def __init__(
        self, model: VoxCPMModel, vae: AudioVAE, plan: SamplerPlan, state: DecodeState, slots: int, record: bool
    ) -> None:
        """``state`` is an example of the state that will be loaded; its contents do not matter."""
        self.model, self.vae, self.plan = model, vae, plan
        rows, patch = state.rows, state.previous
        self.state = DecodeState(
            StaticKVCache.shaped_like(state.lm_cache, rows, slots),
            StaticKVCache.shaped_like(state.residual_cache, rows, slots),
            state.lm_hidden.clone(),
            state.residual_hidden.clone(),
            state.previous.clone(),
        )
        self.noise = torch.zeros_like(patch)
        cold = vae.decode_stream(frames_of(torch.zeros_like(patch).float()[:, None]), DecoderState())[1]
        self.memories = [torch.zeros_like(m) for m in cold.memories if m is not None]
        self.taken = 0
        self._on_gpu = patch.device.type == "cuda"
        self._outputs = self._compute()
        self._host = [[self._on_host(t) for t in self._outputs] for _ in range(2)]
        self._host_noise = [self._on_host(self.noise.float()) for _ in range(2)]
        self._replay = self._record() if record else self._step

    def _on_host(self, tensor: Tensor) -> Tensor:
        return torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=self._on_gpu)

    def _compute(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """One patch from the buffers, and the buffers moved on; the same work every time."""
        watch, state = Stopwatch(), self.state
        step = self.model.sample(state, self.noise, self.plan, watch)
        samples, decoder = self.vae.decode_stream(
            frames_of(step.patch.float()[:, None]), DecoderState(list(self.memories))
        )
        for memory, new in zip(self.memories, decoder.memories, strict=True):
            assert new is not None
            memory.copy_(new)
        buffers = (state.lm_hidden, state.residual_hidden, state.previous)
        self.model.advance(state, step.patch, watch)  # puts new tensors into the state
        for buffer, new in zip(buffers, (state.lm_hidden, state.residual_hidden, state.previous), strict=True):
            buffer.copy_(new)
        state.lm_hidden, state.residual_hidden, state.previous = buffers
        for cache in (state.lm_cache, state.residual_cache):
            assert isinstance(cache, StaticKVCache)
            cache.position.add_(1)
        return step.patch.float(), samples, step.stop_logits.float(), step.condition.float()

    def _step(self) -> None:
        self._outputs = self._compute()

    def _rewind(self) -> None:
        for cache in (self.state.lm_cache, self.state.residual_cache):
            assert isinstance(cache, StaticKVCache)
            cache.position.zero_()

    def _record(self) -> Callable[[], None]:
        self._rewind()
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(_WARM_UP):
                self._compute()
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._outputs = self._compute()
        return graph.replay

    @torch.inference_mode()
    def load(self, state: DecodeState, decoder: DecoderState) -> None:
        """Begin with a batch that was prefilled."""
        for static, cache in zip(
            (self.state.lm_cache, self.state.residual_cache), (state.lm_cache, state.residual_cache), strict=True
        ):
            assert isinstance(static, StaticKVCache)
            static.load(cache)
        self.state.lm_hidden.copy_(state.lm_hidden)
        self.state.residual_hidden.copy_(state.residual_hidden)
        self.state.previous.copy_(state.previous)
        for index, memory in enumerate(self.memories):
            new = decoder.memories[index] if decoder.memories else None
            if new is None:
                memory.zero_()  # what a cold decoder stands for
            else:
                memory.copy_(new)
        self.taken = 0

    @torch.inference_mode()
    def step(self, noise: Tensor) -> Output:
        """Start a step from noise [B, P, D] and come back at once. Its results are overwritten by the next but one."""
        side = self.taken % 2
        self.taken += 1
        self._host_noise[side].copy_(noise)
        self.noise.copy_(self._host_noise[side], non_blocking=True)
        self._replay()
        for host, result in zip(self._host[side], self._outputs, strict=True):
            host.copy_(result, non_blocking=True)
        ready = None
        if self._on_gpu:
            ready = torch.cuda.Event()
            ready.record()
        patch, samples, stop_logits, condition = self._host[side]
        return Output(patch, samples, stop_logits, condition, ready)


class GraphPool:
    """Recorded steps by kind; each is lent to one batch at a time. The least recently used makes room."""

    def __init__(self, *, record: bool = True) -> None:
        self.record = record
        self._free: OrderedDict[Kind, PatchStep] = OrderedDict()
        self._lock = threading.Lock()

    def borrow(self, kind: Kind) -> PatchStep | None:
        """A step of that kind, if one is recorded and not in use."""
        with self._lock:
            return self._free.pop(kind, None)

    def give_back(self, kind: Kind, step: PatchStep) -> None:
        """Keep for the next batch."""
        with self._lock:
            self._free[kind] = step
            while len(self._free) > MOST_GRAPHS:
                self._free.popitem(last=False)

    def clear(self) -> None:
        """Free all memory."""
        with self._lock:
            self._free.clear()


class GraphLoop(Loop):
    """The loop over patches with recorded steps where there are some."""

    def __init__(self, loop: Loop, pool: GraphPool, adapter: object) -> None:
        super().__init__(loop.model, loop.vae, loop.lock)
        self.pool, self.adapter = pool, adapter

    def run(
        self, rows: Sequence[Row], plan: SamplerPlan, cancelled: Callable[[], bool], watch: Stopwatch
    ) -> Iterator[Event]:
        """As :meth:`Loop.run`; what a row's own numbers are does not change."""
        longest = max(row.sequence.length for row in rows) + max(row.max_patches for row in rows)
        slots = bucket_for(longest, self.model.config.max_length)
        kind = Kind(len(rows), slots, len(plan.lengths), plan.cfg, self.adapter)
        step = self.pool.borrow(kind)
        if step is None:
            yield from super().run(rows, plan, cancelled, watch)
            self._prepare(kind, plan, rows)
            return
        try:
            yield from self._run(step, rows, cancelled, watch)
        finally:
            self.pool.give_back(kind, step)

    def _prepare(self, kind: Kind, plan: SamplerPlan, rows: Sequence[Row]) -> None:
        """Record a step of a kind that was asked for; a failure costs the speed and nothing else."""
        began = time.perf_counter()
        try:
            with self.lock:
                state, _ = self.start(rows)
                step = PatchStep(self.model, self.vae, plan, state, kind.slots, self.pool.record)
        except RuntimeError as error:  # out of memory, or an operation that cannot be recorded here
            logger.warning("no recorded step for %d row(s), %d slots: %s", kind.rows, kind.slots, error)
            return
        self.pool.give_back(kind, step)
        logger.info("step of %d row(s), %d slots ready in %.2f s", kind.rows, kind.slots, time.perf_counter() - began)

    def _run(
        self, step: PatchStep, rows: Sequence[Row], cancelled: Callable[[], bool], watch: Stopwatch
    ) -> Iterator[Event]:
        began = time.perf_counter()
        with self.lock, watch.part("prefill"):
            state, decoder = self.start(rows)
            step.load(state, decoder)
        del state, decoder
        active = dict.fromkeys(range(len(rows)))
        running: Output | None = None
        index = 0  # of the step that is started next
        while active:
            if cancelled():
                yield from (EndEvent(row, "cancelled") for row in active)
                return
            begun, dry = self._start_next(step, rows, active, index)
            if running is not None:
                with watch.part("step"):
                    results = running.wait()
                seconds, began = time.perf_counter() - began, time.perf_counter()
                yield from self._tell(results, rows, active, index - 1, seconds)
            for row in dry:
                if row in active:
                    del active[row]
                    yield EndEvent(row, "noise")
            running = begun
            index += 1

    def _start_next(
        self, step: PatchStep, rows: Sequence[Row], active: dict[int, None], index: int
    ) -> tuple[Output | None, list[int]]:
        """The next step if any row can use it, and the rows whose noise has ended. Rows that ended get zeros."""
        if all(index >= rows[row].max_patches for row in active):
            return None, []
        blank = torch.zeros(step.noise.shape[1:])
        drawn = {row: rows[row].draw() if index < rows[row].max_patches else blank for row in active}
        dry = [row for row, value in drawn.items() if value is None]
        if len(dry) == len(drawn):
            return None, dry
        noise = [drawn.get(row) for row in range(len(rows))]
        with self.lock:
            return step.step(torch.stack([blank if n is None else n.float() for n in noise])), dry

    def _tell(
        self, results: tuple[Tensor, Tensor, Tensor, Tensor], rows: Sequence[Row], active: dict[int, None], index: int,
        seconds: float,
    ) -> Iterator[Event]:  # fmt: skip
        patch, samples, logits, condition = results
        ends = {row: self._end(rows[row], index, logits[row]) for row in active}
        for row in list(active):
            end = ends[row]
            if end is not None:
                del active[row]
            yield PatchEvent(row, index, patch[row], samples[row], logits[row], condition[row], seconds, end)

"""VoxCPM for people and programs: load a model, encode a voice, stream or generate takes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import torch

from voxcpm import audio, text
from voxcpm.adapters import Adapter, AdapterHost, LoRAInfo, check_strength
from voxcpm.checkpoint import CheckpointFiles, Progress, detach_from_files, load_model, load_vae, read_tensors
from voxcpm.config import FRAME_RATE, VoxCPMConfig
from voxcpm.consent import GENERATE, ConsentRecord
from voxcpm.devices import choose_device, dtype_name
from voxcpm.encoding import Tokenizer, VoiceEncoder
from voxcpm.errors import RequestError
from voxcpm.flow.solver import plan_sampler
from voxcpm.generate import Loop, Row
from voxcpm.graphs import GraphLoop, GraphPool
from voxcpm.info import ModelInfo
from voxcpm.long_text import pieces_of, stream_parts
from voxcpm.lora import read_lora
from voxcpm.model import PrefixState, Stopwatch, VoxCPMModel
from voxcpm.modules.packed import held_bytes
from voxcpm.noise import NoiseSource, SeededNoise, scaled
from voxcpm.planning import LaidOut, lay_out, plan_from
from voxcpm.precision import Precision, choose_precision, prepare_layers
from voxcpm.request import Request, check_request
from voxcpm.result import FLAG_TOO_LONG, AudioChunk, Plan, Result
from voxcpm.result import Progress as TakeProgress
from voxcpm.takes import TakeBuilder
from voxcpm.vae.audio_vae import AudioVAE
from voxcpm.voice import PrefixCache, Voice

VOICE_CACHE_BYTES = 512 * 1024 * 1024


class VoxCPM:
    """A loaded model. Safe to use from several threads: work queues, nothing mixes."""

    def __init__(
        self,
        config: VoxCPMConfig,
        model: VoxCPMModel,
        vae: AudioVAE,
        tokenizer: Tokenizer,
        *,
        name: str,
        fingerprint: str,
        plain: bool = False,
        keep_layers: bool = False,
        precision: Precision | None = None,
        voice_cache_bytes: int = VOICE_CACHE_BYTES,
    ) -> None:
        """Usually called through :meth:`load`. ``plain`` keeps every known speed-up off, to measure against;
        ``keep_layers`` only those that change the model, which is then still good for training. ``precision`` is the
        model's own dtype unless given; ``int8`` cannot be had with either of these."""
        self.config, self.model, self.vae, self.tokenizer = config, model, vae, tokenizer
        self.plain = plain
        device = model.device
        precision = precision or Precision(dtype_name(model.dtype), model.dtype)
        if precision.is_int8 and (plain or keep_layers):
            raise RequestError("dtype", "int8 changes the layers; it cannot be had with the plain way or for training")
        if not (plain or keep_layers) and device.type == "cpu":
            prepare_layers(model, vae, precision)
        for part in (model, vae):
            detach_from_files(part)
        self.info = ModelInfo(
            name,
            config.architecture,
            config.audio_vae_config.sample_rate,
            config.audio_vae_config.output_rate,
            config.patch_size,
            config.feat_dim,
            FRAME_RATE,
            config.patch_seconds,
            config.max_length,
            str(device),
            precision.name,
            held_bytes(model) + held_bytes(vae),
            config.takes_reference,
            config.takes_reference,
            fingerprint,
            config.unknown_keys,
        )
        self.synchronize_timings = False
        """Time every part exactly on a GPU too, at the price of waiting for it; for benchmarks."""
        self.graphs = GraphPool() if device.type == "cuda" and not (plain or keep_layers) else None
        """Recorded patch steps; None computes step by step."""
        self.prefixes = PrefixCache(voice_cache_bytes)
        self._lock = threading.Lock()
        self._adapters = AdapterHost(model, self._lock)
        self.voices = VoiceEncoder(config, model, vae, tokenizer, self.info, self._adapters, self._lock, self.prefixes)
        self._normalizer: text.Normalizer | None = None

    @classmethod
    def load(
        cls,
        path: Path | str,
        *,
        device: str = "auto",
        dtype: str = "auto",
        strict: bool = False,
        progress: Progress | None = None,
        plain: bool = False,
        voice_cache_bytes: int = VOICE_CACHE_BYTES,
    ) -> VoxCPM:
        """Load a model folder as published. ``progress`` is called with (values loaded, values in all).

        Raises :class:`CheckpointError`, :class:`ConfigError` (unknown keys only with ``strict``) or
        :class:`RequestError` for a device or dtype that cannot be used.
        """
        files = CheckpointFiles.locate(Path(path))
        config = VoxCPMConfig.from_file(files.config, strict=strict)
        tokenizer = text.TextTokenizer.from_dir(files.folder)
        where = choose_device(device)
        stored = next((t.dtype for _, t in read_tensors(files.model) if t.is_floating_point()), torch.float32)
        precision = choose_precision(dtype, where, stored)
        model = load_model(
            config, read_tensors(files.model), device=where, dtype=precision.load_dtype, progress=progress
        )
        vae = load_vae(config, read_tensors(files.vae), device=where)
        return cls(
            config,
            model,
            vae,
            tokenizer,
            name=files.folder.name,
            fingerprint=files.fingerprint(),
            plain=plain,
            precision=precision,
            voice_cache_bytes=voice_cache_bytes,
        )

    def close(self) -> None:
        """Forget cached voices and recorded steps. The weights go when the object does."""
        self.prefixes.clear()
        if self.graphs is not None:
            self.graphs.clear()

    # Adapters

    @property
    def lora(self) -> LoRAInfo | None:
        """The adapter that batches begin with from now on; None for the base model."""
        adapter = self._adapters.current
        return adapter.info if adapter is not None else None

    def load_lora(
        self, path: Path | str, *, strength: float = 1.0, consent: ConsentRecord | Sequence[ConsentRecord] | None = None
    ) -> LoRAInfo:
        """Use the LoRA in ``path`` from the next batch on, in place of any other; all or nothing.

        Rank and alpha are the file's own. Batches that are running end with the adapter they began with. A LoRA made
        from a person's recordings names a consent record, and that record must be given. Raises
        :class:`CheckpointError`, :class:`ConsentError` or :class:`RequestError`; then everything stays as it was.
        """
        check_strength(strength)
        adapter = self._adapters.prepare(read_lora(Path(path)), strength, consent)
        with self._adapters.swapping:
            self._adapters.current = adapter
        return adapter.info

    def unload_lora(self) -> None:
        """Go back to the base model, bit for bit, from the next batch on."""
        with self._adapters.swapping:
            self._adapters.current = None
        with self._adapters.using(None):  # a batch that still runs puts its own back
            pass

    def set_lora_strength(self, strength: float) -> LoRAInfo:
        """Use the loaded LoRA at ``strength`` (0 off, 1 as trained, up to 4) from the next batch on."""
        with self._adapters.swapping:
            adapter = self._adapters.current
            if adapter is None:
                raise RequestError("strength", "no LoRA is loaded; load one first")
            adapter = self._adapters.with_strength(adapter, strength)
            self._adapters.current = adapter
        return adapter.info

    def _adapter(self) -> Adapter | None:
        """The adapter for a batch that begins now; its consent is looked at again at every use."""
        adapter = self._adapters.current
        if adapter is not None:
            adapter.check_consent()
        return adapter

    # Voices

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
        """Encode a reference, a prompt with its transcript, or both; see :meth:`VoiceEncoder.encode_voice`."""
        return self.voices.encode_voice(
            reference=reference,
            prompt=prompt,
            transcript=transcript,
            consent=consent,
            min_seconds=min_seconds,
            max_seconds=max_seconds,
        )

    # Requests

    def plan(self, request: Request) -> Plan:
        """What the model would get, without running it. Raises what :meth:`stream` would raise."""
        return plan_from(self._lay_out(request), self.config)

    def stream(self, request: Request, *, cancelled: Callable[[], bool] | None = None) -> Iterator[AudioChunk]:
        """Make one take and yield its audio patch by patch; the last chunk carries the :class:`Result`.

        The request is checked here and now, before iteration. What was heard cannot be taken back, so a bad case is
        not retried: the result says so in ``flags`` and offers ``next_seed``.
        """
        return self.stream_batch([request], cancelled=cancelled)

    def stream_batch(
        self, requests: Sequence[Request], *, cancelled: Callable[[], bool] | None = None
    ) -> Iterator[AudioChunk]:
        """Several takes in one batch; chunks of the rows come interleaved. All rows share ``steps`` and ``cfg``."""
        laid = self._lay_out_batch(requests)
        return self._run(laid, cancelled or _never, 0, [0] * len(laid), self._adapter())

    def generate(
        self,
        request: Request,
        *,
        cancelled: Callable[[], bool] | None = None,
        on_progress: Callable[[TakeProgress], None] | None = None,
    ) -> Result:
        """Make one take and return it whole; bad cases are retried up to ``request.retries`` attempts in all."""
        return self.generate_batch([request], cancelled=cancelled, on_progress=on_progress)[0]

    def generate_batch(
        self,
        requests: Sequence[Request],
        *,
        cancelled: Callable[[], bool] | None = None,
        on_progress: Callable[[TakeProgress], None] | None = None,
    ) -> list[Result]:
        """Several takes in one batch. Bad cases are run again together; the last attempt is kept if all are bad."""
        laid = self._lay_out_batch(requests)
        stop, adapter = cancelled or _never, self._adapter()
        results: dict[int, Result] = {}
        pending = list(range(len(laid)))
        drawn = [0] * len(laid)
        attempt = 0
        while pending:
            some = [laid[row] for row in pending]
            for chunk in self._run(some, stop, attempt, [drawn[row] for row in pending], adapter):
                row = pending[chunk.row]
                if on_progress is not None and len(chunk.samples):
                    done = chunk.patch + 1
                    on_progress(
                        TakeProgress(row, done, done * self.info.patch_seconds, chunk.expected_patches, attempt)
                    )
                if chunk.result is not None:
                    results[row] = _after_retries(chunk.result, results.get(row))
                    drawn[row] += chunk.result.patches
            attempt += 1
            if stop():
                break
            bad = [row for row in pending if laid[row].is_bad(results[row].patches)]
            pending = [row for row in bad if attempt < laid[row].request.retries]
        return [results[row] for row in range(len(laid))]

    def stream_long(
        self, request: Request, *, max_chars: int = text.LONG_TEXT_CHARS, cancelled: Callable[[], bool] | None = None
    ) -> Iterator[AudioChunk]:
        """A long text, split at sentences; each part continues the part before, so that the voice stays the same.

        Chunks of part k have ``row`` k. A request with a reference keeps it for every part.
        """
        pieces = pieces_of(request, max_chars)
        first = replace(request.seeded(), text=pieces[0])
        self._lay_out(first)
        adapter, stop = self._adapter(), cancelled or _never

        def run(part: Request) -> Iterator[AudioChunk]:
            return self._run(self._lay_out_batch([part]), stop, 0, [0], adapter)

        return stream_parts(first, pieces, run, self.config, self.info)

    def _lay_out(self, request: Request) -> LaidOut:
        if not isinstance(request, Request):
            raise RequestError("request", f"must be a Request, got {type(request).__name__}")
        check_request(request, self.config, self.info.fingerprint)
        if request.voice is not None:
            request.voice.consent.check(GENERATE)
        if request.normalize and self._normalizer is None:
            self._normalizer = text.Normalizer()
        return lay_out(request, self.config, self.tokenizer, self._normalizer)

    def _lay_out_batch(self, requests: Sequence[Request]) -> list[LaidOut]:
        if not requests:
            raise RequestError("requests", "the batch is empty")
        shared: dict[Request, LaidOut] = {}
        laid = []
        for request in requests:
            # Takes of one text share their sequence, so that it is read once; only the seeds differ.
            seeded = replace(request, seed=None, noise=None) if isinstance(request, Request) else request
            if seeded not in shared:
                shared[seeded] = self._lay_out(request)
            else:
                check_request(request, self.config, self.info.fingerprint)
            laid.append(replace(shared[seeded], request=request.seeded().resolved(self.config)))
        first = laid[0].request
        for field in ("steps", "cfg"):
            if any(getattr(item.request, field) != getattr(first, field) for item in laid):
                raise RequestError(field, "all rows of a batch must have the same value; run the others separately")
        if self.plain and len(laid) > 1:
            raise RequestError("requests", "the plain way makes one take at a time")
        return laid

    def _run(
        self,
        laid: list[LaidOut],
        cancelled: Callable[[], bool],
        attempt: int,
        offsets: list[int],
        adapter: Adapter | None,
    ) -> Iterator[AudioChunk]:
        began = time.perf_counter()
        watch = Stopwatch(synchronize=self.synchronize_timings and self.model.device.type == "cuda")
        first = laid[0].request
        rows = []
        for item, offset in zip(laid, offsets, strict=True):
            source: NoiseSource = item.request.noise or SeededNoise(item.seed)
            draw = source.start(attempt, offset, self.config.patch_size, self.config.feat_dim)
            if item.temperature != 1.0:
                draw = scaled(draw, item.temperature)
            rows.append(
                Row(
                    item.sequence,
                    self.prefix_of(item, adapter),
                    item.context,
                    draw,
                    item.request.min_patches,
                    item.max_patches,
                )
            )
        with self._lock:
            plan = plan_sampler(self.model.feat_decoder.estimator, first.steps, laid[0].cfg, guide_always=self.plain)
        batch = tuple(item.batch_row(attempt) for item in laid)
        takes = [
            TakeBuilder(item, self.info, row, batch, attempt, began, watch, adapter) for row, item in enumerate(laid)
        ]
        for event in self._loop(adapter).run(rows, plan, cancelled, watch):
            yield takes[event.row].add(event)

    def prefix_of(self, item: LaidOut, adapter: Adapter | None = None) -> PrefixState | None:
        """The filled prefix that a request starts with; none without a voice, and none in the plain way."""
        voice = item.request.voice
        return None if voice is None or self.plain else self.voices.prefix_for(voice, item.text_ids, adapter)

    def _loop(self, adapter: Adapter | None) -> Loop:
        loop = Loop(self.model, self.vae, self._adapters.using(adapter), whole_cache=self.plain)
        return loop if self.graphs is None else GraphLoop(loop, self.graphs, adapter)


def _never() -> bool:
    return False


def _after_retries(result: Result, before: Result | None) -> Result:
    """Count attempts and say whether trying again helped. A retry that was cancelled takes nothing away."""
    if before is None:
        return result
    kept = before if result.end == "cancelled" else result
    return replace(
        kept,
        attempts=before.attempts + 1,
        retry_helped=kept is result and FLAG_TOO_LONG not in result.flags,
        first_seed=before.first_seed,
        total_seconds=before.total_seconds + result.total_seconds,
    )

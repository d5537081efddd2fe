"""An engine of numpy alone for the tests: tones instead of speech, any rate, any delay, any failure."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from app.core.engine_api import EngineCancelled, EngineError, Watermark
from app.core.messages import Chunk, Failure, Job, LoraInfo, ModelInfo, PlanInfo, TakeResult
from app.core.preview import preview_text

if TYPE_CHECKING:
    from app.core.dubbing.lines import Line

_SEED_DISTANCE = 1_000_003


@dataclass
class FakeModel:
    """A pretended model: ``patches`` per take; None never stops by itself."""

    output_rate: int = 48000
    patch_size: int = 4
    latent_dim: int = 16
    frame_rate: float = 25.0
    patches: int | None = 12
    takes_reference: bool = True
    takes_description: bool = True
    note: str = ""
    cfg: float = 2.0
    temperature: float = 1.0


@dataclass
class FakeEngine:
    """Speaks tones. What it was asked for stays in ``loads``, ``plans``, ``jobs`` and ``lines``.

    ``models`` maps folder names to pretended models; other folders get a default one. ``step_delay`` and
    ``load_delay`` are seconds; ``fail_at_patch`` raises there, ``crash_at_patch`` ends
    the thread; ``load_failure`` and ``refusals`` (by field: message)
    are raised as the real engine would.
    """

    models: dict[str, FakeModel] = field(default_factory=dict)
    step_delay: float = 0.0
    load_delay: float = 0.0
    stubborn_load: bool = False
    fail_at_patch: int | None = None
    flags: tuple[str, ...] = ()
    load_failure: Failure | None = None
    loads: list[str] = field(default_factory=list)
    plans: list[Job] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    places: list[tuple[str, str]] = field(default_factory=list)  # device and dtype of each load
    loras: list[tuple[str, float]] = field(default_factory=list)
    warmed: int = 0
    lora_failure: Failure | None = None
    crash_at_patch: int | None = None
    lines: list[list[Line]] = field(default_factory=list)  # each batch of a dub
    closed: bool = False
    _info: ModelInfo | None = None
    _watermark: Watermark | None = None
    _model: FakeModel = field(default_factory=FakeModel)

    process_id = 0

    def load(
        self, folder: str, device: str, dtype: str, progress: Callable[[float], None], is_cancelled: Callable[[], bool]
    ) -> ModelInfo:
        """Pretend to load; a ``stubborn_load`` does not look at ``is_cancelled``, as an import would not."""
        self.loads.append(folder)
        self.places.append((device, dtype))
        until = time.monotonic() + self.load_delay
        while time.monotonic() < until:
            if is_cancelled() and not self.stubborn_load:
                raise EngineCancelled
            time.sleep(0.005)
            progress(1.0 - max(0.0, until - time.monotonic()) / self.load_delay)
        if self.load_failure is not None:
            raise EngineError(self.load_failure)
        name = folder.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        self._model = model = self.models.get(name, FakeModel())
        self._info = ModelInfo(
            folder=folder,
            name=name,
            note=model.note,
            architecture="fake",
            encode_rate=16000,
            output_rate=model.output_rate,
            patch_size=model.patch_size,
            latent_dim=model.latent_dim,
            frame_rate=model.frame_rate,
            max_length=4096,
            device="cpu" if device == "auto" else device,
            dtype="float32" if dtype == "auto" else dtype,
            weight_bytes=1_000_000,
            takes_reference=model.takes_reference,
            takes_description=model.takes_description,
            cfg=model.cfg,
            temperature=model.temperature,
        )
        return self._info

    def warm_up(self, is_cancelled: Callable[[], bool]) -> None:
        """Count it."""
        self.warmed += 1

    def use_lora(self, path: str, strength: float) -> LoraInfo | None:
        """Remember what was asked for."""
        if self.lora_failure is not None:
            raise EngineError(self.lora_failure)
        self.loras.append((path, strength))
        name = path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
        return LoraInfo(path, name, 8, strength, 24) if path else None

    def plan(self, job: Job) -> PlanInfo:
        """Answer as if twelve characters took one second."""
        self.plans.append(job)
        self._refuse(job)
        length = len(job.text)
        return PlanInfo(
            mode=job.mode,
            final_text=preview_text(job),
            text_tokens=length,
            max_patches=job.max_patches,
            expected_seconds=(length / 15, length / 10),
            reference_seconds=3.0 if job.voice and job.voice.reference else 0.0,
            prompt_seconds=3.0 if job.voice and job.voice.prompt else 0.0,
        )

    def stream(self, job: Job, is_cancelled: Callable[[], bool]) -> Iterator[Chunk]:
        """Make all rows patch by patch, as one batch."""
        self.jobs.append(job)
        self._refuse(job)
        model, patch = self._model, 0
        made: list[list[np.ndarray]] = [[] for _ in range(job.takes)]
        limit = job.max_patches if model.patches is None else min(model.patches, job.max_patches)
        while patch < limit and not is_cancelled():
            if self.fail_at_patch == patch:
                raise RuntimeError("the pretended device is gone")
            if self.crash_at_patch == patch:
                raise SystemExit("the pretended engine is dead")
            time.sleep(self.step_delay)
            for row in range(job.takes):
                chunk = self._chunk(job, row, patch)
                made[row].append(chunk.samples)
                if patch + 1 == limit:
                    end = "stopped" if limit == model.patches else "max_patches"
                    chunk = replace(chunk, result=self._result(job, row, made[row], end))
                yield chunk
            patch += 1
        if patch < limit and patch:
            for row in range(job.takes):
                empty = np.zeros(0, np.float32)
                yield replace(
                    self._chunk(job, row, patch),
                    samples=empty,
                    latents=np.zeros((0, model.latent_dim), np.float32),
                    result=self._result(job, row, made[row], "cancelled"),
                )

    def speak_lines(self, lines: Sequence[Line], is_cancelled: Callable[[], bool]) -> list[list[TakeResult]]:
        """A tone for each line, as long as its text takes and a little longer or shorter by its seed."""
        self.lines.append(list(lines))
        jobs = [self._job_of(line) for line in lines]
        made: list[list[TakeResult]] = []
        for job in jobs:
            self._refuse(job)
            count = min(job.max_patches, 2 + len(job.text) // 3 + job.seed % 3)
            chunks = []
            for patch in range(count):
                if is_cancelled():
                    raise EngineCancelled
                if self.fail_at_patch == patch:
                    raise RuntimeError("the pretended device is gone")
                chunks.append(self._chunk(job, 0, patch).samples)
            time.sleep(self.step_delay)
            settings = {"steps": job.steps, "cfg": job.cfg, "temperature": job.temperature}
            made.append([replace(self._result(job, 0, chunks, "stopped"), settings=settings)])
        return made

    def _job_of(self, line: Line) -> Job:
        model = self._model
        return Job(
            job_id=0, text=line.text, description=line.description, voice=line.voice, seed=line.seed, steps=line.steps,
            cfg=model.cfg if line.cfg is None else line.cfg,
            temperature=model.temperature if line.temperature is None else line.temperature,
            min_patches=line.min_patches, max_patches=line.max_patches, retry_ratio=line.retry_ratio,
            normalize=line.normalize,
        )  # fmt: skip

    def watermark(self) -> Watermark:
        """The real one: what leaves the window is marked whichever engine made it."""
        from app.marks.watermark import PerthWatermark

        if self._watermark is None:
            self._watermark = PerthWatermark()
        return self._watermark

    def watch(self, died: Callable[[], object]) -> None:
        """It ends with this process and not before."""

    def check(self) -> None:
        """It ends with this process and not before."""

    def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True

    def give_up(self) -> None:
        """Nothing blocks for long."""

    def _refuse(self, job: Job) -> None:
        if not any(character.isalnum() for character in job.text):
            message = "There is nothing to speak in this text: write at least one word."
            raise EngineError(Failure(message, "text", code="text"))

    def _chunk(self, job: Job, row: int, patch: int) -> Chunk:
        model = self._model
        count = round(model.output_rate * model.patch_size / model.frame_rate)
        at = (patch * count + np.arange(count)) / model.output_rate
        tone = 0.3 * np.sin(2 * np.pi * (300 + 60 * row) * at) * (0.6 + 0.4 * np.sin(2 * np.pi * 2.5 * at))
        noise = np.random.default_rng((job.seed, row, patch))
        return Chunk(
            job_id=job.job_id,
            row=row,
            patch=patch,
            samples=tone.astype(np.float32),
            sample_rate=model.output_rate,
            latents=noise.standard_normal((model.patch_size, model.latent_dim)).astype(np.float32),
            stop_probability=0.01,
            seconds=self.step_delay,
            expected_patches=(10, 14),
        )

    def _result(self, job: Job, row: int, made: list[np.ndarray], end: str) -> TakeResult:
        model = self._model
        samples = np.concatenate(made)
        return TakeResult(
            samples=samples,
            sample_rate=model.output_rate,
            latents=np.zeros((len(made) * model.patch_size, model.latent_dim), np.float32),
            patches=len(made),
            mode=job.mode,
            text=preview_text(job),
            seed=(job.seed + row * _SEED_DISTANCE) % 2**32,
            end=end,
            flags=self.flags,
            next_seed=(job.seed + 7) % 2**32,
            time_to_first_audio=self.step_delay,
            total_seconds=self.step_delay * len(made),
            real_time_factor=self.step_delay * len(made) / (samples.size / model.output_rate),
            model="fake",
            device="cpu",
            dtype="float32",
        )

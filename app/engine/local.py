"""The engine in this process. The only module of the window that imports the library, and only inside ``load``."""

from __future__ import annotations

import logging
import os
import platform
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from app.core.engine_api import EngineCancelled, EngineError, Watermark
from app.core.messages import BatchRow, Chunk, Failure, Job, LoraInfo, ModelInfo, PlanInfo, TakeResult
from app.core.models import read_card
from app.engine.room import give_back, lack_of_room
from app.engine.voice_door import FindDoor, VoiceDoor
from app.engine.voices import EngineVoices, note_of

if TYPE_CHECKING:
    from app.core.dubbing.lines import Line
    from voxcpm.pipeline import VoxCPM
    from voxcpm.request import Request
    from voxcpm.result import AudioChunk, Plan, Result
    from voxcpm.voice import Voice

log = logging.getLogger(__name__)

T = TypeVar("T")

_NO_MODEL = Failure("No model is loaded. Choose a model folder first.", "model", code="model")


class LocalEngine:
    """Runs voxcpm in the thread that calls it. No voice is used without ``door``, which is found at the first one."""

    def __init__(self, door: FindDoor | VoiceDoor | None = None) -> None:
        self._model: VoxCPM | None = None
        self._voices = EngineVoices(door)
        self._watermark: Watermark | None = None

    @property
    def process_id(self) -> int:
        """This process."""
        return 0

    def load(
        self, folder: str, device: str, dtype: str, progress: Callable[[float], None], is_cancelled: Callable[[], bool]
    ) -> ModelInfo:
        """Load a checkpoint folder; the model that was loaded is freed first, so that both never share the memory."""
        self.close()
        if is_cancelled():
            raise EngineCancelled
        return _with_room(lambda: self._load(folder, device, dtype, progress, is_cancelled))

    def _load(
        self, folder: str, device: str, dtype: str, progress: Callable[[float], None], is_cancelled: Callable[[], bool]
    ) -> ModelInfo:
        import torch

        from voxcpm.pipeline import VoxCPM

        leave_a_core_to_the_window(torch)

        def tell(done: int, total: int) -> None:
            if is_cancelled():
                raise EngineCancelled
            progress(done / max(1, total))

        with _told_to_people():
            self._model = VoxCPM.load(folder, device=device, dtype=dtype, progress=tell)
        return model_info(self._loaded(), folder)

    def warm_up(self, is_cancelled: Callable[[], bool]) -> None:
        """Two patches of a word: the kernels are chosen, the memory is taken."""
        from voxcpm.request import Request

        with _told_to_people():
            for _ in self._loaded().stream(Request(text="Yes.", seed=0, max_patches=2), cancelled=is_cancelled):
                pass

    def use_lora(self, path: str, strength: float) -> LoraInfo | None:
        """Put a LoRA in place of the one that was chosen before, or take it away."""
        model = self._loaded()
        with _told_to_people():
            return self._voices.loras.choose(model, path, strength)

    def plan(self, job: Job) -> PlanInfo:
        """Ask the library what it would get; a voice that is not encoded yet is only measured, not encoded."""
        model = self._loaded()
        with _told_to_people():
            voice = self._voices.known(job.voice, job.text)
            if job.voice is None or voice is not None:
                return _plan_info(model.plan(_request(job, voice, job.seed)))
            # Encoding while somebody types would hold up the Generate that follows: measure only.
            seconds, transcript, notes = self._voices.measure(job.voice, job.text, model.info.encode_rate)
            plan = model.plan(_request(job, None, job.seed))
            info = _plan_info(plan)
            return replace(
                info,
                mode=job.voice.mode,
                final_text=transcript + plan.text if job.voice.prompt else plan.text,
                reference_seconds=seconds.get("reference", 0.0),
                prompt_seconds=seconds.get("prompt", 0.0),
                notes=(*info.notes, *notes),
            )

    def stream(self, job: Job, is_cancelled: Callable[[], bool]) -> Iterator[Chunk]:
        """Make all takes of the job as one batch."""
        try:
            yield from self._stream(job, is_cancelled)
            return
        except Exception as error:
            lacking = lack_of_room(error)
            if not lacking:
                raise
        raise give_back(lacking)

    def _stream(self, job: Job, is_cancelled: Callable[[], bool]) -> Iterator[Chunk]:
        model = self._loaded()
        with _told_to_people():
            from voxcpm.request import spread_seeds

            voice = self._voices.use(model, job.voice, job.text, job.decided)
            if is_cancelled():
                return
            requests = [_request(job, voice, seed) for seed in spread_seeds(job.seed, job.takes)]
            for chunk in model.stream_batch(requests, cancelled=is_cancelled):
                yield _chunk(job, chunk)

    def speak_lines(self, lines: Sequence[Line], is_cancelled: Callable[[], bool]) -> list[list[TakeResult]]:
        """Speak lines of a dub as one batch; see ``LineEngine``."""
        return _with_room(lambda: self._speak_lines(lines, is_cancelled))

    def _speak_lines(self, lines: Sequence[Line], is_cancelled: Callable[[], bool]) -> list[list[TakeResult]]:
        from app.engine.lines import speak

        model = self._loaded()
        with _told_to_people():
            return [[take_result(part) for part in parts] for parts in speak(model, self._voices, lines, is_cancelled)]

    def watermark(self) -> Watermark:
        """The network of ``app.marks.watermark``, kept once it is loaded."""
        if self._watermark is None:
            from app.marks.watermark import PerthWatermark

            self._watermark = PerthWatermark()
        return self._watermark

    def watch(self, died: Callable[[], object]) -> None:
        """It ends with this process and not before."""

    def check(self) -> None:
        """It ends with this process and not before."""

    def close(self) -> None:
        """Free the model and the encoded voices."""
        self._voices.clear()
        if self._model is not None:
            self._model.close()
            self._model = None

    def give_up(self) -> None:
        """Nothing can be done about a call that runs in this process."""

    def _loaded(self) -> VoxCPM:
        if self._model is None:
            raise EngineError(_NO_MODEL)
        return self._model


def _with_room(work: Callable[[], T]) -> T:
    """Do it; where memory runs out what was taken is given back, which has to wait until the error is over."""
    try:
        return work()
    except Exception as error:
        lacking = lack_of_room(error)
        if not lacking:
            raise
    raise give_back(lacking)


def model_info(model: VoxCPM, folder: str) -> ModelInfo:
    """What the studio knows of a loaded model."""
    info = model.info
    card = read_card(Path(folder))
    own = model.config.dit_config.cfm_config
    return ModelInfo(
        cfg=own.inference_cfg_rate,
        temperature=own.inference_temperature,
        folder=folder,
        name=card.name,
        note=card.note,
        architecture=str(info.architecture),
        encode_rate=int(info.encode_rate),
        output_rate=int(info.output_rate),
        patch_size=int(info.patch_size),
        latent_dim=int(info.latent_dim),
        frame_rate=float(info.frame_rate),
        max_length=int(info.max_length),
        device=str(info.device),
        dtype=str(info.dtype).removeprefix("torch."),
        weight_bytes=int(info.weight_bytes),
        takes_reference=bool(info.takes_reference),
        takes_description=bool(info.takes_description),
        fingerprint=str(info.fingerprint),
        **_surroundings(str(info.device)),
    )


def leave_a_core_to_the_window(torch: Any) -> None:
    """Set torch's threads to the physical cores minus one, at least one."""
    import psutil

    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    torch.set_num_threads(max(1, cores - 1))


def _surroundings(device: str) -> dict[str, Any]:
    """What the last bits of the sums depend on besides model and device."""
    import torch

    machine = f"{platform.machine()} {torch.backends.cpu.get_cpu_capability()}"
    if device.startswith("cuda"):
        machine = torch.cuda.get_device_name(device)
    return {"threads": torch.get_num_threads(), "library": library_version(), "machine": machine}


def library_version() -> str:
    """Return which studio and which torch compute here."""
    try:
        own = version("voxcpm-studio")
    except PackageNotFoundError:  # a checkout that was never installed
        own = "unknown"
    return f"voxcpm-studio {own}, torch {version('torch')}"


class _told_to_people:  # noqa: N801 - reads as a statement
    """Turn the library's errors into EngineError; other errors pass with their traceback."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is None or isinstance(error, EngineError | EngineCancelled | GeneratorExit):
            return
        from voxcpm.errors import (
            AudioError,
            Cancelled,
            CheckpointError,
            ConfigError,
            ConsentError,
            RequestError,
            UnknownPickleError,
            VoxCPMError,
        )

        details = "".join(traceback.format_exception(error))
        match error:
            case Cancelled():
                raise EngineCancelled from error
            case RequestError():
                raise EngineError(Failure(_sentence(error.problem), error.field, details, error.field)) from error
            case AudioError():
                raise EngineError(Failure(_sentence(str(error)), "voice", details, f"audio.{error.reason}")) from error
            case ConsentError():
                raise EngineError(Failure(_sentence(str(error)), "consent", details, "consent")) from error
            case UnknownPickleError():
                failure = Failure(_sentence(str(error)), "", details, "checkpoint.pickle", str(error.path))
                raise EngineError(failure) from error
            case CheckpointError() | ConfigError():
                raise EngineError(Failure(_sentence(str(error)), "", details, "checkpoint")) from error
            case VoxCPMError():
                raise EngineError(Failure(_sentence(str(error)), "", details)) from error
            case _:
                return


def _sentence(message: str) -> str:
    return message[:1].upper() + message[1:]


def _request(job: Job, voice: Voice | None, seed: int) -> Request:
    from voxcpm.request import Request

    return Request(
        text=job.text,
        description=job.description,
        voice=voice,
        seed=seed,
        steps=job.steps,
        cfg=job.cfg,
        temperature=job.temperature,
        min_patches=job.min_patches,
        max_patches=job.max_patches,
        retry_ratio=job.retry_ratio,
        normalize=job.normalize,
    )


def _plan_info(plan: Plan) -> PlanInfo:
    return PlanInfo(
        mode=plan.mode,
        final_text=plan.text,
        text_tokens=plan.target_tokens,
        max_patches=plan.max_patches,
        expected_seconds=plan.expected_seconds,
        reference_seconds=plan.reference_seconds,
        prompt_seconds=plan.prompt_seconds,
        notes=tuple(note_of(finding) for finding in plan.findings),
    )


def _chunk(job: Job, chunk: AudioChunk) -> Chunk:
    return Chunk(
        job_id=job.job_id,
        row=chunk.row,
        patch=chunk.patch,
        samples=np.asarray(chunk.samples, np.float32),
        sample_rate=chunk.sample_rate,
        latents=np.asarray(chunk.latents, np.float32),
        stop_probability=float(chunk.stop_probability),
        seconds=float(chunk.seconds),
        expected_patches=(int(chunk.expected_patches[0]), int(chunk.expected_patches[1])),
        result=None if chunk.result is None else take_result(chunk.result),
    )


def take_result(result: Result) -> TakeResult:
    """How a take ended, in the words of the studio."""
    return TakeResult(
        samples=result.samples,
        sample_rate=result.sample_rate,
        latents=result.latents,
        patches=result.patches,
        mode=result.mode,
        text=result.text,
        seed=result.seed,
        end=result.end,
        flags=tuple(result.flags),
        next_seed=int(result.next_seed),
        time_to_first_audio=float(result.time_to_first_audio),
        total_seconds=float(result.total_seconds),
        real_time_factor=float(result.real_time_factor),
        model=result.model,
        device=str(result.device),
        dtype=str(result.dtype),
        stop_probabilities=np.asarray(result.stop_probabilities, np.float32),
        patch_seconds=np.asarray(result.patch_seconds, np.float32),
        settings={"steps": result.steps, "cfg": result.cfg, "temperature": result.temperature},
        batch=tuple(BatchRow(**asdict(row)) for row in result.batch),
        row=int(result.row),
        lora=result.lora or "",
    )

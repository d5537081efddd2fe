"""The one thread that an engine runs in. Messages go in through a queue and come out through a signal."""

from __future__ import annotations

import itertools
import logging
import queue
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QThread, QTimer, Signal, Slot

from app.core.engine_api import Engine, EngineCancelled, EngineDied, EngineError, EngineLost
from app.core.engine_messages import (
    Crashed,
    LoadFailed,
    LoadModel,
    LoadProgress,
    LoraChanged,
    ModelLoaded,
    Unload,
    Unloaded,
    UseLora,
)
from app.core.messages import (
    Chunk,
    Failure,
    Job,
    JobEnded,
    JobStarted,
    LoraInfo,
    ModelInfo,
    PlanJob,
    PlanReady,
    RunJob,
    TakeResult,
)
from app.engine.calls import EngineCalls, Wake

if TYPE_CHECKING:
    from app.core.dubbing.lines import Line

log = logging.getLogger(__name__)

T = TypeVar("T")

EngineFactory = Callable[[], Engine]

_FOLLOW_SECONDS = 10.0
_MOST_DEATHS = 2

_ANOTHER_MODEL = Failure(
    "Another model was chosen meanwhile. What was made is kept: load the model that you want, and press Make again.",
    "model",
    code="dub.model",
)


def _failure_of(error: BaseException) -> Failure:
    if isinstance(error, EngineError | EngineDied):
        return error.failure
    details = "".join(traceback.format_exception(error))
    return Failure(message=f"{type(error).__name__}: {error}", details=details, code="unexpected")


class _EngineThread(QThread):
    """Takes requests in order, one at a time. Every wish to stop is an Event that the engine looks at."""

    message = Signal(object)

    def __init__(self, factory: EngineFactory) -> None:
        super().__init__()
        self._factory = factory
        self.requests: queue.SimpleQueue[
            LoadModel | PlanJob | UseLora | Unload | tuple[RunJob, threading.Event] | Wake | None
        ]
        self.requests = queue.SimpleQueue()
        self.calls = EngineCalls(lambda: self.requests.put(Wake()))
        self.turns = EngineCalls(lambda: self.requests.put(Wake()))  # long ones: in their turn, never within a job
        self.closing = threading.Event()
        self.newest_load = 0
        self.newest_plan = 0
        self.newest_lora = 0
        self.cancel_job = threading.Event()  # a new one for each job, set by the window
        self.engine: Engine | None = None  # others may only tell it to give up

        self._once = threading.Lock()
        self._begun = False

    def begin(self) -> None:
        """Start it, from any thread, if it never was: one that has ended answers nothing any more."""
        with self._once:
            if not self._begun:
                self._begun = True
                self.start()

    def run(self) -> None:
        """Work until None comes out of the queue. Whatever else ends it is told, so that another thread can follow."""
        try:
            self._work()
        except BaseException as error:
            log.error("The engine's thread ended: %s", type(error).__name__)
            failure = _failure_of(error)
            self.message.emit(Crashed(failure if isinstance(error, EngineDied) else replace(failure, code="crash")))

    def _work(self) -> None:
        try:
            engine = self.engine = self._factory()
        except BaseException:
            self.calls.close()
            self.turns.close()
            raise
        engine.watch(lambda: self.requests.put(Wake()))
        try:
            while (request := self.requests.get()) is not None:
                self.calls.serve(engine)
                if self.closing.is_set():
                    continue
                if isinstance(request, Wake):
                    self.turns.serve(engine)
                    engine.check()
                    continue
                if isinstance(request, LoadModel):
                    self._load(engine, request)
                elif isinstance(request, PlanJob):
                    self._plan(engine, request)
                elif isinstance(request, UseLora):
                    self._use_lora(engine, request)
                elif isinstance(request, Unload):
                    engine.close()
                    self.message.emit(Unloaded())
                else:
                    self._run_job(engine, request[0].job, request[1])
        finally:
            self.calls.close()
            self.turns.close()
            engine.close()

    def _load(self, engine: Engine, request: LoadModel) -> None:
        def overtaken() -> bool:
            return self.closing.is_set() or request.ticket != self.newest_load

        def tell(fraction: float) -> None:
            self.message.emit(LoadProgress(request.ticket, fraction))
            self.calls.serve(engine)

        if overtaken():
            return
        try:
            info = engine.load(
                request.folder,
                request.device,
                request.dtype,
                tell,
                overtaken,
            )
        except EngineCancelled:
            return
        except Exception as error:
            log.warning("Loading a model failed: %s", type(error).__name__)
            self.message.emit(LoadFailed(request.ticket, _failure_of(error)))
        else:
            self.message.emit(ModelLoaded(request.ticket, info))
            self._warm_up(engine)

    def _warm_up(self, engine: Engine) -> None:
        def is_cancelled() -> bool:  # whatever is asked for comes first
            return self.closing.is_set() or not self.requests.empty()

        if is_cancelled():
            return
        try:
            engine.warm_up(is_cancelled)
        except EngineCancelled:
            pass
        except Exception:  # the first take will say it in words
            log.warning("Warming up failed", exc_info=True)

    def _use_lora(self, engine: Engine, request: UseLora) -> None:
        if request.ticket != self.newest_lora:
            return
        try:
            lora = engine.use_lora(request.path, request.strength)
        except Exception as error:
            log.warning("A LoRA was not taken: %s", type(error).__name__)
            self.message.emit(LoraChanged(request.ticket, None, _failure_of(error)))
        else:
            self.message.emit(LoraChanged(request.ticket, lora))

    def _plan(self, engine: Engine, request: PlanJob) -> None:
        if request.ticket != self.newest_plan:
            return
        try:
            plan = engine.plan(request.job)
        except Exception as error:
            self.message.emit(PlanReady(request.ticket, None, _failure_of(error)))
        else:
            self.message.emit(PlanReady(request.ticket, plan))

    def _run_job(self, engine: Engine, job: Job, cancel: threading.Event) -> None:
        def is_cancelled() -> bool:
            return self.closing.is_set() or cancel.is_set()

        self.message.emit(JobStarted(job.job_id))
        failure: Failure | None = None
        try:
            if not is_cancelled():
                for chunk in engine.stream(job, is_cancelled):
                    self.message.emit(chunk)
                    self.calls.serve(engine)  # a save does not wait until the last take is made
        except EngineCancelled:
            pass
        except Exception as error:
            log.warning("A job failed: %s", type(error).__name__)
            failure = _failure_of(error)
        self.message.emit(JobEnded(job.job_id, cancelled=is_cancelled(), failure=failure))


class EngineWorker(QObject):
    """The window's side of the engine: wishes go in without ever waiting, facts come out as signals.

    Lives in the window's thread. At most one model is loaded and one job runs; chunks of a job that is no longer
    the current one are dropped.
    """

    load_started = Signal(str)  # folder
    load_progress = Signal(float)
    model_loaded = Signal(object)  # ModelInfo
    load_failed = Signal(object)  # Failure
    plan_ready = Signal(object)  # PlanReady
    job_started = Signal(object)  # Job
    chunk_arrived = Signal(object)  # Chunk
    job_ended = Signal(object)  # JobEnded
    busy_changed = Signal(bool)
    lora_changed = Signal(object)  # LoraInfo, or None for no LoRA
    lora_failed = Signal(object)  # Failure; what was in use stays
    unloaded = Signal()
    crashed = Signal(object)  # Failure; a new thread is there already

    def __init__(self, factory: EngineFactory, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._factory = factory
        self._thread = self._new_thread()
        self._ended: list[_EngineThread] = []
        self._numbers = itertools.count(1)
        self._job: Job | None = None
        self._info: ModelInfo | None = None
        self._last_load = ("", "auto", "auto")
        self._lora: LoraInfo | None = None
        self._loading = False
        self._closed = False
        self._deaths = 0  # engines that died one after the other since a person asked for something
        self._callers = 0
        self._turn = threading.Condition()  # notified when another thread takes over, or none will

    @property
    def lora(self) -> LoraInfo | None:
        """The LoRA that was chosen for the loaded model, or None."""
        return self._lora

    @property
    def model(self) -> ModelInfo | None:
        """The loaded model, or None."""
        return self._info

    @property
    def is_loading(self) -> bool:
        """Whether a model is being loaded."""
        return self._loading

    @property
    def process_id(self) -> int:
        """The number of the process that the model works in; 0 for this one, or none."""
        engine = self._thread.engine
        return 0 if engine is None else engine.process_id

    @property
    def job(self) -> Job | None:
        """The job that runs or is being stopped, or None."""
        return self._job

    def next_job_id(self) -> int:
        """Return a number that no job of this session has."""
        return next(self._numbers)

    def load(self, folder: str, device: str = "auto", dtype: str = "auto") -> None:
        """Load a model; a load that is under way and a job that runs are given up."""
        if self._closed:
            return
        self.cancel()
        self._info = None
        self._lora = None
        self._loading = True
        self._deaths = 0
        self._last_load = (folder, device, dtype)
        ticket = next(self._numbers)
        self._thread.newest_load = ticket
        self._start()
        self._thread.requests.put(LoadModel(ticket, folder, device, dtype))
        self.load_started.emit(folder)

    def unload(self) -> None:
        """Free the model, once the job that runs is stopped. Harmless when none is loaded."""
        if self._closed or (self._info is None and not self._loading):
            return
        self.cancel()
        self._info = self._lora = None
        self._loading = False
        self._thread.newest_load = next(self._numbers)  # a load that is under way is given up
        self._thread.requests.put(Unload())

    def use_lora(self, path: str, strength: float = 1.0) -> None:
        """Use a LoRA from the next job on (empty: none); answered by ``lora_changed`` or ``lora_failed``."""
        if self._closed or self._info is None:
            return
        ticket = next(self._numbers)
        self._thread.newest_lora = ticket
        self._thread.requests.put(UseLora(ticket, path, strength))

    def plan(self, job: Job) -> int:
        """Ask what the model would get; returns the ticket that ``plan_ready`` will carry."""
        ticket = next(self._numbers)
        if not self._closed and (self._info is not None or self._loading):
            self._thread.newest_plan = ticket
            self._thread.requests.put(PlanJob(ticket, job))
        return ticket

    def submit(self, job: Job) -> None:
        """Run a job. Raises RuntimeError when no model is loaded or a job runs: the caller has to look first."""
        if self._info is None or self._job is not None or self._closed:
            raise RuntimeError("a job needs a loaded model and an idle engine")
        self._job = job
        self._deaths = 0
        self._thread.newest_plan = 0  # plans that wait in the queue would only delay the sound
        self.busy_changed.emit(True)
        self._thread.cancel_job = threading.Event()
        self._thread.requests.put((RunJob(job), self._thread.cancel_job))

    def cancel(self) -> None:
        """Stop the running job between two steps; what was made is kept. Harmless when none runs."""
        if self._job is not None:
            self._thread.cancel_job.set()

    def call(self, work: Callable[[Engine], T]) -> T:
        """Let the engine's thread do something short between two steps of what it does, and wait for its answer.

        Called from any thread but the window's, which must not wait.

        An engine that dies over it is asked once more when it is there again. Raises EngineCancelled when the engine
        is closed before, EngineLost when it has died twice, and whatever ``work`` raises.
        """
        with self._turn:
            self._callers += 1
        self._deaths = 0
        try:
            return self._call(work)
        finally:
            with self._turn:
                self._callers -= 1

    @property
    def is_called(self) -> bool:
        """Whether another thread waits for an answer: something is being exported."""
        return self._callers > 0

    def _call(self, work: Callable[[Engine], T]) -> T:
        thread = self._thread
        self._start()
        try:
            return thread.calls.ask(work)
        except (EngineCancelled, EngineLost):
            if not self._is_followed(thread):
                raise
        self._start()
        return self._thread.calls.ask(work)

    def _is_followed(self, thread: _EngineThread) -> bool:
        """Wait until another thread has taken over from one that ended; False when the engine is closed instead."""
        with self._turn:
            self._turn.wait_for(lambda: self._closed or self._thread is not thread, _FOLLOW_SECONDS)
            return not self._closed and self._thread is not thread

    def speak_lines(
        self, model: ModelInfo, lines: Sequence[Line], is_cancelled: Callable[[], bool]
    ) -> list[list[TakeResult]]:
        """Let ``model`` speak lines of a dub as one batch, in its turn among the jobs, and wait for them.

        Called from any thread but the window's. See ``LineEngine``; EngineError also when another model was chosen
        meanwhile, EngineCancelled also when the engine ends.
        """
        thread = self._thread

        def speak(engine: Engine) -> list[list[TakeResult]]:
            if self._info is not model:
                raise EngineError(_ANOTHER_MODEL)
            return engine.speak_lines(lines, lambda: thread.closing.is_set() or is_cancelled())

        if self._closed:
            raise EngineCancelled
        self._deaths = 0
        return thread.turns.ask(speak)

    def close(self, wait_seconds: float) -> bool:
        """Stop everything and wait; False when the thread is still inside a call that cannot be interrupted."""
        with self._turn:
            self._closed = True
            self._turn.notify_all()
        self._thread.closing.set()
        self._thread.requests.put(None)
        engine = self._thread.engine
        if engine is not None:
            engine.give_up()
        return not self._thread.isRunning() or self._thread.wait(int(wait_seconds * 1000))

    def _new_thread(self) -> _EngineThread:
        thread = _EngineThread(self._factory)
        thread.message.connect(self._receive)
        return thread

    def _restart(self, failure: Failure) -> None:
        """The thread ended by itself: go on with a new one and the same model. What was made of the job is kept."""
        self._ended.append(self._thread)  # it may still be on its way out, and must not be deleted before
        with self._turn:
            self._thread = self._new_thread()
            self._turn.notify_all()
        # One that dies again before a person has asked for anything, as when it warms up, would do so for ever. What
        # counts is the asking: an engine that is killed just before it begins with a job has not failed by itself.
        job, had_model = self._job, self._info is not None
        again = had_model and self._deaths < _MOST_DEATHS
        deaths = self._deaths + 1
        failed = self._loading or (had_model and not again)
        self._job, self._info, self._lora, self._loading = None, None, None, False
        if job is not None:
            self.busy_changed.emit(False)
            self.job_ended.emit(JobEnded(job.job_id, failure=failure))
        if failed:  # the same load would only end it again
            self.load_failed.emit(failure)
        self.crashed.emit(failure)
        if again:
            self.load(*self._last_load)
            self._deaths = deaths

    def _start(self) -> None:
        self._thread.begin()

    @Slot(object)
    def _receive(self, message: object) -> None:
        if self._closed:
            return
        if self.sender() in self._ended:
            return
        match message:
            case Crashed(failure):
                self._restart(failure)
            case Unloaded():
                if self._info is None and not self._loading:
                    self.unloaded.emit()
            case LoraChanged(ticket, lora, failure):
                if ticket == self._thread.newest_lora and self._info is not None:
                    if failure is not None:
                        self.lora_failed.emit(failure)
                    else:
                        self._lora = lora
                        self.lora_changed.emit(lora)
            case LoadProgress(ticket, fraction):
                if ticket == self._thread.newest_load:
                    self.load_progress.emit(fraction)
            case ModelLoaded(ticket, info):
                if ticket == self._thread.newest_load:
                    self._loading = False
                    self._info = info
                    self.model_loaded.emit(info)
            case LoadFailed(ticket, failure):
                if ticket == self._thread.newest_load:
                    self._loading = False
                    self.load_failed.emit(failure)
            case PlanReady():
                if message.ticket == self._thread.newest_plan:
                    self.plan_ready.emit(message)
            case JobStarted(job_id):
                if self._job is not None and job_id == self._job.job_id:
                    self.job_started.emit(self._job)
            case Chunk():
                if self._job is not None and message.job_id == self._job.job_id:
                    self.chunk_arrived.emit(message)
            case JobEnded():
                # In a turn of its own: it comes with the last chunk, and what both set off is work for several frames.
                QTimer.singleShot(0, self, lambda: self._end_job(message))

    def _end_job(self, ended: JobEnded) -> None:
        if not self._closed and self._job is not None and ended.job_id == self._job.job_id:
            self._job = None
            self.busy_changed.emit(False)
            self.job_ended.emit(ended)

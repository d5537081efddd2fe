"""From a press of Generate to the takes: the jobs that wait, the one that runs, and what the model would get."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer

from app.audio.player import Player
from app.audio.sources import TakeSource
from app.core.forecast import Forecast
from app.core.job_queue import JobQueue, JobState, QueuedJob
from app.core.messages import Chunk, Failure, Job, JobEnded, ModelInfo, PlanInfo, PlanReady
from app.core.reproduce import Comparison, compare, job_of, was_cut
from app.core.settings import Settings
from app.core.takes import Take, TakeState, TakeStore
from app.engine.worker import EngineWorker
from app.model_control import ModelControl
from app.panels.compose_panel import ComposePanel
from app.panels.jobs_panel import JobsPanel
from app.panels.takes_panel import TakesPanel
from app.text_review import TextReview
from app.widgets.comparison_text import comparison_text
from app.widgets.notice import Notice
from app.widgets.status import StudioStatus

_PLAN_PAUSE_MS = 250


class JobControl(QObject):
    """At most one job runs, the others wait for it or for a model. Created after the panels that it reads and tells."""

    def __init__(
        self,
        settings: Settings,
        store: TakeStore,
        engine: EngineWorker,
        player: Player,
        models: ModelControl,
        review: TextReview,
        compose: ComposePanel,
        takes_panel: TakesPanel,
        notice: Notice,
        status: StudioStatus,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._store = store
        self._engine = engine
        self._player = player
        self._models = models
        self._review = review
        self._compose = compose
        self._takes_panel = takes_panel
        self._notice = notice
        self._status = status
        self.queue = JobQueue()
        self.forecast = Forecast()
        self.panel = JobsPanel(self.queue)
        self._stopping = False
        self._plan_of: tuple[int, Job] = (0, Job(0, ""))
        self._speed = 0.0
        self._plan_timer = QTimer(self, interval=_PLAN_PAUSE_MS, singleShot=True)
        self._plan_timer.timeout.connect(self._plan)
        self.panel.move_requested.connect(self.queue.move)
        self.panel.cancel_requested.connect(self.cancel)
        self.panel.retry_requested.connect(self.run_again)
        self.queue.on_changed(self._queue_changed)
        review.refused.connect(self._refused)

    # Wishes ----------------------------------------------------------------------------------------------------------

    def generate(self) -> None:
        """Make takes of what the fields say; loads the model first when it is not there yet."""
        if self._compose.reason_not_to():
            return
        self._compose.clear_problems()
        self._notice.hide()
        self._review.ask([self._compose.job()], self._generate)

    def generate_all(self, jobs: Sequence[Job]) -> None:
        """Make takes of several jobs, one after the other."""
        self._review.ask(jobs, self._add_all)

    def retry(self, take: Take) -> None:
        """Make a doubtful take once more with the seed that was offered; the take itself stays."""
        if take.next_seed is not None:
            self._review.ask([self._job_like(take, seed=take.next_seed)], lambda jobs: self._add(QueuedJob(jobs[0])))

    def render_in_full(self, take: Take) -> None:
        """Make a draft once more with its seed and the steps of a full take; the draft stays."""
        steps = self._compose.advanced.full_steps
        job = self._job_like(take, take.job.seed if take.seed is None else take.seed, steps)
        self._review.ask([job], lambda jobs: self._render(take, jobs[0]))

    def _render(self, take: Take, job: Job) -> None:
        self._add(QueuedJob(job))
        self._notice.show_notice(
            self.tr(
                "The take is made in full with seed {seed} and {steps} steps. It may differ from the draft: "
                "more steps change the sound, and now and then words and melody too. The draft stays in the list."
            ).format(seed=take.seed, steps=job.steps)
        )

    def reproduce(self, take: Take) -> None:
        """Make a take once more with the loaded model, compare, and keep what came out only if it differs."""
        if self._engine.model is None:
            self._notice.show_notice(self.tr("Load a model first, then try again."))
            return
        self._notice.hide()
        job = job_of(take, self._engine.next_job_id())
        self._review.ask([job], lambda jobs: self._add(QueuedJob(jobs[0], again=take)))

    def run_again(self, entry: QueuedJob) -> None:
        """Let a job that failed or was stopped wait once more."""
        self.queue.retry(entry, self._engine.next_job_id())
        self._wake()

    def cancel(self, entry: QueuedJob) -> None:
        """Stop the job if it runs, else take it out."""
        if entry.state is JobState.RUNNING:
            self._stop_running()
        else:
            self.queue.remove(entry)
        self.update_state()

    def stop(self) -> None:
        """Stop what runs and is heard, and keep what was made; what waits follows.

        If nothing runs, what waits is given up.
        """
        self._hush()
        self.queue.drop_waiting(follow_ups_only=self._engine.job is not None)
        self._stop_running()
        self.update_state()

    def draft_changed(self) -> None:
        """Follow the fields: the mode at once, the rest when nobody types for a moment."""
        mode = self._compose.panel.mode()
        if mode != self._compose.plan_strip.mode:
            self._compose.plan_strip.show_preview(self._compose.job(), mode)
        self._plan_timer.start()

    def update_state(self) -> None:
        """Say whether takes can be made now, and if not, why."""
        note, blocked = "", ""
        if self._engine.job is not None:
            waiting = len(self.queue.waiting)
            note = self.tr("Takes are being made. Esc stops.")
            if waiting:
                note = self.tr("Takes are being made. Esc stops. Jobs that wait: {count}").format(count=waiting)
        elif self.queue.waiting:
            note = self.tr("The takes follow as soon as the model is loaded. Esc gives it up.")
        elif not self._models.folder:
            blocked = self.tr("Choose a model first: the button at the top right.")
        self._compose.set_state(blocked, busy=self._engine.job is not None or bool(self.queue.waiting), note=note)

    # Facts from the engine -------------------------------------------------------------------------------------------

    def load_started(self, folder: str) -> None:
        """Another model is on its way: a job that still runs is being given up."""
        self._stopping = self._engine.job is not None
        self.update_state()

    def model_loaded(self, model: ModelInfo) -> None:
        """Begin with the job that waited for this model."""
        self._speed = 0.0
        self._status.show_speed(0.0)
        self._compose.set_model(model)
        self._begin_next()
        self.update_state()
        self._plan_timer.start()

    def load_failed(self, failure: Failure) -> None:
        """What waited for this model can be tried again."""
        self.queue.fail_waiting(failure)
        self.update_state()

    def chunk_arrived(self, chunk: Chunk) -> None:
        """Put new sound into its take."""
        take = self._store.take_in(chunk)
        if take is None:
            return
        self._status.show_job(self._store.of_job(chunk.job_id), self._stopping)
        running = self.queue.running
        again = None if running is None else running.again
        if again is not None and was_cut(again) and take.reproduces and take.seconds >= again.seconds:
            self._engine.cancel()  # there is nothing more to compare with
        if take.result is not None and take.real_time_factor:
            self._speed = take.real_time_factor
            self._status.show_speed(self._speed)
            self.forecast.learn(take)
        self._show_waits()
        first = chunk.patch == 0 and chunk.samples.size > 0
        if first and take is self._takes_panel.current and self._settings.get("play_while_made"):
            self._player.play()

    def job_ended(self, ended: JobEnded) -> None:
        """Close the takes of a job and say how it went."""
        takes = self._store.of_job(ended.job_id)
        self._store.close_job(ended.job_id, TakeState.FAILED if ended.failure else TakeState.STOPPED)
        self._stopping = False
        entry = self.queue.running
        if entry is not None and entry.again is not None:
            self._compare(entry.again, takes, ended)
        shown = self._compose.show_problem(ended.failure) if ended.failure is not None else False
        if entry is not None:
            self._end(entry, takes, ended, shown)
        if ended.failure is not None:
            self._status.show_idle()
            if not shown:
                self._notice.show_failure(ended.failure)
        elif self._engine.is_loading:
            self._status.show_loading(0.0)
        elif ended.cancelled:
            self._status.show_idle(self.tr("Stopped. What was made is kept."))
        else:
            made = sum(self._store.find(take.uid) is take for take in takes)
            self._status.show_idle(self.tr("Done. Takes made: {count}").format(count=made))
        self._begin_next()
        self.update_state()
        self._plan_timer.start()

    def plan_ready(self, ready: PlanReady) -> None:
        """Show what the model would get, or what it would refuse."""
        ticket, job = self._plan_of
        if ready.ticket != ticket:
            return
        if ready.plan is not None:
            self._compose.clear_problems()
            self._show_plan(job, ready.plan)
        elif ready.failure is not None:
            self._compose.show_problem(ready.failure)

    def learn(self, takes: Sequence[Take]) -> None:
        """Learn from takes of earlier starts, the oldest first."""
        for take in takes:
            self.forecast.learn(take)

    # Inside ----------------------------------------------------------------------------------------------------------

    def _job_like(self, take: Take, seed: int, steps: int = 0) -> Job:
        """The job of a take once more, for one take with this seed; ``steps`` 0: as many."""
        job = take.job
        return replace(job, job_id=self._engine.next_job_id(), takes=1, seed=seed, steps=steps or job.steps)

    def _generate(self, jobs: Sequence[Job]) -> None:
        self._compose.seed.advance()
        self._compose.advanced.keep_recent()
        self._add_all(jobs)

    def _add_all(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            self._add(QueuedJob(replace(job, job_id=self._engine.next_job_id()), self._settings.get("retries")))

    def _refused(self, failure: Failure) -> None:
        if not self._compose.show_problem(failure):
            self._notice.show_failure(failure)

    def _add(self, entry: QueuedJob, *, first: bool = False) -> None:
        self.queue.add(entry, first=first)
        self._wake()

    def _wake(self) -> None:
        """Begin with what waits; load the model first when it is not there yet."""
        if self._engine.model is not None:
            self._begin_next(pressed=True)
        elif not self._engine.is_loading and self.queue.waiting:
            self._models.load_chosen()
        self.update_state()

    def _begin_next(self, *, pressed: bool = False) -> None:
        model = self._engine.model
        if model is None or self._engine.job is not None:
            return
        entry = self.queue.begin()
        if entry is None:
            return
        self._stopping = False
        reproduces = None if entry.again is None else {entry.again.row: entry.again.uid}
        # Names are for the consent record alone.
        takes = self._store.open_job(entry.job.without_names(), model, reproduces)
        # What waited takes nobody away from what they are listening to.
        if pressed or not (self._player.is_active or self._takes_panel.compare_bar.is_running):
            self._takes_panel.select(next((take for take in takes if take.reproduces), takes[0]))
        self._engine.submit(entry.job)
        self._status.show_job(takes, stopping=False)
        if self._takes_panel.current in takes and self._settings.get("play_while_made"):
            self._player.prepare()

    def _end(self, entry: QueuedJob, takes: tuple[Take, ...], ended: JobEnded, shown: bool) -> None:
        """Take the job out of the queue, or keep it there to be tried again; doubtful takes are made anew."""
        if ended.failure is not None and not shown:
            self.queue.end(entry, JobState.FAILED, ended.failure)
        elif ended.cancelled and entry.again is None:
            self.queue.end(entry, JobState.STOPPED)
        else:
            self.queue.end(entry, None)
        if ended.failure is None and not ended.cancelled and entry.retries > 0 and entry.again is None:
            for take in reversed([take for take in takes if take.next_seed is not None]):
                job = self._job_like(take, seed=take.next_seed or 0)
                self.queue.add(QueuedJob(job, entry.retries - 1, follows=True), first=True)

    def _stop_running(self) -> None:
        if self._engine.job is not None:
            self._stopping = True
            self._engine.cancel()
            self._status.show_job(self._store.of_job(self._engine.job.job_id), stopping=True)

    def _hush(self) -> None:
        """Hold the sound of a take that is being made."""
        source, job = self._player.source, self._engine.job
        if job is not None and isinstance(source, TakeSource) and source.take in self._store.of_job(job.job_id):
            self._player.pause()

    def _queue_changed(self) -> None:
        self._show_waits()
        self.update_state()

    def _show_waits(self) -> None:
        """Tell how long each job will still take, as far as that is known."""
        model = self._engine.model
        if model is None or self.panel.isHidden():
            return
        seconds = {entry: self.forecast.wait(model, entry.job) for entry in self.queue.waiting}
        running = self.queue.running
        if running is not None:
            takes = [take for take in self._store.of_job(running.job.job_id) if take.is_growing]
            left = max((sum(take.expected_patches) / 2 - take.patches for take in takes), default=0.0)
            factor = self.forecast.real_time_factor(model, running.job) or self._speed
            seconds[running] = max(0.0, left) * model.patch_seconds * factor
        self.panel.show_seconds(seconds)

    def _compare(self, before: Take, takes: tuple[Take, ...], ended: JobEnded) -> None:
        """Say what came of making ``before`` again; of ``takes`` only one that differs stays."""
        now = next((take for take in takes if take.reproduces), None)
        comparison: Comparison | None = None
        if now is not None and now.seconds > 0 and ended.failure is None:
            comparison = compare(before, now)
        if comparison is not None and not comparison.identical:
            assert now is not None
            now.pending = False
        self._takes_panel.select(before)
        for take in takes:
            if take.pending and self._store.find(take.uid) is take:
                self._store.remove(take)
        if comparison is not None:
            message, details = comparison_text(comparison)
            self._notice.show_notice(message, details)
            if now is not None and not now.pending:
                self._store.tell(now)

    def _show_plan(self, job: Job, plan: PlanInfo) -> None:
        model = self._engine.model
        factor = self.forecast.real_time_factor(model, job) if model is not None else 0.0
        seconds = self.forecast.seconds(model, job) if model is not None else 0.0
        self._compose.plan_strip.show_plan(job, plan, factor or self._speed, seconds)

    def _plan(self) -> None:
        job, panel = self._compose.job(), self._compose.panel
        self._compose.plan_strip.show_preview(job, panel.mode())
        complete = job.mode == panel.mode() and bool(job.text.strip())
        if complete and self._engine.model is not None and self._engine.job is None:
            self._plan_of = (self._engine.plan(job), job)

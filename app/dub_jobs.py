"""What takes long in a dub: making takes, and the mix; with the model loaded first where it has to be."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject

from app.core.messages import MAX_SEED, SAVED, Failure, Job, ModelInfo, VoiceSpec
from app.core.models import same_folder
from app.core.settings import Settings
from app.dub_desk import DubDesk
from app.engine.worker import EngineWorker
from app.model_control import ModelControl
from app.panels.dubbing_panel import DubbingPanel
from app.text_review import TextReview
from app.widgets.notice import Notice

if TYPE_CHECKING:
    from app.core.dubbing.editing import Dubbing
    from app.core.dubbing.making import MakeOptions, Progress
    from app.core.dubbing.overview import Overview
    from app.dub_export import DubExport, DubWishes
    from app.marks.choice import MarkTools


@dataclass(frozen=True, eq=False)
class _Wish:
    """Takes that are to be made: of which cues, further ones or missing ones, and what a person has decided about."""

    dubbing: Dubbing
    only: frozenset[str] | None
    again: bool
    decided: frozenset[str] = frozenset()


def _jobs_of(dubbing: Dubbing) -> list[Job]:
    """Everything that is spoken in a dub, each part as a job, for those who look at texts."""
    from app.core.dubbing.pauses import parts_of

    dub, jobs = dubbing.dub, []
    for cue in dub.cues:
        voice = dub.role_of(cue).voice
        spec = VoiceSpec(reference=SAVED, voice_id=voice) if voice else None
        jobs += [Job(0, part.text, voice=spec) for part in parts_of(dubbing.spoken(cue, dub))[1]]
    return jobs


class DubJobs(QObject):
    """One long thing at a time. ``refresh`` shows what has changed of the dub."""

    def __init__(
        self,
        settings: Settings,
        engine: EngineWorker,
        models: ModelControl,
        desk: DubDesk,
        panel: DubbingPanel,
        notice: Notice,
        review: TextReview,
        refresh: Callable[[], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._settings, self._engine, self._models = settings, engine, models
        self._desk, self._panel, self._notice, self._refresh = desk, panel, notice, refresh
        self._review = review
        self._looking: _Wish | None = None  # whose texts are looked at
        self._waiting: _Wish | None = None  # for the model
        engine.model_loaded.connect(self._model_loaded)
        engine.load_failed.connect(self._load_failed)
        desk.progressed.connect(self._progressed)
        desk.made.connect(self._made)
        desk.stopped.connect(self._stopped)
        desk.export_step.connect(self._export_step)
        desk.exported.connect(self._exported)
        desk.failed.connect(self._failed)

    # Wishes ----------------------------------------------------------------------------------------------------------

    def make(self, dubbing: Dubbing, only: frozenset[str] | None = None, *, again: bool = False) -> None:
        """Make what is missing or stale, or further takes of some cues; loads the model first if it is not there."""
        if self._panel.is_busy:
            return
        self._notice.hide()
        wish = self._looking = _Wish(dubbing, only, again)
        self._panel.show_progress(-1.0, self.tr("Looking at the texts…"))
        self._desk.find_sensitive(_jobs_of(dubbing), lambda found: self._looked(wish, found))

    def _looked(self, wish: _Wish, found: list[Job]) -> None:
        """Ask a person about texts that could deceive; what is stopped or another wish meanwhile is forgotten."""
        if self._looking is not wish:
            return
        self._looking = None
        self._panel.show_progress(None)
        self._review.ask(found, lambda jobs: self._begin(wish, frozenset().union(*(job.decided for job in jobs))))

    def _begin(self, wish: _Wish, decided: frozenset[str]) -> None:
        if self._panel.is_busy:
            return
        wish = replace(wish, decided=decided)
        if self._engine.model is not None:
            self._make(wish, self._engine.model)
            return
        self._waiting = wish
        self._panel.show_progress(-1.0, self.tr("Loading the model…"))
        if not self._engine.is_loading:
            self._models.load_chosen()
            if not self._engine.is_loading:  # there is none to load: that was said already
                self._waiting = None
                self._panel.show_progress(None)

    def export(
        self, wishes: DubWishes, overview: Overview, original: Callable[[], Path] | None, tools: MarkTools
    ) -> None:
        """Mix and write files."""
        if self._panel.is_busy:
            return
        self._notice.hide()
        self._panel.show_progress(-1.0, self.tr("Mixing…"))
        self._desk.export(wishes, overview, original, tools)

    def stop(self) -> None:
        """Stop what runs; what was finished is kept."""
        if self._waiting is not None or self._looking is not None:
            self._waiting = self._looking = None
            self._panel.show_progress(None)
        elif self._panel.is_busy:
            self._panel.show_progress(-1.0, self.tr("Stopping…"))
            self._desk.stop()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _make(self, wish: _Wish, model: ModelInfo) -> None:
        self._panel.show_progress(-1.0, self.tr("Making takes…"))
        self._desk.make(wish.dubbing, model, self._options(model, wish.decided), wish.only, again=wish.again)

    def _options(self, model: ModelInfo, decided: frozenset[str]) -> MakeOptions:
        from app.core.dubbing.making import MakeOptions

        get = self._settings.get
        own = bool(get("own_sampling"))
        return MakeOptions(
            seed=random.randint(0, MAX_SEED),
            takes=self._panel.takes.value(),
            steps=get("steps"),
            cfg=None if own else get("cfg"),
            temperature=None if own else get("temperature"),
            min_patches=get("min_patches"),
            max_patches=get("max_patches"),
            retry_ratio=get("retry_ratio"),
            normalize=get("normalize"),
            # The bundled model is one voice; others would be another person in each line.
            decided=decided,
            steady=not (self._models.bundled and same_folder(model.folder, self._models.bundled)),
        )

    def _model_loaded(self, model: ModelInfo) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._make(waiting, model)

    def _load_failed(self, failure: Failure) -> None:
        if self._waiting is not None:
            self._waiting = None
            self._panel.show_progress(None)

    def _progressed(self, progress: Progress) -> None:
        text = self.tr("{done} of {total} cues are made").format(done=progress.done, total=progress.total)
        self._refresh()
        self._panel.show_progress(progress.done / max(1, progress.total), text)

    def _made(self, takes: int, notes: list[str]) -> None:
        self._end()
        if notes:
            self._notice.show_notice(" ".join(QCoreApplication.translate("Making", note) for note in notes))

    def _stopped(self) -> None:
        self._end()

    def _export_step(self, phase: str, done: int, total: int) -> None:
        text = {
            "mix": self.tr("Mixing…"),
            "marks": self.tr("Marking and writing the mix…"),
            "check": self.tr("Checking the mix…"),
            "stems": self.tr("Writing stems…"),
            "cues": self.tr("Writing cues…"),
        }[phase]
        self._panel.show_progress(done / total if total > 1 else -1.0, text)

    def _exported(self, export: DubExport) -> None:
        self._end()
        mixed = export.mixed
        assert mixed is not None
        text = self.tr("Saved: {path}. Loudness {loudness:.1f} LUFS, true peak {peak:.1f} dB.").format(
            path=export.wishes.out, loudness=mixed.loudness, peak=mixed.true_peak_db
        )
        details = "\n".join([*export.notes, *map(str, export.written[1:])])
        self._notice.show_notice(text, details)

    def _failed(self, what: str, failure: Failure) -> None:
        if what not in ("make", "export"):
            return
        self._end()
        sentence = {
            "make": self.tr("The takes could not be made to the end. What was made is kept."),
            "export": self.tr("The mix could not be written."),
        }[what]
        if failure.code:
            self._notice.show_failure(failure)
        else:
            self._notice.show_notice(f"{sentence} {failure.message}", failure.details)

    def _end(self) -> None:
        self._panel.show_progress(None)
        self._refresh()

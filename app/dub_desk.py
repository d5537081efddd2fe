"""What the dubbing panel needs done off the window's thread: opening, saving, listening, making takes, exporting."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject, QThreadPool, Signal, Slot

from app.core.consent.verify import ConsentRefused
from app.core.engine_api import EngineCancelled, EngineError
from app.core.library import Library
from app.core.messages import Failure, Job, ModelInfo
from app.core.peaks import PeakPyramid
from app.core.project import Project, Snapshot
from app.engine.worker import EngineWorker

if TYPE_CHECKING:
    from app.core.dubbing.cues import Dub
    from app.core.dubbing.editing import Dubbing
    from app.core.dubbing.fit import Placed
    from app.core.dubbing.making import MakeOptions, Progress
    from app.core.dubbing.opening import Opened
    from app.core.dubbing.overview import Overview
    from app.core.project_files import FileReference
    from app.core.voice_card import SavedVoice
    from app.dub_export import DubExport, DubWishes
    from app.marks.choice import MarkTools

log = logging.getLogger(__name__)

SOUND_RATE = 16_000
"""Hz at which the original sound is shown and listened to; the mix has it at its own rate."""


@dataclass(frozen=True, eq=False)
class OriginalSound:
    """The original sound: ``path`` of its file, float32 [n] on the disk at ``SOUND_RATE``, and its peaks."""

    path: Path
    samples: np.ndarray
    peaks: PeakPyramid


@dataclass(frozen=True)
class VoiceChoice:
    """A saved voice as the cast offers it; ``usable``: nothing speaks against making speech with it now."""

    voice: SavedVoice
    usable: bool


class DubDesk(QObject):
    """Short things are done one after the other in a thread of its own, long ones (making, exporting) in another.

    The project belongs to the window's thread; what runs elsewhere has it changed there, see ``_owner``.
    """

    opened = Signal(object)  # Opened
    saved = Signal()
    voices_listed = Signal(object)  # VoiceChoices
    sound_loaded = Signal(object)  # OriginalSound
    heard = Signal(object, object, int, int)  # what was asked for, samples float32 [n], Hz, ms at which they begin
    frame_read = Signal(object, object)  # what was asked for, RGB bytes or None
    progressed = Signal(object)  # Progress
    made = Signal(int, object)  # takes, notes
    stopped = Signal()
    export_step = Signal(str, int, int)  # phase, done, of so many
    exported = Signal(object)  # DubExport
    failed = Signal(str, object)  # what was asked, Failure
    done = Signal()  # one thing that was asked, whichever way it went

    _asked = Signal(object, object)  # work, its future
    _told = Signal(object)  # work that nobody waits for

    def __init__(self, library: Library, engine: EngineWorker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.library, self._engine = library, engine
        self._closing = threading.Event()
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._pending: set[Future[Any]] = set()
        self._newest: dict[str, object] = {}
        # Saving waits for nothing, and listening not for a film that is being read.
        self._pools = {kind: QThreadPool() for kind in ("save", "short", "slow", "long")}
        for pool in self._pools.values():
            pool.setMaxThreadCount(1)
        self._bed_folder: Path | None = None
        self._asked.connect(self._serve)
        self._told.connect(self._hear)

    # Short things ----------------------------------------------------------------------------------------------------

    def open(self, path: Path) -> None:
        """Open a project, or make one of a file; ``opened`` tells."""

        def work() -> None:
            from app.core.dubbing.opening import open_any

            opened = open_any(path)
            if self._closing.is_set():
                opened.project.close()
            else:
                self.opened.emit(opened)

        self._begin("open", work)

    def save(self, project: Project, snapshot: Snapshot, then: Callable[[], None] | None = None) -> None:
        """Write a snapshot; ``then`` is called in that thread afterwards, whether or not it could be written."""

        def work() -> None:
            try:
                project.write(snapshot)
                self.saved.emit()
            finally:
                if then is not None:
                    then()

        self._begin("save", work, "save")

    def list_voices(self) -> None:
        """List the saved voices; ``voices_listed`` tells."""

        def work() -> None:
            from app.core.consent.verify import Use

            voices = self.library.voices
            found = [
                VoiceChoice(voice, voices.verdict(voice.voice_id, Use("generate")).ok)
                for voice in voices.all()
                if voice.card is not None
            ]
            self.voices_listed.emit(found)

        self._begin("voices", work)

    def admit(self, dubbing: Dubbing, voice_id: str, then: Callable[[], None], refused: Callable[[str], None]) -> None:
        """Ask the door for a voice of a dub; ``then`` or ``refused`` is called in the window's thread."""

        def work() -> None:
            from app.core.dubbing.casting import note_project

            try:
                self.library.door.admit(voice_id)
                note_project(dubbing, self.library.door, voice_id)
            except ConsentRefused as error:
                reason = str(error)
                self._told.emit(lambda: refused(reason))
            else:
                self._told.emit(then)

        self._begin("voices", work)

    def find_lost(self, dubbing: Dubbing, then: Callable[[frozenset[str]], None]) -> None:
        """Find out which takes of a dub the library does not have; ``then`` gets them, in the window's thread."""
        kept = dubbing.as_kept

        def work() -> None:
            from app.core.dubbing.making import lost_takes

            lost = lost_takes(kept, self.library.takes)
            self._told.emit(lambda: then(lost))

        self._begin("takes", work)

    def find_sound(self, project: Project, reference: FileReference) -> None:
        """Find and decode the original sound of a project; ``sound_loaded`` tells."""
        self._begin("sound", lambda: self._load_sound(project.files.find(reference)), "slow")

    def take_sound(self, project: Project, path: Path, then: Callable[[dict[str, Any]], None]) -> None:
        """Decode the original sound; ``then`` gets its reference, in the window's thread."""

        def work() -> None:
            self._load_sound(path)
            plain = project.files.refer(path).to_plain()
            self._told.emit(lambda: then(plain))

        self._begin("sound", work, "slow")

    def find_sensitive(self, jobs: Sequence[Job], then: Callable[[list[Job]], None]) -> None:
        """Find out which texts ask for a human decision; ``then`` gets their jobs, in the window's thread."""

        def work() -> None:
            from app.core.sensitive_review import findings_of

            found = [job for job in jobs if findings_of([job.text])]
            self._told.emit(lambda: then(found))

        self._begin("make", work)

    def listen(self, one: Placed, key: object) -> None:
        """Make a cue as it will be heard; ``heard`` tells, unless something else was asked for meanwhile."""

        def work() -> None:
            from app.core.dubbing.listening import heard_cue

            if self._newest.get("listen") is key:
                samples, rate = heard_cue(one, self._sound_of)
                self.heard.emit(key, samples, rate, one.start)

        self._newest["listen"] = key
        self._begin("listen", work)

    def excerpt(
        self, placed: list[Placed], start_ms: int, length_ms: int, sound: OriginalSound | None, key: object
    ) -> None:
        """Make a stretch of the dub to listen to; ``heard`` tells, unless something else was asked for meanwhile."""

        def tick() -> None:
            if self._newest.get("listen") is not key or self._closing.is_set():
                raise EngineCancelled

        def work() -> None:
            from app.core.dubbing.listening import excerpt

            bed = sound.samples if sound is not None else None
            made = excerpt(placed, self._sound_of, start_ms, length_ms, SOUND_RATE, bed, tick=tick)
            self.heard.emit(key, made, SOUND_RATE, start_ms)

        self._newest["listen"] = key
        self._begin("listen", work)

    def frame(self, path: Path, milliseconds: int, width: int, height: int) -> None:
        """Read a picture of a film; ``frame_read`` tells, unless another was asked for meanwhile."""
        key = (path, milliseconds)

        def work() -> None:
            from app.core.dubbing.frames import read_frame

            if self._newest.get("frame") == key:
                rgb = read_frame(path, milliseconds, width, height, self._closing.is_set)
                self.frame_read.emit(key, rgb)

        self._newest["frame"] = key
        self._begin("frame", work, "slow")

    def forget_sound(self) -> None:
        """Remove the decoded sound from the disk."""
        folder, self._bed_folder = self._bed_folder, None
        if folder is not None:
            import shutil

            self._begin("sound", lambda: shutil.rmtree(folder, ignore_errors=True), "slow")

    # Long things -----------------------------------------------------------------------------------------------------

    def make(
        self, dubbing: Dubbing, model: ModelInfo, options: MakeOptions, only: frozenset[str] | None, *, again: bool
    ) -> None:
        """Make what is missing, or (``again``) further takes; ``made`` tells, and ``progressed`` before."""
        self._stop = stop = threading.Event()

        def work() -> None:
            from app.core.dubbing.casting import VoiceSpecs, refusals
            from app.core.dubbing.making import Maker

            dub: Dub = self._owner(lambda: dubbing.dub)
            if refused := refusals(dub, self.library.door):
                said = ((", ".join(filter(None, one.characters)), one.reason) for one in refused)
                message = " ".join(f"{who}: {reason}" if who else reason for who, reason in said)
                raise EngineError(Failure(message, "consent"))
            specs = VoiceSpecs(self.library.voices, takes_reference=model.takes_reference)
            lines = _Lines(self._engine, model)
            library = self.library
            maker = Maker(dubbing, lines, model, library.store, library.takes, specs.of, options, self._owner)
            count = maker.run(lambda: stop.is_set() or self._closing.is_set(), self._progress, only, again=again)
            self.made.emit(count, maker.notes)

        self._begin("make", work, "long")

    def export(
        self,
        wishes: DubWishes,
        overview: Overview,
        original: Callable[[], Path] | None,
        tools: MarkTools,
    ) -> None:
        """Mix and write files; ``exported`` tells, and ``export_step`` before. ``original`` finds the bed's file."""
        self._stop = stop = threading.Event()
        last: list[object] = [None]

        def tell(phase: str, done: int, total: int) -> None:
            if stop.is_set() or self._closing.is_set():
                raise EngineCancelled
            if last[0] != (phase, done):
                last[0] = (phase, done)
                self.export_step.emit(phase, done, total)

        def work() -> None:
            from app.dub_export import DubExport

            export: DubExport = DubExport(wishes, tools, tell)
            export.check(overview.dub)
            export.write(overview, self.library, None if original is None else original())
            self.exported.emit(export)

        self._begin("export", work, "long")

    def stop(self) -> None:
        """Stop what takes long; what was finished is kept."""
        self._stop.set()

    def close(self, wait_seconds: float) -> bool:
        """Give everything up but what is being saved; False when that takes longer."""
        self._closing.set()
        self._stop.set()
        with self._lock:
            pending, self._pending = self._pending, set()
        for future in pending:
            future.cancel()
        milliseconds = int(wait_seconds * 1000)
        ended = [pool.waitForDone(milliseconds) for pool in self._pools.values()]
        return all(ended)

    # In the threads --------------------------------------------------------------------------------------------------

    def _begin(self, what: str, work: Callable[[], None], pool: str = "short") -> None:
        def run() -> None:
            try:
                work()
            except EngineCancelled:
                if pool == "long":
                    self.stopped.emit()
            except EngineError as error:
                self.failed.emit(what, error.failure)
            except Exception as error:
                log.warning("The dubbing desk could not do what was asked (%s): %s", what, type(error).__name__)
                log.debug("Details", exc_info=True)
                self.failed.emit(what, Failure(str(error) or type(error).__name__))
            self.done.emit()

        self._pools[pool].start(run)

    def _owner(self, work: Callable[[], Any]) -> Any:
        """Have something done in the window's thread and wait for it. EngineCancelled: the studio is being closed."""
        future: Future[Any] = Future()
        with self._lock:
            if self._closing.is_set():
                raise EngineCancelled
            self._pending.add(future)
        self._asked.emit(work, future)
        try:
            return future.result()
        except CancelledError as error:
            raise EngineCancelled from error

    def _check(self) -> None:
        if self._closing.is_set():
            raise EngineCancelled

    def _progress(self, progress: Progress) -> None:
        self.progressed.emit(progress)

    def _sound_of(self, uid: str) -> tuple[np.ndarray, int]:
        take = self.library.takes.filled(uid)
        return take.samples, take.sample_rate

    def _load_sound(self, path: Path) -> None:
        import uuid

        from app.core.dubbing.bed import read_bed
        from app.core.store import errors

        folder = self.library.store.temporary / f"sound-{uuid.uuid4().hex}"
        with errors.files(folder):
            folder.mkdir(mode=0o700)
        self._bed_folder = folder
        samples = read_bed(path, SOUND_RATE, 1, folder, self._check)[:, 0]
        peaks = PeakPyramid()
        peaks.extend(samples)
        self.sound_loaded.emit(OriginalSound(path, samples, peaks))

    # In the window's thread ------------------------------------------------------------------------------------------

    @Slot(object)
    def _hear(self, work: Callable[[], None]) -> None:
        if not self._closing.is_set():
            work()

    @Slot(object, object)
    def _serve(self, work: Callable[[], Any], future: Future[Any]) -> None:
        with self._lock:
            self._pending.discard(future)
        if self._closing.is_set() or not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)


class _Lines:
    """The engine's thread as a line engine, for one model."""

    def __init__(self, engine: EngineWorker, model: ModelInfo) -> None:
        self._engine, self._model = engine, model

    def speak_lines(self, lines: Any, is_cancelled: Callable[[], bool]) -> Any:
        """See ``LineEngine``."""
        return self._engine.speak_lines(self._model, lines, is_cancelled)


__all__ = ["SOUND_RATE", "DubDesk", "Opened", "OriginalSound", "VoiceChoice"]

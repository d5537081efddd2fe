"""Judges takes when the engine has nothing to do, off the window's thread, and tells the panels what came of it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Signal

from app.core.audio_files import AudioFileError
from app.core.engine_api import EngineCancelled
from app.core.library import Library
from app.core.quality import QualityBoard, QualityCard
from app.core.settings import Settings
from app.core.takes import Take, TakeStore
from app.engine.worker import EngineWorker
from app.widgets.background import BackgroundQueue

log = logging.getLogger(__name__)


Sound = tuple[np.ndarray, int]
Judge = Callable[[str, np.ndarray, int, Sound | None, Path | None], QualityCard]
"""Measures a take in another process: text, sound and rate, the recording that it was made from, the recogniser."""


class QualityControl(QObject):
    """Takes of this session are judged by themselves, those of earlier starts when they are looked at."""

    judged = Signal(object)  # Take

    def __init__(
        self,
        settings: Settings,
        store: TakeStore,
        engine: EngineWorker,
        board: QualityBoard,
        library: Library,
        judge: Judge,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings, self._store, self._engine = settings, store, engine
        self._board, self._library = board, library
        self._judge = judge
        self._queue = BackgroundQueue(self)
        self._waiting: dict[str, Take] = {}
        self._running = ""
        self._looked_at: Take | None = None
        engine.busy_changed.connect(lambda busy: self._next())
        settings.on_changed(self._setting_changed)
        store.on_changed(self._changed)
        store.on_removed(self._removed)

    @property
    def is_idle(self) -> bool:
        """Whether no take waits for its card."""
        return not self._waiting and not self._running

    def is_waiting(self, take: Take) -> bool:
        """Whether the card of this take is on its way."""
        return take.uid in self._waiting or take.uid == self._running

    def look_at(self, take: Take | None) -> None:
        """Judge a take that a person looks at, before all others; one of an earlier start once its sound is read."""
        self._looked_at = take
        if take is not None and self._wanted(take):
            self._waiting = {take.uid: take, **self._waiting}
            self._next()

    def close(self, wait_seconds: float) -> bool:
        """Wait for the one that is being judged; False when that takes longer."""
        self._waiting.clear()
        return self._queue.close(wait_seconds)

    # Inside ----------------------------------------------------------------------------------------------------------

    def _wanted(self, take: Take) -> bool:
        ready = not take.is_growing and not take.is_unread and not take.pending and take.seconds > 0
        known = self._board.card(take) is not None or take.uid == self._running
        return bool(self._settings.get("quality_card")) and ready and not known

    def _changed(self, take: Take) -> None:
        if take.is_growing:
            return
        if self._board.card(take) is not None:  # its marks count for its place
            self._board.order(self._press_of(take))
        elif (not take.restored or take is self._looked_at) and take.uid not in self._waiting and self._wanted(take):
            self._waiting[take.uid] = take
            self._next()

    def _removed(self, take: Take) -> None:
        self._waiting.pop(take.uid, None)
        self._board.forget(take)

    def _setting_changed(self, key: str) -> None:
        if key == "quality_card" and not self._settings.get(key):
            self._waiting.clear()

    def _next(self) -> None:
        if self._running or not self._waiting or self._engine.job is not None:
            return
        uid = next(iter(self._waiting))
        take = self._waiting.pop(uid)
        self._running = uid
        folder = Path(self._settings.get("recogniser_folder")) if self._settings.get("recogniser_folder") else None
        text, samples, rate = take.job.text, take.samples, take.sample_rate

        def work() -> QualityCard | Exception:
            try:
                return self._judge(text, samples, rate, reference_of(take, self._library), folder)
            except EngineCancelled as error:  # the studio is being closed
                return error
            except Exception as error:  # an optional program may raise anything; the take is there all the same
                log.warning("A take could not be judged", exc_info=True)
                return error

        self._queue.add(uid, work, lambda card: self._done(take, card))

    def _done(self, take: Take, card: QualityCard | Exception) -> None:
        self._running = ""
        if self._store.find(take.uid) is take and isinstance(card, QualityCard):
            self._board.put(take, card, self._press_of(take))
            for other in self._press_of(take):
                self._store.tell(other)
        self.judged.emit(take)
        self._next()

    def _press_of(self, take: Take) -> tuple[Take, ...]:
        return self._store.of_job(take.job.job_id)


def reference_of(take: Take, library: Library) -> Sound | None:
    """Return the recording that a take was made from (float32 [n], Hz), as far as it may be used now; else None.

    Saved voices are asked for at the door; a recording that is not saved counts while the door knows its consent.
    """
    voice = take.job.voice
    if voice is None:
        return None
    from app.core.sound_files import read_sound
    from app.core.store.errors import StoreError

    part = "reference" if voice.reference else "prompt"
    try:
        if voice.voice_id:
            library.door.admit(voice.voice_id)
            sound = library.voices.kept_sound(voice.voice_id, part)
        elif voice.consent is not None and library.door.knows(voice.consent.record_id):
            sound = read_sound(Path(voice.reference or voice.prompt or ""))
        else:
            return None
    except (AudioFileError, StoreError, OSError, ValueError, LookupError) as error:
        log.info("The recording of a take is not at hand: %s", type(error).__name__)
        return None
    return sound.samples, sound.sample_rate

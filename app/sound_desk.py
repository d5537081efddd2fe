"""What the panels ask to be done with recordings, off the window's thread: read, examined, cut, written."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from PySide6.QtCore import QObject, QThreadPool, Signal

from app.audio.recorder import Recorder, Recording
from app.core.activity import Stretch
from app.core.audio_files import AudioFileError
from app.core.doctor import LOOKED_AT_SECONDS, Diagnosis, diagnose, speech_of
from app.core.library import Library
from app.core.private_sounds import write_private
from app.core.settings import Settings
from app.core.sound_edits import Edits, RawSound
from app.core.sound_files import read_raw, wait_ending
from app.core.store.errors import StoreError
from app.engine.ears import Ears
from app.transcripts import Transcripts
from app.widgets.background import BackgroundQueue

log = logging.getLogger(__name__)

_LOOKS = 8

Failed = AudioFileError | OSError | StoreError


@dataclass(frozen=True, eq=False)
class Examined:
    """A recording with some edits: what is found, where somebody speaks in the whole of it, and the file to use.

    ``path`` is that of the recording itself while nothing is changed.
    """

    sound: RawSound
    diagnosis: Diagnosis
    stretches: list[Stretch]
    path: str


class SoundDesk(QObject):
    """Does one thing after the other in a thread of its own. Its answers come to the function that was given along.

    A newer wish of the same ``owner`` replaces one that still waits. ``recorder``, ``settings`` and
    ``transcripts`` are for all.
    """

    play_requested = Signal(object)  # the field whose recording is to be heard, as it is used
    stop_requested = Signal(object)  # the field whose recording is another one now

    def __init__(
        self, recorder: Recorder, settings: Settings, library: Library, ears: Ears, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.recorder, self.settings = recorder, settings
        self._library = library
        self.transcripts = Transcripts(settings, ears, self)
        self._queue = BackgroundQueue(self)
        self._numbers = count()
        self.looks = QThreadPool(self)  # for headers of files; many, since one that hangs must hold up no other
        self.looks.setMaxThreadCount(_LOOKS)

    def read(self, owner: QObject, path: str, exact: bool, done: Callable[[Examined | Failed], None]) -> None:
        """Read and examine a recording.

        ``exact``: a transcript has to fit it. Of any other that is too long the best part is taken at once: a model
        would be given its beginning, whatever that is.
        """

        def work() -> Examined | Failed:
            try:
                sound = read_raw(Path(path), most_seconds=LOOKED_AT_SECONDS)
                diagnosis = diagnose(sound, Edits(), exact=exact)
                best = next((one.mended for one in diagnosis.findings if one.code == "long"), None)
                if best is None or exact:
                    return Examined(sound, diagnosis, speech_of(sound, Edits()), path)
                return self._examined(sound, best, exact, path)
            except (AudioFileError, OSError, StoreError) as error:
                log.warning("A recording could not be examined: %s", type(error).__name__)
                return error

        self._begin(owner, work, done)

    def edit(
        self,
        owner: QObject,
        sound: RawSound,
        edits: Edits,
        exact: bool,
        path: str,
        done: Callable[[Examined | Failed], None],
    ) -> None:
        """Examine ``sound`` with ``edits``, and write what is used into a private file where that differs."""

        def work() -> Examined | Failed:
            try:
                return self._examined(sound, edits, exact, path)
            except (OSError, StoreError) as error:
                log.warning("A cut recording could not be written: %s", type(error).__name__)
                return error

        self._begin(owner, work, done)

    def keep(self, owner: QObject, recording: Recording, done: Callable[[str | Failed], None]) -> None:
        """Write what the microphone heard into a private file and give its path."""

        def work() -> str | Failed:
            name = f"recording-{recording.started_at.astimezone():%Y%m%d-%H%M%S}"
            try:
                folder = self._library.store.temporary
                return str(write_private(folder, name, recording.samples, recording.sample_rate))
            except (OSError, StoreError) as error:
                log.warning("A recording could not be written: %s", type(error).__name__)
                return error

        self._begin(owner, work, done)

    def close(self, wait_seconds: float) -> bool:
        """Give up what waits and runs, and let go of the microphone; False when that takes longer."""
        self.recorder.close()
        until = time.monotonic() + wait_seconds
        self.looks.clear()
        ended = [
            wait_ending(is_done, max(0.0, until - time.monotonic()))
            for is_done in (self._queue.close, lambda seconds: self.looks.waitForDone(int(1000 * seconds)))
        ]
        return self.transcripts.close(max(0.0, until - time.monotonic())) and all(ended)

    # Inside ----------------------------------------------------------------------------------------------------------

    def _examined(self, sound: RawSound, edits: Edits, exact: bool, path: str) -> Examined:
        diagnosis = diagnose(sound, edits, exact=exact)
        used = path
        if not edits.is_none and len(diagnosis.samples):
            folder = self._library.store.temporary
            used = str(write_private(folder, Path(path).stem, diagnosis.samples, diagnosis.sample_rate))
        return Examined(sound, diagnosis, speech_of(sound, edits), used)

    def _begin(self, owner: object, work: Callable[[], object], done: Callable[..., None]) -> None:
        self._queue.keep_only(lambda key: not isinstance(key, tuple) or key[0] is not owner)
        self._queue.add((owner, next(self._numbers)), work, done)

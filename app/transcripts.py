"""Drafts of transcripts, heard by the speech recogniser where one is installed; in a process of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject

from app.core.consent.evidence import Availability
from app.core.settings import Settings
from app.engine.ears import Ears
from app.engine.evidence import EvidenceUnavailable, recogniser_availability
from app.widgets.background import BackgroundQueue

log = logging.getLogger(__name__)

LANGUAGES = ("en", "zh")


class Transcripts(QObject):
    """What is heard is a guess: who asks for it has to show it as one until a person has confirmed it."""

    def __init__(self, settings: Settings, ears: Ears, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings, self._ears = settings, ears
        self._queue = BackgroundQueue(self)

    def unavailable(self, language: str) -> Availability | None:
        """Why nothing can be heard in ``language`` (en or zh) here; None when something can. Loads nothing."""
        state = recogniser_availability(language, self._folder())
        return None if state.available else state

    def write(
        self,
        owner: QObject,
        language: str,
        samples: np.ndarray,
        sample_rate: int,
        done: Callable[[str | Availability], None],
    ) -> None:
        """Write down what is said in ``samples`` float32 [n]; ``done`` gets the text, or why there is none."""
        folder = self._folder()

        def work() -> str | Availability:
            try:
                return self._ears.recogniser(language, folder).transcribe(samples, sample_rate)
            except EvidenceUnavailable as error:
                return error.availability
            except Exception as error:  # an optional program may raise anything; a transcript can be typed as well
                log.warning("A recording could not be written down: %s", type(error).__name__)
                return Availability(False, "recogniser.failed", str(error))

        self._queue.add(owner, work, done)

    def close(self, wait_seconds: float) -> bool:
        """Forget what waits and wait for what runs; False when that takes longer."""
        return self._queue.close(wait_seconds)

    def _folder(self) -> Path | None:
        folder = self._settings.get("recogniser_folder")
        return Path(folder) if folder else None

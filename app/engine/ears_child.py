"""Listens in a process of its own: ``python -m app.engine.ears_child``, started by ``ears``.

The recogniser, the speaker embedding and all that measures a take are loaded here, at the first one that needs them:
they are slow to import and hold Python's lock for longer than a window may stand still.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from app.core.consent.evidence import Availability, Sound
from app.core.quality import QualityCard, judge
from app.engine.child_side import open_link
from app.engine.evidence import EvidenceUnavailable
from app.engine.listening import EngineListener


class EarsServer:
    """Answers what ``ears`` asks; one recogniser's folder at a time is kept."""

    def __init__(self) -> None:
        self._listener = EngineListener()

    def judge(
        self, _: int, text: str, samples: np.ndarray, rate: int, reference: Sound | None, folder: Path | None
    ) -> QualityCard:
        """Measure a take."""
        return judge(text, samples, rate, reference=reference, listener=self._of(folder))

    def open_recogniser(self, _: int, language: str, folder: Path | None) -> str | Availability:
        """Load the recogniser; its identity, or why there is none."""
        try:
            return self._of(folder).recogniser(language).identity
        except EvidenceUnavailable as error:
            return error.availability

    def transcribe(self, _: int, language: str, folder: Path | None, samples: np.ndarray, rate: int) -> str:
        """What is said; the recogniser was opened."""
        return self._of(folder).recogniser(language).transcribe(samples, rate)

    def open_matcher(self, _: int) -> tuple[str, float] | Availability:
        """Load what compares voices; its identity and threshold, or why there is none."""
        try:
            matcher = self._listener.matcher()
        except EvidenceUnavailable as error:
            return error.availability
        return matcher.identity, matcher.threshold

    def score(self, _: int, one: Sound, others: tuple[Sound, ...]) -> float:
        """How alike the voices are."""
        return self._listener.matcher().score(one, others)

    def _of(self, folder: Path | None) -> EngineListener:
        if self._listener.folder != folder:
            self._listener = EngineListener(folder)
        return self._listener


def main() -> None:
    """Serve until the other side ends; never returns."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # the other cores are the model's and the window's
    server = EarsServer()
    names = ("judge", "open_recogniser", "transcribe", "open_matcher", "score")
    open_link({name: getattr(server, name) for name in names}, nice=10).serve()
    os._exit(0)


if __name__ == "__main__":
    main()

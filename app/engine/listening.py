"""The optional programs of ``evidence`` as the quality card asks them: words of a take, and whose voice it sounds like.

They are loaded at the first take that is judged, and kept; in the window that is in the process of ``ears_child``.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from app.core.consent.evidence import SpeakerMatcher, StatementRecogniser
from app.core.quality import ListenerMissing, WordStep
from app.engine.evidence import EvidenceUnavailable, open_matcher, open_recogniser

if TYPE_CHECKING:
    from voxcpm.evaluation.wording import TextNormaliser

T = TypeVar("T")

log = logging.getLogger(__name__)

_CHINESE_SHARE = 0.3
_REASONS = {
    "recogniser.not_installed": "No speech recogniser is installed: pip install 'voxcpm-studio[evaluate]'.",
    "recogniser.no_folder": "No model for this language: choose the folder of a Whisper model in the settings.",
    "recogniser.unusable": "The chosen Whisper model does not serve for this language.",
    "matcher.not_installed": "Nothing that compares voices is installed: pip install --no-deps Resemblyzer.",
    "matcher.unusable": "What compares voices cannot be loaded.",
}


def language_of(text: str) -> str:
    """Return zh for a text of Chinese characters, else en: the two that the recogniser is asked for."""
    letters = [char for char in text if char.isalnum()]
    chinese = sum("㐀" <= char <= "鿿" for char in letters)
    return "zh" if letters and chinese / len(letters) > _CHINESE_SHARE else "en"


class EngineListener:
    """Listens with faster-whisper and Resemblyzer where they are installed. From one thread at a time.

    ``folder``: the recogniser's model, None for the packaged English one; ``threads``: of the recogniser.
    """

    def __init__(self, folder: Path | None = None, threads: int = 1) -> None:
        self.folder, self._threads = folder, threads
        self._recognisers: dict[str, tuple[StatementRecogniser, TextNormaliser] | ListenerMissing] = {}
        self._recogniser: dict[str, StatementRecogniser | EvidenceUnavailable] = {}
        self._matcher: SpeakerMatcher | EvidenceUnavailable | None = None

    def words(self, text: str, samples: np.ndarray, sample_rate: int) -> tuple[WordStep, ...]:
        """See ``quality.Listener``; empty for a text without a word that counts."""
        language = language_of(text)
        if language not in self._recognisers:
            self._recognisers[language] = self._open(language)
        opened = self._recognisers[language]
        if isinstance(opened, ListenerMissing):
            raise opened
        from voxcpm.evaluation.wording import steps

        recogniser, normaliser = opened
        said = normaliser.words(text)
        if not said:
            return ()
        heard = normaliser.words(recogniser.transcribe(np.asarray(samples, np.float32), sample_rate))
        return tuple(WordStep(step.kind, step.said, step.heard) for step in steps(said, heard))

    def likeness(
        self, samples: np.ndarray, sample_rate: int, reference: np.ndarray, reference_rate: int
    ) -> tuple[float, float]:
        """See ``quality.Listener``."""
        try:
            matcher = self.matcher()
        except EvidenceUnavailable as error:
            raise _missing(error) from error
        return matcher.score((samples, sample_rate), [(reference, reference_rate)]), matcher.threshold

    def recogniser(self, language: str) -> StatementRecogniser:
        """The recogniser for ``language`` (en or zh). Raises EvidenceUnavailable."""
        if language not in self._recogniser:
            try:
                self._recogniser[language] = open_recogniser(language, self.folder, self._threads)
            except EvidenceUnavailable as error:
                self._recogniser[language] = error
        return _there(self._recogniser[language])

    def matcher(self) -> SpeakerMatcher:
        """What compares voices. Raises EvidenceUnavailable."""
        if self._matcher is None:
            try:
                self._matcher = open_matcher()
            except EvidenceUnavailable as error:
                self._matcher = error
        return _there(self._matcher)

    def _open(self, language: str) -> tuple[StatementRecogniser, TextNormaliser] | ListenerMissing:
        try:
            recogniser = self.recogniser(language)
        except EvidenceUnavailable as error:
            return _missing(error)
        from voxcpm.errors import RequestError
        from voxcpm.evaluation.wording import TextNormaliser

        try:
            return recogniser, TextNormaliser(language)
        except RequestError as error:
            log.warning("The words of takes cannot be counted: %s", error)
            return ListenerMissing("recogniser.not_installed", _REASONS["recogniser.not_installed"])


def _there(opened: T | EvidenceUnavailable) -> T:
    if isinstance(opened, EvidenceUnavailable):
        raise opened
    return opened


def _missing(error: EvidenceUnavailable) -> ListenerMissing:
    code = error.availability.code
    return ListenerMissing(code, _REASONS.get(code, error.availability.reason))

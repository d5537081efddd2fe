"""The optional programs that listen to a spoken statement: faster-whisper, and Resemblyzer's speaker embedding.

Both are looked for without being loaded, so that the window can say at once which level is within reach. Loading them
takes seconds and, for the speaker embedding, torch: call ``open_recogniser`` and ``open_matcher`` off the GUI thread.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.core.consent.evidence import Availability, Samples, Sound, SpeakerMatcher, StatementRecogniser
from app.core.consent.problems import ConsentError
from app.core.consent.rules import MIN_THRESHOLD

if TYPE_CHECKING:
    from voxcpm.evaluation.speakers import SpeakerEmbedder

_LANGUAGES = {"en": "English", "zh": "Chinese"}
_INSTALL = "pip install 'voxcpm-studio[evaluate]'"


class EvidenceUnavailable(ConsentError):  # noqa: N818 - a state of this machine, not a fault
    """A level is out of reach on this machine; ``availability`` says why."""

    def __init__(self, availability: Availability) -> None:
        super().__init__(availability.reason)
        self.availability = availability


def recogniser_availability(lang: str, folder: Path | None) -> Availability:
    """Whether a statement in ``lang`` (en or zh) can be recognised here, so that L2 is within reach. Loads nothing."""
    language = _LANGUAGES[lang]
    if importlib.util.find_spec("faster_whisper") is None:
        return _no(
            "recogniser.not_installed",
            f"Level L2 is unavailable: no speech recogniser is installed. Install it with {_INSTALL} and choose the "
            f"folder of a Whisper model that knows {language}.",
        )
    from voxcpm.errors import RequestError
    from voxcpm.evaluation.recogniser import recogniser_folder

    if lang != "en" and folder is None:
        return _no(
            "recogniser.no_folder",
            f"Level L2 is unavailable: no recogniser for {language} comes with its model. Choose the folder of a "
            "multilingual Whisper model in CTranslate2 format.",
        )
    try:
        recogniser_folder(folder)
    except RequestError as error:
        return _no(
            "recogniser.no_folder", f"Level L2 is unavailable: the recogniser's model is not there: {_plain(error)}."
        )
    return Availability(True)


def open_recogniser(lang: str, folder: Path | None, threads: int = 0) -> StatementRecogniser:
    """Load the recogniser for ``lang``; None takes the packaged English model. Raises :class:`EvidenceUnavailable`."""
    state = recogniser_availability(lang, folder)
    if not state.available:
        raise EvidenceUnavailable(state)
    from voxcpm.errors import RequestError
    from voxcpm.evaluation.recogniser import WhisperRecogniser, recogniser_folder

    try:
        return WhisperRecogniser(recogniser_folder(folder), language=lang, threads=threads)
    except RequestError as error:
        reason = f"Level L2 is unavailable: the recogniser does not serve for {_LANGUAGES[lang]}: {_plain(error)}."
        raise EvidenceUnavailable(_no("recogniser.unusable", reason)) from error


def matcher_availability(weights: Path | None) -> Availability:
    """Whether voices can be compared here, so that L3 is within reach. Loads nothing, not even torch."""
    if weights is not None and weights.is_file():
        return Availability(True)
    spec = importlib.util.find_spec("resemblyzer") if weights is None else None
    folders = (spec.submodule_search_locations or ()) if spec is not None else ()
    if any((Path(folder) / "pretrained.pt").is_file() for folder in folders):
        return Availability(True)
    return _no(
        "matcher.not_installed",
        "Level L3 is unavailable: nothing that compares voices is installed. Install the weights with "
        "pip install --no-deps Resemblyzer, or choose their file.",
    )


def open_matcher(weights: Path | None = None) -> SpeakerMatcher:
    """Load the speaker embedding. Raises :class:`EvidenceUnavailable`."""
    state = matcher_availability(weights)
    if not state.available:
        raise EvidenceUnavailable(state)
    from voxcpm.errors import RequestError
    from voxcpm.evaluation.speakers import ResemblyzerEmbedder, speaker_model_file

    try:
        file = speaker_model_file(weights)
        embedder = ResemblyzerEmbedder(file)
    except RequestError as error:
        reason = f"Level L3 is unavailable: the speaker embedding cannot be loaded: {_plain(error)}."
        raise EvidenceUnavailable(_no("matcher.unusable", reason)) from error
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return EmbeddingMatcher(embedder, f"Resemblyzer {digest[:12]}")


class EmbeddingMatcher:
    """Cosine between the embedding of one recording and the mean of others."""

    def __init__(self, embedder: SpeakerEmbedder, identity: str, threshold: float = float(MIN_THRESHOLD)) -> None:
        self._embedder = embedder
        self.identity = identity
        self.threshold = threshold

    def score(self, one: Sound, others: Sequence[Sound]) -> float:
        """See :class:`SpeakerMatcher`; 0 where either side is silent."""
        mean: Samples = np.mean([self._embedder.embed(*sound) for sound in others], axis=0)
        length = float(np.linalg.norm(mean))
        cosine = float(self._embedder.embed(*one) @ mean) / length if length else 0.0
        return min(1.0, max(-1.0, cosine))


def _no(code: str, reason: str) -> Availability:
    return Availability(False, code, reason)


def _plain(error: Exception) -> str:
    """What the library says, without the name of its command line's option."""
    return str(error).split(": ", 1)[-1]

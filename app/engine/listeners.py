"""The listeners for spoken statements that are there on this machine, loaded or only looked for."""

from __future__ import annotations

from pathlib import Path

from app.core.spoken import Listeners
from app.engine.evidence import (
    EvidenceUnavailable,
    matcher_availability,
    open_matcher,
    open_recogniser,
    recogniser_availability,
)


def listeners_in_reach(lang: str, folder: Path | None, weights: Path | None = None) -> Listeners:
    """What could be loaded for a statement in ``lang``; loads nothing, so there is nothing to listen with."""
    return Listeners(
        recogniser_state=recogniser_availability(lang, folder), matcher_state=matcher_availability(weights)
    )


def open_listeners(lang: str, folder: Path | None, weights: Path | None = None) -> Listeners:
    """Load what is there; what is not, or does not serve, is None with the reason. Takes seconds."""
    recogniser = matcher = None
    looked = listeners_in_reach(lang, folder, weights)
    recogniser_state, matcher_state = looked.recogniser_state, looked.matcher_state
    try:
        recogniser = open_recogniser(lang, folder)
    except EvidenceUnavailable as error:
        recogniser_state = error.availability
    try:
        matcher = open_matcher(weights)
    except EvidenceUnavailable as error:
        matcher_state = error.availability
    return Listeners(recogniser, matcher, recogniser_state, matcher_state)

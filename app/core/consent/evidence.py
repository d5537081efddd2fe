"""Listening to a spoken statement: what is asked of a recogniser and of a speaker matcher, and what comes of it.

Here are only the questions; the programs that answer them are optional and live with the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.core.consent.codec import fixed, utc
from app.core.consent.record import (
    Evidence,
    Recognition,
    SpeakerMatch,
    Statement,
    StatementAudio,
    sha256_pcm,
)
from app.core.consent.sealed import Sealed
from app.core.consent.statement import StatementCheck, check_statement

Samples = NDArray[np.float32]
Sound = tuple[Samples, int]
"""Mono float32 [n] and its rate in Hz."""


class StatementRecogniser(Protocol):
    """Hears words in one language."""

    @property
    def identity(self) -> str:
        """Program and model, in ASCII."""
        ...

    def transcribe(self, samples: Samples, sample_rate: int) -> str:
        """The words in float32 [n] at ``sample_rate`` Hz; empty if there are none."""
        ...


class SpeakerMatcher(Protocol):
    """Says how much two recordings sound like one person."""

    @property
    def identity(self) -> str:
        """Program and model, in ASCII."""
        ...

    @property
    def threshold(self) -> float:
        """The least score that counts as one person."""
        ...

    def score(self, one: Sound, others: Sequence[Sound]) -> float:
        """Cosine -1..1 of ``one`` with the mean of ``others``."""
        ...


@dataclass(frozen=True)
class Availability:
    """Whether a level can be reached on this machine. ``code`` is stable; ``reason`` is for people, empty if it can."""

    available: bool
    code: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Spoken:
    """What came of listening. ``check`` says what was missing; the rest goes into the record as it is."""

    statement: Statement
    audio: StatementAudio
    recognition: Recognition | None
    match: SpeakerMatch | None
    evidence: Evidence
    check: StatementCheck | None


def listen(
    statement: Statement,
    sound: Sound,
    *,
    source: str,
    captured_at: datetime,
    file_sha256: str,
    recogniser: StatementRecogniser | None,
    matcher: SpeakerMatcher | None = None,
    references: Sequence[Sound] = (),
) -> Spoken:
    """Judge a recording of ``statement``. ``source`` is live or file; ``file_sha256`` that of the stored recording.

    Without a recogniser or matcher the record stays below L2 or L3. Raises ``ValueError`` if the statement is closed
    or there is no sound.
    """
    text = statement.text.text
    if text is None:
        raise ValueError("the statement's text is not open")
    samples, rate = sound
    audio = StatementAudio(sha256_pcm(samples, rate), fixed(len(samples) / rate, 3), source, utc(captured_at))
    recognition, check, match = None, None, None
    if recogniser is not None:
        heard = " ".join(recogniser.transcribe(samples, rate).split())[:2000]
        check = check_statement(text, statement.nonce, heard)
        recognition = Recognition(recogniser.identity, Sealed.of(heard), check.cer, check.words_heard)
    if matcher is not None and references:
        score = fixed(matcher.score(sound, references), 4)
        match = SpeakerMatch(matcher.identity, score, fixed(matcher.threshold, 4))
    return Spoken(statement, audio, recognition, match, Evidence("spoken_statement", file_sha256), check)

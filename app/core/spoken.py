"""Spoken statements on the records of saved voices: drawn, judged, kept; what does not hold is refused and logged."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import NoReturn

from app.core.audio_files import AudioFileError
from app.core.consent import making
from app.core.consent.evidence import Availability, Sound, SpeakerMatcher, Spoken, StatementRecogniser, listen
from app.core.consent.problems import ConsentError, Problem
from app.core.consent.record import SYNTHETIC, WORDS, ConsentRecord, Scope, Statement
from app.core.consent.rules import LIVE_WITHIN, compute_level
from app.core.consent.statement import GUARDIAN, Chooser, new_statement
from app.core.sound_files import KeptSound, read_sound
from app.core.voice_card import VoiceError
from app.core.voice_rows import statement_until
from app.core.voices import Voices

MOST_STATEMENT_SECONDS = 60.0
MOST_STATEMENT_BYTES = 20 << 20
LIVE, FILE = "live", "file"
THERE = Availability(True)
CLEARLY_OTHER = Decimal("0.7500")
"""Below it a recording is refused. Between it and the threshold it is not clear who is heard, as with another
microphone or a cold: the statement counts as recognised, never as spoken by this voice."""
NOT_HEARD, OTHER_VOICE = "statement.not_heard", "statement.other_voice"


class StatementRefused(ConsentError):  # noqa: N818 - an answer, not a fault
    """A recording that is not the statement, or is another person's; ``problem`` has its code and values."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


@dataclass(frozen=True)
class Listeners:
    """The optional programs; None where one is not there, with the reason."""

    recogniser: StatementRecogniser | None = None
    matcher: SpeakerMatcher | None = None
    recogniser_state: Availability = THERE
    matcher_state: Availability = THERE


@dataclass(frozen=True, eq=False)
class SpokenSound:
    """A recording of a statement: the sound, the file that is kept of it, and where it comes from (live or file)."""

    sound: KeptSound
    data: bytes
    source: str
    captured_at: datetime

    @property
    def sha256(self) -> str:
        """The hash of the file."""
        return hashlib.sha256(self.data).hexdigest()

    @classmethod
    def live(cls, sound: KeptSound, captured_at: datetime) -> SpokenSound:
        """What this studio's microphone recorded just now."""
        return cls(sound, sound.to_flac(), LIVE, captured_at)

    @classmethod
    def of_file(cls, path: Path, captured_at: datetime) -> SpokenSound:
        """A recording that was brought as a file.

        Raises AudioFileError for one that cannot be used, is longer than a minute or far too large.
        """
        sound = read_sound(path, most_seconds=MOST_STATEMENT_SECONDS)
        if path.stat().st_size > MOST_STATEMENT_BYTES:
            mebibytes = MOST_STATEMENT_BYTES >> 20
            raise AudioFileError("too_large", f"{path.name} has more than {mebibytes} MiB. Save it as FLAC or MP3.")
        return cls(sound, path.read_bytes(), FILE, captured_at)


def fresh_statement(
    record: ConsentRecord,
    lang: str = "",
    *,
    now: datetime,
    scope: Scope | None = None,
    chooser: Chooser | None = None,
) -> Statement:
    """The statement of a record with new random words, in its language or another one, for its ``scope`` or another.

    Raises :class:`VoiceError` where nobody can speak it: a designed voice, a withdrawn consent, or closed texts.
    """
    kind = record.statement.template_id.split(".")[0]
    operator = record.operator.text
    if record.subject_kind == SYNTHETIC:
        raise VoiceError("No person is behind this voice, so there is nobody who could speak a statement.")
    if record.withdrawal is not None:
        raise VoiceError("The consent was withdrawn. Ask the person for a new one and save the voice anew.")
    if operator is None:
        raise VoiceError("The personal part of this record cannot be read here, so no statement can be drawn.")
    lang = lang or record.statement.lang
    return new_statement(kind, lang, operator=operator, scope=scope or record.scope, now=now, chooser=chooser)


def hear(
    record: ConsentRecord, statement: Statement, spoken: SpokenSound, references: Sequence[Sound], listeners: Listeners
) -> Spoken:
    """Judge a recording of ``statement``. Voices are compared unless somebody else speaks for the person."""
    compared = record.representative is None and not statement.template_id.startswith(GUARDIAN)
    return listen(
        statement,
        (spoken.sound.samples, spoken.sound.sample_rate),
        source=spoken.source,
        captured_at=spoken.captured_at,
        file_sha256=spoken.sha256,
        recogniser=listeners.recogniser,
        matcher=listeners.matcher if compared else None,
        references=references,
    )


def refusal_of(heard: Spoken) -> Problem | None:
    """Why a recording may not go into a record; None if it may. What nobody listened to may, as mere evidence."""
    if heard.check is not None and not heard.check.passed:
        return Problem(
            NOT_HEARD,
            f"The statement was not heard: {heard.check.words_heard} of {WORDS} words, and {heard.check.cer * 100:.0f} "
            "% of the characters differ. Speak it once more, slowly and near the microphone.",
            {"words": str(heard.check.words_heard), "percent": f"{heard.check.cer * 100:.0f}"},
        )
    match = heard.match
    if match is not None and match.score < CLEARLY_OTHER:
        return Problem(
            OTHER_VOICE,
            f"This is not the voice of the recordings: they match by {match.score:.2f}, {CLEARLY_OTHER:.2f} is "
            "the least. The person who is heard in them must speak the statement.",
            {"score": f"{match.score:.2f}", "least": f"{CLEARLY_OTHER:.2f}"},
        )
    return None


def refuse(voices: Voices, problem: Problem, voice_id: str, record_id: str) -> NoReturn:
    """Write a refused recording into the audit log and raise :class:`StatementRefused`."""
    facts = {"voice": voice_id, "record": record_id, "cause": problem.code}
    voices.audit.append("statement_refused", facts)
    raise StatementRefused(problem)


def add_spoken(
    voices: Voices,
    voice_id: str,
    statement: Statement,
    spoken: SpokenSound,
    listeners: Listeners,
    *,
    though_unheard: bool = False,
) -> ConsentRecord:
    """Put a spoken statement into the record of a saved voice, as a new version; returns it.

    ``though_unheard`` keeps one that was not recognised as mere evidence (L1); never another person's.

    Raises:
        StatementRefused: it is not the statement, or another person's voice; the attempt is in the audit log.
        VoiceError, RuleError, KeysLockedError, StoreError: nothing was changed.
    """
    record = voices.record(voice_id)
    if record is None:
        raise VoiceError("This voice has no consent record. Delete it and save it anew.")
    voice = voices.get(voice_id)
    parts = [voices.kept_sound(voice_id, part) for part in voice.parts] if listeners.matcher is not None else []
    sounds = [(part.samples, part.sample_rate) for part in parts]
    heard = hear(record, statement, spoken, sounds, listeners)
    problem = refusal_of(heard)
    if problem is not None and not (though_unheard and problem.code == NOT_HEARD):
        refuse(voices, problem, voice_id, record.record_id)
    with voices.store.database.write() as connection:
        signed = voices.append(voice_id, making.with_evidence(record, spoken=heard, now=voices.now()))
        voices.put_proof(connection, voice_id, "statement", spoken.sha256, spoken.data, statement_until(signed))
    return signed


def reach_of(record: ConsentRecord, statement: Statement, source: str, there: Listeners) -> str:
    """The best level that a recording of ``source`` (live or file) can give with what is ``there``."""
    if not there.recogniser_state.available:
        return "L1"
    compared = record.representative is None and not statement.template_id.startswith(GUARDIAN)
    return "L3" if source == LIVE and compared and there.matcher_state.available else "L2"


def what_would_raise(record: ConsentRecord, listeners: Listeners) -> tuple[Problem, ...]:
    """What would raise the level of a record, the nearest first, with what this machine lacks for it."""
    level = compute_level(record)
    if record.subject_kind == SYNTHETIC or record.withdrawal is not None or level == "L3":
        return ()
    found = []
    if level == "L0":
        found.append(Problem("raise.document", "A document as proof gives L1."))
    if level in ("L0", "L1"):
        found.append(Problem("raise.spoken", "A spoken statement that is recognised gives L2."))
        if not listeners.recogniser_state.available:
            found.append(Problem(listeners.recogniser_state.code, listeners.recogniser_state.reason))
    if record.representative is None:
        hours = int(LIVE_WITHIN.total_seconds()) // 3600
        found.append(
            Problem(
                "raise.live",
                f"Spoken live with this studio's microphone within {hours} hours, by a voice that matches the "
                "recordings, it gives L3.",
                {"hours": str(hours)},
            )
        )
        if not listeners.matcher_state.available:
            found.append(Problem(listeners.matcher_state.code, listeners.matcher_state.reason))
    return tuple(found)

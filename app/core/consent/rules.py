"""What a record must hold to be one: rules of content, of change from version to version, and of levels.

The same rules are asked when a record is made and when it is verified, so nothing can be made that later fails, and
nothing that was written by other means passes.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from app.core.consent.codec import to_plain
from app.core.consent.problems import Problem
from app.core.consent.record import (
    ANY,
    KEPT_FOR,
    LICENSED,
    OTHER,
    PUBLIC_DOMAIN,
    SELF,
    SYNTHETIC,
    WORDS,
    ConsentRecord,
    Scope,
)
from app.core.consent.statement import MAX_CER, check_statement, check_template

DEFAULT_MONTHS = 12
MAX_MONTHS = 36
MAX_REFERENCES = 3
MAX_REFERENCE_SECONDS = Decimal(30)
MIN_THRESHOLD = Decimal("0.8200")
"""Between what the published speaker embedding gives one voice (0.89-0.95) and two (0.49-0.78): statements of four
synthetic voices against one recording of each. At 0.75, taken from fewer voices, one of them passed for another."""
LIVE_WITHIN = timedelta(hours=24)
"""For L3 the statement must be spoken this soon after its words were drawn."""

_BASES = {
    SELF: {"self", "estate_or_guardian"},
    OTHER: {"explicit_consent", "contract", "estate_or_guardian"},
    LICENSED: {"contract", "explicit_consent"},
    PUBLIC_DOMAIN: {"public_domain"},
    SYNTHETIC: {"none_synthetic"},
}
_UNSAID = Problem(
    "statement.mismatch", "The statement does not say who uses the voice and for what, as the record does."
)
_ALWAYS = {"version", "change", "recorded_at", "level", "prev_hash", "record_hash", "key_id", "sig"}
_SPOKEN = {"statement", "statement_audio", "asr", "speaker_match", "evidence"}
_MAY_CHANGE = {
    "withdrawn": {"withdrawal"},
    "extended": {"expires_at", "retention"},
    "narrowed": {"scope", "expires_at", "retention"},
    "renewed": {"granted_at", "valid_from", "expires_at", "retention", "scope", *_SPOKEN},
    "evidence_added": {"retention", *_SPOKEN},
    "references_changed": {"references", "speaker_match"},
}


def add_months(moment: datetime, months: int) -> datetime:
    """The same day of a later month, or its last day where that month is shorter."""
    years, month = divmod(moment.month - 1 + months, 12)
    year, month = moment.year + years, month + 1
    return moment.replace(year=year, month=month, day=min(moment.day, calendar.monthrange(year, month)[1]))


def compute_level(record: ConsentRecord) -> str:
    """The level that the content supports, from the public part alone; what a record says of itself is not looked at.

    L1 needs evidence (a spoken statement counts as such, by the hash of its file), L2 a recording in which a
    recogniser heard the statement with all its words, L3 also that it was spoken live within a day and matches the
    references' voice.
    """
    if not record.evidence:
        return "L0"
    audio, asr, match = record.statement_audio, record.asr, record.speaker_match
    if audio is None or asr is None or asr.cer > MAX_CER or asr.words_heard != len(record.statement.nonce):
        return "L1"
    waited = audio.captured_at - record.statement.issued_at
    live = audio.source == "live" and timedelta(0) <= waited <= LIVE_WITHIN
    if not live or match is None or match.threshold < MIN_THRESHOLD or match.score < match.threshold:
        return "L2"
    return "L3"


def content_problems(record: ConsentRecord) -> list[Problem]:
    """Every rule that one version breaks, whatever the time and the use."""
    return [
        *_person(record),
        *_statement(record),
        *_references(record),
        *_times(record),
        *_scope(record.scope),
    ]


def change_problems(old: ConsentRecord, new: ConsentRecord) -> list[Problem]:
    """What a version changed that its kind of change does not allow."""
    if old.withdrawal is not None:
        return [Problem("change.after_withdrawal", "The consent was withdrawn; it cannot be changed, only given anew.")]
    allowed = _ALWAYS | _MAY_CHANGE.get(new.change, set())
    before, after = to_plain(old), to_plain(new)
    problems = [
        Problem(
            "change.not_allowed",
            f"Version {new.version} ({new.change}) also changed {name}, which it may not.",
            {"field": name, "version": str(new.version)},
        )
        for name in before
        if name not in allowed and before[name] != after[name]
    ]
    if new.recorded_at < old.recorded_at:
        problems.append(Problem("change.time", f"Version {new.version} is older than the version before it."))
    problems += _direction(old, new)
    return problems


def is_narrower(new: Scope, old: Scope) -> bool:
    """Whether ``new`` allows nothing that ``old`` did not."""
    flags = ("commercial", "redistribution", "training", "sensitive_text")
    return (
        set(new.purposes) <= set(old.purposes)
        and all(getattr(old, flag) or not getattr(new, flag) for flag in flags)
        and all(
            ANY in getattr(old, name) or set(getattr(new, name)) <= set(getattr(old, name))
            for name in ("languages", "territory")
        )
    )


def _direction(old: ConsentRecord, new: ConsentRecord) -> Iterator[Problem]:
    what = f"Version {new.version} ({new.change})"
    match new.change:
        case "made":
            yield Problem("change.not_allowed", f"{what} is a first version after another.", {"field": "change"})
        case "withdrawn" if new.withdrawal is None:
            yield Problem("change.empty", f"{what} does not say when and how the consent was withdrawn.")
        case "extended" if old.expires_at is not None and (new.expires_at is None or new.expires_at < old.expires_at):
            yield Problem("change.not_allowed", f"{what} does not end later than before.", {"field": "expires_at"})
        case "extended" if old.expires_at is None:
            yield Problem("change.not_allowed", f"{what} extends what has no end.", {"field": "expires_at"})
        case "narrowed":
            if not is_narrower(new.scope, old.scope):
                yield Problem("change.wider", f"{what} allows more than before; that needs a new consent.")
            if old.expires_at is not None and (new.expires_at is None or new.expires_at > old.expires_at):
                yield Problem("change.not_allowed", f"{what} ends later than before.", {"field": "expires_at"})
        case "renewed" if new.granted_at < old.granted_at or new.statement == old.statement:
            yield Problem("change.empty", f"{what} has no new statement.")
        case "evidence_added" if new.statement != old.statement and not _says(new):
            yield _UNSAID
        case "evidence_added" if not set(old.evidence) <= set(new.evidence):
            yield Problem("change.not_allowed", f"{what} took evidence away.", {"field": "evidence"})
        case "evidence_added" if new.retention != old.retention and not _counts_anew(old, new):
            yield Problem(
                "change.not_allowed",
                f"{what} keeps recordings for another time without a new one.",
                {"field": "retention"},
            )


def _counts_anew(old: ConsentRecord, new: ConsentRecord) -> bool:
    """Whether the time that a statement is kept begins with the one that this version adds, and is no longer."""
    kept = new.retention
    if new.statement_audio is None or (new.statement, new.statement_audio) == (old.statement, old.statement_audio):
        return False
    latest = new.recorded_at + KEPT_FOR[kept.raw_audio] if kept.raw_audio in KEPT_FOR else new.expires_at
    return (kept.reference, kept.raw_audio, kept.delete_by) == (
        old.retention.reference,
        old.retention.raw_audio,
        latest,
    )


def _person(record: ConsentRecord) -> Iterator[Problem]:
    kind, basis, speaker = record.subject_kind, record.rights_basis, record.speaker
    if basis not in _BASES[kind]:
        yield Problem("rights.mismatch", f"The rights ({basis}) do not fit the kind of voice ({kind}).")
    if kind == SYNTHETIC:
        if speaker is not None or record.representative is not None:
            yield Problem("speaker.of_nobody", "A designed voice has no speaker.")
        if record.design is None:
            yield _missing("design", "seed and model that a designed voice comes from")
        return
    if record.design is not None:
        yield Problem("design.of_person", "Only a designed voice may say that it was designed.")
    if speaker is None:
        yield _missing("speaker", "the person who is heard")
        return
    if speaker.name is None and kind != SELF:
        yield _missing("speaker.name", "the name of the person who is heard")
    if speaker.contact is None and kind == OTHER:
        yield _missing("speaker.contact", "a way to reach the person, or who speaks for them")
    if record.representative is None and (not speaker.adult or basis == "estate_or_guardian"):
        yield _missing("representative", "who speaks for the minor or deceased person")


def _statement(record: ConsentRecord) -> Iterator[Problem]:
    statement, asr, audio = record.statement, record.asr, record.statement_audio
    if len(statement.nonce) != WORDS or len(set(statement.nonce)) != WORDS:
        yield Problem("statement.words", f"The statement needs {WORDS} different random words.")
    if f".{statement.lang}." not in statement.template_id:
        yield Problem("statement.mismatch", "The statement's language is not that of its template.")
    text = statement.text.text
    if record.change in ("made", "renewed") and not _says(record):
        yield _UNSAID
    if (asr is not None or record.speaker_match is not None) and audio is None:
        yield _missing("statement_audio", "the recording of the statement that was judged")
    if audio is not None and "spoken_statement" not in {item.kind for item in record.evidence}:
        yield _missing("evidence", "the hash of the spoken statement's file")
    if asr is None:
        return
    if text is not None and asr.transcript.text is not None:
        check = check_statement(text, statement.nonce, asr.transcript.text)
        if check.cer != asr.cer or check.words_heard != asr.words_heard:
            yield Problem(
                "statement.not_heard",
                f"What was heard differs from the statement by {check.cer} with {check.words_heard} of {WORDS} words; "
                f"the record says {asr.cer} and {asr.words_heard}.",
            )


def _references(record: ConsentRecord) -> Iterator[Problem]:
    references = record.references
    if not references and record.subject_kind != SYNTHETIC:
        yield _missing("references", "the recordings that the voice is made from")
    if len(references) > MAX_REFERENCES:
        yield Problem(
            "references.too_many", f"There are {len(references)} recordings; at most {MAX_REFERENCES} may be."
        )
    if len({item.sha256_pcm for item in references}) != len(references):
        yield Problem("references.double", "A recording is listed twice.")
    for item in references:
        if not 0 < item.seconds <= MAX_REFERENCE_SECONDS:
            yield Problem(
                "references.too_long",
                f"A recording has {item.seconds} s; trim it to at most {MAX_REFERENCE_SECONDS} s.",
                {"seconds": str(item.seconds)},
            )


def may_be_endless(record: ConsentRecord) -> bool:
    """Own, designed and public-domain voices need no expiry, nor does one under a public licence, which has none."""
    licence = any(item.kind == "licence" for item in record.evidence)
    return record.subject_kind in (SELF, SYNTHETIC, PUBLIC_DOMAIN) or (record.subject_kind == LICENSED and licence)


def _times(record: ConsentRecord) -> Iterator[Problem]:
    end, granted = record.expires_at, record.granted_at
    if end is None and not may_be_endless(record):
        yield _missing("expires_at", f"when the consent ends; at most {MAX_MONTHS} months after it was given")
    if end is not None and not may_be_endless(record) and end > add_months(granted, MAX_MONTHS):
        yield Problem("validity.too_long", f"A consent lasts at most {MAX_MONTHS} months from when it was given.")
    if end is not None and end <= record.valid_from:
        yield Problem("validity.empty", "The consent ends before it begins.")
    if record.valid_from < granted:
        yield Problem("validity.backdated", "The consent would hold from before it was given.")
    if record.statement.issued_at > record.recorded_at or granted > record.recorded_at:
        yield Problem("validity.future", "The record is older than the statement or the consent in it.")


def _scope(scope: Scope) -> Iterator[Problem]:
    lists: dict[str, tuple[Any, ...]] = {name: getattr(scope, name) for name in ("purposes", "languages", "territory")}
    for name, values in lists.items():
        if list(values) != sorted(set(values)) or not values or (ANY in values and len(values) > 1):
            yield Problem(
                "scope.list", f"The scope's {name} must be a sorted list of different words.", {"field": name}
            )


def _says(record: ConsentRecord) -> bool:
    """Whether the statement names who, for what, and the words; True where that cannot be read.

    Asked when a statement enters a record: the scope may be narrowed afterwards.
    """
    statement, operator = record.statement, record.operator.text
    if statement.text.text is None or operator is None:
        return True
    return check_template(statement.template_id, statement.text.text, operator, record.scope, statement.nonce)


def _missing(field: str, what: str) -> Problem:
    return Problem("missing", f"The record lacks {what}.", {"field": field})

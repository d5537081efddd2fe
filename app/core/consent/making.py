"""New consents, and new versions of old ones. All functions return drafts for ``append_version``, which checks them.

Times are timezone-aware; ``now`` is the present unless given.
"""

from __future__ import annotations

import dataclasses
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime

from app.core.consent.codec import utc
from app.core.consent.evidence import Spoken
from app.core.consent.record import (
    ANY,
    KEPT_FOR,
    LICENSED,
    OTHER,
    PUBLIC_DOMAIN,
    SCHEMA,
    SELF,
    SYNTHETIC,
    ConsentRecord,
    Design,
    Evidence,
    Reference,
    Representative,
    Retention,
    Scope,
    Speaker,
    Statement,
    Withdrawal,
)
from app.core.consent.rules import DEFAULT_MONTHS, add_months
from app.core.consent.sealed import Sealed
from app.core.consent.statement import GUARDIAN, Chooser, new_statement

THE_USER = {"en": "the user of this studio", "zh": "本工作室的使用者"}


def make_scope(
    purposes: Sequence[str] = ("export", "generate"),
    *,
    commercial: bool = False,
    languages: Sequence[str] = (ANY,),
    territory: Sequence[str] = (ANY,),
    redistribution: bool = False,
    training: bool = False,
    sensitive_text: bool = False,
) -> Scope:
    """A scope with its lists in order. As it stands, what another person is asked for by default."""
    lists = [tuple(sorted(set(values))) for values in (purposes, languages, territory)]
    return Scope(lists[0], commercial, lists[1], lists[2], redistribution, training, sensitive_text)


SCOPE_OF_OTHERS = make_scope()
SCOPE_OF_SELF = make_scope(commercial=True, redistribution=True, training=True, sensitive_text=True)


def make_retention(
    granted_at: datetime, expires_at: datetime | None, reference: str = "until_expiry", raw_audio: str = "30d"
) -> Retention:
    """Retention with the time by which raw recordings must be gone, counted from ``granted_at``."""
    by = expires_at if raw_audio == "until_expiry" else utc(granted_at + KEPT_FOR[raw_audio])
    return Retention(reference, raw_audio, by)


def _with_end(kept: Retention, expires_at: datetime | None) -> Retention:
    """What was promised, for a consent that ends at another time; a term in days stays where it was."""
    return dataclasses.replace(kept, delete_by=expires_at) if kept.raw_audio == "until_expiry" else kept


def for_self(
    voice_id: str,
    references: Sequence[Reference],
    *,
    name: str = "",
    operator: str = "",
    adult: bool = True,
    lang: str = "en",
    scope: Scope = SCOPE_OF_SELF,
    months: int | None = None,
    now: datetime | None = None,
    chooser: Chooser | None = None,
) -> ConsentRecord:
    """One's own voice: the two clicks are "this is my voice" and "save". No name is asked for, no end is forced."""
    return _draft(
        voice_id,
        SELF,
        "self",
        references=references,
        speaker=Speaker(Sealed.optional(name), None, adult),
        operator=operator or THE_USER[lang],
        lang=lang,
        scope=scope,
        months=months,
        now=now,
        chooser=chooser,
    )


def for_other(
    voice_id: str,
    references: Sequence[Reference],
    *,
    name: str,
    contact: str,
    operator: str,
    basis: str = "explicit_consent",
    adult: bool = True,
    representative: tuple[str, str] | None = None,
    evidence: Sequence[Evidence] = (),
    lang: str = "en",
    scope: Scope = SCOPE_OF_OTHERS,
    months: int = DEFAULT_MONTHS,
    note: str = "",
    statement: Statement | None = None,
    now: datetime | None = None,
    chooser: Chooser | None = None,
) -> ConsentRecord:
    """Another person's voice. ``basis`` is explicit_consent, contract or estate_or_guardian.

    ``representative`` (name, authority) speaks for a minor or a deceased person; ``contact`` is then theirs.
    ``statement`` is one that was asked for earlier; ``months`` 1..36.
    """
    return _draft(
        voice_id,
        OTHER,
        basis,
        references=references,
        speaker=Speaker(Sealed.optional(name), Sealed.optional(contact), adult),
        representative=Representative(Sealed.of(representative[0]), representative[1]) if representative else None,
        evidence=evidence,
        operator=operator,
        lang=lang,
        scope=scope,
        months=months,
        note=note,
        statement=statement,
        now=now,
        chooser=chooser,
    )


def for_licensed(
    voice_id: str,
    references: Sequence[Reference],
    *,
    name: str,
    operator: str,
    licence: str,
    evidence: Sequence[Evidence],
    scope: Scope = SCOPE_OF_OTHERS,
    months: int | None = DEFAULT_MONTHS,
    lang: str = "en",
    now: datetime | None = None,
    chooser: Chooser | None = None,
) -> ConsentRecord:
    """A recording used under a licence; ``months`` None needs a public licence among the evidence.

    The bundled demo voices are such: source ``shipped``, evidence ``licence`` with the hash of the licence's text.
    """
    return _draft(
        voice_id,
        LICENSED,
        "contract",
        references=references,
        speaker=Speaker(Sealed.optional(name), None, True),
        evidence=evidence,
        operator=operator,
        lang=lang,
        scope=scope,
        months=months,
        note=licence,
        now=now,
        chooser=chooser,
    )


def for_public_domain(
    voice_id: str,
    references: Sequence[Reference],
    *,
    name: str,
    operator: str,
    why: str,
    evidence: Sequence[Evidence] = (),
    scope: Scope = SCOPE_OF_OTHERS,
    lang: str = "en",
    now: datetime | None = None,
    chooser: Chooser | None = None,
) -> ConsentRecord:
    """A recording in the public domain; ``why`` says by which rule, and where it was found."""
    return _draft(
        voice_id,
        PUBLIC_DOMAIN,
        "public_domain",
        references=references,
        speaker=Speaker(Sealed.optional(name), None, True),
        evidence=evidence,
        operator=operator,
        lang=lang,
        scope=scope,
        months=None,
        note=why,
        now=now,
        chooser=chooser,
    )


def for_design(
    voice_id: str,
    *,
    description: str,
    seed: int,
    model: str,
    references: Sequence[Reference] = (),
    operator: str = "",
    lang: str = "en",
    scope: Scope = SCOPE_OF_SELF,
    now: datetime | None = None,
    chooser: Chooser | None = None,
) -> ConsentRecord:
    """A voice without a person. ``references`` (source ``generated``) are the takes that were kept as the voice."""
    return _draft(
        voice_id,
        SYNTHETIC,
        "none_synthetic",
        references=references,
        speaker=None,
        design=Design(Sealed.optional(description), seed, model),
        operator=operator or THE_USER[lang],
        lang=lang,
        scope=scope,
        months=None,
        now=now,
        chooser=chooser,
    )


def withdraw(
    record: ConsentRecord,
    *,
    channel: str,
    action: str = "freeze",
    at: datetime | None = None,
    now: datetime | None = None,
) -> ConsentRecord:
    """The person took it back, ``at`` a time that may lie before ``now``. No version can follow."""
    now = _now(now)
    return _changed(record, "withdrawn", now, withdrawal=Withdrawal(utc(at or now), channel, action))


def extend(record: ConsentRecord, until: datetime, now: datetime | None = None) -> ConsentRecord:
    """A later end, at most 36 months after the consent was given; more needs :func:`renew`."""
    retention = _with_end(record.retention, utc(until))
    return _changed(record, "extended", _now(now), expires_at=utc(until), retention=retention)


def narrow(
    record: ConsentRecord, scope: Scope | None = None, until: datetime | None = None, now: datetime | None = None
) -> ConsentRecord:
    """A smaller scope, an earlier end, or both."""
    end = utc(until) if until else record.expires_at
    retention = _with_end(record.retention, end)
    return _changed(record, "narrowed", _now(now), scope=scope or record.scope, expires_at=end, retention=retention)


def renew(
    record: ConsentRecord,
    statement: Statement,
    *,
    scope: Scope | None = None,
    months: int | None = DEFAULT_MONTHS,
    evidence: Sequence[Evidence] = (),
    now: datetime | None = None,
) -> ConsentRecord:
    """Given again from now on, with a new statement and possibly a wider scope; old evidence does not carry over."""
    now = _now(now)
    end = None if months is None else add_months(now, months)
    return _changed(
        record,
        "renewed",
        now,
        granted_at=now,
        valid_from=now,
        expires_at=end,
        scope=scope or record.scope,
        statement=statement,
        statement_audio=None,
        asr=None,
        speaker_match=None,
        evidence=tuple(evidence),
        retention=make_retention(now, end, record.retention.reference, record.retention.raw_audio),
    )


def with_evidence(
    record: ConsentRecord,
    evidence: Sequence[Evidence] = (),
    *,
    spoken: Spoken | None = None,
    now: datetime | None = None,
) -> ConsentRecord:
    """More evidence: documents, or what came of listening to the spoken statement (which replaces an older one).

    How long the statement's recording is kept counts from now: it may be spoken long after the consent was given.
    """
    now = _now(now)
    found = list(record.evidence)
    found += [item for item in (*evidence, *([spoken.evidence] if spoken else [])) if item not in found]
    parts: dict[str, object] = {}
    if spoken is not None:
        kept = record.retention
        parts = {
            "statement": spoken.statement,
            "statement_audio": spoken.audio,
            "asr": spoken.recognition,
            "speaker_match": spoken.match,
        }
        if (spoken.statement, spoken.audio) != (record.statement, record.statement_audio):
            parts["retention"] = make_retention(now, record.expires_at, kept.reference, kept.raw_audio)
    return _changed(record, "evidence_added", now, evidence=tuple(found), **parts)


def with_references(
    record: ConsentRecord, references: Sequence[Reference], now: datetime | None = None
) -> ConsentRecord:
    """Other recordings of the same person. An earlier speaker match was of the old ones and is dropped."""
    return _changed(record, "references_changed", _now(now), references=tuple(references), speaker_match=None)


def _draft(
    voice_id: str,
    kind: str,
    basis: str,
    *,
    references: Sequence[Reference],
    speaker: Speaker | None,
    operator: str,
    lang: str,
    scope: Scope,
    months: int | None,
    now: datetime | None,
    chooser: Chooser | None,
    representative: Representative | None = None,
    evidence: Sequence[Evidence] = (),
    design: Design | None = None,
    note: str = "",
    statement: Statement | None = None,
) -> ConsentRecord:
    now = _now(now)
    end = None if months is None else add_months(now, months)
    template = GUARDIAN if representative else kind
    words = statement or new_statement(template, lang, operator=operator, scope=scope, now=now, chooser=chooser)
    return ConsentRecord(
        schema=SCHEMA,
        record_id=str(uuid.uuid4()),
        voice_id=voice_id,
        version=1,
        change="made",
        recorded_at=now,
        subject_kind=kind,
        rights_basis=basis,
        note=Sealed.optional(note),
        speaker=speaker,
        representative=representative,
        operator=Sealed.of(operator.strip()),
        statement=words,
        statement_audio=None,
        asr=None,
        speaker_match=None,
        references=tuple(references),
        evidence=tuple(evidence),
        design=design,
        scope=scope,
        granted_at=now,
        valid_from=now,
        expires_at=end,
        retention=make_retention(now, end),
        withdrawal=None,
        level="L0",
        prev_hash=None,
        record_hash="",
        key_id="",
        sig="",
    )


def _changed(record: ConsentRecord, change: str, now: datetime, **fields: object) -> ConsentRecord:
    parts = {"change": change, "recorded_at": now, **fields}
    return dataclasses.replace(record, **parts)  # type: ignore[arg-type]  # the fields are of many types


def _now(now: datetime | None) -> datetime:
    return utc(now or datetime.now(UTC))

"""A consent that is given anew, or lasts longer: another version of the record, the chain is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.core.consent import making
from app.core.consent.record import ConsentRecord, Evidence, Scope
from app.core.consent.rules import DEFAULT_MONTHS, MAX_MONTHS, add_months, may_be_endless
from app.core.spoken import fresh_statement
from app.core.voice_card import VoiceError
from app.core.voices import Voices


@dataclass(frozen=True)
class Renewal:
    """What the person agreed to anew: ``months`` from now (None: as the kind of voice has it), ``scope`` None: as
    before, ``lang`` of the new statement (empty: as before), ``documents`` by their SHA-256."""

    months: int | None = None
    scope: Scope | None = None
    lang: str = ""
    documents: Mapping[str, bytes] = field(default_factory=dict)


def renew_voice(voices: Voices, voice_id: str, wish: Renewal) -> ConsentRecord:
    """Give a consent anew from now on, with a statement of new random words; older evidence does not count for it.

    Raises VoiceError, RuleError, KeysLockedError, StoreError: nothing was changed.
    """
    record = _record(voices, voice_id)
    months = wish.months
    if months is None and not may_be_endless(record):
        months = DEFAULT_MONTHS
    if months is not None and not 1 <= months <= MAX_MONTHS:
        raise VoiceError(f"A consent is given for 1 to {MAX_MONTHS} months.")
    now = voices.now()
    statement_scope = wish.scope or record.scope
    asked = fresh_statement(record, wish.lang, now=now, scope=statement_scope)
    evidence = [Evidence("signed_document", digest) for digest in wish.documents]
    draft = making.renew(record, asked, scope=statement_scope, months=months, evidence=evidence, now=now)
    with voices.store.database.write() as connection:
        signed = voices.append(voice_id, draft)
        for digest, data in wish.documents.items():
            voices.put_proof(connection, voice_id, "evidence", digest, data)
    return signed


def extend_voice(voices: Voices, voice_id: str, months: int) -> ConsentRecord:
    """Let a consent end ``months`` later than it does, at most 36 months after it was given.

    Raises VoiceError, RuleError, KeysLockedError, StoreError: nothing was changed.
    """
    record = _record(voices, voice_id)
    if record.expires_at is None:
        raise VoiceError("This consent has no end, so there is nothing to extend.")
    if months < 1:
        raise VoiceError("A consent is extended by at least one month.")
    until, latest = add_months(record.expires_at, months), add_months(record.granted_at, MAX_MONTHS)
    if until > latest:
        raise VoiceError(
            f"A consent lasts at most {MAX_MONTHS} months from when it was given, so until {latest:%Y-%m-%d}. Ask the "
            "person to give it anew: renew it."
        )
    return voices.append(voice_id, making.extend(record, until, voices.now()))


def _record(voices: Voices, voice_id: str) -> ConsentRecord:
    record = voices.record(voice_id)
    if record is None:
        raise VoiceError("This voice has no consent record. Delete it and save it anew.")
    if record.withdrawal is not None:
        raise VoiceError("The consent was withdrawn. It takes a new consent and a new recording: save the voice anew.")
    return record

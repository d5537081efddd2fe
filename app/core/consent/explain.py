"""A record in sentences, for people. Each has a code and values, from which a window makes another language's."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from app.core.consent.problems import Problem
from app.core.consent.record import ANY, ConsentRecord, Scope
from app.core.consent.rules import compute_level
from app.core.consent.sealed import Sealed

HIDDEN = "(not readable here)"
_KIND = {
    "self": "This is the own voice of {name}.",
    "other": "This is the voice of {name}.",
    "licensed": "This is the voice of {name}, used under a licence.",
    "public_domain": "This is the voice of {name}, from a recording in the public domain.",
    "synthetic_design": "No person is behind this voice; it was designed.",
}
_LEVEL = {
    "L0": "Level L0: somebody confirmed it; there is no evidence.",
    "L1": "Level L1: a document or recording is kept as evidence.",
    "L2": "Level L2: the statement was spoken and recognised; whose voice spoke it is not shown.",
    "L3": "Level L3: the statement was spoken live, and the voice matches the recordings.",
}
_KEPT = {
    "session": "this session",
    "24h": "24 hours",
    "7d": "7 days",
    "30d": "30 days",
    "until_expiry": "as long as it",
}


def explain(record: ConsentRecord) -> list[str]:
    """The record as English sentences."""
    return [line.message for line in explain_lines(record)]


def explain_lines(record: ConsentRecord) -> list[Problem]:
    """The same with codes (``explain.*``) and values."""
    return list(_lines(record))


def _lines(record: ConsentRecord) -> Iterator[Problem]:
    name = _shown(record.speaker.name) if record.speaker else ""
    yield _line(f"kind.{record.subject_kind}", _KIND[record.subject_kind], name=name or "the user")
    if record.speaker and record.speaker.contact:
        yield _line("contact", "They can be reached at {contact}.", contact=_shown(record.speaker.contact))
    if record.representative:
        who = record.representative
        yield _line(
            "representative", "{name} ({authority}) speaks for them.", name=_shown(who.name), authority=who.authority
        )
    if record.design:
        description = _shown(record.design.description) or "plain speech"
        yield _line(
            "design",
            "It was described as “{description}” and made by {model} with seed {seed}.",
            description=description,
            model=record.design.model,
            seed=str(record.design.seed),
        )
    yield _line("operator", "It may be used by {operator}.", operator=_shown(record.operator))
    yield _line("rights", "The right rests on: {basis}.", basis=record.rights_basis.replace("_", " "))
    yield from _scope_lines(record.scope)
    yield _line("granted", "It was given on {date}.", date=_day(record.granted_at))
    if record.expires_at is None:
        yield _line("endless", "It has no end, but can be withdrawn.")
    else:
        yield _line("expires", "It ends on {date}.", date=_day(record.expires_at))
    if record.withdrawal:
        yield _line("withdrawn", "It was withdrawn on {date}; the voice is frozen.", date=_day(record.withdrawal.at))
    level = compute_level(record)
    yield _line(f"level.{level}", _LEVEL[level])
    if record.asr:
        asr = record.asr
        yield _line(
            "heard",
            "{words} of 4 words were heard; {percent} % of the characters differ.",
            words=str(asr.words_heard),
            percent=f"{asr.cer * 100:.1f}",
        )
    if record.speaker_match:
        match = record.speaker_match
        yield _line(
            "match",
            "The voices match by {score} ({threshold} is needed).",
            score=f"{match.score:.2f}",
            threshold=f"{match.threshold:.2f}",
        )
    yield _line("statement", "Statement: “{text}”", text=_shown(record.statement.text))
    count, seconds = len(record.references), sum(item.seconds for item in record.references)
    yield _line(
        "references", "It covers {count} recordings of {seconds} s.", count=str(count), seconds=f"{seconds:.1f}"
    )
    kept = record.retention
    yield _line(
        "retention",
        "Kept: the trimmed recordings {reference}, the raw recordings {raw}.",
        reference=_KEPT[kept.reference],
        raw=_KEPT[kept.raw_audio],
    )
    if record.note:
        yield _line("note", "Note: “{note}”", note=_shown(record.note))
    yield _line("proof", "The record shows that nothing was changed since. It does not prove who the speaker is.")


def _scope_lines(scope: Scope) -> Iterator[Problem]:
    yield _line("purposes", "It allows to {purposes}.", purposes=" and ".join(reversed(scope.purposes)))
    for name, words in (
        ("commercial", "commercial use"),
        ("training", "training a model"),
        ("redistribution", "sharing the voice"),
        ("sensitive_text", "sensitive text"),
    ):
        allowed = getattr(scope, name)
        yield _line(
            f"{name}.{'yes' if allowed else 'no'}", f"{words.capitalize()} is {'' if allowed else 'not '}allowed."
        )
    for name, words in (("languages", "Languages"), ("territory", "Countries")):
        values = getattr(scope, name)
        if ANY not in values:
            yield _line(name, words + ": {values}.", values=", ".join(values))


def _line(code: str, sentence: str, /, **values: str) -> Problem:
    return Problem(f"explain.{code}", sentence.format(**values), values)


def _shown(sealed: Sealed | None) -> str:
    if sealed is None:
        return ""
    return HIDDEN if sealed.text is None else sealed.text


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"

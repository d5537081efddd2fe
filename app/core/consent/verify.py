"""Whether a consent allows a use, now and offline: every reason against it, in plain words.

Verification proves that nobody changed the record since it was signed on a known machine, and that what it says holds
together. It does not prove who the speaker is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from app.core.consent.codec import utc
from app.core.consent.problems import ConsentError, PrivatePartError, Problem, RecordError
from app.core.consent.record import ANY, ConsentRecord, Scope, parse_record
from app.core.consent.rules import change_problems, compute_level, content_problems
from app.core.consent.sealed import Private
from app.core.messages import Consent

USES = ("generate", "export", "train", "share")


@dataclass(frozen=True)
class Use:
    """What is about to be done. ``purpose`` is one of :data:`USES`; empty language or territory: not known, any."""

    purpose: str = "generate"
    commercial: bool = False
    language: str = ""
    territory: str = ""
    sensitive: bool = False


@dataclass(frozen=True)
class Verdict:
    """``problems`` has every reason against; ``level`` is computed from the newest version, empty if unreadable.

    ``unchecked`` lists what could not be looked at because the personal part is closed.
    """

    record_id: str
    level: str
    problems: tuple[Problem, ...]
    unchecked: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.problems

    @property
    def codes(self) -> frozenset[str]:
        """The codes of all problems."""
        return frozenset(problem.code for problem in self.problems)

    def reason(self) -> str:
        """All problems as sentences; empty if there is none."""
        return " ".join(problem.message for problem in self.problems)


class ConsentRefused(ConsentError):  # noqa: N818 - an answer, not a fault
    """The consent does not allow the use; ``verdict`` has all reasons."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.reason())
        self.verdict = verdict


def verify_consent(
    versions: Sequence[ConsentRecord],
    *,
    now: datetime,
    public_keys: Mapping[str, Ed25519PublicKey],
    use: Use | None = None,
    references: Collection[str] | None = None,
    head: str | None = None,
    voice_id: str | None = None,
) -> Verdict:
    """Check all versions of a consent, oldest first, for ``use`` (None: for being whole and valid only).

    Args:
        versions: all of them; personal texts may be open or closed.
        now: the present, with a time zone.
        public_keys: the keys that are trusted here, by key id.
        use: what is about to be done.
        references: ``sha256_pcm`` of the recordings about to be used; each must be in the record.
        head: ``record_hash`` of the newest version, remembered elsewhere: shows when versions were cut off.
        voice_id: the voice that is about to be used.
    """
    if not versions:
        return Verdict("", "", (Problem("missing", "There is no consent record for this voice.", {"field": "record"}),))
    now, newest = utc(now), versions[-1]
    problems = [*_chain(versions, public_keys)]
    if head is not None and newest.record_hash != head:
        problems.append(Problem("chain.head", "The newest version of the record is missing or was replaced."))
    for record in versions:
        problems += [p for p in content_problems(record) if p not in problems]
        if record.level != compute_level(record):
            problems.append(
                Problem(
                    "level.mismatch",
                    f"The record claims {record.level}, but its evidence supports {compute_level(record)}.",
                    {"claimed": record.level, "level": compute_level(record)},
                )
            )
    problems += _validity(newest, now)
    if voice_id is not None and voice_id != newest.voice_id:
        problems.append(Problem("voice.mismatch", "The record is for another voice."))
    if references is not None:
        problems += _references(newest, references)
    if use is not None:
        problems += check_scope(newest.scope, use)
    closed = () if newest.is_open else ("statement", "transcript", "names")
    return Verdict(newest.record_id, compute_level(newest), tuple(problems), closed)


def verify_stored(
    stored: Sequence[tuple[bytes, Private | None]],
    *,
    now: datetime,
    public_keys: Mapping[str, Ed25519PublicKey],
    use: Use | None = None,
    references: Collection[str] | None = None,
    head: str | None = None,
    voice_id: str | None = None,
) -> Verdict:
    """As :func:`verify_consent`, from canonical bytes with their personal parts; an unreadable one is a problem too."""
    versions, problems = [], []
    for data, private in stored:
        try:
            versions.append(parse_record(data, private))
        except (RecordError, PrivatePartError) as error:
            problems.append(Problem("unreadable", str(error), {"field": getattr(error, "field", "")}))
    if problems:
        return Verdict("", "", tuple(problems))
    return verify_consent(
        versions,
        now=now,
        public_keys=public_keys,
        use=use,
        references=references,
        head=head,
        voice_id=voice_id,
    )


def admit(versions: Sequence[ConsentRecord], verdict: Verdict) -> Consent:
    """The plain form that the engine's door takes. Raises :class:`ConsentRefused` unless the verdict is good.

    It carries no name: it is kept with every take, in the clear.
    """
    if not verdict.ok or not versions or verdict.record_id != versions[-1].record_id:
        raise ConsentRefused(verdict)
    record = versions[-1]
    scope = {*record.scope.purposes}
    scope |= {"train"} if record.scope.training else set()
    scope |= {"share"} if record.scope.redistribution else set()
    return Consent(record.record_id, record.subject_kind, "", frozenset(scope), record.valid_from, record.expires_at)


def check_scope(scope: Scope, use: Use) -> list[Problem]:
    """Everything about ``use`` that the scope does not cover. Raises ``ValueError`` for an unknown purpose."""
    if use.purpose not in USES:
        raise ValueError(f"a purpose is one of {', '.join(USES)}, not {use.purpose!r}")
    allowed = {"train": scope.training, "share": scope.redistribution}
    language = use.language.lower().replace("_", "-").split("-")[0]
    checks = [
        (allowed.get(use.purpose, use.purpose in scope.purposes), use.purpose, f"use it to {use.purpose}"),
        (scope.commercial or not use.commercial, "commercial", "use it commercially"),
        (scope.sensitive_text or not use.sensitive, "sensitive", "speak sensitive text with it"),
        (_covers(scope.languages, language), "language", f"speak the language {language!r} with it"),
        (_covers(scope.territory, use.territory.upper()), "territory", f"use it in {use.territory.upper()!r}"),
    ]
    return [
        Problem("out_of_scope", f"The consent does not allow to {what}. Ask the person to extend it.", {"what": code})
        for fine, code, what in checks
        if not fine
    ]


def _covers(allowed: Collection[str], wanted: str) -> bool:
    return not wanted or ANY in allowed or wanted in allowed


def _validity(record: ConsentRecord, now: datetime) -> list[Problem]:
    problems = []
    if record.withdrawal is not None:
        day = f"{record.withdrawal.at:%Y-%m-%d}"
        problems.append(Problem("withdrawn", f"The person withdrew the consent on {day}.", {"date": day}))
    if now < record.valid_from:
        day = f"{record.valid_from:%Y-%m-%d %H:%M} UTC"
        problems.append(
            Problem("not_yet_valid", f"The consent holds from {day} on. Check this machine's clock.", {"date": day})
        )
    if record.expires_at is not None and now >= record.expires_at:
        day = f"{record.expires_at:%Y-%m-%d}"
        problems.append(
            Problem("expired", f"The consent expired on {day}. Ask the person for a new one.", {"date": day})
        )
    return problems


def _references(record: ConsentRecord, wanted: Collection[str]) -> list[Problem]:
    known = {item.sha256_pcm for item in record.references}
    if set(wanted) <= known:
        return []
    return [
        Problem(
            "references.mismatch",
            "The recording is not one that the consent names. Add it to the consent, or use the original.",
        )
    ]


def _chain(versions: Sequence[ConsentRecord], keys: Mapping[str, Ed25519PublicKey]) -> list[Problem]:
    problems = []
    previous: ConsentRecord | None = None
    for place, record in enumerate(versions, 1):
        number = {"version": str(place)}
        linked = record.prev_hash == (previous.record_hash if previous else None) and record.version == place
        if not linked or (previous is None) != (record.change == "made"):
            problems.append(Problem("chain.broken", f"Version {place} does not follow the one before it.", number))
        if record.computed_hash() != record.record_hash:
            problems.append(Problem("chain.changed", f"Version {place} was changed after it was recorded.", number))
        key = keys.get(record.key_id)
        if key is None:
            problems.append(
                Problem(
                    "signature.unknown_key",
                    f"Version {place} was signed by a studio that is not known here.",
                    {**number, "key_id": record.key_id},
                )
            )
        elif not record.signature_holds(key):
            problems.append(Problem("signature.bad", f"The signature of version {place} is not genuine.", number))
        if previous is not None:
            problems += change_problems(previous, record)
        previous = record
    return problems

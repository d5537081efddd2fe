"""What the audit log may hold: a closed list of events and of facts, none of which has room for a text or a name.

A fact is an id, a hash, a number or a word of a closed list. Reasons that people give are texts, so an entry holds only
a commitment to them: the SHA-256 of a random salt and the text. Salt and text are kept apart, encrypted. Whoever is
shown both can check that they are the ones of the entry; nobody can guess a short text from its hash; and a text that
has to go can go, without breaking the chain.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.core.consent.record import LEVELS, PURPOSES, RIGHTS

Fact = str | int

LONGEST_REASON = 2000  # characters
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# What uuid4().hex gives, a take's name in the archive (session and number), and the id of a stored file.
_OTHER_ID = re.compile(r"[0-9a-f]{32}(-[0-9]{1,9})?|[pe][0-9a-f]{64}")
_HASH = re.compile(r"[0-9a-f]{64}")
_FINGERPRINT = re.compile(r"[0-9a-f]{8,128}")
_LARGEST = 2**53 - 1
_SALT_BYTES = 16


class AuditFactError(ValueError):
    """An event or a fact that the audit log does not take. The value is not repeated: it may be a text or a name."""


@dataclass(frozen=True)
class _Kind:
    """``says`` completes "... must be"."""

    says: str
    accepts: Callable[[object], bool]


def _words(*words: str) -> _Kind:
    known = frozenset(words)
    return _Kind(f"one of {', '.join(words)}", lambda value: isinstance(value, str) and value in known)


def _matching(says: str, *patterns: re.Pattern[str]) -> _Kind:
    return _Kind(says, lambda value: isinstance(value, str) and any(pattern.fullmatch(value) for pattern in patterns))


_ID = _matching("an id (a UUID)", _UUID, _OTHER_ID)
_SHA256 = _matching("a SHA-256 in small hexadecimal digits", _HASH)
_COUNT = _Kind(
    "a whole number from 0 on",
    lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST,
)
_MARK = _words("made", "left_out", "impossible")

CAUSES = (
    "missing", "unreadable", "expired", "not_yet_valid", "withdrawn", "out_of_scope", "quarantined", "frozen",
    "chain.broken", "chain.changed", "chain.first", "chain.head", "change.after_withdrawal", "change.empty",
    "change.not_allowed", "change.time", "change.wider", "design.of_person", "level.mismatch", "references.double",
    "references.mismatch", "references.too_long", "references.too_many", "rights.mismatch", "scope.list",
    "signature.bad", "signature.unknown_key", "speaker.of_nobody", "statement.mismatch", "statement.not_heard",
    "statement.other_voice", "statement.words", "validity.backdated",
    "validity.empty", "validity.future", "validity.too_long", "voice.mismatch", "other",
)  # fmt: skip
"""Why a voice was refused: the codes of consent problems, and what the library itself refuses for."""

FACTS: dict[str, _Kind] = {
    "log": _ID,
    "voice": _ID,
    "copy_of": _ID,
    "take": _ID,
    "record": _ID,
    "consent_record": _ID,
    "produce_id": _ID,
    "complaint": _ID,
    "blob": _ID,
    "sha256": _SHA256,
    "record_hash": _SHA256,
    "reason": _SHA256,
    "model": _matching("the fingerprint of a model (hexadecimal digits)", _FINGERPRINT),
    "version": _COUNT,
    "upto": _COUNT,
    "text_length": _COUNT,
    "references": _COUNT,
    "statements": _COUNT,
    "latents": _COUNT,
    "takes": _COUNT,
    "exports": _COUNT,
    "backup": _COUNT,
    "level": _words(*LEVELS),
    "rights_basis": _words(*RIGHTS),
    "purpose": _words(*dict.fromkeys((*PURPOSES, "training"))),
    "cause": _words(*CAUSES),
    "channel": _words("in_person", "phone", "e_mail", "letter", "message", "other"),
    "action": _words("freeze", "delete"),
    "mode": _words("plain", "design", "clone", "continue", "reference", "continuation", "combined"),
    "format": _words("wav", "flac", "mp3", "opus"),
    "mark_label": _MARK,
    "mark_credentials": _MARK,
    "mark_watermark": _MARK,
    "category": _words(
        "payment", "code", "password", "financial", "medical", "legal", "election", "news", "emergency", "public_figure"
    ),
    "decision": _words("allowed", "refused"),
    "outcome": _words("deleted", "released", "kept_frozen"),
    "key_source": _words("keyring", "passphrase", "memory"),
}


@dataclass(frozen=True)
class _Event:
    """Which facts an event must and may have. ``reason``: whether one must be given; it may be given with any."""

    must: frozenset[str]
    may: frozenset[str]
    reason: bool = False


def _event(must: str, may: str = "", *, reason: bool = False) -> _Event:
    return _Event(frozenset(must.split()), frozenset(may.split()) | {"reason"}, reason)


_OF_SOUND = "voice take consent_record model mode"
_OF_MARKS = "mark_label mark_credentials mark_watermark"

EVENTS: dict[str, _Event] = {
    "log_started": _event("log"),
    "signing_resumed": _event("upto"),
    "voice_added": _event("voice", "record version record_hash level rights_basis"),
    "voice_copied": _event("voice copy_of", "record version record_hash level rights_basis"),
    "voice_imported": _event("voice", "sha256 record version record_hash level rights_basis"),
    "voice_quarantined": _event("voice cause", "sha256"),
    "voice_exported": _event("voice sha256", "record"),
    "voice_frozen": _event("voice", "complaint", reason=True),
    "voice_released": _event("voice", "complaint", reason=True),
    "voice_deleted": _event("voice", "complaint record record_hash references latents takes exports"),
    "voice_encoded": _event("voice", "model purpose record"),
    "voice_decrypted": _event("voice", "blob"),
    "recordings_purged": _event("voice references statements latents"),
    "record_added": _event("voice record version record_hash", "level rights_basis"),
    "consent_withdrawn": _event("voice record version", "record_hash channel action"),
    "use_refused": _event("cause", "purpose voice record"),
    "statement_refused": _event("cause", "voice record"),
    "adapter_loaded": _event("sha256", "voice record purpose"),
    "export": _event("produce_id format sha256", f"{_OF_SOUND} {_OF_MARKS}"),
    "export_voice": _event("produce_id voice", "consent_record"),  # one for each of several voices in one file
    "export_stream": _event("produce_id", f"{_OF_SOUND} {_OF_MARKS}"),
    "marks_changed": _event(_OF_MARKS, reason=True),
    "sensitive_text": _event("category decision", "text_length voice take", reason=True),
    "complaint_opened": _event("complaint voice"),
    "complaint_closed": _event("complaint outcome", "voice"),
    "take_deleted": _event("take", "voice"),
    "keys_changed": _event("key_source"),
    "log_exported": _event("upto"),
    "data_restored": _event("backup"),
}


def check(event: str, facts: Mapping[str, object]) -> dict[str, Fact]:
    """Return the facts as they may be written.

    Raises:
        AuditFactError: an unknown event or fact, one that is missing or does not belong to the event, or a value that
            is anything but an id, a hash, a number or a word of the list.
    """
    known = EVENTS.get(event)
    if known is None:
        raise AuditFactError("The audit log has no event of this kind; add it to the table of events first.")
    wanted = known.must | ({"reason"} if known.reason else frozenset())
    if missing := wanted - facts.keys():
        raise AuditFactError(f"The event {event} must have: {', '.join(sorted(missing))}.")
    checked: dict[str, Fact] = {}
    for name, value in facts.items():
        if name not in known.must | known.may:
            known_name = name if name in FACTS else "of this name"
            raise AuditFactError(f"The event {event} has no fact {known_name}; add it to the table of events first.")
        if not FACTS[name].accepts(value):
            raise AuditFactError(f"In an entry of the audit log {name} must be {FACTS[name].says}.")
        assert isinstance(value, str | int)
        checked[name] = value
    return checked


def commitment(salt: bytes, reason: str) -> str:
    """Return what an entry holds of a reason: the SHA-256 of ``salt`` (16 random bytes) and the text in UTF-8."""
    if len(salt) != _SALT_BYTES:
        raise ValueError(f"the salt has {_SALT_BYTES} bytes, not {len(salt)}")
    return hashlib.sha256(salt + reason.encode("utf-8")).hexdigest()

"""The versions of one consent: an append-only tuple, oldest first."""

from __future__ import annotations

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.core.consent.problems import Problem, RuleError
from app.core.consent.record import ConsentRecord, sign_version
from app.core.consent.rules import change_problems, compute_level, content_problems

Versions = tuple[ConsentRecord, ...]


def append_version(versions: Versions, draft: ConsentRecord, *, key: Ed25519PrivateKey, key_id: str) -> Versions:
    """The versions with ``draft`` as the newest: level computed, chained, hashed and signed. Store the last one.

    Raises :class:`RuleError` with every rule that the draft breaks, :class:`RecordError` for an ill-formed field.
    """
    previous = versions[-1] if versions else None
    signed = sign_version(draft, previous, key=key, key_id=key_id, level=compute_level(draft))
    problems = content_problems(signed)
    if previous is not None:
        problems += change_problems(previous, signed)
    elif draft.change != "made":
        problems.append(Problem("chain.first", "There is no version that this one could change."))
    if problems:
        raise RuleError(problems)
    return (*versions, signed)

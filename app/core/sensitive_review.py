"""The human decision about sensitive text: who asks, what is remembered, and what the audit log gets.

A decision is the word of the person who makes a take, as a consent that is attested at the screen. It travels with the
job as the categories that were decided about, and is kept with the take, so that one text is asked about once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from app.core.audit_events import LONGEST_REASON
from app.core.sensitive import Finding
from app.core.sensitive_lists import lists_in_force

if TYPE_CHECKING:
    from app.core.audit import AuditLog


class ReasonError(ValueError):
    """There is no reason, or one that cannot be kept; the message says what to do."""


def findings_of(texts: Iterable[str], decided: Collection[str] = ()) -> tuple[Finding, ...]:
    """What in ``texts`` asks for a decision, one finding for each category that is not among ``decided``."""
    lists = lists_in_force()
    found: dict[str, Finding] = {}
    for text in texts:
        for finding in lists.find(text):
            if finding.category not in decided:
                found.setdefault(finding.category, finding)
    return tuple(found.values())


def decide(
    audit: AuditLog, findings: Iterable[Finding], reason: str, *, length: int, voice: str = ""
) -> frozenset[str]:
    """Write the decision that the text may be spoken into the audit log; returns the categories for the job.

    ``length`` is that of the text in characters, ``voice`` the id of the saved voice that speaks. The reason is kept
    encrypted; the log has its commitment.

    Raises:
        ReasonError: no reason, or one that is too long.
        KeysLockedError, StoreError: nothing was written.
    """
    reason = reason.strip()
    if not reason:
        raise ReasonError("Say why this text may be spoken.")
    if len(reason) > LONGEST_REASON:
        raise ReasonError(f"The reason has more than {LONGEST_REASON} characters. Shorten it.")
    categories = [finding.category for finding in findings]
    for category in categories:
        facts: dict[str, object] = {"category": category, "decision": "allowed", "text_length": length}
        audit.append("sensitive_text", facts | ({"voice": voice} if voice else {}), reason=reason)
    return frozenset(categories)

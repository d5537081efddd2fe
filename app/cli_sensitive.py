"""Sensitive text on the command line: it is spoken only with ``--sensitive-reason``, which goes to the audit log."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Sequence

from app.core.library import Library
from app.core.sensitive import Finding
from app.core.sensitive_review import ReasonError, decide, findings_of
from voxcpm.errors import RequestError

MEANING = {
    "payment": "payments",
    "code": "one-time codes",
    "password": "passwords or identity data",
    "financial": "financial notices",
    "medical": "medical matters",
    "legal": "legal matters",
    "election": "elections",
    "news": "news",
    "emergency": "announcements of authorities or emergencies",
    "public_figure": "public figures",
}


def add_sensitive_option(command: argparse._ActionsContainer) -> None:
    """Add the option that :func:`decided_about` reads."""
    command.add_argument(
        "--sensitive-reason",
        metavar="TEXT",
        help="why text about payments, codes, news and the like may be spoken; kept encrypted, the audit log has its "
        "hash",
    )


def decided_about(
    options: argparse.Namespace,
    texts: Sequence[str],
    library: Library,
    *,
    voice: str = "",
    decided: Collection[str] = (),
) -> frozenset[str]:
    """Return the categories of ``texts`` that were decided about, with the reason written into the audit log.

    ``voice`` is the id of the saved voice that speaks, ``decided`` what was decided about these texts before.

    Raises:
        RequestError: there is such text, and no reason was given.
        StoreError: the decision cannot be written down.
    """
    found = findings_of(texts, decided)
    if not found:
        return frozenset(decided)
    reason = options.sensitive_reason or ""
    if not reason.strip():
        raise RequestError(
            "text",
            f"it is about {told(found)}. Said in a voice, such words can deceive. If this may be spoken, say why: "
            "--sensitive-reason TEXT (goes to the audit log).",
        )
    try:
        length = sum(len(text) for text in texts)
        return frozenset(decided) | decide(library.audit, found, reason, length=length, voice=voice)
    except ReasonError as error:
        raise RequestError("sensitive_reason", str(error)) from error


def told(findings: Sequence[Finding]) -> str:
    """What was found, in words, each with the words that it was found by."""
    return ", ".join(f"{MEANING[finding.category]} ({' … '.join(finding.words)})" for finding in findings)

"""What the options of the command line say of a voice: a saved one, or recordings with somebody's word."""

from __future__ import annotations

import argparse
import contextlib
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime

from app.core.consent.verify import ConsentRefused
from app.core.engine_api import EngineError
from app.core.library import Library
from app.core.messages import SAVED, SUBJECT_OTHER, SUBJECT_SELF, Consent, VoiceSpec
from app.core.voice_card import SavedVoice, VoiceError
from voxcpm.errors import ConsentError, RequestError

OWN = ("me", "self", "own")


def find_saved(options: argparse.Namespace, library: Library) -> SavedVoice | None:
    """Return the saved voice of ``--voice``; None without that option.

    Raises:
        ConsentError: there is none, or its record does not allow the use.
    """
    if options.voice is None:
        return None
    if (options.consent or "").strip() or (options.contact or "").strip():
        raise RequestError("voice", "a saved voice has its own consent record; leave --consent and --contact out.")
    try:
        saved = library.voices.find(options.voice)
        library.door.admit(saved.voice_id)  # first of all: recordings may be gone because the consent ended
        return saved
    except (VoiceError, ConsentRefused) as error:
        raise ConsentError(str(error)) from error


def spec_of(
    options: argparse.Namespace, saved: SavedVoice | None, transcript: str | None, *, takes_reference: bool
) -> VoiceSpec | None:
    """Return the voice of a job; None for none.

    Raises:
        RequestError: a saved voice that this command or model cannot use.
        ConsentError: no usable word for a recording.
    """
    if saved is not None:
        parts = [part for part in saved.parts if part == "prompt" or takes_reference]
        needed = {"clone": "reference", "continue": "prompt"}.get(options.command)
        if needed and needed not in parts:
            raise RequestError("voice", f"this voice has no {needed} that {options.command} could use with this model.")
        used = {part: SAVED for part in parts if options.command != "continue" or part == "prompt" or needed is None}
        return VoiceSpec(voice_id=saved.voice_id, reference=used.get("reference"), prompt=used.get("prompt"))
    reference, prompt = getattr(options, "reference", None), getattr(options, "prompt", None)
    if reference is None and prompt is None:
        return None
    return VoiceSpec(
        None if reference is None else str(reference),
        None if prompt is None else str(prompt),
        transcript or "",
        word_of(options.consent, options.contact),
    )


def word_of(who: str, contact: str | None) -> Consent:
    """Return what ``--consent`` and ``--contact`` say.

    Raises:
        ConsentError: a name without a contact.
    """
    who, contact = who.strip(), (contact or "").strip()
    if _is_id(who):
        return Consent(who, SUBJECT_OTHER, "", frozenset(), datetime.now(UTC), None)
    if who.lower() in OWN:
        return Consent.attest(SUBJECT_SELF)
    if not contact:
        raise ConsentError(
            f"Say how {who} can be reached: --contact HOW. For your own voice: --consent me. To keep a voice with its "
            "consent: voxcpm voices add."
        )
    return Consent.attest(SUBJECT_OTHER, who, contact=contact)


@contextlib.contextmanager
def told_as_library() -> Iterator[None]:
    """Raise what the engine says as the library's errors, which have exit codes."""
    try:
        yield
    except EngineError as error:
        failure = error.failure
        if failure.field == "consent":
            raise ConsentError(failure.message) from error
        raise RequestError(failure.field or "voice", failure.message) from error


def _is_id(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False

"""What sound came from, as it is written into the files that leave."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.messages import VoiceSpec
from app.core.takes import Take
from app.marks.choice import Origin


def origin_of_take(take: Take) -> Origin:
    """Return where a take came from, by ids and hashes alone."""
    mode = take.result.mode if take.result is not None else take.job.mode
    return origin_of(take.job.voice, take.model.fingerprint, mode, take=take.uid)


def origin_of(voice: VoiceSpec | None, model: str, mode: str, *, take: str = "") -> Origin:
    """Return where sound came from; ``model`` is the fingerprint, ``take`` the uid of a take that is kept."""
    if voice is None:
        return Origin(take=take, model=model, mode=mode)
    record = "" if voice.consent is None else voice.consent.record_id
    return Origin(take=take, voice=voice.voice_id, consent_record=record, model=model, mode=mode)


def origin_of_mix(origins: Sequence[Origin]) -> Origin:
    """Return where a sound of several takes came from: what all of them have in common, and each of them."""

    def common(name: str) -> str:
        values = {getattr(origin, name) for origin in origins}
        return values.pop() if len(values) == 1 else ""

    shared = {name: common(name) for name in ("take", "voice", "consent_record", "model", "mode")}
    return Origin(**shared, parts=tuple(origins))

"""What the engine asks of the library of voices, so that it may sit in another process than the library."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from app.core.consent.problems import ConsentError
from app.core.consent.verify import ConsentRefused, Use
from app.core.door import Admitted, Door
from app.core.engine_api import EngineError
from app.core.messages import Consent, Failure, VoiceSpec
from app.core.sound_files import KeptSound
from app.core.store import errors

FindDoor = Callable[[], Door]
Decode = Callable[[], Mapping[str, KeptSound]]

_CODES = {"missing", "expired", "withdrawn", "out_of_scope", "frozen", "quarantined"}
_NO_DOOR = Failure("There is no library of voices here, so no voice can be used.", "consent", code="consent")


class VoiceDoor(Protocol):
    """The door to all voices as the engine uses it. Every method raises EngineError with the reasons of a refusal."""

    def admit_spec(self, spec: VoiceSpec, sounds: Decode, use: Use) -> Admitted:
        """See ``Door.admit_spec``; what ``sounds`` raises passes through."""
        ...

    def admit(self, voice_id: str, use: Use) -> Consent:
        """The consent to use a saved voice, asked for now."""
        ...

    def admit_voice(self, voice_id: str, use: Use) -> Admitted:
        """The same with its texts and sounds."""
        ...

    def admit_all(self, record_ids: Collection[str], use: Use) -> list[Consent]:
        """The consents behind records that a LoRA names."""
        ...

    def note(self, event: str, facts: Mapping[str, object]) -> None:
        """Write what the engine does into the audit log."""
        ...

    def latents(self, voice_id: str, key: str) -> bytes | None:
        """Kept latents of a saved voice; None where there are none, or for a shipped voice."""
        ...

    def keep_latents(self, voice_id: str, key: str, data: bytes) -> None:
        """Keep latents of a saved voice, encrypted; nothing is kept of a shipped one."""
        ...


class LocalDoor:
    """The door of the library in this process, found at the first question."""

    def __init__(self, find: FindDoor | None) -> None:
        self._find = find

    def admit_spec(self, spec: VoiceSpec, sounds: Decode, use: Use) -> Admitted:
        """Ask for what a job brings along."""
        with _told_to_people():
            return self._door().admit_spec(spec, sounds, use)

    def admit(self, voice_id: str, use: Use) -> Consent:
        """Ask for a saved voice."""
        with _told_to_people():
            return self._door().admit(voice_id, use)

    def admit_voice(self, voice_id: str, use: Use) -> Admitted:
        """Ask for a saved voice and read it."""
        with _told_to_people():
            return self._door().admit_voice(voice_id, use)

    def admit_all(self, record_ids: Collection[str], use: Use) -> list[Consent]:
        """Ask for several records."""
        if not record_ids:  # nobody's voice: no library of voices has to be opened for it
            return []
        with _told_to_people():
            return self._door().admit_all(record_ids, use)

    def note(self, event: str, facts: Mapping[str, object]) -> None:
        """Append to the audit log."""
        with _told_to_people():
            self._door().voices.audit.append(event, facts)

    def latents(self, voice_id: str, key: str) -> bytes | None:
        """Read kept latents."""
        with _told_to_people():
            voices = self._door().voices
            return None if voice_id in voices.shipped else voices.latents(voice_id, key)

    def keep_latents(self, voice_id: str, key: str, data: bytes) -> None:
        """Keep latents."""
        with _told_to_people():
            voices = self._door().voices
            if voice_id not in voices.shipped:
                voices.keep_latents(voice_id, key, data)

    def _door(self) -> Door:
        if self._find is None:
            raise EngineError(_NO_DOOR)
        return self._find()


def refusal(error: ConsentRefused) -> Failure:
    """A refusal of the door for the window; the first reason gives the code."""
    code = error.verdict.problems[0].code if error.verdict.problems else ""
    return Failure(str(error), "consent", code=f"consent.{code}" if code in _CODES else "consent")


@contextmanager
def _told_to_people() -> Iterator[None]:
    """Turn what the library of voices says into EngineError; all else passes."""
    try:
        yield
    except ConsentRefused as error:
        raise EngineError(refusal(error)) from error
    except (ConsentError, errors.StoreError) as error:
        raise EngineError(Failure(str(error), "consent", type(error).__name__, "consent")) from error

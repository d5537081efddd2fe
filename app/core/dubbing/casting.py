"""Who speaks: voices for characters, asked for at the door before they are cast and before anything is made."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from app.core.consent.verify import ConsentRefused, Use
from app.core.door import GENERATE, SENSITIVE, Door
from app.core.dubbing.cues import Dub, Role
from app.core.dubbing.editing import Dubbing
from app.core.messages import SAVED, VoiceSpec
from app.core.sensitive_review import findings_of
from app.core.store import errors
from app.core.voice_card import SavedVoice, VoiceError
from app.core.voice_uses import PROJECT, note_use
from app.core.voices import Voices

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Refusal:
    """A voice that may not be used, and for whom: ``reason`` in words."""

    voice: str
    characters: tuple[str, ...]
    reason: str


def cast_voice(dubbing: Dubbing, door: Door, character: str, role: Role, use: Use = GENERATE) -> bool:
    """Cast a character; the voice is asked for first. Raises ConsentRefused: nothing was changed."""
    if role.voice:
        door.admit(role.voice, use)
        note_project(dubbing, door, role.voice)
    return dubbing.cast(character, role)


def override_voice(dubbing: Dubbing, door: Door, cue_id: str, voice: str, use: Use = GENERATE) -> bool:
    """Give one cue a voice of its own, asked for first. Raises ConsentRefused: nothing was changed."""
    if voice:
        door.admit(voice, use)
        note_project(dubbing, door, voice)
    return dubbing.set_voice(cue_id, voice)


def note_project(dubbing: Dubbing, door: Door, voice: str) -> None:
    """Remember that a project uses a voice, so that one knows where when it has to go; a full disk is no hindrance."""
    try:
        note_use(door.voices.store, voice, PROJECT, dubbing.project.project_id, dubbing.project.folder)
    except errors.StoreError:
        log.warning("The use of the voice %s could not be noted", voice, exc_info=True)


def refusals(dub: Dub, door: Door, use: Use = GENERATE, extra: Iterable[str] = ()) -> list[Refusal]:
    """Ask the door for every saved voice of a dub (and ``extra`` ones); return those that it does not let through."""
    found = []
    for voice, characters in {**dict.fromkeys(extra, ()), **voices_of(dub)}.items():
        try:
            door.admit(voice, use)
        except ConsentRefused as error:
            found.append(Refusal(voice, tuple(characters), str(error)))
    return found


def spec_of_voice(saved: SavedVoice, *, takes_reference: bool) -> VoiceSpec:
    """Return a saved voice as the engine takes it; ``takes_reference``: whether the model does.

    Raises:
        VoiceError: this model could not use anything of it, and would speak with another voice.
    """
    used = {part: SAVED for part in saved.parts if part == "prompt" or takes_reference}
    if saved.parts and not used:
        raise VoiceError(
            f"The voice {saved.name or saved.voice_id} has a reference and no prompt, and this model takes no "
            "reference. Choose another voice, or load VoxCPM2."
        )
    return VoiceSpec(voice_id=saved.voice_id, reference=used.get("reference"), prompt=used.get("prompt"))


class VoiceSpecs:
    """Voices of roles as the engine takes them, each looked up once; ``takes_reference``: whether the model does."""

    def __init__(self, voices: Voices, *, takes_reference: bool) -> None:
        self._voices, self._takes_reference = voices, takes_reference
        self._known: dict[str, VoiceSpec | None] = {"": None}

    def of(self, role: Role) -> VoiceSpec | None:
        """The voice of a role; None for none. Raises as ``spec_of_voice``."""
        if role.voice not in self._known:
            saved = self._voices.get(role.voice)
            self._known[role.voice] = spec_of_voice(saved, takes_reference=self._takes_reference)
        return self._known[role.voice]


def refusals_of_texts(dub: Dub, door: Door, texts: Mapping[str, Iterable[str]]) -> list[Refusal]:
    """Ask the door for every saved voice that speaks sensitive text. ``texts`` are what is spoken, by cue."""
    spoken = {cue_id: list(several) for cue_id, several in texts.items()}
    sensitive = [cue for cue in dub.cues if findings_of(spoken.get(cue.cue_id, ()))]
    return refusals(dataclasses.replace(dub, cues=tuple(sensitive)), door, SENSITIVE)


def voices_of(dub: Dub) -> Mapping[str, tuple[str, ...]]:
    """Return every saved voice that a cue is spoken with, and by which characters."""
    found: dict[str, dict[str, None]] = {}
    for cue in dub.cues:
        voice = dub.role_of(cue).voice
        if voice:
            found.setdefault(voice, {})[cue.character] = None
    return {voice: tuple(characters) for voice, characters in found.items()}

"""What a saved voice is, apart from its consent: names and texts (the card, encrypted at rest) and its state."""

from __future__ import annotations

import dataclasses
import json
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from app.core import canonical
from app.core.consent.problems import ConsentError
from app.core.consent.record import SYNTHETIC
from app.core.store import errors, sealing

ORDERS = ("oldest", "newest", "name", "level")
MAX_NAME, MAX_TAGS, MAX_TAG, MAX_TEXT = 120, 16, 40, 2000


class VoiceError(ConsentError):
    """Something about a saved voice cannot be done; the message says what and what to do instead."""


class VoiceMissingError(VoiceError):
    """There is no such voice, or it was deleted."""


class VoiceState(StrEnum):
    """Whether a voice may be used at all; only ``ACTIVE`` may, and then its consent decides.

    ``FROZEN``: the consent was withdrawn or there is a complaint. ``QUARANTINED``: imported without a valid record; can
    be looked at and deleted. ``DELETED``: hashes only.
    """

    ACTIVE = "active"
    FROZEN = "frozen"
    QUARANTINED = "quarantined"
    DELETED = "deleted"


@dataclass(frozen=True)
class VoiceCard:
    """The texts of a voice. ``kind`` is the subject kind of its record.

    ``transcript`` belongs to the prompt. ``lora`` is a path and ``lora_sha256`` the hash of its weights file.
    ``from_take`` is the id of the designed take that it was kept from. ``licence`` is the text that a shipped voice
    comes under.
    """

    name: str
    tags: tuple[str, ...] = ()
    kind: str = ""
    transcript: str = ""
    style: str = ""
    lora: str = ""
    lora_sha256: str = ""
    from_take: str = ""
    licence: str = ""

    @property
    def haystack(self) -> str:
        """What is searched: name and tags, folded."""
        return folded(" ".join((self.name, *self.tags)))

    def checked(self) -> VoiceCard:
        """Itself with blanks trimmed and tags sorted. Raises :class:`VoiceError` for what cannot be kept."""
        name = " ".join(self.name.split())
        tags = tuple(sorted({" ".join(tag.split()) for tag in self.tags} - {""}))
        if not name:
            raise VoiceError("Give the voice a name.")
        if len(name) > MAX_NAME:
            raise VoiceError(f"The name of a voice has at most {MAX_NAME} characters. Shorten it.")
        if len(tags) > MAX_TAGS or any(len(tag) > MAX_TAG for tag in tags):
            raise VoiceError(f"A voice has at most {MAX_TAGS} tags of {MAX_TAG} characters. Leave out some.")
        if max(len(self.transcript), len(self.style)) > MAX_TEXT:
            raise VoiceError(f"Transcript and style have at most {MAX_TEXT} characters. Shorten them.")
        return dataclasses.replace(
            self, name=name, tags=tags, transcript=self.transcript.strip(), style=self.style.strip()
        )

    def to_bytes(self) -> bytes:
        """Canonical JSON."""
        plain = {**vars(self), "tags": list(self.tags)}
        try:
            return canonical.dump(plain)
        except canonical.CanonicalError as error:
            raise VoiceError(f"The texts of this voice cannot be kept: {error}.") from error

    @classmethod
    def from_bytes(cls, data: bytes) -> VoiceCard:
        """Back from ``to_bytes``. Raises :class:`VoiceError` for anything else.

        The seal has shown that these are the bytes that were written, and a start reads thousands of them: that they
        are canonical is not checked again.
        """
        try:
            raw = json.loads(data)
        except ValueError as error:
            raise VoiceError(f"The texts of this voice cannot be read: {error}.") from error
        if not isinstance(raw, dict):
            raise VoiceError("The texts of this voice are damaged.")
        tags = raw.pop("tags", None)
        raw.pop("sample_take", None)  # cards of before have the field; nothing ever filled it in
        if not isinstance(tags, list) or not all(isinstance(value, str) for value in (*raw.values(), *tags)):
            raise VoiceError("The texts of this voice are damaged.")
        if {*raw, "tags"} != _FIELDS:
            raise VoiceError("The texts of this voice were written by another version. Update the studio.")
        return cls(tags=tuple(tags), **raw)

    def sealed(self, key: bytes, voice_id: str) -> bytes:
        """Encrypted with the voice's key, bound to its id."""
        return sealing.wrap(key, self.to_bytes(), _context(voice_id))


_FIELDS = {field.name for field in dataclasses.fields(VoiceCard)}


def opened_card(sealed: bytes, key: bytes, voice_id: str) -> VoiceCard:
    """Undo ``sealed``. Raises DamagedError."""
    try:
        return VoiceCard.from_bytes(sealing.unwrap(key, sealed, _context(voice_id)))
    except sealing.SealBrokenError as error:
        raise errors.DamagedError(
            f"The texts of the voice {voice_id} were changed. Restore the newest intact backup of the data folder."
        ) from error


@dataclass(frozen=True)
class SavedVoice:
    """A voice of the library as it is listed. ``card`` is None where its key is not at hand, or it was deleted.

    ``parts`` names the sounds it has (reference, prompt). ``cause`` is the code of the problem for which it is in
    quarantine. ``shipped`` voices came with the studio: they are read only. ``sequence`` rises with each new one.
    ``level`` is that of its consent, to be shown: what may be done with the voice is asked of the record.
    ``consent_of`` is the voice that the consent was given for where this one is a copy of it (``voice_copying``).
    """

    voice_id: str
    sequence: int
    state: VoiceState
    mode: str
    card: VoiceCard | None
    parts: tuple[str, ...] = ()
    cause: str = ""
    complaint: str = ""
    shipped: bool = False
    level: str = ""
    consent_of: str = ""

    @property
    def stands_on(self) -> str:
        """The id of the voice that its consent was given for."""
        return self.consent_of or self.voice_id

    @property
    def is_on_a_word(self) -> bool:
        """Whether a person's voice stands on somebody's word alone: there is no evidence (L0)."""
        return self.level == "L0" and self.card is not None and self.card.kind != SYNTHETIC

    @property
    def name(self) -> str:
        """Its name, empty while locked."""
        return self.card.name if self.card else ""


def in_order(voices: Iterable[SavedVoice], order: str) -> list[SavedVoice]:
    """Voices, the oldest first, in one of ``ORDERS``.

    ``newest`` puts those that came with the studio last, ``name`` those whose names are locked; ``level`` puts those
    first whose consent has the least evidence.
    """
    match order:
        case "newest":
            return sorted(voices, key=lambda voice: (voice.shipped, -voice.sequence))
        case "name":
            return sorted(voices, key=lambda voice: (voice.card is None, folded(voice.name)))
        case "level":
            return sorted(voices, key=lambda voice: (not voice.is_on_a_word, voice.level or "~"))
    return list(voices)


def folded(text: str) -> str:
    """Text as it is compared in a search: one case and width, accents apart from letters left out."""
    if text.isascii():
        return text.casefold()
    spread = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in spread if not unicodedata.combining(character))


def mode_of(parts: Iterable[str]) -> str:
    """The mode that sounds make: reference, continuation, combined, or design without any."""
    there = set(parts)
    if there == {"reference", "prompt"}:
        return "combined"
    return {"reference": "reference", "prompt": "continuation"}[there.pop()] if there else "design"


def _context(voice_id: str) -> str:
    return f"voice card {voice_id}"

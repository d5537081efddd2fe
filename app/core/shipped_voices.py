"""Voices that come with the studio: real people's recordings, each with its own record and licence. Read only."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.core.consent.record import parse_record
from app.core.consent.sealed import Private, check_private
from app.core.resources import resources_root
from app.core.sound_files import from_flac
from app.core.voice_card import SavedVoice, VoiceCard, VoiceMissingError, VoiceState, folded, mode_of

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

log = logging.getLogger(__name__)

FOLDER = "voices"
SIGNER = "signer.json"
FORMAT = "voxcpm-shipped-voice-1"


@dataclass(frozen=True)
class _Shipped:
    voice: SavedVoice
    versions: list[tuple[bytes, Private | None]]
    record_id: str
    sounds: dict[str, Path]


class ShippedVoices:
    """The voices in ``folder`` (default: the studio's own), read at the first look; one that is damaged is left out.

    Each is a JSON file beside its FLAC files: format, voice_id, card, versions (canonical JSON of the record and its
    personal part) and sounds (part: file). ``signer.json`` has the public key that signed all records.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._found: dict[str, _Shipped] | None = None
        self._keys: dict[str, Ed25519PublicKey] = {}

    def all(self) -> list[SavedVoice]:
        """All of them, by name."""
        return [shipped.voice for shipped in self._look().values()]

    def search(self, text: str, tags: Iterable[str] = ()) -> list[SavedVoice]:
        """As ``Voices.search``."""
        words, wanted = folded(text).split(), {folded(tag) for tag in tags}
        cards = ((voice, voice.card) for voice in self.all() if voice.card is not None)
        return [
            voice
            for voice, card in cards
            if all(word in card.haystack for word in words) and wanted <= {folded(tag) for tag in card.tags}
        ]

    def get(self, voice_id: str) -> SavedVoice | None:
        """One of them, or None."""
        found = self._look().get(voice_id)
        return found.voice if found else None

    def __contains__(self, voice_id: object) -> bool:
        return voice_id in self._look()

    def versions(self, voice_id: str) -> list[tuple[bytes, Private | None]] | None:
        """The versions of its record, or None."""
        found = self._look().get(voice_id)
        return list(found.versions) if found else None

    def voice_of_record(self, record_id: str) -> str | None:
        """The voice that a record is for, or None."""
        hits = (voice_id for voice_id, shipped in self._look().items() if shipped.record_id == record_id)
        return next(hits, None)

    def sound(self, voice_id: str, part: str) -> bytes:
        """The file of a part. Raises :class:`VoiceMissingError`."""
        path = self._look()[voice_id].sounds.get(part)
        if path is None:
            raise VoiceMissingError(f"This voice has no {part} audio.")
        try:
            return path.read_bytes()
        except OSError as error:
            raise VoiceMissingError(f"{path.name} is missing. Install VoxCPM Studio again.") from error

    def sound_hashes(self, voice_id: str) -> list[str]:
        """What its sounds hash to now; the record must name them. Raises :class:`VoiceMissingError`."""
        try:
            return [from_flac(self.sound(voice_id, part)).sha256 for part in self._look()[voice_id].sounds]
        except RuntimeError as error:  # soundfile's
            raise VoiceMissingError("The audio of this voice is damaged. Install VoxCPM Studio again.") from error

    @property
    def public_keys(self) -> dict[str, Ed25519PublicKey]:
        """The key that signed the records."""
        self._look()
        return self._keys

    def _look(self) -> dict[str, _Shipped]:
        if self._found is None:
            folder = self._folder
            if folder is None:
                folder = resources_root() / FOLDER
            found = {}
            if folder.is_dir():
                self._keys = _signer(folder)
                for number, path in enumerate(sorted(folder.glob("*.json")), 1):
                    if path.name == SIGNER:
                        continue
                    try:
                        shipped = _read(path, number)
                    except Exception as error:  # a damaged installation must not keep the own voices away
                        log.warning("The shipped voice %s is left out (%s)", path.name, type(error).__name__)
                        continue
                    found[shipped.voice.voice_id] = shipped
            self._found = found
        return self._found


def _signer(folder: Path) -> dict[str, Ed25519PublicKey]:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        raw = json.loads((folder / SIGNER).read_text(encoding="utf-8"))
        return {str(raw["key_id"]): Ed25519PublicKey.from_public_bytes(bytes.fromhex(raw["public_key"]))}
    except (OSError, ValueError, KeyError, TypeError):
        log.warning("The key of the shipped voices cannot be read")
        return {}


def _read(path: Path, number: int) -> _Shipped:
    raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if raw["format"] != FORMAT:
        raise ValueError("of another version")
    card = VoiceCard(**{**raw["card"], "tags": tuple(raw["card"]["tags"])}).checked()
    versions: list[tuple[bytes, Private | None]] = [
        (version["record"].encode(), check_private(version["private"])) for version in raw["versions"]
    ]
    record = parse_record(*versions[-1])
    sounds = {part: path.with_name(Path(name).name) for part, name in raw["sounds"].items()}
    voice = SavedVoice(
        raw["voice_id"],
        number,
        VoiceState.ACTIVE,
        mode_of(sounds),
        card,
        tuple(sorted(sounds, reverse=True)),
        shipped=True,
        level=record.level,
    )
    return _Shipped(voice, versions, record.record_id, sounds)

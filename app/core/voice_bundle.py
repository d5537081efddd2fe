"""One file that carries a voice from studio to studio, its consent with it. What comes in is judged, not trusted."""

from __future__ import annotations

import contextlib
import logging
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.core import canonical
from app.core.audio_files import AudioFileError
from app.core.audit_events import CAUSES
from app.core.consent.problems import ConsentError, Problem
from app.core.consent.record import ConsentRecord, key_id_of, parse_record
from app.core.consent.sealed import Private, check_private
from app.core.consent.verify import Use, Verdict, verify_stored
from app.core.door import Door
from app.core.exports import Exports
from app.core.safe_zip import LIMITS, Bundle, BundleError, Limits, read_bundle, write_bundle
from app.core.sound_files import KeptSound, read_sound
from app.core.store import errors
from app.core.voice_card import SavedVoice, VoiceCard, VoiceError, VoiceState, mode_of
from app.core.voice_rows import StoredVersion, Until, insert_version, insert_voice, until
from app.core.voices import Voices, facts_of

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

log = logging.getLogger(__name__)

KIND = "voice"
SUFFIX = ".voice.zip"
_VOICE = "voice.json"
_MOST_VERSIONS = 40
_PARTS = ("reference", "prompt")
_CARD = ("name", "tags", "transcript", "style", "licence")
SHARE = Use("share")


@dataclass(frozen=True)
class Imported:
    """What came of an import. ``verdict`` says why the voice is in quarantine, if it is."""

    voice: SavedVoice
    verdict: Verdict
    foreign: bool


def export_voice(door: Door, voice_id: str, path: Path, *, personal: bool = False, overwrite: bool = False) -> str:
    """Write a voice with all versions of its record to ``path``; returns the file's SHA-256.

    Names and other personal texts of the record, and its documents, go along only with ``personal``.

    Raises:
        ConsentRefused: the consent does not allow to share the voice.
        VoiceError: the file exists, or there are too many versions.
        KeysError, StoreError, BundleError: nothing was written.
    """
    voices = door.voices
    if path.exists() and not overwrite:
        raise VoiceError(f"{path} exists and is not overwritten. Choose another name.")
    admitted = door.admit_voice(voice_id, SHARE)
    stored = voices.stored_versions(voice_id)
    if len(stored) > _MOST_VERSIONS:
        raise VoiceError(f"The consent has {len(stored)} versions; at most {_MOST_VERSIONS} can travel.")
    entries: dict[str, bytes | Path] = {}
    signers: dict[str, str] = {}
    keys = voices.public_keys(voice_id)
    for number, (data, private) in enumerate(stored, 1):
        entries[f"record/{number}.json"] = data
        key_id = parse_record(data).key_id
        signers[key_id] = keys[key_id].public_bytes_raw().hex()
        if personal:
            if private is None:
                raise VoiceError("The personal part of this record is not readable here, so it cannot go along.")
            entries[f"private/{number}.json"] = canonical.dump(private)
    entries |= {f"sounds/{part}.flac": data for part, data in admitted.sounds.items()}
    assert admitted.card is not None
    card = {name: getattr(admitted.card, name) for name in _CARD} | {"tags": list(admitted.card.tags)}
    described = {
        "schema": 1,
        "voice_id": voices.get(voice_id).stands_on,  # a copy travels as the voice that the consent is for
        "versions": len(stored),
        "parts": sorted(admitted.sounds),
        "card": card,
        "signers": signers,
    }
    entries[_VOICE] = canonical.dump(described)
    digest = write_bundle(path, entries, kind=KIND)
    facts = {"voice": voice_id, "sha256": digest, "record": admitted.consent.record_id}
    Exports(voices.store, voices.audit).hear("voice_exported", facts)
    return digest


def import_voice(voices: Voices, path: Path, *, limits: Limits = LIMITS) -> Imported:
    """Read a bundle, judge its record, and save the voice: to be used, or in quarantine.

    Raises:
        BundleError: the file is damaged, changed, beyond the limits, or holds something else; nothing was saved.
        VoiceError: the voice is here already, or was deleted here.
        KeysError, StoreError: nothing was saved.
    """
    with read_bundle(path, kind=KIND, limits=limits) as bundle:
        parcel = _read(bundle)
        _refuse_known(voices, parcel.voice_id)
        sounds = _sounds(voices, bundle, parcel)
        digest = bundle.sha256
    return _judge_and_save(voices, parcel, sounds, digest)


@dataclass(frozen=True)
class _Parcel:
    voice_id: str
    card: VoiceCard
    parts: tuple[str, ...]
    stored: list[tuple[bytes, Private | None]]
    signers: dict[str, Ed25519PublicKey]


def _read(bundle: Bundle) -> _Parcel:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        raw: Any = canonical.load(_small(bundle, _VOICE))
        voice_id, count, card = raw["voice_id"], raw["versions"], raw["card"]
        if raw["schema"] != 1:
            raise BundleError(f"The voice is of version {raw['schema']!r}; this studio reads 1. Update the studio.")
        if str(uuid.UUID(voice_id)) != voice_id or type(count) is not int or not 0 <= count <= _MOST_VERSIONS:
            raise ValueError("id or number of versions")
        if set(card) != set(_CARD) or any(type(card[name]) is not (list if name == "tags" else str) for name in _CARD):
            raise ValueError("texts")
        texts = VoiceCard(**{**card, "tags": tuple(str(tag) for tag in card["tags"])}).checked()
        parts = tuple(part for part in _PARTS if part in raw["parts"])
        signers = {
            str(key_id): Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
            for key_id, public in raw["signers"].items()
        }
        if len(signers) > _MOST_VERSIONS or any(key_id_of(key) != key_id for key_id, key in signers.items()):
            raise ValueError("keys")
        stored = [
            (
                _small(bundle, f"record/{number}.json"),
                check_private(canonical.load(_small(bundle, name)))
                if (name := f"private/{number}.json") in bundle
                else None,
            )
            for number in range(1, count + 1)
        ]
    except BundleError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, ConsentError) as error:
        raise BundleError(f"The bundle's voice cannot be read ({error}). Ask for it again.") from error
    return _Parcel(voice_id, texts, parts, stored, signers)


def _small(bundle: Bundle, name: str) -> bytes:
    if name not in bundle or bundle[name].size > canonical.MAX_BYTES:
        raise BundleError(f"The bundle lacks its {name}, or it is far too large. Ask for it again.")
    return bundle.read(name)


def _refuse_known(voices: Voices, voice_id: str) -> None:
    if voice_id in voices.shipped:
        raise VoiceError("This voice came with the studio; it is here already.")
    with voices.store.database.read() as connection:
        row = connection.execute("SELECT state FROM voices WHERE voice_id = ?", (voice_id,)).fetchone()
    if row is not None and row["state"] == VoiceState.DELETED:
        raise VoiceError("This voice was deleted here, and a deleted voice does not come back. Ask for a new consent.")
    if row is not None:
        raise VoiceError("This voice is here already. Delete it first if the one of the file shall take its place.")


def _sounds(voices: Voices, bundle: Bundle, parcel: _Parcel) -> dict[str, KeptSound]:
    """The sounds, decoded where a fault of the decoder ends nothing."""
    found = {}
    for part in parcel.parts:
        name = f"sounds/{part}.flac"
        if name not in bundle:
            raise BundleError(f"The bundle lacks its {part} audio. Ask for it again.")
        temporary = voices.store.temporary / f"{uuid.uuid4().hex}.flac"
        try:
            with errors.files(temporary):
                bundle.extract(name, temporary)
            found[part] = read_sound(temporary)
        except AudioFileError as error:
            raise BundleError(f"The {part} audio in the bundle cannot be used: {error.reason}.") from error
        finally:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
    return found


def _judge_and_save(voices: Voices, parcel: _Parcel, sounds: Mapping[str, KeptSound], digest: str) -> Imported:
    own = voices.public_keys(parcel.voice_id)
    signers: dict[str, Ed25519PublicKey] = {**parcel.signers, **dict(own)}
    verdict = verify_stored(
        parcel.stored,
        now=voices.now(),
        public_keys=signers,
        references=[sound.sha256 for sound in sounds.values()],
        voice_id=parcel.voice_id,
    )
    versions = _readable(parcel)
    newest = versions[-1][0] if versions else None
    if verdict.ok and newest is not None and not sounds and newest.references:
        problem = Problem("references.mismatch", "The recordings that the consent names are not in the file.")
        verdict = Verdict(verdict.record_id, verdict.level, (problem,), verdict.unchecked)
    state = VoiceState.ACTIVE if verdict.ok else VoiceState.QUARANTINED
    card = VoiceCard(**{**vars(parcel.card), "kind": newest.subject_kind if newest else ""})
    if ("prompt" in sounds) != bool(card.transcript):
        raise BundleError("The bundle has a prompt without its transcript, or the reverse. Ask for it again.")
    foreign = {key_id: key for key_id, key in parcel.signers.items() if key_id not in own}
    encoded = {part: (sound.sha256, sound.to_flac()) for part, sound in sounds.items()}
    with voices.store.database.write() as connection:
        key = voices.store.keys.new_voice_key(parcel.voice_id)
        insert_voice(
            connection,
            parcel.voice_id,
            state,
            mode_of(sounds),
            card.sealed(key, parcel.voice_id),
            until(newest) if newest is not None and verdict.ok else Until(),
            head=newest.record_hash if newest is not None else None,
            cause=None if verdict.ok else verdict.problems[0].code,
            level=verdict.level or None,
        )
        for part, (sha256, data) in encoded.items():
            voices.put_file(connection, parcel.voice_id, part, sha256, data, key)
        for record, private in versions:
            opened = record if private is None else record.opened(private)
            insert_version(connection, StoredVersion.of(opened, key, parcel.voice_id))  # also when it names another
        connection.executemany(
            "INSERT INTO foreign_signers VALUES (?, ?, ?)",
            [(parcel.voice_id, key_id, public.public_bytes_raw()) for key_id, public in foreign.items()],
        )
        _tell(voices, parcel.voice_id, verdict, newest, digest)
    return Imported(voices.get(parcel.voice_id), verdict, bool(foreign))


def _readable(parcel: _Parcel) -> list[tuple[ConsentRecord, Private | None]]:
    """The versions that can be kept: all up to the first that cannot be read or is out of order."""
    found: list[tuple[ConsentRecord, Private | None]] = []
    for number, (data, private) in enumerate(parcel.stored, 1):
        try:
            record = parse_record(data)
            if private is not None:
                record.opened(private)
        except ConsentError:
            break
        if record.version != number:
            break
        found.append((record, private))
    return found


def _tell(voices: Voices, voice_id: str, verdict: Verdict, newest: ConsentRecord | None, digest: str) -> None:
    if verdict.ok and newest is not None:
        voices.audit.append("voice_imported", facts_of(newest) | {"sha256": digest})
        return
    code = verdict.problems[0].code
    cause = code if code in CAUSES else "other"
    voices.audit.append("voice_quarantined", {"voice": voice_id, "cause": cause, "sha256": digest})

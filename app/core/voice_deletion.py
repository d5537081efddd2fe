"""Deleting a voice for ever, and the signed tombstone that stays: ids, hashes and numbers."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from app.core import canonical
from app.core.audit import AuditLog
from app.core.complaints import close_complaints
from app.core.consent.codec import to_plain, utc
from app.core.consent.problems import RecordError
from app.core.consent.record import parse_record
from app.core.derived import Derived, derived_of
from app.core.store import Store, errors
from app.core.store.backups import FORGET_VOICE, TABLES_OF_VOICE
from app.core.store.keys import key_id_of
from app.core.voice_card import VoiceError, VoiceMissingError
from app.core.voice_rows import owner_of, touch

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

log = logging.getLogger(__name__)

DeleteTakes = Callable[[str], int]
"""Deletes the takes made with a voice (its id), returns how many; joins the transaction that is open."""
_SIGNED = b"voxcpm tombstone\0"
TOMBSTONE_FORMAT = "voxcpm-tombstone-1"
_PUBLIC_BYTES = 32


def delete_voice(
    store: Store, audit: AuditLog, derived: Derived, delete_takes: DeleteTakes | None, now: datetime
) -> bytes:
    """Delete everything of a voice in one step; see ``Voices.delete``.

    ``derived`` is what was derived from it; what was added since goes as well.
    """
    voice_id = derived.voice_id
    with store.database.write() as connection:
        derived = derived_of(store, voice_id, derived.adapter)
        row = connection.execute("SELECT state, complaint FROM voices WHERE voice_id = ?", (voice_id,)).fetchone()
        if row is None or row["state"] == "deleted":
            raise VoiceMissingError(f"There is no voice {voice_id}; it was deleted, or never saved here.")
        versions = [
            (str(record_id), _hash_of(bytes(data)))
            for record_id, data in connection.execute(
                "SELECT record_id, record FROM consent_versions WHERE voice_id = ? ORDER BY version", (voice_id,)
            )
        ]
        takes = delete_takes(voice_id) if delete_takes is not None else 0
        closed = close_complaints(connection, audit, voice_id, "deleted", now)
        stone = _signed(
            store,
            {
                "schema": 2,
                "voice_id": voice_id,
                "deleted_at": to_plain(utc(now)),
                "complaint": row["complaint"],
                "complaints": list(closed),
                "record_id": versions[-1][0] if versions else None,
                "record_hashes": [record_hash for _, record_hash in versions],
                "files": [{"part": part, "sha256": digest} for part, digest in derived.files],
                "latents": derived.latents,
                "takes": takes,
                "exports": [export.plain() for export in derived.exports],
                "outside": [{"kind": use.kind, "id": use.what} for use in derived.uses],
                "adapter_sha256": derived.adapter or None,
            },
        )
        connection.execute(FORGET_VOICE, (voice_id,))
        touch(connection, voice_id)
        for table in TABLES_OF_VOICE:
            connection.execute(f"DELETE FROM {table} WHERE voice_id = ?", (voice_id,))
        store.blobs.release(owner_of(voice_id))
        store.keys.destroy_voice_key(voice_id)
        connection.execute("INSERT INTO tombstones VALUES (?, ?)", (voice_id, stone))
        facts: dict[str, object] = {
            "voice": voice_id,
            "references": len(derived.files),
            "latents": derived.latents,
            "takes": takes,
            "exports": len(derived.exports),
        }
        if versions:
            record_id, record_hash = versions[-1]
            facts |= {"record": record_id} | ({"record_hash": record_hash} if record_hash else {})
        if row["complaint"]:
            facts |= {"complaint": row["complaint"]}
        audit.append("voice_deleted", facts)
    log.info("The voice %s was deleted", voice_id)
    return stone


def tombstone(store: Store, voice_id: str) -> bytes | None:
    """What is left of a deleted voice; None if it was not deleted here."""
    with store.database.read() as connection:
        row = connection.execute("SELECT stone FROM tombstones WHERE voice_id = ?", (voice_id,)).fetchone()
    return None if row is None else bytes(row[0])


def tombstone_is_signed(stone: bytes, key: Ed25519PublicKey) -> bool:
    """Whether a tombstone was signed with ``key`` and not changed since."""
    from cryptography.exceptions import InvalidSignature

    try:
        raw = canonical.load(stone)
        signature = bytes.fromhex(raw.pop("sig"))
        key.verify(signature, _SIGNED + canonical.dump(raw))
    except (InvalidSignature, ValueError, KeyError, AttributeError, TypeError):
        return False
    return True


def export_tombstone(store: Store, voice_id: str) -> bytes:
    """What is left of a deleted voice with the public key that signed it; ``read_tombstone`` checks it anywhere.

    Raises:
        VoiceMissingError: no voice of this id was deleted here.
    """
    stone = tombstone(store, voice_id)
    if stone is None:
        raise VoiceMissingError(f"No voice {voice_id[:80]} was deleted here, so there is no note about it.")
    raw = canonical.load(stone)
    public = store.keys.public_key(str(raw.get("key_id")))
    key = public.public_bytes_raw().hex() if public is not None else ""
    return canonical.dump({"format": TOMBSTONE_FORMAT, "public_key": key, "tombstone": raw}) + b"\n"


def read_tombstone(data: bytes) -> tuple[dict[str, Any], bool]:
    """Read an exported tombstone: what it says, and whether it is signed with the key in it and not changed since.

    That says who signed only to those who know the key's id from before. Raises VoiceError for any other file.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        raw = canonical.load(data.removesuffix(b"\n"))
        if raw["format"] != TOMBSTONE_FORMAT or not isinstance(raw["tombstone"], dict):
            raise ValueError("another format")
        stone, public = raw["tombstone"], bytes.fromhex(raw["public_key"])
    except (canonical.CanonicalError, ValueError, KeyError, TypeError) as error:
        raise VoiceError("This is no note about a deleted voice, or it is damaged.") from error
    named = len(public) == _PUBLIC_BYTES and key_id_of(public) == stone.get("key_id")
    signed = named and tombstone_is_signed(canonical.dump(stone), Ed25519PublicKey.from_public_bytes(public))
    return stone, signed


def _hash_of(record: bytes) -> str | None:
    """What a stored version says of itself. Deleting must not fail for one that is damaged."""
    try:
        return parse_record(record).record_hash
    except RecordError:
        return None


def _signed(store: Store, stone: dict[str, Any]) -> bytes:
    """Deleting must not wait for a passphrase: with locked keys the tombstone stays unsigned."""
    try:
        key, key_id = store.keys.signing_key(), store.keys.key_id
    except errors.KeysError:
        log.warning("A tombstone is not signed: the keys are locked")
        return canonical.dump(stone | {"key_id": "", "sig": ""})
    stone = stone | {"key_id": key_id}
    return canonical.dump(stone | {"sig": key.sign(_SIGNED + canonical.dump(stone)).hex()})

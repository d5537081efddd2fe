"""Personal texts of a record, which can be destroyed while the record stays verifiable.

The choice: the record itself holds only a commitment to each personal text, SHA-256 over a random salt of 32 bytes
and the text. Salts and texts are kept apart, encrypted with the voice's key. Chain and signature run over the
commitments, so anybody can verify a record without any personal text, and whoever has the texts can prove that they
are the ones signed. When the voice's key is destroyed, texts and salts are gone; without the salt the commitment to
a name cannot be found by trying names. Encrypting fields inside the record would tie the signature to a ciphertext
and make a change of keys a change of the record; plain hashes would give short names away.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from app.core import canonical
from app.core.consent.problems import PrivatePartError

_DOMAIN = b"voxcpm consent text\0"
_SALT, _NONCE = 32, 12
MAX_TEXT = 4000
_HEX = re.compile(r"[0-9a-f]{64}")

Private = dict[str, dict[str, str]]
"""Field path -> {"salt": hex, "text": text}: what is encrypted and kept apart."""


@dataclass(frozen=True)
class Sealed:
    """A commitment, and the text behind it while it is open. The text takes no part in ``==``."""

    commitment: str
    text: str | None = field(default=None, compare=False, repr=False)
    salt: str | None = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, text: str, salt: bytes | None = None) -> Sealed:
        """Seal a text of at most 4,000 characters; the salt is drawn unless the caller gives 32 bytes."""
        if len(text) > MAX_TEXT:
            raise ValueError(f"a personal text has at most {MAX_TEXT} characters, not {len(text)}")
        salt = secrets.token_bytes(_SALT) if salt is None else salt
        return cls(commitment(salt, text), text, salt.hex())

    @classmethod
    def optional(cls, text: str) -> Sealed | None:
        """None for an empty text, so that its absence shows without opening anything."""
        return cls.of(text.strip()) if text.strip() else None

    def opened(self, salt: str, text: str) -> Sealed:
        """This one with its text. Raises :class:`PrivatePartError` if it is not the text that was sealed."""
        if not isinstance(salt, str) or not _HEX.fullmatch(salt) or not isinstance(text, str):
            raise PrivatePartError("The personal part of the consent record is damaged.")
        if commitment(bytes.fromhex(salt), text) != self.commitment:
            raise PrivatePartError("The personal part does not belong to this consent record, or was changed.")
        return Sealed(self.commitment, text, salt)

    def closed(self) -> Sealed:
        """This one without its text."""
        return Sealed(self.commitment)


def commitment(salt: bytes, text: str) -> str:
    """Hex SHA-256 of salt and text. The salt has a fixed length, so no other pair gives the same bytes."""
    if len(salt) != _SALT:
        raise ValueError(f"a salt has {_SALT} bytes, not {len(salt)}")
    return hashlib.sha256(_DOMAIN + salt + text.encode("utf-8")).hexdigest()


def encrypt_private(part: Mapping[str, Mapping[str, str]], key: bytes, context: str) -> bytes:
    """AES-256-GCM: nonce and ciphertext. ``key`` 32 bytes; ``context`` (id and version) cannot be exchanged later."""
    nonce = os.urandom(_NONCE)
    plain = canonical.dump({path: dict(values) for path, values in part.items()})
    return nonce + AESGCM(key).encrypt(nonce, plain, _DOMAIN + context.encode())


def decrypt_private(blob: bytes, key: bytes, context: str) -> Private:
    """Back from :func:`encrypt_private`. Raises :class:`PrivatePartError` for a wrong key, context or changed bytes."""
    try:
        plain = AESGCM(key).decrypt(blob[:_NONCE], blob[_NONCE:], _DOMAIN + context.encode())
        part = canonical.load(plain)
    except (InvalidTag, ValueError) as error:
        raise PrivatePartError("The personal part of the consent record cannot be opened with this key.") from error
    return check_private(part)


def check_private(part: object) -> Private:
    """``part`` if it has the form of a private part; else :class:`PrivatePartError`."""
    if isinstance(part, dict) and all(
        isinstance(path, str) and isinstance(value, dict) and set(value) == {"salt", "text"}
        for path, value in part.items()
    ):
        return part
    raise PrivatePartError("The personal part of the consent record is damaged.")

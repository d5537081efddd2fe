"""Encryption in pieces: AES-256-GCM after Tink's streaming format, so that memory stays bounded and cuts are seen.

A sealed file is ``MAGIC``, a salt of 32 bytes, then pieces of ``PIECE`` bytes of plain data, each followed by its
tag of 16 bytes. Every file has a key of its own (HKDF-SHA256 of the given key and the salt); the nonce of a piece is
its number and whether it is the last, so that pieces cannot be left out, moved or cut off.
See Hoang, Reyhanitabar, Rogaway, Vizár: Online Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance, 2015
(STREAM), and https://developers.google.com/tink/streaming-aead/aes_gcm_hkdf_streaming.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KEY_BYTES = 32
PIECE = 1 << 20
MAGIC = b"VCSEAL1\n"
_SALT = 32
_TAG = 16
_NONCE = 12


class SealBrokenError(Exception):
    """What was read was not sealed with this key, or is not whole."""


def derive(key: bytes, purpose: str, salt: bytes | None = None) -> bytes:
    """Return a key of 32 bytes for one purpose. ``key`` must be 32 random bytes (ValueError otherwise)."""
    if len(key) != KEY_BYTES:
        raise ValueError(f"a key has {KEY_BYTES} bytes, not {len(key)}")
    return HKDF(hashes.SHA256(), KEY_BYTES, salt, f"voxcpm-studio {purpose}".encode()).derive(key)


def wrap(key: bytes, data: bytes, name: str) -> bytes:
    """Encrypt a little data under ``key``, bound to ``name``: nonce, ciphertext, tag."""
    nonce = os.urandom(_NONCE)
    return nonce + AESGCM(key).encrypt(nonce, data, name.encode())


def unwrap(key: bytes, wrapped: bytes, name: str) -> bytes:
    """Undo ``wrap``.

    Raises:
        SealBrokenError: another key, another name, or changed data.
    """
    try:
        return AESGCM(key).decrypt(wrapped[:_NONCE], wrapped[_NONCE:], name.encode())
    except (InvalidTag, ValueError) as error:
        raise SealBrokenError from error


def seal(key: bytes, data: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a sealed file made of ``data``, whatever the sizes of its parts."""
    salt = os.urandom(_SALT)
    cipher = AESGCM(derive(key, "sealed file", salt))
    yield MAGIC + salt
    number = 0
    waiting = bytearray()
    for part in data:
        view = memoryview(part)
        for start in range(0, len(view), PIECE):
            waiting += view[start : start + PIECE]
            while len(waiting) > PIECE:  # the last piece is told apart, so one is always held back
                yield cipher.encrypt(_nonce(number, False), bytes(waiting[:PIECE]), None)
                del waiting[:PIECE]
                number += 1
    yield cipher.encrypt(_nonce(number, True), bytes(waiting), None)


def unseal(key: bytes, file: BinaryIO) -> Iterator[bytes]:
    """Yield the plain pieces of a sealed file; each has been checked before it is given away.

    Raises:
        SealBrokenError: another key, changed data, or a file that was cut off or added to.
    """
    head = file.read(len(MAGIC) + _SALT)
    if len(head) != len(MAGIC) + _SALT or not head.startswith(MAGIC):
        raise SealBrokenError
    cipher = AESGCM(derive(key, "sealed file", head[len(MAGIC) :]))
    number = 0
    piece = file.read(PIECE + _TAG)
    while True:
        following = file.read(PIECE + _TAG)
        last = not following
        try:
            yield cipher.decrypt(_nonce(number, last), piece, None)
        except (InvalidTag, ValueError) as error:
            raise SealBrokenError from error
        if last:
            return
        piece = following
        number += 1


def _nonce(number: int, last: bool) -> bytes:
    return number.to_bytes(_NONCE - 1, "big") + bytes([last])

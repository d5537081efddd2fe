"""MP3: the label is a TXXX frame of an ID3v2 tag in front of the sound. 2.3 and 2.4 are read, 2.4 is written."""

from __future__ import annotations

import hashlib
import os
import shutil
from typing import BinaryIO

from app.marks.errors import ContainerError

NAME = "AIGC"
_HEAD = 10
_UNSYNCHRONISED, _EXTENDED, _FOOTER = 0x80, 0x40, 0x10
_COMPRESSED_OR_ENCRYPTED = {3: 0x00C0, 4: 0x000C}  # flags of a frame
_LONGEST = 64 << 20
_ENCODINGS = ("latin-1", "utf-16", "utf-16-be", "utf-8")
_PIECE = 1 << 20


def length(file: BinaryIO) -> int:
    """Bytes of the tags that a file begins with; 0 without one."""
    at = 0
    while True:
        file.seek(at)
        head = file.read(_HEAD)
        if len(head) < _HEAD or head[:3] != b"ID3" or max(head[6:10]) >= 0x80:
            return at
        at += _HEAD + _plain(head[6:10]) + (_HEAD if head[5] & _FOOTER else 0)


def is_mp3(file: BinaryIO) -> bool:
    """Whether a frame of MPEG audio, layer III, follows the tags, if there are any."""
    file.seek(length(file))
    head = file.read(2)
    return len(head) == 2 and head[0] == 0xFF and head[1] & 0xE0 == 0xE0 and head[1] & 0x06 == 0x02


def read_label(file: BinaryIO) -> str | None:
    """The text of the frame TXXX that is named AIGC; None without one.

    Raises:
        ContainerError: the tag is damaged or written in a way that is not read here.
    """
    file.seek(0)
    head = file.read(_HEAD)
    if len(head) < _HEAD or head[:3] != b"ID3":
        return None
    for name, content in _frames(head, file.read(min(_plain(head[6:10]), _LONGEST))):
        if name == b"TXXX" and content and content[0] < len(_ENCODINGS):
            try:
                words = content[1:].decode(_ENCODINGS[content[0]]).split("\0")
            except UnicodeDecodeError:
                continue
            if words[0].lstrip("\ufeff") == NAME and len(words) > 1:
                return words[1].lstrip("\ufeff")
    return None


def add_label(source: BinaryIO, target: BinaryIO, text: str) -> None:
    """Copy an MP3 without an ID3v2 tag, with one in front that holds the label.

    Raises:
        ContainerError: no MP3, or it has a tag already.
    """
    if length(source):
        raise ContainerError("This MP3 file has a tag already.")
    if not is_mp3(source):
        raise ContainerError("This is no MP3 file.")
    content = b"\x03" + NAME.encode() + b"\0" + text.encode()
    frame = b"TXXX" + _syncsafe(len(content)) + b"\0\0" + content
    target.write(b"ID3\x04\x00\x00" + _syncsafe(len(frame)) + frame)
    source.seek(0)
    shutil.copyfileobj(source, target, _PIECE)


def sound_digest(file: BinaryIO) -> str:
    """SHA-256 (hex) of what stands between the tags at the front and an ID3v1 tag at the end."""
    start = length(file)
    end = file.seek(0, os.SEEK_END)
    if end - start >= 128:
        file.seek(end - 128)
        if file.read(3) == b"TAG":
            end -= 128
    file.seek(start)
    digest = hashlib.sha256()
    while start < end and (piece := file.read(min(_PIECE, end - start))):
        digest.update(piece)
        start += len(piece)
    return digest.hexdigest()


def _frames(head: bytes, data: bytes) -> list[tuple[bytes, bytes]]:
    version, flags = head[3], head[5]
    if version not in (3, 4):
        raise ContainerError(f"The tag of this MP3 file is of version 2.{version}; 2.3 and 2.4 are read.")
    if flags & _UNSYNCHRONISED and version == 3:
        data = data.replace(b"\xff\x00", b"\xff")
    at = 0
    if flags & _EXTENDED:
        at = _plain(data[:4]) if version == 4 else 4 + int.from_bytes(data[:4], "big")
    frames = []
    while at + _HEAD <= len(data) and data[at : at + 4].strip(b"\0"):
        name, flags_of_frame = data[at : at + 4], int.from_bytes(data[at + 8 : at + 10], "big")
        coded = data[at + 4 : at + 8]
        if version == 4 and max(coded) >= 0x80:
            raise ContainerError("The tag of this MP3 file is damaged.")
        size = _plain(coded) if version == 4 else int.from_bytes(coded, "big")
        if size > len(data) - at - _HEAD:
            raise ContainerError("The tag of this MP3 file is damaged.")
        content = data[at + _HEAD : at + _HEAD + size]
        if not flags_of_frame & _COMPRESSED_OR_ENCRYPTED[version]:
            if version == 4 and (flags_of_frame & 0x02 or flags & _UNSYNCHRONISED):
                content = content.replace(b"\xff\x00", b"\xff")
            if version == 4 and flags_of_frame & 0x01:
                content = content[4:]  # the length is said once more
            frames.append((name, content))
        at += _HEAD + size
    return frames


def _plain(coded: bytes) -> int:
    """Four bytes of seven bits each."""
    value = 0
    for byte in coded:
        value = value << 7 | byte & 0x7F
    return value


def _syncsafe(value: int) -> bytes:
    if value >= 1 << 28:
        raise ContainerError("This label is too long for an MP3 file.")
    return bytes(value >> shift & 0x7F for shift in (21, 14, 7, 0))

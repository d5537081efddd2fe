"""WAV: a chunk of our own behind the sound. RIFF and RF64 (EBU Tech 3306) are read and written."""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

from app.marks.errors import ContainerError

CHUNK = b"AIGC"
_FULL = 0xFFFFFFFF
_LONGEST = 1 << 20  # of a label
_PIECE = 1 << 20
_MOST_CHUNKS = 10_000


class Chunk(NamedTuple):
    """Name, and where the content stands: ``start`` and ``size`` in bytes."""

    name: bytes
    start: int
    size: int


def is_wav(head: bytes) -> bool:
    """Whether a file that begins with ``head`` (12 bytes) is a WAV."""
    return head[:4] in (b"RIFF", b"RF64") and head[8:12] == b"WAVE"


def chunks(file: BinaryIO) -> Iterator[Chunk]:
    """Yield the chunks of a WAV in their order. The last one may be cut off: its size is then what is there.

    Raises:
        ContainerError: no WAV, or too many chunks.
    """
    length = file.seek(0, os.SEEK_END)
    file.seek(0)
    if not is_wav(file.read(12)):
        raise ContainerError("This is no WAV file.")
    at, wide = 12, -1
    for _ in range(_MOST_CHUNKS):
        file.seek(at)
        head = file.read(8)
        if len(head) < 8:
            return
        name, size = head[:4], struct.unpack("<I", head[4:])[0]
        if name == b"ds64" and size >= 24:
            wide = struct.unpack("<QQQ", file.read(24))[1]
        if name == b"data" and size == _FULL:
            size = wide if wide >= 0 else length - at - 8  # a stream whose end was not known goes to the end
        size = min(size, length - at - 8)
        yield Chunk(name, at + 8, size)
        at += 8 + size + size % 2
    raise ContainerError("This WAV file has more chunks than any honest one.")


def read_label(file: BinaryIO) -> str | None:
    """The text of the chunk AIGC, None without one.

    Raises:
        ContainerError: no WAV, or the chunk is no label.
    """
    for chunk in chunks(file):
        if chunk.name == CHUNK:
            if chunk.size > _LONGEST:
                raise ContainerError("The chunk AIGC of this WAV file is too long for a label.")
            file.seek(chunk.start)
            try:
                return file.read(chunk.size).rstrip(b"\0").decode("utf-8")
            except UnicodeDecodeError as error:
                raise ContainerError("The chunk AIGC of this WAV file holds no text.") from error
    return None


def label_chunk(text: str) -> bytes:
    """The whole chunk, with the padding that keeps the next one on an even place."""
    data = text.encode()
    return CHUNK + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def add_label(source: BinaryIO, target: BinaryIO, text: str) -> None:
    """Copy a WAV with the chunk at its end; the sound is not touched.

    Raises:
        ContainerError: no WAV, one with a label, one whose sizes do not fit, or longer than its 32 bits can say.
    """
    found = list(chunks(source))
    if any(chunk.name == CHUNK for chunk in found):
        raise ContainerError("This WAV file has a label already.")
    length = source.seek(0, os.SEEK_END)
    source.seek(0)
    wide = source.read(4) == b"RF64"
    end = max((chunk.start + chunk.size + chunk.size % 2 for chunk in found), default=12)
    if end - length not in (0, 1):
        raise ContainerError("This WAV file ends in something that is no chunk.")
    added = label_chunk(text)
    whole = end + len(added) - 8
    size_at, size = 4, struct.pack("<I", min(whole, _FULL))
    if wide:
        place = next((chunk.start for chunk in found if chunk.name == b"ds64"), None)
        if place is None:
            raise ContainerError("This RF64 file lacks its sizes.")
        size_at, size = place, struct.pack("<Q", whole)
    elif whole >= _FULL:
        raise ContainerError("A WAV file holds 4 GiB at most. Save this one as FLAC, or in parts.")
    source.seek(0)
    shutil.copyfileobj(source, target, _PIECE)
    target.write(b"\0" * (end - length) + added)
    target.seek(size_at)
    target.write(size)


def sound_digest(file: BinaryIO) -> str:
    """SHA-256 (hex) of how the sound is coded (fmt) and of the sound (data), whatever else the file holds."""
    digest = hashlib.sha256()
    for chunk in chunks(file):
        if chunk.name in (b"fmt ", b"data"):
            digest.update(chunk.name)
            file.seek(chunk.start)
            left = chunk.size
            while left > 0 and (piece := file.read(min(_PIECE, left))):
                digest.update(piece)
                left -= len(piece)
    return digest.hexdigest()

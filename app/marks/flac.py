"""FLAC (RFC 9639): the label is a comment in the block VORBIS_COMMENT."""

from __future__ import annotations

import hashlib
import shutil
from typing import BinaryIO, NamedTuple

from app.marks import id3, vorbis_comment
from app.marks.errors import ContainerError

NAME = "AIGC"
_STREAMINFO, _COMMENT = 0, 4
_LONGEST = (1 << 24) - 1
_MOST_BLOCKS = 10_000
_PIECE = 1 << 20


class _Blocks(NamedTuple):
    blocks: list[tuple[int, bytes]]  # kind, content
    frames: int  # where the sound begins


def _read(file: BinaryIO) -> _Blocks:
    file.seek(id3.length(file))  # C2PA puts a tag in front
    if file.read(4) != b"fLaC":
        raise ContainerError("This is no FLAC file.")
    blocks: list[tuple[int, bytes]] = []
    for _ in range(_MOST_BLOCKS):
        head = file.read(4)
        if len(head) < 4:
            break
        size = int.from_bytes(head[1:], "big")
        content = file.read(size)
        if len(content) < size:
            break
        blocks.append((head[0] & 0x7F, content))
        if head[0] & 0x80:
            return _Blocks(blocks, file.tell())
    raise ContainerError("This FLAC file ends before its sound begins.")


def read_label(file: BinaryIO) -> str | None:
    """The label's text, None without one.

    Raises:
        ContainerError: no FLAC, or damaged.
    """
    for kind, content in _read(file).blocks:
        if kind == _COMMENT:
            return vorbis_comment.find(vorbis_comment.parse(content)[1], NAME)
    return None


def add_label(source: BinaryIO, target: BinaryIO, text: str) -> None:
    """Copy a FLAC with the label added; the sound and all other blocks stay as they are.

    Raises:
        ContainerError: no FLAC, damaged, with a label already, or with no room for one.
    """
    blocks, frames = _read(source)
    vendor, comments = b"", list[str]()
    for kind, content in blocks:
        if kind == _COMMENT:
            vendor, comments, _ = vorbis_comment.parse(content)
    if vorbis_comment.find(comments, NAME) is not None:
        raise ContainerError("This FLAC file has a label already.")
    comment = vorbis_comment.build(vendor, [*comments, f"{NAME}={text}"])
    if len(comment) > _LONGEST:
        raise ContainerError("The comments of this FLAC file leave no room for a label.")
    kept = [(kind, content) for kind, content in blocks if kind != _COMMENT]
    kept.insert(1, (_COMMENT, comment))  # STREAMINFO has to be the first
    target.write(b"fLaC")
    for number, (kind, content) in enumerate(kept, 1):
        last = 0x80 if number == len(kept) else 0
        target.write(bytes([kind | last]) + len(content).to_bytes(3, "big") + content)
    source.seek(frames)
    shutil.copyfileobj(source, target, _PIECE)


def sound_digest(file: BinaryIO) -> str:
    """SHA-256 (hex) of STREAMINFO and of all frames."""
    blocks, frames = _read(file)
    digest = hashlib.sha256(b"".join(content for kind, content in blocks if kind == _STREAMINFO))
    file.seek(frames)
    while piece := file.read(_PIECE):
        digest.update(piece)
    return digest.hexdigest()

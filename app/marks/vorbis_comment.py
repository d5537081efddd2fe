"""The comment block that FLAC, Vorbis and Opus share (Vorbis I specification, section 5): NAME=value in UTF-8."""

from __future__ import annotations

import struct

from app.marks.errors import ContainerError

_MOST = 100_000


def parse(data: bytes) -> tuple[bytes, list[str], bytes]:
    """Return vendor, comments, and what stands behind them.

    Raises:
        ContainerError: the block is damaged.
    """
    try:
        vendor, at = _field(data, 0)
        count = struct.unpack_from("<I", data, at)[0]
        at += 4
        if count > _MOST:
            raise ContainerError("The comments of this file are damaged.")
        comments = []
        for _ in range(count):
            comment, at = _field(data, at)
            comments.append(comment.decode("utf-8", "replace"))
    except struct.error as error:
        raise ContainerError("The comments of this file are damaged.") from error
    return vendor, comments, data[at:]


def build(vendor: bytes, comments: list[str]) -> bytes:
    """The inverse of ``parse``, without what stands behind."""
    coded = [comment.encode() for comment in comments]
    head = struct.pack("<I", len(vendor)) + vendor + struct.pack("<I", len(coded))
    return head + b"".join(struct.pack("<I", len(comment)) + comment for comment in coded)


def find(comments: list[str], name: str) -> str | None:
    """The value of the first comment of that name; names are compared without regard to case."""
    for comment in comments:
        key, equals, value = comment.partition("=")
        if equals and key.upper() == name.upper():
            return value
    return None


def _field(data: bytes, at: int) -> tuple[bytes, int]:
    size = struct.unpack_from("<I", data, at)[0]
    if size > len(data) - at - 4:
        raise ContainerError("The comments of this file are damaged.")
    return data[at + 4 : at + 4 + size], at + 4 + size

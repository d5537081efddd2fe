"""Ogg (RFC 3533) with Opus (RFC 7845) or Vorbis: the label is a comment in the second packet."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

from app.marks import vorbis_comment
from app.marks.errors import ContainerError

NAME = "AIGC"
_HEAD = struct.Struct("<4sBBqIIIB")
_CONTINUED, _ONE_ENDS = 0x01, 0x02  # the first is a flag of pages, the second is only used here
_LONGEST = 16 << 20  # of all header packets
_NONE_ENDS = -1  # the position of a page in which no packet ends
_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


@dataclass(frozen=True)
class Page:
    """One page: flags, position, serial number, number, lengths of the segments, content."""

    flags: int
    position: int
    serial: int
    number: int
    lacing: bytes
    content: bytes

    def coded(self) -> bytes:
        """The page as it stands in a file, with its checksum."""
        blank = _HEAD.pack(b"OggS", 0, self.flags, self.position, self.serial, self.number, 0, len(self.lacing))
        data = blank + self.lacing + self.content
        return data[:22] + struct.pack("<I", checksum(data)) + data[26:]


def checksum(data: bytes) -> int:
    """CRC-32 with polynomial 0x04c11db7, from the highest bit down, begun with 0 and not inverted.

    zlib computes the same from the lowest bit up and inverted: bits are mirrored before and after.
    """
    mirrored = zlib.crc32(data.translate(_REVERSED), 0xFFFFFFFF) ^ 0xFFFFFFFF
    return int.from_bytes(mirrored.to_bytes(4, "little").translate(_REVERSED), "big")


def pages(file: BinaryIO) -> Iterator[Page]:
    """Yield the pages from where the file stands.

    Raises:
        ContainerError: there is something else, a page is cut off, or a checksum is wrong.
    """
    while head := file.read(_HEAD.size):
        if len(head) < _HEAD.size or head[:5] != b"OggS\0":
            raise ContainerError("This is no Ogg file, or it is damaged.")
        _, _, flags, position, serial, number, check, count = _HEAD.unpack(head)
        lacing = file.read(count)
        content = file.read(sum(lacing))
        if len(lacing) < count or len(content) < sum(lacing):
            raise ContainerError("This Ogg file is cut off.")
        if check != checksum(head[:22] + b"\0\0\0\0" + head[26:] + lacing + content):
            raise ContainerError("This Ogg file is damaged: a checksum is wrong.")
        yield Page(flags, position, serial, number, lacing, content)


def read_label(file: BinaryIO) -> str | None:
    """The label's text; None without one.

    Raises:
        ContainerError: no Ogg with Opus or Vorbis, or damaged.
    """
    packets, _ = _headers(file)
    return vorbis_comment.find(_comments(packets)[1], NAME)


def add_label(source: BinaryIO, target: BinaryIO, text: str) -> None:
    """Copy an Ogg with the label added; every packet of sound stays as it is.

    Raises:
        ContainerError: no Ogg with Opus or Vorbis, damaged, several streams, or with a label already.
    """
    packets, first = _headers(source)
    vendor, comments, behind = _comments(packets)
    if vorbis_comment.find(comments, NAME) is not None:
        raise ContainerError("This Ogg file has a label already.")
    magic = _magic(packets)
    built = magic + vorbis_comment.build(vendor, [*comments, f"{NAME}={text}"])
    # Behind Vorbis comments stands the framing bit; behind those of Opus there may be padding, which is left out.
    packets[1] = built + (b"\x01" if magic[:1] == b"\x03" else behind if behind[:1] and behind[0] & 1 else b"")
    target.write(first.coded())
    number = first.number
    for lacing, content, ends in _laid_out(packets[1:]):
        number += 1
        position = 0 if ends & _ONE_ENDS else _NONE_ENDS
        target.write(Page(ends & _CONTINUED, position, first.serial, number, lacing, content).coded())
    for page in pages(source):
        if page.serial != first.serial:
            raise ContainerError("This Ogg file holds several streams; only one can be labelled.")
        number += 1
        target.write(replace(page, number=number).coded())


def sound_digest(file: BinaryIO) -> str:
    """SHA-256 (hex) of the header packets without the comments and of the contents of all pages of sound."""
    packets, _ = _headers(file)
    digest = hashlib.sha256()
    for packet in (packets[0], *packets[2:]):
        digest.update(packet)
    for page in pages(file):
        digest.update(page.lacing)
        digest.update(page.content)
    return digest.hexdigest()


def _headers(file: BinaryIO) -> tuple[list[bytes], Page]:
    """The header packets (2 of Opus, 3 of Vorbis) and the first page; the file then stands before the sound."""
    file.seek(0)
    packets: list[bytes] = []
    begun, first, size = bytearray(), None, 0
    for page in pages(file):
        first = first or page
        size += len(page.content)
        if page.serial != first.serial or size > _LONGEST:
            raise ContainerError("The head of this Ogg file is not one of a single Opus or Vorbis stream.")
        at = 0
        for length in page.lacing:
            begun += page.content[at : at + length]
            at += length
            if length < 255:
                packets.append(bytes(begun))
                begun.clear()
        needed = 3 if packets and packets[0][:7] == b"\x01vorbis" else 2
        if packets and packets[0][:8] != b"OpusHead" and needed == 2:
            break
        if len(packets) >= needed:
            if len(packets) > needed or begun:
                break  # sound has to begin on a page of its own
            return packets, first
    raise ContainerError("This is no Ogg file with Opus or Vorbis.")


def _magic(packets: list[bytes]) -> bytes:
    magic = b"OpusTags" if packets[0][:8] == b"OpusHead" else b"\x03vorbis"
    if not packets[1].startswith(magic):
        raise ContainerError("The comments of this Ogg file are damaged.")
    return magic


def _comments(packets: list[bytes]) -> tuple[bytes, list[str], bytes]:
    return vorbis_comment.parse(packets[1][len(_magic(packets)) :])


def _laid_out(packets: list[bytes]) -> Iterator[tuple[bytes, bytes, int]]:
    """Put packets into pages of 255 segments: lengths, content, and the bits _CONTINUED and _ONE_ENDS."""
    segments: list[tuple[bytes, bool]] = []
    for packet in packets:
        pieces = [packet[at : at + 255] for at in range(0, len(packet), 255)]
        if not pieces or len(pieces[-1]) == 255:
            pieces.append(b"")
        segments += [(piece, number == len(pieces) - 1) for number, piece in enumerate(pieces)]
    goes_on = False
    for start in range(0, len(segments), 255):
        some = segments[start : start + 255]
        bits = (_CONTINUED if goes_on else 0) | (_ONE_ENDS if any(last for _, last in some) else 0)
        yield bytes(len(piece) for piece, _ in some), b"".join(piece for piece, _ in some), bits
        goes_on = not some[-1][1]

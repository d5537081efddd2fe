"""Mending of WAV headers that were written before their length was known, or by careless programs.

libsndfile follows the chunk sizes of a WAV file to the letter. A recorder that was cut off, or a program that writes
to a pipe, leaves a size of 0 or 0xFFFFFFFF there; others forget the padding byte after a chunk of odd size. The audio
is all there in each case, so the sizes are worked out again from where the file really ends.
"""

from __future__ import annotations

import io
import struct
from typing import Any, BinaryIO, cast

_UNKNOWN_SIZES = (0, 0xFFFFFFFF)
_MOST_CHUNKS = 1000  # before the audio; a damaged file must not be walked for ever
_MOST_HEADER = 1 << 20
_FORMAT_SIZES = range(16, 4096)


def mended_wav(file: BinaryIO) -> BinaryIO:
    """``file`` itself, or, for a WAV file whose sizes are wrong, a view of it with a right header.

    ``file`` is at its start and seekable; so is the result. Nothing is copied but the header. Anything that is not a
    RIFF/WAVE file comes back as it is, damaged ones too: the decoder names the fault.
    """
    size = file.seek(0, io.SEEK_END)
    found = _find_audio(file, size)
    file.seek(0)
    if found is None:
        return file
    format_chunk, data_start, stated = found
    available = size - data_start
    unknown = stated in _UNKNOWN_SIZES and not (stated == 0 and _only_chunks(file, data_start, size))
    # Audio at an odd place means a padding byte missing before it.
    if available <= 0 or not (unknown or data_start % 2):
        file.seek(0)
        return file
    # An unknown size means "to the end of the file"; a stated one is believed as far as the file goes.
    length = min(available, 0xFFFF0000) if unknown else min(stated, available)
    body = b"WAVE" + struct.pack("<4sI", b"fmt ", len(format_chunk)) + format_chunk + b"\0" * (len(format_chunk) % 2)
    header = struct.pack("<4sI", b"RIFF", min(len(body) + 8 + length, 0xFFFFFFFF)) + body
    return cast("BinaryIO", _Spliced(header + struct.pack("<4sI", b"data", length), file, data_start, length))


def _find_audio(file: BinaryIO, size: int) -> tuple[bytes, int, int] | None:
    """(content of the format chunk, where the audio starts, its stated size) of a RIFF/WAVE file."""
    file.seek(0)
    start = file.read(12)
    if len(start) < 12 or start[:4] != b"RIFF" or start[8:12] != b"WAVE":
        return None
    format_chunk: bytes | None = None
    position = 12
    for _ in range(_MOST_CHUNKS):
        name, length = _chunk_at(file, position)
        if name is None:
            return None
        if name == b"data":
            return None if format_chunk is None else (format_chunk, position + 8, length)
        if name == b"fmt " and length in _FORMAT_SIZES:
            format_chunk = file.read(length)
        position = _next_chunk(file, position + 8 + length)
        if position >= min(size, _MOST_HEADER):
            return None
    return None


def _chunk_at(file: BinaryIO, position: int) -> tuple[bytes | None, int]:
    file.seek(position)
    head = file.read(8)
    if len(head) < 8:
        return None, 0
    return head[:4], struct.unpack("<I", head[4:])[0]


def _next_chunk(file: BinaryIO, end: int) -> int:
    """Where the chunk after one that ends at ``end`` begins: padded to an even place, or not if a program forgot."""
    if end % 2 == 0:
        return end
    name, _ = _chunk_at(file, end + 1)
    if name is not None and _is_name(name):
        return end + 1
    name, _ = _chunk_at(file, end)
    return end if name is not None and _is_name(name) else end + 1


def _is_name(name: bytes) -> bool:
    return all(0x20 <= byte < 0x7F for byte in name) and name[:1].isalpha()


def _only_chunks(file: BinaryIO, position: int, size: int) -> bool:
    """Whether the rest of the file is well-formed chunks up to its very end: then a size of 0 really means no audio."""
    for _ in range(_MOST_CHUNKS):
        name, length = _chunk_at(file, position)
        if name is None or not _is_name(name):
            return False
        end = position + 8 + length
        position = end + end % 2
        if size in (end, position):
            return True
        if position > size:
            return False
    return False


class _Spliced(io.RawIOBase):
    """A read-only, seekable view: a header in memory, then ``length`` bytes of ``file`` from ``start`` on."""

    def __init__(self, header: bytes, file: BinaryIO, start: int, length: int) -> None:
        super().__init__()
        self._header = header
        self._file = file
        self._start = start
        self._size = len(header) + length
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = max(0, base + offset)
        return self._position

    def readinto(self, buffer: Any) -> int:
        wanted = min(len(buffer), max(0, self._size - self._position))
        if wanted == 0:
            return 0
        if self._position < len(self._header):
            part = self._header[self._position : self._position + wanted]
        else:
            self._file.seek(self._start + self._position - len(self._header))
            part = self._file.read(wanted)
        buffer[: len(part)] = part
        self._position += len(part)
        return len(part)

"""The door for sound that is heard while it is made: WAV or bare samples into a file or a pipe, marked as it goes.

A stream has no end to sign, so it gets no content credentials. Its label stands in front of the sound and covers
itself alone. The watermark needs to see a little of what follows: sound comes out 0.8 seconds late.
"""

from __future__ import annotations

import os
import struct
import uuid
from typing import BinaryIO, Protocol

import numpy as np

from app.marks import label
from app.marks.choice import Audit, MarkChoice, Origin
from app.marks.riff import label_chunk
from app.marks.watermark import SHORTEST_SECONDS, Samples

_BYTES = 2  # 16-bit samples
_UNKNOWN = 0xFFFFFFFF  # the sizes of a WAV whose end is not known yet; readers then read to the end
CANNOT_SIGN = "A stream cannot carry content credentials: it has no end that could be signed."
CANNOT_LABEL = "Bare samples cannot carry a label."


class StreamWatermark(Protocol):
    """What marks a block of a stream."""

    def block_difference(self, samples: Samples, sample_rate: int, loudest: float) -> tuple[Samples, float]:
        """What the mark adds to float32 [n], and the loudness so far (0 at first)."""
        ...


class BlockMarker:
    """Adds the watermark to pieces of any length; what comes out is later by 0.8 s at most, and of the same length."""

    def __init__(self, watermark: StreamWatermark, sample_rate: int) -> None:
        self._watermark, self._rate = watermark, sample_rate
        # All three have to be whole numbers of 0.01 s, the step of the network, in samples too.
        fine = sample_rate % 20 == 0
        self._step = sample_rate // 2 if fine else sample_rate
        self._before = self._step
        self._behind = sample_rate * 3 // 10 if fine else sample_rate
        self._kept = np.zeros(0, np.float32)  # from `before` samples ahead of the next block on
        self._ahead = 0  # how many of them came out already
        self._loudest = 0.0

    def push(self, samples: Samples) -> Samples:
        """Take in float32 [n] and return what is marked by now."""
        self._kept = np.concatenate([self._kept, samples])
        ready = []
        while len(self._kept) - self._ahead >= self._step + self._behind:
            ready.append(self._mark(self._step))
        return np.concatenate(ready) if ready else np.zeros(0, np.float32)

    def finish(self) -> Samples:
        """Return the rest."""
        rest = len(self._kept) - self._ahead
        if len(self._kept) < SHORTEST_SECONDS * self._rate:
            return self._kept[self._ahead :]
        return self._mark(rest) if rest else np.zeros(0, np.float32)

    def _mark(self, count: int) -> Samples:
        around = self._kept[: self._ahead + count + self._behind]
        difference, self._loudest = self._watermark.block_difference(around, self._rate, self._loudest)
        inside = slice(self._ahead, self._ahead + count)
        marked = around[inside] + difference[inside]
        gone = max(0, self._ahead + count - self._before)
        self._kept, self._ahead = self._kept[gone:], self._ahead + count - gone
        return marked


class WavStream:
    """Writes 16-bit sound piece by piece, so that it can be heard while the rest is made.

    With ``header`` a WAV, without it bare little-endian samples. Where ``stream`` can seek, the WAV's sizes are
    right after every piece; in a pipe they say "until the end". ``watermark`` None leaves that mark out; ``finish``
    writes what it held back.
    """

    def __init__(
        self,
        stream: BinaryIO,
        *,
        origin: Origin,
        choice: MarkChoice,
        watermark: StreamWatermark | None,
        audit: Audit | None = None,
        header: bool = True,
    ) -> None:
        self._stream = stream
        self._rate = 0
        self._count = 0
        self._marker: BlockMarker | None = None
        self._watermark = watermark
        produce_id = str(uuid.uuid4())
        self._header = header
        self._label = b""
        if header and choice.wants("label"):
            self._label = label_chunk(label.make(origin.producer, produce_id, "").text())
        if audit is not None:
            marks = {
                "label": "made" if self._label else "impossible" if choice.wants("label") else "left_out",
                "watermark": "made" if self._watermark is not None else "left_out",
                "credentials": "impossible" if choice.wants("credentials") else "left_out",
            }
            facts: dict[str, object] = {"produce_id": produce_id, **origin.facts(), "marks": marks}
            audit("export_stream", facts | ({"reason": choice.reason} if choice.left_out else {}))

    def write(self, samples: Samples, sample_rate: int) -> None:
        """Append ``samples`` (float32 [n], -1..1). All pieces must have one ``sample_rate`` (Hz).

        Raises:
            OSError: the stream does not take it (disk full, reader gone).
            ValueError: the sample rate changed.
        """
        if self._rate == 0:
            self._rate = sample_rate
            if self._header:
                self._stream.write(self._head(_UNKNOWN))
            if self._watermark is not None:
                self._marker = BlockMarker(self._watermark, sample_rate)
        elif sample_rate != self._rate:
            raise ValueError(f"the sample rate changed from {self._rate} to {sample_rate} Hz")
        self._put(samples if self._marker is None else self._marker.push(samples))

    def finish(self) -> None:
        """Write what was held back. Raises OSError as ``write`` does."""
        if self._marker is not None:
            self._put(self._marker.finish())

    def _put(self, samples: Samples) -> None:
        self._stream.write(np.round(np.clip(samples, -1.0, 1.0) * 32767.0).astype("<i2").tobytes())
        self._count += len(samples)
        if self._header and self._stream.seekable():
            self._stream.seek(0)
            self._stream.write(self._head(self._count * _BYTES))
            self._stream.seek(0, os.SEEK_END)
        self._stream.flush()

    def _head(self, size: int) -> bytes:
        form = struct.pack("<HHIIHH", 1, 1, self._rate, self._rate * _BYTES, _BYTES, 8 * _BYTES)
        before = b"WAVEfmt " + struct.pack("<I", len(form)) + form + self._label
        whole = min(size + len(before) + 8, _UNKNOWN)
        return b"RIFF" + struct.pack("<I", whole) + before + b"data" + struct.pack("<I", min(size, _UNKNOWN))

"""From a source to a lane: loop, speed, gain and rate; and back from a lane's sample to a place in time."""

from __future__ import annotations

import bisect
from collections import deque
from typing import TYPE_CHECKING

import numpy as np

from app.audio.mixer import FADE_SECONDS, Lane
from app.audio.sources import SoundSource
from app.audio.stretch import BlockStretcher

if TYPE_CHECKING:
    import soxr

AHEAD_SECONDS = 2.0  # what the window may be held up without a gap in the sound
_URGENT_SECONDS = 0.3  # below it several stretched blocks are made at once
_BLOCK_SECONDS = 0.25
_MOST_PLACES = 512  # a loop takes 16 ms or more, and a lane with the device's latency holds under 4 s


class Feeder:
    """Fills one lane from ``source``, beginning at ``start`` seconds.

    ``loop`` is a (from, to) in seconds; it comes back from its end for ever. ``speed`` 0.5..2 keeps the pitch; ``gain``
    is linear. Everything is done in small steps by whoever calls ``feed``.
    """

    def __init__(
        self,
        source: SoundSource,
        rate: int,
        start: float,
        *,
        speed: float = 1.0,
        gain: float = 1.0,
        loop: tuple[float, float] | None = None,
    ) -> None:
        self.source = source
        self.rate = rate
        self._gain = np.float32(gain)
        self._speed = speed
        self._next = max(0, round(start * source.sample_rate))
        self._loop = self._loop_samples(loop)
        self.lane = Lane(AHEAD_SECONDS + 1.0, rate, from_start=self._next == 0)
        # Lane samples, and the seconds in the source that they come from.
        self._places = deque([(0, self._next / source.sample_rate)], _MOST_PLACES)
        self._fed_out = 0.0  # lane samples that belong to what was read
        self._overflow = np.zeros(0, np.float32)
        self._after_join = False
        self._ended = False
        self._left = np.zeros(0, np.float32)  # context to the left of the next stretched block
        self._stretcher = BlockStretcher(source.sample_rate, speed) if speed != 1.0 else None
        self._resampler: soxr.ResampleStream | None = None
        if rate != source.sample_rate:
            import soxr

            self._resampler = soxr.ResampleStream(source.sample_rate, rate, 1, dtype="float32")

    @property
    def has_more(self) -> bool:
        """Whether there is sound that could be fed now."""
        return bool(self._overflow.size) or (not self.lane.is_complete and self.source.length > self._next)

    @property
    def is_behind(self) -> bool:
        """Whether there is sound that could be fed now and has room to be: the window is late."""
        return self.has_more and self.lane.ring.filled < AHEAD_SECONDS * self.rate

    def place(self, taken: float) -> float:
        """The seconds in the source that the lane's sample ``taken`` comes from."""
        at = max(0, bisect.bisect_right(self._places, taken, key=lambda entry: entry[0]) - 1)
        out, seconds = self._places[at]
        return min(seconds + max(0.0, taken - out) / self.rate * self._speed, self.source.length / self._source_rate)

    def feed(self) -> None:
        """Bring the lane up to two seconds ahead, or as far as the source goes by now."""
        while self.lane.ring.filled < AHEAD_SECONDS * self.rate:
            if self._overflow.size:
                self._overflow = self._overflow[self.lane.write(self._overflow) :]
                if self._overflow.size:
                    return
            if self.lane.is_complete or not self._make_block():
                return
            # Stretching takes time that the window needs: one block at a time while there is enough.
            if self._stretcher is not None and self.lane.ring.filled > _URGENT_SECONDS * self.rate:
                self._write_overflow()
                return

    @property
    def _source_rate(self) -> int:
        return self.source.sample_rate

    def _loop_samples(self, loop: tuple[float, float] | None) -> tuple[int, int] | None:
        if loop is None:
            return None
        start, end = round(loop[0] * self._source_rate), round(loop[1] * self._source_rate)
        # From behind its end a loop is never reached: then the sound goes on without it.
        return (start, end) if end - start >= 4 * round(FADE_SECONDS * self._source_rate) and self._next < end else None

    def _write_overflow(self) -> None:
        self._overflow = self._overflow[self.lane.write(self._overflow) :]
        self._finish_when_done()

    def _finish_when_done(self) -> None:
        if self._ended and not self._overflow.size and not self.lane.is_complete:
            self.lane.complete()

    def _make_block(self) -> bool:
        """Make the next block into ``_overflow``; False when there is none now."""
        if self._ended:
            self._finish_when_done()
            return False
        growing = self.source.is_growing  # asked before the length: what ends in between is fed next time
        length = self.source.length
        loop_end = self._loop[1] if self._loop is not None and self._next < self._loop[1] else None
        whole = loop_end is not None and loop_end <= length
        limit = loop_end if whole and loop_end is not None else length
        size = self._stretcher.block if self._stretcher is not None else round(_BLOCK_SECONDS * self._source_rate)
        count = min(size, limit - self._next)
        last = not growing and not whole and self._next + count >= length
        ahead = 0
        if self._stretcher is not None and not last:
            # At a loop's end what lies behind it serves as context, where there is any.
            ahead = min(self._stretcher.context, length - self._next - count)
            if growing and not whole and ahead < self._stretcher.context:
                count -= self._stretcher.context - ahead
                ahead = self._stretcher.context
        if count <= 0 and not last:
            return False
        if self._stretcher is not None and growing and not whole and count < self._stretcher.least:
            return False
        block = np.ascontiguousarray(self.source.read(self._next, count + ahead), np.float32)
        if self._gain != 1.0:
            block = block * self._gain
        block = self._soften_joins(block, count, ends=whole and self._next + count == loop_end)
        self._next += count
        self._fed_out += count / self._source_rate / self._speed * self.rate
        self._overflow = self._processed(block, count, last=last)
        self._ended = last
        if whole and self._next == loop_end and self._loop is not None:
            self._next = self._loop[0]
            self._places.append((round(self._fed_out), self._loop[0] / self._source_rate))
            self._after_join = True
            self._left = self._left[:0]
        if last and not self._overflow.size:
            self._finish_when_done()
            return False
        return True

    def _processed(self, block: np.ndarray, count: int, *, last: bool) -> np.ndarray:
        if self._stretcher is not None:
            before = len(self._left)
            whole = np.concatenate([self._left, block])
            self._left = whole[max(0, before + count - self._stretcher.context) : before + count]
            block = self._stretcher.stretch(whole, before, count, last=last) if len(whole) else block
        if self._resampler is not None:
            block = self._resampler.resample_chunk(np.ascontiguousarray(block), last=last)
        return block

    def _soften_joins(self, block: np.ndarray, count: int, *, ends: bool) -> np.ndarray:
        """Fade the two sides of a loop's join, so that coming back does not click."""
        fade = min(round(FADE_SECONDS * self._source_rate), count)
        if fade <= 1 or not (ends or self._after_join):
            return block
        ramp = np.linspace(0.0, 1.0, fade, dtype=np.float32)
        block = block.copy()
        if self._after_join:
            block[:fade] *= ramp
            self._after_join = False
        if ends:
            block[count - fade : count] *= ramp[::-1]
            block[count:] = 0.0
        return block

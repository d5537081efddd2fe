"""What the audio callback does: play one lane, fade where it starts and stops, cross over to another at a sample."""

from __future__ import annotations

from enum import Enum

import numpy as np

from app.audio.ring_buffer import RingBuffer

FADE_SECONDS = 0.008
# A step at the very start or end of a sound that needs no fade: -50 dBFS. Below it the samples go through untouched.
_QUIET_STEP = 0.003


class Lane:
    """Sound on its way to the device at the device's rate: written by the window's thread, read by the callback.

    ``is_complete`` tells that no more will be written. A lane is used once; another place or speed is another lane.
    """

    def __init__(self, seconds: float, rate: int, *, from_start: bool) -> None:
        self.fade = max(2, round(FADE_SECONDS * rate))
        self.ring = RingBuffer(round(seconds * rate), keep=self.fade)
        self.is_complete = False
        self.soft_end = False
        self._from_start = from_start
        self._first: float | None = None
        self._last = 0.0

    def write(self, samples: np.ndarray) -> int:
        """Append as many of ``samples`` [n] as fit; returns how many did."""
        if self._first is None and len(samples):
            self._first = abs(float(samples[0]))
        count = self.ring.write(samples)
        if count:
            self._last = abs(float(samples[count - 1]))
        return count

    def complete(self) -> None:
        """Tell that no more comes."""
        self.soft_end = self._last > _QUIET_STEP
        self.is_complete = True

    @property
    def soft_start(self) -> bool:
        """Whether its first sample needs a fade."""
        return not self._from_start or self.ring.taken > 0 or (self._first or 0.0) > _QUIET_STEP

    @property
    def can_start(self) -> bool:
        """Whether there is enough to fade in, and out again at once."""
        return self.ring.filled > 2 * self.fade or (self.is_complete and self.ring.filled > 0)

    @property
    def is_played(self) -> bool:
        """Whether all of it was read."""
        return self.is_complete and self.ring.filled == 0


class _Is(Enum):
    SILENT = 0
    RISING = 1
    ON = 2
    FALLING = 3
    CROSSING = 4


class Mixer:
    """Fills the device's blocks. All but ``read_into`` is called by the window's thread.

    ``wanted`` asks for sound or silence; either comes with a fade. When a lane runs dry before it is complete the
    sound fades out on its last samples, those are put back, ``dry`` is set, and silence stays until ``go_on``.
    """

    def __init__(self) -> None:
        self.lane: Lane | None = None
        self.wanted = False
        self.dry = False
        self.volume = 1.0
        self.asked = 0  # samples that the device wanted, silence included
        self._volume = 1.0
        self._peak = 0.0
        self._is = _Is.SILENT
        self._at = 0  # samples of the running fade that are done
        self._length = 1  # samples of the running fade
        self._old: Lane | None = None
        # Each is written by one thread only, so that no wish is lost: the window's last one, the callback's last taken.
        self._next: tuple[Lane, Lane | None, int] | None = None
        self._taken: tuple[Lane, Lane | None, int] | None = None

    @property
    def is_silent(self) -> bool:
        """Whether nothing sounds and no fade runs."""
        return self._is is _Is.SILENT

    def swap(self, lane: Lane, after: Lane | None = None, at: int = 0) -> None:
        """Cross over to ``lane``: when ``at`` samples of the lane ``after`` were taken; at once with None.

        A callback that comes too late for ``at`` leaves out of ``lane`` what it missed, so that both stay in step.
        """
        self._next = (lane, after, at)

    @property
    def is_swapping(self) -> bool:
        """Whether a lane waits for its turn."""
        return self._next is not self._taken

    def go_on(self) -> None:
        """Leave the silence after running dry."""
        self.dry = False

    def take_peak(self) -> float:
        """The largest absolute sample since the last call."""
        peak, self._peak = self._peak, 0.0
        return peak

    def read_into(self, out: np.ndarray) -> None:
        """Fill ``out`` float32 [n]; called by the device."""
        out.fill(0.0)
        done = 0
        while done < len(out):
            done += self._step(out[done:])
        self.asked += len(out)
        if self._volume != 1.0 or self.volume != 1.0:
            wanted = self.volume
            out *= np.linspace(self._volume, wanted, len(out), dtype=np.float32)
            self._volume = wanted
        self._peak = max(self._peak, float(np.abs(out).max(initial=0.0)))

    def _step(self, out: np.ndarray) -> int:
        """Write the next samples that are all treated alike; 0 when only the state changed."""
        match self._is:
            case _Is.SILENT:
                return self._silent(out)
            case _Is.ON:
                return self._on(out)
            case _Is.CROSSING:
                return self._crossing(out)
            case _:
                return self._fading(out, rising=self._is is _Is.RISING)

    def _silent(self, out: np.ndarray) -> int:
        following = self._next
        if following is not None and following is not self._taken:
            self.lane, self._taken = following[0], following
            self.dry = False
        lane = self.lane
        if lane is None or not self.wanted or self.dry or not lane.can_start:
            return len(out)
        self._change(_Is.RISING if lane.soft_start else _Is.ON)
        return 0

    def _on(self, out: np.ndarray) -> int:
        lane = self.lane
        assert lane is not None
        if not self.wanted:
            self._change(_Is.FALLING)
            return 0
        # What a fade needs stays back, unless the sound ends quietly by itself.
        reserve = 0 if lane.is_complete and not lane.soft_end else lane.fade
        count = min(len(out), lane.ring.filled - reserve)
        following = self._next
        if following is not None and following is not self._taken:
            late = lane.ring.taken - following[2] if following[1] is lane else 0
            if late >= 0:
                following[0].ring.skip(late)
                self._old, self.lane, self._taken = lane, following[0], following
                self._change(_Is.CROSSING)
                return 0
            count = min(count, -late)
        if count <= 0:
            if lane.is_played:
                self._change(_Is.SILENT)
            else:
                self.dry = not lane.is_complete
                self._change(_Is.FALLING)
            return 0
        return lane.ring.read_into(out[:count])

    def _fading(self, out: np.ndarray, *, rising: bool) -> int:
        lane = self.lane
        assert lane is not None
        count = lane.ring.read_into(out[: self._length - self._at])
        ramp = np.arange(self._at + 1, self._at + count + 1, dtype=np.float32) / np.float32(self._length)
        out[:count] *= ramp if rising else 1 - ramp
        self._at += count
        if rising and self._at == self._length:
            self._change(_Is.ON)
        elif self._at == self._length or count == 0:
            # A sound that goes on later goes on with what the fade has covered.
            if not lane.is_complete or not lane.is_played:
                lane.ring.rewind(self._at)
            self._change(_Is.SILENT)
        return count

    def _crossing(self, out: np.ndarray) -> int:
        old, lane = self._old, self.lane
        assert old is not None
        assert lane is not None
        count = min(len(out), lane.fade - self._at)
        fresh, stale = np.zeros(count, np.float32), np.zeros(count, np.float32)
        lane.ring.read_into(fresh)
        old.ring.read_into(stale)
        ramp = np.arange(self._at + 1, self._at + count + 1, dtype=np.float32) / np.float32(lane.fade)
        out[:count] = stale * (1 - ramp) + fresh * ramp
        self._at += count
        if self._at == lane.fade:
            self._old = None
            self._change(_Is.ON)
        return count

    def _change(self, state: _Is) -> None:
        self._is = state
        self._at = 0
        if self.lane is not None:
            left = self.lane.ring.filled
            # A short rest is faded in and out by its halves.
            short = left // 2 if state is _Is.RISING and self.lane.is_complete else left
            self._length = max(1, min(self.lane.fade, short))

"""The mix: every cue at its place over the original sound or silence, at a loudness, below a true peak.

Sound lies on the disk in the given private folder and is worked on in pieces, so that an hour need not fit into
memory.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from app.core.dubbing import levels
from app.core.dubbing.bed import ducking
from app.core.dubbing.fit import Placed
from app.core.dubbing.shelf import Shelf
from app.core.dubbing.speech import ONSET, CueSound, levelled, shaped
from app.core.store import errors

RATES = (16_000, 96_000)
CUE_LEAD_MS = 100
"""The file of a single cue begins so much before the cue."""
_TAIL_SECONDS = 0.5
_CLOSE_LU = 0.1
_PASSES = 6

SoundOf = Callable[[str], tuple[np.ndarray, int]]
"""A take's samples float32 [n] and their rate in Hz, by its id."""
Marked = Callable[[np.ndarray, int], np.ndarray]
"""What the watermark makes of float32 [n, channels] at a rate in Hz: it makes a mix a little louder."""
Tick = Callable[[], None]
"""Called between steps of the work; what it raises gives it up."""
Bed = Literal["duck", "keep", "none"]


@dataclass(frozen=True)
class MixOptions:
    """``rate`` 16,000-96,000 Hz, 1 or 2 ``channels``, loudness ``target`` in LUFS.

    ``ceiling_db``: the true peak that the limiter keeps to, a little below -1 dB, since marks and lossy formats raise
    it; ``duck_db``: what the bed is turned down by while somebody speaks.
    """

    rate: int = 48_000
    channels: int = 1
    target: float = -16.0
    bed: Bed = "duck"
    duck_db: float = -15.0
    ceiling_db: float = -1.5

    def __post_init__(self) -> None:
        if not RATES[0] <= self.rate <= RATES[1]:
            raise ValueError(f"The rate of a mix is {RATES[0]} to {RATES[1]} Hz, not {self.rate}.")
        if self.channels not in (1, 2) or self.target not in levels.TARGETS:
            raise ValueError("A mix has 1 or 2 channels and a loudness of -16, -19 or -23 LUFS.")
        if not self.duck_db <= 0.0:
            raise ValueError(f"The bed is turned down by 0 dB or less, as in -15, not by {self.duck_db:g}.")


@dataclass
class Mixed:
    """A finished mix: float32 [n, channels] on the disk, and what was measured of it.

    ``times``: for each cue heard, when its speech begins and ends (ms). ``quiet``: cues that never reach -40 dBFS.
    """

    samples: np.ndarray
    rate: int
    loudness: float
    true_peak_db: float
    times: dict[str, tuple[int, int]] = field(default_factory=dict)
    quiet: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Mixer:
    """Mixes ``placed`` cues; ``bed``: the original sound float32 [n, channels] at the rate of the mix, or None."""

    def __init__(
        self,
        placed: Sequence[Placed],
        sound_of: SoundOf,
        folder: Path,
        options: MixOptions,
        bed: np.ndarray | None = None,
        marked: Marked | None = None,
        tick: Tick = lambda: None,
    ) -> None:
        self._placed = [one for one in placed if one.take]
        self._sound_of, self._folder, self.options = sound_of, folder, options
        self._bed = None if options.bed == "none" else bed
        self._marked, self._tick = marked, tick
        self._gain_db, self._target, self._ceiling_db = 0.0, options.target, options.ceiling_db
        # Every pass, stem and file of a cue needs each sound again, and only at another level.
        self._shelf, self._loudness = Shelf(folder / f"cues-{uuid.uuid4().hex}.f32"), dict[str, float]()

    def mix(self) -> Mixed:
        """Mix everything; the gain of all of it is found so that the loudness is right behind limiter and watermark.

        Raises the StoreErrors of a disk that does not take it.
        """
        mixed = self._settled()
        if self._marked is None or mixed.loudness <= levels.SILENT:
            return mixed
        marked = self._marked(mixed.samples, self.options.rate)
        louder = levels.integrated_loudness(marked, self.options.rate) - mixed.loudness
        higher = levels.true_peak_db(marked) - mixed.true_peak_db
        del marked
        if abs(louder) > _CLOSE_LU or higher > 0.0:
            self._target, self._ceiling_db = self._target - louder, self._ceiling_db - max(0.0, higher)
            mixed = self._settled()
        return mixed

    def _settled(self) -> Mixed:
        options = self.options
        made = self._empty(self._placed, self._bed)
        mixed = Mixed(made, options.rate, levels.SILENT, -np.inf)
        for _ in range(_PASSES):
            made[:] = 0.0
            mixed.times, mixed.quiet = self._lay(made, self._placed, 0)
            self._lay_bed(made, mixed.times)
            levels.limit(made, options.rate, self._ceiling_db)
            mixed.loudness = levels.integrated_loudness(made, options.rate)
            away = self._target - mixed.loudness
            if mixed.loudness <= levels.SILENT or abs(away) <= _CLOSE_LU:
                break
            self._gain_db += away
        if abs(self._target - mixed.loudness) > 0.5:
            said = f"The mix has {mixed.loudness:.1f} LUFS instead of {self._target:.1f}: its peaks do not allow more."
            mixed.notes.append(said if mixed.loudness > levels.SILENT else "The mix is silent.")
        mixed.true_peak_db = levels.true_peak_db(made)
        return mixed

    def stem(self, cue_ids: frozenset[str]) -> np.ndarray:
        """Return the same mix with these cues alone and without the bed: float32 [n, channels]. Call ``mix`` before."""
        made = self._empty(self._placed, self._bed)
        self._lay(made, [one for one in self._placed if one.cue_id in cue_ids], 0)
        levels.limit(made, self.options.rate, self._ceiling_db)
        return made

    def cue(self, cue_id: str) -> np.ndarray | None:
        """Return one cue alone, float32 [n, channels] that begins 100 ms before it; None where it is not heard."""
        own = [one for one in self._placed if one.cue_id == cue_id]
        if not own:
            return None
        first = max(0, own[0].start - CUE_LEAD_MS) * self.options.rate // 1000
        made = self._empty(own, None, first)
        self._lay(made, own, first)
        levels.limit(made, self.options.rate, self._ceiling_db)
        return made

    def _empty(self, placed: Sequence[Placed], bed: np.ndarray | None, first: int = 0) -> np.ndarray:
        rate, channels = self.options.rate, self.options.channels
        end = max((one.end for one in placed), default=0)
        length = round((end / 1000 + _TAIL_SECONDS) * rate) - first
        length = max(length, 0 if bed is None else len(bed))
        path = self._folder / f"mix-{uuid.uuid4().hex}.f32"
        with errors.files(path):
            made = np.memmap(path, np.float32, "w+", shape=(length, channels))
        with contextlib.suppress(OSError):  # it lasts as long as somebody looks at it; Windows keeps the name too
            path.unlink()
        return made

    def _lay(
        self, made: np.ndarray, placed: Sequence[Placed], first: int
    ) -> tuple[dict[str, tuple[int, int]], list[str]]:
        """Add cues to ``made``, which begins at sample ``first``; return their true times, and which are too quiet."""
        rate, times, quiet = self.options.rate, dict[str, tuple[int, int]](), list[str]()
        for one in placed:
            self._tick()
            sound = self._rendered(one)
            start = round(one.start * rate / 1000) - sound.onset - first
            samples = sound.samples[max(0, -start) :]
            start = max(0, start)
            samples = samples[: len(made) - start]
            made[start : start + len(samples)] += samples[:, None]
            above = np.flatnonzero(np.abs(samples) > ONSET)
            end = start + first + (int(above[-1]) + 1 if len(above) else len(samples))
            times[one.cue_id] = (one.start, max(one.start + 1, round(1000 * end / rate)))
            if sound.quiet:
                quiet.append(one.cue_id)
        return times, quiet

    def _rendered(self, one: Placed) -> CueSound:
        if one.cue_id not in self._loudness:
            samples, sample_rate = self._sound_of(one.take)
            sound, measured = shaped(samples, sample_rate, speed=one.speed, rate=self.options.rate)
            self._shelf.put(one.cue_id, sound)
            self._loudness[one.cue_id] = measured
        level = self.options.target + self._gain_db
        return levelled(self._shelf.get(one.cue_id), self._loudness[one.cue_id], level)

    def _lay_bed(self, made: np.ndarray, times: Mapping[str, tuple[int, int]]) -> None:
        if self._bed is None:
            return
        options = self.options
        spoken = [(start * options.rate // 1000, end * options.rate // 1000) for start, end in times.values()]
        places, gains = ducking(spoken if options.bed == "duck" else [], options.rate, options.duck_db)
        general = 10 ** (self._gain_db / 20)
        for start in range(0, len(self._bed), levels.PIECE):
            self._tick()
            piece = np.asarray(self._bed[start : start + levels.PIECE])
            envelope = np.interp(np.arange(start, start + len(piece)), places, gains) * general
            made[start : start + len(piece)] += piece * envelope[:, None].astype(np.float32)

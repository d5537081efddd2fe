"""Long sound for an export, in sections, so that hours of it need not fit into memory.

A section begins at a multiple of what the watermark itself works on at once. Up to one section all is done as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from app.core.engine_api import PieceScore, Watermark
from app.marks.watermark import Samples

SECTION_SECONDS = 300
_AROUND_SECONDS = 1
_PIECE = 1 << 20
Tick = Callable[[], None]
"""Called between sections; it may raise to give the work up."""


def nothing() -> None:
    """The tick of those who never give up."""


def is_long(length: int, rate: int) -> bool:
    """Whether ``length`` samples at ``rate`` Hz are worked on in sections."""
    return length > 2 * SECTION_SECONDS * rate


def resampled(samples: Samples, rate: int, wanted: int, path: Path) -> Samples:
    """Return float32 [n] or [n, channels] at ``wanted`` Hz; long sound comes to lie at ``path``."""
    import soxr  # not needed to open the window

    if not is_long(len(samples), rate):
        return np.asarray(soxr.resample(samples, rate, wanted), np.float32)
    channels = 1 if samples.ndim == 1 else samples.shape[1]
    stream = soxr.ResampleStream(rate, wanted, channels, dtype="float32")
    with path.open("wb") as file:
        for start in range(0, len(samples), _PIECE):
            piece = np.ascontiguousarray(samples[start : start + _PIECE], np.float32)
            file.write(stream.resample_chunk(piece, last=start + _PIECE >= len(samples)).astype("<f4").tobytes())
    flat = np.memmap(path, "<f4", "r+")
    return flat if samples.ndim == 1 else flat.reshape(-1, channels)


def embedded(watermark: Watermark, samples: Samples, rate: int, path: Path, tick: Tick = nothing) -> Samples:
    """Return float32 [n] or [n, channels] with the watermark; long sound comes to lie at ``path``."""
    if not is_long(len(samples), rate):
        return watermark.embed(np.asarray(samples, np.float32), rate)
    made = np.memmap(path, np.float32, "w+", shape=samples.shape)
    for start, stop in _sections(len(samples), rate):
        tick()
        first = max(0, start - _AROUND_SECONDS * rate)
        last = min(len(samples), stop + _AROUND_SECONDS * rate)
        marked = watermark.embed(np.array(samples[first:last], np.float32), rate)
        made[start:stop] = marked[start - first : stop - first]
    return made


def scores(watermark: Watermark, parts: Iterator[Samples], rate: int, tick: Tick = nothing) -> tuple[PieceScore, ...]:
    """Look for the watermark in sound that comes in ``parts``, each float32 [n] or [n, channels]."""
    found, before = list[PieceScore](), 0.0
    for part in parts:
        tick()
        for score in watermark.score(part, rate):
            found.append(PieceScore(before + score.start, before + score.end, score.score))
        before += len(part) / rate
    return tuple(found)


def sections(samples: Samples, rate: int) -> Iterator[Samples]:
    """Yield sound in sections; as a whole where it is not long."""
    if not is_long(len(samples), rate):
        yield np.asarray(samples, np.float32)
        return
    for start, stop in _sections(len(samples), rate):
        yield np.array(samples[start:stop], np.float32)


def file_sections(path: Path) -> Iterator[Samples]:
    """Yield the sound of a file in sections: float32 [n] or [n, channels].

    Raises:
        OSError: it cannot be read.
    """
    import soundfile  # not needed to open the window

    try:
        with soundfile.SoundFile(path) as file:
            spans = _sections(file.frames, file.samplerate) if is_long(file.frames, file.samplerate) else [(0, -1)]
            for start, stop in spans:
                yield file.read(-1 if stop < 0 or stop >= file.frames else stop - start, dtype="float32")
    except soundfile.LibsndfileError as error:
        raise OSError(str(error)) from error


def _sections(length: int, rate: int) -> list[tuple[int, int]]:
    """From and to of each; the last one takes the rest, so that none is short."""
    size = SECTION_SECONDS * rate
    count = max(1, length // size)
    return [(number * size, length if number == count - 1 else (number + 1) * size) for number in range(count)]

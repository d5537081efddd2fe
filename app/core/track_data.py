"""What the tracks of the timeline show, as tables of numbers. Never the sound itself: that leaves through app/marks."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass

import numpy as np

from app.core.mel import TILE, band_centres, hop_seconds, level_for, mel_tile, tiles_between
from app.core.peaks import BLOCK, PeakPyramid
from app.core.takes import Take

_MOST_ROWS = 20_000  # of waveform and spectrogram, which are computed for the purpose


@dataclass(frozen=True)
class TrackTable:
    """``rows`` float32 [n, len(header)]; the first column is the time in seconds."""

    header: tuple[str, ...]
    rows: np.ndarray


def track_table(take: Take, track: str, start: float, stop: float) -> TrackTable:
    """Return what ``track`` (waveform, spectrogram, latents, stop, speed) shows of a take from ``start`` to ``stop``.

    The waveform as lowest and highest of at least 128 samples each, the spectrogram in dB per mel band.

    Raises:
        ValueError: there is nothing between the two places, the sound is still on the disk alone, or no such track.
    """
    start, stop = max(0.0, start), min(stop, take.seconds)
    if stop <= start:
        raise ValueError(f"there is nothing of the take between {start:g} and {stop:g} s")
    if take.is_unread:
        raise ValueError("the sound of this take has not been read yet; wait a moment and try again")
    if track == "waveform":
        return _waveform(take, start, stop)
    if track == "spectrogram":
        return _spectrogram(take, start, stop)
    if track == "latents":
        return _rows(take.latents, 1 / take.frame_rate, start, stop, "latent {}")
    patch = take.patch_size / take.frame_rate
    if track == "stop":
        return _rows(take.stop_probabilities[:, None], patch, start, stop, "stop probability")
    if track == "speed":
        return _rows(take.patch_times[:, None], patch, start, stop, "seconds to compute")
    raise ValueError(f"there is no track {track!r}")


def to_csv(table: TrackTable) -> bytes:
    """Write a table with a line of headings."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.header)
    writer.writerows([f"{value:.7g}" for value in row] for row in table.rows)
    return out.getvalue().encode("utf-8")


def to_npy(table: TrackTable) -> bytes:
    """Write the rows as a NumPy file."""
    out = io.BytesIO()
    np.save(out, table.rows, allow_pickle=False)
    return out.getvalue()


def _waveform(take: Take, start: float, stop: float) -> TrackTable:
    first, last = int(start * take.sample_rate), math.ceil(stop * take.sample_rate)
    samples = take.samples[first:last]
    pyramid = PeakPyramid()
    pyramid.extend(samples)
    # At least two blocks to a column, so that it is their peaks and never samples that are written.
    got = pyramid.columns(samples, 0, len(samples), min(_MOST_ROWS, max(1, len(samples) // (2 * BLOCK))))
    times = (got.borders[:-1] + first) / take.sample_rate
    rows = np.stack([times, got.lows, got.highs], axis=1).astype(np.float32)
    return TrackTable(("seconds", "lowest", "highest"), rows)


def _spectrogram(take: Take, start: float, stop: float) -> TrackTable:
    level = level_for((stop - start) / _MOST_ROWS)
    hop = hop_seconds(level)
    tiles = tiles_between(start, stop, level)
    picture = np.concatenate(
        [mel_tile(take.samples, take.sample_rate, key, TILE) for key in tiles], axis=1
    ).T  # [columns, 80]
    times = (tiles[0].index * TILE + np.arange(len(picture)) + 0.5) * hop
    inside = (times >= start) & (times < stop)
    header = ("seconds", *(f"{hertz:.0f} Hz" for hertz in band_centres(take.sample_rate)))
    return TrackTable(header, np.column_stack([times[inside], picture[inside]]).astype(np.float32))


def _rows(values: np.ndarray, step: float, start: float, stop: float, name: str) -> TrackTable:
    first, last = math.floor(start / step + 1e-9), math.ceil(stop / step - 1e-9)
    part = values[first:last]
    times = (first + np.arange(len(part))) * step
    header = ("seconds", *(name.format(column + 1) for column in range(values.shape[1])))
    return TrackTable(header, np.column_stack([times, part]).astype(np.float32))

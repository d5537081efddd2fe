"""The original sound under a dub: decoded once to the disk, and turned down where somebody speaks."""

from __future__ import annotations

import contextlib
import json
import logging
import subprocess
import sys
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from app.core.store import errors

log = logging.getLogger(__name__)

_PIECE = 1 << 20
MOST_SECONDS = 12 * 3600.0
ATTACK_MS, RELEASE_MS = 120, 400
_REASONS = {
    "no_ffmpeg": "is no sound file that can be read here. For films and other formats, install ffmpeg",
    "unreadable": "cannot be read as sound. Give a WAV, FLAC, MP3 or Ogg file, or a film",
}


class BedError(ValueError):
    """The original sound cannot be used; the message says what to do."""


def read_bed(path: Path, rate: int, channels: int, folder: Path, tick: Callable[[], None] = lambda: None) -> np.ndarray:
    """Decode the sound of an audio or video file to float32 [n, channels] at ``rate`` Hz, on the disk in ``folder``.

    ``tick`` is called again and again; what it raises ends the child.

    Raises:
        BedError: it is missing, no sound, or empty.
        StoreError: the disk does not take it.
    """
    if not path.is_file():
        raise BedError(f"{path} does not exist. Choose the original sound again.")
    argv = [sys.executable, "-m", "app.core.dubbing.bed_child", str(path.resolve()), str(rate), str(channels)]
    root = Path(__file__).resolve().parents[3]
    target = folder / f"bed-{uuid.uuid4().hex}.f32"
    process = subprocess.Popen(
        [*argv, repr(MOST_SECONDS)],
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    try:
        head = process.stdout.readline(4096)
        said: dict[str, str] = {"error": "unreadable"}
        with contextlib.suppress(ValueError):
            said = json.loads(head)
        if "error" in said:
            raise BedError(f"{path.name} {_REASONS.get(said['error'], _REASONS['unreadable'])}.")
        with errors.files(target), target.open("xb") as file:
            while piece := process.stdout.read(_PIECE):
                tick()
                file.write(piece)
    except BaseException:
        process.kill()
        target.unlink(missing_ok=True)
        raise
    finally:
        process.stdout.close()
        code = process.wait()
    frame = 4 * channels
    length = target.stat().st_size // frame
    if not length:
        target.unlink()
        raise BedError(f"{path.name} holds no sound that can be read ({said['by']} ended with {code}).")
    if code:
        log.warning("%s is damaged; only the first %.1f s could be read", path.name, length / rate)
    return np.memmap(target, "<f4", "r", shape=(length, channels))


def ducking(intervals: Sequence[tuple[int, int]], rate: int, duck_db: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the points (samples, gains) of the bed's gain: ``duck_db`` while somebody speaks, 1 elsewhere.

    ``intervals``: start and end of speech in samples. It is down when speech starts and comes back slowly; breaks
    that are too short for both stay down.
    """
    attack, release = ATTACK_MS * rate // 1000, RELEASE_MS * rate // 1000
    merged: list[list[int]] = []
    for start, end in sorted(intervals):
        if merged and start - attack <= merged[-1][1] + release:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    low = 10 ** (duck_db / 20)
    points = [(place, gain) for start, end in merged for place, gain in
              ((start - attack, 1.0), (start, low), (end, low), (end + release, 1.0))]  # fmt: skip
    if not points:
        return np.zeros(1), np.ones(1)
    return np.array([place for place, _ in points], np.float64), np.array([gain for _, gain in points], np.float64)

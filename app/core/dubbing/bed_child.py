"""Reads the original sound, as a process of its own: ``-m app.core.dubbing.bed_child FILE RATE CHANNELS SECONDS``.

A film from anywhere is decoded here, with limits of memory and time. Sound files are read by libsndfile; anything
else, such as a video, by the ffmpeg of this machine, if there is one. Writes a line of JSON ({"by": ...} or {"error":
...}), then float32 little-endian samples, interleaved.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys

MEMORY_BYTES = 3 << 30
CPU_SECONDS = 1800
_BLOCK = 1 << 16
_MOST_CHANNELS = 64


def main(path: str, rate: int, channels: int, most_seconds: float) -> None:
    """Write the sound of ``path`` to stdout at ``rate`` Hz with 1 or 2 ``channels``."""
    limit()
    import soundfile

    with open(path, "rb") as stream:
        file = None
        with contextlib.suppress(soundfile.LibsndfileError, OSError, RuntimeError, ValueError):
            file = soundfile.SoundFile(stream)
        if file is not None:  # what fails from here on has begun to be written: nobody else may go on
            if file.channels > _MOST_CHANNELS or not 4_000 <= file.samplerate <= 768_000:
                return _say({"error": "unreadable"})
            return _by_sndfile(file, rate, channels, most_seconds)
    program = shutil.which("ffmpeg")
    if program is None:
        return _say({"error": "no_ffmpeg"})
    _say({"by": "ffmpeg"})
    argv = [
        program, "-nostdin", "-v", "error", "-protocol_whitelist", "file,pipe", "-i", f"file:{path}",
        "-vn", "-map", "0:a:0", "-t", f"{most_seconds:g}", "-ac", str(channels), "-ar", str(rate),
        "-f", "f32le", "pipe:1",
    ]  # fmt: skip
    os.execv(program, argv)


def _by_sndfile(file: object, rate: int, channels: int, most_seconds: float) -> None:
    import numpy as np
    import soundfile
    import soxr

    assert isinstance(file, soundfile.SoundFile)
    resampler = soxr.ResampleStream(file.samplerate, rate, channels, dtype="float32")
    out, left = sys.stdout.buffer, round(most_seconds * file.samplerate)
    _say({"by": "libsndfile"})
    while True:
        block = file.read(min(_BLOCK, left), dtype="float32", always_2d=True)
        left -= len(block)
        last = not len(block) or left <= 0
        mixed = block if block.shape[1] == channels else block.mean(axis=1, keepdims=True)
        values = np.nan_to_num(np.repeat(mixed, channels // mixed.shape[1], axis=1), posinf=0.0, neginf=0.0)
        out.write(resampler.resample_chunk(np.ascontiguousarray(values, np.float32), last=last).astype("<f4").tobytes())
        if last:
            return


def _say(message: dict[str, str]) -> None:
    sys.stdout.buffer.write(json.dumps(message).encode() + b"\n")
    sys.stdout.buffer.flush()


def limit(cpu_seconds: int = CPU_SECONDS) -> None:
    """Limit memory and time of this process, and let it write no file; where the system has no limits, nothing."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))

"""Reads one sound file in a process of its own: ``python -m app.core.sound_child FILE SECONDS [raw|probe|stream]``.

Sound files from strangers are read here, where a fault or a bomb of the decoder ends nothing but this process. Writes
a line of JSON ({"sample_rate": Hz, "samples": n, "milliseconds": of the whole file} or {"error": reason}) and then n
float32 little-endian samples, the mean of all channels. ``raw``: one or two channels stay apart (of more the mean is
taken) and values that are no numbers stay in; the line then has "channels" too. ``probe``: the line alone, with what
the header says. ``stream``: the samples follow as they are read, so that hours need no memory; the line has no number.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import soundfile

    Block = np.ndarray[Any, np.dtype[np.float32]]

MEMORY_BYTES = 2 << 30
CPU_SECONDS = 60
STREAM_CPU_SECONDS = 1800
_BLOCK = 1 << 16
_RATES = (4_000, 768_000)
_CHANNELS = 64
_KEPT_APART = 2


def main(path: str, most_seconds: float, how: str = "") -> None:
    """Decode at most ``most_seconds`` of the file at ``path`` to stdout."""
    limit(STREAM_CPU_SECONDS if how == "stream" else CPU_SECONDS)
    import soundfile

    try:
        with open(path, "rb") as stream, soundfile.SoundFile(stream) as file:
            if not _RATES[0] <= file.samplerate <= _RATES[1] or not 1 <= file.channels <= _CHANNELS:
                return _refuse("unreadable")
            if how == "probe":
                return _probe(file)
            if how == "stream":
                return _stream(file, most_seconds)
            _whole(file, most_seconds, raw=how == "raw")
    except (soundfile.LibsndfileError, OSError, RuntimeError, ValueError, MemoryError):
        _refuse("unreadable")


def _probe(file: soundfile.SoundFile) -> None:
    if file.frames <= 0:
        return _refuse("empty")
    _say({"sample_rate": file.samplerate, "channels": file.channels, "milliseconds": _milliseconds(file)})


def _stream(file: soundfile.SoundFile, most_seconds: float) -> None:
    """Say what comes before it comes; what fails later ends the samples."""
    _say({"sample_rate": file.samplerate, "channels": 1, "milliseconds": _milliseconds(file)})
    for block in _blocks(file, most_seconds, raw=False):
        sys.stdout.buffer.write(_finite(block).astype("<f4").tobytes())


def _whole(file: soundfile.SoundFile, most_seconds: float, *, raw: bool) -> None:
    import numpy as np

    parts = list(_blocks(file, most_seconds, raw=raw))
    if not parts:
        return _refuse("empty")
    samples = np.concatenate(parts)
    if not raw:
        samples = _finite(samples)
    said = {
        "sample_rate": file.samplerate,
        "samples": len(samples),
        "milliseconds": round(1000 * max(file.frames, len(samples)) / file.samplerate),
        "channels": samples.shape[1],
    }
    _say(said)
    sys.stdout.buffer.write(samples.astype("<f4").tobytes())
    sys.stdout.buffer.flush()


def _blocks(file: soundfile.SoundFile, most_seconds: float, *, raw: bool) -> Iterator[Block]:
    """Float32 [n, channels] at a time, or [n, 1], the mean of all channels."""
    import numpy as np

    apart = raw and file.channels <= _KEPT_APART
    left = round(most_seconds * file.samplerate)
    while left > 0:
        block = file.read(min(_BLOCK, left), dtype="float32", always_2d=True)
        if not len(block):
            return
        yield block if apart else block.mean(axis=1, dtype=np.float32, keepdims=True)
        left -= len(block)


def _finite(samples: Block) -> Block:
    import numpy as np

    return np.nan_to_num(samples, copy=False, nan=0.0, posinf=0.0, neginf=0.0)


def _milliseconds(file: soundfile.SoundFile) -> int:
    return round(1000 * max(0, file.frames) / file.samplerate)


def _say(said: dict[str, int]) -> None:
    sys.stdout.buffer.write(json.dumps(said).encode() + b"\n")


def _refuse(reason: str) -> None:
    sys.stdout.buffer.write(json.dumps({"error": reason}).encode() + b"\n")


def limit(cpu_seconds: int = CPU_SECONDS) -> None:
    """Let this process have so much memory and time and no more, and write no file."""
    try:
        import resource
    except ImportError:  # Windows has no such limits; the time limit of the parent holds there too
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), *sys.argv[3:4])

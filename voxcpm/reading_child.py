"""Reads recordings for :mod:`voxcpm.foreign_audio` in a process of its own: ``python -m voxcpm.reading_child``.

For each line of JSON that comes ({"path": text, "max_seconds": number or null, "probe": true or false}) a line goes
out: {"probe": [seconds, Hz, channels]}, {"reason": code, "message": text}, or what ``Recording`` holds and the number
of samples, followed by them as float32 little-endian. Ends when nothing more can come.
"""

from __future__ import annotations

import json
import signal
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voxcpm.audio_file import Recording

MEMORY_BYTES = 2 << 30
CPU_SECONDS = 60
"""For one recording."""


def main() -> None:
    """Answer until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for whoever asks, who may want to finish first
    _limit_memory()
    from voxcpm.audio_file import probe_audio, read_audio
    from voxcpm.errors import AudioError

    out = sys.stdout.buffer
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        _limit_time()
        samples = b""
        try:
            if asked["probe"]:
                said: dict[str, Any] = {"probe": probe_audio(asked["path"])}
            else:
                recording = read_audio(asked["path"], max_seconds=asked["max_seconds"])
                samples = recording.samples.astype("<f4").tobytes()
                said = head_of(recording)
        except AudioError as error:
            said, samples = {"reason": error.reason, "message": str(error)}, b""
        out.write(json.dumps(said).encode() + b"\n" + samples)
        out.flush()


def head_of(recording: Recording) -> dict[str, Any]:
    """What a child says of a recording before its samples."""
    return {
        "sample_rate": recording.sample_rate,
        "channels": recording.channels,
        "seconds": recording.seconds,
        "start_seconds": recording.start_seconds,
        "findings": [asdict(finding) for finding in recording.findings],
        "samples": len(recording.samples),
    }


def _limit_memory() -> None:
    """Let this process have so much memory and no more, and write no file."""
    try:
        import resource
    except ImportError:  # Windows has no such limits; the patience of whoever asked holds there too
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def _limit_time() -> None:
    """Let the next recording have its seconds of the processor, whatever those before took."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 1 + CPU_SECONDS, hard))


if __name__ == "__main__":
    main()

"""Reads one recording as the model gets it, in a process of its own: ``-m app.engine.hearing_child SECONDS``.

The file comes on standard input. A line of JSON goes out, with what ``voxcpm.audio_file.Recording`` holds or with the
reason why it is none, and then the samples, float32 little-endian.
"""

from __future__ import annotations

import json
import sys

from app.core.sound_child import limit


def main(most_seconds: float) -> None:
    """Read the file and write the answer."""
    limit()
    from voxcpm.audio_file import read_audio
    from voxcpm.errors import AudioError
    from voxcpm.reading_child import head_of

    out = sys.stdout.buffer
    try:
        recording = read_audio(sys.stdin.buffer.read(), max_seconds=most_seconds)
    except AudioError as error:
        out.write(json.dumps({"reason": error.reason, "message": str(error)}).encode() + b"\n")
        return
    out.write(json.dumps(head_of(recording)).encode() + b"\n" + recording.samples.astype("<f4").tobytes())
    out.flush()


if __name__ == "__main__":
    main(float(sys.argv[1]))

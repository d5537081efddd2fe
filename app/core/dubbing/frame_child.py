"""Reads one picture of a film, as a process of its own: ``-m app.core.dubbing.frame_child FILE MS WIDTH HEIGHT``.

Becomes the ffmpeg of this machine, with limits of memory and time, which writes RGB to stdout; nothing without it.
"""

from __future__ import annotations

import os
import shutil
import sys

from app.core.dubbing.bed_child import limit

CPU_SECONDS = 15


def main(path: str, milliseconds: int, width: int, height: int) -> None:
    """Write the picture at ``milliseconds``, as large as fits into ``width`` x ``height``, black beside it."""
    limit(CPU_SECONDS)
    program = shutil.which("ffmpeg")
    if program is None:
        return
    fit = f"scale={width}:{height}:force_original_aspect_ratio=decrease,pad={width}:{height}:(ow-iw)/2:(oh-ih)/2"
    os.execv(
        program,
        [
            program, "-nostdin", "-v", "error", "-threads", "1", "-protocol_whitelist", "file,pipe",
            "-ss", f"{milliseconds / 1000:.3f}", "-i", f"file:{path}", "-map", "0:v:0", "-an", "-frames:v", "1",
            "-vf", fit, "-pix_fmt", "rgb24", "-f", "rawvideo", "pipe:1",
        ],
    )  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))

"""Single pictures of a film, to see where a cue stands. ffmpeg decodes them, in a limited child."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

_LOOK_SECONDS = 0.2
SECONDS = 20.0
"""More than a picture may take: then there is none."""


def can_read_frames() -> bool:
    """Whether there is an ffmpeg on this machine."""
    return shutil.which("ffmpeg") is not None


def read_frame(
    path: Path, milliseconds: int, width: int, height: int, is_cancelled: Callable[[], bool] = lambda: False
) -> bytes | None:
    """Return the picture at a time of a film, RGB [height, width, 3] with black beside it; None where there is none.

    Whatever the film holds, what comes back is exactly as many bytes: no picture file is parsed here.
    """
    argv = [sys.executable, "-m", "app.core.dubbing.frame_child", str(path.resolve())]
    argv += [str(max(0, milliseconds)), str(width), str(height)]
    root = Path(__file__).resolve().parents[3]
    until = time.monotonic() + SECONDS
    out = b""
    with subprocess.Popen(
        argv, cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as child:
        while True:
            try:
                out = child.communicate(timeout=_LOOK_SECONDS)[0]
                break
            except subprocess.TimeoutExpired:
                if is_cancelled() or time.monotonic() > until:
                    child.kill()
    size = 3 * width * height
    return out[:size] if len(out) >= size else None

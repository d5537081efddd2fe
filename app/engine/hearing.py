"""Recordings that people bring are decoded in a child process with limits of memory and time, and then as ever.

The child reads with the library's own reader, so that the model gets the same samples and people the same findings.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import threading
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.core.sound_child import CPU_SECONDS

if TYPE_CHECKING:
    from voxcpm.audio_file import Recording

MOST_BYTES = 1 << 30
_KEPT = 4
_DATA = "the audio data"  # what the reader calls what has no name

_lock = threading.Lock()
_heard: OrderedDict[tuple[str, float], Recording] = OrderedDict()


def read_file(path: Path, max_seconds: float) -> Recording:
    """Read the recording in a file; see :func:`read_bytes`. Raises AudioError, also where it cannot be opened."""
    from voxcpm.errors import AudioError

    try:
        if path.stat().st_size > MOST_BYTES:
            raise AudioError(
                "too_large", f"{path} has more than {MOST_BYTES >> 30} GiB; cut out the part that is needed"
            )
        data = path.read_bytes()
    except FileNotFoundError:
        raise AudioError("not_found", f"there is no file {path}; check the name and the folder") from None
    except OSError as error:
        raise AudioError(
            "unreadable", f"{path} cannot be opened ({error}); check that it is a readable file"
        ) from error
    return read_bytes(data, max_seconds, path.name)


def read_bytes(data: bytes, max_seconds: float, name: str = _DATA) -> Recording:
    """Read no more than ``max_seconds`` of the recording whose file is ``data``; the last few are remembered.

    ``name`` is what messages call it. Raises AudioError with the reasons of ``voxcpm.audio_file.read_audio``.
    """
    key = (hashlib.sha256(data).hexdigest(), max_seconds)
    with _lock:
        if key in _heard:
            _heard.move_to_end(key)
            return _heard[key]
    recording = _read(data, max_seconds, name)
    with _lock:
        _heard[key] = recording
        while len(_heard) > _KEPT:
            _heard.popitem(last=False)
    return recording


def forget() -> None:
    """Remember no recording any more."""
    with _lock:
        _heard.clear()


def _read(data: bytes, max_seconds: float, name: str) -> Recording:
    from voxcpm.audio_file import Finding, Recording
    from voxcpm.errors import AudioError

    argv = [sys.executable, "-m", "app.engine.hearing_child", repr(max_seconds)]
    root = Path(__file__).resolve().parents[2]
    try:
        done = subprocess.run(
            argv, cwd=root, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=2 * CPU_SECONDS,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise AudioError("not_audio", f"{name} took too long to read; do not use this file") from error
    head, _, rest = done.stdout.partition(b"\n")
    try:
        said = json.loads(head)
    except ValueError as error:  # the decoder fell, or ran out of memory or time
        raise AudioError("not_audio", f"{name} cannot be read; do not use this file") from error
    if "reason" in said:
        raise AudioError(said["reason"], str(said["message"]).replace(_DATA, name))
    samples = np.frombuffer(rest, "<f4").astype(np.float32)
    if len(samples) != said["samples"]:
        raise AudioError("not_audio", f"{name} could not be read to its end; try again")
    findings = tuple(
        Finding(each["code"], each["message"].replace(_DATA, name), each["severity"], each["values"])
        for each in said["findings"]
    )
    return Recording(samples, said["sample_rate"], said["channels"], said["seconds"], findings, said["start_seconds"])

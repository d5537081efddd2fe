"""Sound on its way into the store and out of it: decoded in a child process, kept as FLAC without loss."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

import numpy as np

from app.core.audio_files import AudioFileError, AudioFileInfo
from app.core.consent.codec import fixed
from app.core.consent.evidence import Samples
from app.core.consent.record import Reference, make_reference, sha256_pcm
from app.core.consent.rules import MAX_REFERENCE_SECONDS
from app.core.sound_child import CPU_SECONDS
from app.core.sound_edits import RawSound

_FULL = 1 << 23  # 24 bits
MOST_SECONDS = float(MAX_REFERENCE_SECONDS)
_LONGEST_SECONDS = 24 * 3600
_MOMENT = 0.05

_children: weakref.WeakSet[subprocess.Popen[bytes]] = weakref.WeakSet()
_lock = threading.Lock()  # of the set


@dataclass(frozen=True, eq=False)
class KeptSound:
    """Mono sound as the store keeps it: float32 [n], all multiples of 2**-23, at its own ``sample_rate`` in Hz."""

    samples: Samples
    sample_rate: int

    @property
    def seconds(self) -> float:
        """Its length."""
        return len(self.samples) / self.sample_rate

    @property
    def sha256(self) -> str:
        """The hash that consent records name it by."""
        return sha256_pcm(self.samples, self.sample_rate)

    def reference(self, source: str, captured_at: datetime) -> Reference:
        """It as a recording of a consent record."""
        return make_reference(self.samples, self.sample_rate, source, captured_at)

    def to_flac(self) -> bytes:
        """The file; ``kept(flac)`` gives the same samples back."""
        import soundfile  # not needed to open the window

        out = io.BytesIO()
        whole = np.round(self.samples.astype(np.float64) * _FULL).astype(np.int32) << 8
        with soundfile.SoundFile(
            out, "w", samplerate=self.sample_rate, channels=1, format="FLAC", subtype="PCM_24"
        ) as file:
            file.write(whole)
        return out.getvalue()


def keep(samples: Samples, sample_rate: int) -> KeptSound:
    """Float32 [n] at ``sample_rate`` Hz as the store keeps it: rounded to 24 bits, what is above full scale scaled."""
    peak = float(np.abs(samples).max(initial=0.0))
    if peak > 1.0:
        samples = samples / peak
    # FLAC knows no negative zero, and the hash would tell it from zero: the sound would not be itself once it was read.
    whole = np.clip(np.round(samples.astype(np.float64) * _FULL), -_FULL, _FULL - 1) + 0.0
    return KeptSound((whole / _FULL).astype(np.float32), sample_rate)


def from_flac(data: bytes) -> KeptSound:
    """Read what ``to_flac`` wrote. For files of this studio only; see ``read_sound`` for all others."""
    import soundfile

    samples, rate = soundfile.read(io.BytesIO(data), dtype="float32")
    return KeptSound(samples, rate)


def read_sound(path: Path, *, most_seconds: float = MOST_SECONDS) -> KeptSound:
    """Decode a sound file of whatever origin, in a child process with limits of memory and time.

    Several channels become their mean; values that are no numbers become silence.

    Raises:
        AudioFileError: it is missing, unreadable, empty, damaged, or longer than ``most_seconds``.
    """
    said, samples = _decoded(path, most_seconds + 1.0)
    if fixed(len(samples) / said["sample_rate"], 3) > fixed(most_seconds, 3):
        length = said["milliseconds"] / 1000
        raise AudioFileError(
            "too_long", f"{path.name} has {length:.1f} s. Trim it to the best {most_seconds:g} s or less."
        )
    return keep(samples[:, 0], said["sample_rate"])


def read_raw(path: Path, *, most_seconds: float) -> RawSound:
    """Decode the first ``most_seconds`` of a sound file as it is, as ``read_sound`` does; see ``RawSound``.

    Raises:
        AudioFileError: it is missing, unreadable, empty or damaged.
    """
    said, samples = _decoded(path, most_seconds, "raw")
    return RawSound(samples, said["sample_rate"], said["milliseconds"] / 1000)


def probe(path: Path) -> AudioFileInfo:
    """What the header of a sound file of whatever origin says, read in the child process too. Raises AudioFileError."""
    with _running(path, 0.0, "probe") as process:
        head, _ = _answer(process, path)
    said = _said(head, path)
    return AudioFileInfo(str(path), said["milliseconds"] / 1000, said["sample_rate"], said["channels"])


def sections(path: Path, section_seconds: float) -> tuple[int, Iterator[Samples]]:
    """The rate of a sound file of whatever origin in Hz, and its sound in sections: float32 [n], the mean of channels.

    It is decoded in the child process while it is asked for, so that hours need not fit into memory; the last section
    has up to twice the length. Ask for all of them, or close the iterator.

    Raises:
        AudioFileError: it is missing, unreadable or empty.
    """
    process = _running(path, float(_LONGEST_SECONDS), "stream")
    assert process.stdout is not None
    try:
        said = _said(process.stdout.readline(), path)
    except AudioFileError:
        _end(process)
        raise
    size = 4 * max(1, round(section_seconds * said["sample_rate"]))
    return said["sample_rate"], _parts(process, process.stdout, size)


def wait_ending(is_done: Callable[[float], bool], seconds: float) -> bool:
    """Wait for threads that read sound, and end what they read with, since a hostile file may take a minute.

    Whoever reads gets an AudioFileError. ``is_done`` waits for so many seconds; False when ``seconds`` were not enough.
    """
    until = time.monotonic() + seconds
    while not is_done(max(0.0, min(_MOMENT, until - time.monotonic()))):
        if time.monotonic() >= until:
            return False
        with _lock:  # again each time: one that was about to begin has begun by now
            running = list(_children)
        for process in running:
            process.kill()
    return True


def _parts(process: subprocess.Popen[bytes], out: IO[bytes], size: int) -> Iterator[Samples]:
    try:
        waiting = out.read(size)
        while waiting:
            following = out.read(size)
            if len(following) < size:
                waiting, following = waiting + following, b""
            yield np.frombuffer(waiting[: len(waiting) // 4 * 4], "<f4").astype(np.float32)
            waiting = following
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    if process.stdout is not None:
        process.stdout.close()
    process.wait()


def _running(path: Path, seconds: float, *options: str) -> subprocess.Popen[bytes]:
    if not path.is_file():
        raise AudioFileError("missing", f"{path} does not exist.")
    argv = [sys.executable, "-m", "app.core.sound_child", str(path.resolve()), repr(seconds), *options]
    root = Path(__file__).resolve().parents[2]
    process = subprocess.Popen(argv, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with _lock:
        _children.add(process)
    return process


def _answer(process: subprocess.Popen[bytes], path: Path) -> tuple[bytes, bytes]:
    try:
        out, _ = process.communicate(timeout=2 * CPU_SECONDS)
    except subprocess.TimeoutExpired as error:
        process.kill()
        raise AudioFileError("unreadable", f"{path.name} took too long to read. Do not use this file.") from error
    head, _, rest = out.partition(b"\n")
    return head, rest


def _said(head: bytes, path: Path) -> dict[str, int]:
    try:
        said: dict[str, Any] = json.loads(head)
    except ValueError as error:
        raise AudioFileError("unreadable", f"{path.name} cannot be read as audio. Try WAV or FLAC.") from error
    if "error" in said:
        raise AudioFileError(said["error"], f"{path.name} cannot be used ({said['error']}). Try WAV or FLAC.")
    return said


def _decoded(path: Path, seconds: float, *options: str) -> tuple[dict[str, int], Samples]:
    """What the child process says of a file, and float32 [n, channels]."""
    with _running(path, seconds, *options) as process:
        head, rest = _answer(process, path)
    said = _said(head, path)
    samples = np.frombuffer(rest, "<f4").astype(np.float32)
    if len(samples) != said["samples"] * said["channels"]:
        raise AudioFileError("unreadable", f"{path.name} could not be read to its end. Try again.")
    return said, samples.reshape(-1, said["channels"])

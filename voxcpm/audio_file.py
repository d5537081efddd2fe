"""Reading and writing of audio files. What a file is, is found from its content, never from its name."""

from __future__ import annotations

import io
import logging
import math
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

import numpy as np
import soundfile
from numpy.typing import ArrayLike, NDArray

from voxcpm.errors import AudioError
from voxcpm.files import atomic_file
from voxcpm.wav_header import mended_wav

log = logging.getLogger(__name__)

Samples = NDArray[np.float32]
AudioSource = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO | tuple[ArrayLike, int]
"""A path, the bytes of a file, an open binary file, or (samples [n] or [n, channels], sample rate in Hz)."""

SAMPLE_RATES = (4_000, 768_000)
MOST_CHANNELS = 64
_BLOCK_VALUES = 1 << 18  # values of all channels read at a time: 1 MiB
SILENT_PEAK = 10 ** (-60 / 20)
"""Audio whose peak stays below this (-60 dB of full scale) is silence."""
_CANCELLED_ENERGY = 1e-3  # share of the channels' energy that is left when their average is useless (-30 dB)
_KNOWN_SIGNS = {
    b"ftyp": "it looks like M4A, MP4 or AAC",
    b"\x1aE\xdf\xa3": "it looks like WebM or Matroska",
    b"0&\xb2u": "it looks like WMA",
    b"#!AM": "it looks like AMR",
}


@dataclass(frozen=True)
class Finding:
    """Something that a person should know about audio or a plan. ``code`` is stable, ``message`` is for reading.

    ``values`` are the numbers (and characters) of the message by name, for whoever says it in other words.
    """

    code: str
    message: str
    severity: Literal["info", "warning"] = "info"
    values: Mapping[str, float | str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, eq=False)
class Recording:
    """Audio as read: ``samples`` float32 [n], mono (the mean of all channels), at the file's own rate in Hz.

    ``seconds`` is the length of the whole recording; ``samples`` may be a part of it that begins at
    ``start_seconds``, if reading was limited. Values may lie outside -1..1 or be NaN, as they are in the file.
    """

    samples: Samples
    sample_rate: int
    channels: int
    seconds: float
    findings: tuple[Finding, ...] = ()
    start_seconds: float = 0.0


def read_audio(source: AudioSource | Recording, *, max_seconds: float | None = None) -> Recording:
    """Read audio of any rate, width and channel count: WAV, FLAC, Ogg, MP3, AIFF and what else libsndfile knows.

    With ``max_seconds`` no more than that much is kept, and memory does not grow with the file: the part from the
    first sound on if the file is longer. Integer samples become value / full scale. WAV files whose header was never
    finished (streamed, or cut off) are read to their real end.

    Raises AudioError with the reason ``not_found``, ``unreadable``, ``empty`` (no byte), ``not_audio``,
    ``sample_rate``, ``channels``, ``shape`` or ``damaged``. A file of 0 frames gives 0 samples.
    """
    if isinstance(source, Recording):
        return source
    if isinstance(source, tuple):
        return _from_array(source)
    with _opened(source) as (file, name), _decoder(mended_wav(file), name) as sound:
        return _collect(sound, name, max_seconds)


def probe_audio(path: str | os.PathLike[str]) -> tuple[float, int, int]:
    """(seconds, sample rate in Hz, channels) as the header says, without decoding. Raises as :func:`read_audio`."""
    with _opened(path) as (file, name), _decoder(mended_wav(file), name) as sound:
        return sound.frames / sound.samplerate, sound.samplerate, sound.channels


# -- arrays ---------------------------------------------------------------------------------------------------


def _from_array(source: tuple[Any, ...]) -> Recording:
    if len(source) != 2:
        raise AudioError("shape", f"audio as a tuple is (samples, sample rate), but this one has {len(source)} parts")
    values, rate = np.asarray(source[0]), source[1]
    if isinstance(rate, bool) or not isinstance(rate, (int, float, np.integer, np.floating)) or rate != int(rate):
        raise AudioError("sample_rate", f"a sample rate of {rate!r} is not a whole number of Hz")
    if values.ndim not in (1, 2) or values.dtype.kind not in "iuf":
        raise AudioError(
            "shape",
            f"samples must be numbers of shape [n] or [n, channels], not {values.dtype} of shape {list(values.shape)}",
        )
    channels = 1 if values.ndim == 1 else values.shape[1]
    if values.ndim == 2 and values.shape[0] < channels and channels > 8:
        raise AudioError(
            "shape", f"samples of shape {list(values.shape)} look like [channels, n]; give them as [n, channels]"
        )
    _check_format(int(rate), channels, "the array")
    mono = _mean(_full_scale(values).reshape(len(values), channels))
    return Recording(mono, int(rate), channels, len(mono) / int(rate))


def _full_scale(values: NDArray[Any]) -> NDArray[Any]:
    """Integers of 1, 2 or 4 bytes as parts of their full scale; floats as they are."""
    if values.dtype.kind == "f":
        return values
    bits = 8 * values.dtype.itemsize
    offset = 1 << (bits - 1) if values.dtype.kind == "u" else 0
    return (values.astype(np.float64) - offset) / float(1 << (bits - 1))


def _mean(frames: NDArray[Any]) -> Samples:
    """[n, channels] -> float32 [n]. One channel passes through unchanged."""
    if frames.shape[1] == 1:
        return np.ascontiguousarray(frames[:, 0], dtype=np.float32)
    with np.errstate(over="ignore", invalid="ignore"):
        return frames.mean(axis=1, dtype=np.float64).astype(np.float32)


# -- files ----------------------------------------------------------------------------------------------------


@contextmanager
def _opened(source: Any) -> Iterator[tuple[BinaryIO, str]]:
    """(a seekable binary file at its start, what to call it). Files that were handed in stay open."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        yield io.BytesIO(source), "the audio data"
    elif isinstance(source, (str, os.PathLike)):
        path = Path(source)
        try:
            file: BinaryIO = path.open("rb")
        except FileNotFoundError:
            raise AudioError("not_found", f"there is no file {path}; check the name and the folder") from None
        except (OSError, ValueError) as error:
            raise AudioError(
                "unreadable", f"{path} cannot be opened ({error}); check that it is a readable file"
            ) from error
        with file:
            yield file, path.name
    elif hasattr(source, "read"):
        with _seekable(source) as file:
            yield file, "the audio file"
    else:
        raise AudioError(
            "not_audio", f"{type(source).__name__} is not audio; give a path, bytes, an open file or (samples, rate)"
        )


@contextmanager
def _seekable(source: Any) -> Iterator[BinaryIO]:
    """``source`` at its start, or a copy of what is left of a pipe, which can be read only once."""
    if isinstance(source, io.TextIOBase):
        raise AudioError("not_audio", "the file was opened as text; open it in binary mode ('rb')")
    if hasattr(source, "seek") and (not hasattr(source, "seekable") or source.seekable()):
        source.seek(0)
        yield source
        return
    with tempfile.SpooledTemporaryFile(max_size=1 << 25) as copy:
        shutil.copyfileobj(source, copy)
        copy.seek(0)
        yield cast("BinaryIO", copy)


class _Nameless(io.RawIOBase):
    """Hides a file's name, from which the decoder would otherwise take that a .raw file has no header."""

    def __init__(self, file: BinaryIO) -> None:
        super().__init__()
        self._file = file

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._file.tell()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def readinto(self, buffer: Any) -> int:
        part = self._file.read(len(buffer))
        buffer[: len(part)] = part
        return len(part)


@contextmanager
def _decoder(file: BinaryIO, name: str) -> Iterator[soundfile.SoundFile]:
    start = file.read(64)
    file.seek(0)
    if not start:
        raise AudioError("empty", f"{name} has no content; choose another file")
    try:
        sound = soundfile.SoundFile(_Nameless(file))
    except (soundfile.SoundFileError, TypeError, ValueError) as error:
        hint = next((text for sign, text in _KNOWN_SIGNS.items() if start.startswith(sign) or start[4:8] == sign), "")
        known = f"; {hint}" if hint else ""
        raise AudioError(
            "not_audio", f"{name} is not audio that can be read here{known}; convert it to WAV, FLAC, Ogg or MP3"
        ) from error
    with sound:
        _check_format(sound.samplerate, sound.channels, name)
        yield sound


def _check_format(rate: int, channels: int, name: str) -> None:
    low, high = SAMPLE_RATES
    if not low <= rate <= high:
        raise AudioError("sample_rate", f"{name} has {rate} samples a second; from {low} to {high} can be used")
    if not 1 <= channels <= MOST_CHANNELS:
        raise AudioError("channels", f"{name} has {channels} channels; from 1 to {MOST_CHANNELS} can be used")


def _collect(sound: soundfile.SoundFile, name: str, max_seconds: float | None) -> Recording:
    rate, channels = sound.samplerate, sound.channels
    most = None if max_seconds is None else max(1, math.ceil(max_seconds * rate))
    skip_silence = most is not None and sound.frames > most
    mixed = _Mix(most, skip_silence)
    # small blocks where their size decides how exactly the first sound is found
    frames = rate // 4 if skip_silence else max(1, _BLOCK_VALUES // channels)
    broken = False
    while not mixed.full:
        try:
            block = sound.read(frames, dtype="float32", always_2d=True)
        except soundfile.SoundFileError as error:
            log.debug("%s breaks off: %s", name, error)
            broken = True
            break
        if not len(block):
            break
        mixed.add(block)
    samples, seen = mixed.samples(), mixed.seen
    if broken and not len(samples):
        raise AudioError("damaged", f"{name} is damaged and no sound can be read from it; copy or record it again")
    findings = []
    if broken:
        findings.append(
            Finding(
                "damaged",
                f"{name} is damaged; only the first {seen / rate:.1f} s could be read",
                "warning",
                {"seconds": seen / rate},
            )
        )
    if mixed.cancelled:
        findings.append(
            Finding("out_of_phase", "the channels cancel each other out; the first one alone is used", "warning")
        )
    # the header's word for the length counts only where reading stopped early on purpose
    seconds = max(sound.frames, seen) / rate if mixed.full else seen / rate
    return Recording(samples, rate, channels, seconds, tuple(findings), mixed.start / rate)


class _Mix:
    """Blocks of frames gathered as mono, up to ``most`` samples."""

    def __init__(self, most: int | None, skip_silence: bool) -> None:
        self._most = most
        self._skip_silence = skip_silence
        self._mean: list[Samples] = []
        self._first: list[Samples] = []
        self._kept = 0
        self._energy_mean = self._energy_channels = 0.0
        self.seen = 0
        self.start = 0

    @property
    def full(self) -> bool:
        return self._most is not None and self._kept >= self._most

    @property
    def cancelled(self) -> bool:
        """Whether averaging destroyed the sound, as with one channel wired the wrong way round."""
        return self._energy_mean < _CANCELLED_ENERGY * self._energy_channels

    def add(self, frames: Samples) -> None:
        self.seen += len(frames)
        if self._skip_silence and np.abs(frames).max() < SILENT_PEAK:
            self.start += len(frames)
            return
        self._skip_silence = False
        if self._most is not None:
            frames = frames[: self._most - self._kept]
        self._kept += len(frames)
        mono = _mean(frames)
        self._mean.append(mono)
        if frames.shape[1] > 1:
            self._first.append(frames[:, 0].copy())
            self._energy_mean += _energy(mono)
            self._energy_channels += float(np.mean([_energy(channel) for channel in frames.T]))

    def samples(self) -> Samples:
        parts = self._first if self.cancelled else self._mean
        return np.concatenate(parts) if parts else np.zeros(0, np.float32)


def _energy(values: Samples) -> float:
    finite = values[np.isfinite(values)].astype(np.float64)
    return float(finite @ finite)


# -- writing --------------------------------------------------------------------------------------------------


def write_wav(
    path: str | os.PathLike[str], samples: ArrayLike, sample_rate: int, subtype: str = "PCM_16"
) -> tuple[Finding, ...]:
    """Write ``samples`` (float, [n] or [n, channels], full scale 1.0) as a WAV file; a reader never sees half of it.

    ``subtype`` is PCM_16, PCM_24, PCM_32, FLOAT or another of libsndfile's names for WAV. Integer formats clip what
    lies outside -1..1; the finding ``clipped`` says how many samples that were. Raises AudioError with the reason
    ``not_finite``, ``shape`` or ``unwritable``.
    """
    values = np.asarray(samples)
    if values.ndim not in (1, 2) or values.dtype.kind != "f":
        raise AudioError("shape", f"float samples [n] or [n, channels] are written, not {values.dtype} {values.shape}")
    if not np.isfinite(values).all():
        raise AudioError("not_finite", "the audio holds values that are no numbers; it was not written")
    target = Path(path)
    try:
        with atomic_file(target) as file:
            soundfile.write(file, values, int(sample_rate), format="WAV", subtype=subtype)
    except (OSError, soundfile.SoundFileError, ValueError, TypeError) as error:
        raise AudioError(
            "unwritable", f"{target} could not be written ({error}); check the folder, its free space and the format"
        ) from error
    clipped = 0 if subtype in ("FLOAT", "DOUBLE") else int(np.count_nonzero(np.abs(values) > 1.0))
    if not clipped:
        return ()
    return (Finding("clipped", f"{clipped} samples were louder than full scale and were cut off at it", "warning"),)

"""Many recordings in one file of 16-bit samples, so that training can cut pieces out of hours of sound at once.

A folder with ``samples.i16`` (mono, one recording after the other), ``index.npy`` (int64 [n, 2]: first sample and
number of samples) and, written last, ``store.json`` (``sample_rate``). Loads no torch.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt

from voxcpm.audio import resample
from voxcpm.errors import DatasetError
from voxcpm.files import write_atomically
from voxcpm.foreign_audio import read_audio

SAMPLES, INDEX, HEAD = "samples.i16", "index.npy", "store.json"
_SCALE = 32767.0


class PcmWriter:
    """Makes a store; it can be opened once the block has ended well."""

    def __init__(self, folder: Path, sample_rate: int) -> None:
        self.folder, self.sample_rate = Path(folder), sample_rate
        self.entries: list[tuple[int, int]] = []
        self._end = 0

    def __enter__(self) -> PcmWriter:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / HEAD).unlink(missing_ok=True)
        self._file = (self.folder / SAMPLES).open("wb")
        return self

    def add(self, samples: npt.NDArray[np.float32] | npt.NDArray[np.int16]) -> None:
        """One recording [n]: float32 in -1..1 or ready int16."""
        if samples.dtype != np.int16:
            samples = np.rint(samples.astype(np.float32).clip(-1.0, 1.0) * np.float32(_SCALE)).astype(np.int16)
        self._file.write(samples.astype("<i2").tobytes())
        self.entries.append((self._end, len(samples)))
        self._end += len(samples)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if kind is None:
            np.save(self.folder / INDEX, np.array(self.entries, dtype=np.int64).reshape(-1, 2))
            write_atomically(self.folder / HEAD, json.dumps({"sample_rate": self.sample_rate}).encode())


class PcmStore:
    """The recordings of a store, mapped and not read."""

    def __init__(self, folder: Path) -> None:
        folder = Path(folder)
        try:
            self.sample_rate = int(json.loads((folder / HEAD).read_text(encoding="utf-8"))["sample_rate"])
            self.index: npt.NDArray[np.int64] = np.load(folder / INDEX, allow_pickle=False)
            self._samples = np.memmap(folder / SAMPLES, dtype="<i2", mode="r")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DatasetError(f"{folder} is no whole store of recordings ({error}); make it again") from error
        if self.index.ndim != 2 or not len(self.index) or self.index.sum(axis=1).max() > len(self._samples):
            raise DatasetError(f"{folder} is cut off or empty; make it again")

    def __len__(self) -> int:
        return len(self.index)

    @property
    def seconds(self) -> float:
        """Of all recordings."""
        return float(self.index[:, 1].sum()) / self.sample_rate

    def read(self, number: int, start: int = 0, count: int | None = None) -> npt.NDArray[np.float32]:
        """Recording ``number``, or ``count`` samples of it from ``start`` on; float32 [n] in -1..1."""
        first, length = (int(value) for value in self.index[number])
        end = length if count is None else min(length, start + count)
        return self._samples[first + start : first + end].astype(np.float32) / np.float32(_SCALE)


def store_recordings(paths: Iterable[Path], folder: Path, sample_rate: int) -> PcmStore:
    """Read audio files into a new store at ``sample_rate``. Raises :class:`AudioError` for unreadable files."""
    with PcmWriter(folder, sample_rate) as writer:
        for path in paths:
            recording = read_audio(path)
            writer.add(resample(recording.samples, recording.sample_rate, sample_rate))
    return PcmStore(folder)

"""Whose voice it sounds like: the speaker embedding of Resemblyzer, run from its weights file by our own code.

The network is a d-vector encoder (GE2E): windows of 1.6 s of a 40-band mel power spectrogram at 16 kHz go through
three LSTM layers and a linear layer with ReLU; the windows' unit vectors are averaged. Only the file
``pretrained.pt`` of the package is used: its own code needs librosa and a voice detector that builds from source.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from voxcpm.audio import resample, trim_silence
from voxcpm.audio_file import Samples
from voxcpm.errors import AudioError, CheckpointError, RequestError
from voxcpm.foreign_audio import read_audio
from voxcpm.pins import check_pickle

Embedding = NDArray[np.float32]

_RATE, _FFT, _HOP, _BANDS, _SIZE, _LAYERS = 16_000, 400, 160, 40, 256, 3
_WINDOW = 160  # frames of an embedded window
_STEP = 77  # frames from window to window: 1.3 windows a second
_COVERED = 0.75  # share of the last window that must hold sound, unless it is the only one
_LOUDNESS = 10 ** (-30 / 20)  # quieter recordings are raised to this root mean square
AUDIO_SUFFIXES = (".wav", ".flac", ".ogg", ".opus", ".mp3", ".aiff", ".aif")
INSTALL = "install the weights with: pip install --no-deps Resemblyzer (or give --speaker-model FILE)"


class SpeakerEmbedder(Protocol):
    """Anything that places voices."""

    def embed(self, samples: Samples, sample_rate: int) -> Embedding:
        """Unit vector float32 [n] of the voice in float32 [m] at ``sample_rate`` Hz; all zero for silence."""
        ...


def speaker_model_file(given: Path | None) -> Path:
    """``pretrained.pt``: the one given, else that of the installed package. Raises :class:`RequestError`."""
    if given is not None:
        if not given.is_file():
            raise RequestError("speaker_model", f"there is no file {given}; {INSTALL}")
        return given
    spec = importlib.util.find_spec("resemblyzer")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        file = Path(folder) / "pretrained.pt"
        if file.is_file():
            return file
    raise RequestError("speaker_model", f"comparing voices needs a speaker embedding; {INSTALL}")


class SpeakerNetwork(nn.Module):
    """Mel windows [B, 160, 40] -> unit vectors [B, 256]."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(_BANDS, _SIZE, _LAYERS, batch_first=True)
        self.linear = nn.Linear(_SIZE, _SIZE)

    def forward(self, mel: Tensor) -> Tensor:
        """The last layer's last state, made positive and of unit length."""
        _, (hidden, _) = self.lstm(mel)
        return nn.functional.normalize(torch.relu(self.linear(hidden[-1])), dim=1)


class ResemblyzerEmbedder:
    """The published network."""

    def __init__(self, weights: Path) -> None:
        """Raises :class:`RequestError` if the file is not known (see ``voxcpm.pins``) or holds something else."""
        self._network = SpeakerNetwork().eval()
        names = set(self._network.state_dict())
        try:
            check_pickle(weights)
        except CheckpointError as error:
            raise RequestError("speaker_model", str(error)) from error
        try:
            state = torch.load(weights, map_location="cpu", weights_only=True)["model_state"]
            # The file also holds two scalars of the training loss.
            self._network.load_state_dict({name: value for name, value in state.items() if name in names})
        except Exception as error:
            raise RequestError(
                "speaker_model", f"{weights} is not Resemblyzer's network ({error}); {INSTALL}"
            ) from error
        self._filters = torch.from_numpy(mel_filters(_RATE, _FFT, _BANDS))

    def embed(self, samples: Samples, sample_rate: int) -> Embedding:
        """See :class:`SpeakerEmbedder`. Silence at the ends does not count."""
        sound = resample(np.asarray(samples, np.float32), sample_rate, _RATE)
        return self.embed_sound(trim_silence(sound, _RATE, margin_seconds=0.05))

    @torch.inference_mode()
    def embed_sound(self, sound: Samples) -> Embedding:
        """The same for sound that is at 16 kHz and trimmed already."""
        level = float(np.sqrt(np.mean(sound**2, dtype=np.float64))) if len(sound) else 0.0
        if level == 0.0:
            return np.zeros(_SIZE, np.float32)
        sound = sound * np.float32(max(1.0, _LOUDNESS / level))
        starts = window_starts(len(sound))
        padded = np.pad(sound, (0, max(0, (starts[-1] + _WINDOW) * _HOP - len(sound))))
        mel = self._mel(torch.from_numpy(padded))
        vectors = self._network(torch.stack([mel[start : start + _WINDOW] for start in starts]))
        return np.asarray(nn.functional.normalize(vectors.mean(0), dim=0).numpy(), np.float32)

    def _mel(self, sound: Tensor) -> Tensor:
        """[n] -> mel power [frames, 40]; frames are centred, with silence beyond the ends. No logarithm is taken."""
        spectrum = torch.stft(
            sound, _FFT, _HOP, window=torch.hann_window(_FFT), center=True, pad_mode="constant", return_complex=True
        )
        return (self._filters @ spectrum.abs().square()).T


def window_starts(length: int) -> list[int]:
    """First frame of every window over ``length`` samples."""
    frames = -(-(length + 1) // _HOP)
    starts = list(range(0, max(1, frames - _WINDOW + _STEP + 1), _STEP))
    if len(starts) > 1 and length - starts[-1] * _HOP < _COVERED * _WINDOW * _HOP:
        starts.pop()
    return starts


def mel_filters(rate: int, size: int, bands: int) -> NDArray[np.float32]:
    """Triangles [bands, size // 2 + 1] of unit area on Slaney's mel scale: linear to 1 kHz, logarithmic above."""
    step, knee = 200.0 / 3.0, 1000.0
    log_step = np.log(6.4) / 27.0
    top = knee / step + np.log(rate / 2 / knee) / log_step
    mel = np.linspace(0.0, top, bands + 2)
    edges = np.where(mel < knee / step, mel * step, knee * np.exp(log_step * (mel - knee / step)))
    bins = np.linspace(0.0, rate / 2, size // 2 + 1)
    rise = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    fall = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1])[:, None]
    area = 2.0 / (edges[2:] - edges[:-2])
    return np.asarray(np.maximum(0.0, np.minimum(rise, fall)) * area[:, None], np.float32)


def similarity(one: Embedding, other: Embedding) -> float:
    """Cosine of two embeddings: same voice about 0.9, other voices about 0.5; 0 with silence."""
    return float(one @ other)


class ReferenceVoices:
    """Recordings of several voices, one folder each, and which of the voices something sounds like."""

    def __init__(self, recordings: Mapping[str, Sequence[tuple[Path, Embedding]]]) -> None:
        self._recordings = recordings

    @classmethod
    def embedded(cls, folders: Mapping[str, Sequence[Path]], embedder: SpeakerEmbedder) -> ReferenceVoices:
        """Embed every recording. Raises :class:`AudioError` for one that cannot be read."""
        made: dict[str, list[tuple[Path, Embedding]]] = {}
        for name, files in folders.items():
            made[name] = []
            for file in files:
                recording = read_audio(file)
                made[name].append((file, embedder.embed(recording.samples, recording.sample_rate)))
        return cls(made)

    def similarities(self, embedding: Embedding, *, without: Path | None = None) -> dict[str, float]:
        """Likeness to every voice's mean. ``without`` leaves out the recording that was imitated, unless it is the
        only one of its voice: likeness to the voice is asked for, not to the recording."""
        found = {}
        for name, recordings in self._recordings.items():
            kept = [e for file, e in recordings if file != without] or [e for _, e in recordings]
            mean = np.mean(kept, axis=0)
            length = float(np.linalg.norm(mean))
            found[name] = similarity(embedding, np.asarray(mean / length, np.float32)) if length else 0.0
        return found

    def told_apart(self) -> tuple[int, int]:
        """(recordings whose nearest voice is their own, recordings), each judged by the others of its voice."""
        right = total = 0
        for name, recordings in self._recordings.items():
            for file, embedding in recordings if len(recordings) > 1 else ():
                total += 1
                right += nearest(self.similarities(embedding, without=file)) == name
        return right, total


def nearest(similarities: Mapping[str, float]) -> str:
    """The most similar voice; empty if nothing is similar at all, as with silence."""
    best = max(similarities, key=lambda name: similarities[name])
    return best if similarities[best] > 0.0 else ""


def voice_folders(folder: Path) -> dict[str, tuple[Path, ...]]:
    """The recordings in each subfolder, by its name. Raises :class:`RequestError` unless there are two
    voices: with one the nearest would always be right."""
    try:
        inside = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    except OSError as error:
        raise RequestError("references", f"{folder} cannot be read ({error.strerror or error})") from error
    voices = {
        path.name: tuple(f for f in sorted(path.iterdir()) if f.suffix.lower() in AUDIO_SUFFIXES) for path in inside
    }
    empty = [name for name, files in voices.items() if not files]
    if len(voices) < 2 or empty:
        where = f"{folder / empty[0]} has no recording" if empty else f"{folder} has fewer than two subfolders"
        raise RequestError("references", f"{where}; make a folder for every voice, with recordings of it inside")
    return voices


def check_readable(voices: Mapping[str, Sequence[Path]]) -> None:
    """Raise :class:`RequestError` naming the first recording that cannot be read."""
    for files in voices.values():
        for file in files:
            try:
                read_audio(file, max_seconds=1.0)
            except AudioError as error:
                raise RequestError("references", f"{file}: {error}") from error

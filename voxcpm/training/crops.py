"""Short pieces of recordings for training a codec; which ones depends on the seed and the step alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from voxcpm.audio import resample
from voxcpm.config import AudioVAEConfig
from voxcpm.errors import DatasetError
from voxcpm.training.codec_options import CodecOptions
from voxcpm.training.pcm_store import PcmStore
from voxcpm.training.seeds import generator_for, mixed_seed

VALIDATION_SECONDS = 4.0
_LEAST_ITEMS = 2


class Crops:
    """Batches of a store. Its last recordings are for validation and never trained on."""

    def __init__(self, store: PcmStore, config: AudioVAEConfig, options: CodecOptions) -> None:
        if store.sample_rate != config.output_rate:
            raise DatasetError(
                f"the recordings have {store.sample_rate} samples a second, the codec puts out {config.output_rate}; "
                "make the store again at that rate"
            )
        if len(store) < _LEAST_ITEMS:
            raise DatasetError(f"{len(store)} recordings are too few: one is needed to learn from and one to judge by")
        self.store, self.config, self.options = store, config, options
        self.judged = min(options.validation_items, len(store) // 2)
        self._ends = store.index[: len(store) - self.judged, 1].cumsum()
        self.frames = max(1, round(options.crop_seconds * config.output_rate / config.output_hop))

    def batch(self, step: int) -> tuple[Tensor, Tensor, Tensor]:
        """Of step 1, 2, ...: what the encoder hears [B, n], what the decoder shall say [B, m], noise [B, D, frames]."""
        options = self.options
        draw = np.random.default_rng(mixed_seed(options.seed, "draws", step))
        count = self.frames * self.config.output_hop
        pieces = np.zeros((options.batch_size, count), dtype=np.float32)
        places = draw.integers(int(self._ends[-1]), size=options.batch_size)
        for row, number in zip(pieces, np.searchsorted(self._ends, places, side="right"), strict=True):
            start = int(draw.integers(max(1, int(self.store.index[number, 1]) - count + 1)))
            found = self.store.read(int(number), start, count)
            row[: len(found)] = found
        shape = (options.batch_size, self.config.latent_dim, self.frames)
        noise = torch.randn(shape, generator=generator_for(options.seed, "draws", step))
        return *self._pair(pieces), noise

    def validation(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Beginnings of the kept recordings, in whole frames: for the encoder [1, n] and from the decoder [1, m]."""
        hop = self.config.output_hop
        for number in range(len(self.store) - self.judged, len(self.store)):
            found = self.store.read(number, 0, round(VALIDATION_SECONDS * self.store.sample_rate))
            yield self._pair(np.pad(found, (0, -len(found) % hop))[None])

    def _pair(self, pieces: np.ndarray) -> tuple[Tensor, Tensor]:
        config = self.config
        if config.sample_rate == config.output_rate:
            wave = torch.from_numpy(pieces)
            return wave, wave
        count = pieces.shape[1] // config.output_hop * config.hop
        heard = np.zeros((len(pieces), count), dtype=np.float32)
        for row, piece in zip(heard, pieces, strict=True):
            found = resample(piece, config.output_rate, config.sample_rate)[:count]
            row[: len(found)] = found
        return torch.from_numpy(heard), torch.from_numpy(pieces)

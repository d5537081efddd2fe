"""Encode a store of speech with a model folder's codec into a store of latents (see latent_store.py)."""

from __future__ import annotations

import argparse
import json
import logging
import shutil
from pathlib import Path

import numpy as np
import torch

from voxcpm.checkpoint import CheckpointFiles, load_vae, read_tensors
from voxcpm.config import VoxCPMConfig
from voxcpm.training.latents import codec_identity
from voxcpm.training.pcm_store import PcmStore

logger = logging.getLogger("encode")
SORTED_AT_A_TIME = 512
BATCH_SECONDS = 4.0


@torch.inference_mode()
def main() -> None:
    """See the top of this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("speech", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--compile", action="store_true", help="faster after a minute; needs a C++ compiler")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    torch.set_num_threads(options.threads)
    config = VoxCPMConfig.from_file(options.model)
    vae = load_vae(config, read_tensors(CheckpointFiles.locate(options.model).vae), device=torch.device("cpu"))
    if options.compile:
        vae.encoder.compile(dynamic=True)
    store = PcmStore(options.speech)
    if store.sample_rate != config.audio_vae_config.sample_rate:
        raise SystemExit(
            f"the speech has {store.sample_rate} samples a second, the codec hears {vae.config.sample_rate}"
        )
    step = config.patch_size * config.audio_vae_config.hop
    counts = -(-store.index[:, 1] // step)
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / "latents.json").unlink(missing_ok=True)
    with (options.folder / "latents.f16").open("wb") as file:
        for start in range(0, len(store), SORTED_AT_A_TIME):
            numbers = range(start, min(start + SORTED_AT_A_TIME, len(store)))
            found: dict[int, np.ndarray] = {}
            batch: list[int] = []
            for number in sorted(numbers, key=lambda n: counts[n]):
                if batch and (len(batch) + 1) * counts[number] * step > BATCH_SECONDS * store.sample_rate:
                    found |= encoded(vae, store, batch, counts, step)
                    batch = []
                batch.append(number)
            found |= encoded(vae, store, batch, counts, step)
            for number in numbers:
                file.write(found[number].astype(np.float16).tobytes())
            if start // SORTED_AT_A_TIME % 10 == 0:
                logger.info("%d of %d", start, len(store))
    np.save(options.folder / "index.npy", np.stack((counts.cumsum() - counts, counts), axis=1))
    shutil.copyfile(options.speech / "items.jsonl", options.folder / "items.jsonl")
    head = {
        "patch_size": config.patch_size,
        "latent_dim": config.feat_dim,
        "frame_seconds": config.patch_seconds / config.patch_size,
        "codec": codec_identity(vae),
    }
    (options.folder / "latents.json").write_text(json.dumps(head), encoding="utf-8")
    logger.info("%d recordings, %d patches", len(store), counts.sum())


def encoded(vae, store: PcmStore, batch: list[int], counts: np.ndarray, step: int) -> dict[int, np.ndarray]:
    """Latents [n * P, D] of several recordings at once; the encoder looks back only, so the padding changes nothing."""
    wave = np.zeros((len(batch), int(counts[batch].max()) * step), dtype=np.float32)
    for row, number in zip(wave, batch, strict=True):
        samples = store.read(number)
        row[: len(samples)] = samples
    latents = vae.encode(torch.from_numpy(wave)).transpose(1, 2).numpy()
    frames = step // vae.config.hop
    return {number: row[: counts[number] * frames] for row, number in zip(latents, batch, strict=True)}


if __name__ == "__main__":
    main()

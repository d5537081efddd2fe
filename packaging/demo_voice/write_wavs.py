"""The 40 test sentences as WAV files with a list.jsonl for transcribe.py: as flite speaks them, or through a codec."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import soundfile
import torch
from flite import RATE, Flite, trimmed
from make_texts import test_sentences

from voxcpm.training.codec import averaged_codec
from voxcpm.vae.audio_vae import AudioVAE


def main() -> None:
    """See the top of this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--voices", nargs="+", default=["slt", "rms", "awb", "kal16"])
    parser.add_argument("--run", type=Path, help="a codec's run: its newest checkpoint decodes")
    parser.add_argument("--each", type=int, default=1, help="only every n-th sentence")
    options = parser.parse_args()
    torch.set_num_threads(1)
    vae = averaged_codec(options.run)[0] if options.run is not None else None
    options.folder.mkdir(parents=True, exist_ok=True)
    flite = Flite()
    with (options.folder / "list.jsonl").open("w", encoding="utf-8") as file:
        for number, (category, text) in enumerate(test_sentences()[:: options.each]):
            for voice in options.voices:
                wave, _ = trimmed(flite.speak(text, voice)[0])
                name = f"{voice}-{number:02}.wav"
                soundfile.write(options.folder / name, wave if vae is None else decoded(vae, wave), RATE)
                file.write(json.dumps({"audio": name, "text": text, "voice": voice, "category": category}) + "\n")


def decoded(vae: AudioVAE, wave: np.ndarray) -> np.ndarray:
    """Through the latents and back."""
    return vae.decode(vae.encode(torch.from_numpy(wave)[None]))[0].numpy()[: len(wave)]


if __name__ == "__main__":
    main()

"""Recordings of every flite voice in a subfolder of its own, as references for ``voxcpm evaluate --references``."""

from __future__ import annotations

import argparse
from pathlib import Path

import soundfile
from flite import RATE, Flite, trimmed

SENTENCES = (
    "The bakery on the corner opens before the sun comes up, and closes at noon.",
    "She folded the letter twice and left it under the blue lamp.",
    "Most of the passengers were asleep when the ferry reached the island.",
    "He has been mending clocks in the same small shop for thirty years.",
    "Please put the heavy boxes near the door, and the light ones upstairs.",
    "After the concert we walked home along the river without saying much.",
)


def main() -> None:
    """See the top of this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--voices", nargs="+", default=["slt", "rms", "awb", "kal16"])
    options = parser.parse_args()
    flite = Flite()
    for voice in options.voices:
        (options.folder / voice).mkdir(parents=True, exist_ok=True)
        for number, text in enumerate(SENTENCES, 1):
            wave, _ = trimmed(flite.speak(text, voice)[0])
            soundfile.write(options.folder / voice / f"{number:03d}.wav", wave, RATE, subtype="PCM_16")


if __name__ == "__main__":
    main()

"""Speak texts.jsonl with the flite voices: several paces and pitches, a description of each, all from one seed.

Writes a store of recordings (samples.i16, index.npy, store.json) and items.jsonl: one line a recording with ``text``,
``kind``, ``voice``, ``pace``, ``pitch``, ``description``, ``phones`` (their names, in a string) and ``ends`` (the
millisecond each of them ends at). A voice that is named twice gets twice the share. No text comes twice before
all have come; the second time another voice speaks it.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from descriptions import describe
from flite import F0, RATE, Flite, trimmed

from voxcpm.training.pcm_store import PcmWriter

STRETCHES = {"fast": 0.85, "normal": 1.0, "slow": 1.15}
PITCH_JITTER = 0.03
KINDS_LATE = 4.0
"""Definitions are spread over this many times the span of the other texts: sentences come first."""
logger = logging.getLogger("speech")


def plan(texts: list[dict[str, str]], voices: list[str], count: int, seed: int) -> Iterator[dict[str, Any]]:
    """What to speak, item by item."""
    draw = random.Random(seed)
    order = sorted(
        range(len(texts)), key=lambda i: draw.random() * (KINDS_LATE if texts[i]["kind"] == "definition" else 1.0)
    )
    for number in range(count):
        place, turn = number % len(order), number // len(order)
        voice = voices[(place + turn) % len(voices)]
        pace = draw.choice(("fast", "normal", "normal", "slow"))
        pitch = draw.choice(("low", "normal", "normal", "normal", "high")) if voice in F0 else "normal"
        f0 = F0[voice][pitch] * (1 + PITCH_JITTER * draw.uniform(-1, 1)) if pitch != "normal" else None
        yield {
            **texts[order[place]], "voice": voice, "pace": pace, "pitch": pitch, "f0": f0,
            "description": describe(voice, pace, pitch, draw),
        }  # fmt: skip


_flite: Flite | None = None


def speak(item: dict[str, Any]) -> tuple[np.ndarray, dict[str, Any]]:
    """float32 [n], trimmed, and the item with its phones."""
    global _flite
    if _flite is None:
        _flite = Flite()
    samples, phones = _flite.speak(item["text"], item["voice"], STRETCHES[item["pace"]], item["f0"])
    wave, earlier = trimmed(samples)
    spoken = {key: value for key, value in item.items() if key != "f0"}
    spoken["phones"] = " ".join(name for name, _ in phones)
    spoken["ends"] = [max(0, round(1000 * (end - earlier))) for _, end in phones]
    return wave, spoken


def main() -> None:
    """See the top of this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path, help="texts.jsonl")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=90_000)
    parser.add_argument("--voices", nargs="+", default=["slt", "rms", "awb"])
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    texts = [json.loads(line) for line in options.texts.read_text(encoding="utf-8").splitlines()]
    items = list(plan(texts, options.voices, options.count, options.seed))
    options.folder.mkdir(parents=True, exist_ok=True)
    seconds = 0.0
    with (
        (options.folder / "items.jsonl").open("w", encoding="utf-8") as file,
        PcmWriter(options.folder, RATE) as writer,
        get_context("spawn").Pool(options.processes) as pool,
    ):
        for number, (wave, spoken) in enumerate(pool.imap(speak, items, chunksize=64), 1):
            writer.add(wave)
            file.write(json.dumps(spoken) + "\n")
            seconds += len(wave) / RATE
            if number % 5000 == 0:
                logger.info("%d of %d, %.1f hours", number, len(items), seconds / 3600)
    logger.info("%d recordings, %.2f hours", len(items), seconds / 3600)


if __name__ == "__main__":
    main()

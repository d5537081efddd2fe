"""A store of speech as FLAC files and manifests for ``voxcpm train``: half with a description, some with a reference.

Writes audio/*.flac, train.jsonl and validation.jsonl (the last recordings) into the given folder.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import soundfile
from latent_store import DESCRIBED, REFERENCED

from voxcpm.training.pcm_store import PcmStore

LABELS = {"source": "flite speaking WordNet texts", "licence": "CMU flite; WordNet 3.0", "domain": "wordnet"}


def main() -> None:
    """See the top of this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("speech", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--validation", type=int, default=100)
    parser.add_argument("--seed", type=int, default=4)
    options = parser.parse_args()
    store, draw = PcmStore(options.speech), random.Random(options.seed)
    lines = (options.speech / "items.jsonl").read_text(encoding="utf-8").splitlines()
    items = [json.loads(line) for line in lines[: min(options.count, len(store))]]
    (options.folder / "audio").mkdir(parents=True, exist_ok=True)
    for number in range(len(items)):
        soundfile.write(options.folder / name(number), store.read(number), store.sample_rate, subtype="PCM_16")
    first_judged = len(items) - options.validation
    for file, numbers in (
        ("train.jsonl", range(first_judged)),
        ("validation.jsonl", range(first_judged, len(items))),
    ):
        pools: dict[tuple[str, str], list[int]] = {}  # each manifest takes its references from its own recordings
        for number in numbers:
            pools.setdefault((items[number]["voice"], items[number]["pitch"]), []).append(number)
        with (options.folder / file).open("w", encoding="utf-8") as stream:
            for number in numbers:
                stream.write(json.dumps(line_of(number, items[number], pools, draw)) + "\n")


def name(number: int) -> str:
    """Path of a recording in the folder."""
    return f"audio/{number:06}.flac"


def line_of(number: int, item: dict[str, str], pools: dict[tuple[str, str], list[int]], draw: random.Random) -> dict:
    """Its line of the manifest."""
    line = {"audio": name(number), "text": item["text"], "voice": f"flite {item['voice']}", **LABELS}
    choice = draw.random()
    if choice < DESCRIBED:
        line["text"] = f"({item['description']}){item['text']}"
    elif choice < DESCRIBED + REFERENCED:
        reference = draw.choice(pools[item["voice"], item["pitch"]])
        if reference != number:
            line["ref_audio"] = name(reference)
    return line


if __name__ == "__main__":
    main()

"""``python -m tests.marks_report --detection``: how often the watermark is found, and how often where there is none.

Pieces are spoken by flite in three voices from the words of the test sentences, each another one. Marked ones are
looked at as they are, after MP3 at 64 kbit/s (by ffmpeg) and after resampling to what other programs use; every format
of export is read back through ``verify``. Unmarked ones are looked at as they are.
"""

from __future__ import annotations

import random
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import soxr

from app.marks.choice import MarkTools, Origin
from app.marks.export import export_audio
from app.marks.identity import make_secret
from app.marks.verify import verify
from app.marks.watermark import PRESENT, PerthWatermark, overall

RATES = (44100, 24000, 16000)
SUFFIXES = ("wav", "flac", "mp3", "opus")
AIMS = {"as it is": 0.99, "MP3 64 kbit/s": 0.95} | {f"resampled to {rate} Hz": 0.95 for rate in RATES}
MOST_FALSE = 0.001
Speak = Callable[[str, str, Path], np.ndarray]


def texts(words: list[str], count: int, seed: int) -> list[str]:
    """Different texts of five to nine words."""
    rng = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        found[" ".join(rng.choices(words, k=rng.randint(5, 9))).capitalize() + "."] = None
    return list(found)


def through_mp3(samples: np.ndarray, rate: int, folder: Path) -> tuple[np.ndarray, int]:
    """As it comes out of an MP3 of 64 kbit/s."""
    soundfile.write(folder / "before.wav", samples, rate, subtype="PCM_24")
    command = ["ffmpeg", "-v", "error", "-y", "-i", "before.wav", "-b:a", "64k", "between.mp3"]
    subprocess.run(command, cwd=folder, check=True)
    heard, heard_rate = soundfile.read(folder / "between.mp3", dtype="float32")
    return heard, heard_rate


def measure(
    words: list[str], voices: tuple[str, ...], rate: int, speak: Speak, marked: int, unmarked: int
) -> dict[str, Any]:
    """Carry it out; returns what was found. ``speak`` gives float32 [n] at ``rate`` Hz."""
    network = PerthWatermark()
    network._torch.set_num_threads(1)
    spoken = texts(words, marked + unmarked, 1)
    scores: dict[str, list[float]] = {name: [] for name in (*AIMS, "unmarked")}
    seconds = {"marked": 0.0, "unmarked": 0.0}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for number, text in enumerate(spoken):
            samples = speak(text, voices[number % len(voices)], folder)
            kind = "marked" if number < marked else "unmarked"
            seconds[kind] += len(samples) / rate
            if kind == "unmarked":
                scores["unmarked"].append(_score(network, samples, rate))
                continue
            sound = network.embed(samples, rate)
            scores["as it is"].append(_score(network, sound, rate))
            scores["MP3 64 kbit/s"].append(_score(network, *through_mp3(sound, rate, folder)))
            for other in RATES:
                resampled = np.asarray(soxr.resample(sound, rate, other), np.float32)
                scores[f"resampled to {other} Hz"].append(_score(network, resampled, other))
        formats = _read_back(network, speak(spoken[0], voices[0], folder), rate, folder)
    found = {name: sum(score >= PRESENT for score in values) / len(values) for name, values in scores.items() if values}
    reached = all(found[name] >= aim for name, aim in AIMS.items() if name in found)
    return {
        "pieces": {"marked": marked, "unmarked": unmarked},
        "seconds": {name: round(value) for name, value in seconds.items()},
        "found": found,
        "lowest_score": {name: min(values) for name, values in scores.items() if values and name != "unmarked"},
        "highest_score_unmarked": max(scores["unmarked"], default=None),
        "formats_read_back": formats,
        "reached": reached and found.get("unmarked", 0.0) <= MOST_FALSE and all(formats.values()),
    }


def _score(network: PerthWatermark, samples: np.ndarray, rate: int) -> float:
    return overall(network.score(samples, rate)) or 0.0


def _read_back(network: PerthWatermark, samples: np.ndarray, rate: int, folder: Path) -> dict[str, bool]:
    """Whether each format of export has every mark that it can carry."""
    secret = make_secret()
    tools = MarkTools(lambda name, make: secret, lambda: network)
    found = {}
    for suffix in SUFFIXES:
        path = folder / f"out.{suffix}"
        export_audio(samples, rate, path, origin=Origin(), tools=tools)
        seen = verify(path, network)
        labelled = seen.label is not None and seen.label.covers == "sound"
        signed = seen.credentials.intact or suffix == "opus"
        found[suffix] = labelled and signed and seen.watermark is not None and seen.watermark.present
    return found

"""``python -m tests.marks_report --count 100 --out FILE``: is the watermark found, and what does it cost the ear?

Sentences are spoken by flite (Debian package flite) in three voices, exported with and without the watermark, read
back, and heard by the offline recogniser of ``voxcpm evaluate``. Printed: how sure the detector is of marked and of
unmarked files, the level of the difference, how far third-octave levels move, and the words before and after, with
the words of a harmless change (1 dB softer) beside them. With ``--detection`` only the detector is tried, on more and
shorter pieces, see ``tests.marks_detection``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import soxr

from app.marks.choice import MarkChoice, MarkTools, Origin
from app.marks.export import export_audio
from app.marks.identity import make_secret
from app.marks.watermark import PRESENT, STRENGTH, PerthWatermark, overall
from tests import marks_detection
from voxcpm.evaluation.recogniser import WhisperRecogniser, recogniser_folder
from voxcpm.evaluation.sentences import read_sentences
from voxcpm.evaluation.wording import TextNormaliser, align

SENTENCES = Path(__file__).parents[1] / "packaging" / "demo_voice" / "test_sentences.txt"
VOICES = ("slt", "rms", "awb")
RATE = 48000
SUFFIXES = ("wav", "flac", "mp3", "opus")
BANDS = [100 * 2 ** (number / 3) for number in range(20)]  # third octaves, 100 Hz to 8 kHz


def spoken(text: str, voice: str, folder: Path) -> np.ndarray:
    """Speak with flite; float32 [n] at 48 kHz, as a model's take would be."""
    path = folder / "spoken.wav"
    subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(path)], check=True)
    samples, rate = soundfile.read(path, dtype="float32")
    return np.asarray(soxr.resample(samples, rate, RATE), np.float32)


def band_levels(samples: np.ndarray) -> np.ndarray:
    """Levels [frames, bands] in dB of third octaves over 40 ms; NaN where it is 50 dB below the loudest."""
    size = RATE // 25
    frames = samples[: len(samples) // size * size].reshape(-1, size) * np.hanning(size)
    power = np.abs(np.fft.rfft(frames)) ** 2
    at = np.fft.rfftfreq(size, 1 / RATE)
    bands = [power[:, (at >= low) & (at < high)].sum(axis=1) for low, high in itertools.pairwise(BANDS)]
    levels = 10 * np.log10(np.stack(bands, axis=1) + 1e-12)
    return np.where(levels > levels.max() - 50, levels, np.nan)


def spread(values: Sequence[float]) -> dict[str, float]:
    """Lowest, middle and highest."""
    return {"min": float(np.min(values)), "median": float(np.median(values)), "max": float(np.max(values))}


def measure(count: int, threads: int, recogniser: Path | None, strength: float) -> dict[str, Any]:
    """Carry it all out; returns what was measured."""
    network = PerthWatermark(strength=strength)
    network._torch.set_num_threads(threads)
    secret = make_secret()
    tools = MarkTools(lambda name, make: secret, lambda: network)
    bare = MarkChoice(frozenset({"watermark"}), "measured without")
    listener = WhisperRecogniser(recogniser_folder(recogniser), threads=threads)
    normaliser = TextNormaliser()
    sentences = read_sentences(SENTENCES)
    scores: dict[str, list[float]] = {suffix: [] for suffix in (*SUFFIXES, "unmarked")}
    readings_of = ("before", "after", "control")
    errors, changed, words = dict.fromkeys(readings_of, 0), dict.fromkeys(readings_of[1:], 0), 0
    difference, moved, seconds, embedding = [], [], 0.0, 0.0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for number in range(count):
            text = sentences[number % len(sentences)].text
            samples = spoken(text, VOICES[number % len(VOICES)], folder)
            export_audio(samples, RATE, folder / "bare.wav", origin=Origin(), tools=tools, choice=bare, overwrite=True)
            for suffix in SUFFIXES:
                path = folder / f"marked.{suffix}"
                export_audio(samples, RATE, path, origin=Origin(), tools=tools, overwrite=True)
                heard, rate = soundfile.read(path, dtype="float32")
                scores[suffix].append(overall(network.score(heard, rate)) or 0.0)
            before, _ = soundfile.read(folder / "bare.wav", dtype="float32")
            after, _ = soundfile.read(folder / "marked.wav", dtype="float32")
            scores["unmarked"].append(overall(network.score(before, RATE)) or 0.0)
            difference.append(10 * np.log10(np.sum((after - before) ** 2) / np.sum(before**2)))
            shift = np.abs(band_levels(after) - band_levels(before))
            moved.append(float(np.nanmean(shift)))
            start = time.perf_counter()
            network.embed(samples, RATE)
            embedding += time.perf_counter() - start
            seconds += len(samples) / RATE
            said = normaliser.words(text)
            readings = {}
            # The control is what nobody would call harm: the sound 1 dB softer. Recognisers hesitate over less.
            for name, sound in zip(readings_of, (before, after, 0.891 * before), strict=True):
                readings[name] = normaliser.words(listener.transcribe(sound, RATE))
                errors[name] += align(said, readings[name]).errors
            words += len(said)
            for name in changed:
                changed[name] += readings["before"] != readings[name]
    return {
        "utterances": count,
        "strength": strength,
        "seconds": seconds,
        "voices": list(VOICES),
        "recogniser": listener.identity,
        "score": {name: spread(values) for name, values in scores.items()},
        "found": {name: sum(value >= PRESENT for value in values) for name, values in scores.items()},
        "difference_db": spread(difference),
        "third_octave_change_db": spread(moved),
        "words": words,
        "word_errors": errors,
        "readings_changed": changed,
        "embedding_times_real_time": seconds / embedding,
        "threads": threads,
    }


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="utterances (default 100)")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--strength", type=float, default=STRENGTH, help=f"of the watermark (default {STRENGTH})")
    parser.add_argument("--recogniser", type=Path, help="folder of a Whisper model in CTranslate2 format")
    parser.add_argument("--out", type=Path, help="write the figures as JSON")
    parser.add_argument("--detection", action="store_true", help="count what is found and what is taken for marked")
    parser.add_argument("--unmarked", type=int, default=1000, help="unmarked pieces with --detection (default 1000)")
    options = parser.parse_args()
    if options.detection:
        words = [word for sentence in read_sentences(SENTENCES) for word in re.findall(r"[A-Za-z]+", sentence.text)]
        report = marks_detection.measure(words, VOICES, RATE, spoken, options.count, options.unmarked)
    else:
        report = measure(options.count, options.threads, options.recogniser, options.strength)
    text = json.dumps(report, indent=2) + "\n"
    sys.stdout.write(text)
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    return 0 if report.get("reached", True) else 1


if __name__ == "__main__":
    sys.exit(main())

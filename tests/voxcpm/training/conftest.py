"""Little training data made of tones, options that suit the tiny checkpoint, and what a run left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
import torch
from safetensors.torch import load_file

from tests.voxcpm.conftest import checkpoint
from voxcpm.lora import WEIGHTS
from voxcpm.training.options import TrainOptions
from voxcpm.training.runs import RunFolder
from voxcpm.training.trainer import train

WEIGHT_FILES = {"lora": WEIGHTS, "full": "model.safetensors"}
TEXTS = (
    "Hello world",
    "How are you today?",
    "Good evening all",
    "The last train leaves at ten",
    "One two three",
    "Open the door please",
    "你好 world",
    "Nobody waits on the platform",
)


def tone(path: Path, number: int, seconds: float, rate: int = 16_000) -> None:
    """A steady tone of its own pitch (a whole number of periods per latent frame: easy to learn)."""
    times = np.arange(round(seconds * rate)) / rate
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, (0.4 * np.sin(2 * np.pi * (125 + 75 * number) * times)).astype(np.float32), rate)


def make_lines(folder: Path, count: int, **extra: Any) -> list[dict[str, Any]]:
    """``count`` recordings in ``folder`` and a manifest line for each."""
    lines = []
    for number in range(count):
        tone(folder / "audio" / f"{number}.wav", number, 0.5 + 0.1 * (number % 4))
        text = TEXTS[number % len(TEXTS)] + (f" {number}" if number >= len(TEXTS) else "")
        lines.append({"audio": f"audio/{number}.wav", "text": text, "voice": f"voice-{number}", **extra})
    return lines


def write_lines(path: Path, lines: list[Any]) -> Path:
    """A manifest of objects, or of lines as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines), encoding="utf-8")
    return path


def make_data(folder: Path, count: int, **extra: Any) -> Path:
    """A manifest with its recordings."""
    return write_lines(folder / "data.jsonl", make_lines(folder, count, **extra))


def tiny_options(data: Path, **changes: Any) -> TrainOptions:
    """Options for a short run on the CPU."""
    values: dict[str, Any] = {
        "model": str(checkpoint("tiny-v2")),
        "data": str(data),
        "steps": 6,
        "warmup_steps": 2,
        "batch_size": 2,
        "learning_rate": 1e-2,
        "precision": "float32",
        "device": "cpu",
        "threads": 1,
        "rank": 4,
        "alpha": 8.0,
        **changes,
    }
    return TrainOptions(**values)


def steps_of(folder: Path) -> list[dict[str, Any]]:
    """The log's steps without what differs from run to run."""
    events = [event for event in RunFolder(folder).log() if event["event"] == "step"]
    return [{key: value for key, value in event.items() if key != "seconds"} for event in events]


def notes(options: TrainOptions, folder: Path, **how: Any) -> list[str]:
    """What is told to people in a run."""
    said: list[str] = []
    train(options, folder, listener=lambda e: said.append(e["message"]) if e["event"] == "note" else None, **how)
    return said


def same_weights(first: Path, second: Path) -> bool:
    one, two = load_file(first), load_file(second)
    return one.keys() == two.keys() and all(torch.equal(one[key], two[key]) for key in one)


def command_of(options: TrainOptions, run: Path) -> list[str]:
    """The words of ``train`` for these options."""
    command = ["train", "--out", str(run)]
    default = TrainOptions("", "")
    for key, value in options.to_dict().items():
        if value != getattr(default, key) and not isinstance(value, bool | list):
            command += ["--" + key.replace("_", "-"), str(value)]
    return command

"""Train the demo model on a store of latents, go on with a run, or export one.

    train_model.py --model BASE --data LATENTS --out RUN [options]      start
    train_model.py --resume RUN                                         go on, with the options it was started with
    train_model.py --run RUN --export DIR                               write a model folder from the best checkpoint

SIGTERM, Ctrl+C and --minutes end a run after the step at hand, with a checkpoint. RUN/log.jsonl has every step and
validation: ``text_gap`` near 0 means that the text is not used yet.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import logging
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from demo_export import export_run
from demo_training import DemoOptions, DemoTrainer

from voxcpm.errors import RequestError, VoxCPMError
from voxcpm.training.cli import Asked, add_field
from voxcpm.training.runs import RunFolder
from voxcpm.training.trainer import train

OFFERED = (
    "steps", "learning_rate", "warmup_steps", "final_rate", "beta2", "weight_decay", "clip", "batch_size",
    "batch_tokens", "max_tokens", "accumulate", "stop_weight", "phone_weight", "history_noise", "optimizer",
    "average", "judged", "seed", "device", "precision", "threads", "save_every", "keep", "validate_every",
)  # fmt: skip
SHOWN_EVERY = 25


def parser() -> argparse.ArgumentParser:
    """All options; those of the training are fields of :class:`DemoOptions`."""
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    start = top.add_mutually_exclusive_group(required=True)
    start.add_argument("--out", type=Path, help="a new folder for the run")
    start.add_argument("--resume", type=Path, help="go on with the run in this folder")
    start.add_argument("--run", type=Path, help="only export the run in this folder")
    top.add_argument("--model", type=Path, help="model folder to start from (make_base.py)")
    top.add_argument("--data", type=Path, help="store of latents (encode_speech.py)")
    top.add_argument("--sample", action="append", help="text to speak at every validation")
    top.add_argument("--minutes", type=float, help="stop after so long, with a checkpoint")
    top.add_argument("--export", type=Path, help="model folder to write at the end, or at a stop")
    for field in dataclasses.fields(DemoOptions):
        if field.name in OFFERED:
            add_field(top, field)
    return top


def chosen_options(given: argparse.Namespace) -> DemoOptions:
    """For a new run, or those of the run to resume. Raises :class:`RequestError`."""
    values: dict[str, Any] = {n: getattr(given, n) for n in OFFERED if getattr(given, n) is not None}
    for name in ("model", "data"):
        if getattr(given, name) is not None:
            values[name] = str(getattr(given, name).resolve())
    if given.sample:
        values["samples"] = tuple(given.sample)
    if given.resume is not None:
        if values:
            raise RequestError("resume", f"a run goes on with its own options; leave out {', '.join(values)}")
        return DemoOptions.from_dict(RunFolder(given.resume).read_choices()["options"])
    for name in ("model", "data"):
        if name not in values:
            raise RequestError(name, f"is missing; give --{name}, or --resume with the folder of a run")
    return DemoOptions(**values)


def until(minutes: float | None, asked: Callable[[], bool]) -> Callable[[], bool]:
    """Whether to stop: asked to, or the time is over."""
    end = float("inf") if minutes is None else time.monotonic() + 60 * minutes
    return lambda: asked() or time.monotonic() >= end


def show(event: dict[str, Any]) -> None:
    """Every event but most steps, as a line of JSON."""
    if event["event"] != "step" or event["step"] % SHOWN_EVERY == 0 or event["step"] == 1:
        rounded = {key: round(value, 4) if isinstance(value, float) else value for key, value in event.items()}
        print(json.dumps(rounded, ensure_ascii=False), flush=True)


def run(argv: Sequence[str]) -> int:
    """Carry out what is asked; returns the exit status."""
    top = parser()
    given = top.parse_args(argv)
    if given.run is not None and given.export is None:
        top.error("--run needs --export")
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s")
    try:
        folder = given.run
        if folder is None:
            options = chosen_options(given)
            folder = given.resume or given.out
            with Asked() as asked:
                stopping = until(given.minutes, asked)
                outcome = train(
                    options, folder, resume=given.resume is not None, listener=show, stopping=stopping, kind=DemoTrainer
                )
            show({"event": "end", **dataclasses.asdict(outcome), "result": str(outcome.result or "")})
        if given.export is not None:
            show({"event": "exported", "step": export_run(folder, given.export), "folder": str(given.export)})
    except (VoxCPMError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))

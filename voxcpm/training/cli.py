"""``voxcpm prepare`` and ``voxcpm train``."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import logging
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voxcpm import terminal
from voxcpm.errors import RequestError
from voxcpm.training.options import MODES, PRECISIONS, TrainOptions

if TYPE_CHECKING:
    from voxcpm.training.latents import LatentCache

_HELP = {
    "validation": "manifest to judge by; never learned from",
    "cache": "folder of kept latents (default: .latents beside the manifest)",
    "mode": "lora (small file, less memory) or full (all weights)",
    "learning_rate": "default 1e-4 for lora, 1e-5 for full",
    "final_rate": "share of the learning rate left at the end",
    "beta2": "second beta of AdamW",
    "clip": "longest gradient; 0 for no limit",
    "batch_size": "most sentences in a batch",
    "batch_tokens": "most positions in a batch, padding included",
    "max_tokens": "longest sentence in positions; longer ones are left out",
    "accumulate": "batches per step and process",
    "recompute": "far less memory for a third more work",
    "threads": "processor threads (default: torch's choice)",
    "rank": "rank of the adapters",
    "alpha": "strength of the adapters over their rank",
    "dropout": "dropout on the adapters' output",
    "keep": "checkpoints kept besides the best one",
    "patience": "validations without a better result after which training ends; 0 never",
    "tensorboard": "write curves for TensorBoard besides (needs: pip install 'voxcpm-studio[tensorboard]')",
    "precision": "bfloat16 computes under autocast",
}


def run(argv: Sequence[str]) -> int:
    """Carry out ``prepare ...`` or ``train ...`` and return the exit code."""
    options = build_parser().parse_args(list(argv))
    level = logging.INFO if options.verbose else logging.WARNING
    logging.basicConfig(level=level, format="%(levelname)s: %(message)s")
    try:
        return _prepare(options) if options.command == "prepare" else _train(options)
    except (Exception, KeyboardInterrupt) as error:
        from voxcpm.cli import report_failure

        return report_failure(error, as_json=options.json, verbose=options.verbose)


def build_parser() -> argparse.ArgumentParser:
    """Both commands; the options of ``train`` are the fields of :class:`TrainOptions`."""
    parser = argparse.ArgumentParser(prog="voxcpm", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, text: str) -> argparse.ArgumentParser:
        command = commands.add_parser(
            name,
            description=text,
            epilog=terminal.EXIT_HELP,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        command.add_argument("--json", action="store_true", help="write JSON to stdout: train, one event a line")
        command.add_argument("-v", "--verbose", action="store_true", help="write what is done, and details of faults")
        return command

    preparing = add("prepare", "Check a training manifest, split it fairly, write its card, compute latents.")
    preparing.add_argument("manifest", type=Path, help="JSONL: audio, text, ref_audio, voice, domain, licence, ...")
    preparing.add_argument("--model", help="model whose latents are computed; without it none are")
    preparing.add_argument("--split", type=float, default=0.0, metavar="SHARE", help="share of sound for validation")
    preparing.add_argument("--seed", type=int, default=0, help="of the split")
    preparing.add_argument("--cache", default="", help=_HELP["cache"])
    preparing.add_argument("--device", default="auto")

    training = add("train", "Fine-tune a model on a manifest, or go on with a run.")
    start = training.add_mutually_exclusive_group(required=True)
    start.add_argument("--out", type=Path, metavar="DIR", help="a new folder for the run")
    start.add_argument("--resume", type=Path, metavar="DIR", help="go on with the run in this folder, as it was begun")
    training.add_argument("--model", help="folder or name of the model")
    training.add_argument("--data", help="training manifest")
    training.add_argument("--sample", action="append", metavar="TEXT", help="text to speak at every validation")
    for field in dataclasses.fields(TrainOptions):
        if field.name not in ("model", "data", "samples"):
            add_field(training, field)
    return parser


def add_field(parser: argparse.ArgumentParser, field: dataclasses.Field[Any]) -> None:
    """An argument for a field of :class:`TrainOptions`; None where it is not given."""
    name = "--" + field.name.replace("_", "-")
    text = _HELP.get(field.name)
    if isinstance(field.default, bool):
        parser.add_argument(name, action=argparse.BooleanOptionalAction, default=None, help=text)
        return
    choices = {"mode": MODES, "precision": PRECISIONS}.get(field.name)
    shown = "" if field.default in ("", 0, 0.0) else f" (default {field.default})"
    kind = type(field.default)
    parser.add_argument(name, type=kind, choices=choices, default=None, help=(text or "") + shown or None)


# -- prepare --------------------------------------------------------------------------------------------------


def _prepare(options: argparse.Namespace) -> int:
    from voxcpm.training.prepare import prepare

    bar = terminal.ProgressLine(sys.stderr, enabled=sys.stderr.isatty())
    try:
        done = prepare(
            options.manifest,
            split=options.split,
            seed=options.seed,
            cache=(lambda: _cache(options)) if options.model else None,
            progress=lambda made, of: bar.show(made / of, f"{made} of {of} recordings encoded"),
        )
    finally:
        bar.clear()
    result = {
        "read": done.checked.read,
        "kept": len(done.checked.entries),
        "left_out": dict(done.checked.dropped()),
        "training": len(done.training),
        "validation": len(done.validation),
        "encoded": done.encoded,
        "consent_record_ids": list(done.checked.consent_ids()),
        "findings": [str(finding) for finding in done.checked.findings],
        "files": [str(path) for path in done.files],
    }
    if options.json:
        terminal.write_json(result)
        return terminal.EXIT_OK
    for finding in done.checked.findings:
        terminal.note(f"{done.checked.path.name}, {finding}")
    sys.stdout.write(
        f"{result['read']} lines read, {result['kept']} kept; training {result['training']}, "
        f"validation {result['validation']}; {done.encoded} recordings encoded\n"
        + "".join(f"{path}\n" for path in done.files)
    )
    return terminal.EXIT_OK


def _cache(options: argparse.Namespace) -> LatentCache:
    from voxcpm.checkpoint import CheckpointFiles, load_vae, read_tensors
    from voxcpm.cli import find_model
    from voxcpm.config import VoxCPMConfig
    from voxcpm.devices import choose_device
    from voxcpm.training.latents import FOLDER, LatentCache

    files = CheckpointFiles.locate(find_model(options.model))
    config = VoxCPMConfig.from_file(files.config)
    vae = load_vae(config, read_tensors(files.vae), device=choose_device(options.device))
    folder = Path(options.cache) if options.cache else options.manifest.parent / FOLDER
    return LatentCache(folder, vae, config.patch_size)


# -- train ----------------------------------------------------------------------------------------------------


def chosen_options(options: argparse.Namespace) -> tuple[TrainOptions, Path, bool]:
    """What was chosen, the run's folder, and whether it is to be resumed. Raises :class:`RequestError`."""
    given = {
        field.name: value
        for field in dataclasses.fields(TrainOptions)
        if (value := getattr(options, field.name, None)) is not None
    }
    if options.sample:
        given["samples"] = tuple(options.sample)
    if options.resume is not None:
        from voxcpm.training.trainer import resumed_options

        if given:
            names = ", ".join("--" + name.replace("_", "-") for name in given)
            raise RequestError("resume", f"a run goes on with the options it was begun with; leave out {names}")
        return resumed_options(options.resume), options.resume, True
    for name in ("model", "data"):
        if name not in given:
            raise RequestError(name, f"is missing; give --{name}, or --resume with the folder of a run")
    from voxcpm.cli import find_model

    given["model"] = str(find_model(given["model"]).resolve())
    for name in ("data", "validation", "cache"):
        if given.get(name):
            given[name] = str(Path(given[name]).resolve())
    chosen = TrainOptions(**given)
    chosen.check()
    return chosen, options.out, False


def _train(options: argparse.Namespace) -> int:
    chosen, folder, resume = chosen_options(options)
    from voxcpm.training.trainer import train

    listener = _JsonLines() if options.json else Teller(terminal.ProgressLine(sys.stderr, enabled=sys.stderr.isatty()))
    with Asked() as asked:
        outcome = train(chosen, folder, resume=resume, listener=listener, stopping=asked)
    listener({"event": "end", **dataclasses.asdict(outcome), "result": str(outcome.result or "")})
    return terminal.EXIT_CANCELLED if outcome.reason == "stopped" else terminal.EXIT_OK


class Asked:
    """Ctrl+C or SIGTERM: the first ends the run after the step at hand, with a checkpoint; the second at once."""

    def __init__(self) -> None:
        self._asked = False
        self._before: dict[int, Any] = {}

    def __call__(self) -> bool:
        """Whether the run is to end."""
        return self._asked

    def __enter__(self) -> Asked:
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(ValueError):  # not in the main thread
                self._before[number] = signal.signal(number, self._stop)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _stop(self, number: int, frame: object) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True


class _JsonLines:
    """Every event as one line of JSON, for programs."""

    def __call__(self, event: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(event, ensure_ascii=False) + "\n")
        sys.stdout.flush()


class Teller:
    """Events for people: remarks, a progress line with the time left, one line for every validation."""

    def __init__(self, bar: terminal.ProgressLine) -> None:
        self.bar = bar
        self.began = time.monotonic()
        self.first: int | None = None

    def __call__(self, event: dict[str, Any]) -> None:
        """Show an event."""
        kind = event["event"]
        if kind == "step":
            self._step(event)
        elif kind == "encoding":
            self.bar.show(event["done"] / event["of"], f"{event['done']} of {event['of']} recordings encoded")
        else:
            self.bar.clear()
            for line in self._lines(event):
                terminal.note(line)

    def _step(self, event: dict[str, Any]) -> None:
        if self.first is None:
            self.first, self.began = event["step"], time.monotonic()
        done = event["step"] - self.first
        left = (time.monotonic() - self.began) / done * (event["of"] - event["step"]) if done else None
        eta = f", {_clock(left)} left" if left is not None else ""
        text = f"step {event['step']} of {event['of']}  loss {event['loss']:.3f}  stop {event['stop']:.3f}{eta}"
        self.bar.show(event["step"] / event["of"], text)

    @staticmethod
    def _lines(event: dict[str, Any]) -> Iterator[str]:
        kind = event["event"]
        if kind == "note":
            yield str(event["message"])
        elif kind == "validation":
            gap = "" if event["text_gap"] is None else f", {event['text_gap']:+.3f} with another text"
            best = " (best so far)" if event["best"] else ""
            yield f"step {event['step']}: validation {event['loss']:.4f}{gap}{best}"
        elif kind == "end":
            reasons = {
                "finished": "done",
                "early": "validation got no better; ended early",
                "stopped": "stopped; go on with --resume",
            }
            yield f"{event['steps']} steps, {reasons[event['reason']]}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))

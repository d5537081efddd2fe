"""``voxcpm bench``: speed and memory of a model here, setting by setting, and ratios between settings in one call.

Settings take turns over the rounds, so that a machine whose speed drifts does not favour one. The least time says what
the machine can do, the median what it did. Reading and product rates are measured in the same run.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from voxcpm.bench.fleet import Fleet, Worker
from voxcpm.bench.settings import Setting, full_settings, gui_threads, parse_setting
from voxcpm.errors import RequestError

logger = logging.getLogger(__name__)

BASELINE = "plain bfloat16"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--config", type=Path, help="a config.json; needs --random-weights")
    source.add_argument("--model", type=Path, help="a model folder")
    parser.add_argument("--random-weights", action="store_true", help="fill the shape of --config with random numbers")
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--settings", nargs="+", metavar="WORDS", help="what to measure: auto, float32, bfloat16, float16, int8; with "
        "plain (eager, whole cache, both guidance halves), rows=N, threads=N"
    )  # fmt: skip
    what.add_argument(
        "--compare", nargs=2, metavar="WORDS",
        help=f"how many times as fast the first is (default: auto '{BASELINE}')"
    )  # fmt: skip
    what.add_argument("--full", action="store_true", help="every precision with 1, 3 and 8 rows, also with a core left")
    parser.add_argument("--gui-core", action="store_true", help="all of it again with one core left to a window")
    parser.add_argument("--patches", type=int, default=24, help="patches per take; 0 lets the model end (default 24)")
    parser.add_argument("--rounds", type=int, default=1, help="takes of each setting, taking turns (default 1)")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--cfg", type=float, default=2.0)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--profile", action="store_true", help="also name the operations that take the most time")
    parser.add_argument("--one-at-a-time", action="store_true", help="hold one model in memory, load more often")
    parser.add_argument("--json", action="store_true", help="print nothing but one JSON object")


def run(argv: Sequence[str]) -> int:
    """Entry from the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="voxcpm bench", description=__doc__.splitlines()[0] if __doc__ else None)
    add_arguments(parser)
    options = parser.parse_args(argv)
    if (options.config is None) == options.random_weights:
        parser.error("--config and --random-weights go together")
    if options.patches == 1 or options.patches < 0 or options.rounds < 1:
        parser.error("--patches must be 0 or at least 2, --rounds at least 1")
    try:
        settings = chosen_settings(options)
    except RequestError as error:
        parser.error(error.problem)
    result = measure(options, settings)
    if options.json:
        sys.stdout.write(json.dumps(result) + "\n")
    else:
        from voxcpm.bench.summary import as_text

        sys.stdout.write(as_text(result))
    return 0


def chosen_settings(options: argparse.Namespace) -> list[Setting]:
    """What the options ask for; the last of a comparison is what the others are compared with."""
    if options.full:
        return full_settings("cuda" if options.device.startswith("cuda") else "cpu")
    words = options.settings or options.compare or ["auto", BASELINE]
    settings = [parse_setting(text) for text in words]
    if options.gui_core:
        if not gui_threads():
            raise RequestError("gui_core", "there is only one core here, so none can be left to a window")
        settings += [Setting(s.precision, s.plain, s.rows, gui_threads()) for s in settings]
    return settings


def measure(options: argparse.Namespace, settings: list[Setting]) -> dict[str, Any]:
    """All settings in turn, round by round, and the machine's own rates before and after."""
    with TemporaryDirectory(prefix="voxcpm-bench-") as folder:
        if options.config:
            from voxcpm.bench.shapes import write_random

            write_random(options.config, Path(folder))
        return _measure(options, settings, folder)


def _measure(options: argparse.Namespace, settings: list[Setting], weights: str) -> dict[str, Any]:
    from voxcpm.bench.summary import summarise

    def order(model: tuple[str, bool]) -> dict[str, Any]:
        return {
            "config": str(options.config) if options.config else None, "weights": weights,
            "model": str(options.model) if options.model else None,
            "device": options.device, "precision": model[0], "plain": model[1],
        }  # fmt: skip

    job = {"steps": options.steps, "cfg": options.cfg, "patches": options.patches}
    rates = [_machine(options, settings)]
    takes: dict[Setting, list[dict[str, Any]]] = {setting: [] for setting in settings}
    described: dict[Setting, dict[str, Any]] = {}
    profiles: dict[str, Any] = {}
    with Fleet(order, keep=not (options.one_at_a_time or options.full)) as fleet:
        for number in range(options.rounds):
            for setting in settings:
                logger.info("round %d of %d, %s", number + 1, options.rounds, setting)
                worker = fleet.worker(setting.model)
                described.setdefault(setting, worker.described)
                one = {"do": "take", "rows": setting.rows, "threads": setting.threads, "seed": number + 1}
                takes[setting].append(worker.ask(job | one))
        for setting in settings if options.profile else ():  # at the end: it takes memory of its own
            one = {"do": "profile", "rows": setting.rows, "threads": setting.threads, "patches": options.patches or 8}
            profiles[str(setting)] = fleet.worker(setting.model).ask(job | one)["operations"]
    rates.append(_machine(options, settings))
    machine = {threads: _better(rates[0][threads], rates[1][threads]) for threads in rates[0]}
    costs = _Costs(options)
    summaries = [
        summarise(
            setting, described[setting], takes[setting],
            costs.of(setting, described[setting]["precision"]),
            machine[str(setting.threads or takes[setting][0]["threads"])],
        )
        for setting in settings
    ]  # fmt: skip
    result = {"machine": machine, "settings": summaries, "ratios": _ratios(settings, takes)}
    return result | ({"profile": profiles} if profiles else {})


def _machine(options: argparse.Namespace, settings: list[Setting]) -> dict[str, Any]:
    """The machine's rates for every number of threads in use, in a process of its own."""
    worker = Worker({})
    try:
        from voxcpm.devices import choose_device

        device = str(choose_device(options.device))
        found = [
            worker.ask({"threads": count, "device": device})
            for count in sorted({s.threads for s in settings}, reverse=False)
        ]
    finally:
        worker.close()
    return {str(one["threads"]): one for one in found}


def _better(one: dict[str, Any], two: dict[str, Any]) -> dict[str, Any]:
    rates = {name: max(rate, two["flops_per_second"][name]) for name, rate in one["flops_per_second"].items()}
    return {
        "bytes_per_second": max(one["bytes_per_second"], two["bytes_per_second"]),
        "flops_per_second": rates,
        "threads": one["threads"],
    }


class _Costs:
    """Counted costs of the shape that is measured."""

    def __init__(self, options: argparse.Namespace) -> None:
        from voxcpm.bench.costs import Shape
        from voxcpm.checkpoint import CheckpointFiles
        from voxcpm.config import VoxCPMConfig

        file = options.config or CheckpointFiles.locate(options.model).config
        self.shape, self.options = Shape.of(VoxCPMConfig.from_file(file)), options

    def of(self, setting: Setting, precision: str) -> Any:
        """For a setting, with the context of a take half way through."""
        guided = setting.plain or self.options.cfg != 1.0
        positions = 24 + self.options.patches // 2
        if setting.plain:
            positions = self.shape.config.max_length
        return self.shape.costs(precision, setting.rows, steps=self.options.steps, guided=guided, positions=positions)


def _ratios(settings: list[Setting], takes: dict[Setting, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Against the plain way with as many threads; and several takes together against one, as times as fast a take."""
    from voxcpm.bench.summary import ratio

    pairs: list[tuple[Setting, Setting]] = []
    for one in settings:
        plain = [s for s in settings if s.plain and s.threads == one.threads and s is not one]
        pairs += [(one, other) for other in plain if one.rows == 1]
        pairs += [
            (one, other)
            for other in settings
            if other.rows == 1 < one.rows and other.model == one.model and other.threads == one.threads
        ]
    if not pairs and len(settings) == 2:
        pairs = [(settings[0], settings[1])]
    return [ratio(takes[one], takes[other], (str(one), str(other))) for one, other in pairs]

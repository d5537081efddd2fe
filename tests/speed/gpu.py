"""``python -m tests.speed.gpu FOLDER``: everything owed about a GPU, in one go of under eight minutes.

FOLDER has config.json files by model name (``VoxCPM2.json`` ...); weights are random. For each shape: eager against
recorded steps, 1, 3 and 32 rows, first sound, real-time factor, peak memory, share of the card's roof, and that a
recorded take equals an eager one. A part that does not fit into the time left is told as left out and never guessed.
``--dry-run`` runs the same code on the CPU with tiny shapes, which is how the script itself is tested.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from voxcpm.bench.costs import PARTS, Shape
from voxcpm.bench.machine import measure_machine
from voxcpm.bench.shapes import random_engine, write_random
from voxcpm.config import VoxCPMConfig
from voxcpm.graphs import GraphPool
from voxcpm.pipeline import VoxCPM
from voxcpm.request import Request, spread_seeds
from voxcpm.result import Result

TARGETS = {"VoxCPM2": 0.04, "VoxCPM-0.5B": 0.03}  # real-time factor of one row on an H200-class card
ROWS = (1, 3, 32)
TEXT = "The last train leaves at ten, and nobody waits on the platform."
NEEDED = 60.0  # seconds that the next part may take at most


class Run:
    """What is measured, and how much time there is."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.end = options, time.monotonic() + options.seconds
        self.device = "cpu" if options.dry_run else "cuda"
        self.left_out: list[str] = []

    def fits(self, what: str) -> bool:
        """Whether there is time for another part; what is left out is noted."""
        if time.monotonic() + (0 if self.options.dry_run else NEEDED) < self.end:
            return True
        self.left_out.append(what)
        return False

    def synchronise(self) -> None:
        """Wait for the GPU."""
        if self.device == "cuda":
            torch.cuda.synchronize()


def requests(rows: int, patches: int) -> list[Request]:
    """Takes of a fixed length."""
    fixed = {"min_patches": patches, "max_patches": patches, "retries": 1, "retry_ratio": 1000.0}
    return [Request(TEXT, seed=seed, **fixed) for seed in spread_seeds(1, rows)]


def timed(run: Run, engine: VoxCPM, rows: int, patches: int, rounds: int) -> dict[str, Any]:
    """Pace, first sound and memory of ``rows`` takes together."""
    if run.device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    firsts, paces = [], []
    for _ in range(rounds):
        run.synchronise()
        result = engine.generate_batch(requests(rows, patches))[0]
        firsts.append(result.time_to_first_audio)
        paces += [float(s) for s in result.patch_seconds[1:]]
    pace = statistics.median(paces)
    return {
        "rows": rows,
        "first_audio_p50": statistics.median(firsts),
        "first_audio_worst": max(firsts),
        "seconds_per_patch": pace,
        "least_seconds_per_patch": min(paces),
        "real_time_factor_one_row": pace / engine.info.patch_seconds,
        "audio_seconds_per_second": rows * engine.info.patch_seconds / pace,
        "peak_bytes": torch.cuda.max_memory_allocated() if run.device == "cuda" else 0,
    }


def compare(one: Result, two: Result) -> dict[str, Any]:
    """How far two takes are apart."""
    apart = np.abs(one.latents - two.latents)
    return {"patches": [one.patches, two.patches], "largest": float(apart.max()), "mean": float(apart.mean())}


def shape(run: Run, file: Path, machine: dict[str, Any]) -> dict[str, Any]:
    """All of one config."""
    options, config = run.options, VoxCPMConfig.from_file(file)
    report: dict[str, Any] = {"target": TARGETS.get(file.stem), "rows": []}
    with tempfile.TemporaryDirectory() as folder:
        write_random(file, Path(folder))
        began = time.perf_counter()
        dtype = "float32" if options.dry_run else "bfloat16"
        engine = random_engine(file, Path(folder), run.device, dtype, plain=False)
        run.synchronise()
        report["load_seconds"] = time.perf_counter() - began
    report["weight_bytes"] = engine.info.weight_bytes
    counted = Shape.of(config)
    for rows in options.rows:
        if not run.fits(f"{file.stem}, {rows} row(s)"):
            continue
        engine.graphs = None
        engine.generate_batch(requests(rows, 3))
        eager = timed(run, engine, rows, options.patches, 1)
        one = engine.generate_batch(requests(rows, options.patches))[0]
        engine.graphs = GraphPool(record=not options.dry_run)
        began = time.perf_counter()
        engine.generate_batch(requests(rows, options.patches))  # eager, and records at its end
        recording = time.perf_counter() - began
        recorded = len(engine.graphs._free)
        used = timed(run, engine, rows, options.patches, options.rounds)
        two = engine.generate_batch(requests(rows, options.patches))[0]
        costs = counted.costs(dtype, rows, steps=10, guided=True, positions=64)
        rate = machine["flops_per_second"][dtype]
        floor = sum(max(costs[p].bytes / machine["bytes_per_second"], costs[p].flops / rate) for p in PARTS)
        report["rows"].append(
            {"eager": eager, "recorded": used, "recorded_steps": recorded, "recording_and_take_seconds": recording,
             "difference": compare(one, two), "floor_seconds": floor,
             "roofline_share": floor / used["least_seconds_per_patch"],
             "speedup": eager["seconds_per_patch"] / used["seconds_per_patch"]}
        )  # fmt: skip
        sys.stderr.write(f"{file.stem}, {rows} row(s): {used['seconds_per_patch'] * 1000:.2f} ms a patch\n")
    first = next((r["recorded"] for r in report["rows"] if r["recorded"]["rows"] == 1), None)
    if first is not None and report["rows"]:
        report["takes_together"] = {
            str(r["recorded"]["rows"]): r["recorded"]["seconds_per_patch"] / first["seconds_per_patch"]
            for r in report["rows"]
        }
        if report["target"] is not None:
            report["target_met"] = first["real_time_factor_one_row"] <= report["target"]
    engine.close()
    return report


def main(argv: Sequence[str] | None = None) -> int:
    """Entry; ends with 1 where there is no GPU to measure."""
    parser = argparse.ArgumentParser(prog="python -m tests.speed.gpu", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, help="write the report here as well")
    parser.add_argument("--models", nargs="*", default=["VoxCPM2", "VoxCPM-0.5B", "VoxCPM1.5"])
    parser.add_argument("--rows", type=int, nargs="*", default=list(ROWS))
    parser.add_argument("--patches", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=440.0, help="no part is begun that may not fit into these")
    parser.add_argument("--dry-run", action="store_true", help="on the CPU, to try the script out")
    options = parser.parse_args(argv)
    if not options.dry_run and not torch.cuda.is_available():
        sys.stderr.write("There is no CUDA device here; --dry-run tries the script out on the CPU.\n")
        return 1
    run = Run(options)
    began = time.monotonic()
    machine = measure_machine(torch.device(run.device))
    report: dict[str, Any] = {
        "device": torch.cuda.get_device_name() if run.device == "cuda" else "cpu, dry run: no figure of a GPU",
        "torch": torch.__version__, "machine": machine, "models": {},
    }  # fmt: skip
    for name in options.models:
        file = options.folder / f"{name}.json"
        if not file.is_file():
            run.left_out.append(f"{name}: no such config")
        elif run.fits(name):
            report["models"][name] = shape(run, file, machine)
            if run.device == "cuda":
                torch.cuda.empty_cache()
    report |= {"left_out": run.left_out, "seconds": time.monotonic() - began}
    text = json.dumps(report)
    if options.out is not None:
        options.out.write_text(text, encoding="utf-8")
    sys.stdout.write(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

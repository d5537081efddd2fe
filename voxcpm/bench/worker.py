"""A process with one loaded model that makes takes on request: one JSON object a line in, one out.

A process of its own, so that peaks of memory do not mix; alive through all rounds, so that settings can take turns
without loading again.
"""

from __future__ import annotations

import json
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voxcpm.bench.memory import PeakMemory
from voxcpm.errors import VoxCPMError

if TYPE_CHECKING:
    from voxcpm.result import Progress

TEXT = "The last train leaves at ten, and nobody waits on the platform."
WARM_UP_PATCHES = 3
TOP_OPERATIONS = 15


def main() -> int:
    """Serve until standard input ends. The first line says what to load."""
    import torch

    order = json.loads(sys.stdin.readline())
    usual = torch.get_num_threads()
    with PeakMemory() as memory:
        try:
            served = Served(order, memory) if order.get("config") or order.get("model") else None
        except VoxCPMError as error:
            _answer({"error": str(error)})
            return 1
        _answer(served.described() if served else {"machine": True})
        for line in sys.stdin:
            job = json.loads(line)
            torch.set_num_threads(job["threads"] or usual)
            if served is None:
                from voxcpm.bench.machine import measure_machine

                _answer(measure_machine(torch.device(job["device"])))
            else:
                _answer(served.profile(job) if job["do"] == "profile" else served.take(job))
    return 0


def _answer(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


class Served:
    """A loaded model and what can be asked of it."""

    def __init__(self, order: dict[str, Any], memory: PeakMemory) -> None:
        from voxcpm.pipeline import VoxCPM

        self.memory = memory
        began = time.perf_counter()
        if order.get("config"):
            from voxcpm.bench.shapes import random_engine

            self.engine: Any = random_engine(
                Path(order["config"]), Path(order["weights"]), order["device"], order["precision"], plain=order["plain"]
            )
        else:
            self.engine = VoxCPM.load(
                order["model"], device=order["device"], dtype=order["precision"], plain=order["plain"]
            )
        self.load_seconds = time.perf_counter() - began
        memory.note()
        self.load_peak = memory.peak
        self.engine.synchronize_timings = True
        self.warm: set[tuple[int, int]] = set()

    def described(self) -> dict[str, Any]:
        """What was loaded."""
        info = self.engine.info
        return {
            "architecture": info.architecture, "device": info.device, "precision": info.dtype,
            "patch_seconds": info.patch_seconds, "load_seconds": self.load_seconds,
            "weight_bytes": info.weight_bytes, "load_peak_bytes": self.load_peak, "memory_measure": self.memory.kind,
        }  # fmt: skip

    def take(self, job: dict[str, Any]) -> dict[str, Any]:
        """One batch, timed."""
        import torch

        threads = torch.get_num_threads()
        if (job["rows"], threads) not in self.warm:
            self.engine.generate_batch(self._requests(job, WARM_UP_PATCHES))
            self.warm.add((job["rows"], threads))
        marks: list[float] = []

        def note(progress: Progress) -> None:
            if progress.row == 0:
                marks.append(time.process_time())

        results = self.engine.generate_batch(self._requests(job, job["patches"]), on_progress=note)
        self.memory.note()
        first = results[0]
        parts = {name: seconds for name, seconds in first.part_seconds.items() if name != "prefill"}
        # The first patch needs no step of the language models: that is the prefill's work.
        count = {"lm": first.patches - 1, "locenc": first.patches - 1}
        return {
            "threads": threads,
            "patches": first.patches,
            "prefill_seconds": first.part_seconds["prefill"],
            "first_audio": min(r.time_to_first_audio for r in results),
            "last_packet": max(r.last_packet_seconds for r in results),
            "total_seconds": max(r.total_seconds for r in results),
            "audio_seconds": [r.seconds for r in results],
            "attempts": [r.attempts for r in results],
            "patch_seconds": [float(s) for s in first.patch_seconds[1:]],
            "cpu_seconds": [after - before for before, after in pairwise(marks)],
            "part_seconds": {name: s / max(1, count.get(name, first.patches)) for name, s in parts.items()},
            "peak_bytes": self.memory.peak,
        }

    def profile(self, job: dict[str, Any]) -> dict[str, Any]:
        """The operations that take the most time of their own, per patch."""
        from torch.profiler import ProfilerActivity, profile

        activities = [ProfilerActivity.CPU]
        on_gpu = self.engine.info.device.startswith("cuda")
        if on_gpu:
            activities.append(ProfilerActivity.CUDA)
        self.engine.generate_batch(self._requests(job, WARM_UP_PATCHES))
        with profile(activities=activities) as seen:
            self.engine.generate_batch(self._requests(job, job["patches"]))
        events = seen.key_averages()
        name = "self_device_time_total" if on_gpu else "self_cpu_time_total"
        total = sum(getattr(e, name) for e in events) or 1.0
        top = sorted(events, key=lambda e: getattr(e, name), reverse=True)[:TOP_OPERATIONS]
        return {
            "operations": [
                {
                    "name": e.key,
                    "share": getattr(e, name) / total,
                    "seconds_per_patch": getattr(e, name) / 1e6 / job["patches"],
                    "calls_per_patch": e.count / job["patches"],
                }
                for e in top
            ]
        }

    def _requests(self, job: dict[str, Any], patches: int) -> list[Any]:
        from voxcpm.request import Request, spread_seeds

        settings: dict[str, Any] = {"steps": job["steps"], "cfg": job["cfg"]}
        if patches:
            settings |= {"min_patches": patches, "max_patches": patches, "retries": 1, "retry_ratio": 1000.0}
        return [Request(TEXT, seed=seed, **settings) for seed in spread_seeds(job.get("seed", 1), job["rows"])]


if __name__ == "__main__":
    sys.exit(main())

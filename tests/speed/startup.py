"""``python -m tests.speed.startup CONFIG``: from ``load`` to ready against reading the file, and the peak of memory.

Writes weights of the config's shape to a file, then for each precision in turn: the file is put out of the system's
cache and read through once, put out again and loaded, each load in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from voxcpm.bench.shapes import write_random

_CHUNK = 16 * 2**20
CHILD = """
import json, sys, time, torch
from pathlib import Path
from voxcpm.bench.memory import PeakMemory
from voxcpm.bench.shapes import random_engine
config, folder, dtype, threads = sys.argv[1:]
torch.set_num_threads(int(threads))
with PeakMemory() as memory:
    wall, cpu = time.perf_counter(), time.process_time()
    engine = random_engine(Path(config), Path(folder), "cpu", dtype, plain=False)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
print(json.dumps({"load_seconds": wall, "load_cpu_seconds": cpu, "peak_bytes": memory.peak,
                  "weight_bytes": engine.info.weight_bytes, "memory_measure": memory.kind}))
"""


def drop(folder: Path) -> None:
    """Ask the system to forget what it keeps of the files."""
    for file in folder.iterdir():
        with file.open("rb") as stream:
            os.fsync(stream.fileno())
            if hasattr(os, "posix_fadvise"):
                os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def read_all(folder: Path) -> tuple[float, float]:
    """Seconds to read all files once: wall and processor time."""
    buffer = bytearray(_CHUNK)
    wall, cpu = time.perf_counter(), time.process_time()
    for file in sorted(folder.iterdir()):
        with file.open("rb", buffering=0) as stream:
            while stream.readinto(buffer):
                pass
    return time.perf_counter() - wall, time.process_time() - cpu


def measure(config: Path, folder: Path, precision: str, threads: int) -> dict[str, Any]:
    """One load and one reading, both from the disk."""
    drop(folder)
    seconds, cpu = read_all(folder)
    drop(folder)
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(config), str(folder), precision, str(threads)],
        stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(done.stdout)
    return found | {
        "precision": precision,
        "read_seconds": seconds,
        "read_cpu_seconds": cpu,
        "load_to_read": found["load_seconds"] / seconds,
        "peak_to_weights": found["peak_bytes"] / found["weight_bytes"],
    }


def main() -> int:
    """Entry."""
    parser = argparse.ArgumentParser(prog="python -m tests.speed.startup", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("config", type=Path)
    parser.add_argument("--precisions", nargs="*", default=["bfloat16", "int8"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        write_random(options.config, Path(name))
        for _ in range(options.rounds):
            for precision in options.precisions:
                found = measure(options.config, Path(name), precision, options.threads)
                sys.stdout.write(json.dumps(found) + "\n")
                sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""When something sounds: ``python -m tests.monitor_watch SINK`` records a PulseAudio monitor and writes what it hears.

A line for every 5 ms: the monotonic clock (the same in all processes), the largest absolute sample, and the largest
step between two samples. A process of its own, so that it disturbs nothing that is measured. Ends with its input.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import numpy as np

RATE = 48000
_BLOCK = RATE // 200


def main() -> None:
    """Run until standard input is closed."""
    recorder = subprocess.Popen(
        ["parec", "-d", f"{sys.argv[1]}.monitor", f"--rate={RATE}", "--channels=1", "--format=s16le", "--raw",
         "--latency-msec=5"],
        stdout=subprocess.PIPE,
    )  # fmt: skip
    threading.Thread(target=lambda: (sys.stdin.read(), recorder.terminate()), daemon=True).start()
    assert recorder.stdout is not None
    last = 0.0
    while len(data := recorder.stdout.read(2 * _BLOCK)) == 2 * _BLOCK:
        samples = np.frombuffer(data, np.int16).astype(np.float32) / 32768
        steps = np.abs(np.diff(samples, prepend=np.float32(last)))
        last = float(samples[-1])
        sys.stdout.write(f"{time.monotonic():.4f} {np.abs(samples).max():.5f} {steps.max():.5f}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

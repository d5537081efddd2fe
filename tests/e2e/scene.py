"""What the tour needs around it: recordings with and without faults, and a microphone that speaks."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

SPOKEN = "The quick brown fox jumps over the lazy dog."
MICROPHONE = "studio_mic"


def recordings(folder: Path) -> None:
    """Write ``spoken.wav``, clean speech, and ``faulty.wav``: too soft, an offset, long silence, cut off at the end."""
    import numpy as np
    import soundfile

    clean = folder / "spoken.wav"
    subprocess.run(["flite", "-voice", "slt", "-t", SPOKEN, "-o", str(clean)], check=True)
    samples, rate = soundfile.read(clean, dtype="float32")
    cut = samples[: round(0.85 * len(samples))]
    still = np.zeros(2 * rate, np.float32)
    faulty = 0.02 * np.concatenate([still, cut]) + 0.1
    soundfile.write(folder / "faulty.wav", np.stack([faulty, 0.4 * faulty], axis=1), rate)


@contextlib.contextmanager
def microphone() -> Iterator[None]:
    """Make a source that can be recorded from; what is played into the sink MICROPHONE comes out of it."""
    for arguments in (
        ["module-null-sink", f"sink_name={MICROPHONE}", "rate=48000", "channels=1"],
        ["module-remap-source", f"master={MICROPHONE}.monitor", "source_name=studio_voice", "channels=1"],
    ):
        subprocess.run(["pactl", "load-module", *arguments], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["pactl", "set-default-source", "studio_voice"], check=True)
    yield


def speak(path: Path) -> subprocess.Popen[bytes]:
    """Speak a recording into the microphone."""
    return subprocess.Popen(["paplay", f"--device={MICROPHONE}", str(path)])

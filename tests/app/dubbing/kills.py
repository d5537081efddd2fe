"""Kill a dub at seeded points until it is finished: ``python -m tests.app.dubbing.kills --runs 10 --seed 1``."""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from app.core.dubbing.cues import Cue, new_id
from app.core.dubbing.editing import TYPES, Dubbing
from app.core.dubbing.plan import FILE
from app.core.library import Library
from app.core.project import Project

ROOT = Path(__file__).resolve().parents[3]
TEXTS = [f"This is line number {n}, {'and it goes on ' * (n % 4)}." for n in range(10)]
POINTS = ("any", "fsync", "replace", "after INSERT", "before COMMIT", "after COMMIT")


def child(folder: Path, point: str, count: int, *, demo: bool = False) -> tuple[int, list[list]]:
    """Run the child; returns its exit code and what it said."""
    argv = [sys.executable, "-m", "tests.app.dubbing.kill_child", str(folder), point, str(count)]
    argv += ["demo"] if demo else []
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, timeout=600, check=False)
    if done.returncode not in (0, -signal.SIGKILL):
        raise RuntimeError(done.stderr.decode(errors="replace")[-2000:])
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def sounds(folder: Path) -> list[np.ndarray]:
    """The chosen takes of all cues, in order."""
    with (
        Library(folder / "data", passphrase="a passphrase for tests") as library,
        Project.open(folder / "p", types=TYPES, readonly=True) as project,
    ):
        return [library.takes.filled(cue.chosen).samples for cue in Dubbing(project).dub.cues]


def prepare(folder: Path, cues: list[Cue]) -> None:
    """Make the project that the child works on."""
    folder.mkdir()
    with Project.create(folder / "p", "dub", types=TYPES) as project:
        Dubbing(project).add(cues)
        project.save()


def run(seed: int, place: Path, *, demo: bool = False) -> dict[str, int]:
    """Kill one dub again and again until it is finished. AssertionError for a finished cue that was made again, or for
    other samples than those of a dub that nobody killed.
    """
    rng = random.Random(seed)
    cues = [Cue(new_id(), text, 2000 * n, 2000 * n + 1900) for n, text in enumerate(TEXTS)]
    prepare(place / "killed", cues)
    finished: set[str] = set()
    kills = 0
    while True:
        point = rng.choice(POINTS)
        count = rng.randint(1, 60) if point == "any" else rng.randint(1, 9)
        never = kills >= (6 if demo else 12)  # enough: let it come to its end
        code, said = child(place / "killed", "never" if never else point, count, demo=demo)
        for what, texts in said:
            assert what == "done" or not finished & set(texts), f"made again: {finished & set(texts)}"
            finished |= set(texts) if what == "done" else set()
        if code == 0:
            break
        kills += 1
    assert len(sounds(place / "killed")) == len(TEXTS)
    prepare(place / "whole", cues)
    (place / "whole" / "p" / FILE).write_bytes((place / "killed" / "p" / FILE).read_bytes())
    assert child(place / "whole", "never", 0, demo=demo)[0] == 0
    for one, two in zip(sounds(place / "killed"), sounds(place / "whole"), strict=True):
        np.testing.assert_array_equal(one, two)
    return {"kills": kills, "cues": len(cues)}


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.app.dubbing.kills", description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--demo", action="store_true", help="with the demo voice instead of tones")
    options = parser.parse_args()
    kills = 0
    for number in range(options.runs):
        with tempfile.TemporaryDirectory() as folder:
            kills += run(options.seed + number, Path(folder), demo=options.demo)["kills"]
    sys.stdout.write(f"{options.runs} dubs, {kills} kills: no finished cue was made again, every sample is the same\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""``python -m tests.hardening.fuzz``: hostile sound, bundles, subtitles, projects, names and models.

Each must be read or refused in our words, in at most 2 s of processor time and 512 MiB, without a crash, without a
process left behind, and without writing anywhere but into the data folder. Seconds of the wall are printed beside: on
a busy machine they say how busy it is.
"""

from __future__ import annotations

import argparse
import collections
import logging
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from app.core.consent.problems import ConsentError
from app.core.safe_zip import BundleError
from app.core.store.errors import StoreError
from app.core.voice_bundle import import_voice
from tests.hardening import fuzz_audio, fuzz_bundles, fuzz_texts
from tests.hardening.errors import quick_folder
from tests.hardening.measure import measured
from tests.hardening.world import Things, World, build

SECONDS, MEBIBYTES = 2.0, 512.0
AUDIO = 500


@dataclass
class Tally:
    """What came of one kind of input."""

    read: int = 0
    refused: int = 0
    seconds: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)
    mebibytes: list[float] = field(default_factory=list)
    slowest: str = ""

    def words(self) -> str:
        """In one line."""
        return (
            f"{self.read + self.refused} ({self.read} read, {self.refused} refused), processor at most "
            f"{max(self.seconds):.2f} s, wall {max(self.wall):.2f} s, memory {max(self.mebibytes):.0f} MiB"
            f" (slowest: {self.slowest})"
        )


class Fuzz:
    """Tries inputs and keeps what came of them, by kind."""

    def __init__(self) -> None:
        self.tallies: dict[str, Tally] = collections.defaultdict(Tally)
        self.problems: list[str] = []

    def try_out(
        self, kind: str, name: str, do: Callable[[], object], refusals: tuple[type[Exception], ...], *allowed: Path
    ) -> None:
        """Do one thing with one input."""
        tally = self.tallies[kind]
        with measured(*allowed) as cost:
            try:
                do()
                tally.read += 1
            except refusals as error:
                tally.refused += 1
                if not str(error).strip():
                    self.problems.append(f"{name}, {kind}: refused without a word")
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                self.problems.append(f"{name}, {kind}: {type(error).__name__}: {str(error)[:200]}")
        if not tally.seconds or cost.processor > max(tally.seconds):
            tally.slowest = name
        tally.seconds.append(cost.processor)
        tally.wall.append(cost.wall)
        tally.mebibytes.append(cost.mebibytes)
        if cost.processor > SECONDS:
            self.problems.append(f"{name}, {kind}: took {cost.processor:.2f} s of the processor")
        if cost.mebibytes > MEBIBYTES:
            self.problems.append(f"{name}, {kind}: took {cost.mebibytes:.0f} MiB")
        self.problems += [f"{name}, {kind}: wrote outside: {place}" for place in cost.outside]

    def audio(self, count: int, seed: int, folder: Path) -> None:
        """Mutated sound files, by every reader in turn and the one of the model always."""
        readers = fuzz_audio.readers()
        always = "model, also of clone --reference"
        others = [name for name in readers if name != always]
        for number, (name, path) in enumerate(fuzz_audio.cases(count, seed, folder)):
            for kind in (always, "verify, the marks", others[number % len(others)]):
                self.try_out(kind, name, lambda kind=kind, path=path: readers[kind](path), fuzz_audio.REFUSALS)  # type: ignore[operator]

    def bundles(self, folder: Path) -> None:
        """Hostile bundles, as a person imports them."""
        build(folder / "world", Things())
        with World(folder / "world") as world, World(folder / "other") as other:
            (folder / "other").mkdir(exist_ok=True)
            for name, path in fuzz_bundles.cases(folder, world):
                refusals = (BundleError, ConsentError, StoreError)
                do = lambda path=path: import_voice(other.voices, path)  # noqa: E731
                self.try_out("import of a voice", name, do, refusals, other.data)
            if lost := other.store.database.integrity():
                self.problems.append(f"after the bundles: {lost}")

    def texts(self, folder: Path, *, with_models: bool = True) -> None:
        """Everything else."""
        kinds = [
            ("subtitles", fuzz_texts.subtitles()),
            ("names of files", fuzz_texts.templates(folder / "out")),
            ("projects and settings", fuzz_texts.projects(_made(folder / "projects"))),
        ]
        if with_models:
            kinds.append(("models", fuzz_texts.models(_made(folder / "models"))))
        for kind, cases in kinds:
            for name, do in cases:
                self.try_out(kind, name, do, fuzz_texts.REFUSALS, folder)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def main(argv: list[str] | None = None) -> int:
    """Run from the command line; 0 when nothing got through."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.hardening.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--audio", type=int, default=AUDIO, help=f"mutated sound files (default {AUDIO})")
    parser.add_argument("--seed", type=int, default=0, help="which mutations (default 0)")
    args = parser.parse_args(argv)
    logging.disable(logging.CRITICAL)
    began = time.perf_counter()
    fuzz = Fuzz()
    with tempfile.TemporaryDirectory(prefix="voxcpm-fuzz-", dir=quick_folder()) as place:
        fuzz.texts(_made(Path(place) / "texts"))
        fuzz.bundles(_made(Path(place) / "bundles"))
        fuzz.audio(args.audio, args.seed, _made(Path(place) / "audio"))
    for kind, tally in fuzz.tallies.items():
        print(f"{kind}: {tally.words()}")  # noqa: T201
    print(f"{time.perf_counter() - began:.0f} s; {len(fuzz.problems)} problems")  # noqa: T201
    for problem in fuzz.problems[:80]:
        print(problem)  # noqa: T201
    return 1 if fuzz.problems else 0


if __name__ == "__main__":
    sys.exit(main())

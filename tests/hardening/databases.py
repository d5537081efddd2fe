"""``python -m tests.hardening.databases``: databases with flipped pages, cut off, or with a damaged log.

Each is a copy of a data folder that was saved to after its last backup. Either it opens with all that was saved, or the
damage is told, at the start or when it is come upon, and the newest intact backup comes back: never less than that one
had. In some the newest backup is damaged as well.
"""

from __future__ import annotations

import argparse
import collections
import logging
import random
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from app.core.store import Store
from app.core.store.backups import list_backups
from app.core.store.errors import DamagedError, ForeignError, NewerError
from app.core.voice_card import VoiceCard
from tests.hardening.errors import difference, quick_folder
from tests.hardening.world import FIRST, THIRD, State, Things, World, build, look

PAGE = 4096
FLIPPED, CUT, LOGS = 50, 20, 15
REFUSALS = (DamagedError, ForeignError, NewerError)  # what a person is told, and restores after


@dataclass
class Tally:
    """What came of it."""

    outcomes: collections.Counter[str] = field(default_factory=collections.Counter)
    problems: list[str] = field(default_factory=list)


class Ruins:
    """A data folder in ``place`` that is saved to after its backups, and copies of it to damage."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.tally = Tally()
        things = Things()
        self.base = place / "base"
        build(self.base, things)
        self.older = look_without_caches(self.base)  # what the last but one backup has
        with World(self.base) as world:
            world.voices.change_card(FIRST, VoiceCard("Ada L."))
            for take in things.takes[3:]:
                world.takes.add(take)
            world.store.backups.run()
        self.newest = look_without_caches(self.base)
        self.states: list[State] = [self.newest]
        with World(self.base) as world:
            steps = (
                lambda: world.voices.add(things.voices[THIRD]),
                lambda: world.takes.mark(things.takes[1].uid, rating=5, note="the best"),
                lambda: world.takes.move_to_bin([things.takes[0].uid]),
            )
            for step in steps:
                step()
                self.states.append(look_without_caches(self.base))
            self.open_base = place / "open"  # as a crash leaves it: the last steps are in the log
            shutil.copytree(self.base, self.open_base)
        self.size = (self.base / "data" / "library.db").stat().st_size

    def try_out(self, kind: str, rng: random.Random) -> None:
        """Damage one copy in one way, and see what a person gets."""
        folder = self.place / "run"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.open_base if kind == "log" else self.base, folder)
        data = folder / "data"
        path = data / ("library.db-wal" if kind == "log" else "library.db")
        where = f"{kind}: {cut(path, rng) if kind == 'cut' else flip(path, rng)}"
        worse = kind != "log" and rng.random() < 0.2
        if worse:
            flip_header(list_backups(data / "backups")[0].path)
            where += ", the newest backup too"
        allowed = self.states if kind == "log" else self.states[-1:]
        try:
            seen = look_without_caches(folder)
            if seen["problems"]:
                raise DamagedError("; ".join(seen["problems"]))
        except REFUSALS as error:
            self._restore(data, where, self.older if worse else self.newest, type(error).__name__)
        except Exception as error:
            self.tally.problems.append(f"{where}: {type(error).__name__}: {error}")
        else:
            self.tally.outcomes["opened whole" if seen == self.states[-1] else "opened"] += 1
            if seen not in allowed:
                self.tally.problems.append(f"{where}: opened, but {difference(allowed[-1], seen)}")

    def _restore(self, data: Path, where: str, wanted: State, told: str) -> None:
        try:
            Store.restore(data)
            seen = look_without_caches(data.parent)
        except Exception as error:
            self.tally.problems.append(f"{where}: told as {told}, then {type(error).__name__}: {error}")
            return
        self.tally.outcomes[f"told ({told}) and restored"] += 1
        # What lies outside the database is as it was last; what it knows is that of the backup.
        lost = [name for name in ("problems", "voices", "takes", "signer") if seen[name] != wanted[name]]
        if lost:
            self.tally.problems.append(f"{where}: restored, but {', '.join(lost)} are not those of the backup")


def look_without_caches(folder: Path) -> State:
    """What is there but for latents, which are made again, and for backups, which are damaged here on purpose."""
    seen = look(folder)
    seen["voices"] = {voice_id: facts[:-1] for voice_id, facts in seen["voices"].items()}
    seen["problems"] = [found for found in seen["problems"] if "backup" not in found]
    return seen


def flip(path: Path, rng: random.Random) -> str:
    """Change one to four pages: to noise, to nothing, to its opposite, or to what belongs to another page."""
    data = bytearray(path.read_bytes())
    pages = len(data) // PAGE
    done = []
    for _ in range(rng.choice((1, 1, 2, 4))):
        number = rng.randrange(pages)
        start = number * PAGE
        how = rng.choice(("random", "zero", "ones", "inverted", "swapped"))
        if how == "random":
            data[start : start + PAGE] = rng.randbytes(PAGE)
        elif how == "zero":
            data[start : start + PAGE] = bytes(PAGE)
        elif how == "ones":
            data[start : start + PAGE] = b"\xff" * PAGE
        elif how == "inverted":
            data[start : start + PAGE] = bytes(255 - byte for byte in data[start : start + PAGE])
        else:
            other = rng.randrange(pages) * PAGE
            data[start : start + PAGE] = data[other : other + PAGE]
        done.append(f"page {number + 1} of {pages} {how}")
    path.write_bytes(data)
    return ", ".join(done)


def cut(path: Path, rng: random.Random) -> str:
    """Cut the file off: anywhere, between two pages, or at its beginning."""
    size = path.stat().st_size
    left = rng.choice((0, 50, rng.randrange(size), rng.randrange(size), rng.randrange(size // PAGE) * PAGE))
    with path.open("r+b") as file:
        file.truncate(left)
    return f"{left} of {size} bytes"


def flip_header(path: Path) -> None:
    """Make a file that no database begins like."""
    with path.open("r+b") as file:
        file.write(b"\xff" * 100)


def run(ruins: Ruins, seed: int, flipped: int, cuts: int, logs: int) -> None:
    """Try so many of each kind; the same seed damages the same places."""
    for kind, count in (("flipped", flipped), ("cut", cuts), ("log", logs)):
        for number in range(count):
            ruins.try_out(kind, random.Random(f"{seed} {kind} {number}"))


def main(argv: list[str] | None = None) -> int:
    """Run from the command line; 0 when no more was lost than a backup's interval."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.hardening.databases",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--flipped", type=int, default=FLIPPED, help=f"with flipped pages (default {FLIPPED})")
    parser.add_argument("--cut", type=int, default=CUT, help=f"cut off (default {CUT})")
    parser.add_argument("--logs", type=int, default=LOGS, help=f"with a flipped log (default {LOGS})")
    parser.add_argument("--seed", type=int, default=0, help="which places (default 0)")
    args = parser.parse_args(argv)
    logging.disable(logging.CRITICAL)
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="voxcpm-ruins-", dir=quick_folder()) as place:
        ruins = Ruins(Path(place))
        run(ruins, args.seed, args.flipped, args.cut, args.logs)
    outcomes = ", ".join(f"{name} {number}" for name, number in ruins.tally.outcomes.most_common())
    print(  # noqa: T201
        f"{args.flipped} flipped, {args.cut} cut, {args.logs} with a damaged log, {time.perf_counter() - began:.0f} s: "
        f"{outcomes}; {len(ruins.tally.problems)} problems"
    )
    for problem in ruins.tally.problems:
        print(problem)  # noqa: T201
    return 1 if ruins.tally.problems else 0


if __name__ == "__main__":
    sys.exit(main())

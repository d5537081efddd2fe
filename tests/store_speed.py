"""How fast a full data folder opens, is searched and takes something new: ``python -m tests.store_speed``.

With 10,000 takes (and as many voices): open <= 1 s, search <= 50 ms (95th percentile), add <= 20 ms. A part is added
to ``PARTS``: a function that fills a folder with ``count`` things and returns what it measured.
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.core.take_store import PAGE, TakeLibrary
from app.core.takes import Take
from tests.app.takes.makers import VOICE, made, opened

PARTS: dict[str, str] = {
    "takes": "tests.store_speed:takes",
    "voices": "tests.voices_speed:voices",
}
_SECONDS = 5  # of sound in the takes whose adding is measured
_COMMON = (
    "the of and to in is you that it he was for on are as with his they at be this have from or one had by word but "
    "what some we can out other were all there when up use your how said an each she which do their time if will way "
    "about many then them write would like so these her long make thing see him two has look more day could go come"
)
_WORDS = tuple(_COMMON.split(" "))


@dataclass(frozen=True)
class Figure:
    """One thing that was measured, in milliseconds. ``limit`` None: nothing was promised.

    ``work`` is the computing time of this program alone, without waiting for the disk or for other programs.
    """

    name: str
    milliseconds: float
    limit: float | None = None
    work: float | None = None

    def __str__(self) -> str:
        said = "" if self.limit is None else f" (limit {self.limit:g}: {'ok' if self.holds else 'MISSED'})"
        work = "" if self.work is None else f", of it {self.work:.1f} ms computing"
        return f"{self.name}: {self.milliseconds:.1f} ms{work}{said}"

    @property
    def holds(self) -> bool:
        """Whether the limit is kept."""
        return self.limit is None or self.milliseconds <= self.limit


def timed(work: Callable[[], object]) -> float:
    """Return how many milliseconds ``work`` took."""
    begun = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - begun)


def clocked(work: Callable[[], object]) -> tuple[float, float]:
    """Return how many milliseconds ``work`` took, and how many of them were spent computing."""
    cpu = time.process_time()
    return timed(work), 1000 * (time.process_time() - cpu)


def disk(folder: Path) -> Figure:
    """Measure the least that saving a megabyte can take here: the file, its folder and one more file must last."""

    def once(number: int) -> None:
        for name, size in (("file", 1 << 20), ("row", 4096)):
            with (folder / f"{name}-{number}").open("wb") as file:
                file.write(os.urandom(size))
                file.flush()
                os.fsync(file.fileno())
            if name == "file":
                handle = os.open(folder, os.O_RDONLY)
                os.fsync(handle)
                os.close(handle)

    return Figure(
        "the disk alone, median of 20",
        float(np.median([timed(lambda number=number: once(number)) for number in range(20)])),
    )


def at_95(values: Iterable[float]) -> float:
    """Return the 95th percentile."""
    return float(np.percentile(list(values), 95))


def text(rng: random.Random) -> str:
    """Return a sentence of 5 to 25 common words and one that is rare."""
    return " ".join([*rng.choices(_WORDS, k=rng.randint(5, 25)), f"{rng.randrange(10**6):06d}."])


def takes(folder: Path, count: int) -> list[Figure]:
    """Fill ``folder`` with ``count`` takes; the figures of the takes."""
    rng = random.Random(1)
    with opened(folder) as store:
        library = TakeLibrary(store)
        for number in range(count):
            (take,) = made(text(rng), length=2000, seed=number)
            library.add(take)
    return [*_opening(folder), *_searching(folder, rng), *_adding(folder, rng)]


def _opening(folder: Path) -> list[Figure]:
    def look() -> None:
        with opened(folder) as store:
            library = TakeLibrary(store)
            times.append(1000 * (time.perf_counter() - begun))
            assert len(library.page().takes) == min(PAGE, library.count())
            times.append(1000 * (time.perf_counter() - begun))

    times: list[float] = []
    for _ in range(5):
        begun = time.perf_counter()
        look()
    return [
        Figure("takes: open the folder, slowest of 5", max(times[::2])),
        Figure("takes: open the folder and list the newest 100, slowest of 5", max(times[1::2]), 1000),
    ]


def _searching(folder: Path, rng: random.Random) -> list[Figure]:
    rare = [f"{rng.randrange(10**6):06d}"[: rng.randint(3, 6)] for _ in range(50)]
    common = [" ".join(rng.sample(_WORDS, k=rng.randint(1, 3))) for _ in range(100)]
    letters = [rng.choice(_WORDS)[:2] for _ in range(30)]
    with opened(folder) as store:
        library = TakeLibrary(store)
        library.page()
        by_kind = {
            kind: [clocked(lambda query=query: library.page(query=query)) for query in queries]
            for kind, queries in (("rare words", rare), ("common words", common), ("two letters", letters))
        }
        pages = []
        after = library.page().after
        while after is not None:
            begun = time.perf_counter()
            after = library.page(after=after).after
            pages.append(1000 * (time.perf_counter() - begun))
    together = [each for times in by_kind.values() for each in times]
    figures = [_of_searches(f"for {kind}", times, None) for kind, times in by_kind.items()]
    figures.append(_of_searches("of all kinds", together, 50))
    return figures + ([Figure(f"takes: a further page of 100, p95 of {len(pages)}", at_95(pages))] if pages else [])


def _of_searches(name: str, times: list[tuple[float, float]], limit: float | None) -> Figure:
    wall, work = zip(*times, strict=True)
    return Figure(f"takes: search {name}, p95 of {len(times)}", at_95(wall), limit, at_95(work))


def _adding(folder: Path, rng: random.Random) -> list[Figure]:
    def fresh(number: int, person: bool) -> Take:
        return made(text(rng), length=48000 * _SECONDS, seed=10**6 + number, voice=VOICE if person else None)[0]

    figures = []
    with opened(folder) as store:
        library = TakeLibrary(store)
        for person, name in ((False, "designed"), (True, "of a person, encrypted")):
            ready = [fresh(number + 100 * person, person) for number in range(41)]
            wall, work = zip(*(clocked(lambda take=take: library.add(take)) for take in ready), strict=True)
            middle = float(np.median(wall[1:]))
            figures.append(
                Figure(f"takes: add one of {_SECONDS} s, {name}, median of 40", middle, 20, float(np.median(work[1:])))
            )
            figures.append(Figure(f"takes: add one of {_SECONDS} s, {name}, p95", at_95(wall[1:])))
        uids = [take.uid for take in library.page(limit=20).takes]
        figures.append(
            Figure("takes: a rating, p95 of 20", at_95(timed(lambda u=u: library.mark(u, rating=3)) for u in uids))
        )
        figures.append(
            Figure(
                "takes: move to the bin, p95 of 20", at_95(timed(lambda u=u: library.move_to_bin([u])) for u in uids)
            )
        )
        figures.append(Figure("takes: empty the bin of 20", timed(library.empty_bin)))
    return figures


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 when a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.store_speed", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"all, or some of {', '.join(PARTS)}")
    parser.add_argument("--count", type=int, default=10_000, help="how many of each (default 10000)")
    parser.add_argument("--folder", type=Path, help="where to (default: a temporary folder)")
    options = parser.parse_args(arguments)
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"nothing is called {', '.join(sorted(unknown))}")
    held = True
    with tempfile.TemporaryDirectory(prefix="voxcpm-speed-", dir=options.folder) as place:
        sys.stdout.write(f"{disk(Path(place))}\n")
        for part in options.parts or PARTS:
            module, _, name = PARTS[part].partition(":")
            begun = time.perf_counter()
            for figure in getattr(importlib.import_module(module), name)(Path(place) / "data", options.count):
                held &= figure.holds
                sys.stdout.write(f"{figure}\n")
            sys.stdout.write(f"{part}: {options.count} made and measured in {time.perf_counter() - begun:.0f} s\n")
            sys.stdout.flush()
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())

"""Kill children at seeded moments and check what they leave: ``python -m tests.kill --count 200 --seed 1``."""

from __future__ import annotations

import argparse
import collections
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.kill.scenario import Journal, Scenario, read_journal
from tests.kill.scenarios import SCENARIOS

ROOT = Path(__file__).resolve().parents[2]
_LIMIT = 60.0
_POINTS = (
    "before COMMIT",
    "after COMMIT",
    "fsync",
    "replace",
    "unlink",
    "before DELETE",
    "after INSERT",
    "after BEGIN",
)


@dataclass
class Tally:
    """What came of it. ``steps`` were acknowledged, ``torn`` kills fell into a step."""

    kills: int = 0
    steps: int = 0
    torn: int = 0
    problems: list[str] = field(default_factory=list)
    points: collections.Counter[str] = field(default_factory=collections.Counter)


def draw(rng: random.Random) -> tuple[str, int]:
    """Draw when a child dies: a point and its number, or ``time`` and milliseconds after its first word."""
    kind = rng.random()
    if kind < 0.4:
        return "any", int(1.5 ** rng.uniform(4, 17))  # 5 .. 985: the start and the long run alike
    if kind < 0.7:
        return rng.choice(_POINTS), rng.randint(1, 25)
    return "time", rng.randint(0, 250)


def kill_once(scenario: Scenario, folder: Path, seed: str, point: str, count: int) -> Journal:
    """Run a child until it dies by the given moment; return what it said.

    Raises:
        RuntimeError: the child ended in another way; its last words are in the message.
    """
    argv = [sys.executable, "-m", "tests.kill.child", scenario.name, str(folder), seed, point, str(count)]
    child = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout and child.stderr
    errors: list[bytes] = []
    listener = threading.Thread(target=lambda: errors.append(child.stderr.read()))  # type: ignore[union-attr]
    listener.start()
    overdue = threading.Timer(_LIMIT, child.kill)
    overdue.start()
    output = child.stdout.readline() if point == "time" else b""
    if point == "time":
        time.sleep(count / 1000)  # the moment itself is what is tried
        child.kill()
    output += child.stdout.read()
    code = child.wait()
    late = not overdue.is_alive()
    overdue.cancel()
    listener.join()
    child.stdout.close()
    child.stderr.close()
    if code != -signal.SIGKILL or late:
        raise RuntimeError(f"the child ended by itself with {code}: {errors[0].decode(errors='replace')[-2000:]}")
    return read_journal(output)


def run(count: int, seed: int, names: list[str] | None = None, report=lambda line: None, jobs: int = 1) -> Tally:
    """Kill ``count`` times, in turns over the scenarios. The same seed draws the same moments.

    ``jobs`` > 1 goes through several scenarios at once, each in its order: they share nothing.
    """
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="voxcpm-kill-") as place:
        chosen: list[Scenario] = [kind() for kind in SCENARIOS if not names or kind.name in names]
        for scenario in chosen:
            (Path(place) / scenario.name).mkdir()
        lanes = [chosen[start :: min(jobs, len(chosen))] for start in range(min(jobs, len(chosen)))]
        counting = threading.Lock()

        def go(lane: list[Scenario]) -> None:
            for number in range(count):
                scenario = chosen[number % len(chosen)]
                if tally.problems:
                    return  # what follows would only repeat it
                if scenario in lane:
                    _kill_and_check(scenario, Path(place) / scenario.name, number, seed, tally, counting, report)

        with ThreadPoolExecutor(len(lanes)) as pool:
            for done in [pool.submit(go, lane) for lane in lanes]:
                done.result()
    return tally


def _kill_and_check(
    scenario: Scenario, folder: Path, number: int, seed: int, tally: Tally, counting: threading.Lock, report: Any
) -> None:
    point, at = draw(random.Random(f"{seed} {number}"))
    where = f"kill {number} ({scenario.name}, seed {seed}, {point} {at})"
    scenario.prepare(folder)
    try:
        journal = kill_once(scenario, folder, f"{seed} {number} steps", point, at)
    except RuntimeError as error:
        tally.problems.append(f"{where}: {error}")
        return
    found = scenario.check(folder, journal)
    with counting:
        tally.kills += 1
        tally.steps += len(journal.done)
        tally.torn += journal.begun is not None
        tally.points[point] += 1
        tally.problems += [f"{where}: {problem}" for problem in found]
    report(f"{where}: {len(journal.done)} steps, then {journal.begun}: {'; '.join(found) or 'all there'}")


def main(argv: list[str] | None = None) -> int:
    """Run from the command line; 0 when nothing was lost."""
    parser = argparse.ArgumentParser(prog="python -m tests.kill", description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="how many kills (default 200)")
    parser.add_argument("--seed", type=int, default=0, help="which moments (default 0)")
    parser.add_argument("--scenario", action="append", choices=[kind.name for kind in SCENARIOS], help="only these")
    parser.add_argument("--jobs", type=int, default=1, help="how many scenarios at once (default 1)")
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for each kill")
    args = parser.parse_args(argv)
    say = lambda line: print(line, flush=True) if args.verbose else None  # noqa: E731, T201
    began = time.perf_counter()
    tally = run(args.count, args.seed, args.scenario, say, args.jobs)
    points = ", ".join(f"{name} {number}" for name, number in tally.points.most_common())
    print(  # noqa: T201
        f"{tally.kills} kills in {time.perf_counter() - began:.0f} s ({points}); {tally.steps} steps acknowledged, "
        f"{tally.torn} kills fell into a step; {len(tally.problems)} problems"
    )
    for problem in tally.problems:
        print(problem)  # noqa: T201
    return 1 if tally.problems or tally.kills != args.count else 0


if __name__ == "__main__":
    sys.exit(main())

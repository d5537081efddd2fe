"""``python -m tests.hardening.errors``: the disk is full or does not answer, at every point of everything that saves.

Each action is done with the k-th write, fsync, rename or making of a file failing, for every k, with ENOSPC and with
EIO, once and from there on; below Python, SQLite's own writes are among the points. Then on a disk of 2 MiB with less
and less room, and on a disk that is mounted for reading only. After each failure everything that was saved before must
be readable, the action have happened wholly or not at all, and doing it again, once the disk is well, must work.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import errno
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.core.audit_chain import AuditFileError
from app.core.consent.problems import ConsentError
from app.core.project_file import ProjectError
from app.core.safe_zip import BundleError
from app.core.store.errors import StoreError
from app.core.take_store import TakeError
from app.marks.errors import ExportError, MarkError
from tests.hardening.actions import ACTIONS, Action, RefusedError
from tests.hardening.faults import Faults, injected, prepare
from tests.hardening.world import State, Things, World, build, look

OURS = (
    StoreError,
    ProjectError,
    ConsentError,
    TakeError,
    BundleError,
    MarkError,
    ExportError,
    AuditFileError,
    RefusedError,
)
CODES = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO}
WAYS = tuple((name, persistent) for name in CODES for persistent in (False, True))
ROOM = (0, 4, 12, 24, 48, 96, 160, 256, 400)  # KiB that are left on the small disk


@dataclass
class Tally:
    """What came of it."""

    runs: int = 0
    refused: int = 0
    absorbed: int = 0
    missed: int = 0  # the run came to its end before the point that was to fail
    kinds: collections.Counter[str] = field(default_factory=collections.Counter)
    points: collections.Counter[str] = field(default_factory=collections.Counter)
    problems: list[str] = field(default_factory=list)


class Bench:
    """Worlds to break: copies of one that is built once. ``place`` is a folder for them."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.things = Things()
        build(place / "base", self.things)
        self.before = look(place / "base")
        self.tally = Tally()
        self._after: dict[str, tuple[State, list[str]]] = {}

    def expected(self, action: Action) -> tuple[State, list[str]]:
        """What is to be seen after ``action``, and the points that it comes to."""
        if action.name not in self._after:
            folder = self.copy(action, self.place / "count")
            with World(folder) as world:
                if not action.opens:
                    world.open()
                with injected(Faults(folder)) as counted:
                    action.do(world, self.things)
                    if action.opens:
                        world.close()
            self._after[action.name] = look(folder), counted.points
            shutil.rmtree(folder)
        return self._after[action.name]

    def copy(self, action: Action, folder: Path) -> Path:
        """A fresh world, ready for ``action``."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.place / "base", folder)
        if action.prepare is not None:
            action.prepare(folder, self.things)
        return folder

    def try_out(
        self,
        action: Action,
        folder: Path,
        where: str,
        failing: Callable[[], Any],
        heal: Callable[[], None],
        readonly: bool = False,
    ) -> None:
        """Do ``action`` while the disk fails, look, and do it again once it is well."""
        after, _ = self.expected(action)
        self.tally.runs += 1
        world = World(folder, readonly=readonly)
        try:
            if not action.opens:
                world.open()
            try:
                with failing():
                    action.do(world, self.things)
                    if action.opens:
                        world.close()
                failed = None
            except OURS as error:
                failed = error
            except Exception as error:
                self._problem(f"{where}: {type(error).__name__} is no class of ours: {error}")
                failed = error
            heal()
            self._judge(action, world, where, failed, after)
        except Exception as error:
            self._problem(f"{where}: afterwards {type(error).__name__}: {error}")
        finally:
            with contextlib.suppress(Exception):
                world.close()

    def _judge(self, action: Action, world: World, where: str, failed: Exception | None, after: State) -> None:
        damaged = action.name == "restore"
        if failed is None:
            self.tally.absorbed += 1
        else:
            self.tally.refused += 1
            self.tally.kinds[type(failed).__name__] += 1
            said = str(failed)
            if isinstance(failed, OURS) and (said.count(".") < 2 or "Errno" in said or "Error" in said):
                self._problem(f"{where}: the message does not say what happened and what to do: {said}")
        if not (damaged and failed is not None):
            seen = look(world.folder)
            if seen != after and (failed is None or seen != self.before):
                what = f"after {type(failed).__name__}" if failed else "done"
                self._problem(f"{where}: {what}, but {difference(self.before if failed else after, seen)}")
                return
            if seen == after:
                return
        if action.opens or world.readonly:
            world.close()
            world = World(world.folder)
        action.do(world, self.things)
        world.close()
        seen = look(world.folder)
        if seen != after:
            self._problem(f"{where}: done again, but {difference(after, seen)}")

    def _problem(self, said: str) -> None:
        self.tally.problems.append(said)

    # -- the three kinds of bad disks ---------------------------------------------------------------------------------

    def inject(self, action: Action, every: int = 1, ways: Sequence[tuple[str, bool]] = WAYS) -> None:
        """Let each ``every``-th point fail, in each of the ``ways``."""
        _, points = self.expected(action)
        self.tally.points.update(points)
        for name, persistent in ways:
            for at in range(1, len(points) + 1, every):
                folder = self.copy(action, self.place / "run")
                faults = Faults(folder, at, CODES[name], persistent)
                since = "from" if persistent else "at"
                where = f"{action.name}, {name} {since} point {at} of {len(points)} ({points[at - 1]})"
                self.try_out(action, folder, where, lambda faults=faults: injected(faults), lambda: None)
                self.tally.missed += not faults.hits

    def fill(self, action: Action, room: int) -> None:
        """A real disk of 2 MiB that fills up while the program runs, until ``room`` KiB are left."""
        self.expected(action)
        with mounted(self.place / "small", "-t", "tmpfs", "-o", "size=2m", "tmpfs") as disk:
            folder = self.copy(action, disk / "world")
            filler = disk / "filler"

            @contextlib.contextmanager
            def failing() -> Iterator[None]:
                with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
                    while file.write(b"\0" * 4096):
                        pass
                os.truncate(filler, max(0, filler.stat().st_size - room * 1024))
                yield

            where = f"{action.name}, 2 MiB with {room} KiB left"
            self.try_out(action, folder, where, failing, filler.unlink)

    def lock(self, action: Action) -> None:
        """A real disk that may only be read: all that was saved is there to be seen, and nothing can be changed."""
        self.expected(action)
        with mounted(self.place / "small", "-t", "tmpfs", "-o", "size=8m", "tmpfs") as disk:
            folder = self.copy(action, disk / "world")
            _mount("-o", "remount,ro", str(disk))
            where = f"{action.name}, read-only disk"
            if action.name != "restore" and look(folder, readonly=True) != self.before:
                self._problem(f"{where}: what was saved is not there to be seen")
            heal = lambda: _mount("-o", "remount,rw", str(disk))  # noqa: E731
            self.try_out(action, folder, where, contextlib.nullcontext, heal, readonly=not action.opens)


@contextlib.contextmanager
def mounted(place: Path, *options: str) -> Iterator[Path]:
    """Mount a disk at ``place``. PermissionError where that is not allowed."""
    place.mkdir(exist_ok=True)
    _mount(*options, str(place))
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False, capture_output=True)


def _mount(*options: str) -> None:
    done = subprocess.run(["mount", *options], check=False, capture_output=True, text=True)
    if done.returncode:
        raise PermissionError(done.stderr.strip() or "mounting is not allowed here")


def may_mount(place: Path) -> str:
    """Why nothing can be mounted here; empty when it can."""
    try:
        with mounted(place / "trial", "-t", "tmpfs", "-o", "size=64k", "tmpfs"):
            return ""
    except (OSError, PermissionError) as error:
        return str(error)


def difference(wanted: State, seen: State) -> str:
    """What is not as it should be."""
    return "; ".join(
        f"{name}: {_short(wanted[name])} became {_short(seen[name])}" for name in wanted if wanted[name] != seen[name]
    )


def _short(value: object) -> str:
    return repr(value)[:300]


def main(argv: list[str] | None = None) -> int:
    """Run from the command line; 0 when nothing was lost."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.hardening.errors",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--every", type=int, default=1, help="fail only each n-th point (default 1: all)")
    parser.add_argument("--action", action="append", help="only actions whose name holds this")
    parser.add_argument("-v", "--verbose", action="store_true", help="a line for each action")
    args = parser.parse_args(argv)
    logging.disable(logging.CRITICAL)
    prepare()
    began = time.perf_counter()
    chosen = [action for action in ACTIONS if not args.action or any(part in action.name for part in args.action)]
    with tempfile.TemporaryDirectory(prefix="voxcpm-errors-", dir=quick_folder()) as place:
        bench = Bench(Path(place))
        no_mount = may_mount(Path(place))
        for action in chosen:
            bench.inject(action, args.every)
            if not no_mount:
                for room in ROOM:
                    bench.fill(action, room)
                bench.lock(action)
            if args.verbose:
                print(f"{action.name}: {len(bench.expected(action)[1])} points", flush=True)  # noqa: T201
    tally = bench.tally
    if no_mount:
        print(f"not tried on real disks: {no_mount}")  # noqa: T201
    counted = ", ".join(f"{name} {number}" for name, number in tally.points.most_common())
    print(  # noqa: T201
        f"{tally.runs} failures of the disk in {len(chosen)} actions, {time.perf_counter() - began:.0f} s "
        f"({counted} points, each four ways); refused {tally.refused} times "
        f"({', '.join(f'{name} {number}' for name, number in tally.kinds.most_common())}), done all the same "
        f"{tally.absorbed} times, {tally.missed} never came to their point; {len(tally.problems)} problems"
    )
    for problem in tally.problems[:60]:
        print(problem)  # noqa: T201
    return 1 if tally.problems else 0


def quick_folder() -> str | None:
    """A folder in memory where there is one: fsync is not what is measured."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


if __name__ == "__main__":
    sys.exit(main())

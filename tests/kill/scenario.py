"""What a scenario is: something that a child does until it is killed, and what must be true afterwards."""

from __future__ import annotations

import json
import os
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

Step = dict[str, Any]


@dataclass(frozen=True)
class Journal:
    """What the child said: the steps it acknowledged, in order, and the one it had begun when it died, if any."""

    done: tuple[Step, ...]
    begun: Step | None


class Say:
    """How the child tells its parent. A write to a pipe that has returned outlasts the killing of the writer."""

    def begin(self, step: Step) -> None:
        """Say what comes next, before any of it."""
        self._write({"begin": step})

    def done(self, step: Step) -> None:
        """Acknowledge: from now on this must never be lost."""
        self._write({"done": step})

    @staticmethod
    def _write(message: dict[str, Step]) -> None:
        os.write(1, json.dumps(message).encode() + b"\n")  # one write: a line is there or it is not


def read_journal(output: bytes) -> Journal:
    """Read what ``Say`` wrote."""
    done: list[Step] = []
    begun: Step | None = None
    for line in output.splitlines():
        message = json.loads(line)
        if "begin" in message:
            begun = message["begin"]
        else:
            done.append(message["done"])
            begun = None
    return Journal(tuple(done), begun)


class Scenario(Protocol):
    """One object per series of kills, in the parent; another one per kill, in the child, which only runs ``act``.

    The folder stays from kill to kill, so that the scenario goes on with what the killed one left.
    """

    name: str

    def prepare(self, folder: Path) -> None:
        """In the parent, before each child: make what it needs, such as an old database to migrate."""

    def act(self, folder: Path, rng: random.Random, say: Say) -> None:
        """In the child: do steps without end, each between ``say.begin`` and ``say.done``."""

    def check(self, folder: Path, journal: Journal) -> list[str]:
        """In the parent: return what is wrong, for people. The step that was begun may have happened or not."""

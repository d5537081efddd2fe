"""The batch plan: which rows are computed together, with which seeds. Stored, and replayed as it is after a stop.

What is computed along changes the last bits of a take: the same plan on the same machine gives the same samples.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from app.core.atomic_file import write_atomically
from app.core.messages import MAX_SEED
from app.core.store import errors

FILE = "dub-plan.json"
FORMAT = 1
_LARGEST = 64 << 20
# Odd, and about 2**32 / golden ratio: neighbouring rows get seeds far apart.
_SPREAD = 0x9E3779B1


class PlanError(ValueError):
    """The plan cannot be read; the message says what to do."""


@dataclass(frozen=True)
class Row:
    """One take to be made: of which cue, of what (see ``cues.made_of``), under which id, with which seed.

    ``anchor``: the id of the take that it goes on from; "" for none.
    """

    cue: str
    made_of: str
    take: str
    seed: int
    anchor: str = ""


@dataclass(frozen=True)
class Plan:
    """Groups of rows, each computed as one batch. ``first_seed`` and ``used`` give the seeds of further rows."""

    plan_id: str
    first_seed: int
    used: int = 0
    groups: tuple[tuple[Row, ...], ...] = ()
    model: str = ""
    surroundings: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def new(cls, seed: int, model: str, surroundings: dict[str, Any]) -> Plan:
        """An empty plan. ``surroundings``: what the sums depend on besides (device, threads, ...)."""
        return cls(str(uuid.uuid4()), seed, model=model, surroundings=surroundings)

    def row(self, cue: str, made_of: str, anchor: str = "") -> tuple[Plan, Row]:
        """Return a further row, with an id and a seed of its own, and the plan that has used them up."""
        take = str(uuid.uuid5(uuid.UUID(self.plan_id), f"{cue} {made_of} {self.used}"))
        row = Row(cue, made_of, take, (self.first_seed + self.used * _SPREAD) % (MAX_SEED + 1), anchor)
        return replace(self, used=self.used + 1), row

    def with_groups(self, groups: Sequence[Sequence[Row]]) -> Plan:
        """The plan with further groups at its end."""
        return replace(self, groups=(*self.groups, *(tuple(group) for group in groups)))


def write_plan(folder: Path, plan: Plan) -> None:
    """Store a plan in the folder of its project; when this returns, it lasts. Raises the StoreErrors of files."""
    data = {"format": FORMAT, **asdict(plan)}
    with errors.files(folder):
        write_atomically(folder / FILE, json.dumps(data, indent=1).encode())


def read_plan(folder: Path) -> Plan | None:
    """Return the plan of a project; None when there is none yet.

    Raises:
        PlanError: it is damaged, or of a newer version.
    """
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        with errors.files(path):
            if path.stat().st_size > _LARGEST:
                raise ValueError("too large")
            raw = json.loads(path.read_bytes())
        if raw.pop("format") != FORMAT:
            raise ValueError("another version")
        groups = tuple(tuple(Row(**row) for row in group) for group in raw.pop("groups"))
        plan = Plan(groups=groups, **raw)
        uuid.UUID(plan.plan_id)
        rows = [row for group in plan.groups for row in group]
        if not all(isinstance(row.seed, int) and uuid.UUID(row.take) for row in rows) or not isinstance(plan.used, int):
            raise ValueError("a field of another kind")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise PlanError(
            f"{path} cannot be read ({type(error).__name__}). Delete it: what was made stays, the rest is planned anew."
        ) from error
    return plan

"""Which takes of a dub are made together, and which lines go on from which."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.core.dubbing.cues import Cue, Dub, Role
from app.core.dubbing.editing import Dubbing
from app.core.dubbing.lines import LONGEST_WHOLE
from app.core.dubbing.pauses import parts_of
from app.core.dubbing.plan import Plan, Row
from app.core.messages import VoiceSpec

MOST_TAKES = 3
_ANCHOR_CHARACTERS = (20, 200)  # shorter ones carry too little of a voice, longer ones cost in every line

SpecOf = Callable[[Role], VoiceSpec | None]


@dataclass(frozen=True)
class MakeOptions:
    """How takes are made. ``takes`` 1..3 for each cue, ``together`` rows at most in one batch.

    ``steady``: characters without a saved voice go on from their first good line, so that they stay the same person.
    """

    seed: int = 0
    takes: int = 1
    together: int = 8
    steps: int = 10
    cfg: float | None = None
    temperature: float | None = None
    min_patches: int = 2
    max_patches: int = 4096
    retries: int = 3
    retry_ratio: float = 6.0
    normalize: bool = False
    steady: bool = False
    decided: frozenset[str] = frozenset()
    """Categories of sensitive text that a person has decided about."""


class Planner:
    """Adds what ``dubbing`` lacks to its plan. ``spec_of`` gives the voice of a role."""

    def __init__(self, dubbing: Dubbing, options: MakeOptions, spec_of: SpecOf) -> None:
        self._dubbing, self._options, self._spec_of = dubbing, options, spec_of

    def with_groups(self, plan: Plan, cues: Sequence[Cue], dub: Dub) -> Plan:
        """The plan with groups for ``cues``.

        Rows of one role are together, those of like length: a short one in a batch of long ones wastes its place. Texts
        that are spoken sentence by sentence gain nothing by company, and stand alone: after a kill each is kept.
        """
        by_role: dict[Role, list[Cue]] = {}
        for cue in cues:
            by_role.setdefault(dub.role_of(cue), []).append(cue)
        groups: list[list[Row]] = []
        for role, own in by_role.items():
            rows: list[tuple[int, Row]] = []
            alone: list[list[Row]] = []
            anchor_take = self._known_anchor(plan, role, dub)
            anchor = None if anchor_take else self._anchor_cue(own, role, dub)
            if anchor is not None:
                plan, row = plan.row(anchor.cue_id, self._dubbing.key_of(anchor, dub))
                groups.append([row])
                anchor_take = row.take
            for cue in own:
                spoken = self._dubbing.spoken(cue, dub)
                is_long = any(len(part.text) > LONGEST_WHOLE for part in parts_of(spoken)[1])
                for _ in range(self._options.takes - (cue is anchor)):
                    plan, row = plan.row(cue.cue_id, self._dubbing.key_of(cue, dub), anchor_take)
                    if is_long:
                        alone.append([row])
                    else:
                        rows.append((len(spoken), row))
            rows.sort(key=lambda pair: -pair[0])
            size = self._options.together
            groups += alone
            groups += [[row for _, row in rows[start : start + size]] for start in range(0, len(rows), size)]
        return plan.with_groups(groups)

    def _known_anchor(self, plan: Plan, role: Role, dub: Dub) -> str:
        """The take that lines of this role go on from already; "" for none."""
        if not self._options.steady:
            return ""
        roles = {cue.cue_id: dub.role_of(cue) for cue in dub.cues}
        rows = (row for group in reversed(plan.groups) for row in group)
        return next((row.anchor for row in rows if row.anchor and roles.get(row.cue) == role), "")

    def _anchor_cue(self, cues: Sequence[Cue], role: Role, dub: Dub) -> Cue | None:
        if not self._options.steady or self._spec_of(role) is not None or len(cues) < 2:
            return None
        least, most = _ANCHOR_CHARACTERS
        fitting = [
            cue
            for cue in cues
            if least <= len(spoken := self._dubbing.spoken(cue, dub)) <= most and len(parts_of(spoken)[1]) == 1
        ]
        return fitting[0] if fitting else None

"""The property tests for as long as one likes: ``python -m tests.long_properties --steps 2000 --changes 1000``.

A machine that keeps a model beside the real thing is added to ``MACHINES``: its name and where its class is. A seeded
loop of one-byte changes that all must be seen is added to ``CHANGES``: a function of an empty folder and a count.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

MACHINES: dict[str, str] = {
    "store": "tests.app.store.test_store_model:StoreMachine",
    "consent": "tests.app.consent.test_verify:Life",
    "voices": "tests.app.voices.test_voices_model:VoicesMachine",
    "audit": "tests.app.core.test_audit_model:AuditMachine",
    "takes": "tests.app.takes.test_take_model:TakesMachine",
    "project": "tests.app.core.test_project_model:ProjectMachine",
    "dub": "tests.app.dubbing.test_editing_model:DubMachine",
    "undo": "tests.app.core.test_undo:UndoMachine",
}
CHANGES: dict[str, str] = {
    "voice-bundle": "tests.app.voices.test_voice_bundle:change_the_bundle",
    "voice-bundle-record": "tests.app.voices.test_voice_bundle:change_the_record",
    "audit-log": "tests.app.core.test_audit:change_the_log",
    "audit-export": "tests.app.core.test_audit:change_the_export",
}
_EACH = 100  # steps of one run at most: hypothesis bounds how many choices a run can make
_RUNS = 12  # fewer, and hypothesis tries little but the smallest runs


def counted(machine: type[RuleBasedStateMachine], counts: list[int]) -> type[RuleBasedStateMachine]:
    """Return the machine with ``counts`` filled: for each run the number of steps that it took."""

    def __init__(self: Any) -> None:  # noqa: N807
        machine.__init__(self)
        counts.append(-1)  # the invariants are also looked at before the first step

    def check_invariants(self: Any, *more: Any, **named: Any) -> None:
        counts[-1] += 1
        machine.check_invariants(self, *more, **named)

    return type(machine.__name__, (machine,), {"__init__": __init__, "check_invariants": check_invariants})


def found(where: str) -> Any:
    """Return what ``module:attribute`` names."""
    module, _, attribute = where.partition(":")
    return getattr(importlib.import_module(module), attribute)


def run(name: str, steps: int) -> list[int]:
    """Run one machine until it took ``steps`` steps; return how many each run took. Raises what the machine raises.

    What hypothesis tries first is the simplest run, the same rule again and again: it is not counted.
    """
    counts: list[int] = []
    while sum(counts) < steps:
        tried: list[int] = []
        run_state_machine_as_test(
            counted(found(MACHINES[name]), tried),
            settings=settings(
                max_examples=_RUNS, stateful_step_count=_EACH, deadline=None, database=None,
                suppress_health_check=list(HealthCheck), phases=[Phase.generate, Phase.shrink],
            ),
        )  # fmt: skip
        counts += tried[1:]
    return counts


def main(arguments: list[str] | None = None) -> int:
    """Run machines and changes; what finds a difference ends it with a traceback."""
    parser = argparse.ArgumentParser(prog="python -m tests.long_properties", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"all, or some of {', '.join([*MACHINES, *CHANGES])}")
    parser.add_argument("--steps", type=int, default=2000, help="of each machine (default 2000)")
    parser.add_argument("--changes", type=int, default=1000, help="of each kind of file (default 1000)")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(MACHINES) - set(CHANGES):
        parser.error(f"nothing is called {', '.join(sorted(unknown))}")
    for name in options.names or [*MACHINES, *CHANGES]:
        begun = time.perf_counter()
        if name in MACHINES:
            counts = run(name, options.steps)
            said = f"{sum(counts)} steps in {len(counts)} runs, the longest {max(counts)}"
        else:
            with tempfile.TemporaryDirectory() as folder:
                found(CHANGES[name])(Path(folder), options.changes)
            said = f"{options.changes} one-byte changes, all seen"
        sys.stdout.write(f"{name}: {said}; {time.perf_counter() - begun:.0f} s\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())

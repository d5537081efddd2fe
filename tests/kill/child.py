"""The process that is killed: ``python -m tests.kill.child SCENARIO FOLDER SEED POINT COUNT``."""

from __future__ import annotations

import random
import sys
from pathlib import Path

from tests.kill.points import die_at
from tests.kill.scenario import Say
from tests.kill.scenarios import SCENARIOS

if __name__ == "__main__":
    name, folder, seed, point, count = sys.argv[1:]
    (kind,) = (kind for kind in SCENARIOS if kind.name == name)
    if point != "time":
        die_at(point, int(count))
    kind().act(Path(folder), random.Random(seed), Say())

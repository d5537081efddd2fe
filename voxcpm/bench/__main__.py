"""``python -m voxcpm.bench``."""

import sys

from voxcpm.bench import run

sys.exit(run(sys.argv[1:]))

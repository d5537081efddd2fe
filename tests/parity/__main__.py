"""``python -m tests.parity FOLDER [--json]``: compare with every recording in a folder laid out like the parity data.

The last line of output is one JSON object with ``passed``, ``failed``, ``failures`` and ``not_compared``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from tests.parity import generate, lora, modules, others, train, vae
from tests.parity.folder import Vectors, find
from tests.parity.report import Report
from voxcpm.pins import ALLOW_UNKNOWN

KNOWN = {module.FILE for module in (modules, vae, generate, train, lora)} | {others.BF16}


def check_vectors(vectors: Vectors) -> None:
    """All files of one checkpoint."""
    modules.check(vectors)
    vae.check(vectors)
    generate.check(vectors)
    train.check(vectors)
    lora.check(vectors)
    others.check_bf16(vectors)
    others.check_trimming(vectors)
    for file in set(vectors.manifest.get("files", {})) - KNOWN:
        vectors.report.leave_out(f"{vectors.name}/{file}", "no rule knows this file")


def run(root: Path, *, plain: bool = False) -> Report:
    """Compare everything in ``root``."""
    report = Report()
    for vectors in find(root, report, plain=plain):
        check_vectors(vectors)
    others.check_tokens(root, report)
    return report


def main() -> int:
    """Entry of ``python -m tests.parity``."""
    parser = argparse.ArgumentParser(prog="python -m tests.parity", description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true", help="print nothing but the closing JSON line")
    parser.add_argument("--plain", action="store_true", help="run with every speed-up off")
    options = parser.parse_args()
    os.environ.setdefault(ALLOW_UNKNOWN, "1")  # whoever gives a folder to compare with knows where it comes from
    if not (options.folder / "vectors").is_dir():
        parser.error(f"{options.folder} has no vectors folder")
    report = run(options.folder, plain=options.plain)
    if not options.json:
        for failure in report.failures:
            sys.stdout.write(f"FAILED {failure['key']}: {failure['problem']}\n")
        for left in report.left_out:
            sys.stdout.write(f"not compared {left['key']}: {left['reason']}\n")
    sys.stdout.write(json.dumps(report.summary(), ensure_ascii=False) + "\n")
    return 1 if report.failures or not report.passed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Write a bill of materials (CycloneDX 1.6, JSON): what the environment holds, with versions and licences.

    pip install 'voxcpm-studio[sbom]' && python packaging/sbom.py --out sbom.cdx.json

Run by the Python of the environment to be listed, or name it: ``--python .venv/bin/python``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("sbom.cdx.json"), help="where to (default sbom.cdx.json)")
    parser.add_argument("--python", default=sys.executable, help="Python of the environment (default: this one)")
    options = parser.parse_args()
    command = [
        sys.executable, "-m", "cyclonedx_py", "environment", options.python,
        "--pyproject", str(ROOT / "pyproject.toml"),
        "--spec-version", "1.6", "--output-format", "JSON", "--output-reproducible", "--output-file", str(options.out),
    ]  # fmt: skip
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

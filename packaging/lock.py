"""Write packaging/requirements.lock: every library of the studio and its checks, with version and SHA-256.

    python packaging/lock.py            # the versions that are installed here, for this Python and system
    python packaging/lock.py --newest   # the newest versions of the same libraries

Run it in the environment that the checks passed in. torch is not in
the list: which build of it (CPU or CUDA) is taken is for whoever installs, see packaging/bootstrap. The lock is for
the system that it was made on, which its first lines say.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "packaging" / "requirements.lock"
BUILDERS = ("editables", "hatchling", "pip")  # what installs this folder itself, without fetching anything more
LEFT_OUT = ("torch", "triton")  # and what only builds for NVIDIA bring
_HEAD = """\
# Made by packaging/lock.py; do not edit. For {system}, Python {python}. torch is left out: see packaging/bootstrap.
# packaging/bootstrap installs by it when VOXCPM_LOCKED=1: pip --no-deps --require-hashes -r packaging/requirements.lock
"""


def needed() -> dict[str, str]:
    """Name and version of everything that the studio and its checks need, as it is installed here, and the builders."""
    found: dict[str, str] = {}
    waiting = [("voxcpm-studio", frozenset({"", "dev"})), *((name, frozenset({""})) for name in BUILDERS)]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            about = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            found.setdefault(name, "")  # pip takes the newest
            continue
        found[name] = about.version
        for text in about.requires or ():
            wanted = Requirement(text)
            if wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in extras):
                waiting.append((canonicalize_name(wanted.name), frozenset({"", *wanted.extras})))
    return found


def resolved(libraries: dict[str, str], *, newest: bool) -> list[dict[str, Any]]:
    """What pip would fetch for them."""
    pinned = [name if newest or not version else f"{name}=={version}" for name, version in libraries.items()]
    with tempfile.TemporaryDirectory() as temporary:
        report = Path(temporary, "report.json")
        command = [
            sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--no-deps",
            "--report", str(report), *pinned,
        ]  # fmt: skip
        subprocess.run(command, check=True)
        found: list[dict[str, Any]] = json.loads(report.read_text(encoding="utf-8"))["install"]
    return found


def is_left_out(name: str) -> bool:
    """Whether it is this program, or comes with whichever torch is chosen."""
    return name == "voxcpm-studio" or name in LEFT_OUT or name.startswith(("nvidia-", "cuda-"))


def lines_of(found: list[dict[str, Any]]) -> list[str]:
    """A line for each library, sorted; RuntimeError for one without a hash."""
    lines = []
    for each in found:
        name = canonicalize_name(each["metadata"]["name"])
        digest = each["download_info"].get("archive_info", {}).get("hashes", {}).get("sha256")
        if not digest:
            raise RuntimeError(f"pip knows no SHA-256 of {name}; its index does not say it")
        lines.append(f"{name}=={each['metadata']['version']} --hash=sha256:{digest}")
    return sorted(lines)


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--newest", action="store_true", help="do not keep the versions that are installed here")
    options = parser.parse_args()
    libraries = {name: version for name, version in needed().items() if not is_left_out(name)}
    lines = lines_of(resolved(libraries, newest=options.newest))
    head = _HEAD.format(system=f"{platform.system()} {platform.machine()}", python=platform.python_version())
    LOCK.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} libraries in {LOCK.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

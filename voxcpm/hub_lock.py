"""The lock file of a models folder: which revision of each model was taken, and the sha256 of every file."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voxcpm.errors import DownloadError
from voxcpm.files import write_atomically

LOCK_NAME = "models.lock.json"
_LOCK_VERSION = 1


@dataclass(frozen=True)
class Pin:
    """What the lock file says about one model. ``files`` is empty until the first download is complete."""

    repo: str
    revision: str
    files: dict[str, dict[str, Any]] = field(default_factory=dict)  # name -> {"size": int, "sha256": str}


def read_pins(dest: Path) -> dict[str, Pin]:
    """Read the lock file of a models folder; a folder without one has no pins.

    Raises:
        DownloadError: the lock file is not readable as one.
    """
    path = dest / LOCK_NAME
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        if raw["version"] != _LOCK_VERSION:
            raise ValueError(f"version {raw['version']!r}")
        return {name: Pin(str(p["repo"]), str(p["revision"]), dict(p["files"])) for name, p in raw["models"].items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DownloadError(f"{path} cannot be read ({error}). Move it away to record the models anew.") from error


def write_pin(dest: Path, name: str, pin: Pin) -> None:
    """Record one model, leaving the others as they are; the file is replaced in one step."""
    pins = read_pins(dest)
    pins[name] = pin
    models = {n: {"repo": p.repo, "revision": p.revision, "files": p.files} for n, p in sorted(pins.items())}
    text = json.dumps({"version": _LOCK_VERSION, "models": models}, indent=2) + "\n"
    write_atomically(dest / LOCK_NAME, text.encode())


def problems(target: Path, pin: Pin, *, hashes: bool) -> list[str]:
    """Name what is wrong with a downloaded folder: missing files, other sizes and, on demand, other contents."""
    found = []
    for name, known in pin.files.items():
        path = target / name
        if not path.is_file():
            found.append(f"{name} is missing")
        elif path.stat().st_size != known["size"]:
            found.append(f"{name} has {path.stat().st_size} bytes instead of {known['size']}")
        elif hashes:
            with path.open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != known["sha256"]:
                    found.append(f"{name} has changed")
    return found

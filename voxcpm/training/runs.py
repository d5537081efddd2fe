"""The folder of one training run: checkpoints that are whole or not there, and the log.

Layout: ``run.json`` (what was chosen), ``log.jsonl``, ``step-00000200/`` (one folder per checkpoint: weights, the
optimizer's state, ``state.json``), ``samples/``, and at the end ``final/``. A checkpoint is written under another name
and renamed when every byte is on disk; ``state.json`` lists its files and sizes.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voxcpm.errors import CheckpointError
from voxcpm.files import write_atomically

logger = logging.getLogger(__name__)

STATE = "state.json"
_NAME = re.compile(r"step-(\d{8})")


@dataclass(frozen=True)
class Saved:
    """A complete checkpoint."""

    folder: Path
    step: int
    state: dict[str, Any]


class RunFolder:
    """Paths and files of one run. One process writes; others may read at any time."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)

    @property
    def choices_file(self) -> Path:
        """What the run was started with."""
        return self.path / "run.json"

    @property
    def log_file(self) -> Path:
        """One JSON object a line."""
        return self.path / "log.jsonl"

    @property
    def final(self) -> Path:
        """The result."""
        return self.path / "final"

    # Choices

    def write_choices(self, choices: Mapping[str, Any]) -> None:
        """Note what the run is started with. Raises ``OSError``."""
        self.path.mkdir(parents=True, exist_ok=True)
        write_atomically(self.choices_file, (json.dumps(choices, indent=2, ensure_ascii=False) + "\n").encode())

    def read_choices(self) -> dict[str, Any]:
        """What the run was started with; :class:`CheckpointError` if it is no run."""
        try:
            raw = json.loads(self.choices_file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise CheckpointError(f"{self.path} holds no training run ({error}); start one first") from error
        if not isinstance(raw, dict):
            raise CheckpointError(f"{self.choices_file} is no JSON object; start the run again")
        return raw

    # Checkpoints

    def checkpoints(self) -> tuple[list[Saved], list[str]]:
        """Complete ones, oldest first, and a note for each that is not."""
        found, notes = [], []
        for folder in sorted(self.path.glob("step-*")):
            if not _NAME.fullmatch(folder.name):
                continue
            try:
                state = json.loads((folder / STATE).read_text(encoding="utf-8"))
                short = [n for n, size in state["files"].items() if (folder / n).stat().st_size != size]
                if short:
                    raise ValueError(f"{', '.join(short)} has another size than when it was written")
                found.append(Saved(folder, int(state["step"]), state))
            except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
                notes.append(f"checkpoint {folder.name} is not complete ({error}) and is skipped")
        notes += [f"{part.name} was not finished and is skipped" for part in sorted(self.path.glob(".step-*.part"))]
        return found, notes

    def save(self, step: int, state: Mapping[str, Any], write: Callable[[Path], None]) -> Saved:
        """Let ``write`` fill a folder, and make it the checkpoint of ``step`` in one move. Raises ``OSError``."""
        name = f"step-{step:08d}"
        part, folder = self.path / f".{name}.part", self.path / name
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        write(part)
        files = {f.name: f.stat().st_size for f in sorted(part.iterdir())}
        whole = {**state, "step": step, "files": files}
        (part / STATE).write_text(json.dumps(whole, indent=2), encoding="utf-8")
        for file in part.iterdir():
            _to_disk(file)
        _to_disk(part)
        if folder.exists():  # of an attempt that a resumed run repeats
            self._remove(folder)
        os.rename(part, folder)
        _to_disk(self.path)
        return Saved(folder, step, whole)

    def prune(self, keep: int, besides: int | None = None) -> None:
        """Remove all but the newest ``keep`` checkpoints and the one of step ``besides``, and what was not finished."""
        found, _ = self.checkpoints()
        for saved in found[:-keep]:
            if saved.step != besides:
                self._remove(saved.folder)
        for part in (*self.path.glob(".step-*.part"), *self.path.glob(".old-*")):
            shutil.rmtree(part, ignore_errors=True)

    def _remove(self, folder: Path) -> None:
        # Renamed first: a removal that is cut short must not leave half a checkpoint under its name.
        gone = folder.with_name(f".old-{folder.name}")
        shutil.rmtree(gone, ignore_errors=True)
        os.rename(folder, gone)
        shutil.rmtree(gone, ignore_errors=True)

    # Log

    def append(self, event: Mapping[str, Any]) -> None:
        """One line for the log. Raises ``OSError``."""
        with self.log_file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(event, ensure_ascii=False) + "\n")

    def log(self) -> list[dict[str, Any]]:
        """All events; a last line that was cut off is left out."""
        events = []
        try:
            lines = self.log_file.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        for line in lines:
            try:
                events.append(json.loads(line))
            except ValueError:
                logger.info("a line of %s was cut off", self.log_file.name)
        return events

    def cut_log(self, step: int) -> None:
        """Forget what came after ``step``: a resumed run does those steps again."""
        kept = [event for event in self.log() if event.get("step", 0) <= step]
        content = "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in kept)
        write_atomically(self.log_file, content.encode())


def _to_disk(path: Path) -> None:
    if path.is_dir() and os.name == "nt":
        return  # folders cannot be opened there, and renames are on disk when they return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

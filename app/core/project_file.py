"""The file of a project: read strictly, written atomically, with the previous good one beside it."""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.core.atomic_file import write_atomically
from app.core.project_parts import Data, PartError, PartType, check_plain
from app.core.store import errors

log = logging.getLogger(__name__)

FORMAT = "voxcpm-project"
VERSION = 1
FILE, PREVIOUS, BEFORE = "project.json", "project.previous.json", "project.before-upgrade.json"
DAMAGED = "project.damaged.json"
LARGEST = 64 << 20  # bytes


class ProjectError(Exception):
    """Base of what can go wrong with a project."""


class ProjectMissingError(ProjectError):
    """The folder holds no project."""


class ProjectDamagedError(ProjectError):
    """Neither the file of the project nor the one before can be read."""


class ProjectNewerError(ProjectError):
    """A newer version of the studio made it."""


class ProjectInUseError(ProjectError):
    """Another window has it open."""


@dataclass(frozen=True)
class Content:
    """What a project file holds. ``parts``: known ones, of today's version; ``others``: name -> as it was found."""

    project_id: str
    parts: dict[str, Data]
    others: dict[str, Any]
    upgraded: tuple[str, ...] = ()

    def to_bytes(self, types: Sequence[PartType]) -> bytes:
        """Return the file."""
        parts = {each.name: {"version": each.version, "data": self.parts[each.name]} for each in types}
        fields = {"format": FORMAT, "version": VERSION, "id": self.project_id, "parts": {**self.others, **parts}}
        return (json.dumps(fields, ensure_ascii=False, allow_nan=False, indent=1) + "\n").encode("utf-8")


def parse(data: bytes, types: Sequence[PartType]) -> Content:
    """Read a project file.

    Raises:
        ProjectNewerError: the file, or a part of it, is of a newer version.
        ValueError: it is not one, or is damaged.
    """
    try:
        fields = json.loads(data.decode("utf-8"), parse_constant=_refuse)
        check_plain(fields)  # or it would open, and never be saved again
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise ValueError("not the file of a project")
    _refuse_newer("it", fields.get("version"), VERSION)
    project_id, found = fields.get("id"), fields.get("parts")
    if not isinstance(project_id, str) or not project_id or not isinstance(found, dict):
        raise ValueError("a field is missing or of another kind")
    parts: dict[str, Data] = {}
    upgraded: list[str] = []
    for each in types:
        held = found.get(each.name)
        if held is None:
            parts[each.name] = each.new()
            continue
        if not isinstance(held, dict) or not isinstance(held.get("data"), dict):
            raise PartError(f"{each.name} is damaged")
        version = _refuse_newer(f"its part {each.name}", held.get("version"), each.version)
        parts[each.name] = each.upgraded(version, held["data"])
        if version < each.version:
            upgraded.append(each.name)
    others = {name: held for name, held in found.items() if name not in parts}
    return Content(project_id, parts, others, tuple(upgraded))


def read(folder: Path, types: Sequence[PartType]) -> tuple[Content, bytes, list[str]]:
    """Read the project in ``folder``: its content, the bytes it was read from, and what people should know.

    Where the file is damaged the previous good one is read. Nothing is changed on the disk.

    Raises:
        ProjectMissingError, ProjectNewerError, ProjectDamagedError: see there.
        StoreError: a file is there and cannot be read.
    """
    faults: list[str] = []
    for name in (FILE, PREVIOUS):
        path = folder / name
        try:
            with errors.files(path):
                if path.stat().st_size > LARGEST:
                    raise ValueError("too large")
                data = path.read_bytes()
            content = parse(data, types)
        except errors.StoreAccessError as error:
            if not isinstance(error.__cause__, FileNotFoundError | NotADirectoryError):
                raise
            faults.append(f"{name} is not there")
        except ValueError as error:
            log.warning("%s cannot be used: %s", name, type(error).__name__)
            faults.append(f"{name} is damaged ({error})")
        else:
            notes = [f"{faults[0]}; the project is as it was saved before that."] if faults else []
            return content, data, notes
    if all(fault.endswith("is not there") for fault in faults):
        raise ProjectMissingError(f"There is no project in {folder}. Choose the folder that holds {FILE}.")
    raise ProjectDamagedError(f"The project in {folder} cannot be read: {'; '.join(faults)}. Restore it from a copy.")


def write(folder: Path, data: bytes, good: bytes | None) -> None:
    """Put ``data`` in place of the project file, and ``good``, what it replaces, beside it. When it returns, it lasts.

    A file that is there and is neither of both (damaged) is set aside first.

    Raises:
        DiskFullError, ReadOnlyError, StoreAccessError: the project on the disk is as it was.
    """
    path = folder / FILE
    with errors.files(path):
        if good is not None:
            write_atomically(folder / PREVIOUS, good)
            with contextlib.suppress(FileNotFoundError):
                if path.read_bytes() != good:
                    path.replace(folder / DAMAGED)
        write_atomically(path, data)


def _refuse(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def _refuse_newer(what: str, found: object, known: int) -> int:
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise ValueError("a version is missing")
    if found > known:
        raise ProjectNewerError(
            f"The project was made by a newer version of the studio ({what} has version {found}, this one knows "
            f"{known}). Open it there."
        )
    return found

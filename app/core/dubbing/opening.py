"""From a file of any kind to an open project: subtitles, a script or a text become one; a project is opened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.core.dubbing.cues import Cue
from app.core.dubbing.editing import TYPES, Dubbing
from app.core.dubbing.imported import ImportRefusedError
from app.core.dubbing.reading import Form, read_cues
from app.core.dubbing.remarks import Remark
from app.core.project import Project
from app.core.project_file import FILE, ProjectError, ProjectMissingError
from app.core.store import errors

SUFFIX = ".dub"
_MOST_NUMBERED = 1000
_LONGEST_NAME = 100


@dataclass(frozen=True)
class Opened:
    """An open project; ``remarks``: what was skipped or repaired, None where no file was read."""

    project: Project
    remarks: tuple[Remark, ...] | None = None


def open_any(path: Path, form: Form = "auto") -> Opened:
    """Open a project (its folder, or the file in it), or make one of a file, beside it.

    A project that was made of the same file goes on; where one of that name holds other cues, the new one gets a
    number.

    Raises:
        ImportRefusedError: nothing in the file can be spoken. ProjectError: the project cannot be opened.
        StoreError: the disk does not give or take it.
    """
    if path.is_dir():
        return Opened(Project.open(path, types=TYPES))
    if path.name == FILE:
        return Opened(Project.open(path.parent, types=TYPES))
    if not path.is_file():
        raise ImportRefusedError(f"{path.name} is not there any more. Open another file.")
    with errors.files(path):
        data = path.read_bytes()
    imported = read_cues(data, path.name, form)
    for number in range(1, _MOST_NUMBERED):
        name = path.stem if number == 1 else f"{path.stem} {number}"
        project = _opened_for(path.with_name(name + SUFFIX), name, imported.cues)
        if project is not None:
            return Opened(project, imported.remarks)
    raise ProjectError(f"There are {_MOST_NUMBERED} projects of {path.name} already. Move some of them away.")


def facts_of(cue: Cue) -> tuple[Any, ...]:
    """What a cue has from the file that it was read from."""
    return cue.text, cue.start, cue.end, cue.character, cue.style, cue.before


def _opened_for(folder: Path, name: str, cues: tuple[Cue, ...]) -> Project | None:
    """The project of these cues in ``folder``, made if need be; None where another one stands."""
    try:
        project = Project.open(folder, types=TYPES)
    except ProjectMissingError:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            return None
        project = Project.create(folder, name[:_LONGEST_NAME] or "Dub", types=TYPES)
    dubbing = Dubbing(project)
    held = dubbing.dub.cues
    if not held:
        dubbing.add(cues)
        project.save()
    elif [facts_of(cue) for cue in held] != [facts_of(cue) for cue in cues]:
        project.close()
        return None
    return project

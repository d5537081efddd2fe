"""An open project: a folder that can be copied to another machine, with undo, and saved whenever something changed.

Takes and voices are named by their ids and stay in the library. Files of its own lie below ``files``, named by their
content. See ``project_parts`` for what it holds and ``project_file`` for how it is kept.
"""

from __future__ import annotations

import copy
import logging
import threading
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from app.core import project_file, undo
from app.core.atomic_file import write_atomically
from app.core.project_file import Content, ProjectError, ProjectInUseError
from app.core.project_files import ProjectFiles
from app.core.project_parts import CHOSEN, DRAFTS, GENERAL, PARTS, Data, PartType, check_plain
from app.core.settings import Settings
from app.core.store import errors
from app.core.undo import Command, UndoStack

log = logging.getLogger(__name__)

MOST_RECENT = 10
_LOCK = ".lock"


@dataclass(frozen=True)
class Snapshot:
    """A moment of a project, ready to be written by another thread."""

    revision: int
    data: bytes


class Project:
    """One project. Changed by one thread; ``write`` may be called by another. Make one with ``create`` or ``open``."""

    def __init__(
        self, folder: Path, types: Sequence[PartType], content: Content, good: bytes | None, lock: FileLock | None
    ) -> None:
        self.folder = folder
        self.project_id = content.project_id
        self.notes: list[str] = []
        self.files = ProjectFiles(folder)
        self._types = {each.name: each for each in types}
        self._parts = content.parts
        self._others = content.others
        self._good = good  # what lies on the disk and can be read
        self._lock = lock
        self._undo = UndoStack()
        self._revision = 0
        self._written = 0
        self._writing = threading.Lock()

    @classmethod
    def create(cls, folder: Path, name: str, *, types: Sequence[PartType] = PARTS) -> Project:
        """Make a project in ``folder``, which must be new or empty, and save it.

        Raises:
            ProjectError: there is something in the folder.
            PartError: the name will not do.
            StoreError: it cannot be written.
        """
        content = Content(str(uuid.uuid4()), {each.name: each.new() for each in types}, {})
        content.parts[GENERAL.name]["name"] = name
        GENERAL.check(content.parts[GENERAL.name])
        with errors.files(folder):
            if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
                raise ProjectError(f"{folder} is not empty. Choose a new folder for the project.")
            folder.mkdir(parents=True, exist_ok=True)
        project = cls(folder, types, content, None, _locked(folder))
        try:
            project.write(project.snapshot())
        except BaseException:
            project.close()
            raise
        return project

    @classmethod
    def open(cls, folder: Path, *, types: Sequence[PartType] = PARTS, readonly: bool = False) -> Project:
        """Open a project. ``notes`` then has what people should know, such as that the previous save was read.

        Raises:
            ProjectMissingError, ProjectDamagedError, ProjectNewerError, ProjectInUseError: see there.
            StoreError: it cannot be read.
        """
        content, data, notes = project_file.read(folder, types)
        lock = None if readonly else _locked(folder)
        try:
            if lock is not None:  # it may have been saved between the look and the lock
                content, data, notes = project_file.read(folder, types)
            project = cls(folder, types, content, data, lock)
            project.notes = notes
            if content.upgraded and not readonly:
                with errors.files(folder):
                    write_atomically(folder / project_file.BEFORE, data)
            if content.upgraded or notes:
                project._revision = 1  # what lies on the disk is not this
        except BaseException:
            if lock is not None:
                lock.release()
            raise
        return project

    def close(self) -> None:
        """Let others open it. What was not saved is lost: ``save`` first."""
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def readonly(self) -> bool:
        """Whether it can be saved."""
        return self._lock is None

    @property
    def name(self) -> str:
        """What the project is called."""
        return str(self._parts[GENERAL.name]["name"])

    def part(self, name: str) -> Data:
        """Return the content of a part; the caller's own. KeyError for a part of no known type."""
        return copy.deepcopy(self._parts[name])

    # -- changing ---------------------------------------------------------------------------------------------

    def change(self, label: str, name: str, edit: Callable[[Data], None], *, merge: str = "") -> bool:
        """Let ``edit`` change a copy of a part, and take it over as one step that can be undone; False for no change.

        ``label`` says the step in words; ``merge``: see ``Command``.

        Raises:
            PartError: the part may not hold that; nothing was changed.
            KeyError: a part of no known type.
        """
        after = self.part(name)
        edit(after)
        check_plain(after)
        self._types[name].check(after)
        changes = tuple(undo.difference(self._parts[name], after, (name,)))
        if not changes:
            return False
        command = Command(label, changes, merge)
        undo.apply(self._parts, command)
        self._undo.push(command)
        self._revision += 1
        return True

    def rename(self, name: str) -> bool:
        """Give the project another name (one line, at most 200 characters). PartError for others."""
        return self.change("Rename the project", GENERAL.name, lambda data: data.update(name=name))

    def write_notes(self, text: str) -> bool:
        """Keep the notes as they are typed."""
        return self.change("Write notes", GENERAL.name, lambda data: data.update(notes=text), merge="notes")

    def write_draft(self, panel: str, field: str, text: str) -> bool:
        """Keep what is typed into a field of a panel; an empty text removes the draft."""

        key = f"{panel}.{field}"

        def edit(data: Data) -> None:
            data[key] = text
            if not text:
                del data[key]

        return self.change("Type", DRAFTS.name, edit, merge=f"draft {key}")

    def choose(self, takes: Sequence[str] | None = None, voices: Sequence[str] | None = None) -> bool:
        """Keep which takes and voices belong to the project, by id and in order; None leaves them as they are."""

        def edit(data: Data) -> None:
            data.update({} if takes is None else {"takes": list(takes)})
            data.update({} if voices is None else {"voices": list(voices)})

        return self.change("Choose takes and voices", CHOSEN.name, edit)

    @property
    def undo_label(self) -> str | None:
        """What ``undo`` would take back; None for nothing."""
        return self._undo.undo_label

    @property
    def redo_label(self) -> str | None:
        """What ``redo`` would do again; None for nothing."""
        return self._undo.redo_label

    def undo(self) -> Command | None:
        """Take the last step back and return it; None when there is none."""
        return self._moved(self._undo.undo(self._parts))

    def redo(self) -> Command | None:
        """Do again what was taken back last and return it; None when there is none."""
        return self._moved(self._undo.redo(self._parts))

    def end_typing(self) -> None:
        """Let what is typed next be a step of its own: the field was left."""
        self._undo.end_merging()

    def _moved(self, command: Command | None) -> Command | None:
        self._revision += command is not None
        return command

    # -- saving -----------------------------------------------------------------------------------------------

    @property
    def is_saved(self) -> bool:
        """Whether the disk holds the project as it is now."""
        return self._written == self._revision and self._good is not None

    def snapshot(self) -> Snapshot:
        """Return the project as it is now, to be written, maybe by another thread."""
        content = Content(self.project_id, self._parts, self._others)
        return Snapshot(self._revision, content.to_bytes(tuple(self._types.values())))

    def write(self, snapshot: Snapshot) -> None:
        """Put a snapshot on the disk, unless a later one is there. When it returns, it lasts.

        Raises:
            ReadOnlyError, DiskFullError, StoreAccessError: what was saved before is untouched.
        """
        if self._lock is None:
            raise errors.ReadOnlyError(f"The project in {self.folder} was opened for reading only. Save it elsewhere.")
        with self._writing:
            if self._good is not None and snapshot.revision <= self._written:
                return
            project_file.write(self.folder, snapshot.data, self._good)
            self._good, self._written = snapshot.data, snapshot.revision

    def save(self) -> bool:
        """Save what changed; False when nothing did. Raises as ``write``."""
        if self.is_saved:
            return False
        self.write(self.snapshot())
        return True


def remember_recent(settings: Settings, folder: Path) -> None:
    """Put a project in front of the recent ones, at most ten, each once."""
    wanted = str(folder.absolute())
    others = [entry for entry in settings.get("recent_projects") if entry != wanted]
    settings.set("recent_projects", [wanted, *others][:MOST_RECENT])


def recent_projects(settings: Settings) -> list[tuple[Path, bool]]:
    """Return the recent projects, newest first, and whether each is there now (a drive may be away)."""
    folders = [Path(entry) for entry in settings.get("recent_projects")]
    return [(folder, _is_project(folder)) for folder in folders]


def _is_project(folder: Path) -> bool:
    try:
        return (folder / project_file.FILE).is_file() or (folder / project_file.PREVIOUS).is_file()
    except OSError:
        return False


def _locked(folder: Path) -> FileLock:
    lock = FileLock(folder / _LOCK, mode=0o600, thread_local=False)  # opened, used and closed by several threads
    with errors.files(folder):
        try:
            lock.acquire(timeout=0)
        except Timeout as error:  # is an OSError too
            said = f"The project in {folder} is open in another window. Close it there first."
            raise ProjectInUseError(said) from error
    return lock

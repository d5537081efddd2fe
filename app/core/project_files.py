"""Files that belong to a project: copies of its own named by their content, or files elsewhere known by their content.

A reference is plain data that a part keeps, so it undoes and saves with the part. Paths in it are relative and use
``/``, so that the folder opens on another machine; what counts is the content.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from app.core.atomic_file import sync_names
from app.core.project_file import ProjectError
from app.core.project_parts import PartError
from app.core.store import errors

FOLDER = "files"
_PIECE = 1 << 20
_SUFFIX = re.compile(r"\.[a-z0-9]{1,8}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


class ProjectFileMissingError(ProjectError):
    """A file of a project is not where it was, and nowhere else that was looked at."""


class ProjectFileChangedError(ProjectError):
    """A file of a project is there with another content."""


@dataclass(frozen=True)
class FileReference:
    """A file by its content. ``name``: what it was called; ``path``: relative, "" for a copy of the project's own."""

    sha256: str
    size: int
    name: str
    path: str = ""

    def to_plain(self) -> dict[str, Any]:
        """Return what a part keeps."""
        return asdict(self)

    @classmethod
    def from_plain(cls, data: Any) -> FileReference:
        """Read what a part kept; PartError when it is no reference."""
        if not isinstance(data, dict) or data.keys() != {"sha256", "size", "name", "path"}:
            raise PartError("a reference to a file has sha256, size, name and path")
        sha256, size, name, path = (data[key] for key in ("sha256", "size", "name", "path"))
        right = (
            isinstance(sha256, str) and _SHA256.fullmatch(sha256)
            and isinstance(size, int) and not isinstance(size, bool) and size >= 0
            and isinstance(name, str) and isinstance(path, str)
        )  # fmt: skip
        if not right or "\\" in path or path.startswith("/") or PureWindowsPath(path).drive or "\0" in name + path:
            raise PartError("a reference to a file has a field of another kind")
        return cls(sha256, size, name, path)


class ProjectFiles:
    """The files of the project in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, source: Path) -> FileReference:
        """Copy a file into the project and return its reference; the same content is kept once. When it returns, the
        copy lasts.

        Raises:
            DiskFullError, ReadOnlyError, StoreAccessError: nothing was added.
        """
        part = self._folder / FOLDER / f"{uuid.uuid4().hex}.part"
        with errors.files(self._folder):
            part.parent.mkdir(exist_ok=True)
        try:
            digest, size = hashlib.sha256(), 0
            with errors.files(self._folder), part.open("xb") as target:
                for piece in _pieces(source):
                    digest.update(piece)
                    size += len(piece)
                    target.write(piece)
                target.flush()
                os.fsync(target.fileno())
            reference = FileReference(digest.hexdigest(), size, source.name)
            with errors.files(self._folder):
                part.replace(self._own(reference))
                sync_names(part.parent)
                sync_names(self._folder)
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
        return reference

    def refer(self, source: Path) -> FileReference:
        """Return a reference to a file that stays where it is (a film is large); StoreError when it cannot be read.

        On another drive than the project's the name alone is kept.
        """
        digest, size = _measured(source)
        try:
            path = Path(os.path.relpath(source.absolute(), self._folder.absolute())).as_posix()
        except ValueError:
            path = source.name
        return FileReference(digest, size, source.name, path)

    def find(self, reference: FileReference, places: Iterable[Path] = ()) -> Path:
        """Return where a file is now. ``places``: further folders to look in, such as where a moved one was found.

        Raises:
            ProjectFileMissingError: it is nowhere.
            ProjectFileChangedError: a file of its name is there, with another content.
            StoreError: a file cannot be read.
        """
        if not reference.path:
            candidates = [self._own(reference)]
        else:
            candidates = [self._folder / PurePosixPath(reference.path)]
            candidates += [place / reference.name for place in places if Path(reference.name).name == reference.name]
        changed = None
        for path in candidates:
            with errors.files(path):
                if path.is_file():
                    if path.stat().st_size == reference.size and _measured(path)[0] == reference.sha256:
                        return path
                    changed = path
        if changed is not None:
            raise ProjectFileChangedError(
                f"{changed} is not the file that the project was made with. Choose the right one."
            )
        raise ProjectFileMissingError(f"{reference.name} was not found. Say in which folder it is now.")

    def sweep(self, kept: Iterable[FileReference]) -> int:
        """Remove copies that no reference in ``kept`` names; return how many. Keep what undo may bring back as well."""
        names = {self._own(reference).name for reference in kept if not reference.path}
        removed = 0
        with errors.files(self._folder):
            folder = self._folder / FOLDER
            for path in list(folder.iterdir()) if folder.is_dir() else ():
                if path.name not in names:
                    path.unlink()
                    removed += 1
        return removed

    def _own(self, reference: FileReference) -> Path:
        suffix = Path(reference.name).suffix.lower()
        return self._folder / FOLDER / (reference.sha256 + (suffix if _SUFFIX.fullmatch(suffix) else ""))


def _pieces(path: Path) -> Iterator[bytes]:
    with errors.files(path), path.open("rb") as file:
        yield from iter(lambda: file.read(_PIECE), b"")


def _measured(path: Path) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    for piece in _pieces(path):
        digest.update(piece)
        size += len(piece)
    return digest.hexdigest(), size

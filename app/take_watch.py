"""Notices that other windows and commands wrote to the library, so that their takes show up without a restart."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication

from app.autosave import Autosave
from app.core.store.store import DATABASE_NAME

_SETTLE_MS = 700
"""A batch writes many times; one look after it is enough."""


class TakeWatch(QObject):
    """Lets ``autosave`` look again after the files changed, and when a person comes back to the window."""

    def __init__(self, autosave: Autosave, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._autosave = autosave
        self._files = QFileSystemWatcher(self)
        self._settle = QTimer(self, interval=_SETTLE_MS, singleShot=True)
        self._settle.timeout.connect(self._look)
        self._seen: list[tuple[int, int]] = []
        self._files.fileChanged.connect(lambda _: self._settle.start())
        autosave.restored.connect(self._begin)
        QGuiApplication.instance().applicationStateChanged.connect(self._state_changed)  # type: ignore[union-attr]

    def stop(self) -> None:
        """Look no more."""
        self._settle.stop()
        if self._files.files():
            self._files.removePaths(self._files.files())

    def _begin(self) -> None:
        self._watch()
        self._autosave.sync()  # from here on

    def _watch(self) -> None:
        watched = self._files.files()
        missing = [str(path) for path in self._paths() if str(path) not in watched and path.exists()]
        if missing:
            self._files.addPaths(missing)

    def _look(self) -> None:
        self._watch()  # a file that was replaced is another one
        written = self._written()
        if written != self._seen:  # a program that only opens the files is noticed as well
            self._seen = written
            self._autosave.sync()

    def _written(self) -> list[tuple[int, int]]:
        found = []
        for path in self._paths():
            try:
                status = path.stat()
            except OSError:
                continue
            found.append((status.st_mtime_ns, status.st_size))
        return found

    def _paths(self) -> list[Path]:
        return [Path(self._autosave.folder) / f"{DATABASE_NAME}{side}" for side in ("", "-wal")]

    def _state_changed(self, state: Qt.ApplicationState) -> None:
        if state is Qt.ApplicationState.ApplicationActive:
            self._settle.start()

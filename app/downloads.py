"""Downloads of published models: begun, paused, resumed, each in a child process; none at all while offline."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.children import LibraryCommand
from app.core.messages import Failure
from app.core.models import begun_bytes, default_models_folder, free_bytes
from app.core.published_models import published
from app.core.settings import Settings
from app.widgets.wording import memory_text

_OFFLINE = Failure(
    "The studio is offline, so nothing is downloaded. Switch Offline off in the settings, or choose a folder.",
    code="offline",
)
_SPARE_BYTES = 64_000_000  # beyond the model itself, as the library wants it


class DownloadState(Enum):
    """Where a model is on its way to this machine."""

    ABSENT = auto()
    RUNNING = auto()
    STOPPING = auto()
    PAUSED = auto()  # part of it is here and will be gone on with
    CHECKING = auto()
    HERE = auto()


@dataclass(frozen=True)
class Download:
    """How far one model is; bytes. ``total`` is 0 until the hub said it. ``failure`` is why it stopped by itself."""

    name: str
    state: DownloadState
    done: int = 0
    total: int = 0
    revision: str = ""
    failure: Failure | None = None
    checked: bool = False


class Downloads(QObject):
    """One object for all downloads of a window; ``Application`` closes it."""

    changed = Signal(str)  # name
    arrived = Signal(str, str)  # name, folder

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._commands: dict[str, LibraryCommand] = {}
        self._states: dict[str, Download] = {}
        settings.on_changed(self._setting_changed)

    @property
    def folder(self) -> Path:
        """The models folder."""
        return Path(self._settings.get("models_folder") or default_models_folder())

    def of(self, name: str) -> Download:
        """How far the model ``name`` is."""
        known = self._states.get(name)
        if known is not None and name in self._commands:
            return known
        found = self._look(name)
        if known is not None:  # what went wrong and what was checked is remembered as long as it is true
            same = known.state is found.state
            found = replace(found, failure=known.failure, checked=known.checked and same, revision=known.revision)
            if found.state is DownloadState.PAUSED:
                found = replace(found, total=known.total)
        return found

    def folder_of(self, name: str) -> Path:
        """Where the model ``name`` is, or would be."""
        return self.folder / name

    def start(self, name: str) -> None:
        """Fetch a model, or go on with it. Offline, or without room on the disk, it says why it does not."""
        if name in self._commands or self.of(name).state is DownloadState.HERE:
            return
        refusal = self._refusal(name)
        if refusal is not None:
            self._set(replace(self._look(name), failure=refusal))
            return
        options = ["--events", "--to", str(self.folder)]
        if self._settings.get("mirror"):
            options += ["--endpoint", self._settings.get("mirror")]
        self._run(replace(self.of(name), state=DownloadState.RUNNING, failure=None), *options)

    def pause(self, name: str) -> None:
        """Stop a download; what is here is kept."""
        if name in self._commands and self._states[name].state is DownloadState.RUNNING:
            self._set(replace(self._states[name], state=DownloadState.STOPPING))
            self._commands[name].stop()

    def check(self, name: str) -> None:
        """Compare every file of a model that is here with the checksums recorded when it came; without network."""
        if name not in self._commands and self.of(name).state is DownloadState.HERE:
            state = replace(self.of(name), state=DownloadState.CHECKING, failure=None, checked=False)
            self._run(state, "--verify", "--events", "--to", str(self.folder))

    def close(self) -> None:
        """Stop all downloads; they go on at the next start."""
        for command in self._commands.values():
            command.stop()  # all at once, so that waiting for one is waiting for all
        for command in self._commands.values():
            command.close()
        self._commands.clear()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _setting_changed(self, key: str) -> None:
        if key == "offline" and self._settings.get("offline"):
            for name in tuple(self._commands):
                self.pause(name)

    def _look(self, name: str) -> Download:
        if (self.folder / name / "config.json").is_file():
            return Download(name, DownloadState.HERE)
        begun = begun_bytes(self.folder, name)
        model = published(name)
        total = model.download_bytes if model else 0
        return Download(name, DownloadState.PAUSED if begun else DownloadState.ABSENT, begun, total)

    def _refusal(self, name: str) -> Failure | None:
        if self._settings.get("offline"):
            return _OFFLINE
        model = published(name)
        # The sizes are those of the published models; another one behind a mirror is measured by the library itself.
        left = model.download_bytes - begun_bytes(self.folder, name) + _SPARE_BYTES if model else 0
        free = free_bytes(self.folder)
        if not self._settings.get("mirror") and free < left:
            message = (
                f"{name} needs {memory_text(left)} and the disk has {memory_text(free)} left. Make room, or choose "
                "another folder for downloads in the settings."
            )
            return Failure(message, code="disk")
        return None

    def _run(self, state: Download, *options: str) -> None:
        name = state.name
        environment = {"HF_HUB_OFFLINE": "1"} if self._settings.get("offline") else {}
        command = LibraryCommand("download", name, *options, by_line=True, environment=environment, parent=self)
        self._commands[name] = command
        command.told.connect(lambda event: self._told(name, event))
        command.ended.connect(lambda code: self._ended(name, code))
        self._set(state)
        command.start()

    def _told(self, name: str, event: dict[str, Any]) -> None:
        state = self._states[name]
        match event.get("event"):
            case "progress":
                self._set(replace(state, done=int(event["done"]), total=int(event["total"])))
            case "done":
                self._states[name] = replace(state, revision=str(event["revision"]))
            case "failed":
                failure = Failure(str(event["message"]), code="download", details=str(event["kind"]))
                self._states[name] = replace(state, failure=failure)

    def _ended(self, name: str, code: int) -> None:
        self._commands.pop(name).deleteLater()
        state = self._states[name]
        checking = state.state is DownloadState.CHECKING
        failure = state.failure
        if failure is None and code and state.state is not DownloadState.STOPPING:
            failure = Failure(
                "The download ended unexpectedly. Start it again: it goes on where it was.", code="download"
            )
        found = replace(self._look(name), failure=failure, revision=state.revision, checked=checking and not code)
        self._states[name] = found if found.state is DownloadState.HERE else replace(found, total=state.total)
        self.changed.emit(name)
        if found.state is DownloadState.HERE and not checking:
            self.arrived.emit(name, str(self.folder / name))

    def _set(self, state: Download) -> None:
        self._states[state.name] = state
        self.changed.emit(state.name)

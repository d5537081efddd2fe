"""What model folders are and what the machine is, asked in a child process: the window itself loads no torch."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Signal

from app.children import LibraryCommand
from app.core.memory_need import Machine, Need, Size, need


class ModelFacts(QObject):
    """Answers come one by one and are kept until ``forget``; a folder that cannot be read has no answer."""

    known = Signal(str)  # folder

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._infos: dict[str, dict[str, Any] | None] = {}
        self._waiting: list[str] = []
        self._command: LibraryCommand | None = None
        self.machine: Machine | None = None

    def ask(self, folder: str) -> None:
        """Find out what is in ``folder``, unless that is known or asked already."""
        if folder and folder not in self._infos and folder not in self._waiting:
            self._waiting.append(folder)
            if self._command is None:
                self._next()

    def info_of(self, folder: str) -> dict[str, Any] | None:
        """What ``voxcpm info --json`` says; None while that is not known."""
        return self._infos.get(folder)

    def is_known(self, folder: str) -> bool:
        """Whether the question was answered, if only by a failure."""
        return folder in self._infos

    def forget(self, folder: str) -> None:
        """The folder has changed."""
        self._infos.pop(folder, None)

    def need(self, size: Size | None, device: str, dtype: str) -> Need | None:
        """What a model of ``size`` needs here; None while model or machine are not known, or without such a device."""
        return None if size is None or self.machine is None else need(size, self.machine, device, dtype)

    def close(self) -> None:
        """Ask nothing more."""
        self._waiting.clear()
        if self._command is not None:
            self._command.close()
            self._command = None

    def _next(self) -> None:
        folder = self._waiting[0]
        arguments = ("info", folder, "--machine", "--json")
        # It reads a folder: whatever the settings say, it needs no network.
        self._command = LibraryCommand(*arguments, by_line=False, environment={"HF_HUB_OFFLINE": "1"}, parent=self)
        self._command.answered.connect(lambda info: self._answered(folder, info))
        self._command.ended.connect(lambda code: self._ended(folder))
        self._command.start()

    def _answered(self, folder: str, info: dict[str, Any]) -> None:
        self.machine = Machine.from_dict(info["machine"])
        self._infos[folder] = info

    def _ended(self, folder: str) -> None:
        self._infos.setdefault(folder, None)
        self._waiting.remove(folder)
        if self._command is not None:
            self._command.deleteLater()
            self._command = None
        if self._waiting:
            self._next()
        self.known.emit(folder)

"""Commands of the library in a process of their own, so that neither torch nor a download gets into the window's."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, Signal

log = logging.getLogger(__name__)

_ROOT = Path(__file__).resolve().parents[1]
_END_MS = 300


class LibraryCommand(QObject):
    """``voxcpm COMMAND ...`` as a child. It stops when its standard input is closed, if it is one that looks."""

    told = Signal(object)  # each line of JSON, as a dict
    answered = Signal(object)  # the whole output as one dict, when it went well
    ended = Signal(int)  # exit code; negative when it never ran or crashed

    def __init__(self, *arguments: str, by_line: bool, environment: Mapping[str, str], parent: QObject) -> None:
        super().__init__(parent)
        self._by_line = by_line
        self._rest = b""
        self._over = False
        self._process = QProcess(self)
        self._process.setProgram(sys.executable)
        self._process.setArguments(["-m", "voxcpm.cli", *arguments])
        variables = QProcessEnvironment.systemEnvironment()
        paths = [str(_ROOT), variables.value("PYTHONPATH")]
        variables.insert("PYTHONPATH", ":".join(filter(None, paths)) if sys.platform != "win32" else ";".join(paths))
        for name, value in environment.items():
            variables.insert(name, value)
        self._process.setProcessEnvironment(variables)
        self._process.readyReadStandardOutput.connect(self._read)
        self._process.finished.connect(self._finished)
        self._process.errorOccurred.connect(self._failed)

    def start(self) -> None:
        """Start it; returns at once."""
        self._process.start()

    def stop(self) -> None:
        """Ask it to stop and keep what it has."""
        self._process.closeWriteChannel()

    def close(self) -> None:
        """End it within a moment. One that writes lines may stop by itself first; a download survives being killed."""
        self._over = True
        if self._process.state() == QProcess.ProcessState.NotRunning:
            return
        self._process.closeWriteChannel()
        if not self._by_line or not self._process.waitForFinished(_END_MS):
            self._process.kill()
            self._process.waitForFinished(_END_MS)

    def _read(self) -> None:
        self._rest += self._process.readAllStandardOutput().data()
        if not self._by_line:
            return
        *lines, self._rest = self._rest.split(b"\n")
        for line in lines:
            value = _dict_of(line)
            if value is not None and not self._over:
                self.told.emit(value)

    def _finished(self, code: int, status: QProcess.ExitStatus) -> None:
        self._read()
        if self._over:
            return
        self._over = True
        crashed = status is QProcess.ExitStatus.CrashExit
        if code or crashed:  # what it wrote to stderr may hold paths and is not logged
            log.info("A command of the library ended with %s", "a crash" if crashed else code)
        answer = _dict_of(self._rest) if not self._by_line else None
        if answer is not None and not code and not crashed:
            self.answered.emit(answer)
        self.ended.emit(-1 if crashed else code)

    def _failed(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart and not self._over:
            self._over = True
            log.error("A command of the library could not be started")
            self.ended.emit(-1)


def _dict_of(text: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None

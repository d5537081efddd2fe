"""One window for each data folder: a second start hands its arguments to the first window and ends.

Who is first is decided by a lock of the system on a file in the data folder, which ends with the program however that
ends. The socket is only for talking: one that a killed program left is taken over by whoever has the lock.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import stat
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock, Timeout
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from app.core.store.private import private_folder

log = logging.getLogger(__name__)

LOCK_NAME = "window.lock"
_PATIENCE_SECONDS = 10.0
_MOST_BYTES = 1 << 16
_SILENT_MS = 5000
_OK = b"ok\n"
_LONGEST_NAME = 100
"""Bytes of a socket's path: the system takes 107 (Linux) or 103 (macOS)."""


class NoAnswerError(Exception):
    """The first window does not answer."""


class SingleInstance(QObject):
    """Of all windows on ``folder`` one ``is_first``; it hears by ``asked`` what the others were started with."""

    asked = Signal(object)  # list of str: files and folders to open

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = _socket_name(folder)
        self._server: QLocalServer | None = None
        self._lock: FileLock | None = None
        self.is_first = True
        try:
            self._lock = FileLock(private_folder(folder) / LOCK_NAME, mode=0o600)
            self._lock.acquire(timeout=0)
        except Timeout:
            self._lock = None
            self.is_first = False
        except OSError:  # nothing can be written there, so there is nothing to keep apart either
            log.warning("The data folder cannot be locked", exc_info=True)
            self._lock = None
        if self._lock is not None and self._name:
            self._listen()

    def pass_on(self, files: Sequence[str], seconds: float = _PATIENCE_SECONDS) -> None:
        """Have the first window come to the front and open ``files``. It may be starting still, so it is given time.

        Raises NoAnswerError.
        """
        message = json.dumps(list(files)).encode() + b"\n"
        until = time.monotonic() + seconds
        while self._name and time.monotonic() < until:
            socket = QLocalSocket()
            socket.connectToServer(self._name)
            if socket.waitForConnected(1000):
                socket.write(message)
                if _answer(socket, until) == _OK:
                    return
            time.sleep(0.1)
        raise NoAnswerError("The studio is open already and does not answer. End it, then start it again.")

    def close(self) -> None:
        """Let another window be the first."""
        if self._server is not None:
            self._server.close()
            self._server = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _listen(self) -> None:
        server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        QLocalServer.removeServer(self._name)  # nobody alive has it: this program has the lock
        if not server.listen(self._name):
            log.warning("A second start cannot be noticed: %s", server.serverError().name)
            return
        server.newConnection.connect(self._connected)
        self._server = server

    def _connected(self) -> None:
        assert self._server is not None
        while (socket := self._server.nextPendingConnection()) is not None:
            heard = bytearray()
            socket.readyRead.connect(lambda socket=socket, heard=heard: self._read(socket, heard))
            socket.disconnected.connect(socket.deleteLater)
            QTimer.singleShot(_SILENT_MS, socket, socket.abort)  # one that says nothing is not kept
            if socket.bytesAvailable():
                self._read(socket, heard)

    def _read(self, socket: QLocalSocket, heard: bytearray) -> None:
        heard += bytes(socket.readAll().data())
        line, end, _ = bytes(heard).partition(b"\n")
        if not end and len(heard) <= _MOST_BYTES:
            return
        files = _files(line) if end else None
        heard.clear()
        if files is None:
            socket.abort()
            return
        socket.write(_OK)
        socket.flush()
        socket.disconnectFromServer()
        self.asked.emit(files)


def _answer(socket: QLocalSocket, until: float) -> bytes:
    heard = b""
    while not heard.endswith(b"\n") and (left := until - time.monotonic()) > 0:
        if not socket.waitForReadyRead(int(left * 1000)):
            break
        heard += bytes(socket.readAll().data())
    return heard


def _files(line: bytes) -> list[str] | None:
    """What a second start wants opened; None for anything that it would not say."""
    try:
        files = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return files if isinstance(files, list) and all(isinstance(each, str) for each in files) else None


def _socket_name(folder: Path) -> str:
    """A name for this folder in a place that is this user's alone; empty where there is none."""
    digest = hashlib.sha256(os.fsencode(folder.absolute())).hexdigest()[:16]
    name = f"voxcpm-studio-{digest}"
    if os.name == "nt":
        return name
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    for place in (Path(runtime) if runtime else None, Path(tempfile.gettempdir()) / f"voxcpm-studio-{os.getuid()}"):
        if place is None:
            continue
        try:
            if not runtime or place != Path(runtime):
                private_folder(place)
            found = place.lstat()
        except OSError:
            continue
        if len(os.fsencode(place / name)) > _LONGEST_NAME:
            continue
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
            return str(place / name)
    return ""

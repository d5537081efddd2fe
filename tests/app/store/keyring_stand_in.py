"""Keyrings for tests: secrets in a JSON file, which outlast a process, or failures of each kind."""

from __future__ import annotations

import json
import threading
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError


class FileKeyring(KeyringBackend):
    """Keeps secrets in ``path``; its priority is too low to be found by itself."""

    priority = 0.01

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.locked = False
        self._turn = threading.Lock()

    def _all(self) -> dict[str, str]:
        return json.loads(self.path.read_text()) if self.path.exists() else {}

    def _write(self, kept: dict[str, str]) -> None:
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(kept))
        part.replace(self.path)

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise KeyringLocked("locked")
        return self._all().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.locked:
            raise KeyringLocked("locked")
        with self._turn:
            self._write(self._all() | {f"{service} {username}": password})

    def delete_password(self, service: str, username: str) -> None:
        with self._turn:
            kept = self._all()
            if kept.pop(f"{service} {username}", None) is None:
                raise PasswordDeleteError("not there")
            self._write(kept)


class ForgetfulKeyring(FileKeyring):
    """Takes secrets and keeps none, as ``keyring.backends.null`` does."""

    def set_password(self, service: str, username: str, password: str) -> None:
        del service, username, password

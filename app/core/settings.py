"""What the studio remembers between starts: the values of the declared table, in one JSON file, written atomically."""

from __future__ import annotations

import contextlib
import copy
import json
import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import platformdirs

from app.core.atomic_file import write_atomically
from app.core.settings_table import TABLE, Setting, by_key, defaults

__all__ = ["APP_NAME", "FILE_NAME", "TABLE", "Setting", "Settings", "default_settings_file"]

log = logging.getLogger(__name__)

APP_NAME = "voxcpm-studio"
FILE_NAME = "settings.json"


def default_settings_file() -> Path:
    """Return where the settings of this user live."""
    return Path(platformdirs.user_config_dir(APP_NAME, appauthor=False)) / FILE_NAME


class Settings:
    """The remembered values, read once from ``path`` and written on ``save``.

    A damaged file is set aside as ``settings.json.damaged``; unusable values fall back to their defaults; both are
    told in ``notes``. What a newer version wrote is kept for it. A variable in ``environment`` that the table names
    counts instead of what was saved, and is not saved itself.
    """

    def __init__(self, path: Path, environment: Mapping[str, str] | None = None) -> None:
        self._path = path
        self._table = by_key()
        self._values = defaults()
        self._unknown: dict[str, Any] = {}
        self._forced: dict[str, Any] = {}
        self._listeners: list[Callable[[str], None]] = []
        self.notes: list[str] = []
        self._read()
        self._read_environment(os.environ if environment is None else environment)

    def get(self, key: str) -> Any:
        """Return the value that counts; the caller's own. Raises KeyError for a key that is not in the table."""
        return copy.deepcopy(self._forced[key] if key in self._forced else self._values[key])

    def set(self, key: str, value: Any) -> None:
        """Remember a value until ``save``; where a variable counts instead, it counts once that is gone.

        Raises:
            KeyError: the key is not in the table.
            ValueError: the table does not accept this value.
        """
        if not self._table[key].accepts(value):
            raise ValueError(f"the setting {key!r} does not take {value!r}")
        before = self.get(key)
        self._values[key] = copy.deepcopy(value)
        if self.get(key) != before:
            for listener in self._listeners:
                listener(key)

    def on_changed(self, listener: Callable[[str], None]) -> None:
        """Call ``listener`` with the key whenever another value counts than before."""
        self._listeners.append(listener)

    def forced_by(self, key: str) -> str:
        """Return the environment variable that counts instead of what is set here; empty for none."""
        return self._table[key].variable if key in self._forced else ""

    def save(self) -> bool:
        """Write all values; False (and a log line) when the folder cannot be written to."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            text = json.dumps({**self._unknown, **self._values}, ensure_ascii=False, indent=1)
            write_atomically(self._path, text.encode("utf-8", "surrogatepass"))
        except OSError:
            log.exception("The settings could not be saved")
            return False
        return True

    def _read(self) -> None:
        try:
            raw = json.loads(self._path.read_bytes().decode("utf-8", "surrogatepass"))
            if not isinstance(raw, dict):
                raise ValueError("not a JSON object")
        except FileNotFoundError:
            return
        except (OSError, ValueError, RecursionError):
            self._note("The settings file is damaged: defaults are used and the file is set aside")
            with contextlib.suppress(OSError):
                self._path.replace(self._path.with_name(FILE_NAME + ".damaged"))
            return
        for key, value in raw.items():
            setting = self._table.get(key)
            if setting is None:
                self._unknown[key] = value
            elif setting.accepts(value):
                self._values[key] = value
            else:
                self._note(f"The setting {key} is not used: its value is of another kind or out of range")

    def _read_environment(self, environment: Mapping[str, str]) -> None:
        for setting in self._table.values():
            text = environment.get(setting.variable) if setting.variable else None
            if text:
                try:
                    self._forced[setting.key] = setting.parse(text)
                except ValueError:
                    self._note(f"The variable {setting.variable} is not used: {setting.key} does not take its value")

    def _note(self, text: str) -> None:
        log.warning(text)
        self.notes.append(text)

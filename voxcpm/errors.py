"""Every kind of failure that the library raises. The message says what happened and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


class VoxCPMError(Exception):
    """Base of all errors raised on purpose by this package."""


class RequestError(VoxCPMError, ValueError):
    """A request that cannot be carried out, refused before any work.

    ``field`` names the argument at fault (``text``, ``seed``, ``reference``, ...).
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(f"{field}: {message}")
        self.field = field
        self.problem = message


class AudioError(VoxCPMError, ValueError):
    """Audio that can be neither used nor mended. ``reason`` is a stable short code such as ``too_short``."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class ConfigError(VoxCPMError, ValueError):
    """A config.json that is incomplete, contradictory or describes something this code does not run."""


class CheckpointError(VoxCPMError):
    """A checkpoint folder with missing, foreign, misshapen or unreadable parts."""


class UnknownPickleError(CheckpointError):
    """Pickled weights that nothing on this machine knows. ``path`` is the file."""

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(message)
        self.path = path


class DatasetError(VoxCPMError, ValueError):
    """A training manifest with errors, or with too little left to learn from. ``problems`` has a line for each."""

    def __init__(self, message: str, problems: Sequence[str] = ()) -> None:
        super().__init__("\n".join((message, *problems)))
        self.problems = tuple(problems)


class DownloadError(VoxCPMError):
    """A model could not be fetched; what was fetched so far is kept and resumed."""


class ConsentError(VoxCPMError):
    """A voice may not be used: its consent record is missing, expired or does not cover the purpose."""


class Cancelled(VoxCPMError):
    """The caller asked to stop."""

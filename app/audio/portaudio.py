"""The sound library, and what is told when there is none: shared by what plays and what records."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
_turn = threading.RLock()


class NoSound(Exception):  # noqa: N818 - says what is missing
    """Nothing can be played or recorded; the text is a reason for people. ``code``: library, device or failed."""

    def __init__(self, code: str, details: str = "") -> None:
        super().__init__(details or code)
        self.code = code
        self.details = details


@dataclass(frozen=True)
class AudioDevice:
    """A device that plays or records, as its sound system calls it; ``host`` is that system (ALSA, WASAPI, ...)."""

    name: str
    host: str

    @property
    def key(self) -> str:
        """What it is remembered by; numbers change from start to start."""
        return f"{self.name}\n{self.host}"


def in_turn(call: Callable[P, R]) -> Callable[P, R]:
    """One thread at a time: PortAudio allows no other, and streams are opened and closed in threads of their own."""

    @functools.wraps(call)
    def turned(*args: P.args, **options: P.kwargs) -> R:
        with _turn:
            return call(*args, **options)

    return turned


def named(sounds: Any, device: dict[str, Any]) -> AudioDevice:
    """The device of what PortAudio says of one; ``sounds`` is the library."""
    return AudioDevice(str(device["name"]), str(sounds.query_hostapis(device["hostapi"])["name"]))


def library() -> Any:
    """Return sounddevice, imported at the first question and not before. Raises NoSound where PortAudio is missing."""
    try:
        import sounddevice
    except (ImportError, OSError) as error:  # OSError: the PortAudio library is not installed
        raise NoSound("library", str(error)) from error
    return sounddevice

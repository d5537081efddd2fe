"""The lists that are in force: those that came with the studio, and the user's own lines beside the settings."""

from __future__ import annotations

import functools
import logging
from pathlib import Path

from app.core.atomic_file import write_atomically
from app.core.resources import resource_path
from app.core.sensitive import ListError, SensitiveLists, compile_lists
from app.core.settings import default_settings_file

log = logging.getLogger(__name__)

LANGUAGES = ("en", "zh")
FILE_NAME = "sensitive.txt"


def shipped_list(lang: str) -> str:
    """The list of a language (``en`` or ``zh``) as it came with the studio."""
    return resource_path("sensitive", f"{lang}.txt").read_text(encoding="utf-8")


def own_file() -> Path:
    """Where this user's own lines are; it need not exist."""
    return default_settings_file().with_name(FILE_NAME)


def read_own() -> str:
    """This user's own lines; empty when there are none. Raises ``OSError``, ``UnicodeDecodeError``."""
    path = own_file()
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def write_own(text: str) -> None:
    """Put own lines in place of the ones that were there.

    Raises :class:`ListError` for lines that cannot be understood, ``OSError``: the old ones stay.
    """
    compile_lists(*map(shipped_list, LANGUAGES), text)
    path = own_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text.encode("utf-8"))


def lists_in_force() -> SensitiveLists:
    """The lists with the user's own lines; without those, and a log line, when they cannot be understood."""
    try:
        state = own_file().stat()
    except OSError:
        return _compiled("")
    try:
        return _compiled_own(state.st_mtime_ns, state.st_size)
    except (OSError, UnicodeDecodeError, ListError) as error:
        log.warning("The user's own list of sensitive text is not used: %s", type(error).__name__)
        return _compiled("")


@functools.lru_cache(maxsize=1)
def _compiled_own(changed: int, size: int) -> SensitiveLists:
    """As the file was when it had this time and size."""
    return _compiled(read_own())


@functools.lru_cache(maxsize=2)
def _compiled(own: str) -> SensitiveLists:
    return compile_lists(*map(shipped_list, LANGUAGES), own)

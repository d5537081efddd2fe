"""The log file: rotated, and with ids, numbers and kinds of errors only, never texts, names or paths.

That does not hang on how carefully each line is written: whatever is put into a message is looked at here.
"""

from __future__ import annotations

import faulthandler
import logging
import logging.handlers
import re
import sys
import traceback
from pathlib import Path
from typing import IO, Any

LOG_NAME, CRASH_NAME = "studio.log", "crash.log"
_BYTES, _KEPT = 1_000_000, 2
_OWN = ("app", "voxcpm", "__main__")
_ID = re.compile(r"[0-9a-f]{4,}(-[0-9a-f]{4,})*|[0-9.]+")
_KIND = re.compile(r"[A-Z][A-Za-z]*(Error|Warning|Exit|Interrupt|Exception|Cancelled|Failure)")


class PrivateFormatter(logging.Formatter):
    """Writes a record without what people wrote or called something.

    Numbers and ids stay; of other texts only the length is written, of an error its kind and where it came from. Of
    records that other packages make only the place and the length are written.
    """

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        """Write one record; the record itself stays as it is for other handlers."""
        plain = logging.makeLogRecord(record.__dict__)
        plain.exc_text = None
        if record.name.split(".")[0] in _OWN:
            plain.args = _harmless_args(record.args)
        else:
            plain.msg, plain.args = "%d characters", (len(_message(record)),)
        return super().format(plain)

    def formatException(self, ei: Any) -> str:
        """Kinds of the error and its causes, and the places in the program; no messages."""
        lines = []
        error: BaseException | None = ei[1]
        seen: set[int] = set()
        while error is not None and id(error) not in seen:
            seen.add(id(error))
            lines.append(type(error).__name__)
            for frame in traceback.extract_tb(error.__traceback__):
                lines.append(f"  {_short(frame.filename)}:{frame.lineno} in {frame.name}")
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return "\n".join(lines)

    def formatStack(self, stack_info: str) -> str:
        """The stack as Python writes it holds lines of the program only."""
        return stack_info


def start_logging(folder: Path) -> IO[str] | None:
    """Log to a file in ``folder`` and warnings to stderr; crashes of native code go to a file that is returned."""
    handlers: list[logging.Handler] = [logging.StreamHandler()]
    crash_file: IO[str] | None = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handlers.append(
            logging.handlers.RotatingFileHandler(
                folder / LOG_NAME, maxBytes=_BYTES, backupCount=_KEPT, encoding="utf-8"
            )
        )
        crashes = folder / CRASH_NAME
        too_long = crashes.exists() and crashes.stat().st_size > _BYTES
        crash_file = crashes.open("w" if too_long else "a", encoding="utf-8")
        faulthandler.enable(crash_file)
    except OSError:
        if sys.stderr is not None:
            faulthandler.enable()
    for handler in handlers:
        handler.setFormatter(PrivateFormatter())
    logging.basicConfig(level=logging.INFO, handlers=handlers, force=True)
    handlers[0].setLevel(logging.WARNING)
    return crash_file


def _harmless_args(args: Any) -> Any:
    if isinstance(args, dict):
        return {key: _harmless(value) for key, value in args.items()}
    return tuple(_harmless(value) for value in args or ())


def _harmless(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, BaseException):
        return type(value).__name__
    if isinstance(value, str) and (_ID.fullmatch(value) or _KIND.fullmatch(value)):
        return value
    try:
        return f"<{type(value).__name__} of {len(value)}>"
    except TypeError:
        return f"<{type(value).__name__}>"


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except (TypeError, ValueError):
        return str(record.msg)


def _short(filename: str) -> str:
    return "/".join(Path(filename).parts[-2:])

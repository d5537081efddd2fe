"""One way to run a model, as a few words: ``int8``, ``bfloat16 rows=3``, ``plain bfloat16``, ``int8 threads=1``."""

from __future__ import annotations

import os
from dataclasses import dataclass

from voxcpm.errors import RequestError

PRECISIONS = ("auto", "float32", "bfloat16", "float16", "int8")
FULL_ROWS = (1, 3, 8)


@dataclass(frozen=True)
class Setting:
    """``plain``: eager, attention over the whole cache, both guidance halves always, one take at a time."""

    precision: str = "auto"
    plain: bool = False
    rows: int = 1
    threads: int = 0
    """Processor threads; 0 leaves the choice to torch."""

    def __str__(self) -> str:
        words = ["plain"] if self.plain else []
        words.append(self.precision)
        words += [f"rows={self.rows}"] if self.rows != 1 else []
        words += [f"threads={self.threads}"] if self.threads else []
        return " ".join(words)

    @property
    def model(self) -> tuple[str, bool]:
        """Settings with the same one share a loaded model."""
        return self.precision, self.plain


def parse_setting(text: str) -> Setting:
    """Read the words; :class:`RequestError` names the one that is not known."""
    values: dict[str, int] = {}
    precision, plain = "auto", False
    for word in text.replace(",", " ").split():
        name, equals, value = word.partition("=")
        if equals and name in ("rows", "threads") and value.isascii() and value.isdigit() and int(value) > 0:
            values[name] = int(value)
        elif word in PRECISIONS:
            precision = word
        elif word == "plain":
            plain = True
        else:
            raise RequestError(
                "setting", f"{word!r} in {text!r}; use {', '.join(PRECISIONS)}, plain, rows=N, threads=N"
            )
    setting = Setting(precision, plain, values.get("rows", 1), values.get("threads", 0))
    if plain and (setting.rows > 1 or precision == "int8"):
        raise RequestError("setting", f"{text!r}: the plain way has one row and no 8-bit weights")
    return setting


def gui_threads() -> int:
    """Threads with one core left to a window, as the studio sets them; 0 where there is only one core."""
    import psutil

    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    return max(0, cores - 1)


def full_settings(device: str) -> list[Setting]:
    """Every precision with 1, 3 and 8 rows, with all cores and with one left; and the plain way."""
    precisions = ("float32", "bfloat16", "int8") if device == "cpu" else ("float32", "bfloat16")
    threads = [0]
    if device == "cpu" and gui_threads():
        threads.append(gui_threads())
    some = [Setting(p, False, rows, count) for p in precisions for count in threads for rows in FULL_ROWS]
    return [*(Setting("bfloat16", True, 1, count) for count in threads), *some]

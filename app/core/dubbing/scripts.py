"""Plain scripts (``NAME: line``), long texts (paragraphs and chapters), and tables."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from app.core.dubbing.imported import Found
from app.core.dubbing.remarks import Remark

_NO_NAME = r":：\[\](){}<>\"“”.,!?。，！？"
_NAME = re.compile(rf"^\s*([^\s'{_NO_NAME}][^{_NO_NAME}]{{0,39}}?)\s*[:：](?!//)\s*(.*)$")
_MOST_WORDS_IN_A_NAME = 4
_CHAPTER = re.compile(
    r"^\s*(?:#{1,6}\s+(?P<title>.+)|(?:chapter|part|book)\s+(?:[ivxlcdm]+|\d+|[a-z]+)\b.*"
    r"|第\s*[0-9〇零一二三四五六七八九十百千两]+\s*[章回卷节部].*)$",
    re.IGNORECASE,
)
_LONGEST_TITLE = 120
_LONGEST_SHOWN = 80  # of what could not be read
COLUMNS = {
    "text": ("text", "line", "dialogue", "dialog", "台词", "文本"),
    "start": ("start", "in", "begin", "from", "开始"),
    "end": ("end", "out", "to", "结束"),
    "character": ("character", "name", "speaker", "actor", "role", "角色", "人物"),
    "style": ("style", "note", "direction", "语气"),
}
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(?:(\d{1,3}):)?(\d{1,6})(?:[.,](\d{1,3}))?")


def is_script(text: str) -> bool:
    """Whether at least a third of the lines of a text, and two of them, begin with a name and a colon."""
    lines = [line for line in text.split("\n") if line.strip()]
    named = sum(_named(line) is not None for line in lines)
    return named >= 2 and 3 * named >= len(lines)


def read_script(text: str) -> tuple[list[Found], list[Remark]]:
    """Read ``NAME: line``; a line without a name goes on with what the one before said."""
    found: list[Found] = []
    remarks: list[Remark] = []
    gap = ""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            gap = gap or ("paragraph" if found else "")
            continue
        named = _named(line)
        if named is not None:
            found.append(Found(number, named[1], character=named[0], before=gap))
        elif found and not gap:
            before = found[-1]
            found[-1] = replace(before, text=f"{before.text} {line.strip()}".strip())
            remarks.append(Remark(number, "joined"))
        else:
            found.append(Found(number, line.strip(), before=gap))
            remarks.append(Remark(number, "no_name"))
        gap = ""
    return found, remarks


def read_long_text(text: str) -> tuple[list[Found], list[Remark]]:
    """Read a long text: a cue for each paragraph, a heading as one of its own. An empty line ends a paragraph.

    Where no empty line stands between them, every line is a paragraph.
    """
    lines = text.split("\n")
    filled = [line for line in lines if line.strip()]
    broken = any(not line.strip() for line in lines[: _last_filled(lines)])
    every_line = not broken or not filled
    found: list[Found] = []
    paragraph: list[str] = []
    began = 0

    def close() -> None:
        if paragraph:
            found.append(Found(began, _joined(paragraph), before="paragraph" if found else ""))
            paragraph.clear()

    for number, line in enumerate(lines, 1):
        heading = _heading(line)
        if heading:
            close()
            found.append(Found(number, heading, before="chapter" if found else ""))
            continue
        if not line.strip() or every_line:
            close()
        if line.strip():
            began = began if paragraph else number
            paragraph.append(line.strip())
    close()
    return found, []


def read_csv(text: str) -> tuple[list[Found], list[Remark]] | None:
    """Read a table whose first row names the columns, ``text`` among them (see ``COLUMNS``); None when it is none.

    Comma, semicolon and tab separate; times are seconds or ``h:mm:ss.mmm``.
    """
    head = text.lstrip("\n").split("\n", 1)[0]
    delimiter = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    columns: dict[str, int] | None = None
    found: list[Found] = []
    remarks: list[Remark] = []
    before = 0
    while True:
        try:
            row = next(reader)
        except StopIteration:
            break
        except csv.Error:
            before = max(before + 1, reader.line_num)
            remarks.append(Remark(before, "unreadable"))
            continue
        number, before = before + 1, reader.line_num
        if not any(cell.strip() for cell in row):
            continue
        if columns is None:
            columns = _columns(row)
            if columns is None:
                return None
            continue
        cells = {name: row[place].strip() for name, place in columns.items() if place < len(row)}
        found.append(_row(cells, number, remarks))
    return None if columns is None else (found, remarks)


def _named(line: str) -> tuple[str, str] | None:
    match = _NAME.match(line)
    if match is None or not any(c.isalpha() for c in match.group(1)):
        return None
    name = " ".join(match.group(1).split())
    return (name, match.group(2).strip()) if len(name.split()) <= _MOST_WORDS_IN_A_NAME else None


def _heading(line: str) -> str:
    match = _CHAPTER.match(line)
    if match is None or len(line.strip()) > _LONGEST_TITLE:
        return ""
    return (match.group("title") or line).strip()


def _joined(lines: list[str]) -> str:
    text = lines[0]
    for line in lines[1:]:
        wide = "\u2e80" <= text[-1:] <= "\uffef" and "\u2e80" <= line[:1] <= "\uffef"
        text += line if wide else f" {line}"
    return text


def _last_filled(lines: list[str]) -> int:
    return max((number for number, line in enumerate(lines) if line.strip()), default=0)


def _columns(row: list[str]) -> dict[str, int] | None:
    cells = [cell.strip().casefold() for cell in row]
    places = {name: next((i for i, cell in enumerate(cells) if cell in known), -1) for name, known in COLUMNS.items()}
    found = {name: place for name, place in places.items() if place >= 0}
    return found if "text" in found else None


def _row(cells: Mapping[str, str], number: int, remarks: list[Remark]) -> Found:
    times: dict[Literal["start", "end"], int | None] = {"start": None, "end": None}
    for name in times:
        raw = cells.get(name, "")
        times[name] = _clock(raw)
        if raw and times[name] is None:
            remarks.append(Remark(number, "bad_time", {"text": raw[:_LONGEST_SHOWN]}))
    text = " ".join(cells.get("text", "").split())
    character, style = " ".join(cells.get("character", "").split()), cells.get("style", "")
    return Found(number, text, times["start"], times["end"], character, style)


def _clock(text: str) -> int | None:
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        return None
    first, second, seconds, fraction = match.groups()
    hours, minutes = (first, second) if second is not None else (None, first)
    whole = 3600 * int(hours or 0) + 60 * int(minutes or 0) + int(seconds)
    return 1000 * whole + int((fraction or "0").ljust(3, "0"))

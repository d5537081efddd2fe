"""SRT, WebVTT and ASS/SSA in and out, by pysubs2. Each cue is read by itself, so that a damaged one harms no other."""

from __future__ import annotations

import html
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from app.core.dubbing.cues import LONGEST_CUE, MOST_CUES
from app.core.dubbing.imported import Found, ImportRefusedError
from app.core.dubbing.remarks import Remark

Kind = Literal["srt", "vtt", "ass"]

# Lenient on purpose: comma or point, one to three digits, hours or none.
_TIME = r"(?:(\d{1,3}):)?(\d{1,3}):(\d{1,2})(?:[.,:](\d{1,3}))?"
_STAMP = re.compile(rf"(?<![\d:]){_TIME}(?![\d:])")
_ARROW = re.compile(r"-+\s*>|[—–]+\s*>")
_BLOCKS_OF_VTT = ("NOTE", "STYLE", "REGION", "WEBVTT")
_VOICE = re.compile(r"^\s*<v(?:\.[^ \t>]*)?[ \t]+([^>]*)>", re.IGNORECASE)
_LONGEST_RAW = 2 * LONGEST_CUE  # with its tags
_MOST_OPEN = 50
_MUSIC = re.compile(r"[♪♫#*]+")


@dataclass(frozen=True)
class _Block:
    line: int
    start: int | None
    end: int | None
    lines: tuple[str, ...]


def sniff(text: str) -> Kind | None:
    """Return which subtitles a text is; None for none."""
    head = text.lstrip()[:4096]
    if head.upper().startswith("WEBVTT"):
        return "vtt"
    if re.search(r"^[ \t]*\[(Script Info|V4\+? Styles|Events)\]", text, re.IGNORECASE | re.MULTILINE):
        return "ass"
    return "srt" if any(map(_is_time_line, text.split("\n"))) else None


def read_timed(text: str, kind: Literal["srt", "vtt"]) -> tuple[list[Found], list[Remark]]:
    """Read SRT or WebVTT: cues and what was skipped, with lines. Nothing is raised for damage.

    Raises:
        ImportRefusedError: there are more cues than are taken.
    """
    remarks: list[Remark] = []
    found = []
    for block in _blocks(text.split("\n"), kind, remarks):
        raw = "\n".join(block.lines)[:_LONGEST_RAW]
        voice = _VOICE.match(raw)
        plain = None if _never_closes(raw) else _plain(raw)
        if plain is None:
            remarks.append(Remark(block.line, "unreadable"))
            continue
        if re.search(r"<[^<>]+>|\{\\[^{}]*\}", raw) and not voice:
            remarks.append(Remark(block.line, "tags"))
        found.append(Found(block.line, plain, block.start, block.end, _one_line(voice.group(1)) if voice else ""))
    return found, remarks


def read_ass(text: str) -> tuple[list[Found], list[Remark]]:
    """Read ASS or SSA. The name of a line, or else its style (unless that is Default), is its character."""
    import pysubs2

    remarks: list[Remark] = []
    found: list[Found] = []
    header = _format_line(text)
    for number, line in enumerate(text.split("\n"), 1):
        stripped = line.lstrip("\ufeff ").rstrip()
        lower = stripped.lower()
        if lower.startswith("comment:"):
            remarks.append(Remark(number, "comment"))
        if not lower.startswith("dialogue:"):
            continue
        if len(found) > MOST_CUES:
            break
        if _never_closes(stripped):
            remarks.append(Remark(number, "unreadable"))
            continue
        document = f"[Script Info]\nScriptType: v4.00+\n\n[Events]\n{header}\nDialogue:{stripped[9:]}\n"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                (event,) = pysubs2.SSAFile.from_string(document, format_="ass")
        except Exception:  # whatever stands in the line, the others are read
            remarks.append(Remark(number, "unreadable"))
            continue
        if event.is_drawing:
            remarks.append(Remark(number, "drawing"))
            continue
        if re.search(r"\{[^}]*\}", event.text):
            remarks.append(Remark(number, "tags"))
        style = "" if event.style.strip().lstrip("*").lower() in ("", "default") else event.style.strip()
        character = _one_line(event.name) or _one_line(style)
        found.append(Found(number, _tidy(event.plaintext), event.start, event.end, character))
    return found, remarks


def write_subtitles(cues: Iterable[tuple[int, int, str, str]], kind: Kind) -> str:
    """Return a file with (start ms, end ms, text, character) of each cue. Characters are written by VTT and ASS."""
    import pysubs2

    subtitles = pysubs2.SSAFile()
    for start, end, text, character in cues:
        event = pysubs2.SSAEvent(start=start, end=max(end, start + 1), name=character.replace(",", " "))
        # A brace would begin a tag in ASS; in the others it is a letter like any other.
        event.plaintext = text.replace("{", "(").replace("}", ")") if kind == "ass" else text.replace("-->", "->")
        if kind == "vtt" and character:
            event.plaintext = f"<v {character.replace('>', '')}>{event.plaintext}"
        subtitles.append(event)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return str(subtitles.to_string(kind, keep_ssa_tags=True) if kind == "srt" else subtitles.to_string(kind))


def _blocks(lines: list[str], kind: str, remarks: list[Remark]) -> Iterator[_Block]:
    """Cues by their time lines. A text goes on over blank lines until the next time line, or a block of WebVTT."""
    marks = [number for number, line in enumerate(lines) if _is_time_line(line)]
    if len(marks) > MOST_CUES:
        raise ImportRefusedError(f"There are {len(marks)} cues; {MOST_CUES} are the most. Split the file.")
    _tell_what_stands_before(lines[: marks[0] if marks else len(lines)], remarks)
    for number, at in enumerate(marks):
        until = marks[number + 1] if number + 1 < len(marks) else len(lines)
        left, _, right = _ARROW.sub("\0", lines[at], count=1).partition("\0")
        start, end = _milliseconds(left), _milliseconds(right)
        if start is None or (end is None and any(character.isdigit() for character in right)):
            remarks.append(Remark(at + 1, "bad_time", {"text": lines[at].strip()}))
        body = lines[at + 1 : until]
        if number + 1 < len(marks):
            body = _without_number(body)
        yield _Block(at + 1, start, end, _text_lines(body, at + 2, kind, remarks))


def _text_lines(body: list[str], first: int, kind: str, remarks: list[Remark]) -> tuple[str, ...]:
    kept: list[str] = []
    blank = skipping = False
    for offset, line in enumerate(body):
        if not line.strip():
            blank, skipping = True, False
            continue
        if kind == "vtt" and blank and line.split()[0] in _BLOCKS_OF_VTT:
            skipping = True
            remarks.append(Remark(first + offset, "block", {"kind": line.split()[0]}))
        if skipping:
            continue
        if blank and kept:
            remarks.append(Remark(first + offset, "glued"))
        kept.append(line)
        blank = False
    return tuple(kept)


def _without_number(body: list[str]) -> list[str]:
    """The lines of a cue without the number, or the name, that stands right above the next time line."""
    rest = list(body)
    while rest and not rest[-1].strip():
        rest.pop()
    directly_above = bool(body and body[-1].strip())
    alone = len(rest) >= 2 and not rest[-2].strip()
    if rest and re.fullmatch(r"\s*\d+\s*", rest[-1]):
        if directly_above or alone:
            rest.pop()
    elif alone and directly_above:
        rest.pop()  # an identifier of WebVTT: alone between an empty line and the time line
    return rest


def _tell_what_stands_before(lines: list[str], remarks: list[Remark]) -> None:
    for number, line in enumerate(lines, 1):
        words = line.split()
        if words and not words[0].isdigit() and words[0].upper() != "WEBVTT":
            remarks.append(Remark(number, "before"))
            return


def _is_time_line(line: str) -> bool:
    """Whether this is, or was meant to be, the line with both times of a cue."""
    if len(line) >= 200 or ":" not in line or not _ARROW.search(line):
        return False
    left = _ARROW.split(line, maxsplit=1)[0]
    return bool(_STAMP.search(line)) or sum(c.isdigit() for c in left) >= 4


def _milliseconds(side: str) -> int | None:
    """The time on one side of the arrow; behind it WebVTT may have settings."""
    match = _STAMP.match(side.strip())
    if match is None:
        return None
    hours, minutes, seconds, fraction = match.groups()
    whole = 3600 * int(hours or 0) + 60 * int(minutes) + int(seconds)
    return 1000 * whole + int((fraction or "0").ljust(3, "0"))


def _never_closes(raw: str) -> bool:
    """Whether more brackets stay open than any subtitle has: for each the whole rest would be looked through."""
    return any(raw[raw.rfind(end) + 1 :].count(start) > _MOST_OPEN for start, end in ("{}", "<>"))


def _plain(raw: str) -> str | None:
    """A text without tags, by pysubs2's own reading of SRT; None when it fails."""
    import pysubs2

    document = f"1\n00:00:00,000 --> 00:00:01,000\n{raw}\n"
    try:
        events = pysubs2.SSAFile.from_string(document, format_="srt")
    except Exception:  # whatever stands in the text, the others are read
        return None
    return _tidy(events[0].plaintext) if len(events) == 1 else None


def _tidy(text: str) -> str:
    """One line: subtitles are broken where the screen ends, not where a voice would stop."""
    joined = " ".join(part.strip() for part in text.split("\n") if part.strip())
    joined = html.unescape(_MUSIC.sub("", joined)).replace("\xa0", " ")
    return re.sub(r"(?<=[\u3000-\u9fff\uff00-\uffef]) (?=[\u3000-\u9fff\uff00-\uffef])", "", " ".join(joined.split()))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _format_line(text: str) -> str:
    """The line that names the fields of events; that of ASS where it has none."""
    inside = False
    for line in text.split("\n"):
        stripped = line.strip()
        if stripped.startswith("["):
            inside = stripped.lower() == "[events]"
        elif inside and stripped.lower().startswith("format:"):
            return stripped
    return "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"

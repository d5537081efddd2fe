"""Pauses: those written into a text as ``[pause 0.5s]``, and those that punctuation asks for between two parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_PAUSE_MS = 60_000
_PAUSE = re.compile(r"\[\s*pause\s+([0-9]{1,3}(?:[.,][0-9]{1,3})?)\s*(ms|s)?\s*\]", re.IGNORECASE)
_CLOSING = "\"'”’」』）)]》 \t\n"

# Between parts of a long text, in milliseconds: by the mark that the first of both ends with.
SENTENCE_MS, CLAUSE_MS, WORD_MS = 350, 180, 60
PARAGRAPH_MS, CHAPTER_MS = 700, 1500
_SENTENCE_END, _CLAUSE_END = ".!?…。！？", ",;:，、；：—–"


@dataclass(frozen=True)
class Part:
    """A stretch of text to be spoken, and the silence behind it in milliseconds."""

    text: str
    pause_ms: int = 0


def parts_of(text: str) -> tuple[int, list[Part]]:
    """Return the silence that a text begins with (ms), and its spoken parts. Parts without a letter or digit go."""
    lead, parts = 0, list[Part]()
    pieces = _PAUSE.split(text)  # text, number, unit, text, ...
    for index in range(0, len(pieces), 3):
        spoken = pieces[index].strip()
        if any(character.isalnum() for character in spoken):
            parts.append(Part(spoken))
        if index + 1 < len(pieces):
            pause = _milliseconds(pieces[index + 1], pieces[index + 2])
            if parts:
                parts[-1] = Part(parts[-1].text, min(parts[-1].pause_ms + pause, LONGEST_PAUSE_MS))
            else:
                lead = min(lead + pause, LONGEST_PAUSE_MS)
    return lead, parts


def without_pauses(text: str) -> str:
    """Return the text without the marks of pauses, for subtitles and for counting."""
    return " ".join(_PAUSE.sub(" ", text).split()) if _PAUSE.search(text) else text


def marks_of_pauses(text: str) -> Iterator[re.Match[str]]:
    """Yield the marks of pauses in a text."""
    return _PAUSE.finditer(text)


def pause_after(text: str) -> int:
    """Return the silence (ms) that the punctuation at the end of ``text`` asks for before the next part."""
    last = text.rstrip(_CLOSING)[-1:]
    if last and last in _SENTENCE_END:
        return SENTENCE_MS
    return CLAUSE_MS if last and last in _CLAUSE_END else WORD_MS


def _milliseconds(number: str, unit: str | None) -> int:
    value = float(number.replace(",", "."))
    return min(round(value if (unit or "s").lower() == "ms" else value * 1000), LONGEST_PAUSE_MS)

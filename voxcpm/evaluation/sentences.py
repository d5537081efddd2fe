"""Test sets: sentences by category, and descriptions with the voice that they should bring. Loads no torch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from voxcpm.errors import RequestError
from voxcpm.text import check_speakable

CATEGORIES = ("plain", "long", "digits", "names", "fast")
"""The usual ones, in the order of the report. A set may have others; they come after these."""


@dataclass(frozen=True)
class Sentence:
    """One sentence to be spoken."""

    number: int
    """Place in the set, from 1 on."""
    category: str
    text: str
    description: str = ""
    """Voice description to speak it with; empty for plain speech."""


@dataclass(frozen=True)
class DescribedVoice:
    """A description, and the reference voice that it should sound like."""

    description: str
    voice: str


def read_sentences(path: Path) -> tuple[Sentence, ...]:
    """Read ``category<TAB>sentence`` or ``category<TAB>sentence<TAB>description``, one a line; UTF-8.

    Empty lines and lines that begin with ``#`` are left out. Raises :class:`RequestError` with the line's number for
    a line of another form, a sentence that cannot be spoken or stands there twice, and for a file without a sentence.
    """
    found: list[Sentence] = []
    seen: dict[tuple[str, str], int] = {}
    for line, parts in _rows(path, "sentences"):
        if len(parts) not in (2, 3):
            raise _error("sentences", path, line, "must be category<TAB>sentence, or also <TAB>description")
        category, text, description = (part.strip() for part in (*parts, "")[:3])
        if not category or len(category.split()) != 1:
            raise _error("sentences", path, line, f"{category!r} is no category; write one word such as plain")
        try:
            check_speakable(text, "sentence")
        except RequestError as error:
            raise _error("sentences", path, line, error.problem) from error
        before = seen.setdefault((text, description), line)
        if before != line:
            raise _error("sentences", path, line, f"says the same as line {before}; leave one of them out")
        found.append(Sentence(len(found) + 1, category, text, description))
    if not found:
        raise RequestError("sentences", f"{path} has no sentence; write one a line: category<TAB>sentence")
    return tuple(found)


def read_descriptions(path: Path) -> tuple[DescribedVoice, ...]:
    """Read ``description<TAB>expected voice``, one a line; in a ``.jsonl`` objects with ``description`` and ``voice``.

    Raises :class:`RequestError` as :func:`read_sentences`.
    """
    found = []
    for line, parts in _rows(path, "descriptions"):
        if path.suffix.lower() == ".jsonl":
            parts = _described("\t".join(parts))
        if len(parts) != 2 or not all(part.strip() for part in parts):
            form = '{"description": ..., "voice": ...}' if path.suffix.lower() == ".jsonl" else "description<TAB>voice"
            raise _error("descriptions", path, line, f"must be {form}")
        found.append(DescribedVoice(parts[0].strip(), parts[1].strip()))
    if not found:
        raise RequestError("descriptions", f"{path} has no description; write one a line: description<TAB>voice")
    return tuple(found)


def _described(line: str) -> list[str]:
    """Both values of a JSON object; nothing if it is something else."""
    try:
        values = json.loads(line)
    except ValueError:
        return []
    pair = [values.get(name) for name in ("description", "voice")] if isinstance(values, dict) else []
    texts = [value for value in pair if isinstance(value, str)]
    return texts if len(texts) == 2 else []


def in_report_order(categories: set[str]) -> list[str]:
    """The usual categories first, others by name after them."""
    usual = [category for category in CATEGORIES if category in categories]
    return usual + sorted(categories.difference(CATEGORIES))


def _rows(path: Path, field: str) -> Iterator[tuple[int, list[str]]]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise RequestError(field, f"{path} cannot be read ({error.strerror or error}); check the name") from error
    except UnicodeDecodeError as error:
        raise RequestError(field, f"{path} is not UTF-8 text ({error.reason}); save it as UTF-8") from error
    # Not splitlines(): it also breaks at characters that may stand in a sentence, such as U+2028.
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            yield number, line.split("\t")


def _error(field: str, path: Path, line: int, problem: str) -> RequestError:
    return RequestError(field, f"{path.name}, line {line}: {problem}")

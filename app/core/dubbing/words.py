"""The pronunciation dictionary: words that are said in another way than they are written, and what it changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_LATIN = re.compile(r"[^\W\d_]", re.UNICODE)


@dataclass(frozen=True)
class Said:
    """One change of the dictionary: at ``start`` of the written text stood ``written``, and ``said`` is spoken."""

    start: int
    written: str
    said: str


@dataclass(frozen=True)
class Spoken:
    """A text as it is said, and every change on the way there, in order."""

    text: str
    changes: tuple[Said, ...] = ()


def say(text: str, words: Mapping[str, str]) -> Spoken:
    """Put what is said in place of what is written, in one pass: what was put in is not looked at again.

    Whole words of alphabets count, whatever their case; Chinese and Japanese, which have no gaps, anywhere. Of words
    that begin at the same place the longest wins. What stands in braces is the model's own notation and stays.
    """
    known = {word.casefold(): said for word, said in words.items() if word.strip()}
    if not known:
        return Spoken(text)
    longest_first = sorted(known, key=len, reverse=True)
    pattern = re.compile(r"\{[^{}]*\}|" + "|".join(map(_pattern, longest_first)), re.IGNORECASE)
    changes: list[Said] = []

    def put(match: re.Match[str]) -> str:
        found = match.group()
        said = known.get(found.casefold())
        if said is None or found.startswith("{"):
            return found
        if said != found:
            changes.append(Said(match.start(), found, said))
        return said

    return Spoken(pattern.sub(put, text), tuple(changes))


def _pattern(word: str) -> str:
    left = r"(?<!\w)" if _alphabetic(word[0]) else ""
    right = r"(?!\w)" if _alphabetic(word[-1]) else ""
    return f"{left}{re.escape(word)}{right}"


def _alphabetic(character: str) -> bool:
    return bool(_LATIN.match(character) or character.isdigit()) and not "\u3040" <= character <= "\u9fff"

"""Optional text normalising: numbers, dates, times, money and units written out as words, in English and Chinese.

Only short spans that hold a digit are ever rewritten, and only when the spoken form that comes back passes a check;
everything else is copied through unchanged. That is why no word can be lost, whatever the rule library does. The
spoken forms of the numbers themselves come from ``wetext``; the rules for what counts as a span, and the forms that
the library gets wrong, are in :mod:`voxcpm.normalize_rules`.
"""

from __future__ import annotations

import logging
import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

from voxcpm.errors import RequestError
from voxcpm.normalize_rules import RULES, Unsayable

log = logging.getLogger(__name__)

Language = Literal["auto", "en", "zh"]

# wetext keeps its grammars in module globals and makes no promise about threads, so one call runs at a time.
_wetext_lock = threading.Lock()

_CONTEXT_CHARS = 40  # how far around a number its language is looked for
_MOST_PASSES = 4  # a rewritten span can change the language of its neighbour; two passes settle nearly every text

# Marks that mean something to the model or to a reader as they stand: phoneme marks, code, addresses.
_KEEP = r"(?P<keep>\{[^{}\n]{0,200}\}|`[^`\n]{0,500}`|https?://\S{1,2000}|[\w.+-]{1,64}@[\w.-]{1,255})"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_START = re.compile(rf"{_KEEP}|(?P<span>{_MONTH} \d|\(\d|第?[-−+]?(?:[$€£¥￥]\s?|#)?\d)")
_NUMBER_BLOB = re.compile(r"\d+(?:[.,:/~～\-−–—+*=×÷^]\d+)*")
_DESIGN_PREFIX = re.compile(r"\s*[(（][^()（）]*[)）]")
_SPOKEN_FORM = re.compile(r"[A-Za-z\u4e00-\u9fff][A-Za-z\u4e00-\u9fff ,，'\-]*")


@dataclass(frozen=True)
class Rewrite:
    """One span and the words that replace it, for a preview."""

    before: str
    after: str


class Normalizer:
    """Writes numbers, dates, times, money and units out as words. Safe to share between threads.

    ``language`` is ``en``, ``zh`` or ``auto``, which decides for each number by the script around it; numbers in other
    languages, and a text of nothing but digits, are left to the model. Text in braces (phoneme marks such as ``{ni3}``)
    or back-ticks, web addresses and a leading ``(description)`` stay as they are.

    The grammars are loaded with the first call. Raises RequestError (field ``normalize``) where ``wetext`` is missing.
    """

    def __init__(self, language: Language = "auto") -> None:
        if language not in get_args(Language):
            raise RequestError("normalize", f"language {language!r} is not known; use one of {get_args(Language)}")
        self.language = language

    def __call__(self, text: str) -> str:
        """``text`` with its numbers written out; the same as :meth:`normalize`."""
        return self.normalize(text)

    def normalize(self, text: str) -> str:
        """``text`` with its numbers written out. Never fails on a text, and twice gives the same as once."""
        first = current = text
        for _ in range(_MOST_PASSES):
            following = "".join(piece.after for piece in self._pieces(current))
            if following == current:
                return current
            current = following
        log.debug("normalising did not settle; the text is left as it was")
        return first

    def rewrites(self, text: str) -> tuple[Rewrite, ...]:
        """What :meth:`normalize` would replace, in order, to be shown before it is done."""
        if self.normalize(text) == text:
            return ()
        return tuple(piece for piece in self._pieces(text) if piece.before != piece.after)

    def _pieces(self, text: str) -> Iterator[Rewrite]:
        """``text`` cut into consecutive pieces, each with its replacement."""
        done = 0
        fallback = _language_of(text)
        prefix = _DESIGN_PREFIX.match(text)
        position = prefix.end() if prefix else 0
        while (found := _START.search(text, position)) is not None:
            if found["keep"] is not None:
                position = found.end()
                continue
            replaced = self._replace(text, found.start(), fallback)
            if replaced is None:
                # a number that is part of something unknown (a version, a list) stays whole
                blob = _NUMBER_BLOB.match(text, found.end() - 1)
                position = blob.end() if blob else found.end()
                continue
            start, end, words = replaced
            if start > done:
                yield Rewrite(text[done:start], text[done:start])
            yield Rewrite(text[start:end], words)
            done = position = end
        if done < len(text):
            yield Rewrite(text[done:], text[done:])

    def _replace(self, text: str, start: int, fallback: str | None) -> tuple[int, int, str] | None:
        """(start, end, words) of the span that begins at ``start`` or at its first digit, or None."""
        digit = start
        while not text[digit].isdigit():
            digit += 1
        for begin in dict.fromkeys((start, digit)):
            if not _may_begin(text, begin):
                return None
            language = self._language_at(text, digit, fallback)
            if language is None:
                return None
            say = _speaker(language)
            for pattern, words_of in RULES[language]:
                match = pattern.match(text, begin)
                if match is None:
                    continue
                try:
                    words = words_of(match, say)
                except Unsayable:
                    continue
                if _SPOKEN_FORM.fullmatch(words):
                    return begin, match.end(), words
        return None

    def _language_at(self, text: str, position: int, fallback: str | None) -> str | None:
        """Language in which the number at ``position`` is read, or None to leave it to the model.

        ``fallback`` is that of the whole text, for a number with no letter near it.
        """
        if self.language != "auto":
            return self.language
        before = text[max(0, position - _CONTEXT_CHARS) : position]
        after = text[position : position + _CONTEXT_CHARS]
        scripts = {_script(char) for char in before + after} - {None}
        if not scripts:
            return fallback
        if "other" in scripts:
            return None
        if len(scripts) == 1:
            return scripts.pop()
        left, right = _nearest_script(reversed(before)), _nearest_script(after)
        if "zh" in (_script(before[-1:]), _script(_after_number(after))):
            return "zh"  # a Han character right beside the number: 第5, 5个
        return min(left, right)[1]


def _may_begin(text: str, begin: int) -> bool:
    """Whether a number can start here: not inside a word (B2B, COVID-19), a longer number or a formula (x-5)."""
    if begin == 0:
        return True
    previous = text[begin - 1]
    if _is_latin(previous) or previous.isdigit() or previous == "_":
        return False
    if text[begin] in "-−+":
        return previous.isspace() or previous in "(（[【「『“‘\"'，,、。：:；;" or _script(previous) == "zh"
    if previous in "-−+./\\:" and begin > 1:
        return not (_is_latin(text[begin - 2]) or text[begin - 2].isdigit())
    return True


def _after_number(after: str) -> str:
    blob = _NUMBER_BLOB.match(after)
    end = blob.end() if blob else 0
    return after[end : end + 1]


def _is_latin(char: str) -> bool:
    return char.isalpha() and unicodedata.name(char, "").startswith(("LATIN", "FULLWIDTH LATIN"))


def _language_of(text: str) -> str | None:
    scripts = {_script(char) for char in text}
    return "zh" if "zh" in scripts else ("en" if "en" in scripts else None)


def _nearest_script(chars: Iterable[str]) -> tuple[int, str]:
    """(distance, script) of the first letter in ``chars``."""
    for distance, char in enumerate(chars):
        if (script := _script(char)) is not None:
            return distance, script
    return _CONTEXT_CHARS, "en"


@lru_cache(maxsize=4096)
def _script(char: str) -> str | None:
    """``zh`` for Han, ``en`` for basic Latin, ``other`` for the letters of any other script, None for the rest."""
    if not char or not char.isalpha():
        return None
    if "\u3400" <= char <= "\u9fff" or "\U00020000" <= char <= "\U0003ffff" or "\uf900" <= char <= "\ufaff":
        return "zh"
    return "en" if _is_latin(char) else "other"


@lru_cache(maxsize=2)
def _speaker(language: str) -> Callable[[str], str]:
    """The spoken form of a short span by wetext: a function that raises Unsayable when it has none."""
    try:
        import wetext
    except ImportError as error:
        raise RequestError(
            "normalize", f"normalising needs the package wetext ({error}); install it or turn normalising off"
        ) from error
    library = wetext.Normalizer(lang=language, operator="tn")

    @lru_cache(maxsize=4096)
    def spoken(span: str) -> str | None:
        try:
            with _wetext_lock:
                words = library.normalize(span)
        except Exception as error:  # it fails with bare AssertionErrors on spans outside its grammar
            log.debug("no spoken form for a span of %d characters: %r", len(span), error)
            return None
        return words if words and not any(char.isdigit() for char in words) else None

    def say(span: str) -> str:
        words = spoken(span)
        if words is None:
            raise Unsayable
        return words

    return say

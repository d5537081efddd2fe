"""Finds text that asks for a human decision before it is spoken: payments, codes, news, words of public figures.

Lists of words and phrases decide, one for English and one for Chinese (``resources/sensitive``), with what the user
adds or takes away. They are made of plain words, not of regular expressions, so that anybody can edit them and no line
can make the search slow::

    @money: dollar* | euro*     a name for alternatives, used in other lines
    [payment]                   the category of the lines that follow
    gift card*                  a phrase; * stands for any ending, <n> for a number, <name> for a word with a capital
    send | wire & @money        both in one sentence, in any order
    ! pay attention             is passed over before the lines of this category are looked for
    - gift card*                takes a shipped line away (in the user's own file)

Case, width, punctuation and hyphens do not matter. A find is a reason to ask, not a judgement: the lists miss things,
and harmless text is asked about now and then.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

CATEGORIES = (
    "payment", "code", "password", "financial", "medical", "legal", "election", "news", "emergency", "public_figure",
)  # fmt: skip
"""As the audit log names them."""

MOST_LINE = 2000  # characters
MOST_LINES = 5000

_SENTENCE_END = re.compile(r"[.!?…](?=\s|$)|[。！？；;\n]")
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[.,'](?=\d)")
_SIGN = re.compile(r"[$€£¥]")
_NOT_WORD = re.compile(r"[^\w]+|_")
_DIGITS = re.compile(r"\d+(?: \d+)*")
_CAPITAL = re.compile(r"(?<![^\W_])(?=[A-ZÀ-ÖØ-Þ])")
_MARK = "\x01"  # before a word that begins with a capital
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_HAN_NUMBER = re.compile(r"[0-9〇零一二两三四五六七八九十百千万亿]+")


class ListError(ValueError):
    """A line of a list that cannot be understood. ``line`` counts from 1."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"Line {line}: {why}")
        self.line = line


@dataclass(frozen=True)
class Finding:
    """Why a text asks for a decision: its category and the words that were found, as they were compared."""

    category: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class _Pattern:
    """Every part must be in one sentence; a part is there when one of its alternatives is."""

    parts: tuple[tuple[str, ...], ...]

    def found_in(self, sentence: str) -> tuple[str, ...]:
        """The alternatives that are in ``sentence``; empty unless every part is there."""
        hits = []
        for part in self.parts:
            hit = next((one for one in part if one in sentence), None)
            if hit is None:
                return ()
            hits.append(hit)
        return tuple(hits)


@dataclass
class _Section:
    patterns: dict[str, _Pattern] = field(default_factory=dict)  # by the line as it was written
    passed_over: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class SensitiveLists:
    """The compiled lists; ``han`` are those that are compared with Chinese characters."""

    spaced: Mapping[str, _Section]
    han: Mapping[str, _Section]

    def find(self, text: str) -> tuple[Finding, ...]:
        """Everything in ``text`` that asks for a decision, one finding for each category."""
        found = {}
        plain = _plain(text)
        for sections, sentences in (
            (self.spaced, _spaced(plain)),
            (self.han, _han(plain) if _HAN.search(plain) else []),
        ):
            whole = "\n".join(sentences)
            if not whole:
                continue
            for category, section in sections.items():
                if category not in found and (words := _find(section, sentences, whole)):
                    found[category] = Finding(category, words)
        return tuple(found[category] for category in CATEGORIES if category in found)


def compile_lists(*texts: str) -> SensitiveLists:
    """Lists of several files; later ones add to earlier ones or take lines away.

    Raises :class:`ListError` for the first line that cannot be understood.
    """
    spaced: dict[str, _Section] = {category: _Section() for category in CATEGORIES}
    han: dict[str, _Section] = {category: _Section() for category in CATEGORIES}
    macros: dict[str, str] = {}
    for text in texts:
        category = ""
        lines = text.split("\n")
        if len(lines) > MOST_LINES:
            raise ListError(MOST_LINES, f"a list has at most {MOST_LINES} lines.")
        for number, line in enumerate(lines, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            if len(line) > MOST_LINE:
                raise ListError(number, f"a line has at most {MOST_LINE} characters.")
            if line.startswith("[") and line.endswith("]"):
                category = line[1:-1].strip()
                if category not in CATEGORIES:
                    raise ListError(number, f"a category is one of {', '.join(CATEGORIES)}.")
            elif line.startswith("@") and ":" in line:
                name, _, alternatives = line.partition(":")
                macros[name.strip()] = _expanded(alternatives, macros, number)
            elif not category:
                raise ListError(number, "write the category first, such as [payment].")
            else:
                _take_in(line, (spaced[category], han[category]), macros, number)
    return SensitiveLists(spaced, han)


def _take_in(line: str, sections: tuple[_Section, _Section], macros: Mapping[str, str], number: int) -> None:
    """Put one line into the section that it is for: ``sections`` are those of spaced and of Chinese text."""
    mark, rest = (line[0], " ".join(line[1:].split())) if line[0] in "!-" else ("", " ".join(line.split()))
    if mark == "-":
        for section in sections:
            section.patterns.pop(rest, None)
        return
    is_han = bool(_HAN.search(_expanded(rest, macros, number)))
    section = sections[is_han]
    parts = [
        tuple(form for one in _expanded(part, macros, number).split("|") for form in _forms(one, is_han, number))
        for part in rest.split("&")
    ]
    if mark == "!":
        if len(parts) != 1:
            raise ListError(number, "what is passed over is one phrase, without &.")
        section.passed_over += parts[0]
    else:
        section.patterns[rest] = _Pattern(tuple(parts))


def _expanded(alternatives: str, macros: Mapping[str, str], number: int) -> str:
    names = sorted(set(re.findall(r"@\w+", alternatives)), key=len, reverse=True)
    for name in names:
        if name not in macros:
            raise ListError(number, f"{name} is not known; write {name}: first.")
        alternatives = alternatives.replace(name, macros[name])
    return alternatives


def _forms(alternative: str, is_han: bool, number: int) -> tuple[str, ...]:
    """An alternative as it is looked for in a prepared sentence: ``_spaced`` or ``_han``."""
    open_end = alternative.rstrip().endswith("*")
    before, name, after = alternative.replace("*", " ").replace("<n>", " 0 ").partition("<name>")
    prepared = _han(_plain(before)) if is_han else _spaced(_plain(before))
    first = " ".join(prepared).partition("\t")[0].strip()
    if not first or after.strip():
        raise ListError(number, "a part has no word, or something behind <name>.")
    if is_han:
        return (first,)
    if name:
        return (f" {first} {_MARK}", f" {_MARK}{first} {_MARK}")
    return (f" {first}",) if open_end else (f" {first} ",)


def _find(section: _Section, sentences: list[str], whole: str) -> tuple[str, ...]:
    over = [phrase for phrase in section.passed_over if phrase in whole]
    if over:
        sentences = [_without(sentence, over) for sentence in sentences]
        whole = "\n".join(sentences)
    for pattern in section.patterns.values():
        if not pattern.found_in(whole):  # quick for long texts: most parts are nowhere
            continue
        for sentence in sentences:
            if words := pattern.found_in(sentence):
                return tuple(word.replace(_MARK, "").strip() for word in words)
    return ()


def _without(sentence: str, phrases: Iterable[str]) -> str:
    for phrase in phrases:
        sentence = sentence.replace(phrase, " | ")
    return sentence


def _plain(text: str) -> str:
    """One width, without characters that cannot be seen."""
    return "".join(c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c)[0] != "C" or c in "\n\t")


def _sentences(plain: str) -> Iterator[str]:
    return (part for part in _SENTENCE_END.split(plain) if part.strip())


def _spaced(plain: str) -> list[str]:
    """Sentences as small words with one blank before, between and after, each number as ``0``.

    Where there are capitals the words follow once more with a mark before those that begin with one.
    """
    prepared = []
    for sentence in _sentences(plain):
        sentence = _BETWEEN_DIGITS.sub("", sentence).replace("'", "").replace("’", "")
        sentence = _HAN.sub(" ", _SIGN.sub(" currency ", sentence))
        words = _DIGITS.sub("0", _NOT_WORD.sub(" ", sentence).strip())
        if words:
            marked = _CAPITAL.sub(_MARK, words)
            prepared.append(f" {words.casefold()} " + (f"\t {marked.casefold()} " if marked != words else ""))
    return prepared


def _han(plain: str) -> list[str]:
    """Sentences without blanks and punctuation, as they are and once more with each number as ``0``."""
    prepared = []
    for sentence in _sentences(plain):
        bare = _NOT_WORD.sub("", sentence).casefold()
        if bare:
            prepared.append(f"{bare}\t{_HAN_NUMBER.sub('0', bare)}")
    return prepared

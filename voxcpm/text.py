"""Text on its way to the model: what can be spoken, white space, sentences.

The order in which a request's text passes: :func:`check_speakable`, :func:`fold_text`, then, if asked for, a
:class:`Normalizer`; a voice description is put in front after that, and :class:`TextTokenizer` comes last.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Any

import sentencex

from voxcpm.errors import RequestError
from voxcpm.normalize import Normalizer, Rewrite
from voxcpm.tokenizer import TextTokenizer

__all__ = [
    "LONG_TEXT_CHARS",
    "RESERVED_STRINGS",
    "Normalizer",
    "Rewrite",
    "TextTokenizer",
    "check_speakable",
    "fold_text",
    "is_speakable",
    "joint",
    "split_sentences",
]

RESERVED_STRINGS = (
    "<|audio_start|>", "<|audio_end|>", "<|ref_audio_start|>", "<|ref_audio_end|>", "<s>", "</s>", "<unk>",
)  # fmt: skip
"""Literal strings that the tokenizer turns into single control ids: those around audio, and the family's own."""

LONG_TEXT_CHARS = 240
"""Most characters of one piece of a long text: some 15 s of English, under a minute of Chinese."""

_WHITE_SPACE = re.compile(r"\s+")
# Markup that is shown, not spoken. A fence without an end runs to the end of the text, as in Markdown.
_FENCED_CODE = re.compile(r"(?P<fence>```|~~~).*?(?:(?P=fence)[`~]*|\Z)", re.DOTALL)
_IMAGE = re.compile(r"!\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])")
_HTML_TAG = re.compile(r"<!--.*?(?:-->|\Z)|</?[A-Za-z][^<>]*>", re.DOTALL)
# Letters by category that show nothing and sound like nothing.
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0")
_EMOJI_PRESENTATION = "\ufe0f"


def fold_text(text: str) -> str:
    """``text`` with each run of white space, line ends included, as one space. Not stripped at either end."""
    return _WHITE_SPACE.sub(" ", text)


def is_speakable(text: str) -> bool:
    """Whether anything in ``text`` can be said: a letter or a digit outside of code blocks, images and tags."""
    if not any(char.isalnum() for char in text):
        return False
    for markup in (_FENCED_CODE, _IMAGE, _HTML_TAG):
        text = markup.sub(" ", text)
    return any(
        char.isalnum() and char not in _BLANK_LETTERS and following != _EMOJI_PRESENTATION
        for char, following in pairwise(text + " ")
    )


def check_speakable(text: Any, field: str = "text", *, reserved: Collection[str] = RESERVED_STRINGS) -> None:
    """Raise RequestError, naming ``field``, unless ``text`` is a string with something to say in it.

    Refused: anything but a string; text without a letter or digit (blanks, punctuation, emoji, a lone code block or
    image link); control characters and lone surrogates, which no voice can say and which point to damaged input; and
    the ``reserved`` strings, which the tokenizer would turn into control ids (pass ``tokenizer.special_tokens`` to
    cover those of a loaded model).
    """
    if not isinstance(text, str):
        raise RequestError(field, f"is {_kind_of(text)}; give the words to say as a string")
    if not text.strip():
        raise RequestError(field, "is empty; write what is to be said")
    for position, char in enumerate(text):
        category = unicodedata.category(char) if not char.isprintable() else ""
        if category == "Cs":
            raise RequestError(
                field,
                f"holds half of a character (U+{ord(char):04X}) at position {position + 1}; "
                "it was damaged on the way here, paste or read it again as UTF-8",
            )
        if category == "Cc" and not char.isspace():
            raise RequestError(
                field, f"holds the control character U+{ord(char):04X} at position {position + 1}; delete it"
            )
    for literal in sorted(reserved):
        if literal and literal in text:
            raise RequestError(
                field, f"holds {literal!r}, which is a control mark of the model and not speech; delete or reword it"
            )
    if not is_speakable(text):
        raise RequestError(
            field,
            "has nothing to say: no letter or digit outside of punctuation, emoji, code, images and tags; "
            "write at least one word",
        )


def _kind_of(value: Any) -> str:
    if value is None:
        return "missing"
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


# -- sentences ------------------------------------------------------------------------------------------------

_HAN_OR_KANA = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]")
# A place to cut a long sentence lies after clause punctuation: full-width marks anywhere, ASCII ones before a blank.
_CLAUSE_END = re.compile(r"[，、；：。！？…—]+[”’」』）》]*|[,;:.!?…—–]+[\"'”’)\]]*(?=\s)")
_WORD_END = re.compile(r"\S(?=\s)")
_NEVER_ALONE = "\u200d\ufe0e\ufe0f"  # joiners and variation selectors belong to the character before


def split_sentences(text: str, max_chars: int = LONG_TEXT_CHARS, *, min_chars: int = 0) -> list[str]:
    """``text`` cut into sentences of at most ``max_chars`` characters, for speaking one after the other.

    A longer sentence is cut after clause punctuation, else between words, else anywhere between two characters. Pieces
    shorter than ``min_chars`` are joined to a neighbour while the result fits. Each piece has no white space at its
    ends; joined, the pieces give the text back up to white space. A piece that has nothing to say by itself (``...``)
    is joined to its neighbour if that fits; check the others with :func:`is_speakable`.

    Raises RequestError (field ``max_chars``) unless ``max_chars`` is at least 1.
    """
    if max_chars < 1:
        raise RequestError("max_chars", f"{max_chars} leaves no room for text; use 1 or more")
    pieces: list[str] = []
    for sentence in _sentences(text):
        pieces.extend(_cut(sentence, max_chars))
    return _joined(pieces, text, max_chars, min_chars)


def joint(piece: str) -> str:
    """What stands between ``piece`` and a piece after it when both are joined again: nothing after Chinese or Japanese,
    else a space.
    """
    letter = next((char for char in reversed(piece) if char.isalnum()), "")
    last = piece[-1:]
    wide = bool(_HAN_OR_KANA.match(letter)) or unicodedata.east_asian_width(last or " ") in "WF"
    return "" if wide or not piece or last.isspace() else " "


def _sentences(text: str) -> Iterator[str]:
    language = "zh" if len(_HAN_OR_KANA.findall(text)) * 2 > len(_LATIN.findall(text)) else "en"
    for line in text.splitlines():
        if not line.strip():
            continue
        yield from _parts_of(line, [str(sentence).strip() for sentence in sentencex.segment(language, line)])


def _parts_of(line: str, sentences: list[str]) -> list[str]:
    """``sentences``, or the whole line should they not be all of it: no word may hang on a library's promise."""
    position = 0
    for sentence in sentences:
        start = line.find(sentence, position)
        if start < 0 or line[position:start].strip():
            return [line.strip()]
        position = start + len(sentence)
    return [line.strip()] if line[position:].strip() else [sentence for sentence in sentences if sentence]


def _cut(sentence: str, max_chars: int) -> Iterator[str]:
    rest = sentence
    while len(rest) > max_chars:
        end = _cut_place(rest, max_chars)
        yield rest[:end].rstrip()
        rest = rest[end:].lstrip()
    if rest:
        yield rest


def _cut_place(text: str, max_chars: int) -> int:
    """Best end of a first piece of ``text`` with 1..max_chars characters; text is longer than that."""
    window = text[: max_chars + 1]  # one more, so that a mark or word that ends at the limit is seen to end
    for pattern, least in ((_CLAUSE_END, max_chars // 4), (_WORD_END, 0)):
        ends = [match.end() for match in pattern.finditer(window) if least < match.end() <= max_chars]
        if ends:
            return ends[-1]
    end = max_chars
    while end > 1 and _inside_character(text, end):
        end -= 1
    return end if end > 1 else max_chars


def _inside_character(text: str, end: int) -> bool:
    """Whether a cut at ``end`` would part an accent or an emoji from what it belongs to."""
    following = text[end]
    return unicodedata.category(following)[0] == "M" or following in _NEVER_ALONE or text[end - 1] == "\u200d"


def _joined(pieces: list[str], text: str, max_chars: int, min_chars: int) -> list[str]:
    """``pieces`` with the short and the unspeakable ones joined to a neighbour, spaced as in ``text``."""
    result: list[str] = []
    position = 0
    for piece in pieces:
        start = text.index(piece, position)
        gap = " " if start > position and result else ""
        position = start + len(piece)
        if result and len(result[-1]) + len(gap) + len(piece) <= max_chars:
            last = result[-1]
            if min(len(last), len(piece)) < min_chars or not is_speakable(last) or not is_speakable(piece):
                result[-1] = last + gap + piece
                continue
        result.append(piece)
    return result

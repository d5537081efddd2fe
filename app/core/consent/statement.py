"""The statement that the speaker agrees to, and whether a recogniser heard it.

Four random words make an old recording useless: each is one of 512, so a statement is one of 2**36. The speaker's
name is not in the text. Words of a list share no common homophones and no word is part of another.
"""

from __future__ import annotations

import functools
import secrets
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Protocol

from app.core.consent.codec import fixed, utc
from app.core.consent.record import LICENSED, OTHER, PUBLIC_DOMAIN, SELF, SYNTHETIC, WORDS, Scope, Statement
from app.core.consent.sealed import Sealed
from app.core.resources import resource_path

APP = "VoxCPM Studio"
MAX_CER = Decimal("0.2500")
"""Up to a quarter of the characters may be heard wrong: names of people and programs often are. The four words may
not: they carry the proof."""

_MOST_HEARD = 3
_MOST_LETTERS = 800
"""Of a statement; those of this studio have 100 to 400. A record from elsewhere can claim any text, and comparing takes
time that grows with the square of it."""
GUARDIAN = "guardian"
LANGUAGES = ("en", "zh")
_TEMPLATES = {
    "self.en.1": "This is my own voice. {operator} may use {app} to {use} in my voice. My words are {words}.",
    "other.en.1": "I agree that {operator} uses {app} to {use} in my voice. I can withdraw this at any time. "
    "My words are {words}.",
    "guardian.en.1": "I speak for the person whose voice this is. I agree that {operator} uses {app} to {use} in this "
    "voice. I can withdraw this at any time. My words are {words}.",
    "licensed.en.1": "A licence allows that {operator} uses {app} to {use} in this voice. The words are {words}.",
    "public_domain.en.1": "This recording is in the public domain. {operator} uses {app} to {use} in this voice. "
    "The words are {words}.",
    "synthetic_design.en.1": "No person is behind this voice; it was designed. {operator} uses {app} to {use} in it. "
    "The words are {words}.",
    "self.zh.1": "这是我本人的声音。{operator}可以使用{app}，用我的声音{use}。我的口令是{words}。",
    "other.zh.1": "我同意{operator}使用{app}，用我的声音{use}。我可以随时撤回同意。我的口令是{words}。",
    "guardian.zh.1": "我代表这个声音的本人。我同意{operator}使用{app}，用这个声音{use}。我可以随时撤回同意。"
    "我的口令是{words}。",
    "licensed.zh.1": "根据许可，{operator}可以使用{app}，用这个声音{use}。口令是{words}。",
    "public_domain.zh.1": "这段录音属于公有领域。{operator}使用{app}，用这个声音{use}。口令是{words}。",
    "synthetic_design.zh.1": "这个声音是设计出来的，背后没有真人。{operator}使用{app}，用它{use}。口令是{words}。",
}
_USE = {
    "en": {
        "generate": "make speech",
        "export": "pass that speech on",
        "commercial": "earn money with it",
        "training": "train a model",
        "redistribution": "share the voice with others",
        "sensitive_text": "speak about sensitive matters",
    },
    "zh": {
        "generate": "生成语音",
        "export": "发布这些语音",
        "commercial": "用于商业用途",
        "training": "训练模型",
        "redistribution": "与他人分享这个声音",
        "sensitive_text": "朗读敏感内容",
    },
}
_KINDS = (SELF, OTHER, LICENSED, PUBLIC_DOMAIN, SYNTHETIC, GUARDIAN)


class Chooser(Protocol):
    """``secrets.SystemRandom()``, or ``random.Random(seed)`` in a test."""

    def sample(self, population: Sequence[str], k: int) -> list[str]:
        """``k`` different items."""
        ...


@functools.cache
def word_list(lang: str) -> tuple[str, ...]:
    """The 512 words of a language (``en`` or ``zh``)."""
    return tuple(resource_path("consent", f"words-{lang}.txt").read_text(encoding="utf-8").split())


def template_ids() -> tuple[str, ...]:
    """All template ids: kind, language and edition. An edition is never changed, only followed by another."""
    return tuple(_TEMPLATES)


def new_statement(
    kind: str,
    lang: str,
    *,
    operator: str,
    scope: Scope,
    now: datetime,
    use: str = "",
    chooser: Chooser | None = None,
) -> Statement:
    """A statement with fresh words. ``kind`` is a subject kind or ``guardian``; ``use`` says more about what for.

    Raises ``ValueError`` for an unknown kind or language, or without an operator.
    """
    if kind not in _KINDS or lang not in LANGUAGES:
        raise ValueError(f"there is no statement {kind!r} in {lang!r}")
    if not operator.strip():
        raise ValueError("say who uses the voice")
    nonce = tuple((chooser or secrets.SystemRandom()).sample(word_list(lang), WORDS))
    template_id = f"{kind}.{lang}.1"
    text = _TEMPLATES[template_id].format(
        operator=operator.strip(),
        app=APP,
        use=use_in_words(scope, lang, use),
        words=(", " if lang == "en" else "、").join(nonce),
    )
    return Statement(template_id, lang, Sealed.of(text), nonce, utc(now))


def check_template(template_id: str, text: str, operator: str, scope: Scope, nonce: Sequence[str]) -> bool:
    """Whether ``text`` is what the template says for operator, scope and words; "for ..." may follow the use.

    A text that asks for less than the scope allows would let somebody agree to what they never heard.
    """
    template = _TEMPLATES.get(template_id)
    if template is None:
        return False
    lang = template_id.split(".")[1]
    words = (", " if lang == "en" else "、").join(nonce)
    more = "\0"
    bare = template.format(operator=operator, app=APP, use=use_in_words(scope, lang), words=words)
    start, end = template.format(operator=operator, app=APP, use=use_in_words(scope, lang, more), words=words).split(
        more
    )
    return text == bare or (text.startswith(start) and text.endswith(end) and len(text) > len(start) + len(end))


def use_in_words(scope: Scope, lang: str, more: str = "") -> str:
    """What a scope allows, as the middle of a sentence."""
    words = _USE[lang]
    flags = ("commercial", "training", "redistribution", "sensitive_text")
    parts = [words[p] for p in ("generate", "export") if p in scope.purposes]
    parts += [words[flag] for flag in flags if getattr(scope, flag)]
    if lang == "zh":
        return "、".join(parts) + (f"（{more.strip()}）" if more.strip() else "")
    said = ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + "".join(parts[-1:])
    return said + (f" for {more.strip()}" if more.strip() else "")


@dataclass(frozen=True)
class StatementCheck:
    """``cer`` 0 is perfect, 1 and more is something else; ``missing`` are nonce words that were not heard."""

    cer: Decimal
    missing: tuple[str, ...]

    @property
    def words_heard(self) -> int:
        """Of the four."""
        return WORDS - len(self.missing)

    @property
    def passed(self) -> bool:
        """All words heard, and at most :data:`MAX_CER` of the characters wrong."""
        return not self.missing and self.cer <= MAX_CER


def check_statement(text: str, nonce: Sequence[str], transcript: str) -> StatementCheck:
    """Compare what was to be said with what was heard: letters and digits only, without case, width and spaces.

    The two are aligned, and a nonce word counts as heard where at most half of its letters are wrong: recognisers
    spell rare words as they like ("color" for "collar"), and words run together or split do no harm. Of the smallest
    English recogniser's readings of 256 statements by two synthetic voices 85 % passed so, and 71 % with a third;
    another word was taken for the one asked for in 3 % of places, so a recording with four others passes about once
    in a million.
    A statement of more than 800 letters is nobody's, and counts as not heard at all.
    This is a part of the record's schema: records are checked again by it, so a change needs a new schema.
    """
    reference = letters(text)
    if len(reference) > _MOST_LETTERS:
        return StatementCheck(fixed(1.0, 4), tuple(letters(word) for word in nonce))
    alignment = _align(reference, letters(transcript))
    missing = []
    for word in (letters(word) for word in nonce):
        start = reference.rfind(word)  # the words end the statement
        if start < 0 or alignment.errors(start, start + len(word)) > len(word) // 2:
            missing.append(word)
    return StatementCheck(fixed(alignment.distance / len(reference), 4), tuple(missing))


def character_error_rate(wanted: str, heard: str) -> float:
    """Levenshtein distance of the letters over the letters wanted. Raises ``ValueError`` if none is wanted.

    Of what was heard, no more than three times the letters wanted is looked at.
    """
    return _align(letters(wanted), letters(heard)).distance / len(letters(wanted))


def letters(text: str) -> str:
    """The letters and digits of a text in one case and width."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


@dataclass(frozen=True)
class _Alignment:
    """Least number of edits; letters of the reference that are wrong or missing; letters put in after each."""

    distance: int
    wrong: list[int]
    put_in: list[int]

    def errors(self, start: int, end: int) -> int:
        """Edits within a word; what was put in behind it belongs to whatever comes next."""
        return sum(self.wrong[start:end]) + sum(self.put_in[start : end - 1])


def _align(reference: str, hypothesis: str) -> _Alignment:
    if not reference:
        raise ValueError("there is no text to compare with")
    hypothesis = hypothesis[: _MOST_HEARD * len(reference)]
    rows = [list(range(len(hypothesis) + 1))]
    for letter in reference:
        above, row = rows[-1], [rows[-1][0] + 1]
        for place, other in enumerate(hypothesis):
            row.append(min(above[place] + (letter != other), above[place + 1] + 1, row[place] + 1))
        rows.append(row)
    wrong, put_in = [0] * len(reference), [0] * len(reference)
    at, place = len(reference), len(hypothesis)
    while at > 0:
        here = rows[at][place]
        if place > 0 and here == rows[at - 1][place - 1] + (reference[at - 1] != hypothesis[place - 1]):
            at, place = at - 1, place - 1
            wrong[at] += reference[at] != hypothesis[place]
        elif here == rows[at - 1][place] + 1:
            at -= 1
            wrong[at] += 1
        else:
            place -= 1
            put_in[at - 1] += 1
    return _Alignment(rows[-1][-1], wrong, put_in)

"""What was said against what was heard: word error rate, and missing, repeated and added words."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from voxcpm.errors import RequestError

INSTALL = "install the evaluation extra: pip install 'voxcpm-studio[evaluate]'"
_KINDS = {"equal": "equal", "substitute": "replaced"}
_WITHOUT_SPACES = ("zh", "ja", "th", "lo", "my", "yue")


@dataclass(frozen=True)
class Wording:
    """The alignment of one reading in counts of words. All errors together are the least number of edits."""

    words: int
    """Of the text."""
    substituted: int
    missing: int
    repeated: int
    """Words heard too much that say again what stands right beside them."""
    added: int
    """Other words heard too much."""

    @property
    def errors(self) -> int:
        """Substituted, missing, repeated and added words together."""
        return self.substituted + self.missing + self.repeated + self.added

    @property
    def error_rate(self) -> float:
        """Errors per word of the text: 0 is perfect, and above 1 is possible."""
        return self.errors / self.words


@dataclass(frozen=True)
class Step:
    """A stretch of an alignment. ``kind`` is equal, replaced, missing, repeated or added."""

    kind: str
    said: tuple[str, ...]
    """Words of the text; empty for what was repeated or added."""
    heard: tuple[str, ...]
    """Words of the recogniser; empty for what is missing."""


def steps(said: Sequence[str], heard: Sequence[str]) -> tuple[Step, ...]:
    """Align two readings word by word, in order. ``said`` must have a word; raises ``ValueError`` if not."""
    if not said:
        raise ValueError("there is no word to compare with")
    if not heard:
        return (Step("missing", tuple(said), ()),)
    chunks = _jiwer().process_words(" ".join(said), " ".join(heard)).alignments[0]
    inserted = sum(c.hyp_end_idx - c.hyp_start_idx for c in chunks if c.type == "insert")
    doubled = _doubled(heard, inserted)
    found: list[Step] = []
    for chunk in chunks:
        if chunk.type == "insert":
            places = range(chunk.hyp_start_idx, chunk.hyp_end_idx)
            for again, run in itertools.groupby(places, doubled.__contains__):
                found.append(Step("repeated" if again else "added", (), tuple(heard[place] for place in run)))
        else:
            words = tuple(said[chunk.ref_start_idx : chunk.ref_end_idx])
            found.append(
                Step(_KINDS[chunk.type], words, tuple(heard[chunk.hyp_start_idx : chunk.hyp_end_idx]))
                if chunk.type != "delete"
                else Step("missing", words, ())
            )
    return tuple(found)


def align(said: Sequence[str], heard: Sequence[str]) -> Wording:
    """Count what differs between two readings. ``said`` must have a word; raises ``ValueError`` if not."""
    counts = dict.fromkeys(("replaced", "missing", "repeated", "added"), 0)
    for step in steps(said, heard):
        if step.kind != "equal":
            counts[step.kind] += max(len(step.said), len(step.heard))
    return Wording(len(said), counts["replaced"], counts["missing"], counts["repeated"], counts["added"])


def _doubled(words: Sequence[str], longest: int) -> set[int]:
    """Places that belong to a run of at most ``longest`` words said twice in a row.

    Both halves count: which of them an alignment calls inserted is chance.
    """
    places: set[int] = set()
    for period in range(1, min(longest, len(words) // 2) + 1):
        equal = 0
        for place in range(len(words) - period):
            equal = equal + 1 if words[place] == words[place + period] else 0
            if equal >= period:
                places.update(range(place - period + 1, place + period + 1))
    return places


class TextNormaliser:
    """Brings both sides to one spelling: case, punctuation, numbers, contractions. ``language`` as in ISO 639."""

    def __init__(self, language: str = "en") -> None:
        """Raises :class:`RequestError` if whisper-normalizer or jiwer is not installed."""
        try:
            from whisper_normalizer.basic import BasicTextNormalizer
            from whisper_normalizer.english import EnglishTextNormalizer
        except ImportError as error:
            raise RequestError("recogniser", f"whisper-normalizer is not there ({error}); {INSTALL}") from error
        _jiwer()
        self._normalise: Callable[[str], str] = (
            EnglishTextNormalizer()
            if language == "en"
            else BasicTextNormalizer(split_letters=language in _WITHOUT_SPACES)
        )

    def words(self, text: str) -> list[str]:
        """The words that count; empty if there is none (whisper-normalizer takes away "uh", "[noise]", ...)."""
        # A recogniser that hears nothing may write dots, and some survive as words.
        return [word for word in self._normalise(text).split() if any(c.isalnum() for c in word)]


def _jiwer() -> Any:
    try:
        import jiwer
    except ImportError as error:
        raise RequestError("recogniser", f"jiwer is not there ({error}); {INSTALL}") from error
    return jiwer

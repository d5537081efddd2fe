"""The quality card of a take: what can be measured of it, what is wrong with it, and so which take is the better one.

Words and likeness need programs that are optional; they come in as ``Listener``, or the reason why they do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from app.core import leaks
from app.core.activity import Stretch, pauses, speech
from app.core.loudness import loudness
from app.core.takes import Take

_CLIPPED = 0.999  # of full scale, or of the loudest sample where that is flat
_RUN = 3  # samples in a row at the limit; a single one may be a peak
_LEAST_CLIPS = 3
_LONG_PAUSE = 1.5  # seconds within the speech
_LONG_EDGE = 1.0  # seconds of silence at an end
_RATES = (5.0, 30.0)  # letters a second of speech; fluent reading lies around 14
_LEAST_LETTERS = 8  # for a rate that says something
_QUIET, _LOUD_LUFS = -38.0, -8.0


@dataclass(frozen=True)
class WordStep:
    """A stretch of what was said against what was heard. ``kind``: equal, replaced, missing, repeated or added."""

    kind: str
    said: tuple[str, ...]
    heard: tuple[str, ...]


class Listener(Protocol):
    """What the optional programs hear. It may take seconds; never in the window's thread."""

    def words(self, text: str, samples: np.ndarray, sample_rate: int) -> tuple[WordStep, ...]:
        """Align ``text`` with what a recogniser hears in ``samples``. Raises ListenerMissing: not here, and why."""
        ...

    def likeness(
        self, samples: np.ndarray, sample_rate: int, reference: np.ndarray, reference_rate: int
    ) -> tuple[float, float]:
        """Return how much two recordings sound like one person, -1..1, and the least that counts as one.

        Raises ListenerMissing: not here, and why.
        """
        ...


class ListenerMissing(Exception):  # noqa: N818 - a state of this machine, not a fault
    """This cannot be heard here. ``code`` is stable; the message says why and what to do."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong: ``weight`` is what it costs in the ranking; ``words`` are those that it is about."""

    code: str
    weight: float
    values: Mapping[str, float] = field(default_factory=dict, hash=False)
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class QualityCard:
    """What was measured. ``rate`` is in letters per second of speech, ``level`` in LUFS, ``pause_share`` 0..1.

    ``words`` is None, and ``likeness`` too, where nobody could tell: ``unavailable`` says why, by ``words`` and
    ``likeness`` (a code and a sentence).
    """

    seconds: float
    level: float
    rate: float
    pause_share: float
    longest_pause: float
    clipped: int
    findings: tuple[Finding, ...]
    words: tuple[WordStep, ...] | None = None
    likeness: float | None = None
    unavailable: Mapping[str, tuple[str, str]] = field(default_factory=dict, hash=False)

    @property
    def penalty(self) -> float:
        """0 for nothing wrong; the higher, the worse."""
        return sum(finding.weight for finding in self.findings)


def judge(
    text: str,
    samples: np.ndarray,
    sample_rate: int,
    *,
    reference: tuple[np.ndarray, int] | None = None,
    listener: Listener | None = None,
) -> QualityCard:
    """Measure mono ``samples`` float32 [n] at ``sample_rate`` Hz, which should say ``text``.

    ``reference``: the recording that a clone was made from, and its rate.
    """
    stretches = speech(samples, sample_rate)
    seconds = len(samples) / sample_rate
    level = loudness(samples, sample_rate)
    clipped = count_clipped(samples)
    letters = leaks.count_letters(text)
    spoken = sum(stretch.seconds for stretch in stretches)
    rate = letters / spoken if spoken else 0.0
    gaps = [gap.seconds for gap in pauses(stretches)]
    longest = max(gaps, default=0.0)
    within = stretches[-1].stop - stretches[0].start if stretches else 0.0
    findings = _of_silence(stretches, seconds, longest)
    findings += _of_level(level, clipped) if stretches else []
    if stretches and letters >= _LEAST_LETTERS and not _RATES[0] <= rate <= _RATES[1]:
        findings.append(Finding("slow" if rate < _RATES[0] else "fast", 2.0, {"rate": rate}))
    words, likeness, unavailable = None, None, dict[str, tuple[str, str]]()
    if listener is not None:
        try:
            words = listener.words(text, samples, sample_rate)
        except ListenerMissing as error:
            unavailable["words"] = (error.code, str(error))
        if reference is not None and stretches:
            try:
                likeness, threshold = listener.likeness(samples, sample_rate, *reference)
                if likeness < threshold:
                    findings.append(Finding("unlike", 3.0, {"likeness": likeness, "threshold": threshold}))
            except ListenerMissing as error:
                unavailable["likeness"] = (error.code, str(error))
    findings += _of_words(words or ())
    findings += _of_leaks(text, samples, sample_rate, stretches, reference, words or ())
    return QualityCard(
        seconds=seconds,
        level=level,
        rate=rate,
        pause_share=sum(gaps) / within if within else 0.0,
        longest_pause=longest,
        clipped=clipped,
        findings=tuple(findings),
        words=words,
        likeness=likeness,
        unavailable=unavailable,
    )


def rank(takes: Iterable[Take], cards: Mapping[str, QualityCard]) -> list[Take]:
    """Return takes that were judged (``cards`` by uid), the best first. What a person thinks of them counts first.

    Three stars, or none, are neither praise nor blame.
    """

    def place(take: Take) -> tuple[float, float, int, int]:
        marks = take.marks
        return -((marks.rating or 3) + 0.5 * marks.favourite), cards[take.uid].penalty, take.number, take.row

    return sorted((take for take in takes if take.uid in cards), key=place)


def count_clipped(samples: np.ndarray) -> int:
    """Return how many runs of at least three samples stand still at full scale, or at one limit below it."""
    if not len(samples):
        return 0
    top = float(np.abs(samples).max())
    limit = _CLIPPED * min(1.0, top)
    if limit <= 0.05:
        return 0
    high = np.abs(samples) >= limit
    flat = np.concatenate([[False], high & _still(samples, limit), [False]])
    edges = np.flatnonzero(np.diff(flat.astype(np.int8)))
    return int(np.sum(edges[1::2] - edges[::2] >= _RUN))


def _still(samples: np.ndarray, limit: float) -> np.ndarray:
    """Where a sample equals a neighbour, or lies beyond full scale: a rounded peak does neither."""
    same = np.abs(np.diff(samples)) <= 1e-4 * limit
    return np.concatenate([[False], same]) | np.concatenate([same, [False]]) | (np.abs(samples) >= 1.0)


def _of_silence(stretches: Sequence[Stretch], seconds: float, longest: float) -> list[Finding]:
    if not stretches:
        return [Finding("silent", 10.0)]
    found = []
    if longest > _LONG_PAUSE:
        found.append(Finding("pause", 1.5, {"seconds": longest}))
    for code, edge in (("silence_head", stretches[0].start), ("silence_tail", seconds - stretches[-1].stop)):
        if edge > _LONG_EDGE:
            found.append(Finding(code, 0.5, {"seconds": edge}))
    return found


def _of_level(level: float, clipped: int) -> list[Finding]:
    found = []
    if clipped >= _LEAST_CLIPS:
        found.append(Finding("clipping", 2.5, {"count": clipped}))
    if not _QUIET <= level <= _LOUD_LUFS:
        found.append(Finding("quiet" if level < _QUIET else "loud", 0.5, {"level": level}))
    return found


def _of_words(steps: Sequence[WordStep]) -> list[Finding]:
    """Words too much at an end are leaks, see there."""
    inner = _without_ends(steps)
    found = []
    for code, weight in (("missing", 2.0), ("repeated", 2.0), ("added", 1.5), ("replaced", 1.0)):
        words = [word for step in inner if step.kind == code for word in (step.said or step.heard)]
        if words:
            found.append(Finding(code, weight * len(words), {"count": len(words)}, tuple(words)))
    return found


def _of_leaks(
    text: str,
    samples: np.ndarray,
    sample_rate: int,
    stretches: list[Stretch],
    reference: tuple[np.ndarray, int] | None,
    steps: Sequence[WordStep],
) -> list[Finding]:
    pieces = leaks.by_pauses(text, stretches)
    known = leaks.of_reference(samples, sample_rate, *reference) if reference is not None else (False, False)
    ends = (_added(steps[:1]), _added(steps[-1:]) if len(steps) > 1 else ())
    found = []
    for code, seconds, same, words in zip(("leak_head", "leak_tail"), pieces, known, ends, strict=True):
        if seconds or same or words:
            values = {"seconds": seconds, "reference": float(same)}
            found.append(Finding(code, 3.0, values, words))
    return found


def _added(steps: Sequence[WordStep]) -> tuple[str, ...]:
    return steps[0].heard if steps and steps[0].kind == "added" else ()


def _without_ends(steps: Sequence[WordStep]) -> Sequence[WordStep]:
    if _added(steps[:1]):
        steps = steps[1:]
    return steps[:-1] if len(steps) > 1 and _added(steps[-1:]) else steps


class QualityBoard:
    """The cards of takes, and each take's place among those of its press."""

    def __init__(self) -> None:
        self._cards: dict[str, QualityCard] = {}
        self._places: dict[str, tuple[int, int]] = {}

    def card(self, take: Take) -> QualityCard | None:
        """What was measured of a take; None as long as nothing was."""
        return self._cards.get(take.uid)

    def place(self, take: Take) -> tuple[int, int] | None:
        """Its place from 1, and of how many."""
        return self._places.get(take.uid)

    def put(self, take: Take, card: QualityCard, press: Sequence[Take]) -> None:
        """Keep a card; ``press`` are the takes made along, itself among them."""
        self._cards[take.uid] = card
        self.order(press)

    def order(self, press: Sequence[Take]) -> None:
        """Give the takes of a press their places anew, as after a rating."""
        ranked = rank(press, self._cards)
        for number, take in enumerate(ranked, 1):
            self._places[take.uid] = (number, len(ranked))

    def forget(self, take: Take) -> None:
        """Let go of what is known of a take."""
        self._cards.pop(take.uid, None)
        self._places.pop(take.uid, None)

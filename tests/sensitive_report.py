"""How well the review of sensitive text finds what it should: ``python -m tests.sensitive_report``.

Scores the half of the lines that no pattern was written from (see ``tests/fixtures/sensitive/README.md``), and counts
how often sentences are asked about that were written for something else. Ends with 1 below the aims.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.core.sensitive import SensitiveLists, compile_lists
from app.core.sensitive_lists import LANGUAGES, shipped_list

FIXTURES = Path(__file__).parent / "fixtures"
LEAST_RECALL, MOST_FALSE = 0.95, 0.05
OTHER_TEXTS = (
    FIXTURES / "dubbing/alice.txt",
    FIXTURES / "dubbing/hamlet.txt",
    FIXTURES / "dubbing/lunyu.txt",
    Path(__file__).parents[1] / "packaging/demo_voice/test_sentences.txt",
)


@dataclass(frozen=True)
class Line:
    """One line of a half. ``category`` begins with ``-`` for one that should not be asked about."""

    lang: str
    category: str
    text: str

    @property
    def wanted(self) -> bool:
        """Whether it should be asked about."""
        return not self.category.startswith("-")


@dataclass
class Score:
    """Counts of one group of lines."""

    wanted: int = 0
    found: int = 0
    in_its_category: int = 0
    harmless: int = 0
    alarms: int = 0

    @property
    def recall(self) -> float:
        """Share of the wanted lines that were found."""
        return self.found / self.wanted if self.wanted else 1.0

    @property
    def false_alarms(self) -> float:
        """Share of the harmless lines that were asked about."""
        return self.alarms / self.harmless if self.harmless else 0.0


def read_half(half: str) -> list[Line]:
    """The lines of ``written_from`` or ``held_out``."""
    rows = (FIXTURES / "sensitive" / f"{half}.tsv").read_text(encoding="utf-8").splitlines()
    return [Line(*row.split("\t")) for row in rows]


def shipped() -> SensitiveLists:
    """The lists as they come with the studio, without anybody's own lines."""
    return compile_lists(*map(shipped_list, LANGUAGES))


def score(lines: list[Line], lists: SensitiveLists) -> dict[str, Score]:
    """Scores by language, by category, and of ``all``."""
    scores: dict[str, Score] = defaultdict(Score)
    for line in lines:
        found = {finding.category for finding in lists.find(line.text)}
        for group in (line.lang, line.category.removeprefix("-"), "all"):
            one = scores[group]
            one.wanted += line.wanted
            one.found += line.wanted and bool(found)
            one.in_its_category += line.category in found
            one.harmless += not line.wanted
            one.alarms += not line.wanted and bool(found)
    return dict(scores)


def other_sentences() -> Iterator[str]:
    """Sentences of old books and of the sentences that the demo voice is judged by."""
    for path in OTHER_TEXTS:
        text = path.read_text(encoding="utf-8").replace("\n", "\n ")
        yield from (part.strip() for part in re.split(r"(?<=[.!?。！？])\s+", text) if part.strip())


def main() -> int:
    """Print the figures; 0 when they reach the aims."""
    lists = shipped()
    sys.stdout.write("Half that the patterns were written from / half that was held out:\n")
    known, held = score(read_half("written_from"), lists), score(read_half("held_out"), lists)
    for group, one in held.items():
        before = known[group]
        sys.stdout.write(
            f"  {group:<14} found {before.found:3d} of {before.wanted:3d} / {one.found:3d} of {one.wanted:3d}"
            f" (in its category {one.in_its_category:3d}), false alarms {before.alarms:2d} of {before.harmless:2d} / "
            f"{one.alarms:2d} of {one.harmless:2d}\n"
        )
    others = list(other_sentences())
    asked = sum(bool(lists.find(sentence)) for sentence in others)
    sys.stdout.write(f"Sentences of old books and of the demo voice: asked about {asked} of {len(others)}\n")
    total = held["all"]
    good = total.recall >= LEAST_RECALL and total.false_alarms <= MOST_FALSE
    sys.stdout.write(
        f"Held out: recall {total.recall:.1%} (aim {LEAST_RECALL:.0%}), false alarms {total.false_alarms:.1%} "
        f"(at most {MOST_FALSE:.0%}): {'reached' if good else 'MISSED'}\n"
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

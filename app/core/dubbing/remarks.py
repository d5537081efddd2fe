"""What was skipped or repaired when a file of cues was read: by line, in sentences that every language has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SENTENCES = {
    "bad_time": "This cannot be read as a time: {text}",
    "before": "What stands before the first cue was left out.",
    "block": "A block was left out: {kind}.",
    "columns": "No column is called text.",
    "comment": "A comment was left out.",
    "control": "Control characters were replaced by spaces.",
    "drawing": "A drawing was left out.",
    "empty": "The cue is empty and was left out.",
    "ends_early": "It ends before it starts; it was given {seconds:.1f} s.",
    "encoding": "It is not UTF-8 and was read as {encoding}; look at the letters.",
    "form": "It is called like {name} and was read as {form}.",
    "glued": "Text behind an empty line was joined to the cue before.",
    "joined": "A line without a name was joined to the line before.",
    "name_too_long": "The name was cut to {count} characters.",
    "no_end": "It has no end; it was given {seconds:.1f} s.",
    "no_name": "A line without a name is spoken by nobody in particular.",
    "no_start": "It has no start and was put behind the cue before.",
    "nothing_to_say": "The cue has no letter or digit and was left out.",
    "order": "It starts before the cue above and was put in its place in time.",
    "overlap": "It overlaps the next cue by {seconds:.2f} s.",
    "tags": "Formatting was taken out.",
    "too_long": "The text was cut to {count} characters.",
    "unreadable": "It cannot be read and was left out.",
}
"""Every code with what it says; the values of a remark fill the gaps."""


@dataclass(frozen=True)
class Remark:
    """Something skipped or repaired. ``line`` counts from 1, 0 for the whole file; ``code``: see ``SENTENCES``."""

    line: int
    code: str
    values: Mapping[str, float | str] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """The sentence in English."""
        return SENTENCES[self.code].format(**self.values)

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message

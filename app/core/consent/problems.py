"""What can be wrong with a consent record, in words and with a stable code for those who say it in another language."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Problem:
    """``code`` is stable (``expired``, ``chain.broken``, ...); ``values`` fill the sentence of another language."""

    code: str
    message: str
    values: dict[str, str] = field(default_factory=dict)


class ConsentError(ValueError):
    """Base of all errors about consent."""


class RecordError(ConsentError):
    """A record that cannot be read. ``field`` names what is at fault, as in ``references[0].seconds``."""

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"The consent record cannot be read: {field or 'it'} {why}.")
        self.field = field


class RuleError(ConsentError):
    """A record that may not be made. ``problems`` has all reasons."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(" ".join(problem.message for problem in self.problems))


class PrivatePartError(ConsentError):
    """The personal part of a record cannot be opened: wrong key, damaged, or of another record."""


class RequestFileError(ConsentError):
    """A consent request, or the answer to one, that cannot be used."""

"""What an export is told: where the sound comes from, which marks it gets, and whom to ask and tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Literal

from app.core.engine_api import Watermark
from app.marks.audible import Audible
from app.marks.errors import ReasonMissingError

Mark = Literal["label", "credentials", "watermark"]
MARKS: tuple[Mark, ...] = ("label", "credentials", "watermark")
PRODUCER = "VoxCPM-Studio"
_LONGEST_REASON = 500

Secret = Callable[[str, Callable[[], bytes]], bytes]
Audit = Callable[[str, Mapping[str, object]], None]


@dataclass(frozen=True)
class Origin:
    """What the sound was made of: ids and hashes, never names or texts, since it is written into the file.

    ``producer`` goes into the label: ASCII without spaces, such as the code of a registered provider. ``parts``: where
    several takes that are heard in one file came from; what all of them have in common stands in the fields above.
    """

    take: str = ""
    voice: str = ""
    consent_record: str = ""
    model: str = ""
    mode: str = ""
    producer: str = PRODUCER
    parts: tuple[Origin, ...] = ()

    def facts(self) -> dict[str, str]:
        """What is known, by name."""
        names = [field.name for field in fields(self) if field.name not in ("producer", "parts")]
        return {name: value for name in names if (value := str(getattr(self, name)))}

    def voices(self) -> list[dict[str, str]]:
        """Every voice that is heard with its consent record, by name of the fact, where there are several."""
        used = sorted({(part.voice, part.consent_record) for part in self.parts if part.voice})
        if len(used) < 2 and self.voice:
            return []
        return [{"voice": voice, **({"consent_record": record} if record else {})} for voice, record in used]


@dataclass(frozen=True)
class MarkChoice:
    """Which marks a file gets. Leaving one out takes a reason, which goes to the audit log.

    Raises ReasonMissingError without one, ValueError for a mark that does not exist or a reason that is too long.
    """

    left_out: frozenset[Mark] = frozenset()
    reason: str = ""

    def __post_init__(self) -> None:
        if unknown := self.left_out - set(MARKS):
            raise ValueError(f"There is no mark named {', '.join(sorted(unknown))}; there are {', '.join(MARKS)}.")
        if self.left_out and not self.reason.strip():
            raise ReasonMissingError(f"Say why the {' and the '.join(sorted(self.left_out))} is left out.")
        if len(self.reason) > _LONGEST_REASON:
            raise ValueError(f"The reason is longer than {_LONGEST_REASON} characters; shorten it.")

    def wants(self, mark: Mark) -> bool:
        """Whether files get this mark."""
        return mark not in self.left_out


def _silent() -> Audible:
    """No notice is heard."""
    return "none"


@dataclass(frozen=True)
class MarkTools:
    """Whom an export asks and tells: the key store, the watermark, the audit log.

    ``watermark`` is called when the mark is wanted, so that nothing is loaded before; it raises WatermarkUnavailable.
    ``audible`` is asked at each export whether, and where, a notice is to be heard.
    """

    secret: Secret
    watermark: Callable[[], Watermark]
    audit: Audit | None = None
    audible: Callable[[], Audible] = _silent

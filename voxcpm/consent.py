"""The consent record that encoding a person's voice demands.

This is the plain form: identity, purposes and validity. It carries no proof; the full record with evidence, hash
chain and signature belongs to the studio's core and is reduced to this before it reaches the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from voxcpm.errors import ConsentError

GENERATE = "generate"


@dataclass(frozen=True)
class ConsentRecord:
    """Permission to use one person's voice. Times are timezone-aware; None means without a limit on that side."""

    record_id: str
    scope: frozenset[str]
    valid_from: datetime | None = None
    expires_at: datetime | None = None

    def check(self, purpose: str, now: datetime | None = None) -> None:
        """Raise :class:`ConsentError` with the reason unless ``purpose`` is allowed at ``now``."""
        now = now or datetime.now(UTC)
        name = f"consent record {self.record_id!r}"
        if not isinstance(self.record_id, str) or not self.record_id.strip():
            raise ConsentError("the consent record has no id; record the person's consent first")
        for limit in (self.valid_from, self.expires_at):
            if limit is not None and limit.tzinfo is None:
                raise ConsentError(f"{name} has a time without a time zone; write its times in UTC")
        if self.valid_from is not None and now < self.valid_from:
            raise ConsentError(f"{name} is valid only from {self.valid_from:%Y-%m-%d %H:%M %Z} on")
        if self.expires_at is not None and now >= self.expires_at:
            raise ConsentError(f"{name} expired on {self.expires_at:%Y-%m-%d %H:%M %Z}; ask the person for a new one")
        if purpose not in self.scope:
            allowed = ", ".join(sorted(self.scope)) or "nothing"
            raise ConsentError(f"{name} does not cover {purpose!r} (it allows: {allowed}); ask the person to extend it")

    def to_dict(self) -> dict[str, Any]:
        """A JSON form."""
        return {
            "record_id": self.record_id,
            "scope": sorted(self.scope),
            "valid_from": self.valid_from.isoformat() if self.valid_from else None,
            "expires_at": self.expires_at.isoformat() if self.expires_at else None,
        }

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> ConsentRecord:
        """Back from :meth:`to_dict`; :class:`ConsentError` if it is not such a form."""
        try:
            times = [datetime.fromisoformat(raw[key]) if raw[key] else None for key in ("valid_from", "expires_at")]
            return cls(str(raw["record_id"]), frozenset(str(s) for s in raw["scope"]), *times)
        except (KeyError, TypeError, ValueError) as error:
            raise ConsentError(
                f"the stored consent record cannot be read ({error}); record the consent again"
            ) from error

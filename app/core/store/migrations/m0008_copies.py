"""Copies of voices: several voices that stand on one consent."""

from __future__ import annotations

from app.core.store.migration import Migration

MIGRATION = Migration(
    8,
    "copies",
    """
-- consent_of: the voice that the consent was given for, where this one is a copy of it; NULL for its own. The versions
-- of the consent are the same, byte for byte, for all voices that stand on it.
ALTER TABLE voices ADD COLUMN consent_of TEXT;
CREATE INDEX voices_of_consent ON voices (consent_of) WHERE consent_of IS NOT NULL;
""",
)

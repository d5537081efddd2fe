"""The level of each voice's consent, for the list; and files of a voice that must be gone at a time of their own."""

from __future__ import annotations

from app.core.store.migration import Migration

MIGRATION = Migration(
    7,
    "levels",
    """
-- level: of the newest version of the consent; NULL where there is none. It is shown, never asked: the record is.
ALTER TABLE voices ADD COLUMN level TEXT;
UPDATE voices SET level = (
    SELECT CASE WHEN json_valid(CAST(record AS TEXT)) THEN CAST(record AS TEXT) ->> '$.level' END
    FROM consent_versions c WHERE c.voice_id = voices.voice_id ORDER BY version DESC LIMIT 1
);

-- until: seconds since 1970; a spoken statement's term begins when it was added. NULL: as its voice says.
ALTER TABLE voice_files ADD COLUMN until INTEGER;
""",
)

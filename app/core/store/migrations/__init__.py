"""All steps of the database, in order. A new one is a module here with a ``MIGRATION``, and an entry below.

Numbers only rise. A step that has been published is never edited: a change is a new step.
"""

from __future__ import annotations

from app.core.store.migration import Migration
from app.core.store.migrations import (
    m0001_base,
    m0002_audit,
    m0003_voices,
    m0004_takes,
    m0005_comparisons,
    m0006_complaints,
    m0007_levels,
    m0008_copies,
)

MIGRATIONS: tuple[Migration, ...] = (
    m0001_base.MIGRATION,
    m0002_audit.MIGRATION,
    m0003_voices.MIGRATION,
    m0004_takes.MIGRATION,
    m0005_comparisons.MIGRATION,
    m0006_complaints.MIGRATION,
    m0007_levels.MIGRATION,
    m0008_copies.MIGRATION,
)

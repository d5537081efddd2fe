"""What was found in a sensitive text, in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from app.core.sensitive import Finding

_CONTEXT = "SensitiveText"
_CATEGORIES = {
    "payment": QT_TRANSLATE_NOOP("SensitiveText", "Payments"),
    "code": QT_TRANSLATE_NOOP("SensitiveText", "One-time codes"),
    "password": QT_TRANSLATE_NOOP("SensitiveText", "Passwords or identity data"),
    "financial": QT_TRANSLATE_NOOP("SensitiveText", "Financial notices"),
    "medical": QT_TRANSLATE_NOOP("SensitiveText", "Medical matters"),
    "legal": QT_TRANSLATE_NOOP("SensitiveText", "Legal matters"),
    "election": QT_TRANSLATE_NOOP("SensitiveText", "Elections"),
    "news": QT_TRANSLATE_NOOP("SensitiveText", "News"),
    "emergency": QT_TRANSLATE_NOOP("SensitiveText", "Announcements of authorities or emergencies"),
    "public_figure": QT_TRANSLATE_NOOP("SensitiveText", "Public figures"),
}


def category_text(category: str) -> str:
    """A category as people call it."""
    return QCoreApplication.translate(_CONTEXT, str(_CATEGORIES[category]))


def finding_text(finding: Finding) -> str:
    """A category with the words that it was found by."""
    return f"{category_text(finding.category)}: “{' … '.join(finding.words)}”"

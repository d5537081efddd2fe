"""The language of the window: English is in the source, the others are Qt translation files."""

from __future__ import annotations

import logging

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from app.core.resources import resource_path

log = logging.getLogger(__name__)

LANGUAGES = {"en": "English", "zh_CN": "简体中文"}


def resolve(choice: str) -> str:
    """Return the language that ``choice`` (system, en, zh_CN) means on this machine."""
    if choice != "system":
        return choice
    return "zh_CN" if QLocale.system().language() == QLocale.Language.Chinese else "en"


class Language:
    """Holds the installed translators and swaps them; every widget is told by a LanguageChange event."""

    def __init__(self) -> None:
        self._installed: list[QTranslator] = []
        self.current = "en"

    def use(self, choice: str) -> str:
        """Switch to ``choice``; returns the language in use. A missing file leaves the English text."""
        language = resolve(choice)
        for translator in self._installed:
            QCoreApplication.removeTranslator(translator)
        self._installed.clear()
        QLocale.setDefault(QLocale(language))
        if language != "en":
            self._install(f"studio_{language}", str(resource_path("translations")))
            self._install(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
        self.current = language
        return language

    def _install(self, name: str, folder: str) -> None:
        translator = QTranslator()
        if translator.load(name, folder):
            QCoreApplication.installTranslator(translator)
            self._installed.append(translator)
        else:
            log.warning("The translation %s is missing", name)

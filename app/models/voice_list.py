"""The saved voices as a Qt list."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.core.voice_card import SavedVoice, VoiceState
from app.widgets.consent_text import badge_text

VoiceRole = Qt.ItemDataRole.UserRole
SubtitleRole = Qt.ItemDataRole.UserRole + 1
StateRole = Qt.ItemDataRole.UserRole + 2

_Index = QModelIndex | QPersistentModelIndex


class VoiceListModel(QAbstractListModel):
    """Shows what it was given, in that order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._voices: list[SavedVoice] = []

    def show_voices(self, voices: Sequence[SavedVoice]) -> None:
        """Show these voices."""
        if list(voices) == self._voices:
            return
        self.beginResetModel()
        self._voices = list(voices)
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """The number of voices."""
        return 0 if parent.isValid() else len(self._voices)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Name, facts and state of a voice."""
        voice = self.voice_at(index)
        if voice is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._name(voice)
            case Qt.ItemDataRole.AccessibleTextRole:
                return " · ".join(part for part in (self._name(voice), self._facts(voice), self._state(voice)) if part)
            case _ if role == SubtitleRole:
                return self._facts(voice)
            case _ if role == StateRole:
                return self._state(voice)
            case _ if role == VoiceRole:
                return voice
        return None

    def voice_at(self, index: _Index) -> SavedVoice | None:
        """The voice of a row."""
        inside = index.isValid() and 0 <= index.row() < len(self._voices)
        return self._voices[index.row()] if inside else None

    def index_of(self, voice_id: str) -> QModelIndex:
        """Where a voice stands; invalid when it is not listed."""
        rows = (row for row, voice in enumerate(self._voices) if voice.voice_id == voice_id)
        row = next(rows, None)
        return QModelIndex() if row is None else self.index(row)

    def retranslate(self) -> None:
        """Say everything in the language of the window."""
        if self._voices:
            self.dataChanged.emit(self.index(0), self.index(len(self._voices) - 1))

    def _name(self, voice: SavedVoice) -> str:
        return voice.name or self.tr("(locked)")

    def _facts(self, voice: SavedVoice) -> str:
        kinds = {
            "self": self.tr("own voice"),
            "other": self.tr("another person"),
            "licensed": self.tr("licensed"),
            "public_domain": self.tr("public domain"),
            "synthetic_design": self.tr("designed"),
        }
        modes = {
            "reference": self.tr("reference"),
            "continuation": self.tr("prompt"),
            "combined": self.tr("reference and prompt"),
            "design": self.tr("no recording"),
        }
        card = voice.card
        tags = ", ".join(card.tags) if card is not None else ""
        kind = kinds.get(card.kind, "") if card is not None else ""
        return " · ".join(part for part in (kind, modes[voice.mode], tags) if part)

    def _state(self, voice: SavedVoice) -> str:
        state = {
            VoiceState.FROZEN: self.tr("frozen"),
            VoiceState.QUARANTINED: self.tr("quarantined"),
        }.get(voice.state, self.tr("shipped") if voice.shipped else "")
        return " · ".join(part for part in (badge_text(voice), state) if part)

"""Which saved voice a mode uses in place of a recording, and why it cannot where it cannot."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.core.consent.problems import Problem
from app.core.voice_card import SavedVoice
from app.widgets.consent_text import badge_text, problem_text
from app.widgets.problem import Problem as ProblemLabel
from app.widgets.translated import Translated, describe


class VoicePick(Translated, QWidget):
    """Buttons to choose a saved voice, to let go of it, and to save the recording as a voice."""

    choose_requested = Signal()
    save_requested = Signal()
    voice_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._voice: SavedVoice | None = None
        self._problems: tuple[Problem, ...] = ()
        self._has_recording = False
        self._name = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._name.setProperty("heading", True)
        self.choose_button = QPushButton()
        self.clear_button = QPushButton()
        self.save_button = QPushButton()
        self.reasons = ProblemLabel()
        row = QHBoxLayout()
        row.addWidget(self._name, 1)
        for button in (self.save_button, self.clear_button, self.choose_button):
            row.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(row)
        layout.addWidget(self.reasons)
        self.choose_button.clicked.connect(self.choose_requested)
        self.save_button.clicked.connect(self.save_requested)
        self.clear_button.clicked.connect(lambda: self.set_voice(None))
        self.retranslate()

    @property
    def voice(self) -> SavedVoice | None:
        """The chosen voice; None for a recording."""
        return self._voice

    def set_voice(self, voice: SavedVoice | None) -> None:
        """Use a saved voice, or a recording again."""
        self._voice, self._problems = voice, ()
        self.retranslate()
        self.voice_changed.emit()

    def set_described(self, voice: SavedVoice, problems: tuple[Problem, ...]) -> None:
        """Show the chosen voice as it is now, and say why it cannot be used."""
        if voice != self._voice:
            self._voice = voice
            self.retranslate()
        if problems != self._problems:
            self._problems = problems
            self.retranslate()
            self.voice_changed.emit()

    def set_recording(self, there: bool) -> None:
        """Whether there is a recording that could be saved as a voice."""
        self._has_recording = there
        self.retranslate()

    def missing(self) -> str:
        """Why the chosen voice cannot be used; empty when it can."""
        return " ".join(problem_text(problem) for problem in self._problems)

    def retranslate(self) -> None:
        """Set all texts."""
        text = ""
        if self._voice is not None:
            text = self.tr("Saved voice: {name}").format(name=self._voice.name)
            text = " · ".join(part for part in (text, badge_text(self._voice)) if part)
        self._name.setText(text)
        self.choose_button.setText(self.tr("Saved voice…"))
        describe(self.choose_button, self.tr("Choose a saved voice"))
        self.clear_button.setText(self.tr("Use a recording"))
        describe(self.clear_button, self.tr("Use a recording instead of the saved voice"))
        self.clear_button.setVisible(self._voice is not None)
        self.save_button.setText(self.tr("Save this voice…"))
        describe(self.save_button, self.tr("Save this voice"), self.tr("Keep it with a record of the consent."))
        self.save_button.setVisible(self._voice is None and self._has_recording)
        self.reasons.say(self.missing())

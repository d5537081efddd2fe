"""The words of a prompt: typed, or a draft by the speech recogniser that a person has to confirm."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.core.consent.evidence import Availability
from app.transcripts import LANGUAGES, Transcripts
from app.widgets.problem import Problem
from app.widgets.quality_text import missing_text
from app.widgets.sound_field import SoundField
from app.widgets.text_edit import PlainText
from app.widgets.translated import Translated, describe


class TranscriptState(Enum):
    """STALE: the audio was changed since. DRAFT: written by the recogniser. Both wait for a person's word."""

    CONFIRMED = "confirmed"
    STALE = "stale"
    DRAFT = "draft"


class TranscriptBox(Translated, QWidget):
    """Follows ``sound``: another recording or another cut makes the words doubtful until a person says they fit."""

    changed = Signal()

    def __init__(self, sound: SoundField, transcripts: Transcripts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sound, self._transcripts = sound, transcripts
        self._state = TranscriptState.CONFIRMED
        self._fits: tuple[str | None, float, float | None] | None = None  # the audio that the words were said to fit
        self._listening = 0
        self._label = QLabel()
        self._label.setProperty("heading", True)
        self.edit = PlainText(lines=2)
        self._label.setBuddy(self.edit)
        self.language = QComboBox()
        for language in LANGUAGES:
            self.language.addItem("", language)
        self.draft_button = QPushButton()
        self.doubt = Problem()
        self.confirm_button = QPushButton()
        self.problem = Problem()
        self._build()
        self.edit.textChanged.connect(self._typed)
        self.draft_button.clicked.connect(self._listen)
        self.language.activated.connect(lambda index: self.retranslate())
        self.confirm_button.clicked.connect(self.confirm)
        sound.audio_changed.connect(self._other_audio)
        sound.edits_changed.connect(self._audio_changed)
        sound.looked.connect(self.retranslate)
        self.retranslate()

    @property
    def text(self) -> str:
        """The words."""
        return self.edit.toPlainText()

    @property
    def state(self) -> TranscriptState:
        """Whether a person stands by them."""
        return self._state

    def missing(self) -> str:
        """Why the words cannot be used; empty when they can."""
        if not self.text.strip():
            return self.tr("Write down what is said in the prompt: the transcript is required.")
        if self._state is TranscriptState.STALE:
            return self.tr("Check that the transcript fits the new audio.")
        if self._state is TranscriptState.DRAFT:
            return self.tr("Read the draft of the transcript and confirm that it is exactly what is said.")
        return ""

    def confirm(self) -> None:
        """Take a person's word that the text is exactly what is said."""
        self._fits = self._audio()
        self._set_state(TranscriptState.CONFIRMED)

    def set_draft(self, text: str) -> None:
        """Put in what the recogniser heard."""
        self.edit.blockSignals(True)
        self.edit.setPlainText(text)
        self.edit.blockSignals(False)
        self._set_state(TranscriptState.DRAFT)

    def retranslate(self) -> None:
        """Set all texts."""
        self._label.setText(self.tr("Transcript of the prompt (required)"))
        self.edit.setPlaceholderText(self.tr("Exactly what is said in the prompt, word for word"))
        describe(
            self.edit,
            self.tr("Transcript of the prompt"),
            self.tr("Exactly what is said in the prompt. Wrong words here come out as wrong sound."),
        )
        for index, name in enumerate((self.tr("English"), self.tr("Chinese"))):
            self.language.setItemText(index, name)
        describe(self.language, self.tr("Language of the prompt"))
        self.draft_button.setText(self.tr("Listening…") if self._listening else self.tr("Write a draft"))
        reason = self._why_no_draft()
        self.draft_button.setEnabled(not reason and not self._listening)
        tip = reason or self.tr("The speech recogniser writes down what it hears; you check it.")
        describe(self.draft_button, self.tr("Let the speech recogniser write a draft"), tip)
        self._show_state()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        above = QHBoxLayout()
        above.addWidget(self._label, 1)
        above.addWidget(self.language)
        above.addWidget(self.draft_button)
        doubt = QHBoxLayout()
        doubt.addWidget(self.doubt, 1)
        doubt.addWidget(self.confirm_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addLayout(above)
        layout.addWidget(self.edit)
        layout.addLayout(doubt)
        layout.addWidget(self.problem)

    def _audio(self) -> tuple[str | None, float, float | None]:
        """What of which file is heard; louder or mended it is still the same words."""
        edits = self._sound.edits
        return self._sound.drop.path, edits.start, edits.end

    def _other_audio(self) -> None:
        self._fits = None  # also where the file has the same name
        self._audio_changed()

    def _audio_changed(self) -> None:
        self._listening = 0  # what is being heard is no longer wanted
        if self._state is not TranscriptState.DRAFT or self._sound.drop.path is None:
            fits = self._audio() == self._fits or not self.text.strip() or self._sound.drop.path is None
            self._state = TranscriptState.CONFIRMED if fits else TranscriptState.STALE
        self.retranslate()

    def _typed(self) -> None:
        if self._state is TranscriptState.DRAFT and self.text.strip():
            self.changed.emit()  # mended here and there it is still a draft
            return
        self.confirm()

    def _set_state(self, state: TranscriptState) -> None:
        self._state = state
        self._show_state()
        self.changed.emit()

    def _show_state(self) -> None:
        texts = {
            TranscriptState.STALE: self.tr("The audio has changed: does the transcript still fit?"),
            TranscriptState.DRAFT: self.tr("This is a draft by the speech recogniser: correct it, then confirm it."),
        }
        self.doubt.say(texts.get(self._state, ""))
        draft = self._state is TranscriptState.DRAFT
        self.confirm_button.setText(self.tr("This is what is said") if draft else self.tr("It fits"))
        described = (
            self.tr("The draft is exactly what is said") if draft else self.tr("The transcript fits the new audio")
        )
        describe(self.confirm_button, described)
        self.confirm_button.setVisible(self._state is not TranscriptState.CONFIRMED)

    def _why_no_draft(self) -> str:
        examined = self._sound.examined
        if examined is None or self._sound.path is None or examined.diagnosis.error is not None:
            return self.tr("Drop, open or record a prompt first.")
        state = self._transcripts.unavailable(self.language.currentData())
        return "" if state is None else self._no_draft(state)

    def _no_draft(self, state: Availability) -> str:
        return self.tr("No draft: {reason}.").format(reason=missing_text(state.code, state.reason))

    def _listen(self) -> None:
        examined = self._sound.examined
        if examined is None:
            return
        self.problem.say("")
        self._listening += 1
        ticket = self._listening
        diagnosis, language = examined.diagnosis, self.language.currentData()

        def done(answer: str | Availability) -> None:
            if self._listening != ticket or self._sound.examined is not examined:
                return
            self._listening = 0
            if isinstance(answer, Availability):
                self.problem.say(self._no_draft(answer))
            elif not answer.strip():
                self.problem.say(self.tr("The recogniser heard no words. Write them down yourself."))
            else:
                self.set_draft(answer)
            self.retranslate()

        self._transcripts.write(self, language, diagnosis.samples, diagnosis.sample_rate, done)
        self.retranslate()

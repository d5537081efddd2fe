"""Continue: the model goes on from a prompt audio whose words it is told."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtWidgets import QCheckBox, QLabel, QVBoxLayout, QWidget

from app.core.messages import MODE_CONTINUATION, SAVED, Failure, ModelInfo, VoiceSpec
from app.panels.mode_panel import ModePanel
from app.sound_desk import SoundDesk
from app.widgets.consent_box import ConsentBox
from app.widgets.problem import Problem
from app.widgets.sound_field import SoundField
from app.widgets.transcript_box import TranscriptBox
from app.widgets.translated import describe
from app.widgets.voice_pick import VoicePick
from app.widgets.wording import model_text


class ContinuePanel(ModePanel):
    """Prompt, its transcript (required), consent, and optionally the same audio as reference too."""

    key: ClassVar[str] = "continue"

    def __init__(self, desk: SoundDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = QLabel()
        self._label.setProperty("heading", True)
        self.pick = VoicePick()
        self.sound = SoundField(desk, exact=True)
        self.drop = self.sound.drop
        self.words = TranscriptBox(self.sound, desk.transcripts)
        self.transcript = self.words.edit
        self.problem = Problem()
        self.as_reference = QCheckBox()
        self.consent = ConsentBox()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        fields = (self._label, self.pick, self.sound, self.consent, self.words, self.problem, self.as_reference)
        for widget in fields:
            layout.addWidget(widget)
        self.consent.setVisible(False)
        self.sound.audio_changed.connect(self._audio_changed)
        self.sound.edits_changed.connect(self._edits_changed)
        self.sound.looked.connect(self.fields_changed)
        self.pick.voice_changed.connect(self._pick_changed)
        self.words.changed.connect(self.fields_changed)
        self.as_reference.toggled.connect(self.fields_changed)
        self.consent.consent_changed.connect(self.fields_changed)
        self.retranslate()

    def title(self) -> str:
        """The heading of the panel."""
        return self.tr("Continue a recording")

    def mode(self) -> str:
        """Continuation, or combined with the same audio as reference."""
        voice = self.voice()
        return voice.mode if voice else MODE_CONTINUATION

    def voice(self) -> VoiceSpec | None:
        """The prompt with its transcript as far as they are given."""
        path = self.sound.path
        if self.pick.voice is not None:
            both = self.pick.voice.mode == "combined" and self.as_reference.isEnabled()
            return VoiceSpec(SAVED if both else None, SAVED, voice_id=self.pick.voice.voice_id)
        if path is None:
            return None
        reference = path if self.as_reference.isChecked() and self.as_reference.isEnabled() else None
        return VoiceSpec(
            reference=reference,
            prompt=path,
            transcript=self.words.text,
            consent=self.consent.consent,
        )

    def missing(self) -> str:
        """Say whether prompt, transcript or consent is missing."""
        if self.pick.voice is not None:
            return self.pick.missing()
        if not self.sound.is_there:
            return self.tr("Drop, open or record a prompt audio first.")
        return self.sound.missing() or self.words.missing() or self.consent.missing()

    def set_model(self, model: ModelInfo | None) -> None:
        """Grey out the use as reference where the model takes none."""
        self.as_reference.setEnabled(model is None or model.takes_reference)
        super().set_model(model)
        self.fields_changed.emit()

    def show_problem(self, failure: Failure) -> bool:
        """Show what is wrong with prompt, transcript or consent."""
        if failure.field in ("prompt", "reference", "voice"):
            self.drop.show_problem(failure)
        elif failure.field in ("transcript", "consent"):
            self.problem.show_failure(failure)
        else:
            return False
        return True

    def clear_problems(self) -> None:
        """Take the remarks back."""
        self.drop.show_problem(None)
        self.problem.say("")

    def retranslate(self) -> None:
        """Set all texts."""
        self._label.setText(self.tr("Prompt: the recording to go on from"))
        self.drop.setAccessibleName(self.tr("Prompt audio"))
        self.as_reference.setText(self.tr("Use the same audio as reference too (closer voice, more to compute)"))
        tip = self.tr("Gives the model the timbre as well as the words to go on from.")
        if not self.as_reference.isEnabled():
            name = model_text(self.model.name) if self.model else ""
            tip = self.tr("{model} takes no reference.").format(model=name)
        describe(self.as_reference, self.tr("Use the prompt as reference too"), tip)

    def _pick_changed(self) -> None:
        recording = self.pick.voice is None
        for widget in (self.sound, self.words, self.as_reference):
            widget.setVisible(recording)
        self.consent.setVisible(recording and self.sound.is_there)
        self.clear_problems()
        self.fields_changed.emit()

    def _audio_changed(self) -> None:
        self.consent.reset()
        self.consent.setVisible(self.sound.is_there)
        self.pick.set_recording(self.sound.is_there)
        self.clear_problems()
        self.fields_changed.emit()

    def _edits_changed(self) -> None:
        self.consent.renew()
        self.clear_problems()
        self.fields_changed.emit()

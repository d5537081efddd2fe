"""Clone: the voice of a reference audio."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.core.messages import MODE_REFERENCE, SAVED, Failure, ModelInfo, VoiceSpec
from app.panels.mode_panel import ModePanel, muted_label, say
from app.sound_desk import SoundDesk
from app.widgets.consent_box import ConsentBox
from app.widgets.problem import Problem
from app.widgets.sound_field import SoundField
from app.widgets.translated import describe
from app.widgets.voice_pick import VoicePick
from app.widgets.wording import model_text


class ClonePanel(ModePanel):
    """One reference, the consent to use it, and how to speak; the models before VoxCPM2 take none of these."""

    key: ClassVar[str] = "clone"

    def __init__(self, desk: SoundDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = QLabel()
        self._label.setProperty("heading", True)
        self.pick = VoicePick()
        self.sound = SoundField(desk, exact=False)
        self.drop = self.sound.drop
        self.consent = ConsentBox()
        self.reason = muted_label()
        self.problem = Problem()
        self._style_label = QLabel()
        self._style_label.setProperty("heading", True)
        self.style_note = QLineEdit(clearButtonEnabled=True)
        self._style_label.setBuddy(self.style_note)
        self.style_problem = Problem()
        self.style_reason = muted_label()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for widget in (self._label, self.pick, self.reason, self.sound, self.consent, self.problem):
            layout.addWidget(widget)
        style = QHBoxLayout()  # one row: this panel is the highest of all
        style.addWidget(self._style_label)
        style.addWidget(self.style_note, 1)
        layout.addLayout(style)
        layout.addWidget(self.style_problem)
        layout.addWidget(self.style_reason)
        self.consent.setVisible(False)
        self.sound.audio_changed.connect(self._audio_changed)
        self.sound.edits_changed.connect(self._edits_changed)
        self.sound.looked.connect(self.fields_changed)
        self.pick.voice_changed.connect(self._pick_changed)
        self.consent.consent_changed.connect(self.fields_changed)
        self.style_note.textChanged.connect(self._style_changed)
        self.retranslate()

    def title(self) -> str:
        """The heading of the panel."""
        return self.tr("Clone a voice")

    def mode(self) -> str:
        """Always the reference mode."""
        return MODE_REFERENCE

    def description(self) -> str:
        """The style note; empty for none and where the model takes none."""
        return self.style_note.text().strip() if self.style_note.isEnabled() else ""

    def voice(self) -> VoiceSpec | None:
        """The saved voice, or the reference with the consent when it is given."""
        if self.pick.voice is not None:
            return VoiceSpec(reference=SAVED, voice_id=self.pick.voice.voice_id)
        path = self.sound.path
        return VoiceSpec(reference=path, consent=self.consent.consent) if path else None

    def missing(self) -> str:
        """Say whether reference or consent is missing."""
        if self.model is not None and not self.model.takes_reference:
            return self._refusal()
        if self.pick.voice is not None:
            return self.pick.missing()
        if not self.sound.is_there:
            return self.tr("Drop, open or record a reference audio first.")
        return self.sound.missing() or self.consent.missing()

    def set_model(self, model: ModelInfo | None) -> None:
        """Grey out what the model does not take."""
        takes = model is None or model.takes_reference
        self.sound.setEnabled(takes)
        self.consent.setEnabled(takes)
        self.pick.setEnabled(takes)
        self.style_note.setEnabled(model is None or model.takes_description)
        super().set_model(model)
        self.fields_changed.emit()

    def show_problem(self, failure: Failure) -> bool:
        """Show what is wrong with the reference, the consent or the style note."""
        if failure.field in ("reference", "voice"):
            self.drop.show_problem(failure)
        elif failure.field == "consent":
            self.problem.show_failure(failure)
        elif failure.field == "description":
            self.style_problem.show_failure(failure)
        else:
            return False
        return True

    def clear_problems(self) -> None:
        """Take the remarks back."""
        self.drop.show_problem(None)
        self.problem.say("")
        self.style_problem.say("")

    def retranslate(self) -> None:
        """Set all texts."""
        self._label.setText(self.tr("Reference: the voice to speak with"))
        self.drop.setAccessibleName(self.tr("Reference audio"))
        takes = self.model is None or self.model.takes_reference
        say(self.reason, "" if takes else self._refusal())
        self._style_label.setText(self.tr("Style (optional)"))
        self.style_note.setPlaceholderText(self.tr("cheerful, a little faster"))
        describe(
            self.style_note,
            self.tr("Style note"),
            self.tr("How to speak this time. The voice stays that of the reference. Leave it empty to speak plainly."),
        )
        name = model_text(self.model.name) if self.model else ""
        refusal = self.tr("{model} takes no style note.").format(model=name)
        say(self.style_reason, "" if self.style_note.isEnabled() else refusal)

    def _refusal(self) -> str:
        name = model_text(self.model.name) if self.model else ""
        return self.tr("{model} takes no reference. Use Continue, with a prompt and its transcript.").format(model=name)

    def _pick_changed(self) -> None:
        card = self.pick.voice.card if self.pick.voice is not None else None
        if card is not None and card.style and not self.style_note.text():
            self.style_note.setText(card.style)
        self.sound.setVisible(self.pick.voice is None)
        self.consent.setVisible(self.pick.voice is None and self.sound.is_there)
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
        self.drop.show_problem(None)
        self.fields_changed.emit()

    def _style_changed(self) -> None:
        self.style_problem.say("")
        self.fields_changed.emit()

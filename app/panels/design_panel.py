"""Design: a voice from a description, or plain speech without one."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.core.messages import Failure, ModelInfo
from app.core.settings import Settings
from app.panels.mode_panel import ModePanel, muted_label, say
from app.widgets.preset_button import PresetButton
from app.widgets.problem import Problem
from app.widgets.translated import describe
from app.widgets.wording import model_text


class DesignPanel(ModePanel):
    """One line for the description; the models before VoxCPM2 take none."""

    key: ClassVar[str] = "design"

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = QLabel()
        self._label.setProperty("heading", True)
        self.edit = QLineEdit(clearButtonEnabled=True)
        self._label.setBuddy(self.edit)
        self.presets = PresetButton(settings)
        self.reason = muted_label()
        self.problem = Problem()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        line = QHBoxLayout()
        line.addWidget(self.edit, 1)
        line.addWidget(self.presets)
        layout.addWidget(self._label)
        layout.addLayout(line)
        layout.addWidget(self.problem)
        layout.addWidget(self.reason)
        self.presets.chosen.connect(self.edit.setText)
        self.edit.textChanged.connect(self._changed)
        self.retranslate()

    def title(self) -> str:
        """The heading of the panel."""
        return self.tr("Design a voice")

    def description(self) -> str:
        """The description; empty for plain speech and where the model takes none."""
        return self.edit.text().strip() if self.edit.isEnabled() else ""

    def set_model(self, model: ModelInfo | None) -> None:
        """Grey the description out for a model that takes none."""
        for widget in (self.edit, self.presets):
            widget.setEnabled(model is None or model.takes_description)
        super().set_model(model)
        self.fields_changed.emit()

    def show_problem(self, failure: Failure) -> bool:
        """Show what is wrong with the description."""
        if failure.field != "description":
            return False
        self.problem.show_failure(failure)
        return True

    def clear_problems(self) -> None:
        """Take the remark back."""
        self.problem.say("")

    def retranslate(self) -> None:
        """Set all texts."""
        self._label.setText(self.tr("Description"))
        self.edit.setPlaceholderText(self.tr("a woman in her forties, warm, slow"))
        describe(
            self.edit, self.tr("Description"), self.tr("How the voice should sound. Leave it empty for plain speech.")
        )
        if self.edit.isEnabled():
            say(self.reason, self.tr("How the voice should sound. Leave it empty for plain speech."))
        else:
            name = model_text(self.model.name) if self.model else ""
            say(self.reason, self.tr("{model} takes no description: it speaks plainly.").format(model=name))

    def _changed(self, text: str) -> None:
        self.presets.description = text.strip()
        self.fields_changed.emit()

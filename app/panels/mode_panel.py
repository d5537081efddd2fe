"""What the three mode panels have in common."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QWidget

from app.core.messages import MODE_DESIGN, Failure, ModelInfo, VoiceSpec
from app.widgets.translated import Translated


def muted_label() -> QLabel:
    """Make a label for a remark; it is hidden while it is empty."""
    label = QLabel(wordWrap=True)
    label.setProperty("muted", True)
    return label


def say(label: QLabel, text: str) -> None:
    """Show ``text``, or hide the label when there is none."""
    label.setText(text)
    label.setVisible(bool(text))


class ModePanel(Translated, QWidget):
    """The fields of one mode. The text, the seed and the settings are shared and live in ComposePanel."""

    key: ClassVar[str] = ""

    fields_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model: ModelInfo | None = None

    def title(self) -> str:
        """The heading of the panel."""
        return ""

    def mode(self) -> str:
        """The mode that the fields ask for, also while its audio is missing."""
        return MODE_DESIGN

    def description(self) -> str:
        """The description for the model; empty for none."""
        return ""

    def voice(self) -> VoiceSpec | None:
        """The voice as far as it is chosen."""
        return None

    def missing(self) -> str:
        """Say what has to be given before Generate can be pressed; empty when nothing is missing."""
        return ""

    def set_model(self, model: ModelInfo | None) -> None:
        """Grey out what ``model`` does not take; None = not known yet, all stays open."""
        self.model = model
        self.retranslate()

    def show_problem(self, failure: Failure) -> bool:
        """Show a failure beside its field; False when the field is not in this panel."""
        return False

    def clear_problems(self) -> None:
        """Take back what ``show_problem`` showed."""

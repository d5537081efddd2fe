"""The LoRA of the loaded model: which one, how strong, off."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QGroupBox, QLabel, QPushButton, QWidget

from app.core.messages import Failure, LoraInfo, ModelInfo
from app.widgets.problem import Problem
from app.widgets.translated import Translated, describe

MOST_STRENGTH = 4.0
_PAUSE_MS = 300


class LoraBox(Translated, QGroupBox):
    """Asks for a LoRA by signals, and shows what the engine says is in use."""

    browse_requested = Signal()
    lora_requested = Signal(str, float)  # path (empty = none), strength

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lora: LoraInfo | None = None
        self._model: ModelInfo | None = None
        self.name = QLabel(textFormat=Qt.TextFormat.PlainText)
        self.facts = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.facts.setProperty("muted", True)
        self.choose = QPushButton()
        self.off = QPushButton()
        self.strength = QDoubleSpinBox(minimum=0.0, maximum=MOST_STRENGTH, singleStep=0.05, decimals=2, value=1.0)
        self._strength_label = QLabel()
        self._strength_label.setBuddy(self.strength)
        layout = QGridLayout(self)
        for column, widget in enumerate((self.name, self._strength_label, self.strength, self.choose, self.off)):
            layout.addWidget(widget, 0, column)
        self.problem = Problem()
        layout.addWidget(self.facts, 1, 0, 1, 5)
        layout.addWidget(self.problem, 2, 0, 1, 5)
        layout.setColumnStretch(0, 1)
        self._timer = QTimer(self, interval=_PAUSE_MS, singleShot=True)
        self._timer.timeout.connect(self._ask)
        self.choose.clicked.connect(self.browse_requested)
        self.off.clicked.connect(lambda: self.lora_requested.emit("", 1.0))
        self.strength.valueChanged.connect(lambda value: self._timer.start())
        self.retranslate()

    def show_lora(self, lora: LoraInfo | None) -> None:
        """Show what is in use."""
        self._lora = lora
        self._timer.stop()
        self.problem.say("")
        if lora is not None:
            self.strength.blockSignals(True)
            self.strength.setValue(lora.strength)
            self.strength.blockSignals(False)
        self.retranslate()

    def show_failure(self, failure: Failure) -> None:
        """Say why a LoRA was not taken; what was in use still is."""
        self.problem.show_failure(failure)

    def show_model(self, model: ModelInfo | None) -> None:
        """Without a loaded model nothing can be chosen."""
        self._model = model
        self.retranslate()

    def retranslate(self) -> None:
        """Set all texts."""
        lora = self._lora
        self.setTitle(self.tr("LoRA"))
        self.name.setText(lora.name if lora else self.tr("None in use"))
        self.name.setToolTip(lora.path if lora else "")
        self.facts.setText(self._facts(lora) if lora else self.tr("A LoRA changes how a model sounds."))
        self._strength_label.setText(self.tr("Strength"))
        describe(
            self.strength,
            self.tr("Strength of the LoRA"),
            self.tr("0 = as without it, 1 = as it was trained, up to 4."),
        )
        self.choose.setText(self.tr("Choose…"))
        describe(self.choose, self.tr("Choose a LoRA"), self.tr("Choose the folder that a LoRA was saved to"))
        self.off.setText(self.tr("Off"))
        describe(self.off, self.tr("Use no LoRA"))
        self.choose.setEnabled(self._model is not None)
        for widget in (self.strength, self.off):
            widget.setEnabled(self._model is not None and lora is not None)

    def _facts(self, lora: LoraInfo) -> str:
        parts = [self.tr("rank {rank}, changes {count} layers").format(rank=lora.rank, count=lora.layers)]
        if lora.skipped:
            parts.append(
                self.tr("{count} parts of the file have no place in this model").format(count=len(lora.skipped))
            )
        if lora.missing:
            parts.append(self.tr("{count} layers are missing in the file").format(count=len(lora.missing)))
        if lora.of_a_person:
            parts.append(self.tr("carries the voice of a person, with consent"))
        return " · ".join(parts)

    def _ask(self) -> None:
        if self._lora is not None and self.strength.value() != self._lora.strength:
            self.lora_requested.emit(self._lora.path, self.strength.value())

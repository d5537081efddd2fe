"""Cutting and mending a recording: the waveform with its handles, what the doctor found, and the way back."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.core.activity import Stretch
from app.core.doctor import ERROR, MOST_SECONDS, Finding
from app.core.sound_edits import Edits, mono, snapped
from app.sound_desk import Examined
from app.widgets.finding_text import changes_text, finding_text, repair_text
from app.widgets.flow import FlowLayout
from app.widgets.translated import Translated, describe
from app.widgets.trim_view import TrimView
from app.widgets.wording import length_text

_TYPING_MS = 400
_HALF_STEP = 0.0051  # seconds; of what the numbers show


class TrimBench(Translated, QFrame):
    """Shows an examined recording and asks for other edits; it changes nothing itself."""

    cut_wanted = Signal(float, float)  # from and to, in seconds
    repair_wanted = Signal(object)  # Edits: those that are shown, and the repair
    reset_wanted = Signal()
    undo_wanted = Signal()
    play_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._examined: Examined | None = None
        self._whole = np.zeros(0, np.float32)
        self._can_undo = False
        self.view = TrimView()
        self.play_button = QPushButton()
        self.start, self.end = (QDoubleSpinBox(decimals=2, singleStep=0.05) for _ in range(2))
        self._to = QLabel()
        self.snap = QCheckBox()
        self.snap.setChecked(True)
        self.undo_button, self.reset_button = QPushButton(), QPushButton()
        self.length = QLabel(wordWrap=True)
        self.length.setProperty("muted", True)
        self._rows = QGridLayout()
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setColumnStretch(0, 1)
        self.repairs: dict[str, QPushButton] = {}
        self._labels: list[QLabel] = []
        self._typing = QTimer(self, interval=_TYPING_MS, singleShot=True)
        self._build()
        self._connect()
        self.retranslate()

    def show_examined(self, examined: Examined, can_undo: bool) -> None:
        """Show what is used of the recording, and what is found in that."""
        before, channel = self._examined, examined.diagnosis.edits.channel
        self._examined, self._can_undo = examined, can_undo
        if before is None or examined.sound is not before.sound or before.diagnosis.edits.channel != channel:
            self._whole = np.nan_to_num(mono(examined.sound, channel), nan=0.0, posinf=0.0, neginf=0.0)
            self.view.show_sound(self._whole, examined.sound.sample_rate)
        self._show_cut(examined.diagnosis.edits)
        self.retranslate()

    def texts(self) -> list[str]:
        """What the doctor says now."""
        return [label.text() for label in self._labels]

    # Inside ----------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        cut = FlowLayout()
        tools = (self.play_button, self.start, self._to, self.end, self.snap, self.undo_button, self.reset_button)
        for widget in tools:
            cut.addWidget(widget)
        layout = QVBoxLayout(self)
        layout.addWidget(self.view)
        layout.addLayout(cut)
        layout.addWidget(self.length)
        layout.addLayout(self._rows)

    def _connect(self) -> None:
        self.view.dragged.connect(self._show_numbers)
        self.view.chosen.connect(self._cut)
        self.play_button.clicked.connect(self.play_wanted)
        self.undo_button.clicked.connect(self.undo_wanted)
        self.reset_button.clicked.connect(self.reset_wanted)
        self.view.stepped.connect(self._stepped)
        for box in (self.start, self.end):
            box.valueChanged.connect(lambda value: self._typing.start())
        self._typing.timeout.connect(self._typed)

    def _show_cut(self, edits: Edits) -> None:
        seconds = self.view.seconds
        end = seconds if edits.end is None else edits.end
        self.view.select(edits.start, end)
        self._show_numbers(edits.start, end)

    def _show_numbers(self, start: float, end: float) -> None:
        self._typing.stop()
        for box, value in ((self.start, start), (self.end, end)):
            box.blockSignals(True)
            box.setRange(0.0, self.view.seconds)
            box.setValue(value)
            box.blockSignals(False)

    def _stepped(self, start: float, end: float) -> None:
        self._show_numbers(start, end)
        self._typing.start()

    def _typed(self) -> None:
        """Numbers are taken as they are: who types them means them. One that was not changed is not rounded either."""
        shown = zip((self.start, self.end), self.view.selection, strict=True)
        start, end = (exact if abs(box.value() - exact) <= _HALF_STEP else box.value() for box, exact in shown)
        self.cut_wanted.emit(min(start, end), max(start, end))

    def _cut(self, start: float, end: float) -> None:
        if self._examined is None:
            return
        if self.snap.isChecked():
            edits = self._examined.diagnosis.edits
            before = (edits.start, self.view.seconds if edits.end is None else edits.end)
            start, end = (
                self._snapped(place) if place != was else place for place, was in zip((start, end), before, strict=True)
            )
        self.cut_wanted.emit(start, max(start, end))

    def _snapped(self, place: float) -> float:
        assert self._examined is not None
        stretches: list[Stretch] = self._examined.stretches
        return snapped(place, self._whole, self._examined.sound.sample_rate, stretches)

    def _show_findings(self) -> None:
        focused = next((code for code, button in self.repairs.items() if button.hasFocus()), "")
        for widget in (*self._labels, *self.repairs.values()):
            self._rows.removeWidget(widget)
            widget.deleteLater()
        self._labels, self.repairs = [], {}
        if self._examined is None:
            return
        findings = self._examined.diagnosis.findings
        for row, finding in enumerate(findings):
            self._add_row(row, finding)
        if not findings:
            label = QLabel(self.tr("Nothing is wrong with it."))
            label.setProperty("muted", True)
            self._rows.addWidget(label, 0, 0, 1, 2)
            self._labels.append(label)
        if focused:
            (next(iter(self.repairs.values())) if self.repairs else self.undo_button).setFocus()

    def _add_row(self, row: int, finding: Finding) -> None:
        label = QLabel(finding_text(finding), wordWrap=True)
        label.setProperty("problem" if finding.severity == ERROR else "muted", True)
        self._rows.addWidget(label, row, 0)
        self._labels.append(label)
        if finding.mended is not None:
            button = QPushButton(repair_text(finding))
            describe(button, f"{button.text()}: {label.text()}")
            button.clicked.connect(lambda checked=False, mended=finding.mended: self.repair_wanted.emit(mended))
            self._rows.addWidget(button, row, 1)
            self.repairs[finding.code] = button

    def retranslate(self) -> None:
        """Set all texts."""
        self.play_button.setText(self.tr("Listen"))
        describe(self.play_button, self.tr("Listen to what is used"), self.tr("Play what lies between the handles."))
        self._to.setText(self.tr("to"))
        for box, name in ((self.start, self.tr("Used from")), (self.end, self.tr("Used to"))):
            box.setSuffix(self.tr(" s"))
            describe(box, name, self.tr("In seconds; taken as it is typed."))
        self.snap.setText(self.tr("Cut in pauses"))
        describe(
            self.snap,
            self.tr("Move cuts into pauses"),
            self.tr("A dragged handle goes to the nearest pause in speech."),
        )
        self.undo_button.setText(self.tr("Undo"))
        describe(self.undo_button, self.tr("Undo the last change of this recording"))
        self.undo_button.setEnabled(self._can_undo)
        self.reset_button.setText(self.tr("Use all of it"))
        describe(
            self.reset_button,
            self.tr("Take back all changes of this recording"),
            self.tr("Use the recording as it is; the file itself was never changed."),
        )
        edits = self._examined.diagnosis.edits if self._examined is not None else Edits()
        self.reset_button.setEnabled(not edits.is_none)
        if self._examined is not None:
            self.length.setText(self._length_text(self._examined))
        self._show_findings()

    def _length_text(self, examined: Examined) -> str:
        used, whole, looked = examined.diagnosis.seconds, examined.sound.whole_seconds, examined.sound.seconds
        edits = examined.diagnosis.edits
        text = self.tr("All {whole} are used") if edits.is_none else self.tr("{used} of {whole} are used")
        if edits.is_none and used > MOST_SECONDS:  # the doctor says how much of it is
            text = self.tr("It is {whole} long")
        parts = [text.format(used=length_text(used), whole=length_text(whole))]
        if looked < whole - 0.1:
            parts.append(self.tr("only the first {looked} are shown").format(looked=length_text(looked)))
        return " · ".join(part for part in (*parts, changes_text(edits)) if part)

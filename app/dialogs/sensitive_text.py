"""Asks before text is spoken that could deceive: what was found, and why it may be said. Not modal."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.core.audit_events import LONGEST_REASON
from app.core.sensitive import Finding
from app.dialogs.growing import GrowingDialog
from app.widgets.problem import Problem
from app.widgets.sensitive_wording import finding_text
from app.widgets.translated import Translated, describe


class SensitiveTextDialog(Translated, GrowingDialog):
    """``allowed`` brings the reason; closing it in any other way is no decision, and nothing is made."""

    allowed = Signal(str)

    def __init__(self, findings: Sequence[Finding], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._findings = tuple(findings)
        self._question = QLabel(wordWrap=True)
        self._question.setProperty("heading", True)
        self.found = QLabel(wordWrap=True)
        self._why = QLabel(wordWrap=True)
        self._reason_label = QLabel()
        self.reason = QComboBox(editable=True)
        self._line = QLineEdit(maxLength=LONGEST_REASON)
        self.reason.setLineEdit(self._line)
        self._reason_label.setBuddy(self.reason)
        self._kept = QLabel(wordWrap=True)
        self._kept.setProperty("muted", True)
        self.problem = Problem()
        self.allow = QPushButton()
        self.back = QPushButton()
        self.allow.setDefault(True)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.back)
        buttons.addWidget(self.allow)
        layout = QVBoxLayout(self)
        for widget in (
            self._question, self.found, self._why, self._reason_label, self.reason, self._kept, self.problem,
        ):  # fmt: skip
            layout.addWidget(widget)
        layout.addLayout(buttons)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 72)
        self.reason.editTextChanged.connect(self._update)
        self.allow.clicked.connect(self._allow)
        self.back.clicked.connect(self.reject)
        self.retranslate()
        self.reason.setFocus()

    def failed(self, reason: str) -> None:
        """Say why the decision could not be written down."""
        self.problem.say(reason)
        self._update()

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle(self.tr("Before this is spoken"))
        self._question.setText(self.tr("May this text be spoken?"))
        self.found.setText("\n".join(f"• {finding_text(finding)}" for finding in self._findings))
        self._why.setText(
            self.tr(
                "Said in a voice, such words can deceive people. If you have a good reason, go on; you are asked once."
            )
        )
        self._reason_label.setText(self.tr("Why it may be spoken"))
        describe(self.reason, self._reason_label.text())
        typed = self.reason.currentText() if self.reason.currentIndex() < 0 or self.reason.count() == 0 else ""
        chosen = self.reason.currentIndex()
        self.reason.clear()
        self.reason.addItems(
            [
                self.tr("It is fiction: film, game, book or play"),
                self.tr("It is about myself or my own organisation"),
                self.tr("It is for teaching or for a test"),
            ]
        )
        self.reason.setCurrentIndex(chosen)
        self.reason.setEditText(typed if chosen < 0 else self.reason.itemText(chosen))
        self._line.setPlaceholderText(self.tr("choose, or write a reason of your own"))
        self._kept.setText(
            self.tr(
                "The reason is kept encrypted on this computer. The audit log gets its hash and the kind of text, "
                "never the text."
            )
        )
        self.allow.setText(self.tr("Speak it"))
        describe(self.allow, self.tr("Speak the text"), self.tr("Write the decision down and make the takes"))
        self.back.setText(self.tr("Back to the text"))
        describe(self.back, self.tr("Make nothing and change the text"))
        self._update()

    def _update(self) -> None:
        given = bool(self.reason.currentText().strip())
        self.allow.setEnabled(given)
        self.allow.setToolTip(self.tr("Speak the text") if given else self.tr("Say why it may be spoken."))

    def _allow(self) -> None:
        self.problem.say("")
        self.allow.setEnabled(False)  # until it is told how that went
        self.allowed.emit(self.reason.currentText().strip())

"""The person took the consent back: by which channel they said so, and whether the voice goes too. Not modal."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFormLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.dialogs.growing import GrowingDialog
from app.widgets.problem import Problem
from app.widgets.translated import Translated, describe

CHANNELS = ("in_person", "phone", "e_mail", "letter", "message", "other")


class WithdrawConsentDialog(Translated, GrowingDialog):
    """``withdraw_requested`` brings channel and action (freeze, delete) as the record names them."""

    withdraw_requested = Signal(str, str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self.heading = QLabel(wordWrap=True)
        self.heading.setObjectName("panelTitle")
        self._effect = QLabel(wordWrap=True)
        self._label = QLabel()
        self.channel = QComboBox()
        self._label.setBuddy(self.channel)
        self.delete = QCheckBox()
        self.problem = Problem()
        self.withdraw, self.cancel = QPushButton(), QPushButton()
        self.cancel.setDefault(True)
        form = QFormLayout()
        form.addRow(self._label, self.channel)
        buttons = QHBoxLayout()
        buttons.addWidget(self.withdraw)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        layout = QVBoxLayout(self)
        layout.addWidget(self.heading)
        layout.addLayout(form)
        for widget in (self.delete, self._effect, self.problem):
            layout.addWidget(widget)
        layout.addLayout(buttons)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 60)
        self.delete.toggled.connect(self.retranslate)
        self.withdraw.clicked.connect(self._withdraw)
        self.cancel.clicked.connect(self.reject)
        self.retranslate()

    def failed(self, reason: str) -> None:
        """Say why nothing was changed."""
        self.problem.say(reason)
        self.withdraw.setEnabled(True)

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle(self.tr("Withdraw"))
        self.heading.setText(self.tr("Did the person take the consent to {name} back?").format(name=self._name))
        self._label.setText(self.tr("They said so"))
        describe(self.channel, self.tr("By which channel the withdrawal came"))
        names = (
            self.tr("in person"),
            self.tr("by phone"),
            self.tr("by e-mail"),
            self.tr("by letter"),
            self.tr("by a message"),
            self.tr("in another way"),
        )
        chosen = self.channel.currentData()
        self.channel.clear()
        for key, name in zip(CHANNELS, names, strict=True):
            self.channel.addItem(name, key)
        self.channel.setCurrentIndex(max(0, self.channel.findData(chosen)))
        self.delete.setText(self.tr("They also want it deleted"))
        describe(self.delete, self.delete.text(), self.tr("Delete the voice and all takes made with it, for ever"))
        self._effect.setText(
            self.tr("The voice and its copies, the recordings and all takes made with them are deleted at once, and "
                    "nothing brings them back. A signed note stays that holds no names.")
            if self.delete.isChecked()
            else self.tr("The voice and its copies are frozen at once and cannot be freed again: it takes a new "
                         "consent and a new recording.")
        )  # fmt: skip
        self.withdraw.setText(self.tr("Withdraw"))
        describe(self.withdraw, self.tr("Write the withdrawal into the record"))
        self.cancel.setText(self.tr("Cancel"))
        describe(self.cancel, self.tr("Change nothing"))

    def _withdraw(self) -> None:
        self.problem.say("")
        self.withdraw.setEnabled(False)  # until it is told how that went
        self.withdraw_requested.emit(self.channel.currentData(), "delete" if self.delete.isChecked() else "freeze")

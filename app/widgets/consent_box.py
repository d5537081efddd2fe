"""Asks, in the panel itself, whether a person's voice may be used."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from app.core.messages import SUBJECT_OTHER, SUBJECT_SELF, Consent
from app.widgets.translated import Translated, describe


class ConsentBox(Translated, QFrame):
    """Two clicks for one's own voice; name and contact too for somebody else's.

    Any change of an answer takes the tick back.
    """

    consent_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._consent: Consent | None = None
        self._title = QLabel()
        self._title.setProperty("heading", True)
        self.own = QRadioButton()
        self.other = QRadioButton()
        self._subjects = QButtonGroup(self)
        self._subjects.addButton(self.own)
        self._subjects.addButton(self.other)
        self.name = QLineEdit()
        self.contact = QLineEdit()
        self.tick = QCheckBox()
        self._hint = QLabel(wordWrap=True)
        self._hint.setProperty("muted", True)
        who = QHBoxLayout()
        who.addWidget(self.own)
        who.addWidget(self.other)
        who.addWidget(self.name, 1)
        who.addWidget(self.contact, 1)
        layout = QVBoxLayout(self)
        layout.addWidget(self._title)
        layout.addLayout(who)
        layout.addWidget(self.tick)
        layout.addWidget(self._hint)
        self._subjects.buttonClicked.connect(self._answer_changed)
        self.name.textEdited.connect(self._answer_changed)
        self.contact.textEdited.connect(self._answer_changed)
        self.tick.toggled.connect(self._ticked)
        self._update()
        self.retranslate()

    @property
    def consent(self) -> Consent | None:
        """The record that the answers make, or None while they are not complete."""
        return self._consent

    def missing(self) -> str:
        """Say what is still to be answered; empty when nothing is."""
        if self._consent is not None:
            return ""
        if self._subjects.checkedButton() is None:
            return self.tr("Say whose voice this is.")
        if self.other.isChecked() and not self.name.text().strip():
            return self.tr("Say who agreed to the use of this voice.")
        if self.other.isChecked() and not self.contact.text().strip():
            return self.tr("Say how this person can be reached.")
        return self.tr("Confirm that this voice may be used.")

    def renew(self) -> None:
        """Give the same answers once more: the recording is used in another way, and a record names what is used."""
        if self._consent is not None:
            self._ticked(True)

    def reset(self) -> None:
        """Forget the answers: other audio, other person."""
        self._subjects.setExclusive(False)
        self.own.setChecked(False)
        self.other.setChecked(False)
        self._subjects.setExclusive(True)
        self.name.clear()
        self.contact.clear()
        self._answer_changed()

    def retranslate(self) -> None:
        """Set all texts."""
        self._title.setText(self.tr("Whose voice is this?"))
        self.own.setText(self.tr("My own"))
        describe(self.own, self.tr("This is my own voice"))
        self.other.setText(self.tr("Someone who agreed:"))
        describe(self.other, self.tr("This is the voice of someone who agreed"))
        self.name.setPlaceholderText(self.tr("name"))
        describe(
            self.name, self.tr("Who agreed"), self.tr("The name of the person who agreed to the use of this voice.")
        )
        self.contact.setPlaceholderText(self.tr("how to reach them"))
        describe(
            self.contact, self.tr("How this person can be reached"), self.tr("An address, a number, or who knows them.")
        )
        self._update()

    def _update(self) -> None:
        named = bool(self.name.text().strip()) and bool(self.contact.text().strip())
        for field in (self.name, self.contact):
            field.setEnabled(self.other.isChecked())
        ready = self.own.isChecked() or (self.other.isChecked() and named)
        self.tick.setEnabled(ready)
        if self.other.isChecked():
            self.tick.setText(self.tr("This person agreed that I make new speech with this voice."))
        else:
            self.tick.setText(self.tr("I speak here myself, and I want new speech made with my voice."))
        describe(self.tick, self.tr("Confirm the consent"), self.tr("Without this, nothing is made with this voice."))
        self._hint.setText(self.tr("A record of this is made. It is your word: the studio cannot check who is heard."))

    def _answer_changed(self) -> None:
        self.tick.setChecked(False)
        self._update()
        self.consent_changed.emit()

    def _ticked(self, ticked: bool) -> None:
        if ticked:
            self._consent = Consent.attest(
                SUBJECT_SELF if self.own.isChecked() else SUBJECT_OTHER,
                self.name.text() if self.other.isChecked() else "",
                contact=self.contact.text() if self.other.isChecked() else "",
            )
        else:
            self._consent = None
        self.consent_changed.emit()

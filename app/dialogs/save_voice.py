"""Saves a voice: its name, and the record of the consent. Two clicks for one's own voice. Not modal."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.core.messages import SUBJECT_OTHER, SUBJECT_SELF
from app.core.voice_card import MAX_NAME, VoiceCard
from app.core.voice_making import Word
from app.dialogs.growing import GrowingDialog
from app.voice_desk import Design
from app.widgets.problem import Problem
from app.widgets.translated import Translated, describe

_AUTHORITIES = ("parent", "guardian", "estate", "agent")
_ALLOWED = ("commercial", "training", "sharing", "sensitive")


class SaveVoiceDialog(Translated, GrowingDialog):
    """Asks about recordings (``files`` by part), or about a designed take, which needs nobody's word."""

    save_requested = Signal(object, object)  # VoiceCard, Word; None for a designed voice

    def __init__(
        self,
        name: str,
        files: Mapping[str, Path],
        *,
        transcript: str = "",
        style: str = "",
        design: Design | None = None,
        from_take: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.files, self.design = files, design
        self._transcript, self._style, self._from_take = transcript, style, from_take
        self._documents: list[Path] = []
        self.name = QLineEdit(name[:MAX_NAME], maxLength=MAX_NAME)
        self.tags = QLineEdit()
        self._labels = {
            key: QLabel() for key in ("name", "tags", "who", "contact", "operator", "months", "proof", "keep")
        }
        self.own = QRadioButton()
        self.other = QRadioButton()
        self._subjects = QButtonGroup(self)
        self.who = QLineEdit()
        self.contact = QLineEdit()
        self.operator = QLineEdit()
        self.months = QSpinBox(minimum=1, maximum=36, value=12)
        self.minor = QCheckBox()
        self.representative = QLineEdit()
        self.authority = QComboBox()
        self.keep = QComboBox()
        self.allowed = {key: QCheckBox() for key in _ALLOWED}
        self.document_button = QPushButton()
        self._document_names = QLabel()
        self._document_names.setProperty("muted", True)
        self.said = QLabel(wordWrap=True)
        self.said.setProperty("muted", True)
        self.problem = Problem()
        self.save = QPushButton()
        self.save.setDefault(True)
        self.cancel = QPushButton()
        self._build()
        self._connect()
        self.retranslate()

    def card(self) -> VoiceCard:
        """The texts as the fields have them."""
        tags = tuple(tag.strip() for tag in self.tags.text().split(","))
        return VoiceCard(
            self.name.text(), tags, transcript=self._transcript, style=self._style, from_take=self._from_take
        )

    def word(self) -> Word | None:
        """Who agrees to what; None for a designed voice."""
        if self.design is not None:
            return None
        from app.core.consent.making import make_scope

        own = self.own.isChecked()
        allowed = {key: box.isChecked() for key, box in self.allowed.items()}
        scope = make_scope(
            commercial=allowed["commercial"],
            training=allowed["training"],
            redistribution=allowed["sharing"],
            sensitive_text=allowed["sensitive"],
        )
        named = self.representative.text().strip()
        return Word(
            SUBJECT_SELF if own else SUBJECT_OTHER,
            name="" if own else self.who.text(),
            contact="" if own else self.contact.text(),
            operator=self.operator.text(),
            adult=own or not self.minor.isChecked(),
            representative=(named, self.authority.currentData()) if self.minor.isChecked() and named else None,
            lang="zh" if self.locale().name().startswith("zh") else "en",
            scope=None if own else scope,
            months=None if own else self.months.value(),
            documents=tuple(self._documents),
            keep_recordings=self.keep.currentData(),
        )

    def missing(self) -> str:
        """What is still to be answered; empty when the voice can be saved."""
        if not self.name.text().strip():
            return self.tr("Give the voice a name.")
        if self.design is not None or self.own.isChecked():
            return ""
        if not self.other.isChecked():
            return self.tr("Say whose voice this is.")
        if not self.who.text().strip():
            return self.tr("Say who agreed to the use of this voice.")
        if not self.contact.text().strip():
            return self.tr("Say how this person can be reached.")
        if self.minor.isChecked() and not self.representative.text().strip():
            return self.tr("Say who speaks for the minor.")
        return ""

    def add_document(self, path: str) -> None:
        """Take a file along as proof."""
        if path and Path(path) not in self._documents:
            self._documents.append(Path(path))
        self._document_names.setText(", ".join(path.name for path in self._documents))

    def failed(self, reason: str) -> None:
        """Say why it was not saved; everything stays as it was typed."""
        self.problem.say(reason)
        self._update()

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle(self.tr("Save a voice"))
        names: dict[str, tuple[QWidget, str]] = {
            "name": (self.name, self.tr("Name of the voice")),
            "tags": (self.tags, self.tr("Tags, with commas between")),
            "who": (self.who, self.tr("Name of the person")),
            "contact": (self.contact, self.tr("How they can be reached")),
            "operator": (self.operator, self.tr("Who will use the voice")),
            "months": (self.months, self.tr("Holds for (months)")),
            "keep": (self.keep, self.tr("The recording stays")),
            "proof": (self.document_button, self.tr("Proof, if there is one")),
        }
        for key, (named, text) in names.items():
            self._labels[key].setText(text)
            describe(named, text)
        self.own.setText(self.tr("This is my own voice"))
        describe(self.own, self.own.text())
        self.other.setText(self.tr("Another person agreed"))
        describe(self.other, self.other.text())
        self.operator.setPlaceholderText(self.tr("me"))
        self.minor.setText(self.tr("under age, represented by"))
        describe(self.minor, self.tr("The person is under age"))
        describe(self.representative, self.tr("Who speaks for the minor"))
        self._fill_authorities()
        self._fill_keep()
        texts = {
            "commercial": self.tr("may earn money"),
            "training": self.tr("may train a model"),
            "sharing": self.tr("may be passed on"),
            "sensitive": self.tr("may speak sensitive text"),
        }
        for key, box in self.allowed.items():
            box.setText(texts[key])
            describe(box, texts[key])
        self.document_button.setText(self.tr("Add a document…"))
        if self.design is not None:
            self.said.setText(self.tr("No person is behind this voice: it was designed. The record says how."))
        else:
            self.said.setText(
                self.tr(
                    "The record is your word, signed on this computer. It shows later that nothing was changed; it "
                    "does not prove who is heard. It can be withdrawn at any time."
                )
            )
        self.save.setText(self.tr("Save"))
        describe(self.save, self.tr("Save the voice"))
        self.cancel.setText(self.tr("Cancel"))
        describe(self.cancel, self.tr("Save nothing"))
        self._update()

    def _build(self) -> None:
        self._subjects.addButton(self.own)
        self._subjects.addButton(self.other)
        form = QFormLayout()
        form.addRow(self._labels["name"], self.name)
        form.addRow(self._labels["tags"], self.tags)
        form.addRow(self._labels["keep"], self.keep)
        for key, field in (("name", self.name), ("tags", self.tags), ("keep", self.keep)):
            self._labels[key].setBuddy(field)
        self.name.setMinimumWidth(self.fontMetrics().averageCharWidth() * 48)  # a description is a name of that length
        self._others = QWidget()
        # A form says that it needs less height than its fields do.
        self._others.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        others = QFormLayout(self._others)
        others.setContentsMargins(0, 0, 0, 0)
        proof = QHBoxLayout()
        proof.addWidget(self.document_button)
        proof.addWidget(self._document_names, 1)
        minor = QHBoxLayout()
        minor.addWidget(self.minor)
        minor.addWidget(self.representative)
        minor.addWidget(self.authority)
        rows: list[tuple[str, QWidget]] = [
            ("who", self.who),
            ("contact", self.contact),
            ("operator", self.operator),
            ("months", self.months),
        ]
        for key, row in rows:
            others.addRow(self._labels[key], row)
            self._labels[key].setBuddy(row)
        others.addRow(minor)
        allowed = QHBoxLayout()
        for box in self.allowed.values():
            allowed.addWidget(box)
        others.addRow(allowed)
        others.addRow(self._labels["proof"], proof)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.save)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        for widget in (self.own, self.other, self._others, self.said, self.problem):
            layout.addWidget(widget)
        layout.addLayout(buttons)
        person = self.design is None
        form.setRowVisible(self.keep, person)  # a designed voice is nobody's
        self.own.setVisible(person)
        self.other.setVisible(person)

    def _connect(self) -> None:
        self._subjects.buttonClicked.connect(self._update)
        for field in (self.name, self.tags, self.who, self.contact, self.operator, self.representative):
            field.textEdited.connect(self._update)
        self.minor.toggled.connect(self._update)
        self.document_button.clicked.connect(self._ask_for_document)
        self.save.clicked.connect(self._save)
        self.cancel.clicked.connect(self.reject)

    def _update(self) -> None:
        missing = self.missing()
        self._others.setVisible(self.design is None and self.other.isChecked())
        self.representative.setVisible(self.minor.isChecked())
        self.authority.setVisible(self.minor.isChecked())
        self.save.setEnabled(not missing)
        self.save.setToolTip(missing or self.tr("Save the voice"))

    def _save(self) -> None:
        self.problem.say("")
        self.save.setEnabled(False)  # until it is told how that went
        self.save_requested.emit(self.card(), self.word())

    def _ask_for_document(self) -> None:
        dialog = QFileDialog(self, self.tr("Add a document"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.add_document)
        dialog.open()

    def _fill_keep(self) -> None:
        names = {
            "until_expiry": self.tr("as long as the consent holds"),
            "30d": self.tr("for 30 days"),
            "7d": self.tr("for 7 days"),
            "24h": self.tr("for 24 hours"),
            "session": self.tr("until the program ends"),
        }
        chosen = max(0, self.keep.currentIndex())
        self.keep.clear()
        for key, name in names.items():
            self.keep.addItem(name, key)
        self.keep.setCurrentIndex(chosen)
        self.keep.setToolTip(self.tr("Then the recording is deleted by itself; the record and the takes stay."))

    def _fill_authorities(self) -> None:
        names = {
            "parent": self.tr("a parent"),
            "guardian": self.tr("a guardian"),
            "estate": self.tr("the estate"),
            "agent": self.tr("an agent"),
        }
        chosen = max(0, self.authority.currentIndex())
        self.authority.clear()
        for key in _AUTHORITIES:
            self.authority.addItem(names[key], key)
        self.authority.setCurrentIndex(chosen)
        describe(self.authority, self.tr("In what role"))

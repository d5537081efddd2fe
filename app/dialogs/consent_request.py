"""Consent from far away: the request that is sent, and the answer that is made to one. Not modal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.audio.recorder import Recorder
from app.consent_desk import Asking
from app.core.consent.bundle import Answer, ConsentRequest, RecordedFile
from app.core.consent.rules import DEFAULT_MONTHS, MAX_MONTHS, MAX_REFERENCES
from app.core.consent.statement import GUARDIAN
from app.core.settings import Settings
from app.dialogs.growing import GrowingDialog
from app.widgets.consent_scope import ScopeTicks
from app.widgets.consent_statement import SpokenStatement
from app.widgets.problem import Problem
from app.widgets.translated import Translated, describe

_SOUNDS = (".wav", ".flac", ".ogg", ".opus", ".mp3")
_AUTHORITIES = ("parent", "guardian", "estate", "agent")


class ConsentRequestDialog(Translated, GrowingDialog):
    """Asks somebody far away: ``write_requested`` brings what is asked."""

    write_requested = Signal(object)  # Asking

    def __init__(self, lang: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._why = QLabel(wordWrap=True)
        self._why.setProperty("muted", True)
        self.operator, self.use, self.note = QLineEdit(), QLineEdit(), QLineEdit()
        self.language = QComboBox()
        self.months = QSpinBox(minimum=1, maximum=MAX_MONTHS, value=DEFAULT_MONTHS)
        self.references = QSpinBox(minimum=0, maximum=MAX_REFERENCES, value=1)
        self.guardian = QCheckBox()
        self.scope = ScopeTicks()
        self.problem = Problem()
        self.write, self.cancel = QPushButton(), QPushButton()
        self.write.setDefault(True)
        self._rows: dict[str, tuple[QLabel, QWidget]] = {
            key: (QLabel(), widget)
            for key, widget in (
                ("operator", self.operator), ("use", self.use), ("note", self.note), ("language", self.language),
                ("months", self.months), ("references", self.references), ("guardian", self.guardian),
                ("scope", self.scope),
            )
        }  # fmt: skip
        form = QFormLayout()
        for label, widget in self._rows.values():
            form.addRow(label, widget)
            label.setBuddy(widget)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.write)
        layout = QVBoxLayout(self)
        layout.addWidget(self._why)
        layout.addLayout(form)
        layout.addWidget(self.problem)
        layout.addLayout(buttons)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 76)
        self.operator.textChanged.connect(self._update)
        self.write.clicked.connect(lambda: self.write_requested.emit(self.asking()))
        self.cancel.clicked.connect(self.reject)
        self.retranslate()
        self.language.setCurrentIndex(max(0, self.language.findData(lang)))

    def asking(self) -> Asking:
        """What the fields say."""
        return Asking(
            self.operator.text().strip(), self.scope.scope(), self.language.currentData(), self.use.text().strip(),
            self.note.text().strip(), self.months.value(), self.references.value(), self.guardian.isChecked(),
        )  # fmt: skip

    def failed(self, reason: str) -> None:
        """Say why nothing was written."""
        self.problem.say(reason)

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle(self.tr("Ask for consent from far away"))
        self._why.setText(
            self.tr(
                "This makes a small file to send to the person. They open it in their studio, speak the statement, and "
                "send a file back within 30 days."
            )
        )
        chosen = self.language.currentIndex()
        self.language.clear()
        self.language.addItem(self.tr("English"), "en")
        self.language.addItem(self.tr("Chinese"), "zh")
        self.language.setCurrentIndex(max(0, chosen))
        texts = {
            "operator": self.tr("Who will use the voice"),
            "use": self.tr("What for, in a few words"),
            "note": self.tr("A word to the person"),
            "language": self.tr("Language of the statement"),
            "months": self.tr("Holds for (months)"),
            "references": self.tr("Recordings wanted besides"),
            "guardian": self.tr("Spoken by"),
            "scope": self.tr("It allows"),
        }
        for key, (label, widget) in self._rows.items():
            label.setText(texts[key])
            if widget is not self.scope:
                describe(widget, texts[key])
        self.guardian.setText(self.tr("somebody who speaks for the person"))
        self.write.setText(self.tr("Save the request…"))
        describe(self.write, self.tr("Save the request to a file"))
        self.cancel.setText(self.tr("Cancel"))
        describe(self.cancel, self.tr("Ask nobody"))
        self._update()

    def _update(self) -> None:
        named = bool(self.operator.text().strip())
        self.write.setEnabled(named)
        self.write.setToolTip(
            self.tr("Save the request to a file") if named else self.tr("Say who will use the voice.")
        )  # fmt: skip


class ConsentAnswerDialog(Translated, GrowingDialog):
    """Answers a request: ``write_requested`` brings the answer, the spoken statement, and files of recordings."""

    write_requested = Signal(object, object, object)  # Answer, Spoken, paths

    def __init__(
        self, request: ConsentRequest, recorder: Recorder, settings: Settings, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.request = request
        self._needs_guardian = request.template_id.startswith(GUARDIAN)
        self._files: list[Path] = []
        self.asked = QLabel(wordWrap=True)
        self.statement = SpokenStatement(recorder, settings)
        self.name, self.contact, self.representative = QLineEdit(), QLineEdit(), QLineEdit()
        self.authority = QComboBox()
        self.minor = QCheckBox()
        self.files_button = QPushButton()
        self.files = QLabel()
        self.files.setProperty("muted", True)
        self._labels = {key: QLabel() for key in ("name", "contact", "representative", "files")}
        self.problem = Problem()
        self.write, self.cancel = QPushButton(), QPushButton()
        self.write.setDefault(True)
        self._build()
        self.statement.show_statement(request.text, request.nonce)
        self.statement.spoken_changed.connect(self._update)
        for field in (self.name, self.contact, self.representative):
            field.textChanged.connect(self._update)
        self.files_button.clicked.connect(self._ask_for_files)
        self.write.clicked.connect(self._write)
        self.cancel.clicked.connect(self.reject)
        self.finished.connect(lambda _: self.statement.let_go())
        self.retranslate()

    def missing(self) -> str:
        """What is still to be done; empty when the answer is complete."""
        if self.statement.spoken is None:
            return self.tr("Record the statement first, or choose a recording of it.")
        if not self.name.text().strip():
            return self.tr("Say whose voice it is.")
        if not self.contact.text().strip():
            return self.tr("Say how you can be reached.")
        if self._needs_guardian and not self.representative.text().strip():
            return self.tr("Say who speaks for the person.")
        if len(self._files) < min(1, self.request.references_wanted):
            return self.tr("Add a recording of the voice.")
        return ""

    def add_files(self, paths: Sequence[str]) -> None:
        """Take recordings of the voice along, at most three."""
        for path in map(Path, paths):
            if path.suffix.lower() in _SOUNDS and path not in self._files and len(self._files) < MAX_REFERENCES:
                self._files.append(path)
        self.files.setText(", ".join(path.name for path in self._files))
        self._update()

    def failed(self, reason: str) -> None:
        """Say why nothing was written."""
        self.problem.say(reason)

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle(self.tr("Answer a request for consent"))
        request = self.request
        asked = [
            self.tr("{name} asks to use the voice, for {count} months.").format(
                name=request.operator, count=request.months
            )
        ]
        if request.note:
            asked.append(self.tr("They write: “{note}”").format(note=request.note))
        asked.append(self.tr("Speak the statement only if you agree. Nobody else can do it for you."))
        self.asked.setText("\n".join(asked))
        texts = {
            "name": self.tr("Whose voice it is"),
            "contact": self.tr("How you can be reached"),
            "representative": self.tr("Who speaks for the person"),
            "files": self.tr("Recordings of the voice"),
        }
        for key, label in self._labels.items():
            label.setText(texts[key])
        for key, field in (("name", self.name), ("contact", self.contact), ("representative", self.representative)):
            describe(field, texts[key])
        self.minor.setText(self.tr("The person is under age"))
        describe(self.minor, self.minor.text())
        chosen = max(0, self.authority.currentIndex())
        self.authority.clear()
        names = (self.tr("a parent"), self.tr("a guardian"), self.tr("the estate"), self.tr("an agent"))
        for key, name in zip(_AUTHORITIES, names, strict=True):
            self.authority.addItem(name, key)
        self.authority.setCurrentIndex(chosen)
        describe(self.authority, self.tr("In what role"))
        self.files_button.setText(self.tr("Add recordings…"))
        describe(self.files_button, self.tr("Add recordings of the voice, three at most"))
        self.write.setText(self.tr("Save the answer…"))
        describe(self.write, self.tr("Save the answer to a file that you send back"))
        self.cancel.setText(self.tr("Cancel"))
        describe(self.cancel, self.tr("Answer nothing"))
        self._update()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        form = QFormLayout()
        guardian, files = QHBoxLayout(), QHBoxLayout()
        for widget in (self.representative, self.authority, self.minor):
            guardian.addWidget(widget)
            widget.setVisible(self._needs_guardian)
        self._labels["representative"].setVisible(self._needs_guardian)
        files.addWidget(self.files_button)
        files.addWidget(self.files, 1)
        form.addRow(self._labels["name"], self.name)
        form.addRow(self._labels["contact"], self.contact)
        form.addRow(self._labels["representative"], guardian)
        form.addRow(self._labels["files"], files)
        for key, field in (("name", self.name), ("contact", self.contact), ("representative", self.representative)):
            self._labels[key].setBuddy(field)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.write)
        layout = QVBoxLayout(self)
        layout.addWidget(self.asked)
        layout.addWidget(self.statement)
        layout.addLayout(form)
        layout.addWidget(self.problem)
        layout.addLayout(buttons)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 84)

    def _ask_for_files(self) -> None:
        dialog = QFileDialog(self, self.tr("Add recordings of the voice"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilters([self.tr("Sound (*.wav *.flac *.ogg *.opus *.mp3)"), self.tr("All files (*)")])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(self.add_files)
        dialog.open()

    def _write(self) -> None:
        spoken = self.statement.spoken
        if spoken is None:
            return
        suffix = ".flac" if spoken.path is None else spoken.path.suffix.lower()
        source = "live" if spoken.path is None else "file"
        statement = RecordedFile(f"audio/statement{suffix}", source, spoken.captured_at.replace(microsecond=0))
        references = tuple(
            RecordedFile(f"audio/reference-{number}{path.suffix.lower()}", "file", statement.captured_at)
            for number, path in enumerate(self._files, 1)
        )
        named = self.representative.text().strip()
        answer = Answer(
            request_id=self.request.request_id,
            name=self.name.text().strip(),
            contact=self.contact.text().strip(),
            adult=not self.minor.isChecked(),
            representative=(named, self.authority.currentData()) if self._needs_guardian else (),
            statement=statement,
            references=references,
        )
        self.write_requested.emit(answer, spoken, tuple(self._files))

    def _update(self) -> None:
        missing = self.missing()
        self.write.setEnabled(not missing)
        self.write.setToolTip(missing or self.tr("Save the answer to a file that you send back"))

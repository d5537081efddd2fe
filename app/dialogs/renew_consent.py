"""Gives a consent anew, or lets it last longer. The versions before stay in the record. Not modal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QDate, QLocale, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.core.consent.record import ConsentRecord
from app.core.consent.rules import DEFAULT_MONTHS, MAX_MONTHS, add_months, may_be_endless
from app.dialogs.growing import GrowingDialog
from app.widgets.consent_scope import ScopeTicks
from app.widgets.problem import Problem
from app.widgets.translated import Translated, describe


class RenewConsentDialog(Translated, GrowingDialog):
    """``renew_requested`` brings the wish and documents, ``extend_requested`` the months."""

    renew_requested = Signal(object, object)  # Renewal, documents
    extend_requested = Signal(int)

    def __init__(self, name: str, record: ConsentRecord, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._record = name, record
        self._documents: list[Path] = []
        self.heading = QLabel(wordWrap=True)
        self.heading.setObjectName("panelTitle")
        self.now = QLabel(wordWrap=True)
        self.anew, self.longer = QRadioButton(), QRadioButton()
        self.months = QSpinBox(minimum=1, maximum=MAX_MONTHS, value=DEFAULT_MONTHS)
        self.endless = QCheckBox()
        self.scope = ScopeTicks()
        self.scope.show_scope(record.scope)
        self.document_button = QPushButton()
        self._document_names = QLabel()
        self._document_names.setProperty("muted", True)
        self._labels = {key: QLabel() for key in ("months", "scope", "proof")}
        self._effect = QLabel(wordWrap=True)
        self._effect.setProperty("muted", True)
        self.problem = Problem()
        self.save, self.cancel = QPushButton(), QPushButton()
        self.save.setDefault(True)
        self._build()
        for button in (self.anew, self.longer, self.endless):
            button.toggled.connect(self._update)
        self.months.valueChanged.connect(self._update)
        self.document_button.clicked.connect(self._ask_for_document)
        self.save.clicked.connect(self._save)
        self.cancel.clicked.connect(self.reject)
        self.anew.setChecked(True)
        self.endless.setChecked(record.expires_at is None)
        self.retranslate()

    def failed(self, reason: str) -> None:
        """Say why nothing was changed."""
        self._update()
        self.problem.say(reason)
        self.save.setEnabled(True)

    def add_documents(self, paths: Sequence[str]) -> None:
        """Take files along as proof."""
        self._documents += [Path(path) for path in paths if path and Path(path) not in self._documents]
        self._document_names.setText(", ".join(path.name for path in self._documents))

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle(self.tr("Renew a consent"))
        self.heading.setText(self.tr("The consent for {name}").format(name=self._name))
        end = self._record.expires_at
        self.now.setText(
            self.tr("It ends on {date}.").format(date=_day(end)) if end else self.tr("It has no end.")
        )  # fmt: skip
        self.anew.setText(self.tr("The person agreed anew"))
        describe(self.anew, self.anew.text(), self.tr("A new statement with new words; it may allow more than before"))
        self.longer.setText(self.tr("It lasts longer"))
        describe(self.longer, self.longer.text(), self.tr("The same consent with a later end"))
        self._labels["months"].setText(self.tr("Months"))
        describe(self.months, self.tr("How many months"))
        self.endless.setText(self.tr("without an end"))
        describe(self.endless, self.tr("The consent has no end, but can be withdrawn"))
        self._labels["scope"].setText(self.tr("It allows"))
        self._labels["proof"].setText(self.tr("Proof, if there is one"))
        self.document_button.setText(self.tr("Add a document…"))
        describe(self.document_button, self.tr("Add a document as proof"))
        self.save.setText(self.tr("Save"))
        describe(self.save, self.tr("Write the new version into the record"))
        self.cancel.setText(self.tr("Cancel"))
        describe(self.cancel, self.tr("Change nothing"))
        self._update()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        form = QFormLayout()
        months, proof = QHBoxLayout(), QHBoxLayout()
        months.addWidget(self.months)
        months.addWidget(self.endless)
        months.addStretch(1)
        proof.addWidget(self.document_button)
        proof.addWidget(self._document_names, 1)
        form.addRow(self._labels["months"], months)
        form.addRow(self._labels["scope"], self.scope)
        form.addRow(self._labels["proof"], proof)
        self._labels["months"].setBuddy(self.months)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.save)
        layout = QVBoxLayout(self)
        for widget in (self.heading, self.now, self.anew, self.longer):
            layout.addWidget(widget)
        layout.addLayout(form)
        layout.addWidget(self._effect)
        layout.addWidget(self.problem)
        layout.addLayout(buttons)

    def _save(self) -> None:
        self.problem.say("")
        self.save.setEnabled(False)  # until it is told how that went
        if self.longer.isChecked():
            self.extend_requested.emit(self.months.value())
            return
        months = None if self.endless.isVisibleTo(self) and self.endless.isChecked() else self.months.value()
        from app.core.renewal import Renewal  # with all that makes a record, which no window waits for

        self.renew_requested.emit(Renewal(months, self.scope.scope()), tuple(self._documents))

    def _ask_for_document(self) -> None:
        dialog = QFileDialog(self, self.tr("Add a document"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(self.add_documents)
        dialog.open()

    def _update(self) -> None:
        record, longer = self._record, self.longer.isChecked()
        end = record.expires_at
        self.longer.setEnabled(end is not None)
        endless = may_be_endless(record) and not longer
        self.endless.setVisible(endless)
        self.months.setEnabled(not (endless and self.endless.isChecked()))
        for widget in (self.scope, self.document_button):
            widget.setEnabled(not longer)
        if longer and end is not None:
            until, latest = add_months(end, self.months.value()), add_months(record.granted_at, MAX_MONTHS)
            self.save.setEnabled(until <= latest)
            text = self.tr("It then ends on {date}.").format(date=_day(until))
            if until > latest:
                text = self.tr("It may last until {date} at most. For longer the person has to agree anew.").format(
                    date=_day(latest)
                )
            self._effect.setText(text)
            return
        self.save.setEnabled(True)
        self._effect.setText(
            self.tr(
                "A new statement with four new words is drawn, and evidence of before no longer counts: the level is "
                "L0, or L1 with a document, until the statement is spoken."
            )
        )


def _day(moment: datetime) -> str:
    """A date as people of the chosen language write it."""
    return QLocale().toString(QDate(moment.year, moment.month, moment.day), QLocale.FormatType.LongFormat)

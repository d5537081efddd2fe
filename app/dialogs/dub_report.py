"""What was skipped or repaired when a file of cues was read."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QListWidget, QVBoxLayout, QWidget

from app.core.dubbing.remarks import SENTENCES, Remark
from app.widgets.translated import Translated, describe


def remark_text(remark: Remark) -> str:
    """Say a remark in the language of the window."""
    return QCoreApplication.translate("Remarks", SENTENCES[remark.code]).format(**remark.values)


class DubReport(Translated, QDialog):
    """A line for each remark; ``notes`` are what the project said when it was opened."""

    def __init__(self, remarks: Sequence[Remark], notes: Sequence[str] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._remarks, self._notes = tuple(remarks), tuple(notes)
        self._head = QLabel(wordWrap=True)
        self.list = QListWidget()
        self.list.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.close_button = buttons.button(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self._head)
        layout.addWidget(self.list, 1)
        layout.addWidget(buttons)
        self.setMinimumWidth(90 * self.fontMetrics().averageCharWidth())
        self.retranslate()

    def retranslate(self) -> None:
        """Set all texts."""
        count = len(self._remarks) + len(self._notes)
        self.setWindowTitle(self.tr("Import report"))
        self._head.setText(
            self.tr("Skipped or repaired: {count}. All else was taken as it is.").format(count=count)
            if count
            else self.tr("Nothing was skipped, and nothing had to be repaired.")
        )
        describe(self.list, self.tr("Skipped or repaired"))
        self.list.clear()
        for note in self._notes:
            self.list.addItem(note)
        for remark in self._remarks:
            text = remark_text(remark)
            whole = self.tr("Line {line}: {text}").format(line=remark.line, text=text) if remark.line else text
            self.list.addItem(whole)

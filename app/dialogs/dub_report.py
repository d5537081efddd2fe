"""What was skipped or repaired when a file of cues was read."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from app.core.dubbing.imported import Remark
from app.widgets.translated import Translated, describe

_SENTENCES = {
    "bad_time": QT_TRANSLATE_NOOP("Remarks", "A time cannot be read."),
    "before": QT_TRANSLATE_NOOP("Remarks", "What stands before the first cue was left out."),
    "block": QT_TRANSLATE_NOOP("Remarks", "A block that is no cue was left out."),
    "columns": QT_TRANSLATE_NOOP("Remarks", "No column is called text."),
    "comment": QT_TRANSLATE_NOOP("Remarks", "A comment was left out."),
    "control": QT_TRANSLATE_NOOP("Remarks", "Control characters were replaced by spaces."),
    "drawing": QT_TRANSLATE_NOOP("Remarks", "A drawing was left out."),
    "empty": QT_TRANSLATE_NOOP("Remarks", "The cue is empty and was left out."),
    "encoding": QT_TRANSLATE_NOOP("Remarks", "It is not UTF-8; the encoding was guessed, so look at the letters."),
    "form": QT_TRANSLATE_NOOP("Remarks", "It was read by its content, not by its name."),
    "glued": QT_TRANSLATE_NOOP("Remarks", "Text behind an empty line was joined to the cue before."),
    "joined": QT_TRANSLATE_NOOP("Remarks", "A line without a name was joined to the line before."),
    "name_too_long": QT_TRANSLATE_NOOP("Remarks", "A name was too long and was cut."),
    "no_end": QT_TRANSLATE_NOOP("Remarks", "It had no end that could be, and was given one."),
    "no_name": QT_TRANSLATE_NOOP("Remarks", "A line without a name is spoken by nobody in particular."),
    "no_start": QT_TRANSLATE_NOOP("Remarks", "It has no start and was put behind the cue before."),
    "nothing_to_say": QT_TRANSLATE_NOOP("Remarks", "The cue has no letter or digit and was left out."),
    "order": QT_TRANSLATE_NOOP("Remarks", "It starts before the cue above and was put in its place in time."),
    "overlap": QT_TRANSLATE_NOOP("Remarks", "It overlaps the next cue."),
    "tags": QT_TRANSLATE_NOOP("Remarks", "Formatting was taken out."),
    "too_long": QT_TRANSLATE_NOOP("Remarks", "A text was too long and was cut."),
    "unreadable": QT_TRANSLATE_NOOP("Remarks", "It cannot be read and was left out."),
}


def remark_text(remark: Remark) -> str:
    """Say a remark in the language of the window; where that is English, in its own words, which say more."""
    sentence = str(_SENTENCES.get(remark.code, ""))
    translated = QCoreApplication.translate("Remarks", sentence) if sentence else ""
    return remark.message if translated == sentence else translated


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
        self.setMinimumWidth(60 * self.fontMetrics().averageCharWidth())
        self.retranslate()

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle(self.tr("Import report"))
        self._head.setText(
            self.tr("Skipped or repaired: {count}. All else was taken as it is.").format(count=len(self._remarks))
            if self._remarks or self._notes
            else self.tr("Nothing was skipped, and nothing had to be repaired.")
        )
        describe(self.list, self.tr("Skipped or repaired"))
        self.list.clear()
        for note in self._notes:
            self.list.addItem(note)
        for remark in self._remarks:
            text = remark_text(remark)
            item = QListWidgetItem(
                self.tr("Line {line}: {text}").format(line=remark.line, text=text) if remark.line else text
            )
            item.setToolTip(remark.message)
            self.list.addItem(item)

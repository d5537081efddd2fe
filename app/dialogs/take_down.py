"""A complaint about a voice: freeze it, see everything that was derived from it, release or delete it. Not modal."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QStackedWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.core.complaints import DECIDE_WITHIN, LONGEST_TERM, Complaint
from app.core.derived import Derived
from app.core.exports import Export
from app.core.voice_card import SavedVoice
from app.core.voice_uses import ADAPTER, CACHE, PROJECT, VoiceUse
from app.widgets.problem import Problem
from app.widgets.translated import Translated, describe

_HOUR = 3600
_MOST_SHOWN = 200  # of exports; the note about the deletion lists all


class TakeDownDialog(Translated, QDialog):
    """Asks by signals. ``show_open`` and ``show_deleted`` tell it how things stand."""

    freeze_requested = Signal(str, int)  # text, hours
    release_requested = Signal(str)  # reason
    delete_requested = Signal()
    note_requested = Signal()
    log_requested = Signal()

    def __init__(self, voice: SavedVoice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.voice = voice
        self._complaints: tuple[Complaint, ...] = ()
        self._texts: tuple[str, ...] = ()
        self._derived: Derived | None = None
        self._now: datetime | None = None
        self._deleted_takes: int | None = None
        self.heading = QLabel(wordWrap=True)
        self.heading.setObjectName("panelTitle")
        self.pages = QStackedWidget()
        self._why = QLabel(wordWrap=True)
        self.text = QPlainTextEdit(tabChangesFocus=True)
        self.hours = QSpinBox(
            minimum=1,
            maximum=int(LONGEST_TERM.total_seconds()) // _HOUR,
            value=int(DECIDE_WITHIN.total_seconds()) // _HOUR,
        )
        self._hours_label = QLabel()
        self.freeze = QPushButton()
        self.deadline = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.said = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.said.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.tree = QTreeWidget(columnCount=2)
        self.tree.setAlternatingRowColors(True)
        self.log = QPushButton()
        self.reason = QLineEdit()
        self.release = QPushButton()
        self.delete = QPushButton()
        self.done_label = QLabel(wordWrap=True)
        self.note = QPushButton()
        self.problem = Problem()
        self.close_button = QPushButton()
        for button in (self.freeze, self.log, self.release, self.delete, self.note, self.close_button):
            button.setAutoDefault(False)  # Enter in a field must not press anything
        self._build()
        self._connect()
        self.retranslate()

    # What it is told -------------------------------------------------------------------------------------------------

    def show_open(
        self,
        voice: SavedVoice,
        complaints: tuple[Complaint, ...],
        texts: tuple[str, ...],
        derived: Derived,
        now: datetime,
    ) -> None:
        """Show the open complaints (none: one can be opened), what was written, and what was derived from the voice."""
        self.voice, self._complaints, self._texts = voice, complaints, texts
        self._derived, self._now = derived, now
        self.pages.setCurrentIndex(1 if complaints else 0)
        self.problem.say("")
        self.retranslate()

    def show_deleted(self, takes: int) -> None:
        """Say that all is gone; ``takes`` is how many takes went along."""
        self._deleted_takes = takes
        self.pages.setCurrentIndex(2)
        self.problem.say("")
        self.retranslate()

    def failed(self, reason: str) -> None:
        """Say why something was not done; everything stays as it was typed."""
        self.problem.say(reason)
        self._update()

    def retranslate(self) -> None:
        """Set all texts."""
        name = self.voice.name or self.voice.voice_id[:8]
        self.setWindowTitle(self.tr("Complaint"))
        self.heading.setText(self.tr("Complaint about {name}").format(name=name))
        self._why.setText(
            self.tr(
                "A complaint freezes the voice at once: nothing can be made with it until the complaint is decided. "
                "What you write here is kept encrypted; the audit log gets its hash and an id."
            )
        )
        self.text.setPlaceholderText(self.tr("Who complains, how they can be reached, what they say"))
        describe(self.text, self.tr("What the complaint says"))
        self._hours_label.setText(self.tr("Decide within (hours)"))
        describe(
            self.hours,
            self.tr("Decide within (hours)"),
            self.tr("48 hours is the shortest term that we know of in a law. Ask which one holds for you."),
        )
        self.freeze.setText(self.tr("Freeze the voice"))
        describe(self.freeze, self.tr("Freeze the voice"), self.tr("Open the complaint and freeze the voice"))
        self.log.setText(self.tr("Export the audit log…"))
        describe(self.log, self.tr("Export the audit log"), self.tr("Write the signed log to a file, to preserve it"))
        self.reason.setPlaceholderText(self.tr("Why the complaint does not hold"))
        describe(self.reason, self.tr("Why the complaint does not hold"))
        self.release.setText(self.tr("Release the voice"))
        describe(
            self.release, self.tr("Release the voice"), self.tr("Close the complaint; the voice can be used again")
        )
        self.delete.setText(self.tr("Delete everything…"))
        describe(self.delete, self.tr("Delete everything"), self.tr("Delete all that is listed as in the library"))
        self.note.setText(self.tr("Save the signed note…"))
        describe(self.note, self.tr("Save the signed note"), self.tr("Write the proof of the deletion to a file"))
        self.close_button.setText(self.tr("Close"))
        describe(self.close_button, self.tr("Close"))
        self.tree.setHeaderLabels([self.tr("What there is"), self.tr("Details")])
        self.tree.setAccessibleName(self.tr("Everything derived from the voice"))
        self._say_deadline()
        self._fill_tree()
        self._say_deleted()
        self._update()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        width = self.fontMetrics().averageCharWidth()
        self.setMinimumWidth(80 * width)
        self.resize(124 * width, 32 * self.fontMetrics().height())
        term = QHBoxLayout()
        self._hours_label.setBuddy(self.hours)
        term.addWidget(self._hours_label)
        term.addWidget(self.hours)
        term.addStretch(1)
        term.addWidget(self.freeze)
        ending = QHBoxLayout()
        ending.addWidget(self.reason, 1)
        ending.addWidget(self.release)
        buttons = QHBoxLayout()
        buttons.addWidget(self.log)
        buttons.addStretch(1)
        buttons.addWidget(self.delete)
        note = QHBoxLayout()
        note.addStretch(1)
        note.addWidget(self.note)
        self._page(self._why, self.text, term)
        self._page(self.deadline, self.said, self.tree, ending, buttons)
        self._page(self.done_label, None, note)
        bottom = QHBoxLayout()
        bottom.addStretch(1)
        bottom.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.addWidget(self.heading)
        layout.addWidget(self.pages, 1)
        layout.addWidget(self.problem)
        layout.addLayout(bottom)

    def _page(self, *parts: QWidget | QHBoxLayout | None) -> None:
        page = QWidget()
        inside = QVBoxLayout(page)
        inside.setContentsMargins(0, 0, 0, 0)
        for part in parts:
            if part is None:
                inside.addStretch(1)
            elif isinstance(part, QWidget):
                inside.addWidget(part, 1 if part in (self.text, self.tree) else 0)
            else:
                inside.addLayout(part)
        self.pages.addWidget(page)

    def _connect(self) -> None:
        self.text.textChanged.connect(self._update)
        self.reason.textEdited.connect(self._update)
        self.freeze.clicked.connect(self._ask_to_freeze)
        self.release.clicked.connect(self._ask_to_release)
        self.delete.clicked.connect(self.delete_requested)
        self.note.clicked.connect(self.note_requested)
        self.log.clicked.connect(self.log_requested)
        self.close_button.clicked.connect(self.close)

    def _ask_to_freeze(self) -> None:
        self.freeze.setEnabled(False)  # until it is told how that went
        self.freeze_requested.emit(self.text.toPlainText().strip(), self.hours.value())

    def _ask_to_release(self) -> None:
        self.release.setEnabled(False)
        self.release_requested.emit(self.reason.text().strip())

    def _update(self) -> None:
        self.freeze.setEnabled(bool(self.text.toPlainText().strip()))
        self.release.setEnabled(bool(self._complaints) and bool(self.reason.text().strip()))
        self.delete.setEnabled(bool(self._complaints))

    def _say_deadline(self) -> None:
        lines = []
        late = False
        for complaint in self._complaints:
            when = self._time(complaint.decide_by)
            left = complaint.seconds_left(self._now) if self._now is not None else 0.0
            late = late or left < 0
            if left >= 0:
                text = self.tr("Decide by {when}: {hours} h are left. Complaint {id}")
            else:
                text = self.tr("It had to be decided by {when}, {hours} h ago. Complaint {id}")
            lines.append(text.format(when=when, hours=int(abs(left)) // _HOUR, id=complaint.complaint_id))
        self.deadline.setText("\n".join(lines))
        self.deadline.setProperty("problem", late)
        self.deadline.style().unpolish(self.deadline)
        self.deadline.style().polish(self.deadline)
        self.said.setText("\n".join(self._texts))
        self.said.setVisible(bool(self._texts))

    def _fill_tree(self) -> None:
        self.tree.clear()
        derived = self._derived
        if derived is None:
            return
        inside = self._top(self.tr("In the library: deleted with the voice"))
        parts = {
            "reference": self.tr("Reference recording"),
            "prompt": self.tr("Prompt recording"),
            "statement": self.tr("Spoken statement"),
            "evidence": self.tr("Document"),
        }
        for part, digest in derived.files:
            self._row(inside, parts[part], f"SHA-256 {digest}")
        self._row(inside, self.tr("Versions of the consent record"), str(derived.records))
        self._row(inside, self.tr("Encodings kept for models (latents)"), str(derived.latents))
        binned = self.tr("{count}, of these in the bin: {binned}").format(
            count=len(derived.takes), binned=derived.binned
        )
        self._row(inside, self.tr("Takes"), binned)
        self._row(inside, self.tr("Comparisons of these takes"), str(derived.compared))
        if derived.copies:
            text = self.tr("{count}: frozen and deleted together with it").format(count=len(derived.copies))
            self._row(inside, self.tr("Copies of the voice"), text)
        outside = self._top(self.tr("Known to be outside: not reached by deleting"))
        for export in derived.exports[:_MOST_SHOWN]:
            self._row(outside, *self._export(export))
        if len(derived.exports) > _MOST_SHOWN:
            more = len(derived.exports) - _MOST_SHOWN
            self._row(outside, self.tr("And {count} more files").format(count=more), "")
        for use in derived.uses:
            self._row(outside, *self._use(use))
        if derived.adapter:
            self._row(outside, self.tr("LoRA of the voice"), f"SHA-256 {derived.adapter}")
        if not outside.childCount():
            self._row(outside, self.tr("Nothing"), "")
        self.tree.expandAll()
        self.tree.resizeColumnToContents(0)

    def _export(self, export: Export) -> tuple[str, str]:
        names = {"sound": self.tr("Exported file"), "stream": self.tr("Stream"), "voice": self.tr("Exported voice")}
        when = self._time(datetime.fromisoformat(export.at))
        known = [when, export.format.upper(), export.produce_id, f"SHA-256 {export.sha256}" if export.sha256 else ""]
        return names[export.kind], " · ".join(part for part in known if part)

    def _use(self, use: VoiceUse) -> tuple[str, str]:
        names = {
            PROJECT: self.tr("Project"),
            ADAPTER: self.tr("Training (LoRA)"),
            CACHE: self.tr("Cache of training"),
        }
        if use.place is None:
            return names[use.kind], self.tr("place unknown: the voices are locked")
        gone = "" if use.is_there else self.tr(" (not there any more)")
        return names[use.kind], f"{use.place}{gone}"

    def _say_deleted(self) -> None:
        if self._deleted_takes is not None:
            self.done_label.setText(
                self.tr(
                    "The voice is deleted with everything that was in the library, {count} takes among it, and its key "
                    "is destroyed. A signed note with hashes and numbers only stays. Files that left before are out of "
                    "reach: ask those who have them to delete them. A LoRA that names this voice's record is refused "
                    "from now on."
                ).format(count=self._deleted_takes)
            )

    def _top(self, text: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem(self.tree, [text])
        item.setFirstColumnSpanned(True)
        font = item.font(0)
        font.setBold(True)
        item.setFont(0, font)
        return item

    @staticmethod
    def _row(parent: QTreeWidgetItem, name: str, details: str) -> None:
        item = QTreeWidgetItem(parent, [name, details])
        item.setToolTip(1, details)

    def _time(self, moment: datetime) -> str:
        local = moment.astimezone().replace(tzinfo=None)
        return QLocale().toString(local, QLocale.FormatType.ShortFormat)  # type: ignore[call-overload]

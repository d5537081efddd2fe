"""The chosen cue: its text, who speaks it and how, its times, its takes, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QImage, QKeyEvent, QKeySequence, QPixmap
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.core.dubbing.cues import LONGEST_CUE, LONGEST_NAME
from app.core.dubbing.overview import CueState
from app.widgets.cue_text import hints, read_time, said_text, take_text, time_text
from app.widgets.text_edit import PlainText
from app.widgets.translated import Translated, describe

_TYPING_MS = 400
FRAME = (192, 108)  # pixels of a picture of the film
_UNDO_KEYS = (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo)


class CueText(PlainText):
    """A text whose undo is that of the project: its own would forget the step at the next cue."""

    def event(self, event: QEvent) -> bool:
        """Let undo and redo pass to whoever has them as shortcuts."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_undo(event):
            event.ignore()
            return False
        return super().event(event)


def _is_undo(event: QKeyEvent) -> bool:
    return any(event.matches(key) for key in _UNDO_KEYS)


class CueCard(Translated, QFrame):
    """Shows one cue. What is typed is told after a moment, and at once when another cue is shown."""

    text_edited = Signal(str, str)  # cue, text
    style_edited = Signal(str, str)
    character_edited = Signal(str, str)
    voice_chosen = Signal(str, str)  # cue, voice id or ""
    times_edited = Signal(str, int, int)
    take_chosen = Signal(str, str)  # cue, take
    asked = Signal(str)  # listen, redo, split, merge, delete

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("card", True)
        self._state: CueState | None = None
        self._showing = False
        self.heading = QLabel()
        self.heading.setProperty("heading", True)
        self.text = CueText(3)
        self.text.setUndoRedoEnabled(False)
        self.said = _note()
        self.hint = _note()
        self.hint.setProperty("muted", False)
        self.character = QComboBox(editable=True, insertPolicy=QComboBox.InsertPolicy.NoInsert)
        self.voice = QComboBox()
        self.style_note = QLineEdit(maxLength=LONGEST_CUE)
        self.start, self.end = QLineEdit(), QLineEdit()
        self.takes = QListWidget()
        self.takes.setObjectName("takes")
        self.takes.setSpacing(2)  # clear of the round frame
        self.frame = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self.frame.setFixedSize(QSize(*FRAME))
        self.frame.setVisible(False)
        self.labels = {key: QLabel() for key in ("character", "voice", "style", "times", "takes")}
        self.buttons = {key: QPushButton() for key in ("listen", "redo", "split", "merge", "delete")}
        self._typing = QTimer(self, interval=_TYPING_MS, singleShot=True)
        self._build()
        self._connect()
        self.retranslate()
        self.show_state(None)

    # What it is told -------------------------------------------------------------------------------------------------

    @property
    def state(self) -> CueState | None:
        """The cue that is shown."""
        return self._state

    def show_state(self, state: CueState | None) -> None:
        """Show a cue as it is now; a field that is being typed into keeps what stands there."""
        if state is None or self._state is None or state.cue.cue_id != self._state.cue.cue_id:
            self.flush()
        same = state is not None and self._state is not None and state.cue.cue_id == self._state.cue.cue_id
        self._state = state
        self._showing = True
        self.setEnabled(state is not None)
        cue = state.cue if state is not None else None
        if not (same and self._typing.isActive()):
            _set_plain(self.text, cue.text if cue is not None else "")
            _set_line(self.style_note, cue.style if cue is not None else "")
        self.character.setCurrentText(cue.character if cue is not None else "")
        self.voice.setCurrentIndex(max(0, self.voice.findData(cue.voice if cue is not None else "")))
        for field, value in ((self.start, cue.start if cue else None), (self.end, cue.end if cue else None)):
            if not (same and field.isModified() and field.hasFocus()):
                field.setText(time_text(value))
            field.setEnabled(value is not None)
        self._showing = False
        self._show_takes()
        self._say()

    def show_characters(self, names: Sequence[str]) -> None:
        """Offer these characters."""
        if [self.character.itemText(row) for row in range(self.character.count())] == list(names):
            return
        self._showing = True
        current = self.character.currentText()
        self.character.clear()
        self.character.addItems(list(names))
        self.character.setCurrentText(current)
        self._showing = False

    def show_voices(self, voices: Mapping[str, str]) -> None:
        """Offer these saved voices, by id: name."""
        self._showing = True
        fill_voices(self.voice, voices, self.tr("As the character"))
        if self._state is not None:
            self.voice.setCurrentIndex(max(0, self.voice.findData(self._state.cue.voice)))
        self._showing = False

    def show_frame(self, rgb: bytes | None) -> None:
        """Show a picture of the film, or none."""
        self.frame.setVisible(rgb is not None)
        if rgb is not None:
            width, height = FRAME
            picture = QImage(rgb, width, height, 3 * width, QImage.Format.Format_RGB888)
            self.frame.setPixmap(QPixmap.fromImage(picture))

    def flush(self) -> None:
        """Tell at once what was typed."""
        if self._typing.isActive():
            self._typing.stop()
            self._tell_typed()

    def retranslate(self) -> None:
        """Set all texts."""
        texts = {
            "listen": (self.tr("Listen"), self.tr("Hear this cue as it will be (Space)")),
            "redo": (self.tr("Redo"), self.tr("Make another take of this cue, the others stay (R)")),
            "split": (self.tr("Split"), self.tr("Split at the text cursor, else at the middle (S)")),
            "merge": (self.tr("Merge"), self.tr("Join the next cue to this one (M)")),
            "delete": (self.tr("Delete"), self.tr("Take the chosen cues out (Del)")),
        }
        for key, (text, tip) in texts.items():
            self.buttons[key].setText(text)
            describe(self.buttons[key], text, tip)
        labels = {
            "character": self.tr("Character"),
            "voice": self.tr("Voice"),
            "style": self.tr("Style"),
            "times": self.tr("From, to"),
            "takes": self.tr("Takes"),
        }
        for key, text in labels.items():
            self.labels[key].setText(text)
        self.text.setPlaceholderText(self.tr("What is said. [pause 0.5s] makes a pause."))
        describe(self.text, self.tr("Text of the cue"), self.tr("What is said. [pause 0.5s] makes a pause."))
        describe(self.character, self.tr("Character of the cue"), self.tr("Who speaks; type a new name to add one"))
        describe(self.voice, self.tr("Voice of this cue alone"), self.tr("A saved voice for this cue alone"))
        self.style_note.setPlaceholderText(self.tr("whispering, in a hurry"))
        describe(
            self.style_note, self.tr("Style of this cue"), self.tr("How this cue is said, where the model heeds it")
        )
        describe(self.start, self.tr("Start of the cue"), self.tr("Minutes and seconds, as in 1:02.500"))
        describe(self.end, self.tr("End of the cue"), self.tr("Minutes and seconds, as in 1:02.500"))
        describe(self.takes, self.tr("Takes of the cue"), self.tr("The chosen one is heard; keys 1 to 3 choose"))
        self.frame.setAccessibleName(self.tr("Picture of the film"))
        self.voice.setItemText(0, self.tr("As the character"))
        self._say()
        self._show_takes()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.voice.addItem("", "")
        for combo in (self.character, self.voice):
            combo.setMinimumContentsLength(6)
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        times = QHBoxLayout()
        for field in (self.start, self.end):
            times.addWidget(field, 1)
        grid = QGridLayout()
        fields = (("character", self.character), ("voice", self.voice), ("style", self.style_note))
        for row, (key, widget) in enumerate(fields):
            grid.addWidget(self.labels[key], row, 0)
            self.labels[key].setBuddy(widget)
            grid.addWidget(widget, row, 1)
        self.labels["times"].setBuddy(self.start)
        grid.addWidget(self.labels["times"], len(fields), 0)
        grid.addLayout(times, len(fields), 1)
        grid.addWidget(self.frame, 0, 2, 4, 1)
        grid.setColumnStretch(1, 1)
        buttons = QHBoxLayout()
        for button in self.buttons.values():
            buttons.addWidget(button)
        buttons.addStretch(1)
        line = self.fontMetrics().lineSpacing()
        self.takes.setMinimumHeight(round(2.2 * line))
        self.takes.setMaximumHeight(round(5.5 * line))
        layout = QVBoxLayout(self)
        for widget in (self.heading, self.text, self.said, self.hint):
            layout.addWidget(widget)
        layout.addLayout(grid)
        layout.addWidget(self.labels["takes"])
        layout.addWidget(self.takes)
        layout.addLayout(buttons)
        layout.addStretch(1)

    def _connect(self) -> None:
        self.text.textChanged.connect(self._typed)
        self.style_note.textEdited.connect(self._typed)
        self._typing.timeout.connect(self._tell_typed)
        self.style_note.editingFinished.connect(self.flush)
        self.character.activated.connect(lambda _: self._tell_character())
        line = self.character.lineEdit()
        assert line is not None
        line.editingFinished.connect(self._tell_character)
        line.setMaxLength(LONGEST_NAME)
        self.voice.activated.connect(lambda _: self._tell(self.voice_chosen, self.voice.currentData()))
        for field in (self.start, self.end):
            field.editingFinished.connect(self._tell_times)
        self.takes.currentItemChanged.connect(self._take_changed)
        for key, button in self.buttons.items():
            button.clicked.connect(lambda _=False, key=key: self.asked.emit(key))

    def _typed(self, *_: object) -> None:
        if not self._showing and self._state is not None:
            self._typing.start()

    def _tell(self, signal: object, value: object) -> None:
        if not self._showing and self._state is not None:
            signal.emit(self._state.cue.cue_id, value)  # type: ignore[attr-defined]

    def _tell_typed(self) -> None:
        state = self._state
        if state is None:
            return
        text, style = self.text.toPlainText(), self.style_note.text()
        if text != state.cue.text:
            self.text_edited.emit(state.cue.cue_id, text)
        if style != state.cue.style:
            self.style_edited.emit(state.cue.cue_id, style)

    def _tell_character(self) -> None:
        if self._state is not None and (name := self.character.currentText().strip()) != self._state.cue.character:
            self._tell(self.character_edited, name)

    def _tell_times(self) -> None:
        state = self._state
        if state is None or state.cue.start is None or state.cue.end is None:
            return
        start, end = read_time(self.start.text()), read_time(self.end.text())
        if start is None or end is None or start >= end:
            self.start.setText(time_text(state.cue.start))
            self.end.setText(time_text(state.cue.end))
        elif (start, end) != (state.cue.start, state.cue.end):
            self.times_edited.emit(state.cue.cue_id, start, end)

    def _take_changed(self, item: QListWidgetItem | None) -> None:
        if item is not None and not self._showing and self._state is not None:
            take = item.data(Qt.ItemDataRole.UserRole)
            if take != self._state.cue.chosen:
                self.take_chosen.emit(self._state.cue.cue_id, take)

    def _show_takes(self) -> None:
        self._showing = True
        self.takes.clear()
        state = self._state
        if state is not None:
            for number, take in enumerate(state.cue.takes, 1):
                item = QListWidgetItem(take_text(state, number, take))
                item.setData(Qt.ItemDataRole.UserRole, take.take)
                self.takes.addItem(item)
                if take.take == state.cue.chosen:
                    self.takes.setCurrentItem(item)
        self._showing = False

    def _say(self) -> None:
        state = self._state
        self.heading.setText(
            self.tr("Cue {number}").format(number=state.number) if state is not None else self.tr("No cue is chosen.")
        )
        for label, text in (
            (self.said, said_text(state) if state is not None else ""),
            (self.hint, " ".join(hints(state)) if state is not None else ""),
        ):
            label.setText(text)
            label.setVisible(bool(text))
        wrong = state is not None and bool(state.problem)
        if self.hint.property("problem") != wrong:
            self.hint.setProperty("problem", wrong)
            self.hint.style().unpolish(self.hint)
            self.hint.style().polish(self.hint)


def fill_voices(combo: QComboBox, voices: Mapping[str, str], none: str) -> None:
    """Offer saved voices (id: name) behind an entry for none; the chosen one stays."""
    chosen = combo.currentData()
    combo.clear()
    combo.addItem(none, "")
    for voice_id, name in voices.items():
        combo.addItem(name, voice_id)
    combo.setCurrentIndex(max(0, combo.findData(chosen)))


def _note() -> QLabel:
    label = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
    label.setProperty("muted", True)
    return label


def _set_plain(field: PlainText, text: str) -> None:
    if field.toPlainText() != text:
        field.setPlainText(text)


def _set_line(field: QLineEdit, text: str) -> None:
    if field.text() != text:
        field.setText(text)

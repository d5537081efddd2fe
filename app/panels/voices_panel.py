"""The saved voices: search, listen, read the record, use, pass on, take back, delete."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.core.settings import Settings
from app.core.voice_card import MAX_NAME, ORDERS, SavedVoice, VoiceState
from app.models.voice_list import StateRole, SubtitleRole, VoiceListModel
from app.voice_desk import Described
from app.widgets.consent_text import level_text, problem_text
from app.widgets.problem import Problem
from app.widgets.take_delegate import TwoLineDelegate
from app.widgets.translated import Translated, describe

_TYPING_MS = 150
_USES = ("clone", "continue", "play", "hear", "copy", "export")
_BUTTONS = (*_USES, "raise", "renew", "withdraw", "complaint", "delete")


class VoicesPanel(Translated, QWidget):
    """List above, the chosen voice below. It asks by signals; what comes of it is told by its methods."""

    look_requested = Signal(str)
    voice_selected = Signal(str)
    preview_requested = Signal(str)
    take_preview_requested = Signal(str)
    use_requested = Signal(object, str)  # SavedVoice, clone or continue
    rename_requested = Signal(str, str, object)  # id, name, tags
    copy_requested = Signal(object)
    export_requested = Signal(object)
    import_requested = Signal()
    withdraw_requested = Signal(object)
    delete_requested = Signal(object)
    complaint_requested = Signal(object)
    raise_requested = Signal(object)
    renew_requested = Signal(object, object)  # SavedVoice, ConsentRecord
    ask_requested = Signal()
    answer_requested = Signal()
    take_requested = Signal()
    unlock_requested = Signal()

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._described: Described | None = None
        self._title = QLabel()
        self._title.setObjectName("panelTitle")
        self.search = QLineEdit(clearButtonEnabled=True)
        self.sort = QComboBox()
        self.import_button = QPushButton()
        self.far_button = QPushButton()
        self._far = QMenu(self.far_button)
        self.far_actions = {key: self._far.addAction("") for key in ("ask", "take", "answer")}
        self.far_button.setMenu(self._far)
        self.unlock_button = QPushButton()
        self._locked = QLabel(wordWrap=True)
        self._locked.setProperty("muted", True)
        self.model = VoiceListModel(self)
        self.list = QListView()
        self.list.setObjectName("takes")
        self.list.setModel(self.model)
        self._delegate = TwoLineDelegate(SubtitleRole, StateRole)
        self.list.setItemDelegate(self._delegate)
        self.list.setUniformItemSizes(True)
        self.card = QFrame()
        self.card.setProperty("card", True)
        self.name = QLineEdit(maxLength=MAX_NAME)
        self.tags = QLineEdit()
        self.rename_button = QPushButton()
        self._field_labels = (QLabel(), QLabel())
        self.record = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.record.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.record.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.level = QLabel(wordWrap=True)
        self.level.setProperty("heading", True)
        self.more = QLabel(wordWrap=True)
        self.more.setProperty("muted", True)
        self.reasons = Problem()
        self.buttons = {key: QPushButton() for key in _BUTTONS}
        self._typing = QTimer(self, interval=_TYPING_MS, singleShot=True)
        self._build()
        self._connect()
        self.retranslate()

    # What it is told -------------------------------------------------------------------------------------------------

    def show_voices(self, voices: list[SavedVoice], locked: bool) -> None:
        """List these voices; keeps the chosen one."""
        chosen = self.current
        self.model.show_voices(voices)
        for widget in (self._locked, self.unlock_button):
            widget.setVisible(locked)
        index = self.model.index_of(chosen.voice_id) if chosen is not None else QModelIndex()
        if index.isValid():
            self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        else:
            self._current_changed()

    def select(self, voice_id: str) -> None:
        """Choose a voice of the list."""
        index = self.model.index_of(voice_id)
        if index.isValid():
            self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self.list.scrollTo(index)

    def show_described(self, described: Described) -> None:
        """Say what the record of the chosen voice says."""
        if self.current is not None and self.current.voice_id == described.voice.voice_id:
            self._described = described
            self._update()

    @property
    def current(self) -> SavedVoice | None:
        """The chosen voice."""
        return self.model.voice_at(self.list.currentIndex())

    def retranslate(self) -> None:
        """Set all texts."""
        self._title.setText(self.tr("Voices"))
        self.search.setPlaceholderText(self.tr("Search names and tags"))
        describe(self.search, self.tr("Search the voices"))
        chosen = self.sort.currentData() or self._settings.get("voices_order")
        self.sort.clear()
        names = (self.tr("Oldest first"), self.tr("Newest first"), self.tr("By name"), self.tr("Least evidence first"))
        for order, name in zip(ORDERS, names, strict=True):
            self.sort.addItem(name, order)
        self.sort.setCurrentIndex(max(0, self.sort.findData(chosen)))
        describe(self.sort, self.tr("Order of the voices"))
        self.import_button.setText(self.tr("Import…"))
        describe(self.import_button, self.tr("Import a voice"), self.tr("Take in a voice that another studio exported"))
        self.far_button.setText(self.tr("From far away"))
        describe(
            self.far_button, self.tr("Consent from far away"), self.tr("Ask a person elsewhere for consent, or answer")
        )
        for key, text in (
            ("ask", self.tr("Ask somebody for consent…")),
            ("take", self.tr("Take in an answer…")),
            ("answer", self.tr("Answer a request…")),
        ):
            self.far_actions[key].setText(text)
        self.unlock_button.setText(self.tr("Unlock…"))
        describe(self.unlock_button, self.tr("Unlock the saved voices"))
        self._locked.setText(self.tr("Some voices are locked: their names and sounds cannot be read now."))
        describe(self.list, self.tr("Saved voices"))
        for label, text in zip(self._field_labels, (self.tr("Name"), self.tr("Tags")), strict=True):
            label.setText(text)
        describe(self.name, self.tr("Name of the voice"))
        describe(self.tags, self.tr("Tags, with commas between"))
        self.rename_button.setText(self.tr("Change"))
        describe(self.rename_button, self.tr("Change name and tags"))
        describe(self.record, self.tr("What the consent record says"))
        texts = {
            "clone": (self.tr("Use for cloning"), self.tr("Speak with this voice")),
            "continue": (self.tr("Use to continue"), self.tr("Go on from the prompt of this voice")),
            "play": (self.tr("Listen"), self.tr("Play the recording of this voice")),
            "hear": (
                self.tr("Hear a take"),
                self.tr("Play a favourite, the best rated or the newest take of it"),
            ),
            "copy": (self.tr("Duplicate"), self.tr("Save a copy with a name of its own, on the same consent")),
            "export": (self.tr("Export…"), self.tr("Write the voice with its record to one file")),
            "raise": (
                self.tr("Speak the statement…"),
                self.tr("Let the person speak the statement, so that the record shows more"),
            ),
            "renew": (self.tr("Renew…"), self.tr("Give the consent anew, or let it last longer")),
            "withdraw": (self.tr("Withdraw…"), self.tr("The person took the consent back: freeze the voice at once")),
            "complaint": (
                self.tr("Complaint…"),
                self.tr("Somebody objects to this voice: freeze it, see what was made of it, decide"),
            ),
            "delete": (self.tr("Delete…"), self.tr("Delete the voice and all takes made with it, for ever")),
        }
        for key, (text, tip) in texts.items():
            self.buttons[key].setText(text)
            describe(self.buttons[key], text.removesuffix("…"), tip)
        self.model.retranslate()
        self._update()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self.far_button)
        head.addWidget(self.import_button)
        locked = QHBoxLayout()
        locked.addWidget(self._locked, 1)
        locked.addWidget(self.unlock_button)
        fields = QHBoxLayout()
        for label, field in zip(self._field_labels, (self.name, self.tags), strict=True):
            label.setBuddy(field)
            fields.addWidget(label)
            fields.addWidget(field, 1)
        fields.addWidget(self.rename_button)
        scroll = QScrollArea(widgetResizable=True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(self.record)
        scroll.setMinimumHeight(6 * self.fontMetrics().height())
        buttons = QGridLayout()
        for place, button in enumerate(self.buttons.values()):
            buttons.addWidget(button, place // 3, place % 3)
        inside = QVBoxLayout(self.card)
        inside.addLayout(fields)
        inside.addWidget(self.level)
        inside.addWidget(self.more)
        inside.addWidget(self.reasons)
        inside.addWidget(scroll, 1)
        inside.addLayout(buttons)
        layout = QVBoxLayout(self)
        layout.addLayout(head)
        finding = QHBoxLayout()
        finding.addWidget(self.search, 1)
        finding.addWidget(self.sort)
        layout.addLayout(finding)
        layout.addLayout(locked)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.card, 1)
        for widget in (self._locked, self.unlock_button):
            widget.setVisible(False)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._typing.start)
        self._typing.timeout.connect(lambda: self.look_requested.emit(self.search.text().strip()))
        self.sort.activated.connect(self._sort)
        self.list.selectionModel().currentChanged.connect(self._current_changed)
        self.list.activated.connect(lambda: self._ask("play"))
        self.import_button.clicked.connect(self.import_requested)
        self.unlock_button.clicked.connect(self.unlock_requested)
        for key, signal in (
            ("ask", self.ask_requested),
            ("take", self.take_requested),
            ("answer", self.answer_requested),
        ):
            self.far_actions[key].triggered.connect(lambda _=False, signal=signal: signal.emit())
        self.rename_button.clicked.connect(self._rename)
        for key, button in self.buttons.items():
            button.clicked.connect(lambda _=False, key=key: self._ask(key))

    def _ask(self, key: str) -> None:
        voice = self.current
        if voice is None or not self.buttons[key].isEnabled():
            return
        match key:
            case "clone" | "continue":
                self.use_requested.emit(voice, key)
            case "play":
                self.preview_requested.emit(voice.voice_id)
            case "hear":
                self.take_preview_requested.emit(voice.voice_id)
            case "copy":
                self.copy_requested.emit(voice)
            case "export":
                self.export_requested.emit(voice)
            case "raise":
                self.raise_requested.emit(voice)
            case "renew":
                if self._described is not None:
                    self.renew_requested.emit(voice, self._described.record)
            case "withdraw":
                self.withdraw_requested.emit(voice)
            case "complaint":
                self.complaint_requested.emit(voice)
            case "delete":
                self.delete_requested.emit(voice)

    def _sort(self) -> None:
        self._settings.set("voices_order", self.sort.currentData())
        self.look_requested.emit(self.search.text().strip())

    def _rename(self) -> None:
        voice = self.current
        if voice is not None:
            tags = tuple(tag.strip() for tag in self.tags.text().split(","))
            self.rename_requested.emit(voice.voice_id, self.name.text(), tags)

    def _current_changed(self) -> None:
        voice = self.current
        if self._described is not None and (voice is None or voice != self._described.voice):
            self._described = None
        self.name.setText(voice.name if voice is not None else "")
        self.tags.setText(", ".join(voice.card.tags) if voice is not None and voice.card is not None else "")
        self._update()
        if voice is not None:
            self.voice_selected.emit(voice.voice_id)

    def _update(self) -> None:
        voice, described = self.current, self._described
        self.card.setVisible(voice is not None)
        if voice is None:
            return
        problems = described.problems if described is not None else ()
        lines = [problem_text(line) for line in described.lines] if described is not None else []
        if described is not None and described.foreign:
            lines.append(self.tr("Another studio signed this: it shows that nothing was changed, not who signed."))
        if described is not None and described.copies:
            text = self.tr("Other voices that stand on this consent: {count}. A withdrawal or complaint holds for all.")
            lines.append(text.format(count=described.copies))
        self.record.setText("\n".join(lines))
        self.level.setText(level_text(described.level) if described is not None and described.record else "")
        self.more.setText("\n".join(f"• {problem_text(line)}" for line in described.more) if described else "")
        for widget in (self.level, self.more):
            widget.setVisible(bool(widget.text()))
        self.reasons.say("\n".join(problem_text(problem) for problem in problems))
        usable = described is not None and not problems and voice.card is not None
        own = not voice.shipped
        self.buttons["clone"].setEnabled(usable and "reference" in voice.parts)
        self.buttons["continue"].setEnabled(usable and "prompt" in voice.parts)
        self.buttons["play"].setEnabled(bool(voice.parts) and voice.card is not None)
        self.buttons["hear"].setEnabled(described is not None and bool(described.take))
        self.buttons["copy"].setEnabled(usable and not voice.shipped)
        self.buttons["export"].setEnabled(usable)
        self.buttons["withdraw"].setEnabled(own and voice.state is VoiceState.ACTIVE and voice.card is not None)
        record = described.record if described is not None else None
        person = own and record is not None and record.is_open and record.withdrawal is None and record.design is None
        self.buttons["raise"].setEnabled(person and voice.state is VoiceState.ACTIVE)
        self.buttons["renew"].setEnabled(person)
        for key in ("complaint", "delete"):
            self.buttons[key].setEnabled(own)
        for field in (self.name, self.tags, self.rename_button):
            field.setEnabled(own and voice.card is not None)

"""The cast of a dub: for each character a saved voice, or a description in words, and a style."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHeaderView, QLineEdit, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

from app.core.dubbing.cues import LONGEST_CUE, Dub, Role
from app.widgets.cue_card import fill_voices
from app.widgets.translated import Translated, describe

_WIDEST = 44  # letters of a voice's name
_NAME, _COUNT, _VOICE, _DESCRIPTION, _STYLE = range(5)


class CastTable(Translated, QWidget):
    """A row for each character that speaks, in the order of their first cues."""

    cast_changed = Signal(str, object)  # character, Role

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._dub: Dub | None = None
        self._characters: tuple[str, ...] = ()
        self._voices: dict[str, str] = {}
        self.table = QTableWidget(0, 5)
        self.table.verticalHeader().setVisible(False)
        self.table.setSelectionMode(QTableWidget.SelectionMode.NoSelection)
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setTabKeyNavigation(False)
        header = self.table.horizontalHeader()
        for column in (_DESCRIPTION, _STYLE):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        for column in (_NAME, _COUNT, _VOICE):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.table)
        self.retranslate()

    def show_cast(self, dub: Dub | None) -> None:
        """Show the cast of a dub."""
        self._dub = dub
        characters = dub.characters if dub is not None else ()
        if characters != self._characters or self.table.rowCount() != len(characters):
            self._characters = characters
            self._rebuild()
        self._fill()

    def show_voices(self, voices: Mapping[str, str]) -> None:
        """Offer these saved voices, by id: name."""
        if dict(voices) != self._voices:
            self._voices = dict(voices)
            self._rebuild()
            self._fill()

    def voice_field(self, character: str) -> QComboBox:
        """The choice of a character's voice. ValueError for a character that does not speak."""
        field = self.table.cellWidget(self._characters.index(character), _VOICE)
        assert isinstance(field, QComboBox)
        return field

    def line_field(self, character: str, *, style: bool) -> QLineEdit:
        """The description of a character, or its style. ValueError for a character that does not speak."""
        field = self.table.cellWidget(self._characters.index(character), _STYLE if style else _DESCRIPTION)
        assert isinstance(field, QLineEdit)
        return field

    def retranslate(self) -> None:
        """Set all texts."""
        self.table.setHorizontalHeaderLabels(
            [self.tr("Character"), self.tr("Cues"), self.tr("Voice"), self.tr("Description"), self.tr("Style")]
        )
        describe(self.table, self.tr("Cast"), self.tr("Who speaks with which voice"))
        self._rebuild()
        self._fill()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _rebuild(self) -> None:
        hints = {_DESCRIPTION: self.tr("an old man, hoarse"), _STYLE: self.tr("whispering")}
        self.table.setRowCount(0)
        self.table.setRowCount(len(self._characters))
        for row, character in enumerate(self._characters):
            name = character or self.tr("(nobody)")
            for column in (_NAME, _COUNT):
                item = QTableWidgetItem(name if column == _NAME else "")
                item.setFlags(Qt.ItemFlag.ItemIsEnabled)
                self.table.setItem(row, column, item)
            combo = QComboBox()
            combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            combo.setMaximumWidth(_WIDEST * self.fontMetrics().averageCharWidth())
            fill_voices(combo, self._voices, self.tr("As described"))
            combo.activated.connect(lambda _, row=row: self._changed(row))
            describe(combo, self.tr("Voice of {name}").format(name=name), self.tr("A saved voice for this character"))
            self.table.setCellWidget(row, _VOICE, combo)
            for column, title in (
                (_DESCRIPTION, self.tr("Description of {name}")),
                (_STYLE, self.tr("Style of {name}")),
            ):
                line = QLineEdit(maxLength=LONGEST_CUE, placeholderText=hints[column])
                line.editingFinished.connect(lambda row=row: self._changed(row))
                describe(line, title.format(name=name))
                self.table.setCellWidget(row, column, line)
            self.table.setRowHeight(row, round(1.9 * self.fontMetrics().height()))

    def _fill(self) -> None:
        dub = self._dub
        if dub is None:
            return
        for row, character in enumerate(self._characters):
            role = dub.cast.get(character, Role())
            count = self.table.item(row, _COUNT)
            if count is not None:
                count.setText(str(sum(cue.character == character for cue in dub.cues)))
            combo = self.voice_field(character)
            combo.setCurrentIndex(max(0, combo.findData(role.voice)))
            for text, style in ((role.description, False), (role.style, True)):
                field = self.line_field(character, style=style)
                if not (field.hasFocus() and field.isModified()):
                    field.setText(text)
            self.line_field(character, style=False).setEnabled(not role.voice)

    def _changed(self, row: int) -> None:
        if self._dub is None or row >= len(self._characters):
            return
        character = self._characters[row]
        role = Role(
            self.voice_field(character).currentData() or "",
            self.line_field(character, style=False).text().strip(),
            self.line_field(character, style=True).text().strip(),
        )
        if role != self._dub.cast.get(character, Role()):
            self.cast_changed.emit(character, role)

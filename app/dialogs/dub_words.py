"""The pronunciation dictionary: how words are said, in this project and in all, and what that changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.core.dubbing.cues import LONGEST_NAME
from app.core.dubbing.overview import CueState
from app.widgets.cue_text import said_text
from app.widgets.translated import Translated, describe


class DubWords(Translated, QDialog):
    """Says what a person wishes; it follows what it is shown. An empty ``said`` takes a word out."""

    word_set = Signal(str, str, bool)  # word, how it is said, for all projects

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._explanation = QLabel(wordWrap=True)
        self._explanation.setProperty("muted", True)
        self.table = QTableWidget(0, 3)
        self.table.verticalHeader().setVisible(False)
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        self.table.setTabKeyNavigation(False)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.word, self.said = QLineEdit(maxLength=LONGEST_NAME), QLineEdit(maxLength=LONGEST_NAME)
        self.scope = QComboBox()
        self.scope.addItem("", False)
        self.scope.addItem("", True)
        self.set_button, self.remove_button = QPushButton(), QPushButton()
        self._changed_label = QLabel()
        self._changed_label.setProperty("heading", True)
        self.changed = QListWidget()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.close_button = buttons.button(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        for button in (self.close_button, self.remove_button):
            button.setAutoDefault(False)
        self.set_button.setDefault(True)  # Return sets the word, and does not close
        grid = QGridLayout()
        for column, widget in enumerate((self.word, self.said, self.scope, self.set_button, self.remove_button)):
            grid.addWidget(widget, 0, column)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        layout = QVBoxLayout(self)
        layout.addWidget(self._explanation)
        layout.addWidget(self.table, 2)
        layout.addLayout(grid)
        layout.addWidget(self._changed_label)
        layout.addWidget(self.changed, 1)
        layout.addWidget(buttons)
        self.table.currentCellChanged.connect(self._row_changed)
        self.set_button.clicked.connect(self._set)
        self.remove_button.clicked.connect(self._remove)
        self.word.textChanged.connect(self._update)
        self.said.textChanged.connect(self._update)
        self.setMinimumWidth(80 * self.fontMetrics().averageCharWidth())
        self.retranslate()

    def show_words(self, own: Mapping[str, str], everywhere: Mapping[str, str], states: Sequence[CueState]) -> None:
        """Show the words of the project and those of all projects, and which cues they change."""
        rows = [(word, said, False) for word, said in sorted(own.items())]
        rows += [(word, said, True) for word, said in sorted(everywhere.items())]
        self.table.setRowCount(len(rows))
        for row, (word, said, for_all) in enumerate(rows):
            for column, text in enumerate((word, said, self.scope.itemText(int(for_all)))):
                item = QTableWidgetItem(text)
                item.setData(Qt.ItemDataRole.UserRole, for_all)
                self.table.setItem(row, column, item)
        self.changed.clear()
        for state in states:
            if state.changes:
                self.changed.addItem(f"{state.number} · {said_text(state)}")
        self._update()

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle(self.tr("Words"))
        self._explanation.setText(
            self.tr(
                "Words that are said in another way than they are written. Those of the project come first. Subtitles "
                "keep what is written."
            )
        )
        self.table.setHorizontalHeaderLabels([self.tr("Word"), self.tr("Said as"), self.tr("Counts for")])
        describe(self.table, self.tr("Dictionary"))
        self.word.setPlaceholderText(self.tr("Word"))
        describe(self.word, self.tr("Word"), self.tr("As it is written"))
        self.said.setPlaceholderText(self.tr("Said as"))
        describe(self.said, self.tr("Said as"), self.tr("Write it as it sounds"))
        self.scope.setItemText(0, self.tr("this project"))
        self.scope.setItemText(1, self.tr("all projects"))
        describe(self.scope, self.tr("Counts for"))
        self.set_button.setText(self.tr("Set"))
        describe(
            self.set_button, self.tr("Set"), self.tr("Say this word so from now on; cues that change become stale")
        )
        self.remove_button.setText(self.tr("Remove"))
        describe(self.remove_button, self.tr("Remove"), self.tr("Say this word as it is written again"))
        self._changed_label.setText(self.tr("Cues that are said in another way"))
        describe(self.changed, self.tr("Cues that are said in another way"))

    # Inside ----------------------------------------------------------------------------------------------------------

    def _row_changed(self, row: int) -> None:
        word, said = self.table.item(row, 0), self.table.item(row, 1)
        if word is not None and said is not None:
            self.word.setText(word.text())
            self.said.setText(said.text())
            self.scope.setCurrentIndex(int(word.data(Qt.ItemDataRole.UserRole)))

    def _update(self) -> None:
        word = self.word.text().strip()
        self.set_button.setEnabled(bool(word and self.said.text().strip()))
        cells = (self.table.item(row, 0) for row in range(self.table.rowCount()))
        self.remove_button.setEnabled(any(cell is not None and cell.text() == word for cell in cells))

    def _set(self) -> None:
        if self.set_button.isEnabled():
            self.word_set.emit(self.word.text().strip(), self.said.text().strip(), self.scope.currentData())

    def _remove(self) -> None:
        self.word_set.emit(self.word.text().strip(), "", self.scope.currentData())

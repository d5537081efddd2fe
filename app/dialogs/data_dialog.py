"""The saved data: whether it is whole, its backups, and the way back to one of them. Not modal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.core.data_health import BackupFile, Health
from app.widgets.problem import Problem
from app.widgets.translated import Translated, describe


@dataclass(frozen=True)
class DataState:
    """``damage`` is why the data could not be opened, empty when it is open; ``wished``: the backup of the next start.

    ``restored`` is the backup that was put in place at this start.
    """

    folder: str
    backups: tuple[BackupFile, ...] = ()
    damage: str = ""
    wished: int | None = None
    restored: int | None = None


class DataDialog(Translated, QDialog):
    """Shows and asks by signals."""

    backup_requested = Signal()
    check_requested = Signal()
    restore_requested = Signal(object)  # Backup
    unwish_requested = Signal()
    folder_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = DataState("")
        self._health: Health | None = None
        self._checking = False
        self.folder = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.folder.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.status = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.problem = Problem()
        self._title = QLabel()
        self._title.setProperty("heading", True)
        self.table = QTableWidget(0, 3)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.verticalHeader().setVisible(False)
        columns = self.table.horizontalHeader()
        columns.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        columns.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.table.setTabKeyNavigation(False)
        self._hint = QLabel(wordWrap=True)
        self._hint.setProperty("muted", True)
        self.backup, self.check, self.restore, self.unwish = (QPushButton() for _ in range(4))
        self.show_folder, self.close_button = QPushButton(), QPushButton()
        for button in (self.backup, self.check, self.restore, self.unwish, self.show_folder):
            button.setAutoDefault(False)
        self.close_button.setDefault(True)
        self._build()
        self._connect()
        self.retranslate()

    # What it is told -------------------------------------------------------------------------------------------------

    def show_state(self, state: DataState) -> None:
        """Show what there is; the chosen backup stays chosen."""
        if state.damage or state.restored != self._state.restored:
            self._health = None
        self._state = state
        self.problem.say("")
        self._checking = False
        self.retranslate()

    def show_health(self, health: Health) -> None:
        """Show what a full check found."""
        self._health, self._checking = health, False
        self.retranslate()

    def failed(self, reason: str) -> None:
        """Say why something was not done."""
        self._checking = False
        self.problem.say(reason)
        self._update()

    def select(self, row: int) -> None:
        """Choose a backup of the list."""
        self.table.selectRow(row)

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle(self.tr("Saved data and backups"))
        self.folder.setText(self.tr("Voices and takes are kept in {folder}").format(folder=self._state.folder))
        self._title.setText(self.tr("Backups"))
        self.table.setHorizontalHeaderLabels([self.tr("Made on"), self.tr("Number"), self.tr("Size")])
        self.table.setAccessibleName(self.tr("Backups, the newest first"))
        self._hint.setText(
            self.tr(
                "One is made every day; the newest of 7 days, 4 weeks and 12 months stay. They lie on the same disk: "
                "copy the whole folder elsewhere in case it fails. What was deleted for good is in none of them."
            )
        )
        texts = {
            self.backup: (self.tr("Make a backup now"), self.tr("Copy the database as it is now")),
            self.check: (self.tr("Check everything"), self.tr("Look whether database, sound files and log are whole")),
            self.restore: (self.tr("Go back to this backup…"), self.tr("Put the chosen backup in place of the data")),
            self.unwish: (self.tr("Do not go back"), self.tr("Leave the data as it is at the next start")),
            self.show_folder: (self.tr("Show the folder"), self.tr("Open the folder in the file manager")),
            self.close_button: (self.tr("Close"), self.tr("Close")),
        }
        for button, (text, tip) in texts.items():
            button.setText(text)
            describe(button, text.removesuffix("…"), tip)
        self._list(self._state.backups)
        self._update()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        width = self.fontMetrics().averageCharWidth()
        self.setMinimumWidth(76 * width)
        self.resize(90 * width, 28 * self.fontMetrics().height())
        head = QHBoxLayout()
        head.addWidget(self.folder, 1)
        head.addWidget(self.show_folder)
        state = QHBoxLayout()
        state.addWidget(self.status, 1)
        state.addWidget(self.check)
        buttons = QHBoxLayout()
        buttons.addWidget(self.backup)
        buttons.addWidget(self.restore)
        buttons.addWidget(self.unwish)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.addLayout(head)
        layout.addLayout(state)
        layout.addWidget(self.problem)
        layout.addWidget(self._title)
        layout.addWidget(self.table, 1)
        layout.addWidget(self._hint)
        layout.addLayout(buttons)

    def _connect(self) -> None:
        self.table.itemSelectionChanged.connect(self._update)
        self.backup.clicked.connect(self.backup_requested)
        self.check.clicked.connect(self._check)
        self.restore.clicked.connect(self._restore)
        self.unwish.clicked.connect(self.unwish_requested)
        self.show_folder.clicked.connect(self.folder_requested)
        self.close_button.clicked.connect(self.close)

    def _check(self) -> None:
        self._checking = True
        self._update()
        self.check_requested.emit()

    def _restore(self) -> None:
        row = self._row()
        if row >= 0:
            self.restore_requested.emit(self._state.backups[row].backup)

    def _row(self) -> int:
        rows = self.table.selectionModel().selectedRows()
        row = rows[0].row() if rows else -1
        return row if row < len(self._state.backups) else -1

    def _list(self, backups: Sequence[BackupFile]) -> None:
        chosen = self._number(self._row())
        self.table.setRowCount(len(backups))
        for number, each in enumerate(backups):
            day = datetime.combine(each.backup.made_on, time())
            texts = (
                QLocale().toString(day.date(), QLocale.FormatType.LongFormat),  # type: ignore[call-overload]
                str(each.backup.number),
                QLocale().formattedDataSize(each.size),
            )
            for column, text in enumerate(texts):
                self.table.setItem(number, column, QTableWidgetItem(text))
        for row in range(len(backups)):
            if chosen and self._number(row) == chosen:
                self.table.selectRow(row)

    def _number(self, row: int) -> str:
        item = self.table.item(row, 1)
        return "" if item is None else item.text()

    def _update(self) -> None:
        state = self._state
        self.status.setText(self._status())
        bad = bool(state.damage) or (self._health is not None and not self._health.is_whole)
        self.status.setProperty("problem", bad)
        self.status.style().unpolish(self.status)
        self.status.style().polish(self.status)
        for button in (self.backup, self.check):
            button.setEnabled(not state.damage and not self._checking)
        self.restore.setEnabled(self._row() >= 0)
        self.unwish.setVisible(state.wished is not None)

    def _status(self) -> str:
        state, health = self._state, self._health
        if self._checking:
            return self.tr("Checking…")
        if state.damage:
            return self.tr("The saved data cannot be opened: {reason}").format(reason=state.damage)
        if state.wished is not None:
            return self.tr("Backup {number} will be put in place when the studio starts again.").format(
                number=state.wished
            )
        if health is None:
            text = self.tr("The database was checked when it was opened: it is whole.")
            if state.restored is not None:
                done = self.tr(
                    "Backup {number} was put in place. What was there before is kept in the folder for 30 days."
                )
                text = f"{done.format(number=state.restored)} {text}"
            return text
        if health.is_whole:
            return self.tr("Everything is whole: the database, the stored files and the audit log.")
        found = []
        if health.database:
            found.append(self.tr("The database is damaged: go back to a backup."))
        if health.lost:
            found.append(
                self.tr("{count} stored files are missing: put them back from a copy of the folder.").format(
                    count=len(health.lost)
                )
            )
        if health.audit == "broken":
            found.append(self.tr("The audit log was changed; “voxcpm audit check” says where."))
        return " ".join(found)

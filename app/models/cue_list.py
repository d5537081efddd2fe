"""The cues of a dub as a Qt table."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.core.dubbing.overview import CueState, Overview
from app.widgets.cue_text import hints, short_state, time_text

COLUMNS = ("number", "start", "character", "text", "takes", "state")
ProblemRole = Qt.ItemDataRole.UserRole  # whether a person should look at the cue
IdRole = Qt.ItemDataRole.UserRole + 1

_Index = QModelIndex | QPersistentModelIndex


class CueTableModel(QAbstractTableModel):
    """A row for each cue, in the order of the dub. Rows that stay where they are keep their place and selection."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._states: tuple[CueState, ...] = ()

    def show_overview(self, overview: Overview | None) -> None:
        """Show these cues."""
        new = overview.states if overview is not None else ()
        old = self._states
        if [state.cue.cue_id for state in old] != [state.cue.cue_id for state in new]:
            self.beginResetModel()
            self._states = new
            self.endResetModel()
            return
        self._states = new
        changed = [row for row, (one, other) in enumerate(zip(old, new, strict=True)) if one != other]
        if changed:
            self.dataChanged.emit(self.index(changed[0], 0), self.index(changed[-1], len(COLUMNS) - 1))

    def state_at(self, row: int) -> CueState | None:
        """The cue of a row."""
        return self._states[row] if 0 <= row < len(self._states) else None

    def row_of(self, cue_id: str) -> int:
        """The row of a cue; -1 for none."""
        return next((row for row, state in enumerate(self._states) if state.cue.cue_id == cue_id), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """The number of cues."""
        return 0 if parent.isValid() else len(self._states)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        """The number of columns."""
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """What a column is about."""
        if orientation is not Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return None
        return {
            "number": self.tr("No."),
            "start": self.tr("Start"),
            "character": self.tr("Character"),
            "text": self.tr("Text"),
            "takes": self.tr("Take"),
            "state": self.tr("State"),
        }[COLUMNS[section]]

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The text of a cell; tooltips and screen readers get the whole cue."""
        state = self.state_at(index.row())
        if not index.isValid() or state is None:
            return None
        column = COLUMNS[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(state, column)
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return "\n".join((f"{state.number} {state.cue.character}".strip(), state.cue.text, *hints(state)))
        if role == ProblemRole:
            return column == "state" and bool(state.problem)
        if role == IdRole:
            return state.cue.cue_id
        if role == Qt.ItemDataRole.TextAlignmentRole and column in ("number", "start"):
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def retranslate(self) -> None:
        """Say everything anew."""
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)
        if self._states:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._states) - 1, len(COLUMNS) - 1))

    def _text(self, state: CueState, column: str) -> str:
        cue = state.cue
        match column:
            case "number":
                return str(state.number)
            case "start":
                return time_text(cue.start)
            case "character":
                return cue.character
            case "text":
                return " ".join(cue.text.split())
            case "takes":
                chosen = next((number for number, take in enumerate(cue.takes, 1) if take.take == cue.chosen), 0)
                return f"{chosen}/{len(cue.takes)}" if cue.takes else ""
            case _:
                return short_state(state)

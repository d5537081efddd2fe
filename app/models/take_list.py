"""The takes as a Qt list, newest first."""

from __future__ import annotations

import bisect
from collections.abc import Iterable

from PySide6.QtCore import (
    QAbstractListModel,
    QDateTime,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from app.core.quality import QualityBoard
from app.core.takes import Take, TakeState, TakeStore
from app.widgets.quality_text import short_text
from app.widgets.wording import length_text

TakeRole = Qt.ItemDataRole.UserRole
SubtitleRole = Qt.ItemDataRole.UserRole + 1
LengthRole = Qt.ItemDataRole.UserRole + 2

_Index = QModelIndex | QPersistentModelIndex
_TITLE_CHARACTERS = 60


class TakeListModel(QAbstractListModel):
    """Shows what a TakeStore holds. It keeps its own order: newest press of Generate first, takes 1-3 in order.

    Of these it shows the view: those in the bin or the others, all of them or those that were found. When the list is
    scrolled to the end of a view that has ``more``, ``more_wanted`` is told.
    """

    more_wanted = Signal()

    def __init__(self, store: TakeStore, parent: QObject | None = None, board: QualityBoard | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._board = board or QualityBoard()
        self._rows: list[Take] = []
        self._binned = False
        self._found: set[str] | None = None
        self.has_more = False
        for take in store.takes:
            self._added(take)
        store.on_added(self._added)
        store.on_changed(self._changed)
        store.on_removed(self._removed)

    def show_view(self, *, binned: bool, found: Iterable[str] | None) -> None:
        """Show the takes in the bin or the others; of these those of the uids in ``found``, or all with None."""
        self.beginResetModel()
        self._binned, self._found = binned, None if found is None else set(found)
        self._rows = sorted(filter(self._shows, self._store.takes), key=_place)
        self.endResetModel()

    def show_more(self, found: Iterable[str]) -> None:
        """Add to what was found."""
        if self._found is not None:
            for uid in found:
                self._found.add(uid)
                take = self._store.find(uid)
                if take is not None and not self.index_of(take).isValid():
                    self._added(take)

    def canFetchMore(self, parent: _Index) -> bool:
        """Whether the library holds more of this view."""
        return self.has_more and not parent.isValid()

    def fetchMore(self, parent: _Index) -> None:
        """Ask for more of this view."""
        if self.has_more and not parent.isValid():
            self.has_more = False
            self.more_wanted.emit()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """The number of takes."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Title, subtitle, length and the take itself."""
        if not index.isValid():
            return None
        take = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self.title(take)
        if role == SubtitleRole:
            return self.subtitle(take)
        if role == LengthRole:
            return length_text(take.seconds) if take.seconds else ""
        if role == TakeRole:
            return take
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return f"{self.title(take)}\n{self.subtitle(take)}"
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """A take with sound can be dragged out."""
        flags = super().flags(index)
        there = index.isValid() and self._rows[index.row()].seconds > 0
        return flags | Qt.ItemFlag.ItemIsDragEnabled if there else flags

    def take_at(self, index: _Index) -> Take | None:
        """The take of an index."""
        return self._rows[index.row()] if index.isValid() else None

    def index_of(self, take: Take) -> QModelIndex:
        """The index of a take; invalid when it is not listed."""
        row = bisect.bisect_left(self._rows, _place(take), key=_place)
        there = row < len(self._rows) and self._rows[row] is take
        return self.index(row) if there else QModelIndex()

    def title(self, take: Take) -> str:
        """The first words of the text."""
        text = " ".join(take.job.text.split())
        return text if len(text) <= _TITLE_CHARACTERS else text[: _TITLE_CHARACTERS - 1] + "…"

    def subtitle(self, take: Take) -> str:
        """Number, take, seed and state."""
        if take.restored:
            made = QDateTime.fromSecsSinceEpoch(int(take.created_at.timestamp()))
            parts = [
                self.tr("restored"),
                QLocale().toString(made, QLocale.FormatType.ShortFormat),
                self.tr("take {take} of {count}").format(take=take.row + 1, count=take.job.takes),
            ]
        else:
            parts = [
                self.tr("#{number} take {take} of {count}").format(
                    number=take.number, take=take.row + 1, count=take.job.takes
                )
            ]
        if take.seed is not None:
            parts.append(self.tr("seed {seed}").format(seed=take.seed))
        state = self._state(take)
        if state:
            parts.append(state)
        parts += ["★" * take.marks.rating + ("♥" if take.marks.favourite else "")] if _marked(take) else []
        parts += [self.tr("chosen")] if take.chosen else []
        card = self._board.card(take)
        parts += [text] if card is not None and (text := short_text(card, self._board.place(take))) else []
        parts += [self.tr("doubtful") for flag in take.flags[:1] if flag.startswith("doubtful")]
        return " · ".join(parts)

    def retranslate(self) -> None:
        """Say everything anew."""
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def _state(self, take: Take) -> str:
        return {
            TakeState.WAITING: self.tr("waiting…"),
            TakeState.STREAMING: self.tr("being made…"),
            TakeState.STOPPED: self.tr("stopped"),
            TakeState.FAILED: self.tr("broke off"),
        }.get(take.state, "")

    def _shows(self, take: Take) -> bool:
        return take.binned == self._binned and (self._found is None or take.uid in self._found)

    def _added(self, take: Take) -> None:
        if self._shows(take):
            row = bisect.bisect_left(self._rows, _place(take), key=_place)
            self.beginInsertRows(QModelIndex(), row, row)
            self._rows.insert(row, take)
            self.endInsertRows()

    def _changed(self, take: Take) -> None:
        index = self.index_of(take)
        if index.isValid() != self._shows(take):
            if index.isValid():
                self._removed(take)
            elif self._store.find(take.uid) is take:
                self._added(take)
        elif index.isValid():
            self.dataChanged.emit(index, index)

    def _removed(self, take: Take) -> None:
        index = self.index_of(take)
        if index.isValid():
            self.beginRemoveRows(QModelIndex(), index.row(), index.row())
            del self._rows[index.row()]
            self.endRemoveRows()


def _place(take: Take) -> tuple[int, int, int]:
    return -take.number, take.row, take.take_id


def _marked(take: Take) -> bool:
    return take.marks.rating > 0 or take.marks.favourite

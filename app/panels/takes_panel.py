"""The takes of this session and of earlier ones, the search, the bin, and what is known of the chosen take."""

from __future__ import annotations

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.core.comparisons import MOST
from app.core.quality import QualityBoard
from app.core.takes import Take, TakeState, TakeStore
from app.models.take_list import LengthRole, SubtitleRole, TakeListModel
from app.panels.advanced import DRAFT_STEPS
from app.panels.compare_bar import CompareBar
from app.widgets.take_card import TakeCard
from app.widgets.take_delegate import TwoLineDelegate
from app.widgets.take_view import TakeView
from app.widgets.translated import Translated, describe

_SEARCH_PAUSE_MS = 150


class TakesPanel(Translated, QWidget):
    """Search, list, facts and buttons. In the bin the buttons are those of the bin."""

    take_selected = Signal(object)  # Take or None
    play_requested = Signal()
    save_requested = Signal(object)  # Take
    seed_reuse_requested = Signal(object)  # int; a C int would not hold it
    retry_requested = Signal(object)  # Take
    keep_requested = Signal(object)  # Take
    reproduce_requested = Signal(object)  # Take
    full_requested = Signal(object)  # Take, a draft
    settings_requested = Signal(object)  # Take
    move_requested = Signal(object, bool)  # Takes, whether into the bin
    empty_requested = Signal()
    view_changed = Signal(str, bool)  # words to search for, whether in the bin

    def __init__(self, store: TakeStore, board: QualityBoard | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = QLabel()
        self._title.setObjectName("panelTitle")
        self._store = store
        board = board or QualityBoard()
        self.model = TakeListModel(store, self, board)
        self.list = TakeView()
        self.list.setDragEnabled(True)
        self.list.setObjectName("takes")
        self.list.setModel(self.model)
        self._delegate = TwoLineDelegate(SubtitleRole, LengthRole)
        self.list.setItemDelegate(self._delegate)
        self.list.setUniformItemSizes(True)
        self.list.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.search = QLineEdit(clearButtonEnabled=True)
        self.bin_button = QToolButton()
        self.bin_button.setCheckable(True)
        self.bin_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self._search_timer = QTimer(self, interval=_SEARCH_PAUSE_MS, singleShot=True)
        self._empty = QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self._empty.setProperty("muted", True)
        self.compare_bar = CompareBar()
        self.card = TakeCard(board)
        self.marks = self.card.marks
        self.save_button = QPushButton()
        self.seed_button = QPushButton()
        self.retry_button = QPushButton()
        self.reproduce_button = QPushButton()
        self.move_button = QPushButton()
        self.keep_button = QPushButton()
        self.full_button = QPushButton()
        self.settings_button = QPushButton()
        self.empty_button = QPushButton()
        self._growing: tuple[Take, TakeState, bool] | None = None
        self._moved: list[Take] = []
        self._build()
        self.list.selectionModel().currentChanged.connect(self._current_changed)
        self.list.selectionModel().selectionChanged.connect(self._selection_changed)
        self.list.activated.connect(lambda: self.play_requested.emit())
        self.save_button.clicked.connect(self.save_current)
        self.seed_button.clicked.connect(self._reuse_seed)
        self.retry_button.clicked.connect(self._retry)
        self.reproduce_button.clicked.connect(self.reproduce_current)
        self.move_button.clicked.connect(self.move_current)
        self.keep_button.clicked.connect(self._keep)
        self.full_button.clicked.connect(lambda: self._tell(self.full_requested))
        self.settings_button.clicked.connect(lambda: self._tell(self.settings_requested))
        self.empty_button.clicked.connect(self.empty_requested)
        self.search.textChanged.connect(self._search_timer.start)
        self._search_timer.timeout.connect(self._view_changed)
        self.bin_button.toggled.connect(self._view_changed)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.list, self._delete_pressed).setContext(
            Qt.ShortcutContext.WidgetShortcut
        )
        store.on_changed(self._take_changed)
        store.on_added(self._take_added)
        store.on_removed(self._take_removed)
        self.retranslate()

    @property
    def current(self) -> Take | None:
        """The chosen take."""
        return self.model.take_at(self.list.currentIndex())

    def select(self, take: Take) -> None:
        """Choose a take."""
        index = self.model.index_of(take)
        if index.isValid():
            self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self.list.scrollTo(index)

    def unselect(self) -> None:
        """Choose no take."""
        self.list.selectionModel().setCurrentIndex(QModelIndex(), QItemSelectionModel.SelectionFlag.Clear)

    def selected(self) -> list[Take]:
        """All takes that are selected, in the order in which they were made."""
        takes = (self.model.take_at(index) for index in self.list.selectionModel().selectedIndexes())
        return sorted((take for take in takes if take is not None), key=lambda take: (take.number, take.row))

    def whole(self) -> Take | None:
        """The chosen take, if all of its sound is there."""
        take = self.current
        return None if take is None or take.is_growing or take.is_unread or take.seconds == 0 else take

    def comparable(self) -> list[Take]:
        """The takes that a comparison would be of: those that are selected, else those made along with the chosen."""
        takes = self.selected()
        current = self.current
        if len(takes) < 2 and current is not None:
            takes = [take for take in self._store.of_job(current.job.job_id) if take.binned == current.binned]
        takes = [take for take in takes if take.seconds > 0 and not take.is_growing]
        return takes if 2 <= len(takes) <= MOST else []

    def show_comparable(self) -> None:
        """Say that no comparison runs, and whether one could be begun."""
        self.compare_bar.show_idle(bool(self.comparable()))

    def save_current(self) -> None:
        """Ask for the chosen take to be saved."""
        take = self.current
        if take is not None and take.seconds > 0:
            self.save_requested.emit(take)

    def show_page(self, query: str, binned: bool, uids: list[str], more: bool) -> None:
        """Show what the library found for ``view_changed``, page after page."""
        if (query, binned) == (self.search.text().strip(), self.bin_button.isChecked()):
            if query:
                self.model.show_more(uids)
            self.model.has_more = more
            self._update()

    def move_current(self) -> None:
        """Put the chosen take into the bin, or, in the bin, back."""
        take = self.current
        if take is None or take.is_growing:
            return
        row = self.list.currentIndex().row()
        self._moved.append(take)
        self.move_requested.emit([take], not take.binned)
        self.list.setCurrentIndex(self.model.index(min(row, self.model.rowCount() - 1)))
        self._update()

    def undo_move(self) -> None:
        """Take the last move into the bin, or out of it, back."""
        if self._moved:
            take = self._moved.pop()
            self.move_requested.emit([take], not take.binned)
            self.select(take)

    def forget_moves(self) -> None:
        """Moves cannot be taken back any more: the takes are gone."""
        self._moved.clear()

    def reproduce_current(self) -> None:
        """Ask for the chosen take to be made again."""
        take = self.current
        if take is not None and self.reproduce_button.isEnabled():
            self.reproduce_requested.emit(take)

    def retranslate(self) -> None:
        """Set all texts."""
        self._title.setText(self.tr("Takes"))
        self.search.setPlaceholderText(self.tr("Search"))
        describe(self.search, self.tr("Search the takes"), self.tr("Words of the text or of your note"))
        self.bin_button.setText(self.tr("Bin"))
        describe(self.bin_button, self.tr("Bin"), self.tr("Show the takes in the bin"))
        describe(self.list, self.tr("Takes"), self.tr("Enter plays the chosen take; 1, 2, 3 pick a take of a group."))
        self.save_button.setText(self.tr("Save…"))
        describe(
            self.save_button,
            self.tr("Save"),
            self.tr("Save this take at its own sample rate, marked as generated (Ctrl+S)"),
        )
        self.seed_button.setText(self.tr("Use seed"))
        describe(
            self.seed_button,
            self.tr("Use this seed"),
            self.tr("Put the seed of this take into the seed field and lock it"),
        )
        self.retry_button.setText(self.tr("Try again"))
        describe(
            self.retry_button,
            self.tr("Try again"),
            self.tr("This take came out doubtful: make it once more with another seed, and keep this one"),
        )
        self.reproduce_button.setText(self.tr("Reproduce"))
        describe(
            self.reproduce_button,
            self.tr("Reproduce"),
            self.tr("Make this take again, together with those that were made along, and compare every sample"),
        )
        self.full_button.setText(self.tr("Render in full"))
        describe(
            self.full_button,
            self.tr("Render in full"),
            self.tr("Make this draft once more with its seed and all steps; it may differ, and the draft stays"),
        )
        self.settings_button.setText(self.tr("Copy settings"))
        describe(
            self.settings_button,
            self.tr("Copy settings"),
            self.tr("Put text, description, settings and seed of this take into the fields; the voice stays"),
        )
        self.keep_button.setText(self.tr("Keep this voice…"))
        describe(
            self.keep_button,
            self.tr("Keep this voice"),
            self.tr("Save the designed voice of this take, to speak with it again"),
        )
        self.empty_button.setText(self.tr("Empty the bin…"))
        describe(self.empty_button, self.tr("Empty the bin"), self.tr("Delete what is in the bin for good"))
        self.model.retranslate()
        self._update()

    def _build(self) -> None:
        holder = QWidget()
        self._stack = QStackedLayout(holder)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.list)
        buttons = QGridLayout()
        buttons.setHorizontalSpacing(self.fontMetrics().averageCharWidth() // 2)
        for place, button in enumerate(
            (
                *(self.move_button, self.seed_button, self.settings_button),
                *(self.keep_button, self.reproduce_button, self.save_button),
                *(self.full_button, self.retry_button, self.empty_button),  # hidden most of the time
            )
        ):
            buttons.addWidget(button, place // 3, place % 3)
        self.list.setMinimumHeight(2 * self.fontMetrics().lineSpacing())
        head = QHBoxLayout()
        head.addWidget(self._title)
        head.addWidget(self.search, 1)
        head.addWidget(self.bin_button)
        layout = QVBoxLayout(self)
        layout.addLayout(head)
        layout.addWidget(holder, 1)
        layout.addWidget(self.compare_bar)
        layout.addWidget(self.card)
        layout.addLayout(buttons)

    def _current_changed(self, current: QModelIndex, previous: QModelIndex) -> None:
        self._update()
        self.take_selected.emit(self.current)

    def _selection_changed(self) -> None:
        if not self.compare_bar.is_running:
            self.show_comparable()

    def _take_changed(self, take: Take) -> None:
        if take is not self.current:
            return
        # All that is shown here of a take that grows: each patch tells that it changed.
        growing = (take, take.state, take.seconds > 0) if take.is_growing else None
        if growing is None or growing != self._growing:
            self._growing = growing
            self._update()
            self._selection_changed()

    def _take_added(self, take: Take) -> None:
        if take.is_growing and (self.search.text() or self.bin_button.isChecked()):  # else it could not be seen
            self.search.clear()
            self.bin_button.setChecked(False)
            self._view_changed()
        self._count_changed()

    def _take_removed(self, take: Take) -> None:
        if self.current is None:
            self._update()
        self._count_changed()

    def _count_changed(self) -> None:
        """A whole page may come take by take, so that the card is left alone here."""
        self._stack.setCurrentIndex(1 if self.model.rowCount() else 0)
        self.empty_button.setEnabled(self.model.rowCount() > 0)

    def _view_changed(self) -> None:
        self._search_timer.stop()
        query, binned = self.search.text().strip(), self.bin_button.isChecked()
        current = self.current
        self.model.has_more = False
        self.model.show_view(binned=binned, found=[] if query else None)
        self.view_changed.emit(query, binned)
        if current is not None:
            self.select(current)
        self._update()

    def _delete_pressed(self) -> None:
        if not self.bin_button.isChecked():
            self.move_current()

    def _tell(self, signal: SignalInstance) -> None:
        take = self.current
        if take is not None:
            signal.emit(take)

    def _reuse_seed(self) -> None:
        take = self.current
        if take is not None and take.seed is not None:
            self.seed_reuse_requested.emit(take.seed)

    def _keep(self) -> None:
        take = self.current
        if take is not None:
            self.keep_requested.emit(take)

    def _retry(self) -> None:
        take = self.current
        if take is not None:
            self.retry_requested.emit(take)

    def _update(self) -> None:
        take = self.current
        in_bin = self.bin_button.isChecked()
        self._count_changed()
        self._empty.setText(self._nothing_here(in_bin))
        self.move_button.setText(self.tr("Put back") if in_bin else self.tr("Move to the bin"))
        describe(
            self.move_button,
            self.move_button.text(),
            self.tr("Put this take back among the others")
            if in_bin
            else self.tr("Move this take to the bin (Delete); Ctrl+Z takes that back"),
        )
        self.card.show_take(take)
        whole = take is not None and take.seconds > 0 and not take.is_growing and not take.is_unread
        self.save_button.setEnabled(whole)
        self.seed_button.setEnabled(take is not None and take.seed is not None)
        self.move_button.setEnabled(take is not None and not take.is_growing)
        designed = take is not None and take.job.voice is None
        self.keep_button.setVisible(designed and not in_bin)
        self.keep_button.setEnabled(designed and whole)
        self.reproduce_button.setEnabled(whole and take is not None and not take.joined)
        self.settings_button.setEnabled(take is not None)
        self.full_button.setVisible(take is not None and take.job.steps <= DRAFT_STEPS and not in_bin)
        self.full_button.setEnabled(whole and take is not None and not take.joined and take.seed is not None)
        self.retry_button.setVisible(take is not None and take.next_seed is not None and not in_bin)
        self.empty_button.setVisible(in_bin)

    def _nothing_here(self, in_bin: bool) -> str:
        if self.search.text().strip():
            return self.tr("No take has all these words in its text or note.")
        if in_bin:
            return self.tr("The bin is empty.")
        return self.tr("Every take that you make is listed here, the newest first.")

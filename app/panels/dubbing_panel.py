"""Dubbing: the list of cues, the chosen one, the cast, the timeline, and the bar that makes takes."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QAction, QColor, QDragEnterEvent, QDropEvent, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QMenu,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QSplitter,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QTabWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.core.dubbing.overview import Overview
from app.models.cue_list import COLUMNS, CueTableModel, IdRole, ProblemRole
from app.widgets.cast_table import CastTable
from app.widgets.cue_card import CueCard
from app.widgets.cue_timeline import CueTimeline
from app.widgets.translated import Translated, describe

MOST_TAKES = 3
_STEPS = 1000  # of the progress bar


class _StateDelegate(QStyledItemDelegate):
    """Draws what a person should look at in the colour of problems."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: object) -> None:
        """See the class."""
        super().initStyleOption(option, index)  # type: ignore[arg-type]
        if index.data(ProblemRole):  # type: ignore[attr-defined]
            for group in (QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive):
                colour = QColor(option.palette.color(QPalette.ColorRole.BrightText))
                option.palette.setColor(group, QPalette.ColorRole.Text, colour)


class DubbingPanel(Translated, QWidget):
    """Shows a dub and says what a person wishes; it changes nothing itself."""

    key = "dub"

    open_requested = Signal()
    folder_requested = Signal()
    path_requested = Signal(str)  # a file or folder to open
    sound_requested = Signal()
    words_requested = Signal()
    report_requested = Signal()
    export_requested = Signal()
    close_requested = Signal()
    make_requested = Signal()
    stop_requested = Signal()
    rules_changed = Signal()
    current_changed = Signal(str)
    next_problem_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = QLabel()
        self.title.setObjectName("panelTitle")
        self.head = {key: QPushButton() for key in ("sound", "words", "report", "export", "close")}
        self.open_button = QToolButton()
        self.open_button.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        self.open_menu = QMenu(self)
        self.open_button.setMenu(self.open_menu)
        self.sound_name = QLabel()
        self.sound_name.setProperty("muted", True)
        self.model = CueTableModel(self)
        self.table = QTableView()
        self.card = CueCard()
        self.cast = CastTable()
        self.tabs = QTabWidget()
        self.timeline = CueTimeline()
        self.welcome = QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self.welcome.setProperty("muted", True)
        self.open_large = QPushButton()
        self.open_large.setObjectName("generate")
        self.summary = QLabel()
        self.summary.setMinimumWidth(1)
        self.problem_button = QPushButton()
        self.takes = QSpinBox(minimum=1, maximum=MOST_TAKES)
        self.takes_label = QLabel()
        self.fill, self.ripple, self.snap = QCheckBox(), QCheckBox(), QCheckBox()
        self.make, self.stop = QPushButton(), QPushButton()
        self.make.setObjectName("generate")
        self.stop.setObjectName("stop")
        self.bar = QProgressBar(textVisible=False, maximum=_STEPS)
        self.bar.setVisible(False)
        self._overview: Overview | None = None
        self._busy = self.has_report = False
        self.recent: list[tuple[str, bool]] = []
        self.setAcceptDrops(True)
        self._build()
        self._connect()
        self.retranslate()
        self.show_overview(None, "")

    # What it is told -------------------------------------------------------------------------------------------------

    @property
    def current(self) -> str:
        """The id of the chosen cue; "" for none."""
        index = self.table.currentIndex()
        return str(index.data(IdRole)) if index.isValid() else ""

    @property
    def selected(self) -> list[str]:
        """The ids of all selected cues, from the top."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return [str(self.model.index(row, 0).data(IdRole)) for row in rows]

    def show_overview(self, overview: Overview | None, name: str) -> None:
        """Show a dub as it is now, or that there is none."""
        chosen, row = self.current, self.table.currentIndex().row()
        self._overview = overview
        self._name = name
        self.model.show_overview(overview)
        self._stack.setCurrentIndex(1 if overview is not None else 0)
        if overview is not None:
            if self.current != chosen or not self.current:
                known = self.model.row_of(chosen) if chosen else -1
                self._select_row(known if known >= 0 else min(max(0, row), self.model.rowCount() - 1))
            self.cast.show_cast(overview.dub)
            self.card.show_characters(overview.dub.characters)
        self.card.show_state(overview.by_id.get(self.current) if overview is not None else None)
        self.timeline.show_overview(overview, self.current)
        self.update_state()

    def select(self, cue_id: str) -> None:
        """Choose a cue."""
        row = self.model.row_of(cue_id)
        if row >= 0:
            self._select_row(row)

    def step(self, by: int) -> None:
        """Choose the next cue, or the one before."""
        row = self.table.currentIndex().row() + by
        if 0 <= row < self.model.rowCount():
            self._select_row(row)

    def show_recent(self, recent: list[tuple[str, bool]]) -> None:
        """Offer these project folders, and whether each is there."""
        self.recent = recent
        self._fill_open_menu()

    def show_sound(self, name: str) -> None:
        """Name the original sound; "" for none."""
        self.sound_name.setText(name)
        self.sound_name.setToolTip(name)

    def show_progress(self, fraction: float | None, text: str = "") -> None:
        """Show that something long runs (a fraction below 0: nobody knows for how long), or with None that it ended."""
        self._busy = fraction is not None
        self.bar.setVisible(self._busy)
        if fraction is not None:
            self.bar.setMaximum(_STEPS if fraction >= 0 else 0)
            self.bar.setValue(round(max(0.0, fraction) * _STEPS))
        self._progress_text = text
        self.update_state()

    @property
    def is_busy(self) -> bool:
        """Whether something long runs."""
        return self._busy

    def update_state(self) -> None:
        """Say what can be pressed, and what is to be done."""
        overview, there = self._overview, self._overview is not None
        for key, button in self.head.items():
            button.setVisible(there and (key != "report" or self.has_report))
            button.setEnabled(there and not (self._busy and key in ("export", "close")))
        count = len(overview.to_make) + len(overview.to_choose) if overview is not None else 0
        self.make.setEnabled(there and not self._busy and count > 0)
        self.make.setText(self.tr("Make {count}").format(count=count) if count else self.tr("All is made"))
        self.stop.setEnabled(self._busy)
        self.open_button.setEnabled(not self._busy)
        if overview is None:
            self.title.setText(self.tr("Dub"))
            return
        self.title.setText(self._name)
        wrong = sum(bool(state.problem) for state in overview.states)
        self.problem_button.setText(self.tr("Look at {count}").format(count=wrong) if wrong else self.tr("No problems"))
        self.problem_button.setEnabled(wrong > 0)
        parts = [self.tr("Cues: {count}").format(count=len(overview.states))]
        for flag, text in (
            ("stale", self.tr("stale: {count}")),
            ("stretched", self.tr("stretched: {count}")),
            ("too_long", self.tr("too long: {count}")),
            ("overlap", self.tr("overlapping: {count}")),
        ):
            if number := overview.count(flag):
                parts.append(text.format(count=number))
        text = self._progress_text if self._busy and self._progress_text else " · ".join(parts)
        self.summary.setText(text)
        self.summary.setToolTip(text)

    def retranslate(self) -> None:
        """Set all texts."""
        self.open_button.setText(self.tr("Open…"))
        describe(self.open_button, self.tr("Open"), self.tr("Open subtitles, a script, a text, a table or a project"))
        self.open_large.setText(self.tr("Open subtitles or a script…"))
        describe(self.open_large, self.tr("Open subtitles or a script"))
        self.welcome.setText(
            self.tr(
                "Open subtitles (SRT, WebVTT, ASS), a script with NAME: line, a table (CSV) or a long text. It becomes "
                "a project beside the file: cast voices, make the cues, choose takes, and export the mix."
            )
        )
        texts = {
            "sound": (self.tr("Original sound…"), self.tr("The sound or film that the cues stand over")),
            "words": (self.tr("Words…"), self.tr("How words are said: for this project, and for all")),
            "report": (self.tr("Import report…"), self.tr("What was skipped or repaired when the file was read")),
            "export": (self.tr("Mix and export…"), self.tr("Write the mix, stems, single cues and subtitles (Ctrl+E)")),
            "close": (self.tr("Close"), self.tr("Close the project; it is saved")),
        }
        for key, (text, tip) in texts.items():
            self.head[key].setText(text)
            describe(self.head[key], text.removesuffix("…"), tip)
        describe(
            self.table, self.tr("Cues"), self.tr("Up and down choose, Space listens, R redoes, 1 to 3 pick a take")
        )
        self.tabs.setTabText(0, self.tr("Cue"))
        self.tabs.setTabText(1, self.tr("Cast"))
        describe(self.tabs.tabBar(), self.tr("Cue or cast"))
        self.takes_label.setText(self.tr("Takes"))
        describe(self.takes, self.tr("Takes of each cue"), self.tr("The one that fits its time best is chosen"))
        self.fill.setText(self.tr("Fill"))
        describe(self.fill, self.tr("Fill"), self.tr("Slow down takes that are shorter than their cue, at most 1.25 ×"))
        self.ripple.setText(self.tr("Ripple"))
        describe(self.ripple, self.tr("Ripple"), self.tr("Move what comes behind a cue that is too long"))
        self.snap.setText(self.tr("Snap"))
        describe(self.snap, self.tr("Snap"), self.tr("Dragged edges stick to those of other cues and to the playhead"))
        describe(self.make, self.tr("Make"), self.tr("Make what is missing or stale (Ctrl+Enter)"))
        self.stop.setText(self.tr("Stop"))
        describe(self.stop, self.tr("Stop"), self.tr("Stop and keep what was made (Esc)"))
        describe(self.problem_button, self.tr("Next problem"), self.tr("Go to the next cue to look at (N)"))
        describe(self.bar, self.tr("Progress"))
        self.model.retranslate()
        self._fill_open_menu()
        self.update_state()

    # Files that are dropped ------------------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take a file or a project."""
        if _dropped(event) and not self._busy:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped."""
        path = _dropped(event)
        if path:
            event.acceptProposedAction()
            self.path_requested.emit(path)

    # Inside ----------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self._name, self._progress_text = "", ""
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.sound_name)
        for key in ("sound", "words", "report"):
            head.addWidget(self.head[key])
        head.addWidget(self.open_button)
        for key in ("export", "close"):
            head.addWidget(self.head[key])
        self.title.setMinimumWidth(1)
        self._build_table()
        scroll = QScrollArea(widgetResizable=True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self.card)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.tabs.addTab(scroll, "")
        self.tabs.addTab(self.cast, "")
        self.upper = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        self.upper.addWidget(self.table)
        self.upper.addWidget(self.tabs)
        self.upper.setStretchFactor(0, 3)
        self.upper.setStretchFactor(1, 2)
        self.whole = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        self.whole.addWidget(self.upper)
        self.whole.addWidget(self.timeline)
        self.whole.setStretchFactor(0, 3)
        self.whole.setStretchFactor(1, 1)
        bottom = QHBoxLayout()
        for widget in (self.takes_label, self.takes, self.fill, self.ripple, self.snap):
            bottom.addWidget(widget)
        self.takes_label.setBuddy(self.takes)
        bottom.addSpacing(self.fontMetrics().averageCharWidth())
        bottom.addWidget(self.summary, 1)
        bottom.addWidget(self.bar)
        self.bar.setMaximumWidth(self.fontMetrics().horizontalAdvance("0" * 16))
        for button in (self.problem_button, self.stop, self.make):
            bottom.addWidget(button)
        page = QWidget()
        inside = QVBoxLayout(page)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(self.whole, 1)
        inside.addLayout(bottom)
        empty = QWidget()
        middle = QVBoxLayout(empty)
        middle.addStretch(1)
        middle.addWidget(self.welcome)
        middle.addWidget(self.open_large, 0, Qt.AlignmentFlag.AlignHCenter)
        middle.addStretch(2)
        self._stack = QStackedWidget()
        self._stack.addWidget(empty)
        self._stack.addWidget(page)
        layout = QVBoxLayout(self)
        layout.addLayout(head)
        layout.addWidget(self._stack, 1)

    def _build_table(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setItemDelegate(_StateDelegate(table))
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        table.setWordWrap(False)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.verticalHeader().setVisible(False)
        table.verticalHeader().setDefaultSectionSize(round(1.7 * self.fontMetrics().height()))
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        wide = self.fontMetrics().averageCharWidth()
        for column, letters in (("number", 6), ("start", 11), ("character", 12), ("takes", 6), ("state", 18)):
            table.setColumnWidth(COLUMNS.index(column), letters * wide)
        header.setSectionResizeMode(COLUMNS.index("text"), QHeaderView.ResizeMode.Stretch)
        table.setMinimumWidth(40 * wide)
        table.setMinimumHeight(round(5 * self.fontMetrics().height()))

    def _connect(self) -> None:
        self.open_button.clicked.connect(self.open_requested)
        self.open_large.clicked.connect(self.open_requested)
        for key, signal in (
            ("sound", self.sound_requested),
            ("words", self.words_requested),
            ("report", self.report_requested),
            ("export", self.export_requested),
            ("close", self.close_requested),
        ):
            self.head[key].clicked.connect(signal)
        self.table.selectionModel().currentRowChanged.connect(self._row_changed)
        self.timeline.cue_chosen.connect(self.select)
        self.make.clicked.connect(self.make_requested)
        self.stop.clicked.connect(self.stop_requested)
        self.problem_button.clicked.connect(self.next_problem_requested)
        self.fill.toggled.connect(self.rules_changed)
        self.ripple.toggled.connect(self.rules_changed)
        self.snap.toggled.connect(lambda on: setattr(self.timeline, "snap", on))

    def _row_changed(self) -> None:
        if self._overview is None:
            return
        self.card.show_state(self._overview.by_id.get(self.current))
        self.timeline.show_current(self.current)
        self.current_changed.emit(self.current)

    def _select_row(self, row: int) -> None:
        index = self.model.index(row, 0)
        flags = QItemSelectionModel.SelectionFlag
        self.table.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        self.table.scrollTo(index)

    def _fill_open_menu(self) -> None:
        menu = self.open_menu
        menu.clear()
        for text, signal in (
            (self.tr("Subtitles, script, text or table…"), self.open_requested),
            (self.tr("Project folder…"), self.folder_requested),
        ):
            action = QAction(text, menu)
            action.triggered.connect(lambda _=False, signal=signal: signal.emit())
            menu.addAction(action)
        if self.recent:
            menu.addSeparator()
        for folder, there in self.recent:
            action = QAction(Path(folder).name, menu)
            action.setToolTip(folder)
            action.setEnabled(there)
            action.triggered.connect(lambda _=False, folder=folder: self.path_requested.emit(folder))
            menu.addAction(action)
        menu.setToolTipsVisible(True)


def _dropped(event: QDropEvent) -> str:
    urls = event.mimeData().urls()
    return urls[0].toLocalFile() if len(urls) == 1 and urls[0].isLocalFile() else ""

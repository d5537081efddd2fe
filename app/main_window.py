"""The window: layout, and every connection between the panels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QByteArray, Qt, QThreadPool, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFileDialog,
    QHBoxLayout,
    QMainWindow,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.audio.player import Player
from app.audio.recorder import Recorder
from app.audio.sources import TakeSource
from app.autosave import Autosave
from app.compare_control import CompareControl
from app.consent_control import ConsentControl, recogniser_folder
from app.consent_desk import ConsentDesk
from app.copy_control import CopyControl
from app.core.models import looks_like_model
from app.core.quality import QualityBoard
from app.core.settings import Settings
from app.core.takes import Take, TakeStore
from app.dialog_control import DialogControl
from app.dub_control import DubControl
from app.engine.ears import Ears
from app.engine.marking import EngineWatermark
from app.engine.worker import EngineWorker
from app.job_control import JobControl
from app.join_control import JoinControl
from app.marks.choice import MarkTools
from app.menus import LANGUAGE_CHOICES, PICKED, THEMES, Menus
from app.model_control import ModelControl
from app.outgoing import Outgoing
from app.outgoing_control import OutgoingControl
from app.panels.compose_panel import ComposePanel
from app.panels.player_panel import PlayerPanel
from app.panels.takes_panel import TakesPanel
from app.panels.voices_panel import VoicesPanel
from app.quality_control import QualityControl
from app.read_first import ReadFirst
from app.save_task import Saver
from app.sheet_control import SheetControl
from app.sound_control import SoundControl
from app.sound_desk import SoundDesk
from app.take_control import TakeControl
from app.text_review import TextReview
from app.verify_control import VerifyControl
from app.voice_control import VoiceControl
from app.voice_desk import VoiceDesk
from app.watermark_preview import WatermarkPreview
from app.widgets.drop_area import dropped_file
from app.widgets.marks_text import note_of_export
from app.widgets.notice import Notice
from app.widgets.rail import Rail
from app.widgets.status import StudioStatus
from app.widgets.translated import Translated

SAVE_FORMATS = (("WAV", "wav"), ("FLAC", "flac"), ("MP3", "mp3"), ("Opus", "opus"))  # names, the same in any language


class MainWindow(Translated, QMainWindow):
    """Owns the widgets, not the engine, the player or the takes: those outlive it and come from Application."""

    language_requested = Signal(str)
    theme_requested = Signal(str)
    closed = Signal()
    painted = Signal()  # once, when the window stands there for the first time

    def __init__(
        self,
        settings: Settings,
        store: TakeStore,
        engine: EngineWorker,
        player: Player,
        pool: QThreadPool,
        autosave: Autosave,
        desk: VoiceDesk,
        recorder: Recorder,
        ears: Ears,
    ) -> None:
        super().__init__()
        self._settings = settings
        self._store = store
        self._engine = engine
        self._player = player
        self._autosave = autosave
        library = autosave.library
        tools = MarkTools(
            library.secret, lambda: EngineWatermark(engine), library.hear, lambda: settings.get("audible_notice")
        )
        self._saver = Saver(pool, tools, self)
        self.was_painted = False
        self.notice = Notice()
        self.status = StudioStatus()
        self.status.engine_process = lambda: engine.process_id
        self.models = ModelControl(settings, engine, self.notice, self.status, self)
        self.sounds = SoundDesk(recorder, settings, autosave.library, ears, self)
        self.compose = ComposePanel(settings, self.models.button, self.sounds)
        board = QualityBoard()
        # Before the list: a take that changes gets its place first.
        self.quality = QualityControl(settings, store, engine, board, autosave.library, ears.judge, self)
        self.takes_panel = TakesPanel(store, board)
        self.take_control = TakeControl(store, self.takes_panel, autosave, self.notice, self)
        self.player_panel = PlayerPanel(player, settings, store)
        self.sound_control = SoundControl(self.sounds, player, self.takes_panel, self)
        self.takes_panel.card.is_waiting = self.quality.is_waiting
        self.quality.judged.connect(self.takes_panel.card.retranslate)
        self.compare = CompareControl(store, player, self.takes_panel, autosave, self.player_panel.show_compared, self)
        self._reading = ReadFirst(store, autosave)
        self.verifying = VerifyControl(pool, tools, settings, self)
        self.watermark = WatermarkPreview(player, self.takes_panel, pool, tools, self.notice, self)
        self.sheets = SheetControl(self._reading, self.takes_panel, pool, self._saver.tools, self.notice, self)
        self.joining = JoinControl(store, player, self.takes_panel, autosave, self.notice, self)
        self.review = TextReview(desk, self)
        self.jobs = JobControl(
            settings, store, engine, player, self.models, self.review, self.compose, self.takes_panel, self.notice,
            self.status, self,
        )  # fmt: skip
        self.voices_panel = VoicesPanel(self._settings)
        self.voices = VoiceControl(
            desk, self.voices_panel, self.compose.clone, self.compose.continue_, player, self.notice, self
        )
        desk.recogniser = partial(recogniser_folder, settings)
        consents = ConsentDesk(desk, autosave.library, desk.recogniser, ears)
        self.copying = CopyControl(desk, self.compose, self.notice, self)
        self.consents = ConsentControl(desk, consents, self.voices_panel, self.sounds, player, self.notice, self)
        self.rail = Rail((*(panel.key for panel in self.compose.modes), "dub", "voices"), self.compose.panel.key)
        outgoing = Outgoing(pool, self._saver.tools, autosave.library, self)
        self.outgoing = OutgoingControl(outgoing, self.takes_panel, self.compose, self.rail, self.notice, self)
        self.menus = Menus(self.menuBar(), settings)
        self.dub = DubControl(
            settings, engine, self.models, player, autosave.library, self._saver.tools, self.menus, self.notice,
            self.review, self,
        )  # fmt: skip
        self.dialogs = DialogControl(
            settings, engine, self.models, self.menus, self.compose, self.player_panel, recorder, self.notice, self
        )
        self.setAcceptDrops(True)
        self._build()
        self._connect()
        self._restore()
        self.retranslate()

    # Layout ----------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self._upper = QSplitter(Qt.Orientation.Horizontal)
        self._centre = QStackedWidget()
        self._centre.addWidget(self.compose)
        self._centre.addWidget(self.voices_panel)
        self._upper.addWidget(self._centre)
        self._upper.addWidget(self.takes_panel)
        self._upper.setStretchFactor(0, 3)
        self._upper.setStretchFactor(1, 2)
        self._upper.setCollapsible(0, False)
        self._whole = QSplitter(Qt.Orientation.Vertical, childrenCollapsible=False)
        # The queue takes its place from the panels: the tracks below would have to be drawn anew whenever a job waits,
        # which takes as long as several frames.
        self._above = QVBoxLayout()
        self._above.setContentsMargins(0, 0, 0, 0)
        self._above.setSpacing(0)
        self._above.addWidget(self._upper, 1)
        self._above.addWidget(self.jobs.panel)
        above = QWidget()
        above.setLayout(self._above)
        self._whole.addWidget(above)
        self._whole.addWidget(self.player_panel)
        self._whole.setStretchFactor(0, 3)
        self._whole.setStretchFactor(1, 1)
        self._right = right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addWidget(self.notice)
        self._pages = QStackedWidget()  # a dub has a list, a timeline and takes of its own, and needs the room
        self._pages.addWidget(self._whole)
        self._pages.addWidget(self.dub.panel)
        right.addWidget(self._pages, 1)
        central = QWidget()
        layout = QHBoxLayout(central)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.rail)
        layout.addLayout(right, 1)
        self.setCentralWidget(central)
        self.setStatusBar(self.status)

    def _connect(self) -> None:
        """Every connection between the panels, in one place."""
        compose, takes, engine, player = self.compose, self.takes_panel, self._engine, self._player
        models, jobs = self.models, self.jobs
        self._connect_menus()
        self.rail.chosen.connect(self._choose)
        self.voices.panel_requested.connect(lambda key: self.rail.button(key).click())
        self.voices.previewing.connect(takes.unselect)
        self.consents.previewing.connect(takes.unselect)
        takes.keep_requested.connect(self.voices.keep_take)
        models.button.browse_requested.connect(models.browse)
        models.button.folder_requested.connect(models.open)
        models.folder_changed.connect(jobs.update_state)
        compose.draft_changed.connect(jobs.draft_changed)
        compose.generate_requested.connect(jobs.generate)
        compose.stop_requested.connect(jobs.stop)
        compose.paths_requested.connect(jobs.generate_all)
        for panel in (compose.clone, compose.continue_):
            panel.drop.folder_visited.connect(self._remember_open_folder)
        takes.take_selected.connect(self._show_take)
        takes.play_requested.connect(player.play)
        takes.save_requested.connect(self._ask_where_to_save)
        takes.seed_reuse_requested.connect(compose.seed.set_seed)
        takes.retry_requested.connect(self.jobs.retry)
        takes.reproduce_requested.connect(self.jobs.reproduce)
        takes.full_requested.connect(self.jobs.render_in_full)
        takes.settings_requested.connect(self.copying.copy)
        self.copying.panel_requested.connect(lambda key: self.rail.button(key).click())
        self._autosave.page_shown.connect(lambda *_: jobs.learn(self._store.takes))
        self._saver.saved.connect(self._saved)
        self._saver.failed.connect(self._save_failed)
        self._store.on_changed(self.player_panel.take_changed)
        self.player_panel.tools.take_wanted.connect(self._autosave.bring)
        # What a model is comes first, then what waits for it.
        for control in (models, jobs):
            engine.load_started.connect(control.load_started)
            engine.load_failed.connect(control.load_failed)
        engine.load_progress.connect(self.status.show_loading)
        engine.unloaded.connect(models.unloaded)
        engine.lora_changed.connect(models.lora_changed)
        engine.model_loaded.connect(models.loaded)
        engine.model_loaded.connect(jobs.model_loaded)
        engine.plan_ready.connect(jobs.plan_ready)
        engine.chunk_arrived.connect(jobs.chunk_arrived)
        engine.job_ended.connect(jobs.job_ended)
        engine.busy_changed.connect(lambda busy: jobs.update_state())

    def _connect_menus(self) -> None:
        actions = self.menus.actions
        handlers = {
            "open_model": self.models.browse,
            "save": lambda: self.dub.save() if self.dub.is_shown else self.takes_panel.save_current(),
            "quit": self.close,
            "generate": lambda: self.dub.make() if self.dub.is_shown else self.jobs.generate(),
            "stop": lambda: self.dub.stop() if self.dub.is_shown else self.jobs.stop(),
            "play": self._space,
            "compare": partial(self.compare.toggle, False),
            "blind": partial(self.compare.toggle, True),
            "use": self.compare.choose,
            "copy_take": self.outgoing.copy,
            "paste_audio": self.outgoing.paste,
            "join": self.joining.ask,
            "sheet": self.sheets.ask,
            "hear_watermark": self.watermark.ask,
            "verify": self.verifying.ask,
            "look_again": self.sound_control.look_again,
            "reproduce": self.takes_panel.reproduce_current,
            "to_bin": self.takes_panel.move_current,
            "undo_bin": lambda: self.dub.undo() if self.dub.is_shown else self.takes_panel.undo_move(),
            "forget": self.take_control.ask_to_forget,
            **{f"pick_{number}": partial(self._pick, number - 1) for number in PICKED},
            **{f"theme_{choice}": partial(self.theme_requested.emit, choice) for choice in THEMES},
            **{f"language_{choice}": partial(self.language_requested.emit, choice) for choice in LANGUAGE_CHOICES},
        }
        for key, handler in handlers.items():
            actions[key].triggered.connect(lambda checked=False, handler=handler: handler())
        actions["load_at_start"].toggled.connect(self.models.remember_load_at_start)

    def _choose(self, key: str) -> None:
        """Show the panel that the rail names."""
        was_dub, is_dub = self.dub.is_shown, key == "dub"
        self._pages.setCurrentWidget(self.dub.panel if is_dub else self._whole)
        (self._right if is_dub else self._above).addWidget(self.jobs.panel)
        if not is_dub:
            self._centre.setCurrentWidget(self.voices_panel if key == "voices" else self.compose)
        if was_dub and not is_dub:
            self.dub.left()
            self._show_take(self.takes_panel.current)
        if is_dub:
            self._player.stop()
            self.dub.shown()
        elif key == "voices":
            self.voices.shown(self.voices_panel.search.text().strip())
        else:
            self.compose.choose(key)

    def rail_button(self, key: str) -> QToolButton:
        """The button at the left that shows a panel (design, clone, continue, dub, voices)."""
        return self.rail.button(key)

    # What others ask of the window -----------------------------------------------------------------------------------

    def choose_model(self, folder: str = "") -> None:
        """Take ``folder``, else the remembered model, else the bundled one, without loading it yet."""
        self.models.choose(folder)

    def load_chosen_model(self) -> None:
        """Begin to load the chosen model."""
        self.models.load_chosen()

    def open_model(self, folder: str) -> None:
        """Load the model in ``folder`` and remember it; says why when it is no model folder."""
        self.models.open(folder)

    def generate(self) -> None:
        """Make takes of what the fields say."""
        self.jobs.generate()

    def stop(self) -> None:
        """Stop what runs and keep what was made."""
        self.jobs.stop()

    # Takes -----------------------------------------------------------------------------------------------------------

    def _show_take(self, take: Take | None) -> None:
        if take is not None and take.is_unread:
            self._autosave.bring(take)
        self.quality.look_at(take)
        was_active = self._player.is_active
        self._player.set_source(TakeSource(take) if take else None)
        self.player_panel.show_take(take)
        if was_active and take is not None and take.seconds > 0:
            self._player.play()

    def _pick(self, row: int) -> None:
        if self.dub.is_shown:
            self.dub.pick(row)
            return
        if self.compare.is_running:
            self.compare.switch(row)
            return
        current = self.takes_panel.current
        if current is not None:
            takes = self._store.of_job(current.job.job_id)
            if row < len(takes):
                self.takes_panel.select(takes[row])

    def _space(self) -> None:
        # A tick or a choice that has the focus keeps its Space; a push button does not, so that Space never
        # presses Generate by accident.
        focused = QApplication.focusWidget()
        if isinstance(focused, QAbstractButton) and focused.isCheckable():
            focused.click()
        elif self.dub.is_shown:
            self.dub.listening.toggle()
        else:
            self._player.toggle()

    def _ask_where_to_save(self, take: Take) -> None:
        number = f"{take.created_at.astimezone():%Y%m%d-%H%M%S}" if take.restored else take.number
        name = f"take-{number}-{take.row + 1}.wav"
        start = str(Path(self._settings.get("save_folder") or Path.home()) / name)
        dialog = QFileDialog(self, self.tr("Save the take"), start)
        filters = {f"{name} (*.{suffix})": suffix for name, suffix in SAVE_FORMATS}
        dialog.setNameFilters(list(filters))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("wav")
        dialog.filterSelected.connect(lambda chosen: dialog.setDefaultSuffix(filters[chosen]))
        dialog.selectFile(start)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self.save_take(take, path))
        dialog.open()

    @property
    def is_saving(self) -> bool:
        """Whether a file that was asked for is still to be written."""
        return self._saver.is_busy

    def save_take(self, take: Take, path: str) -> None:
        """Write a take to ``path`` without waiting for it; its sound is read first where it is on the disk alone."""
        self._settings.set("save_folder", str(Path(path).parent))
        self._reading.ask([take], lambda: self._saver.save(take, Path(path)))

    def _saved(self, take: Take, path: str, notes: Sequence[str]) -> None:
        take.saved_as = path
        self._store.tell(take)
        if self._engine.job is None:
            told = [self.tr("Saved: {path}").format(path=path), *map(note_of_export, notes)]
            self.status.show_idle(" · ".join(told))

    def _save_failed(self, take: Take, path: str, reason: str) -> None:
        self.notice.show_notice(
            self.tr("The take could not be saved as {path}. It is still in the list: save it elsewhere.").format(
                path=path
            ),
            reason,
        )

    # Events ----------------------------------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take a dragged model folder, or a recording."""
        if self._dragged_folder(event) or dropped_file(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open a dropped model folder, or use a recording."""
        folder = self._dragged_folder(event)
        if folder:
            event.acceptProposedAction()
            self.open_model(folder)
        elif path := dropped_file(event.mimeData()):
            event.acceptProposedAction()
            self.outgoing.take_audio(path)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Tell once that the window can be seen."""
        super().paintEvent(event)
        if not self.was_painted:
            self.was_painted = True
            self.painted.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember the layout and go; Application ends the rest."""
        self._settings.set("window_geometry", self.saveGeometry().toBase64().toStdString())
        self._settings.set(
            "splitters",
            {name: splitter.saveState().toBase64().toStdString() for name, splitter in self._splitters().items()},
        )
        event.accept()
        self.closed.emit()

    def retranslate(self) -> None:
        """Set all texts."""
        self.setWindowTitle("VoxCPM Studio")
        self.menus.retranslate()
        if self._engine.job is None and not self._engine.is_loading:
            self.status.show_idle()  # how the last thing ended was said in the other language
        self.jobs.update_state()

    def _dragged_folder(self, event: QDropEvent) -> str:
        for url in event.mimeData().urls():
            if url.isLocalFile() and looks_like_model(Path(url.toLocalFile())):
                return url.toLocalFile()
        return ""

    def _remember_open_folder(self, folder: str) -> None:
        self._settings.set("open_folder", folder)
        for panel in (self.compose.clone, self.compose.continue_):
            panel.drop.start_folder = folder

    def _splitters(self) -> dict[str, QSplitter]:
        return {"upper": self._upper, "whole": self._whole}

    def _restore(self) -> None:
        geometry = self._settings.get("window_geometry")
        if not geometry or not self.restoreGeometry(QByteArray.fromBase64(geometry.encode())):
            available = self.screen().availableGeometry()
            self.resize(available.width() * 4 // 5, available.height() * 5 // 6)
        self._whole.setSizes([2 * self.height() // 3, self.height() // 3])
        self._upper.setSizes([7 * self.width() // 10, 3 * self.width() // 10])
        saved = self._settings.get("splitters")
        for name, splitter in self._splitters().items():
            if isinstance(saved.get(name), str):
                splitter.restoreState(QByteArray.fromBase64(saved[name].encode()))
        self._remember_open_folder(self._settings.get("open_folder"))

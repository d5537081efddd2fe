"""Builds and owns what lives as long as the program: settings, takes, engine, player, window."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QThreadPool, QTimer
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from app.audio.backend import SoundDeviceBackend
from app.audio.player import Player
from app.audio.recorder import Recorder, SoundBackend
from app.autosave import Autosave
from app.collector import Collector
from app.core.engine_api import Engine
from app.core.library import Library
from app.core.models import looks_like_model
from app.core.resources import resource_path
from app.core.settings import Settings, default_settings_file
from app.core.sound_files import wait_ending
from app.core.takes import TakeState, TakeStore
from app.data_control import DataControl
from app.dialogs.help_dialog import TOPICS, HelpDialog
from app.engine.ears import Ears
from app.engine.worker import EngineFactory, EngineWorker
from app.language import Language
from app.main_window import MainWindow
from app.remedies import Remedies
from app.style import apply_colours, apply_sheet, apply_theme
from app.take_watch import TakeWatch
from app.takedown_control import TakeDownControl
from app.tasks import TaskQueue
from app.upkeep import Tended, Upkeep
from app.voice_desk import VoiceDesk

log = logging.getLogger(__name__)

# Closing has to be over within two seconds, whatever the engine is doing.
_CLOSE_SECONDS = 1.2
_LAST_SECONDS = 0.5
_EXPORT_SECONDS = 20.0
_UNPAINTED_MS = 2000


def make_engine(library: Library, place: str) -> Engine:
    """Make the engine behind the door of ``library``, in the engine's thread; ``place`` is process or thread."""
    if place == "thread":
        from app.engine.local import LocalEngine

        return LocalEngine(lambda: library.door)
    from app.engine.child_engine import ChildEngine

    return ChildEngine(lambda: library.door)


class Application(QObject):
    """The running studio. ``ended_cleanly`` is False after ``close`` when a thread could not be waited for."""

    def __init__(
        self,
        qt_app: QApplication,
        *,
        settings_file: Path | None = None,
        data_folder: Path | None = None,
        engine_factory: EngineFactory | None = None,
        backend: SoundBackend | None = None,
        model_folder: str = "",
        files: Sequence[str] = (),
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        super().__init__()
        self._qt_app = qt_app
        self._collector = Collector(self)
        self.settings = Settings(settings_file or default_settings_file())
        self.language = Language()
        self.language.use(self.settings.get("language"))
        qt_app.setStyleSheet("")
        apply_colours(qt_app, self.settings.get("theme"))
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._system_theme_changed)
        self.pool = QThreadPool()
        self.store = TakeStore()
        self.library = Library(data_folder, now=now)
        self.tasks = TaskQueue(self)
        self.upkeep = Upkeep(self.library, self.tasks, self)
        self.autosave = Autosave(self.library, self.store, self)
        self.watch = TakeWatch(self.autosave, self)
        self.desk = VoiceDesk(self.library, self)
        place = self.settings.get("engine")
        self.engine = EngineWorker(engine_factory or (lambda: make_engine(self.library, place)), self)
        backend = backend or SoundDeviceBackend()
        self.player = Player(backend, self)
        self.recorder = Recorder(backend, self)
        self.ears = Ears()
        self.window = MainWindow(
            self.settings, self.store, self.engine, self.player, self.pool, self.autosave, self.desk, self.recorder,
            self.ears,
        )  # fmt: skip
        apply_sheet(qt_app, self.settings.get("theme"))
        self.window.setWindowIcon(QIcon(str(resource_path("icons", "studio.svg"))))
        self.settings.on_changed(self._setting_changed)
        self.window.theme_requested.connect(lambda theme: self.settings.set("theme", theme))
        self.window.language_requested.connect(lambda language: self.settings.set("language", language))
        self.window.closed.connect(self.close)
        self._files = list(files)
        self._told_complaints: set[tuple[str, bool]] = set()
        self._connect_data()
        self.window.choose_model(model_folder)
        self._closed = False
        self._woken = False
        self.ended_cleanly = True
        self.wants_restart = False

    def _connect_data(self) -> None:
        """Connect what keeps the saved data in order with the window."""
        window = self.window
        self.data = DataControl(self.library, self.tasks, window.notice, window)
        self.takedown = TakeDownControl(self.library, self.tasks, window.notice, window)
        self.remedies = Remedies(self.settings, self.engine, window.models, window.notice, self.tasks, window)
        self.upkeep.tended.connect(self._tended)
        self.upkeep.failed.connect(self.data.data_failed)
        self.data.restart_requested.connect(self.restart)
        self.data.restored.connect(self._look_again)
        self.takedown.changed.connect(self.desk.changed)
        window.voices_panel.complaint_requested.connect(self.takedown.open)
        window.menus.actions["data"].triggered.connect(lambda: self.data.show())
        for topic in TOPICS:
            window.menus.actions[f"help_{topic}"].triggered.connect(lambda _=False, topic=topic: self.show_help(topic))
        self.help: HelpDialog | None = None

    def show_help(self, topic: str) -> None:
        """Show a text of help."""
        if self.help is None:
            self.help = HelpDialog(topic, self.window)
        self.help.show_topic(topic)
        self.help.show()
        self.help.activateWindow()

    def come_to_front(self, files: Sequence[str] = ()) -> None:
        """Bring the window to the front, since the studio was started once more, and open ``files``."""
        window = self.window
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.show()
        window.raise_()
        window.activateWindow()
        self._qt_app.alert(window)  # where the desktop does not let windows come to the front by themselves
        self.open_files(files)

    def open_files(self, files: Sequence[str]) -> None:
        """Open what was named on the command line: a model's folder, a voice, or a recording."""
        for name in files:
            if looks_like_model(Path(name)):
                self.window.open_model(name)
            elif name.lower().endswith(".zip"):
                self.window.rail_button("voices").click()
                self.desk.take_in(Path(name))
            else:
                self.window.outgoing.take_audio(name)

    def restart(self) -> None:
        """Close the window; whoever runs the program starts it again."""
        self.wants_restart = True
        self.window.close()

    def show(self) -> None:
        """Show the window at once; the sound device and the model are looked for once it stands there."""
        self.window.painted.connect(self._after_show, Qt.ConnectionType.QueuedConnection)
        # A window that starts minimised is never painted.
        QTimer.singleShot(_UNPAINTED_MS, self._after_show)
        self.window.show()

    def close(self) -> None:
        """Stop everything within two seconds, once what is being exported is written. Harmless when repeated."""
        if self._closed:
            return
        self._closed = True
        self.window.hide()
        self.player.close()
        self.window.dialogs.close()
        self.upkeep.stop()
        self.watch.stop()
        self.settings.save()
        if self.engine.job is not None:  # what was heard of it is kept like the rest
            self.store.close_job(self.engine.job.job_id, TakeState.STOPPED)
        self.engine.cancel()
        self._finish_exports()
        until = time.monotonic() + _CLOSE_SECONDS

        def left() -> float:
            return max(0.0, until - time.monotonic())

        self.pool.waitForDone(int(_CLOSE_SECONDS * 500))
        self.ears.close()
        self.engine.close(0.0)  # told now; it is waited for last, since nothing is lost with it
        if self.window.is_saving:  # it reads back what it wrote
            saves_done = self.pool.waitForDone(int(left() * 1000))
        else:
            saves_done = wait_ending(lambda seconds: self.pool.waitForDone(int(seconds * 1000)), left())
        takes_kept = self.autosave.close(left())
        dub_saved = self.window.dub.close(left())
        voices_done = self.desk.close(left() / 2) or wait_ending(self.desk.close, left())
        sounds_done = self.window.sounds.close(left())
        tasks_done = self.tasks.close(left())
        views_done = self.window.player_panel.close_down(left())
        judged = wait_ending(self.window.quality.close, left())
        compared = self.window.compare.close(left())
        engine_done = self.engine.close(left())
        self.ended_cleanly = all(
            (
                saves_done,
                takes_kept,
                dub_saved,
                voices_done,
                sounds_done,
                tasks_done,
                views_done,
                judged,
                compared,
                engine_done,
            )
        )
        if self.ended_cleanly:  # else a thread may still be using it; what is saved is safe without
            self.ended_cleanly = self._close_library(max(left(), _LAST_SECONDS))
        self._collector.stop()
        self._qt_app.quit()

    def _close_library(self, seconds: float) -> bool:
        """Close it, which waits for the disk; False when that takes long. Nothing is lost with it then either."""
        thread = threading.Thread(target=self.library.close, name="library end", daemon=True)
        thread.start()
        thread.join(seconds)
        return not thread.is_alive()

    def _finish_exports(self) -> None:
        """A file that was asked for needs the engine for its watermark, which may only just be importing what makes it.

        Nobody would be told that it is missing, since the window is gone.
        """
        until = time.monotonic() + _EXPORT_SECONDS
        while (self.window.is_saving or self.engine.is_called) and time.monotonic() < until:
            self.pool.waitForDone(20)

    def _after_show(self) -> None:
        if self._closed or self._woken:
            return
        self._woken = True
        self.player.probe()
        self.recorder.probe()
        self.autosave.restore()
        self.upkeep.tend()
        self.window.review.prepare(self.pool)
        self.open_files(self._files)
        if self.settings.get("load_at_start"):
            self.window.load_chosen_model()
        if not self.settings.get("welcomed"):
            self.settings.set("welcomed", True)
            self.window.dialogs.show_models(greeting=True)
        QTimer.singleShot(0, self._settle)

    def _settle(self) -> None:
        self.window.player_panel.timeline.prepare()
        self._collector.settle()

    def _tended(self, tended: Tended) -> None:
        self.data.tell(tended)
        if tended.purged:
            self.desk.changed.emit()
        self.takedown.tell_deadlines(tended.complaints, self._told_complaints)

    def _look_again(self) -> None:
        """The saved data is other data than before."""
        self.autosave.restore()
        self.upkeep.tend()
        self.desk.changed.emit()

    def _setting_changed(self, key: str) -> None:
        if key == "theme":
            apply_theme(self._qt_app, self.settings.get("theme"))
        elif key == "language":
            self.language.use(self.settings.get("language"))

    def _system_theme_changed(self, scheme: Qt.ColorScheme) -> None:
        if self.settings.get("theme") == "system":
            apply_theme(self._qt_app, "system")

import gc
import json
import os
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEvent, QtMsgType
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from app.application import Application
from app.engine.fake import FakeEngine
from tests.app.fake_audio import FakeAudio

# What the offscreen platform says of itself, whatever the program does.
HARMLESS = ("propagateSizeHints", "does not support raise()", "QFontDatabase: Cannot find font directory")


PATIENCE_MS = 60_000  # a busy machine alone is no reason to fail


class Studio:
    """The real window with its long-lived objects, a fake engine and a fake sound device."""

    def __init__(self, qtbot, application, engine, audio):
        self.qtbot = qtbot
        self.application = application
        self.fake = engine
        self.audio = audio
        self.window = application.window
        self.engine = application.engine
        self.player = application.player
        self.store = application.store
        self.settings = application.settings
        self.compose = application.window.compose
        self.takes_panel = application.window.takes_panel

    def show(self, wait_for_model=True):
        if not wait_for_model:
            self.application.show()
            return self
        with self.qtbot.waitSignal(self.engine.model_loaded, timeout=PATIENCE_MS):
            self.application.show()
        return self

    def open_model(self, folder):
        with self.qtbot.waitSignal(self.engine.model_loaded, timeout=PATIENCE_MS):
            self.window.open_model(str(folder))

    def generate(self, text="Good evening.", wait=True):
        """Press Generate; returns the takes of the job once it ended."""
        self.compose.text.setPlainText(text)
        if not wait:
            with self.qtbot.waitSignal(self.engine.job_started, timeout=PATIENCE_MS):
                self.compose.generate.click()
            return self.store.takes
        with self.qtbot.waitSignal(self.engine.job_ended, timeout=PATIENCE_MS):
            self.compose.generate.click()
        return self.store.of_job(self.fake.jobs[-1].job_id) if self.fake.jobs else ()

    def told_of_keys(self):
        """Wait for the notice that keys do not last, which follows the first take of a person, and close it.

        The take is written in a thread of its own, so the notice would come between later ones.
        """
        notice = self.window.notice
        self.qtbot.waitUntil(lambda: "only lasts until the program ends" in notice.message, timeout=PATIENCE_MS)
        notice.close_button.click()

    def drop(self, area, path):
        """Let a file fall on a drop area and wait until it was looked at."""
        from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
        from PySide6.QtGui import QDragEnterEvent, QDropEvent
        from PySide6.QtWidgets import QApplication

        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(path))])
        middle = area.rect().center()
        buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        enter = QDragEnterEvent(middle, Qt.DropAction.CopyAction, mime, buttons, keys)
        QApplication.sendEvent(area, enter)
        if not enter.isAccepted():
            return False
        drop = QDropEvent(QPointF(middle), Qt.DropAction.CopyAction, mime, buttons, keys)
        with self.qtbot.waitSignal(area.audio_changed, timeout=PATIENCE_MS):
            QApplication.sendEvent(area, drop)
        return True


class PatientBot(QtBot):
    """Waits as long as a busy machine may take, where a test does not say otherwise.

    What waited for a signal is kept: one that another thread has sent already still arrives, and was seen to be handed
    to whatever lay in that place of the memory by then.
    """

    def __init__(self, request):
        super().__init__(request)
        self._waited = []

    def waitSignal(self, signal, *, timeout=PATIENCE_MS, **options):
        return self._kept(super().waitSignal(signal, timeout=timeout, **options))

    def waitSignals(self, signals, *, timeout=PATIENCE_MS, **options):
        return self._kept(super().waitSignals(signals, timeout=timeout, **options))

    def waitUntil(self, callback, *, timeout=PATIENCE_MS):
        super().waitUntil(callback, timeout=timeout)

    def _kept(self, blocker):
        self._waited.append(blocker)
        return blocker


@pytest.fixture
def qtbot(qapp, request):
    return PatientBot(request)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """As in the program, garbage of a window is collected in the window's thread alone.

    A thread that an earlier test left, or one that the next begins, would delete the widgets there.
    """
    if "qapp" not in getattr(item, "fixturenames", ()):
        return (yield)
    gc.disable()
    try:
        return (yield)
    finally:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.collect()
        gc.enable()


def pytest_sessionfinish():
    """What was copied belongs to Python, and without a desktop Qt lets go of it only when Python has ended."""
    if QGuiApplication.instance() is not None:
        QGuiApplication.clipboard().clear()


@pytest.fixture(autouse=True)
def no_qt_warnings(request):
    """An unexpected warning of Qt fails the test."""
    if "qtbot" not in request.fixturenames:
        yield
        return
    log = request.getfixturevalue("qtlog")
    yield
    levels = (QtMsgType.QtWarningMsg, QtMsgType.QtCriticalMsg, QtMsgType.QtFatalMsg)
    bad = [
        record.message
        for record in log.records
        if record.type in levels and not any(harmless in record.message for harmless in HARMLESS)
    ]
    assert bad == []


@pytest.fixture
def fake_engine():
    return FakeEngine()


@pytest.fixture
def fake_audio():
    return FakeAudio()


@pytest.fixture
def make_studio(qtbot, qapp, tmp_path, fake_engine, fake_audio, monkeypatch):
    """Build the studio the way main() does; keyword arguments go to Application."""
    # How fast it closes is for test_start_and_end.py to measure; a busy machine alone is no reason to fail here.
    monkeypatch.setattr("app.application._CLOSE_SECONDS", 15.0)
    made = []

    def make(**options):
        arguments = {
            "settings_file": tmp_path / "config" / "settings.json",
            "data_folder": tmp_path / "data" / "library",
            "engine_factory": lambda: fake_engine,
            "backend": fake_audio,
            **options,
        }
        application = Application(qapp, **arguments)
        application.language.use("en")
        application.settings.set("welcomed", True)
        application.settings.set("quality_card", False)  # measuring imports scipy, which takes seconds
        made.append(application)
        return Studio(qtbot, application, fake_engine, fake_audio)

    yield make
    for application in made:
        application.window.close()
        assert application.ended_cleanly
        application.language.use("en")
        application.window.deleteLater()
        application.deleteLater()  # else what is connected keeps all of it alive


@pytest.fixture
def studio(make_studio):
    """A shown studio with a loaded (fake) model."""
    return make_studio().show()


@pytest.fixture
def model_folder(tmp_path):
    """Make a folder that looks like a model to the window."""

    def make(name, card=None):
        folder = tmp_path / "models" / name
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
        if card:
            (folder / "model_card.json").write_text(json.dumps(card))
        return folder

    return make


@pytest.fixture
def speech(tmp_path) -> Path:
    """Write a short stereo WAV."""
    import numpy as np
    import soundfile

    path = tmp_path / "speech.wav"
    at = np.arange(16000 * 3) / 16000
    left = 0.3 * np.sin(2 * np.pi * 220 * at) * (0.5 + 0.5 * np.sin(2 * np.pi * 3 * at))
    soundfile.write(path, np.stack([left, 0.5 * left], axis=1), 16000)
    return path

"""Marks in the window: any file can be asked for its marks, what an export noted is said, and presets are kept."""

from dataclasses import replace

import numpy as np
import pytest
import soundfile
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel

LONG = 120_000  # milliseconds


@pytest.fixture(autouse=True)
def breath(fake_engine, monkeypatch):
    """A pure tone carries no watermark to speak of; something like breath does."""
    tone = fake_engine._chunk

    def chunk(job, row, patch):
        made = tone(job, row, patch)
        noise = np.random.default_rng((row, patch)).standard_normal(len(made.samples)).astype(np.float32)
        return replace(made, samples=made.samples + 0.05 * noise)

    monkeypatch.setattr(fake_engine, "_chunk", chunk)


@pytest.fixture
def dialog(studio):
    studio.window.menus.actions["verify"].trigger()
    return studio.window.verifying.dialog


def drop(studio, dialog, path):
    """Let a file fall on the dialog, and wait until it was looked at; what is said then."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    keys, button = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, mime, button, keys)
    QApplication.sendEvent(dialog, enter)
    assert enter.isAccepted()
    with studio.qtbot.waitSignal(studio.window.verifying.looked, timeout=LONG):
        QApplication.sendEvent(dialog, QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, mime, button, keys))
    return " ".join(label.text() for label in dialog.findChildren(QLabel) if label.isVisible())


def saved(studio, path):
    (take,) = studio.generate()
    with studio.qtbot.waitSignal(studio.window._saver.saved, timeout=LONG):
        studio.window.save_take(take, str(path))
    return path


def test_a_file_of_the_studio_shows_every_mark_and_what_each_proves(studio, dialog, tmp_path):
    said = drop(studio, dialog, saved(studio, tmp_path / "a.flac"))
    assert "Marked as generated" in said and "a.flac" in said
    assert "Its hash fits the sound" in said and "anyone can make one" in said
    assert "The file is as it was when" in said and "There is one in the whole sound" in said
    assert "may still be generated" in said


def test_a_changed_file_a_foreign_one_and_one_that_is_no_sound(studio, dialog, tmp_path):
    path = saved(studio, tmp_path / "a.wav")
    data = bytearray(path.read_bytes())
    at = data.index(b"data") + 2000
    data[at : at + 400] = bytes(400)
    path.write_bytes(bytes(data))
    said = drop(studio, dialog, path)
    assert "does not fit this file" in said and dialog.verdict.property("problem")
    plain = tmp_path / "plain.wav"
    soundfile.write(plain, 0.1 * np.sin(np.arange(48000) / 20), 48000)
    said = drop(studio, dialog, plain)
    assert "No mark was found" in said and "There is none." in said and not dialog.verdict.property("problem")
    text = tmp_path / "text.txt"
    text.write_text("no sound at all")
    assert "is all that is read" in drop(studio, dialog, text)
    gone = tmp_path / "gone.wav"
    with studio.qtbot.waitSignal(studio.window.verifying.looked, timeout=LONG):
        studio.window.verifying.look(str(gone))
    assert "cannot be read" in dialog.problem.text() and dialog.found is None


def test_without_the_watermark_the_rest_is_looked_for(studio, dialog, tmp_path, monkeypatch):
    from app.marks.errors import WatermarkUnavailable

    path = saved(studio, tmp_path / "a.wav")

    def missing():
        raise WatermarkUnavailable("It is not installed.")

    monkeypatch.setattr(studio.fake, "watermark", missing)
    said = drop(studio, dialog, path)
    assert "Marked as generated" in said and "It was not looked for." in said


def test_it_is_whole_in_chinese(studio, dialog, tmp_path):
    from tests.e2e.looks import untranslated

    studio.window.menus.actions["language_zh_CN"].trigger()
    studio.qtbot.waitUntil(lambda: dialog.windowTitle() != "Marks of a file")
    drop(studio, dialog, saved(studio, tmp_path / "a.wav"))
    assert untranslated(dialog, ["a.wav VoxCPM-Studio Installation", dialog.found.credentials.signer]) == []


def test_what_an_export_noted_is_said_in_the_status_bar(studio, tmp_path):
    saved(studio, tmp_path / "a.opus")
    said = studio.window.status.job_label.text()
    assert "Saved:" in said and "cannot carry content credentials" in said
    saved(studio, tmp_path / "a.wav")
    assert "credentials" not in studio.window.status.job_label.text()


def test_presets_are_there_at_the_next_start(make_studio):
    studio = make_studio().show()
    design = studio.compose.design
    design.edit.setText("a robot, tired")
    design.presets.keep()
    studio.window.close()
    again = make_studio()
    menu = again.compose.design.presets.choices
    menu.aboutToShow.emit()
    assert menu.actions()[0].text() == "a robot, tired"

"""Takes go out into other programs as marked files and recordings come in; phrases are joined."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication

from app import outgoing_control
from app.dialogs.join_takes import JoinDialog
from app.marks import label


@pytest.fixture
def unmarked_sound(monkeypatch):
    """Leave the watermark out: its network takes seconds, and exports have tests of their own."""
    from dataclasses import replace

    from app.marks import export
    from app.marks.choice import MarkChoice

    choice = MarkChoice(frozenset({"watermark"}), "a test")
    real = export.export_audio
    monkeypatch.setattr(export, "export_audio", lambda *a, **more: real(*a, **{**more, "choice": choice}))
    return replace


def label_of(path):
    return label.read(Path(path), "wav")


def test_a_copied_take_is_a_marked_file_on_the_clipboard(studio, unmarked_sound):
    (take,) = studio.generate()
    outgoing = studio.window.outgoing._outgoing
    with studio.qtbot.waitSignal(outgoing.ready, timeout=60000):
        studio.window.menus.actions["copy_take"].trigger()
    (url,) = QGuiApplication.clipboard().mimeData().urls()
    path = Path(url.toLocalFile())
    assert path.suffix == ".wav" and label_of(path) is not None
    assert "Copied" in studio.window.notice.message
    assert path.is_relative_to(studio.application.library.store.folder) and take.uid in str(path)
    with studio.qtbot.waitSignal(outgoing.ready):  # the file is there already
        studio.window.menus.actions["copy_take"].trigger()
    assert QGuiApplication.clipboard().mimeData().urls() == [url]
    studio.qtbot.waitUntil(lambda: take.kept)
    studio.takes_panel.move_current()
    studio.window.take_control.empty_bin()
    studio.qtbot.waitUntil(lambda: not path.exists())


def test_a_drag_goes_on_when_the_file_is_there_and_the_button_still_held(studio, unmarked_sound, monkeypatch):
    dragged = []

    class Drag:
        def __init__(self, source):
            self.source = source

        def setMimeData(self, mime):  # noqa: N802
            self.mime = mime

        def exec(self, action):
            dragged.append((self.source, action, [url.toLocalFile() for url in self.mime.urls()]))

    monkeypatch.setattr(outgoing_control, "QDrag", Drag)
    held = Qt.MouseButton.LeftButton
    monkeypatch.setattr(outgoing_control.QApplication, "mouseButtons", staticmethod(lambda: held))
    studio.generate()
    ready = studio.window.outgoing._outgoing.ready
    with studio.qtbot.waitSignal(ready, timeout=60000):
        studio.takes_panel.list.startDrag(Qt.DropAction.CopyAction)
    ((source, action, (path,)),) = dragged
    assert source is studio.takes_panel.list and action is Qt.DropAction.CopyAction and label_of(path) is not None
    held = Qt.MouseButton.NoButton
    with studio.qtbot.waitSignal(ready):
        studio.takes_panel.list.startDrag(Qt.DropAction.CopyAction)
    assert len(dragged) == 1


def test_a_take_that_cannot_become_a_file_is_told(studio, monkeypatch):
    from app import outgoing

    def refuse(*_, **__):
        raise OSError("the disk is full")

    monkeypatch.setattr(outgoing, "export_privately", refuse)
    studio.generate()
    with studio.qtbot.waitSignal(studio.window.outgoing._outgoing.failed):
        studio.window.menus.actions["copy_take"].trigger()
    assert "could not be made into a file" in studio.window.notice.message


def test_a_recording_is_pasted_into_the_panel_that_is_open(studio, speech):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(speech))])
    QGuiApplication.clipboard().setMimeData(mime)
    studio.window.menus.actions["paste_audio"].trigger()
    assert studio.compose.panel is studio.compose.clone
    studio.qtbot.waitUntil(lambda: studio.compose.clone.drop.path == str(speech))
    studio.window.rail_button("continue").click()
    studio.window.menus.actions["paste_audio"].trigger()
    studio.qtbot.waitUntil(lambda: studio.compose.continue_.drop.path == str(speech))
    QGuiApplication.clipboard().setText("no file")
    studio.window.menus.actions["paste_audio"].trigger()
    assert "no sound file" in studio.window.notice.message


def test_a_recording_that_falls_on_the_window_is_used(studio, speech):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(speech))])
    keys, button = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    enter = QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, mime, button, keys)
    QApplication.sendEvent(studio.window, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(studio.window, QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, mime, button, keys))
    studio.qtbot.waitUntil(lambda: studio.compose.clone.drop.path == str(speech))


def test_phrases_of_two_takes_are_joined_and_kept_with_their_origin(studio):
    studio.compose.takes.setValue(2)
    takes = studio.generate("One, two.")
    for take in takes:
        take._samples._data[40000:60000] = 0  # a pause
    studio.window.menus.actions["join"].trigger()
    (dialog,) = studio.window.findChildren(JoinDialog)
    assert len(dialog.groups) == 2
    dialog.groups[1].button(1).click()
    assert studio.player.source.take is takes[1] and studio.player.position > 0.5
    dialog.join_button.click()
    joined = studio.store.takes[-1]
    assert studio.takes_panel.current is joined
    assert [piece.uid for piece in joined.joined] == [take.uid for take in takes]
    assert np.array_equal(joined.samples[:30000], takes[0].samples[:30000])
    studio.qtbot.waitUntil(lambda: joined.kept)
    assert studio.application.library.takes.get(joined.uid).joined == joined.joined
    assert not studio.takes_panel.reproduce_button.isEnabled()
    assert "joined" in studio.takes_panel.card.text()


def test_takes_that_do_not_fit_are_not_joined(studio):
    studio.generate("One.")
    studio.window.menus.actions["join"].trigger()
    assert "Select two to four takes" in studio.window.notice.message
    studio.generate("Two.")
    studio.takes_panel.list.selectAll()
    studio.window.menus.actions["join"].trigger()
    assert "cannot be joined" in studio.window.notice.message


def test_takes_of_a_deleted_voice_leave_the_list(studio):
    (take,) = studio.generate()
    studio.qtbot.waitUntil(lambda: take.kept)
    library = studio.application.library.takes
    library.move_to_bin([take.uid])  # as any deletion does, it tells once it lasts
    library.empty_bin()
    studio.qtbot.waitUntil(lambda: take not in studio.store.takes)
    assert studio.takes_panel.current is None


def test_a_comparison_is_saved_as_a_page_with_equally_loud_takes(studio, unmarked_sound, monkeypatch, tmp_path):
    from app import sheet_control
    from app.core.loudness import loudness
    from app.marks import export

    monkeypatch.setattr(sheet_control, "export_audio", export.export_audio)
    studio.compose.takes.setValue(2)
    takes = studio.generate("Mind <the> gap.")
    takes[1]._samples._data *= 0.25
    folder = tmp_path / "sheet"
    folder.mkdir()
    with studio.qtbot.waitSignal(studio.window.sheets.saved, timeout=60000):
        studio.window.sheets.save(takes, str(folder))
    assert sorted(path.name for path in folder.iterdir()) == ["A.wav", "B.wav", "index.html", "order.txt"]
    import soundfile

    levels = [loudness(*soundfile.read(folder / name, dtype="float32")) for name in ("A.wav", "B.wav")]
    assert abs(levels[0] - levels[1]) <= 0.1 and label_of(folder / "A.wav") is not None
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert "Mind &lt;the&gt; gap." in page and 'src="A.wav"' in page and takes[0].uid not in page
    assert all(take.uid in (folder / "order.txt").read_text() for take in takes)
    with studio.qtbot.waitSignal(studio.window.sheets.failed, timeout=60000):  # nothing is overwritten
        studio.window.sheets.save(takes, str(folder))
    assert "empty folder" in studio.window.notice.message


def test_the_menu_asks_where_a_sheet_goes(studio):
    from PySide6.QtWidgets import QFileDialog

    studio.generate()
    studio.window.menus.actions["sheet"].trigger()
    assert "Select two to four takes" in studio.window.notice.message
    studio.compose.takes.setValue(2)
    studio.generate()
    studio.window.menus.actions["sheet"].trigger()
    (dialog,) = studio.window.findChildren(QFileDialog)
    dialog.reject()

"""Drag and copy of takes into other programs, and paste of recordings from them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, Qt, QUrl
from PySide6.QtGui import QDrag, QGuiApplication
from PySide6.QtWidgets import QApplication

from app.core.takes import Take
from app.outgoing import Outgoing
from app.panels.compose_panel import ComposePanel
from app.panels.takes_panel import TakesPanel
from app.widgets.drop_area import dropped_file
from app.widgets.notice import Notice
from app.widgets.rail import Rail


class OutgoingControl(QObject):
    """A drag waits, with the button held, until the marked file is there; then it goes on as any drag."""

    def __init__(
        self,
        outgoing: Outgoing,
        panel: TakesPanel,
        compose: ComposePanel,
        rail: Rail,
        notice: Notice,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._outgoing, self._panel, self._compose, self._rail, self._notice = outgoing, panel, compose, rail, notice
        self._dragged: Take | None = None
        self._copied: Take | None = None
        panel.list.drag_wanted.connect(self.drag)
        outgoing.ready.connect(self._ready)
        outgoing.failed.connect(self._failed)

    def drag(self) -> None:
        """Begin to drag the chosen take."""
        take = self._panel.whole()
        if take is not None:
            self._dragged = take
            self._panel.list.setCursor(Qt.CursorShape.BusyCursor)
            self._outgoing.prepare(take)

    def copy(self) -> None:
        """Put the chosen take onto the clipboard, as a file."""
        take = self._panel.whole()
        if take is not None:
            self._copied = take
            self._outgoing.prepare(take)

    def paste(self) -> None:
        """Take a recording from the clipboard into the panel that is open."""
        mime = QGuiApplication.clipboard().mimeData()  # None where nothing was ever copied
        path = dropped_file(mime) if mime else ""
        if path:
            self.take_audio(path)
        else:
            self._notice.show_notice(self.tr("There is no sound file on the clipboard. Copy one in your file manager."))

    def take_audio(self, path: str) -> None:
        """Use a recording as the reference, or as the prompt where that panel is open."""
        compose = self._compose
        if compose.panel not in (compose.clone, compose.continue_):
            self._rail.button(compose.clone.key).click()
        panel = compose.continue_ if compose.panel is compose.continue_ else compose.clone
        panel.drop.open_file(path)

    def _ready(self, take: Take, path: str) -> None:
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(path)])
        if self._copied is take:
            self._copied = None
            QGuiApplication.clipboard().setMimeData(mime)
            self._notice.show_notice(
                self.tr("Copied as a file that is marked as generated: {name}").format(name=Path(path).name)
            )
        elif self._dragged is take:
            self._end_drag()
            if QApplication.mouseButtons() & Qt.MouseButton.LeftButton:
                drag = QDrag(self._panel.list)
                drag.setMimeData(mime)
                drag.exec(Qt.DropAction.CopyAction)

    def _failed(self, take: Take, reason: str) -> None:
        if take in (self._copied, self._dragged):
            self._copied = None
            self._end_drag()
            self._notice.show_notice(self.tr("The take could not be made into a file for another program."), reason)

    def _end_drag(self) -> None:
        self._dragged = None
        self._panel.list.unsetCursor()

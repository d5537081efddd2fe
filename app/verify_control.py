"""Looks for the marks of any sound file, off the window's thread."""

from __future__ import annotations

import json
import logging
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QThreadPool, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from app.core.engine_api import EngineCancelled
from app.core.settings import Settings
from app.dialogs.verify_marks import VerifyDialog
from app.marks.choice import MarkTools
from app.marks.errors import MarkError
from app.marks.verify import Verification, verify

log = logging.getLogger(__name__)


class VerifyControl(QObject):
    """One dialog, one file at a time; of an earlier file nothing is told once another was given."""

    looked = Signal(int, object)  # ticket, Verification or the reason why not

    def __init__(self, pool: QThreadPool, tools: MarkTools, settings: Settings, window: QWidget) -> None:
        super().__init__(window)
        self._pool, self._tools, self._settings, self._window = pool, tools, settings, window
        self._ticket = 0
        self._path = ""
        self._dialog: VerifyDialog | None = None
        self.looked.connect(self._told)

    @property
    def dialog(self) -> VerifyDialog:
        """The window that shows what was found."""
        if self._dialog is None:
            self._dialog = dialog = VerifyDialog(self._window)
            dialog.file_given.connect(self.look)
            dialog.browse_requested.connect(self._browse)
            dialog.copy_requested.connect(self._copy)
        return self._dialog

    def ask(self) -> None:
        """Open the dialog."""
        self.dialog.show()
        self.dialog.activateWindow()

    def look(self, path: str) -> None:
        """Look at a file; the dialog tells."""
        self._ticket += 1
        ticket, self._path = self._ticket, path
        self.dialog.show_busy(path)
        self._pool.start(lambda: self._look(ticket, Path(path)))

    # Inside ----------------------------------------------------------------------------------------------------------

    def _look(self, ticket: int, path: Path) -> None:
        """In another thread."""
        try:
            try:
                found = verify(path, self._tools.watermark())
            except MarkError as error:  # everything else can be looked for without
                log.warning("The watermark cannot be looked for: %s", type(error).__name__)
                found = verify(path, None)
        except EngineCancelled:
            log.warning("A file was not looked at: the studio is being closed")
        except OSError as error:
            self.looked.emit(ticket, error.strerror or str(error))
        else:
            self.looked.emit(ticket, found)

    def _told(self, ticket: int, found: Verification | str) -> None:
        if ticket != self._ticket:
            return
        if isinstance(found, Verification):
            self.dialog.show_found(found)
        else:
            self.dialog.show_failed(self._path, found)

    def _browse(self) -> None:
        dialog = QFileDialog(self.dialog, self.tr("Choose a sound file"), self._settings.get("save_folder"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("Sound (*.wav *.flac *.mp3 *.ogg *.opus)"), self.tr("All files (*)")])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.look)
        dialog.open()

    def _copy(self, found: Verification) -> None:
        QGuiApplication.clipboard().setText(json.dumps(found.as_json(), ensure_ascii=False, indent=2))

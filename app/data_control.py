"""The dialog of saved data and what it asks for: backups, checks, the way back. Damaged data opens it by itself."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from app.core import data_health
from app.core.library import Library
from app.core.store import default_data_folder, errors
from app.core.store.backups import Backup
from app.core.store.restoring import forget_wish, wish, wished
from app.dialogs.data_dialog import DataDialog, DataState
from app.tasks import TaskQueue
from app.upkeep import Tended
from app.widgets.notice import Notice
from app.widgets.question import ask


class DataControl(QObject):
    """Owns the dialog. ``restart_requested`` asks to close the studio and start it again."""

    restart_requested = Signal()
    restored = Signal()  # other data is there now

    def __init__(self, library: Library, tasks: TaskQueue, notice: Notice, window: QWidget) -> None:
        super().__init__(window)
        self._library, self._tasks, self._notice, self._window = library, tasks, notice, window
        self._damage = ""
        self._told: int | None = None  # the restored backup that was told of
        self.dialog: DataDialog | None = None

    @property
    def folder(self) -> Path:
        """Where the data is."""
        return self._library.folder or default_data_folder()

    def show(self) -> None:
        """Open the dialog, or bring it to the front."""
        if self.dialog is None:
            dialog = self.dialog = DataDialog(self._window)
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.backup_requested.connect(self._back_up)
            dialog.check_requested.connect(self._check)
            dialog.restore_requested.connect(self._ask_to_restore)
            dialog.unwish_requested.connect(self._unwish)
            dialog.folder_requested.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.folder))))
            dialog.finished.connect(self._closed)
        self.dialog.show()
        self.dialog.activateWindow()
        self._look()

    def data_failed(self, error: Exception) -> None:
        """The saved data could not be opened: where a backup can help, offer one."""
        if not isinstance(error, errors.DamagedError) or self._library.is_open:
            return
        first = not self._damage
        self._damage = str(error)
        if first:
            self.show()

    def tell(self, tended: Tended) -> None:
        """Say what the look at the start found that a person has to know."""
        restored = self._library.restored
        if tended.lost:
            self._notice.show_notice(
                self.tr("Stored files that are missing: {count}. See File, Saved data and backups.").format(
                    count=tended.lost
                )
            )
        elif restored is not None and restored != self._told:
            self._told = restored
            self._notice.show_notice(self.tr("Backup {number} was put in place.").format(number=restored))

    # Inside ----------------------------------------------------------------------------------------------------------

    def _closed(self) -> None:
        self.dialog = None

    def _state(self) -> DataState:
        library = self._library
        if library.is_open:
            self._damage = ""
        backups = data_health.backups_in(self.folder)
        return DataState(str(self.folder), backups, self._damage, wished(self.folder), library.restored)

    def _look(self) -> None:
        self._tasks.start(self._state, self._show)

    def _show(self, state: DataState) -> None:
        if self.dialog is not None:
            self.dialog.show_state(state)

    def _back_up(self) -> None:
        def work() -> DataState:
            store = self._library.store
            store.wait_for_maintenance()
            store.backups.run()
            return self._state()

        def then(state: DataState) -> None:
            self._show(state)
            self._notice.show_notice(self.tr("The backup is made."))

        self._tasks.start(work, then, self._failed)

    def _check(self) -> None:
        def then(health: data_health.Health) -> None:
            if self.dialog is not None:
                self.dialog.show_health(health)

        self._tasks.start(lambda: data_health.check(self._library), then, self._failed)

    def _ask_to_restore(self, backup: Backup) -> None:
        day = backup.made_on.isoformat()
        ask(
            self.dialog or self._window,
            self.tr("Go back"),
            self.tr("Go back to the backup of {day}?").format(day=day),
            self.tr(
                "Takes, voices, ratings and notes that were saved after it will not be there any more, nor will the "
                "entries of the audit log. What is there now is kept in the data folder for 30 days. Voices that "
                "were deleted stay deleted. The studio closes and starts again."
            ),
            lambda: self._restore(backup),
        )

    def _restore(self, backup: Backup) -> None:
        """Now where nothing is open; else at the next start, since other threads may be reading."""

        def work() -> bool:
            if not self._library.is_open:
                self._library.restore(backup.number)
                return True
            wish(self.folder, backup.number)
            return False

        def then(is_done: bool) -> None:
            self._look()
            if is_done:
                self._told = self._library.restored
                self._notice.show_notice(self.tr("The backup is in place."))
                self.restored.emit()
            else:
                self.restart_requested.emit()

        self._tasks.start(work, then, self._failed)

    def _unwish(self) -> None:
        self._tasks.start(lambda: forget_wish(self.folder), lambda _: self._look())

    def _failed(self, error: Exception) -> None:
        if self.dialog is not None:
            self.dialog.failed(str(error))
        else:
            self._notice.show_notice(self.tr("This could not be done."), str(error))

"""The dub that is open in the window: every change of it is shown at once, and saved in a moment."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal

from app.core.dubbing.editing import Dubbing, EditError
from app.core.dubbing.fit import FitRules
from app.core.dubbing.overview import Overview, look
from app.core.project import Project
from app.core.project_parts import PartError
from app.core.undo import Command, UndoError
from app.dub_desk import DubDesk
from app.widgets.notice import Notice

_SAVE_MS = 300


class OpenDub(QObject):
    """``dubbing`` and what is to be seen of it, ``overview``; both None while none is open."""

    changed = Signal()

    def __init__(self, desk: DubDesk, notice: Notice, parent: QObject) -> None:
        super().__init__(parent)
        self.dubbing: Dubbing | None = None
        self.overview: Overview | None = None
        self.rules = FitRules()
        self._desk, self._notice = desk, notice
        self._save_timer = QTimer(self, interval=_SAVE_MS, singleShot=True)
        self._save_timer.timeout.connect(self.save)

    def take(self, dubbing: Dubbing) -> None:
        """Show this one from now on."""
        self.dubbing = dubbing
        self.refresh()

    def let_go(self) -> None:
        """Save the project and close it; ``refresh`` shows that there is none."""
        self._save_timer.stop()
        if self.dubbing is not None:
            project, self.dubbing = self.dubbing.project, None
            self._desk.save(project, project.snapshot(), project.close)

    def save(self) -> None:
        """Write what changed, now, off this thread."""
        self._save_timer.stop()
        if self.dubbing is not None and not self.dubbing.project.is_saved:
            self._desk.save(self.dubbing.project, self.dubbing.project.snapshot())

    def refresh(self) -> None:
        """Work out how the dub is now, and show it."""
        self.overview = look(self.dubbing, self.rules) if self.dubbing is not None else None
        self.changed.emit()

    def change(self, edit: Callable[[Dubbing], object]) -> object:
        """Change the dub and return what ``edit`` does; says why where it cannot be changed."""
        if self.dubbing is None:
            return None
        result: object = None
        try:
            result = edit(self.dubbing)
        except EditError as error:
            self._notice.show_notice(QCoreApplication.translate("Edits", str(error)))
        except PartError as error:
            self._notice.show_notice(self.tr("A project cannot hold that."), str(error))
        self._show_and_save()
        return result

    def step(self, step: Callable[[Project], Command | None]) -> str:
        """Go a step back or forth; returns the id of a cue that it was about, "" for none."""
        if self.dubbing is None:
            return ""
        project, command = self.dubbing.project, None
        try:
            command = step(project)
        except UndoError as error:
            self._notice.show_notice(str(error))
        project.end_typing()
        self._show_and_save()
        changed = [change.path[2] for change in command.changes if len(change.path) > 2] if command is not None else []
        there = self.overview.by_id if self.overview is not None else {}
        return next((cue_id for cue_id in changed if cue_id in there), "")

    def _show_and_save(self) -> None:
        self.refresh()
        self._save_timer.start()

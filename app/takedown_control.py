"""What a person does about a complaint, and what comes of it; the work is done off the window's thread."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.core.complaints import Complaint
from app.core.derived import Derived
from app.core.library import Library
from app.core.voice_card import SavedVoice
from app.dialogs.take_down import TakeDownDialog
from app.tasks import TaskQueue
from app.widgets.notice import Notice
from app.widgets.question import ask

T = TypeVar("T")
_State = tuple[SavedVoice, tuple[Complaint, ...], tuple[str, ...], Derived]


class TakeDownControl(QObject):
    """Owns the dialog. ``changed`` tells that a voice was frozen, released or deleted."""

    changed = Signal()

    def __init__(self, library: Library, tasks: TaskQueue, notice: Notice, window: QWidget) -> None:
        super().__init__(window)
        self._library, self._tasks, self._notice, self._window = library, tasks, notice, window
        self.dialog: TakeDownDialog | None = None

    def open(self, voice: SavedVoice) -> None:
        """Show how things stand with complaints about a voice, and what was derived from it."""
        if self.dialog is not None:
            self.dialog.close()
        dialog = self.dialog = TakeDownDialog(voice, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.freeze_requested.connect(lambda text, hours: self._freeze(voice.voice_id, text, hours))
        dialog.release_requested.connect(lambda reason: self._release(voice.voice_id, reason))
        dialog.delete_requested.connect(lambda: self._ask_to_delete(voice))
        dialog.note_requested.connect(lambda: self._ask_where("note", voice.voice_id))
        dialog.log_requested.connect(lambda: self._ask_where("log", voice.voice_id))
        dialog.finished.connect(lambda: self._closed(dialog))
        dialog.show()
        self._look(voice.voice_id)

    def tell_deadlines(self, complaints: tuple[Complaint, ...], told: set[tuple[str, bool]]) -> None:
        """Say once that complaints wait, and once more when one is late; ``told`` remembers."""
        now = self._library.now()
        late = [each for each in complaints if each.seconds_left(now) < 0]
        news = {(each.complaint_id, each in late) for each in complaints} - told
        told |= news
        if not news:
            return
        if late:
            self._notice.show_notice(
                self.tr(
                    "Complaints about voices that should be decided by now: {count}. Open them under Voices."
                ).format(count=len(late))
            )
            return
        hours = min(each.seconds_left(now) for each in complaints) / 3600
        self._notice.show_notice(
            self.tr("A complaint about a voice has to be decided within {hours} h. Open it under Voices.").format(
                hours=int(hours)
            )
        )

    # Inside ----------------------------------------------------------------------------------------------------------

    def _closed(self, dialog: TakeDownDialog) -> None:
        if self.dialog is dialog:
            self.dialog = None

    def _look(self, voice_id: str) -> None:
        self._tasks.start(lambda: _state(self._library, voice_id), self._show, self._failed)

    def _show(self, state: _State) -> None:
        voice, complaints, texts, derived = state
        if self.dialog is not None and self.dialog.voice.voice_id == voice.voice_id:
            self.dialog.show_open(voice, complaints, texts, derived, self._library.now())

    def _freeze(self, voice_id: str, text: str, hours: int) -> None:
        def work() -> _State:
            self._library.voices.freeze(voice_id, text, timedelta(hours=hours))
            return _state(self._library, voice_id)

        self._change(work, self._show)

    def _release(self, voice_id: str, reason: str) -> None:
        def work() -> _State:
            self._library.voices.release(voice_id, reason)
            return _state(self._library, voice_id)

        def then(state: _State) -> None:
            if self.dialog is not None:
                self.dialog.close()
            self._notice.show_notice(self.tr("The complaint is closed."))

        self._change(work, then)

    def _ask_to_delete(self, voice: SavedVoice) -> None:
        ask(
            self.dialog or self._window,
            self.tr("Delete"),
            self.tr("Delete the voice {name} for ever?").format(name=voice.name or voice.voice_id),
            self.tr("Its recordings and all takes made with it go too, and nothing brings them back. "
                    "A signed note stays that holds no names."),
            lambda: self._delete(voice.voice_id),
        )  # fmt: skip

    def _delete(self, voice_id: str) -> None:
        def work() -> int:
            import json

            from app.core.voice_deletion import tombstone

            copies = self._library.voices.copies(voice_id)
            self._library.voices.delete(voice_id)
            stones = (tombstone(self._library.store, each) for each in (voice_id, *copies))
            return sum(int(json.loads(stone)["takes"]) for stone in stones if stone is not None)

        def then(takes: int) -> None:
            if self.dialog is not None:
                self.dialog.show_deleted(takes)

        self._change(work, then)

    def _change(self, work: Callable[[], T], then: Callable[[T], object]) -> None:
        def told(result: T) -> None:
            then(result)
            self.changed.emit()

        self._tasks.start(work, told, self._failed)

    def _ask_where(self, what: str, voice_id: str) -> None:
        titles = {"note": self.tr("Save the signed note"), "log": self.tr("Export the audit log")}
        names = {"note": f"{voice_id[:8]}.tombstone.json", "log": "audit.jsonl"}
        dialog = QFileDialog(self.dialog or self._window, titles[what], names[what])
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(lambda path: self._write(what, voice_id, Path(path)))
        dialog.open()

    def _write(self, what: str, voice_id: str, path: Path) -> None:
        def work() -> None:
            from app.core.atomic_file import write_atomically
            from app.core.voice_deletion import export_tombstone

            if what == "log":
                self._library.audit.export(path, overwrite=True)
            else:
                write_atomically(path, export_tombstone(self._library.store, voice_id))

        self._tasks.start(
            work,
            lambda _: self._notice.show_notice(self.tr("Exported: {path}").format(path=path)),
            self._failed,
        )

    def _failed(self, error: Exception) -> None:
        from app.core.store import errors

        reason = str(error)
        if isinstance(error, errors.KeysLockedError):
            reason = self.tr("The saved voices are locked. Unlock them in the list of voices, then try again.")
        if self.dialog is not None:
            self.dialog.failed(reason)
        else:
            self._notice.show_notice(self.tr("This could not be done."), reason)


def _state(library: Library, voice_id: str) -> _State:
    """The voice, its open complaints, what was written (where that can be read), and what was derived from it."""
    from app.core.store import errors

    complaints = tuple(each for each in library.complaints.of_voice(voice_id) if not each.outcome)
    texts = []
    for complaint in complaints:
        try:
            texts.append(library.complaints.text(complaint.complaint_id) or "")
        except errors.StoreError:  # locked, or written under a key that is gone
            continue
    voices = library.voices
    return voices.get(voice_id), complaints, tuple(filter(None, texts)), voices.derived(voice_id)

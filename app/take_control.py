"""What a person does with takes that are there: search, bin, marks, deletion; and what the library says to it."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.autosave import Autosave, View
from app.core.takes import TakeStore
from app.panels.takes_panel import TakesPanel
from app.widgets.notice import Notice
from app.widgets.question import ask


class TakeControl(QObject):
    """Stands between the takes panel and the library."""

    def __init__(
        self, store: TakeStore, panel: TakesPanel, autosave: Autosave, notice: Notice, window: QWidget
    ) -> None:
        super().__init__(window)
        self._store, self._panel, self._autosave = store, panel, autosave
        self._notice, self._window = notice, window
        self._told: set[str] = set()
        panel.view_changed.connect(lambda query, binned: autosave.look(View(query, binned)))
        panel.model.more_wanted.connect(autosave.more)
        panel.move_requested.connect(lambda takes, to_bin: autosave.move(takes, to_bin=to_bin))
        panel.empty_requested.connect(self.ask_to_empty)
        panel.marks.rating_changed.connect(lambda take, rating: autosave.mark(take, rating=rating))
        panel.marks.favourite_changed.connect(lambda take, favourite: autosave.mark(take, favourite=favourite))
        panel.marks.note_changed.connect(lambda take, note: autosave.mark(take, note=note))
        autosave.page_shown.connect(self._page_shown)
        autosave.write_failed.connect(self._not_kept)
        autosave.not_lasting.connect(self._not_lasting)
        autosave.read_failed.connect(self._not_read)
        autosave.change_failed.connect(self._not_changed)

    def ask_to_empty(self) -> None:
        """Ask, and delete what is in the bin."""
        ask(
            self._window,
            self.tr("Empty the bin"),
            self.tr("Delete all takes in the bin for good?"),
            self.tr("Also those that are not listed now. What you saved as files stays where it is."),
            self.empty_bin,
        )

    def ask_to_forget(self) -> None:
        """Ask, and delete every take."""
        ask(
            self._window,
            self.tr("Forget all takes"),
            self.tr("Forget all takes?"),
            self.tr(
                "They are deleted for good, also those of earlier starts and those in the bin. "
                "What you saved as files stays where it is."
            ),
            self.forget,
        )

    def empty_bin(self) -> None:
        """Delete what is in the bin for good."""
        self._panel.unselect()
        self._panel.forget_moves()
        self._autosave.empty_bin()

    def forget(self) -> None:
        """Delete every take for good but those that are being made."""
        self._panel.unselect()
        self._panel.forget_moves()
        self._store.forget()
        self._autosave.forget()

    def _page_shown(self, view: View, uids: list[str], more: bool) -> None:
        self._panel.show_page(view.query, view.binned, uids, more)

    def _once(self, kind: str, message: str, details: str) -> None:
        if kind not in self._told:  # once is enough: it would be said again after every take
            self._told.add(kind)
            self._notice.show_notice(message, details)

    def _not_kept(self, reason: str) -> None:
        message = self.tr("Takes cannot be kept for the next start in {folder}. Save those that you need as files.")
        self._once("write", message.format(folder=self._autosave.folder), reason)

    def _not_lasting(self, reason: str) -> None:
        self._once(
            "lasting",
            self.tr(
                "Takes made from a person's voice are encrypted, and here their key only lasts until the program ends. "
                "Save those that you need as files."
            ),
            reason,
        )

    def _not_read(self, reason: str) -> None:
        message = self.tr("Takes of an earlier start cannot be read from {folder}.")
        self._notice.show_notice(message.format(folder=self._autosave.folder), reason)

    def _not_changed(self, reason: str) -> None:
        self._notice.show_notice(self.tr("This could not be saved. The take is as it was before."), reason)

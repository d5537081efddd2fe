"""Keeps every take that has ended in the library and brings takes back from it, all off the window's thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThreadPool, Signal, SignalInstance, Slot

from app.core.library import Library
from app.core.store import default_data_folder, errors
from app.core.take_codec import StoredSound
from app.core.take_import import FOLDER, import_folders
from app.core.take_store import Page, TakeError
from app.core.takes import Take, TakeStore

if TYPE_CHECKING:
    from app.core.take_changes import TakeChanges, TakeWatcher

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class View:
    """What the list shows: the takes that hold every word of ``query``, in the bin or outside it."""

    query: str = ""
    binned: bool = False


class Autosave(QObject):
    """Does one thing after the other in a thread of its own, in the order in which it was asked.

    What a person does to a take shows at once and is undone here when it could not be saved.
    """

    restored = Signal()  # the newest takes of earlier starts are in the list
    page_shown = Signal(object, object, bool)  # View, uids of the page, whether there are more
    not_lasting = Signal(str)  # why takes of persons cannot be read after the program has ended
    write_failed = Signal(str)  # why takes cannot be kept
    read_failed = Signal(str)  # why kept takes cannot be read
    change_failed = Signal(str)  # why a mark, a move or a deletion did not happen
    choice_kept = Signal(object, object)  # Take that was chosen, Takes that were offered
    done = Signal()  # one thing that was asked, whichever way it went

    _found = Signal(int, object, bool)  # ticket of the view, Page, whether this is the start
    _read = Signal(object, object)  # Take, StoredSound
    _kept = Signal(object)  # Take
    _gone = Signal(object)  # uids
    _differs = Signal(int, object)  # how many changes were made here before, TakeChanges
    _move_back = Signal(object, bool)  # Takes, whether they are in the bin

    def __init__(self, library: Library, store: TakeStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._store = store
        self._asked: set[str] = set()
        self._view, self._ticket = View(), 0
        self._after: int | None = None
        self._closing = threading.Event()
        self._pool = QThreadPool()
        self._pool.setMaxThreadCount(1)
        self._found.connect(self._show_page)
        self._read.connect(self._fill)
        self._kept.connect(self._acknowledge)
        self._move_back.connect(self._moved)
        self._gone.connect(self._let_go)
        self._differs.connect(self._take_over)
        self._changes = 0
        self._watcher: TakeWatcher | None = None
        store.on_changed(self._take_changed)

    @property
    def library(self) -> Library:
        """Where the takes, and all else, are kept."""
        return self._library

    @property
    def folder(self) -> str:
        """Where the takes are kept."""
        return str(self._library.folder or default_data_folder())

    # Reading ---------------------------------------------------------------------------------------------------------

    def restore(self) -> None:
        """Put the newest takes of earlier starts into the list; ``restored`` tells when."""
        self._begin(self._import, self.read_failed)
        self._ask(View(), first=True)

    def look(self, view: View) -> None:
        """Bring the first page of a view; ``page_shown`` tells what is in it."""
        self._ask(view)

    def more(self) -> None:
        """Bring the next page of the view, if there is one."""
        if self._after is not None:
            after, self._after = self._after, None
            self._begin(partial(self._find, self._ticket, self._view, after, False), self.read_failed)

    def bring(self, take: Take) -> None:
        """Read the sound of a restored take; the store tells when it is there."""
        self._begin(partial(self._read_sound, take), self.read_failed)

    def sync(self) -> None:
        """Take over what other windows and commands did to takes meanwhile."""
        known = [take.uid for take in self._store.takes if take.kept]
        self._begin(partial(self._compare, self._changes, known), self.read_failed)

    # Changing --------------------------------------------------------------------------------------------------------

    def move(self, takes: Sequence[Take], *, to_bin: bool) -> None:
        """Put takes into the bin or take them out of it."""
        self._changes += 1
        self._moved(takes, to_bin)

        def work() -> None:
            library, uids = self._library.takes, [take.uid for take in takes]
            try:
                library.move_to_bin(uids) if to_bin else library.restore(uids)
            except errors.StoreError:
                self._move_back.emit(takes, not to_bin)
                raise

        self._begin(work, self.change_failed)

    def mark(
        self, take: Take, *, rating: int | None = None, favourite: bool | None = None, note: str | None = None
    ) -> None:
        """Save what a person thinks of a take, as a new version."""
        self._changes += 1

        def work() -> None:
            take.marks = self._library.takes.mark(take.uid, rating=rating, favourite=favourite, note=note)
            self._kept.emit(take)

        self._begin(work, self.change_failed)

    def choose(self, offered: Sequence[Take], chosen: Take, *, blind: bool) -> None:
        """Keep which of several takes was chosen; ``choice_kept`` tells when that is done."""
        self._changes += 1

        def work() -> None:
            self._library.comparisons.add([take.uid for take in offered], chosen.uid, blind=blind)
            self.choice_kept.emit(chosen, tuple(offered))

        self._begin(work, self.change_failed)

    def empty_bin(self) -> None:
        """Delete for good what is in the bin."""
        self._begin(lambda: self._library.takes.empty_bin(), self.change_failed)
        for take in self._store.takes:
            if take.binned:
                self._store.remove(take)

    def forget(self) -> None:
        """Delete all that is kept for good, also what is still waiting to be written."""
        self._ticket += 1  # a page that is on its way here holds what is deleted
        self._after = None
        self._begin(lambda: self._library.takes.delete_all(), self.change_failed)

    def close(self, wait_seconds: float) -> bool:
        """Give up reading, finish writing; False when that took longer."""
        self._closing.set()
        return self._pool.waitForDone(int(wait_seconds * 1000))

    # In the thread ---------------------------------------------------------------------------------------------------

    def _begin(self, work: Callable[[], object], failed: SignalInstance) -> None:
        def run() -> None:
            try:
                work()
            except (errors.StoreError, TakeError, OSError, ValueError) as error:
                log.warning("The kept takes: %s", type(error).__name__)
                failed.emit(str(error))
            self.done.emit()

        self._pool.start(run)

    def _import(self) -> None:
        # Whoever deletes takes, such as the deletion of their voice, takes them out of the list as well.
        self._library.takes.on_deleted(self._gone.emit)
        store = self._library.store
        import_folders(store.folder / FOLDER, self._library.takes, self._closing.is_set)

    def _write(self, take: Take) -> None:
        library = self._library
        library.takes.add(take)
        self._kept.emit(take)
        if take.job.voice is not None and not library.store.keys.lasting:
            self.not_lasting.emit(library.store.keys.notice)

    def _find(self, ticket: int, view: View, after: int | None, first: bool) -> None:
        page = Page((), None)
        try:
            if not self._closing.is_set() and ticket == self._ticket:
                page = self._library.takes.page(query=view.query, binned=view.binned, after=after)
        finally:
            self._found.emit(ticket, page, first)

    def _compare(self, changes: int, known: list[str]) -> None:
        if self._closing.is_set():
            return
        from app.core.take_changes import TakeWatcher

        library = self._library
        if self._watcher is None or not self._watcher.is_of(library.store):
            self._watcher = TakeWatcher(library.store, library.takes)
        found = self._watcher.look(known)
        if found is not None:
            self._differs.emit(changes, found)

    def _read_sound(self, take: Take) -> None:
        if not self._closing.is_set():
            self._read.emit(take, self._library.takes.sound(take.uid))

    # In the window's thread ------------------------------------------------------------------------------------------

    def _ask(self, view: View, *, first: bool = False) -> None:
        self._ticket += 1
        self._view, self._after = view, None
        self._begin(partial(self._find, self._ticket, view, None, first), self.read_failed)

    def _take_changed(self, take: Take) -> None:
        if take.is_growing or take.pending or take.restored or take.seconds == 0 or take.uid in self._asked:
            return
        self._asked.add(take.uid)
        self._begin(partial(self._write, take), self.write_failed)

    @Slot(int, object, bool)
    def _show_page(self, ticket: int, page: Page, first: bool) -> None:
        if ticket == self._ticket:
            self._store.restore(page.takes)
            self._after = page.after
            self.page_shown.emit(self._view, [take.uid for take in page.takes], page.after is not None)
        if first:
            self.restored.emit()

    @Slot(object, object)
    def _fill(self, take: Take, sound: StoredSound) -> None:
        if take.is_unread:
            take.fill(sound.samples, sound.latents, sound.result, sound.voice)
            self._store.tell(take)

    @Slot(object)
    def _acknowledge(self, take: Take) -> None:
        take.kept = True
        self._store.tell(take)

    @Slot(object)
    def _let_go(self, uids: Sequence[str]) -> None:
        for uid in uids:
            take = self._store.find(uid)
            if take is not None:
                self._store.remove(take)

    @Slot(int, object)
    def _take_over(self, changes: int, found: TakeChanges) -> None:
        self._let_go(list(found.gone))
        self._store.restore(found.new)
        if changes != self._changes:
            return  # what a person did here meanwhile is newer, and is written after it
        for uid, state in found.known.items():
            take = self._store.find(uid)
            if take is not None and (take.marks, take.binned, take.chosen) != (state.marks, state.binned, state.chosen):
                take.marks, take.binned, take.chosen = state.marks, state.binned, state.chosen
                self._store.tell(take)

    @Slot(object, bool)
    def _moved(self, takes: Sequence[Take], binned: bool) -> None:
        for take in takes:
            take.binned = binned
            self._store.tell(take)

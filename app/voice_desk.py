"""What the window asks of the library of voices, done off its thread: the keyring and the disk may take their time."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QThreadPool, Signal, SignalInstance

from app.core.library import Library

if TYPE_CHECKING:
    import numpy as np

    from app.core.consent.problems import Problem
    from app.core.consent.record import ConsentRecord
    from app.core.messages import VoiceSpec
    from app.core.sensitive import Finding
    from app.core.voice_card import SavedVoice, VoiceCard
    from app.core.voice_making import Word

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Described:
    """A voice with its record in sentences. ``problems`` are the reasons why it cannot be used now."""

    voice: SavedVoice
    lines: tuple[Problem, ...]
    problems: tuple[Problem, ...]
    level: str
    foreign: bool
    record: ConsentRecord | None = None
    more: tuple[Problem, ...] = ()
    """What would raise the level, and what this machine lacks for it."""
    copies: int = 0
    """How many other voices stand on the same consent."""
    take: str = ""
    """The take that shows how the voice speaks, see ``TakeLibrary.sample_of``; or the one that it was kept from."""


@dataclass(frozen=True)
class Design:
    """A designed take that becomes a voice: ``samples`` float32 [n] at ``sample_rate`` Hz."""

    samples: np.ndarray
    sample_rate: int
    description: str
    seed: int
    model: str


class VoiceDesk(QObject):
    """Does one thing after the other in a thread of its own.

    What is saved encrypted waits until the keys can last: ``keys_needed`` asks for a passphrase first (True: the one
    that was chosen; False: a new one), ``unlock``, ``choose`` or ``keep_in_memory`` answer, ``give_up`` forgets it.
    """

    listed = Signal(object, bool)  # voices, whether names are locked
    described = Signal(object)  # Described
    gone = Signal(str)  # id of a voice that is not there any more
    looked_up = Signal(int, object)  # number of the question, Described or None
    sound_ready = Signal(str, object, int)  # voice id, samples float32 [n], Hz
    saved = Signal(object)  # SavedVoice
    imported = Signal(object, object)  # SavedVoice, problems
    exported = Signal(str)  # path
    copied = Signal(object)  # SavedVoice
    changed = Signal()  # the list is another one
    unlocked = Signal()
    failed = Signal(str, object)  # what was asked, the error
    text_admitted = Signal(int, object)  # number of the question, Failure or None
    text_decided = Signal(int, object)  # number of the question, categories
    keys_needed = Signal(bool)
    done = Signal()  # one thing that was asked, whichever way it went

    def __init__(self, library: Library, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._library = library
        self._closing = threading.Event()
        self._waiting: list[tuple[str, Callable[[], None]]] = []
        self._waiting_lock = threading.Lock()
        self._memory_will_do = False
        self.recogniser: Callable[[], Path | None] = lambda: None  # where the chosen model lies
        self._pool = QThreadPool()
        self._pool.setMaxThreadCount(1)

    # Looking ---------------------------------------------------------------------------------------------------------

    def look(self, query: str = "", order: str = "oldest") -> None:
        """List the voices that match, in an order (see ``in_order``); ``listed`` tells."""

        def work() -> None:
            from app.core.voice_card import in_order

            voices = self._library.voices
            self.listed.emit(in_order(voices.search(query), order), voices.has_locked)

        self._begin("list", work)

    def describe(self, voice_id: str) -> None:
        """Put the record of a voice into words; ``described`` tells, or ``gone``."""

        def work() -> None:
            found = self._described(voice_id)
            if found is None:
                self.gone.emit(voice_id)
            else:
                self.described.emit(found)

        self._begin("describe", work)

    def look_up(self, number: int, voice_id: str) -> None:
        """As ``describe``, but ``looked_up`` tells: the answer is to this question, not to an earlier one."""
        self._begin("describe", lambda: self.looked_up.emit(number, self._described(voice_id)))

    def preview(self, voice_id: str) -> None:
        """Decode a sound of a voice to listen to; ``sound_ready`` tells."""

        def work() -> None:
            voices = self._library.voices
            voice = voices.get(voice_id)
            sound = voices.kept_sound(voice_id, voice.parts[0] if voice.parts else "reference")
            self.sound_ready.emit(voice_id, sound.samples, sound.sample_rate)

        self._begin("preview", work)

    def preview_take(self, voice_id: str) -> None:
        """Read the take that shows how a voice speaks; ``sound_ready`` tells."""

        def work() -> None:
            from app.core.take_store import UnknownTakeError

            uid = self._sample_of(self._library.voices.get(voice_id))
            if not uid:
                raise UnknownTakeError("There is no take of this voice (any more). Make one first.")
            take = self._library.takes.filled(uid)
            self.sound_ready.emit(voice_id, take.samples, take.sample_rate)

        self._begin("preview", work)

    # Changing --------------------------------------------------------------------------------------------------------

    def save_files(self, card: VoiceCard, word: Word, files: Mapping[str, Path]) -> None:
        """Save a voice of recordings; ``saved`` tells."""

        def work() -> None:
            from app.core.voice_making import save_files

            self.saved.emit(save_files(self._library.voices, card, word, files))
            self.changed.emit()

        self._begin_lasting("save", work)

    def save_design(self, card: VoiceCard, design: Design) -> None:
        """Keep a designed take as a voice; ``saved`` tells."""

        def work() -> None:
            from app.core.voice_making import save_design

            voice = save_design(
                self._library.voices,
                card,
                design.samples,
                design.sample_rate,
                description=design.description,
                seed=design.seed,
                model=design.model,
            )
            self.saved.emit(voice)
            self.changed.emit()

        self._begin_lasting("save", work)

    def rename(self, voice_id: str, name: str, tags: tuple[str, ...]) -> None:
        """Give a voice another name and other tags."""

        def work() -> None:
            import dataclasses

            card = self._library.voices.get(voice_id).card
            if card is not None:
                self._library.voices.change_card(voice_id, dataclasses.replace(card, name=name, tags=tags))
            self.changed.emit()

        self._begin("rename", work)

    def copy(self, voice_id: str, name: str) -> None:
        """Save a copy of a voice that stands on the same consent; ``copied`` tells."""

        def work() -> None:
            from app.core.voice_copying import copy_voice

            self.copied.emit(copy_voice(self._library.door, voice_id, name))
            self.changed.emit()

        self._begin_lasting("copy", work)

    def delete(self, voice_id: str) -> None:
        """Delete a voice for ever, with all takes made with it."""
        self._change("delete", lambda: self._library.voices.delete(voice_id))

    def export(self, voice_id: str, path: Path, *, personal: bool) -> None:
        """Write a voice to one file; ``exported`` tells."""

        def work() -> None:
            from app.core.voice_bundle import export_voice

            export_voice(self._library.door, voice_id, path, personal=personal, overwrite=True)
            self.exported.emit(str(path))

        self._begin("export", work)

    def take_in(self, path: Path) -> None:
        """Import a voice; ``imported`` tells, also when it is in quarantine."""

        def work() -> None:
            from app.core.voice_bundle import import_voice

            done = import_voice(self._library.voices, path)
            self.imported.emit(done.voice, done.verdict.problems)
            self.changed.emit()

        self._begin_lasting("import", work)

    # Sensitive text --------------------------------------------------------------------------------------------------

    def admit_text(self, number: int, voices: Sequence[VoiceSpec]) -> None:
        """Ask whether the records of ``voices`` cover sensitive text; ``text_admitted`` tells."""

        def work() -> None:
            from app.core.consent.verify import ConsentRefused
            from app.core.door import SENSITIVE
            from app.engine.voices import refusal

            door, failure = self._library.door, None
            try:
                for spec in voices:
                    if spec.voice_id:
                        door.admit(spec.voice_id, SENSITIVE)
                    elif spec.consent is not None and spec.consent.fresh:
                        door.foresee(spec.consent, SENSITIVE)
            except ConsentRefused as error:
                failure = refusal(error)
            self.text_admitted.emit(number, failure)

        self._begin("decide", work)

    def decide_text(self, number: int, findings: Sequence[Finding], reason: str, length: int, voice: str) -> None:
        """Write the decision that a sensitive text may be spoken into the audit log; ``text_decided`` tells."""

        def work() -> None:
            from app.core.sensitive_review import decide

            categories = decide(self._library.audit, findings, reason, length=length, voice=voice)
            self.text_decided.emit(number, categories)

        self._begin_lasting("decide", work, session_will_do=True)

    # Keys ------------------------------------------------------------------------------------------------------------

    def unlock(self, passphrase: str) -> None:
        """Open the keys with the passphrase that was chosen; ``unlocked`` tells, and what waited goes on."""

        def work() -> None:
            self._library.store.keys.unlock(passphrase)
            self._go_on()

        self._begin("unlock", work)

    def choose(self, passphrase: str) -> None:
        """Choose a passphrase for this data folder; what waited goes on."""

        def work() -> None:
            self._library.store.keys.set_passphrase(passphrase)
            self._go_on()

        self._begin("unlock", work)

    def keep_in_memory(self) -> None:
        """Save although it can only be read until the program ends."""
        self._memory_will_do = True
        self._begin("unlock", self._go_on)

    def give_up(self, what: str = "") -> None:
        """Forget what was asked as ``what`` and waits for the keys; or everything, and ``failed`` tells of each."""
        from app.core.store.errors import KeysLockedError

        with self._waiting_lock:
            gone = self._waiting
            self._waiting = [entry for entry in gone if what and entry[0] != what]
        for asked, _ in [] if what else gone:
            self.failed.emit(asked, KeysLockedError("There is no key to encrypt it with."))

    def close(self, seconds: float) -> bool:
        """Begin nothing more and wait for what runs; False when it takes longer."""
        self._closing.set()
        self._pool.clear()
        return bool(self._pool.waitForDone(int(seconds * 1000)))

    def do(self, what: str, work: Callable[[], None], *, lasting: bool = False) -> None:
        """Do ``work`` in this desk's thread, in its turn; ``failed`` tells. ``lasting``: once the keys can last."""
        if lasting:
            self._begin_lasting(what, work)
        else:
            self._begin(what, work)

    # Inside ----------------------------------------------------------------------------------------------------------

    def _described(self, voice_id: str) -> Described | None:
        """What is said of a voice; None if it is not there any more."""
        from app.core.consent.explain import explain_lines
        from app.core.consent.verify import Use
        from app.core.voice_card import VoiceMissingError

        voices = self._library.voices
        try:
            voice = voices.get(voice_id)
        except VoiceMissingError:
            return None
        verdict = voices.verdict(voice_id, Use("generate"))
        readable = "unreadable" not in verdict.codes
        record = voices.record(voice_id) if readable else None
        lines = tuple(explain_lines(record)) if record is not None else ()
        foreign = voices.is_foreign(voice_id)
        more = self._more(record) if record is not None and not voice.shipped else ()
        copies, take = len(voices.copies(voice_id)), self._sample_of(voice)
        return Described(voice, lines, verdict.problems, verdict.level, foreign, record, more, copies, take)

    def _sample_of(self, voice: SavedVoice) -> str:
        takes = self._library.takes
        kept_from = voice.card.from_take if voice.card is not None else ""
        return takes.sample_of(voice.voice_id) or (kept_from if kept_from and takes.has(kept_from) else "")

    def _more(self, record: ConsentRecord) -> tuple[Problem, ...]:
        from app.core.spoken import what_would_raise
        from app.engine.listeners import listeners_in_reach

        return what_would_raise(record, listeners_in_reach(record.statement.lang, self.recogniser()))

    def _change(self, what: str, do: Callable[[], object]) -> None:
        def work() -> None:
            do()
            self.changed.emit()

        self._begin(what, work)

    def _begin_lasting(self, what: str, work: Callable[[], None], *, session_will_do: bool = False) -> None:
        """Begin what saves something encrypted, once that can be read after the program has ended.

        ``session_will_do``: it need not be readable then, but no key may be missing that a passphrase opens.
        """

        def first() -> None:
            keys = self._library.store.keys
            memory_will_do = session_will_do or self._memory_will_do
            if keys.lasting or (memory_will_do and not keys.wants_passphrase):
                work()
                return
            with self._waiting_lock:
                self._waiting.append((what, first))
            self.keys_needed.emit(keys.wants_passphrase)

        self._begin(what, first)

    def _go_on(self) -> None:
        self.unlocked.emit()
        with self._waiting_lock:
            waiting, self._waiting = self._waiting, []
        for what, first in waiting:  # in the order in which it was asked for
            self._begin(what, first)
        self.changed.emit()

    def _begin(self, what: str, work: Callable[[], None]) -> None:
        if not self._closing.is_set():
            self._pool.start(partial(_run, self._closing, what, work, self.failed, self.done))


def _run(
    closing: threading.Event, what: str, work: Callable[[], None], failed: SignalInstance, done: SignalInstance
) -> None:
    if closing.is_set():
        return
    try:
        work()
    except Exception as error:  # everything is told: a thread has nobody else to tell
        log.warning("A voice could not be handled (%s): %s", what, type(error).__name__)
        if not closing.is_set():
            failed.emit(what, error)
    if not closing.is_set():
        done.emit()

"""What the window asks about consents, done off its thread: statements, renewals, and consent from far away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.core.library import Library
from app.engine.ears import Ears
from app.voice_desk import VoiceDesk

if TYPE_CHECKING:
    from datetime import datetime

    import numpy as np

    from app.core.consent.bundle import Answer, ConsentRequest
    from app.core.consent.problems import Problem
    from app.core.consent.record import ConsentRecord, Scope, Statement
    from app.core.renewal import Renewal
    from app.core.voice_card import VoiceCard


@dataclass(frozen=True)
class Drawn:
    """A statement with fresh words for a voice. ``live`` and ``file`` are the levels that a recording can give here.

    ``more`` says what would raise the record, with what this machine lacks for it.
    """

    voice_id: str
    statement: Statement
    level: str
    live: str
    file: str
    more: tuple[Problem, ...]
    kept: str
    """How long the recording is kept: one of ``KEPT_FOR``, or until_expiry."""


@dataclass(frozen=True, eq=False)
class Spoken:
    """A recording of a statement: live samples (float32 [n] at ``sample_rate`` Hz), or a file of before."""

    captured_at: datetime
    samples: np.ndarray | None = None
    sample_rate: int = 0
    path: Path | None = None


@dataclass(frozen=True)
class Asking:
    """A request for consent to somebody far away."""

    operator: str
    scope: Scope
    lang: str
    use: str
    note: str
    months: int
    references: int
    for_guardian: bool


class ConsentDesk(QObject):
    """Uses the thread of ``desk``, so that nothing overtakes; what fails is told by ``desk.failed`` as ``consent``."""

    drawn = Signal(object)  # Drawn
    kept = Signal(object)  # ConsentRecord: the statement is in it
    refused = Signal(object)  # Problem: the recording is not what it should be
    renewed = Signal(object)  # ConsentRecord
    withdrawn = Signal()
    written = Signal(str)  # path of a request or an answer
    request_read = Signal(object)  # ConsentRequest

    def __init__(self, desk: VoiceDesk, library: Library, recogniser: Callable[[], Path | None], ears: Ears) -> None:
        super().__init__(desk)
        self._desk, self._library, self._recogniser, self._ears = desk, library, recogniser, ears

    def draw(self, voice_id: str, lang: str) -> None:
        """Draw a statement with fresh words; ``drawn`` tells. An empty ``lang`` takes the one of the record."""
        folder = self._recogniser()

        def work() -> None:
            from app.core.consent.rules import compute_level
            from app.core.spoken import FILE, LIVE, fresh_statement, reach_of, what_would_raise
            from app.engine.listeners import listeners_in_reach

            voices = self._library.voices
            record = _record(voices.record(voice_id))
            statement = fresh_statement(record, lang, now=voices.now())
            there = listeners_in_reach(statement.lang, folder)
            live, file = (reach_of(record, statement, source, there) for source in (LIVE, FILE))
            more = what_would_raise(record, there)
            kept = record.retention.raw_audio
            self.drawn.emit(Drawn(voice_id, statement, compute_level(record), live, file, more, kept))

        self._desk.do("consent", work)

    def hear(self, voice_id: str, statement: Statement, spoken: Spoken, *, though_unheard: bool = False) -> None:
        """Judge a recording of a statement and keep it; ``kept`` or ``refused`` tells. Loading takes seconds."""
        folder = self._recogniser()

        def work() -> None:
            from app.core.sound_files import keep
            from app.core.spoken import SpokenSound, StatementRefused, add_spoken

            if spoken.path is not None:
                sound = SpokenSound.of_file(spoken.path, spoken.captured_at)
            else:
                assert spoken.samples is not None
                sound = SpokenSound.live(keep(spoken.samples, spoken.sample_rate), spoken.captured_at)
            there = self._ears.listeners(statement.lang, folder)
            try:
                record = add_spoken(
                    self._library.voices, voice_id, statement, sound, there, though_unheard=though_unheard
                )
            except StatementRefused as error:
                self.refused.emit(error.problem)
                return
            self.kept.emit(record)
            self._desk.changed.emit()

        self._desk.do("consent", work, lasting=True)

    def renew(self, voice_id: str, wish: Renewal, documents: Sequence[Path]) -> None:
        """Write down that the person agreed anew; ``renewed`` tells."""

        def work() -> None:
            import dataclasses

            from app.core.renewal import renew_voice
            from app.core.voice_making import read_documents

            complete = dataclasses.replace(wish, documents=read_documents(documents))
            self.renewed.emit(renew_voice(self._library.voices, voice_id, complete))
            self._desk.changed.emit()

        self._desk.do("consent", work, lasting=True)

    def withdraw(self, voice_id: str, channel: str, action: str) -> None:
        """Write down that the person took the consent back: the voice is frozen at once, or deleted (``action``)."""

        def work() -> None:
            self._library.voices.withdraw(voice_id, channel=channel, action=action)
            self.withdrawn.emit()
            self._desk.changed.emit()

        self._desk.do("consent", work)

    def extend(self, voice_id: str, months: int) -> None:
        """Let a consent last longer; ``renewed`` tells."""

        def work() -> None:
            from app.core.renewal import extend_voice

            self.renewed.emit(extend_voice(self._library.voices, voice_id, months))
            self._desk.changed.emit()

        self._desk.do("consent", work, lasting=True)

    # From far away ---------------------------------------------------------------------------------------------------

    def write_request(self, asking: Asking, path: Path) -> None:
        """Write a request for consent to a file; ``written`` tells. The dialog has asked before it overwrites."""

        def work() -> None:
            from app.core.atomic_file import write_atomically
            from app.core.consent.bundle import make_request

            keys = self._library.store.keys
            request = make_request(
                operator=asking.operator,
                scope=asking.scope,
                key=keys.signing_key(),
                key_id=keys.key_id,
                lang=asking.lang,
                use=asking.use,
                for_guardian=asking.for_guardian,
                months=asking.months,
                references_wanted=asking.references,
                note=asking.note,
                now=self._library.voices.now(),
            )
            write_atomically(path, request.to_json())
            self.written.emit(str(path))

        self._desk.do("consent", work, lasting=True)

    def read_request(self, path: Path) -> None:
        """Read a request that somebody sent; ``request_read`` tells."""

        def work() -> None:
            from app.core.consent.bundle import MAX_REQUEST_BYTES, read_request

            with path.open("rb") as file:
                data = file.read(MAX_REQUEST_BYTES + 1)
            self.request_read.emit(read_request(data))

        self._desk.do("consent", work)

    def write_answer(
        self, request: ConsentRequest, answer: Answer, spoken: Spoken, references: Sequence[Path], path: Path
    ) -> None:
        """Write the answer to a request; ``written`` tells. ``answer`` names its recordings in this order."""

        def work() -> None:
            from app.core.consent.bundle import write_answer
            from app.core.sound_files import keep

            recordings: dict[str, bytes | Path] = {
                item.file: file for item, file in zip(answer.references, references, strict=True)
            }
            if spoken.path is not None:
                recordings[answer.statement.file] = spoken.path
            else:
                assert spoken.samples is not None
                recordings[answer.statement.file] = keep(spoken.samples, spoken.sample_rate).to_flac()
            write_answer(path, request, answer, recordings)
            self.written.emit(str(path))

        self._desk.do("consent", work)

    def take_answer(self, card: VoiceCard, path: Path) -> None:
        """Save the voice of somebody who answered a request; ``desk.saved`` tells, or ``refused``."""
        folder = self._recogniser()

        def work() -> None:
            from app.core.spoken import StatementRefused
            from app.core.voice_making import save_answer

            try:
                saved = save_answer(self._library.voices, card, path, lambda lang: self._ears.listeners(lang, folder))
            except StatementRefused as error:
                self.refused.emit(error.problem)
                return
            self._desk.saved.emit(saved)
            self._desk.changed.emit()

        self._desk.do("consent", work, lasting=True)


def _record(record: ConsentRecord | None) -> ConsentRecord:
    if record is None:
        from app.core.voice_card import VoiceError

        raise VoiceError("This voice has no consent record. Delete it and save it anew.")
    return record

"""Between Generate and the queue: sensitive text is spoken only once a person has decided that it may be."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Qt, QThreadPool, Signal
from PySide6.QtWidgets import QWidget

from app.core.messages import Failure, Job
from app.core.sensitive import Finding
from app.core.sensitive_lists import lists_in_force
from app.core.sensitive_review import findings_of
from app.dialogs.sensitive_text import SensitiveTextDialog
from app.voice_desk import VoiceDesk

Then = Callable[[list[Job]], None]


@dataclass(frozen=True)
class _Question:
    number: int
    jobs: tuple[Job, ...]
    findings: tuple[Finding, ...]
    then: Then


class TextReview(QObject):
    """Asks at most one question at a time; a newer one takes the place of the older. One text is asked about once."""

    refused = Signal(object)  # Failure: the record of the voice does not cover such text

    def __init__(self, desk: VoiceDesk, window: QWidget) -> None:
        super().__init__(window)
        self._desk, self._window = desk, window
        self._decided: dict[bytes, frozenset[str]] = {}  # by the hash of the text, until the program ends
        self._number = 0
        self._question: _Question | None = None
        self.dialog: SensitiveTextDialog | None = None
        desk.text_admitted.connect(self._admitted)
        desk.text_decided.connect(self._written)
        desk.failed.connect(self._failed)

    def prepare(self, pool: QThreadPool) -> None:
        """Make the lists ready in another thread, so that the first press of Generate does not wait for them."""
        pool.start(lists_in_force)

    def ask(self, jobs: Sequence[Job], then: Then) -> None:
        """Do ``then`` with the jobs, at once where nothing asks for a decision, and never if a person goes back."""
        self._close()
        known = [replace(job, decided=job.decided | self._decided.get(_key(job.text), frozenset())) for job in jobs]
        found = {one.category: one for job in known for one in findings_of([job.text], job.decided)}
        if not found:
            then(known)
            return
        self._number += 1
        self._question = _Question(self._number, tuple(known), tuple(found.values()), then)
        voices = list(dict.fromkeys(job.voice for job in known if job.voice is not None))
        if voices:
            self._desk.admit_text(self._number, voices)
        else:
            self._show()

    # Inside ----------------------------------------------------------------------------------------------------------

    def _admitted(self, number: int, failure: Failure | None) -> None:
        if self._question is None or number != self._question.number:
            return
        if failure is not None:
            self._question = None
            self.refused.emit(failure)
            return
        self._show()

    def _show(self) -> None:
        assert self._question is not None
        dialog = self.dialog = SensitiveTextDialog(self._question.findings, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)  # a reason stands in it
        dialog.allowed.connect(self._decide)
        dialog.rejected.connect(self._went_back)
        dialog.show()

    def _decide(self, reason: str) -> None:
        question = self._question
        if question is None:
            return
        voices = {job.voice.voice_id for job in question.jobs if job.voice is not None and job.voice.voice_id}
        voice = next(iter(voices)) if len(voices) == 1 else ""
        length = len(question.jobs[0].text)
        self._desk.decide_text(question.number, question.findings, reason, length, voice)

    def _written(self, number: int, categories: frozenset[str]) -> None:
        question = self._question
        if question is None or number != question.number:
            return
        self._question = None
        self._close()
        jobs = [replace(job, decided=job.decided | categories) for job in question.jobs]
        for job in jobs:
            self._decided[_key(job.text)] = job.decided
        question.then(jobs)

    def _failed(self, what: str, error: Exception) -> None:
        if what == "decide" and self.dialog is not None:
            self.dialog.failed(str(error))

    def _went_back(self) -> None:
        self._question = self.dialog = None
        self._desk.give_up("decide")

    def _close(self) -> None:
        dialog, self.dialog, self._question = self.dialog, None, None
        if dialog is not None:
            dialog.rejected.disconnect(self._went_back)
            dialog.close()


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()

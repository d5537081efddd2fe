"""A recording on its way to the model: dropped, opened or recorded, looked at, cut and mended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.audio.recorder import RecordEnd, Recording
from app.core.doctor import MOST_SECONDS
from app.core.sound_edits import Edits
from app.sound_desk import Examined, Failed, SoundDesk
from app.widgets.drop_area import DropArea
from app.widgets.finding_text import finding_text
from app.widgets.problem import Problem
from app.widgets.record_row import RecordRow
from app.widgets.translated import Translated
from app.widgets.trim_bench import TrimBench
from app.widgets.wording import no_input_reason


class SoundField(Translated, QWidget):
    """Holds one recording and what is changed in it. ``exact``: a transcript has to fit it, so it is never cut unasked.

    The file that was given is never touched: what is used is a private copy as soon as anything is changed.
    """

    audio_changed = Signal()  # another recording, or none
    edits_changed = Signal()  # the same one is to be used in another way; ``looked`` follows when it can be
    looked = Signal()  # it was examined, as it is now

    def __init__(self, desk: SoundDesk, *, exact: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk, self._exact = desk, exact
        self._examined: Examined | None = None
        self._edits = Edits()
        self._before: list[Edits] = []
        self._ticket = 0
        self._failed = False
        self._recording_path, self._lost = "", False
        self._gaps = 0
        self.drop = DropArea(desk.looks)
        self.record = RecordRow(desk.recorder, desk.settings)
        self.bench = TrimBench()
        self.note = Problem()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for widget in (self.drop, self.record, self.note, self.bench):
            layout.addWidget(widget)
        self.bench.setVisible(False)
        self.drop.audio_changed.connect(self._audio_changed)
        self.drop.record_requested.connect(self.record.begin)
        self.record.recorded.connect(self._recorded)
        desk.recorder.availability_changed.connect(self.retranslate)
        self.bench.cut_wanted.connect(self._cut)
        self.bench.repair_wanted.connect(self._repair)
        self.bench.reset_wanted.connect(lambda: self._edit(Edits()))
        self.bench.undo_wanted.connect(self.undo)
        self.bench.play_wanted.connect(self._play)
        self.retranslate()

    @property
    def is_there(self) -> bool:
        """Whether there is a recording."""
        return self.drop.path is not None

    @property
    def edits(self) -> Edits:
        """What is changed in the recording."""
        return self._edits

    @property
    def examined(self) -> Examined | None:
        """What is known of it; None until it was looked at."""
        return self._examined

    @property
    def path(self) -> str | None:
        """The file to use; None for none, and while a changed one is being written."""
        examined = self._examined
        if examined is None and self._is_cut_unasked:
            return None
        if self.drop.path is None or self._edits.is_none:
            return self.drop.path
        return examined.path if examined is not None and examined.diagnosis.edits == self._edits else None

    def missing(self) -> str:
        """Why the recording cannot be used; empty when it can, or when there is none."""
        if self.drop.path is None:
            return ""
        if self._failed:
            return self.tr("This recording cannot be read to its end. Choose another file, or export it again.")
        if self.path is None:
            looking = self._examined is None
            return self.tr("The best part is looked for…") if looking else self.tr("The change is being made…")
        error = self._examined.diagnosis.error if self._examined is not None else None
        return finding_text(error) if error is not None else ""

    def show_place(self, seconds: float | None) -> None:
        """Show what is heard, in seconds of what is used; None: nothing is."""
        self.bench.view.show_playhead(None if seconds is None else self._edits.start + seconds)

    def undo(self) -> None:
        """Take the last change back."""
        if self._before:
            self._use(self._before.pop())

    def retranslate(self) -> None:
        """Set all texts."""
        unavailable = self._desk.recorder.unavailable
        self.drop.set_input(no_input_reason(unavailable) if unavailable else "")
        texts = []
        if self._lost:
            texts.append(self.tr("The microphone went away. What was recorded until then is here."))
        if self._gaps:
            texts.append(
                self.tr("The machine was too busy: the recording has %n gap(s). Record again.", "", self._gaps)
            )
        self.note.say(" ".join(texts))

    # Inside ----------------------------------------------------------------------------------------------------------

    def _audio_changed(self) -> None:
        self._examined, self._edits, self._before, self._failed = None, Edits(), [], False
        self._desk.stop_requested.emit(self)
        self.bench.setVisible(False)
        path = self.drop.path
        if path is None or path != self._recording_path:
            self._lost, self._gaps, self._recording_path = False, 0, ""
        self._ticket += 1
        if path is not None:
            self._desk.read(self, path, self._exact, self._answer(self._read))
        self.retranslate()
        self.audio_changed.emit()

    def _recorded(self, recording: Recording) -> None:
        self._ticket += 1

        def kept(answer: str | Failed) -> None:
            if isinstance(answer, str):
                self._recording_path = answer
                self._lost, self._gaps = recording.end is RecordEnd.LOST, recording.overruns
                self.drop.open_file(answer)
            else:
                self.note.say(self.tr("The recording could not be kept: {reason}").format(reason=answer))

        self._desk.keep(self, recording, self._answer(kept))

    def _answer(self, take: Callable[..., None]) -> Callable[..., None]:
        """``take``, for as long as nothing newer was asked for."""
        ticket = self._ticket

        def done(answer: object) -> None:
            if ticket == self._ticket:
                take(answer)

        return done

    @property
    def _is_cut_unasked(self) -> bool:
        return not self._exact and self.drop.seconds > MOST_SECONDS

    def _read(self, answer: Examined | Failed) -> None:
        if not isinstance(answer, Examined):
            self._failed = True
            self.looked.emit()
            return
        self.bench.setVisible(True)
        if not answer.diagnosis.edits.is_none:
            self._edits, self._before = answer.diagnosis.edits, [Edits()]
            self.edits_changed.emit()
        self._show(answer)

    def _cut(self, start: float, end: float) -> None:
        if self._examined is not None:
            self._edit(self._edits.cut(start, end, self._examined.sound.seconds))

    def _repair(self, mended: Edits) -> None:
        """Do what ``mended`` adds to what is shown; another change may be under way meanwhile."""
        if self._examined is not None:
            shown = self._examined.diagnosis.edits
            wanted = {one.name: getattr(mended, one.name) for one in fields(Edits)}
            added = {name: value for name, value in wanted.items() if value != getattr(shown, name)}
            self._edit(replace(self._edits, **added))

    def _edit(self, edits: Edits) -> None:
        if edits == self._edits and self._examined is not None:
            self.bench.show_examined(self._examined, bool(self._before))
        elif edits != self._edits:
            self._before.append(self._edits)
            self._use(edits)

    def _use(self, edits: Edits) -> None:
        if self._examined is None or self.drop.path is None:
            return
        self._edits, self._failed = edits, False
        self._ticket += 1
        self._desk.stop_requested.emit(self)
        sound, path = self._examined.sound, self.drop.path
        self._desk.edit(self, sound, edits, self._exact, path, self._answer(self._edited))
        self.edits_changed.emit()

    def _edited(self, answer: Examined | Failed) -> None:
        if isinstance(answer, Examined):
            self._show(answer)
            return
        assert self._examined is not None
        self._edits = self._examined.diagnosis.edits  # what is there goes on being used
        if self._edits in self._before:
            del self._before[self._before.index(self._edits) :]
        self.edits_changed.emit()
        self._show(self._examined)
        self.note.say(self.tr("The change could not be saved. Free some space on the disk, then try again."))

    def _show(self, examined: Examined) -> None:
        self._examined = examined
        self.retranslate()
        self.bench.show_examined(examined, bool(self._before))
        self.looked.emit()

    def _play(self) -> None:
        if self._examined is not None:
            self._desk.play_requested.emit(self)

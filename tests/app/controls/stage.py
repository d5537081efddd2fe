"""The studio as the rows of the control table use it, and what rows are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit, QMessageBox, QPlainTextEdit

from app.core.messages import Job
from tests.app.conftest import Studio

LONG = 60_000  # milliseconds that something may take on a busy machine
Row = Callable[["Stage"], None]


class Stage(Studio):
    """The real window with a fake engine; ``tmp`` is an empty folder, ``speech`` a recording in it."""

    def __init__(self, studio: Studio, tmp: Path, speech: Path, model_folder: Callable[[str], Path]) -> None:
        vars(self).update(vars(studio))
        self.tmp, self.speech, self.model_folder = tmp, speech, model_folder
        self.takes = self.store

    def wait(self, true: Callable[[], object]) -> None:
        self.qtbot.waitUntil(lambda: bool(true()), timeout=LONG)

    def go(self, panel: str) -> None:
        self.window.rail_button(panel).click()

    def job(self, text: str = "Good evening.") -> Job:
        """Press Generate; what the engine was asked for."""
        self.generate(text)
        return self.fake.jobs[-1]

    def take(self, count: int = 1) -> Any:
        """Fresh takes of one press, kept by the library; the first, which is selected."""
        self.go("design")
        self.compose.takes.setValue(count)
        takes = self.generate()
        listed = self.takes_panel.model.index_of  # a search that was cleared just now is still shown for a moment
        self.wait(lambda: all(take.kept and listed(take).isValid() for take in takes))
        self.compose.takes.setValue(1)
        self.takes_panel.unselect()
        self.takes_panel.select(takes[0])
        return takes[0] if count == 1 else takes

    def recording(self, panel: str) -> Any:
        """Open the recording in a panel and say that it is one's own voice."""
        self.go(panel)
        mode = self.compose.panel
        mode.pick.set_voice(None)
        self.drop(mode.drop, self.speech)
        mode.consent.own.click()
        mode.consent.tick.click()
        if panel == "continue":
            mode.transcript.setPlainText("What is said.")
        return mode

    def answer_file(self, path: str | Path) -> None:
        """Choose a file or a folder in the dialog that is open."""
        (dialog,) = self._file_dialogs()
        dialog.fileSelected.emit(str(path))
        dialog.filesSelected.emit([str(path)])
        dialog.reject()
        self.wait(lambda: not self._file_dialogs())

    def _file_dialogs(self) -> list[QFileDialog]:
        return [one for one in self.window.findChildren(QFileDialog) if one.isVisible()]

    def answer(self, text: str) -> None:
        """Press a button of the question that is open."""
        self.wait(lambda: self.window.findChildren(QMessageBox))
        (question,) = self.window.findChildren(QMessageBox)
        next(button for button in question.buttons() if button.text() == text).click()
        self.wait(lambda: not self.window.findChildren(QMessageBox))


def type_into(field: QLineEdit | QPlainTextEdit, text: str) -> None:
    """Replace what a field says, key by key; lines are pasted."""
    field.selectAll()
    if "\n" in text:
        field.insertPlainText(text)
    elif text:
        QTest.keyClicks(field, text)
    else:
        field.clear()


def asks(act: Callable[[Stage], object], text: str = "Good evening.", **changes: Any) -> Row:
    """The control reaches the model: after ``act`` the next request differs in ``changes`` and in nothing else.

    A name of two parts, ``voice__transcript``, is a part of a part.
    """

    def row(stage: Stage) -> None:
        stage.compose.seed.set_seed(5)
        before = stage.job(text)
        act(stage)
        after = stage.job(text)
        told = {name: _part(after, name) for name in changes}
        assert told == changes
        touched = {"job_id", *(name.split("__")[0] for name in changes)}
        same = [field.name for field in fields(Job) if field.name not in touched]
        assert {name: getattr(after, name) for name in same} == {name: getattr(before, name) for name in same}

    return row


def shows(act: Callable[[Stage], object], seen: Callable[[Stage], object], wanted: object = True) -> Row:
    """The control has the effect that ``seen`` looks at, which is not there before."""

    def row(stage: Stage) -> None:
        assert seen(stage) != wanted, "the effect was there before"
        act(stage)
        stage.wait(lambda: seen(stage) == wanted)

    return row


def unfolds(find: Callable[[Stage], Any]) -> Row:
    """The button of a remark shows its details."""

    def row(stage: Stage) -> None:
        problem = find(stage)
        problem._show("What happened.", "Why it did.")
        assert problem.details.isHidden()
        problem.details_button.click()
        assert not problem.details.isHidden() and problem.details.text() == "Why it did."
        problem.say("")

    return row


def writes(act: Callable[[Stage], object], path: str, right: Callable[[Path], object]) -> Row:
    """The control asks where to, and writes a file there whose content is ``right``."""

    def row(stage: Stage) -> None:
        target = stage.tmp / path
        act(stage)
        stage.answer_file(target)
        stage.wait(target.exists)
        assert right(target)

    return row


def _part(job: Job, name: str) -> Any:
    value: Any = job
    for part in name.split("__"):
        value = getattr(value, part)
    return value

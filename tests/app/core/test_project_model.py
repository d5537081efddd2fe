"""Random use of a project, with undo, restarts, damage and lost saves, against plain values."""

from __future__ import annotations

import copy
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from app.core.project import Project
from app.core.project_parts import PartError

IDS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=3)


class ProjectMachine(RuleBasedStateMachine):
    """``states``: what undo and redo walk along; ``saved``, ``before``: what the disk holds, and held before that."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="voxcpm-project-"))
        self.project = Project.create(self.folder / "p", "start")
        self.states = [self.held()]
        self.at = 0
        self.saved = self.before = self.states[0]

    def teardown(self) -> None:
        self.project.close()
        shutil.rmtree(self.folder)

    def held(self) -> dict:
        return {name: self.project.part(name) for name in ("general", "drafts", "chosen")}

    def expect(self, part: str, key: str, value: object, changed: bool) -> None:
        """One step more, which sets ``key`` or, for an empty draft, takes it out."""
        state = copy.deepcopy(self.states[self.at])
        state[part][key] = value
        if part == "drafts" and not value:
            del state[part][key]
        assert changed == (state != self.states[self.at])
        if changed:
            del self.states[self.at + 1 :]
            self.states.append(state)
            self.at += 1

    @rule(name=st.sampled_from(["start", "two", "电影"]))
    def rename(self, name: str) -> None:
        self.expect("general", "name", name, self.project.rename(name))

    @rule(panel=st.sampled_from(["design", "clone"]), text=st.sampled_from(["", "Hello", "Hello you"]))
    def draft(self, panel: str, text: str) -> None:
        self.project.end_typing()
        self.expect("drafts", f"{panel}.text", text, self.project.write_draft(panel, "text", text))

    @rule(takes=IDS)
    def choose(self, takes: list[str]) -> None:
        if len(set(takes)) < len(takes):
            with pytest.raises(PartError):
                self.project.choose(takes=takes)
        else:
            self.expect("chosen", "takes", takes, self.project.choose(takes=takes))

    @rule()
    def undo(self) -> None:
        assert (self.project.undo() is None) == (self.at == 0)
        self.at = max(0, self.at - 1)

    @rule()
    def redo(self) -> None:
        end = self.at == len(self.states) - 1
        assert (self.project.redo() is None) == end
        self.at += not end

    @rule()
    def save(self) -> None:
        if self.project.save():
            self.before, self.saved = self.saved, self.states[self.at]

    @rule()
    def lose_what_was_not_saved(self) -> None:
        self.reopen(self.saved)
        assert self.project.notes == [] and self.project.is_saved

    @rule(data=st.binary(max_size=30))
    def damage(self, data: bytes) -> None:
        if not (self.folder / "p" / "project.previous.json").exists():
            return
        (self.folder / "p" / "project.json").write_bytes(data)
        self.reopen(self.before)
        assert "damaged" in self.project.notes[0]
        self.project.save()
        self.saved = self.before

    def reopen(self, state: dict) -> None:
        self.project.close()
        self.project = Project.open(self.folder / "p")
        self.states, self.at = [state], 0

    @invariant()
    def holds_what_it_should(self) -> None:
        assert self.held() == self.states[self.at]
        assert (self.project.undo_label is None) == (self.at == 0)
        if self.project.is_saved:
            assert self.saved == self.states[self.at]


ProjectMachine.TestCase.settings = settings(
    max_examples=15, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
TestProject = ProjectMachine.TestCase

"""Undo and redo against a list of whole documents."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from app.core.undo import MISSING, Change, Command, UndoError, UndoStack, apply, difference, look

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["", "a", 1.0]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)
DOCUMENTS = st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3)


def same(one: object, other: object) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return repr(one) == repr(other)


@given(DOCUMENTS, DOCUMENTS)
def test_a_difference_leads_there_and_back(before: dict, after: dict) -> None:
    command = Command("change", tuple(difference(before, after)))
    document = copy.deepcopy(before)
    apply(document, command)
    assert document == after and not list(difference(document, after))
    apply(document, command.inverse())
    assert document == before and not list(difference(document, before))


def test_a_command_is_made_whole_or_not_at_all() -> None:
    document = {"a": 1, "b": 2}
    command = Command("both", (Change(("a",), 1, 5), Change(("b",), 3, 6)))
    with pytest.raises(UndoError, match="b was changed"):
        apply(document, command)
    assert document == {"a": 1, "b": 2}
    for change in (Change(("c", "d"), MISSING, 1), Change(("a", "d"), MISSING, 1), Change(("a",), True, 2)):
        with pytest.raises(UndoError):
            apply(document, Command("x", (change,)))
    assert look(document, ("a", "x")) is MISSING


def typed(stack: UndoStack, document: dict, text: str, merge: str = "text") -> None:
    command = Command("Type", tuple(difference(document, document | {"text": text})), merge)
    apply(document, command)
    stack.push(command)


def test_typing_is_one_step_until_a_pause_or_something_else() -> None:
    now = [0.0]
    stack, document = UndoStack(clock=lambda: now[0]), {"text": ""}
    for text in ("H", "He", "Hel"):
        typed(stack, document, text)
        now[0] += 1.5
    assert len(stack) == 1
    now[0] += 3
    typed(stack, document, "Hell")
    assert len(stack) == 2
    stack.end_merging()
    typed(stack, document, "Hello")
    assert len(stack) == 3
    typed(stack, document, "Hello!", merge="other")
    assert len(stack) == 4
    typed(stack, document, "Hello", merge="other")  # and taken away again
    assert len(stack) == 3
    texts = []
    while stack.undo(document):
        texts.append(document["text"])
    assert texts == ["Hell", "Hel", ""] and stack.undo_label is None and stack.redo_label == "Type"
    typed(stack, document, "New")
    assert stack.redo(document) is None and len(stack) == 1


def test_what_was_handed_over_later_changes_nothing() -> None:
    stack, document, value = UndoStack(), {}, ["a"]
    command = Command("x", tuple(difference(document, {"list": value})))
    apply(document, command)
    stack.push(command)
    document["list"].append("b")
    with pytest.raises(UndoError):
        stack.undo(document)
    assert len(stack) == 1
    document["list"].pop()
    assert stack.undo(document) is not None and document == {}
    assert stack.redo(document) is not None and document == {"list": ["a"]}


class UndoMachine(RuleBasedStateMachine):
    """``states``: the documents that undo and redo walk along; ``at``: where."""

    MOST = 7

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.stack = UndoStack(self.MOST, 1.0, lambda: self.now)
        self.document: dict = {}
        self.states: list[dict] = [{}]
        self.at = 0
        self.last: tuple[str, tuple] | None = None  # merge and places of the step that may still grow

    @rule(after=DOCUMENTS, merge=st.sampled_from(["", "", "text", "name"]), pause=st.sampled_from([0.0, 0.5, 2.0]))
    def change(self, after: dict, merge: str, pause: float) -> None:
        self.now += pause
        changes = tuple(difference(self.document, after))
        command = Command("change", changes, merge)
        apply(self.document, command)
        self.stack.push(command)
        if not changes:
            return
        del self.states[self.at + 1 :]
        grows = self.last == (merge, tuple(change.path for change in changes)) and merge and pause <= 1.0
        if grows:
            self.states.pop()
        self.last = (merge, tuple(change.path for change in changes))
        if grows and same(self.states[-1], after):
            self.last = None
        elif grows:
            # places that are as they were before are no longer part of the step
            places = tuple(path for path in self.last[1] if not same(look(self.states[-1], path), look(after, path)))
            self.last = (merge, places)
        if not same(self.states[-1], after):
            self.states.append(copy.deepcopy(after))
        del self.states[: -self.MOST - 1]
        self.at = len(self.states) - 1

    @rule()
    def undo(self) -> None:
        assert (self.stack.undo(self.document) is None) == (self.at == 0)
        if self.at:
            self.at, self.last = self.at - 1, None

    @rule()
    def redo(self) -> None:
        end = self.at == len(self.states) - 1
        assert (self.stack.redo(self.document) is None) == end
        if not end:
            self.at, self.last = self.at + 1, None

    @rule()
    def leave_the_field(self) -> None:
        self.stack.end_merging()
        self.last = None

    @invariant()
    def is_where_it_should_be(self) -> None:
        assert same(self.document, self.states[self.at]) and len(self.stack) == self.at


TestUndo = UndoMachine.TestCase

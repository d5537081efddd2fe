"""Random use of the audit log, with restarts, locked keys and undone changes, against a plain list."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from app.core.audit import AuditLog
from app.core.audit_chain import Head, check_export
from app.core.audit_events import AuditFactError
from app.core.store import Store, errors
from app.core.store.master import ScryptCost

VOICES = st.sampled_from([str(uuid.UUID(int=number)) for number in range(3)])
REASONS = st.sampled_from(["asked for", "nach Anruf", "他要求的", "x" * 2000])
AUTOMATIC = {"log_started", "signing_resumed", "log_exported"}


class AuditMachine(RuleBasedStateMachine):
    """``made``: (event, facts without the reason, reason) of what lasts; ``heads``: those of exports."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="voxcpm-audit-"))
        self.made: list[tuple[str, dict[str, Any], str | None]] = []
        self.heads: list[Head] = []
        self.signed = True

    @initialize()
    def begin(self) -> None:
        self.open(locked=False)

    def open(self, *, locked: bool) -> None:
        self.locked = locked
        passphrase = None if locked else "four words make sense"
        self.store = Store.open(
            self.folder / "data", passphrase=passphrase, find_keyring=lambda: None, cost=ScryptCost(n=1 << 4)
        )
        if not locked:
            self.store.keys.signing_key()  # the first start has the keys
        self.log = AuditLog(self.store.database, self.store.keys)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
        shutil.rmtree(self.folder)

    def write(self, event: str, facts: dict[str, Any], reason: str = "") -> None:
        self.log.append(event, facts, reason=reason)
        self.made.append((event, facts, reason or None))
        self.signed = not self.locked

    @rule(locked=st.sampled_from([False, False, True]))
    def restart(self, locked: bool) -> None:
        self.store.close()
        self.open(locked=locked)

    @rule(voice=VOICES, version=st.integers(1, 5))
    def add_record(self, voice: str, version: int) -> None:
        self.write("record_added", {"voice": voice, "record": voice, "version": version, "record_hash": "0" * 64})

    @rule(voice=VOICES, reason=REASONS)
    def freeze(self, voice: str, reason: str) -> None:
        if self.locked:
            with pytest.raises(errors.KeysLockedError):
                self.log.append("voice_frozen", {"voice": voice}, reason=reason)
        else:
            self.write("voice_frozen", {"voice": voice}, reason)

    @rule(voice=VOICES)
    def undone(self, voice: str) -> None:
        with pytest.raises(RuntimeError), self.store.database.write():
            self.log.append("voice_deleted", {"voice": voice})
            raise RuntimeError

    @rule(voice=VOICES, text=st.sampled_from(["Anna", "", "0" * 63, "L4", "hello world"]))
    def refused(self, voice: str, text: str) -> None:
        for facts in ({"voice": text, "blob": voice}, {"voice": voice, "blob": text}, {"voice": voice, text: 1}):
            with pytest.raises(AuditFactError):
                self.log.append("voice_decrypted", facts)

    @precondition(lambda self: self.made)
    @rule(data=st.data())
    def forget(self, data: st.DataObject) -> None:
        number = data.draw(st.integers(0, min(len(self.made) - 1, 200)))
        entry = self.own()[number]
        self.log.forget_reason(entry)
        self.made[number] = (*self.made[number][:2], None)

    @rule()
    def export(self) -> None:
        path = self.folder / "log.jsonl"
        if self.locked:
            with pytest.raises(errors.KeysLockedError):
                self.log.export(path, overwrite=True)
            return
        report = self.log.export(path, overwrite=True)
        self.signed = True
        assert report.state == "intact"
        for head in self.heads[-3:]:
            assert check_export(path, head).state == "intact"
            assert check_export(path, Head(head.seq, "1" * 64)).first_broken == head.seq
        self.heads.append(report.head)

    def own(self) -> list:
        return [entry for entry in self.log.entries() if entry.event not in AUTOMATIC]

    @invariant()
    def is_what_was_written(self) -> None:
        if not hasattr(self, "store"):
            return
        report = self.log.verify(self.heads[-1] if self.heads else None)
        assert report.notes == () or report.state == "unsigned"
        if report.entries == 0:
            assert report.state == "empty" and not self.made
            return
        assert report.state == ("intact" if self.signed else "unsigned")
        entries = self.own()
        assert len(entries) == len(self.made)
        for entry, (event, facts, reason) in zip(entries[-5:], self.made[-5:], strict=True):
            assert entry.event == event
            assert {name: value for name, value in entry.facts.items() if name != "reason"} == facts
            if not self.locked:
                assert self.log.reason(entry) == reason


AuditMachine.TestCase.settings = settings(
    max_examples=6, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
TestAudit = AuditMachine.TestCase

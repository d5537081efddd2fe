"""Entries are written to the audit log, some in one transaction with something else."""

from __future__ import annotations

import itertools
import random
import uuid
from pathlib import Path

from app.core.audit import AuditLog
from tests.kill.scenario import Journal, Say
from tests.kill.scenarios.files_and_keys import opened

_PASSPHRASE = "four words make sense"


class AuditScenario:
    """Step n writes an entry with the number n, and says the number of the entry."""

    name = "audit"

    def prepare(self, folder: Path) -> None:
        """Nothing: each child goes on with the log that is there."""

    def act(self, folder: Path, rng: random.Random, say: Say) -> None:
        """Write without end."""
        with opened(folder, _PASSPHRASE) as store:
            log = AuditLog(store.database, store.keys)
            voice = str(uuid.UUID(int=rng.getrandbits(128)))
            for number in itertools.count():
                say.begin({"number": number})
                with store.database.write():
                    reason = "asked for" if number % 3 == 0 else ""
                    entry = log.append("voice_deleted", {"voice": voice, "takes": number}, reason=reason)
                say.done({"seq": entry.seq, "hash": entry.hash})

    def check(self, folder: Path, journal: Journal) -> list[str]:
        """The log is intact to its signed end, and holds what was acknowledged."""
        if not journal.done:
            return []
        with opened(folder, _PASSPHRASE) as store:
            log = AuditLog(store.database, store.keys)
            report = log.verify()
            found = [] if report.state == "intact" else [f"the log is {report.state}: {report.problem}"]
            there = {entry.seq: entry.hash for entry in log.entries()}
            found += [
                f"entry {step['seq']} is missing" for step in journal.done if there.get(step["seq"]) != step["hash"]
            ]
            if report.entries > journal.done[-1]["seq"] + 1:
                found.append("there are entries that nobody wrote")
        return found

"""The audit log of a data folder: append-only, hash-chained, with a signed end; ids, hashes, numbers and words only."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sqlite3
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from app.core import audit_chain, audit_events
from app.core.atomic_file import create_private, sync_names
from app.core.audit_chain import AuditBrokenError, AuditEntry, AuditFileError, AuditReport, Followed, Head
from app.core.audit_events import LONGEST_REASON, AuditFactError, Fact, commitment
from app.core.store import errors, sealing
from app.core.store.database import Database
from app.core.store.keys import Keys

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

log = logging.getLogger(__name__)

_STARTED = "audit_log"  # in store_facts: that a log was begun, so that its loss as a whole is seen
_REASONS_KEY = "audit reasons"
_SALT_BYTES = 16
_BATCH = 500
_NOT_SIGNED = "The end of the log is not signed, since the keys were locked. Unlock them; the next entry signs it."
_OTHER_KEY = "The end was signed with another key than the one of this data folder. If it never changed, be suspicious."


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class _End:
    """What the next entry follows; ``key_id``: which key signed it, None for none."""

    head: Head
    key_id: str | None


class AuditLog:
    """The log in ``database``. An entry made inside ``database.write`` lasts exactly when that does.

    The end is signed with the signing key of ``keys``. With locked keys entries are written all the same, and the
    end stays unsigned until the next one with keys at hand. ``now`` gives the time that entries carry.
    """

    def __init__(self, database: Database, keys: Keys, now: Callable[[], datetime] = _now) -> None:
        self._database = database
        self._keys = keys
        self._now = now

    def append(self, event: str, facts: Mapping[str, object] | None = None, *, reason: str = "") -> AuditEntry:
        """Write one entry. ``reason``: what a person gave, up to 2,000 characters; the entry holds its commitment.

        Raises:
            AuditFactError: an unknown event, or a fact that is not an id, hash, number or word of the list.
            KeysLockedError: a reason cannot be kept while the keys are locked.
            StoreError: nothing was written.
        """
        facts = dict(facts or {})
        if "reason" in facts:
            raise AuditFactError("Give the reason as a text of its own; the log makes its hash.")
        kept = self._seal_reason(reason) if reason else None
        checked = audit_events.check(event, facts if kept is None else facts | {"reason": kept[0]})
        with self._database.write() as connection:
            if kept is not None:
                connection.execute("INSERT INTO audit_reasons VALUES (?, ?)", kept)
            end = self._end(connection)
            if end.head.seq == 0:
                log_id = str(uuid.uuid4())
                connection.execute("INSERT INTO store_facts VALUES (?, ?)", (_STARTED, log_id))
                end = self._insert(connection, end, "log_started", {"log": log_id})[1]
            return self._insert(connection, end, event, checked)[0]

    def hear(self, event: str, facts: Mapping[str, object]) -> AuditEntry:
        """Take what an export tells: as ``append``, with the marks as one mapping and the reason as a text."""
        plain = dict(facts)
        marks, reason = plain.pop("marks", {}), plain.pop("reason", "")
        if not isinstance(marks, Mapping) or not isinstance(reason, str):
            raise AuditFactError("Marks are told as a mapping, a reason as a text.")
        return self.append(event, plain | {f"mark_{name}": fate for name, fate in marks.items()}, reason=reason)

    def entries(self, after: int = 0) -> Iterator[AuditEntry]:
        """Yield the entries with a number above ``after`` as they are, unchecked; what cannot be read is left out."""
        while True:
            with self._database.read() as connection:
                rows = connection.execute(
                    "SELECT seq, entry FROM audit_entries WHERE seq > ? ORDER BY seq LIMIT ?", (after, _BATCH)
                ).fetchall()
            if not rows:
                return
            for seq, data in rows:
                after = seq
                with contextlib.suppress(ValueError):
                    yield audit_chain.decode(_bytes(data))

    def reason(self, entry: AuditEntry) -> str | None:
        """Return the reason of an entry; None when it has none, or its text was forgotten.

        Raises:
            KeysLockedError: the keys are not at hand.
            DamagedError: the text that is kept is not the one of the entry.
        """
        return self.kept_reason(str(entry.facts.get("reason") or ""), entry.seq)

    def kept_reason(self, promised: str, seq: int = 0) -> str | None:
        """Return the text behind a commitment, which entry ``seq`` (0: some entry) holds. Raises as ``reason``."""
        with self._database.read() as connection:
            row = connection.execute("SELECT sealed FROM audit_reasons WHERE commitment = ?", (promised,)).fetchone()
        if row is None:
            return None
        try:
            opened = sealing.unwrap(self._reasons_key(), row[0], f"audit reason {promised}")
            salt, text = opened[:_SALT_BYTES], opened[_SALT_BYTES:].decode("utf-8")
            if commitment(salt, text) == promised:
                return text
        except (sealing.SealBrokenError, ValueError):
            log.warning("The reason of entry %d of the audit log cannot be opened", seq)
        where = f"in entry {seq}" if seq else "of a complaint"
        raise errors.DamagedError(f"The text of the reason {where} was changed, or saved under a key that is gone.")

    def forget_reason(self, entry: AuditEntry) -> None:
        """Delete the text of a reason; the entry and the chain stay as they are."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM audit_reasons WHERE commitment = ?", (entry.facts.get("reason"),))

    def verify(self, known: Head | None = None) -> AuditReport:
        """Check every entry, the chain and the signed end. ``known``: the head of an earlier export.

        Raises:
            StoreError: the database cannot be read.
        """
        with self._database.read() as connection:
            head = connection.execute("SELECT seq, hash, key_id, signature FROM audit_head").fetchone()
            rows = connection.execute("SELECT seq, entry, hash FROM audit_entries ORDER BY seq")
            started = connection.execute("SELECT 1 FROM store_facts WHERE name = ?", (_STARTED,)).fetchone()
            followed = Followed(known)
            try:
                entries = audit_chain.walk((row[0], _bytes(row[1]), row[2]) for row in rows)
                followed.follow(entries, None if head is None else _said(head))
                if head is None and (started or followed.head.seq):
                    raise AuditBrokenError(0, "The end of the log is not there; entries may have been cut off.")
                if followed.head.seq and not started:
                    raise AuditBrokenError(0, "What tells that a log was begun is not there; it was taken out.")
            except AuditBrokenError as error:
                return followed.report("broken", error, "" if head is None else str(head["key_id"] or ""))
            if head is None:
                return followed.report("empty", None)
        return self._check_signature(followed, head)

    def export(self, path: Path, *, overwrite: bool = False) -> AuditReport:
        """Write the whole log to ``path`` for somebody else, signed, after an entry that says so; return its check.

        A broken log is exported as it is: its report says where it is broken, as the file's own check will.

        Raises:
            AuditFileError: the file is there already, or the disk does not take it; nothing of it is left.
            KeysLockedError: the keys that sign it are not at hand.
            StoreError: the log cannot be read.
        """
        if path.exists() and not overwrite:
            raise AuditFileError(f"{path} exists and is not overwritten. Choose another name.")
        key = self._keys.signing_key()
        with self._database.read() as connection:
            before = _last(connection)
        self.append("log_exported", {"upto": before.seq})
        part = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
        try:
            with os.fdopen(create_private(part), "wb") as file, self._database.read() as connection:
                file.write(audit_chain.export_header(key, _last(connection), self._time()) + b"\n")
                for (data,) in connection.execute("SELECT entry FROM audit_entries ORDER BY seq"):
                    file.write(_bytes(data) + b"\n")
                file.flush()
                os.fsync(file.fileno())
            report = audit_chain.check_export(part)
            part.replace(path)
            sync_names(path.parent)
        except OSError as error:
            raise AuditFileError(
                f"{path} cannot be written: {error.strerror or error}. Choose another place."
            ) from error
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
        return report

    def _end(self, connection: sqlite3.Connection) -> _End:
        """Return what the next entry follows. It is what the signed end says and not what is there.

        So entries that were cut off, put in or changed at the end leave a break for ever, instead of being covered by
        the next signature.
        """
        last = _last(connection)
        head = connection.execute("SELECT seq, hash, key_id, signature FROM audit_head").fetchone()
        if head is None:
            begun = connection.execute("SELECT 1 FROM store_facts WHERE name = ?", (_STARTED,)).fetchone()
            return _End(Head(max(last.seq, 1)), None) if begun or last.seq else _End(Head(), None)
        said = _said(head)
        if head["signature"] is None:
            return _End(Head(max(last.seq, said.seq), said.hash), None)
        kept = said.hash if self._is_signed(said, head["key_id"], head["signature"]) else audit_chain.NO_HASH
        return _End(Head(max(last.seq, said.seq), kept), head["key_id"])

    def _insert(
        self, connection: sqlite3.Connection, end: _End, event: str, facts: Mapping[str, Fact]
    ) -> tuple[AuditEntry, _End]:
        """Write an entry behind ``end``, and before it, where the signature begins anew there, one that says so."""
        key = self._signing_key()
        key_id = None if key is None else audit_chain.key_id_of(key.public_key().public_bytes_raw())
        if key is not None and end.head.seq and end.key_id != key_id:
            end = _End(end.head, key_id)
            end = self._insert(connection, end, "signing_resumed", {"upto": end.head.seq})[1]
        entry = audit_chain.encode(end.head.seq + 1, self._time(), event, dict(facts), end.head.hash)
        head = Head(entry.seq, entry.hash)
        connection.execute("INSERT INTO audit_entries VALUES (?, ?, ?)", (entry.seq, entry.data, entry.hash))
        signature = None if key is None else audit_chain.sign_head(key, head)
        connection.execute(
            "INSERT OR REPLACE INTO audit_head VALUES (1, ?, ?, ?, ?)", (head.seq, head.hash, key_id, signature)
        )
        return entry, _End(head, key_id)

    def _signing_key(self) -> Ed25519PrivateKey | None:
        try:
            return self._keys.signing_key()
        except errors.KeysError:
            log.warning("The end of the audit log is not signed: the keys are locked")
            return None

    def _is_signed(self, head: Head, key_id: object, signature: object) -> bool:
        public = self._keys.public_key(key_id) if isinstance(key_id, str) else None
        return (
            public is not None and isinstance(signature, bytes) and audit_chain.head_is_signed(public, head, signature)
        )

    def _check_signature(self, followed: Followed, head: sqlite3.Row) -> AuditReport:
        key_id, signature = head["key_id"], head["signature"]
        if key_id is None and signature is None:
            return followed.report("unsigned", None, notes=(_NOT_SIGNED,))
        if not self._is_signed(followed.head, key_id, signature):
            error = AuditBrokenError(0, "The signature of the end is not that of its key; the end was changed.")
            return followed.report("broken", error, str(key_id or ""))
        notes: tuple[str, ...] = ()
        with contextlib.suppress(errors.KeysError):
            if self._keys.lasting and self._keys.key_id != key_id:
                notes = (_OTHER_KEY,)
        return followed.report("intact", None, key_id, notes)

    def _seal_reason(self, reason: str) -> tuple[str, bytes]:
        if len(reason) > LONGEST_REASON:
            raise AuditFactError(f"The reason is longer than {LONGEST_REASON} characters; shorten it.")
        salt = os.urandom(_SALT_BYTES)
        promised = commitment(salt, reason)
        data = salt + reason.encode("utf-8")
        return promised, sealing.wrap(self._reasons_key(), data, f"audit reason {promised}")

    def _reasons_key(self) -> bytes:
        return self._keys.secret(_REASONS_KEY, lambda: os.urandom(sealing.KEY_BYTES))

    def _time(self) -> str:
        return self._now().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _last(connection: sqlite3.Connection) -> Head:
    row = connection.execute("SELECT seq, hash FROM audit_entries ORDER BY seq DESC LIMIT 1").fetchone()
    return Head() if row is None else Head(row[0], str(row[1]))


def _said(row: sqlite3.Row) -> Head:
    """Return the end as its row says it; in a changed log a value of another kind is as good as none."""
    seq, value = row["seq"], row["hash"]
    return Head(seq if isinstance(seq, int) else 0, value if isinstance(value, str) else audit_chain.NO_HASH)


def _bytes(value: object) -> bytes:
    """SQLite keeps any kind of value in any column, and a changed log must be readable too."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")


def as_json(entry: AuditEntry, **more: str | None) -> str:
    """Return an entry as one line of JSON for people and programs, with its hash and what else is given."""
    shown = {"seq": entry.seq, "at": entry.at, "event": entry.event, "facts": entry.facts, "hash": entry.hash}
    return json.dumps({**shown, **more}, ensure_ascii=False)

"""The chain of the audit log and its signed head, without any database: what both the log and a third party check.

An entry is canonical JSON of ``seq`` (1, 2, ...), ``at`` (UTC), ``event``, ``facts``, ``prev`` and ``v``. Its hash is
the SHA-256 of a prefix and those bytes; ``prev`` is the hash of the entry before, so that nothing can be changed, taken
out, put in or moved without a trace. The head (number and hash of the last entry) is signed with Ed25519 (RFC 8032), so
that nothing can be cut off at the end either.

An exported log is a text file: a signed line about the whole, then one line for each entry. It can be checked with this
module alone. What it cannot show is that whoever holds the signing key wrote a whole new log: for that the key id and
an earlier export are needed from somewhere else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from app.core import canonical

VERSION = 1
FORMAT = "voxcpm-audit-1"
NO_HASH = "0" * 64
LONGEST_ENTRY = 1 << 16  # bytes
_ENTRY, _HEAD, _EXPORT = (f"voxcpm audit {what}\0".encode() for what in ("entry", "head", "export"))
_AT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_FIELDS = {"v", "seq", "at", "event", "facts", "prev"}

State = Literal["empty", "intact", "unsigned", "broken"]


class AuditFileError(Exception):
    """A file that is no exported audit log, or cannot be read."""


class AuditBrokenError(Exception):
    """An entry that does not fit into the chain. ``seq`` is its number, 0 for what is about the whole log."""

    def __init__(self, seq: int, problem: str) -> None:
        super().__init__(problem)
        self.seq = seq
        self.problem = problem


@dataclass(frozen=True)
class AuditEntry:
    """One entry. ``at``: UTC with microseconds; order is that of ``seq``. ``hash``: 64 hexadecimal digits."""

    seq: int
    at: str
    event: str
    facts: dict[str, Any]
    prev: str
    hash: str
    data: bytes


@dataclass(frozen=True)
class Head:
    """The last entry of a log, by number (0: none) and hash."""

    seq: int = 0
    hash: str = NO_HASH


@dataclass(frozen=True)
class AuditReport:
    """What a check found.

    ``empty``: nothing was ever logged. ``intact``: every entry and the end are as they were written. ``unsigned``: the
    chain holds, but the end is not signed (the keys were locked), so that entries may be missing there. ``broken``:
    ``first_broken`` is the number of the first entry that does not fit (0: the signature or the file as a whole) and
    ``problem`` says why. ``entries`` counts those that fit before.
    """

    state: State
    entries: int
    head: Head
    first_broken: int | None = None
    problem: str = ""
    key_id: str = ""
    first_at: str = ""
    last_at: str = ""
    notes: tuple[str, ...] = ()


def encode(seq: int, at: str, event: str, facts: dict[str, Any], prev: str) -> AuditEntry:
    """Return a new entry with its bytes and hash."""
    fields = {"v": VERSION, "seq": seq, "at": at, "event": event, "facts": facts, "prev": prev}
    data = canonical.dump(fields)
    return AuditEntry(seq, at, event, facts, prev, hash_of(data), data)


def hash_of(data: bytes) -> str:
    """Return the hash of an entry's bytes."""
    return hashlib.sha256(_ENTRY + data).hexdigest()


def decode(data: bytes) -> AuditEntry:
    """Read an entry's bytes. ValueError when they are none."""
    fields = canonical.load(data, max_bytes=LONGEST_ENTRY)
    if not isinstance(fields, dict) or fields.keys() != _FIELDS:
        raise ValueError("it lacks a field, or has one too many")
    seq, at, event, facts, prev = (fields[name] for name in ("seq", "at", "event", "facts", "prev"))
    right = (
        _is_count(fields["v"]) and _is_count(seq) and isinstance(at, str) and _AT.fullmatch(at)
        and isinstance(event, str) and isinstance(facts, dict) and isinstance(prev, str) and _SHA256.fullmatch(prev)
    )  # fmt: skip
    if not right:
        raise ValueError("a field is not of its kind")
    return AuditEntry(seq, at, event, facts, prev, hash_of(data), data)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def walk(rows: Iterable[tuple[int | None, bytes, str | None]]) -> Iterator[AuditEntry]:
    """Yield the entries of a chain after checking each. ``rows``: (number, bytes, hash), as far as they are kept apart.

    Raises:
        AuditBrokenError: names the first entry that does not fit.
    """
    before = Head()
    for seq, data, kept_hash in rows:
        wanted = before.seq + 1
        try:
            entry = decode(data)
        except ValueError as error:
            raise AuditBrokenError(wanted, f"Entry {wanted} cannot be read: {error}.") from error
        if seq is not None and seq > wanted:
            raise AuditBrokenError(wanted, f"Entry {wanted} is missing; the next one there is {seq}.")
        if entry.seq != wanted or (seq is not None and seq != wanted):
            raise AuditBrokenError(wanted, f"In the place of entry {wanted} stands entry {entry.seq}.")
        if kept_hash is not None and kept_hash != entry.hash:
            raise AuditBrokenError(wanted, f"Entry {wanted} was changed: its hash is another one.")
        if entry.prev != before.hash:
            raise AuditBrokenError(
                wanted, f"Entry {wanted} does not follow from the one before; one of both was changed."
            )
        yield entry
        before = Head(entry.seq, entry.hash)


# -- signatures -----------------------------------------------------------------------------------------------


def key_id_of(public: bytes) -> str:
    """Return the name of a public key (32 bytes): the first 32 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(public).hexdigest()[:32]


def sign_head(key: Ed25519PrivateKey, head: Head) -> bytes:
    """Sign the end of a log; 64 bytes."""
    return key.sign(_head_bytes(head))


def head_is_signed(public: Ed25519PublicKey, head: Head, signature: bytes) -> bool:
    """Whether ``signature`` is that of the key for this end."""
    return _verifies(public, signature, _head_bytes(head))


def _head_bytes(head: Head) -> bytes:
    return _HEAD + canonical.dump({"seq": head.seq, "hash": head.hash})


def _verifies(public: Ed25519PublicKey, signature: bytes, data: bytes) -> bool:
    try:
        public.verify(signature, data)
    except InvalidSignature:
        return False
    return True


# -- the exported file ----------------------------------------------------------------------------------------


def export_header(key: Ed25519PrivateKey, head: Head, exported_at: str) -> bytes:
    """Return the first line of an export, with public key and signature, without the line's end."""
    public = key.public_key().public_bytes_raw()
    fields: dict[str, Any] = {
        "format": FORMAT,
        "exported_at": exported_at,
        "entries": head.seq,
        "head": head.hash,
        "key_id": key_id_of(public),
        "public_key": public.hex(),
    }
    return canonical.dump({**fields, "signature": key.sign(_EXPORT + canonical.dump(fields)).hex()})


@dataclass(frozen=True)
class _Header:
    head: Head
    key_id: str
    signed: bool


def _read_header(line: bytes) -> _Header:
    """Raises ValueError when the line is no header; ``signed`` is False when it was changed."""
    fields = canonical.load(line, max_bytes=LONGEST_ENTRY)
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise ValueError("another format")
    names = {"format": str, "exported_at": str, "entries": int, "head": str, "key_id": str, "public_key": str,
             "signature": str}  # fmt: skip
    if fields.keys() != names.keys() or any(type(fields[name]) is not kind for name, kind in names.items()):
        raise ValueError("its first line lacks a field, or has one too many")
    public, signature = _from_hex(fields["public_key"], 32), _from_hex(fields["signature"], 64)
    content = {name: value for name, value in fields.items() if name != "signature"}
    signed = (
        key_id_of(public) == fields["key_id"]
        and fields["entries"] >= 0
        and _verifies(Ed25519PublicKey.from_public_bytes(public), signature, _EXPORT + canonical.dump(content))
    )
    return _Header(Head(fields["entries"], fields["head"]), fields["key_id"], signed)


def _from_hex(text: str, length: int) -> bytes:
    data = bytes.fromhex(text)
    if len(data) != length or data.hex() != text:
        raise ValueError("a key or signature is not written in the usual way")
    return data


def check_export(path: Path, known: Head | None = None) -> AuditReport:
    """Check an exported log. ``known``: the head of an earlier one, which this one must contain.

    Raises:
        AuditFileError: it cannot be read, or is something else.
    """
    try:
        with path.open("rb") as file:
            return _check_file(path, file, known)
    except OSError as error:
        raise AuditFileError(f"{path} cannot be read: {error.strerror or error}.") from error


def head_of_export(path: Path) -> Head:
    """Return the head of an intact export, to compare a later one with.

    Raises:
        AuditFileError: it is not intact, or no export at all.
    """
    report = check_export(path)
    if report.state != "intact":
        raise AuditFileError(f"{path} is not intact itself, so nothing can be compared with it: {report.problem}")
    return report.head


def _check_file(path: Path, file: BinaryIO, known: Head | None) -> AuditReport:
    lines = _lines(file)
    try:
        header = _read_header(next(lines, b""))
    except ValueError as error:
        raise AuditFileError(
            f"{path} is not an exported audit log, or its first line was changed ({error})."
        ) from error
    followed = Followed(known)
    try:
        if not header.signed:
            raise AuditBrokenError(0, "The signature of the export is not that of its key; the first line was changed.")
        followed.follow(walk((None, line, None) for line in lines), header.head)
    except AuditBrokenError as error:
        return followed.report("broken", error, header.key_id)
    return followed.report("intact", None, header.key_id)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield lines without their ends. One that has none, or is too long, is given so that it will not do."""
    while line := file.readline(LONGEST_ENTRY + 2):
        yield line[:-1] if line.endswith(b"\n") else line + b"?"


class Followed:
    """Follows a chain to its end and remembers what it saw. ``known``: a head that must be passed on the way."""

    def __init__(self, known: Head | None = None) -> None:
        self._known = known
        self._first_at = self._last_at = ""
        self.head = Head()

    def follow(self, entries: Iterator[AuditEntry], end: Head | None) -> None:
        """Go through to the last entry, which must be ``end`` where that is given. Raises AuditBrokenError."""
        for entry in entries:
            if end is not None and entry.seq > end.seq:
                raise AuditBrokenError(entry.seq, f"Entry {entry.seq} was added after the signed end ({end.seq}).")
            self.head = Head(entry.seq, entry.hash)
            self._first_at = self._first_at or entry.at
            self._last_at = entry.at
            if self._known is not None and entry.seq == self._known.seq and entry.hash != self._known.hash:
                raise AuditBrokenError(
                    entry.seq, f"Entry {entry.seq} is not the one that was there at the earlier export."
                )
        if end is not None and self.head.seq < end.seq:
            missing = self.head.seq + 1
            raise AuditBrokenError(missing, f"Entry {missing} is missing: the end, up to entry {end.seq}, was cut off.")
        if end is not None and self.head.hash != end.hash:
            raise AuditBrokenError(
                end.seq, f"Entry {end.seq}, the last one, was changed: the signed end is another one."
            )
        if self._known is not None and self.head.seq < self._known.seq:
            missing = self.head.seq + 1
            raise AuditBrokenError(missing, f"Entry {missing} is missing, which was there at the earlier export.")

    def report(
        self, state: State, error: AuditBrokenError | None, key_id: str = "", notes: tuple[str, ...] = ()
    ) -> AuditReport:
        """Return what was found."""
        return AuditReport(
            state,
            self.head.seq,
            self.head,
            None if error is None else error.seq,
            "" if error is None else error.problem,
            key_id,
            self._first_at,
            self._last_at,
            notes,
        )

"""The audit log: what it takes, what it keeps of reasons, and that every change to it or its export is seen."""

from __future__ import annotations

import random
import re
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core import audit_chain
from app.core.audit import AuditLog
from app.core.audit_chain import AuditFileError, AuditReport, Head, check_export, head_of_export
from app.core.audit_events import CAUSES, EVENTS, FACTS, AuditFactError
from app.core.store import Store, errors
from app.core.store.master import ScryptCost

PASSPHRASE = "four words make sense"
VOICE, RECORD = "3e0a8a3c-5f64-4f0c-9a6e-2f2c2c1b6a10", "9b2d7c11-0c1e-4a55-8f1e-6d5e4c3b2a19"
SHA = "ab" * 32
CHANGES = 200  # the command for long properties makes 1,000


def opened(folder: Path, passphrase: str | None = PASSPHRASE) -> Store:
    return Store.open(folder, passphrase=passphrase, find_keyring=lambda: None, cost=ScryptCost(n=1 << 4))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with opened(tmp_path / "data") as store:
        yield store


@pytest.fixture
def log(store: Store) -> AuditLog:
    return AuditLog(store.database, store.keys)


def fill(log: AuditLog, count: int = 12) -> None:
    for number in range(count):
        log.append("voice_encoded", {"voice": VOICE, "purpose": "generate"})
        log.append("record_added", {"voice": VOICE, "record": RECORD, "version": number, "record_hash": SHA})


def tamper(store: Store, *statements: str, values: tuple = ()) -> None:
    """Change the tables as someone would who does not use this program."""
    connection = sqlite3.connect(store.database.path, isolation_level=None)
    for trigger in ("in_order", "stay", "are_final"):
        connection.execute(f"DROP TRIGGER IF EXISTS audit_entries_{trigger}")
    for statement in statements:
        connection.execute(statement, values)
    connection.close()


def test_entries_follow_each_other_and_are_intact(log: AuditLog) -> None:
    assert log.verify().state == "empty"
    fill(log)
    report = log.verify()
    assert (report.state, report.entries, report.first_broken) == ("intact", 25, None)
    entries = list(log.entries())
    assert [entry.seq for entry in entries] == list(range(1, 26))
    assert entries[0].event == "log_started" and entries[1].facts == {"voice": VOICE, "purpose": "generate"}
    assert [entry.prev for entry in entries[1:]] == [entry.hash for entry in entries[:-1]]
    assert report.head == Head(25, entries[-1].hash) and report.first_at == entries[0].at <= report.last_at
    assert [entry.seq for entry in log.entries(after=20)] == [21, 22, 23, 24, 25]


def test_time_is_utc_and_order_is_not_that_of_the_clock(store: Store) -> None:
    times = iter([datetime(2026, 5, 1, 12, tzinfo=UTC), *[datetime(2026, 5, 1, 9, tzinfo=UTC)] * 9])
    log = AuditLog(store.database, store.keys, now=lambda: next(times))
    log.append("take_deleted", {"take": VOICE})
    log.append("take_deleted", {"take": RECORD})
    assert [entry.at for entry in log.entries()] == ["2026-05-01T12:00:00.000000Z"] + [
        "2026-05-01T09:00:00.000000Z"
    ] * 2
    assert log.verify().state == "intact"


def test_an_entry_lasts_exactly_when_the_change_it_belongs_to_does(store: Store, log: AuditLog) -> None:
    fill(log, 1)
    with pytest.raises(RuntimeError), store.database.write():
        log.append("voice_deleted", {"voice": VOICE}, reason="asked for by letter")
        raise RuntimeError
    assert log.verify().entries == 3
    with store.database.write():
        log.append("voice_deleted", {"voice": VOICE})
    assert log.verify().entries == 4


# -- what it takes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "facts"),
    [
        ("something_else", {}),
        ("voice_encoded", {}),
        ("voice_encoded", {"voice": VOICE, "note": "Anna's voice"}),
        ("voice_encoded", {"voice": VOICE, "sha256": SHA}),
        ("voice_encoded", {"voice": "anna"}),
        ("voice_encoded", {"voice": VOICE.upper()}),
        ("voice_encoded", {"voice": VOICE + "\n"}),
        ("voice_encoded", {"voice": VOICE, "purpose": "to annoy"}),
        ("voice_encoded", {"voice": VOICE, "model": "Anna's model"}),
        ("record_added", {"voice": VOICE, "record": RECORD, "version": "1", "record_hash": SHA}),
        ("record_added", {"voice": VOICE, "record": RECORD, "version": True, "record_hash": SHA}),
        ("record_added", {"voice": VOICE, "record": RECORD, "version": -1, "record_hash": SHA}),
        ("record_added", {"voice": VOICE, "record": RECORD, "version": 1, "record_hash": SHA[:-1]}),
        ("voice_frozen", {"voice": VOICE}),
        ("voice_frozen", {"voice": VOICE, "reason": SHA}),
    ],
)
def test_texts_names_and_unknown_things_are_refused(log: AuditLog, event: str, facts: dict[str, object]) -> None:
    with pytest.raises(AuditFactError) as refusal:
        log.append(event, facts)
    assert "anna" not in str(refusal.value).lower() and log.verify().state == "empty"


@given(st.text(max_size=80))
def test_no_fact_has_room_for_a_text(text: str) -> None:
    words = set().union(*(re.findall(r"[A-Za-z0-9_.]+", kind.says) for kind in FACTS.values()))
    if text in words or re.fullmatch(r"[0-9a-f-]{8,128}|[pe][0-9a-f]{64}", text):
        return
    assert not [name for name, kind in FACTS.items() if kind.accepts(text)]


def test_every_fact_belongs_to_an_event_and_every_code_of_the_consent_is_known() -> None:
    used = {name for event in EVENTS.values() for name in event.must | event.may}
    assert used == set(FACTS)
    folder = Path(audit_chain.__file__).parent / "consent"
    codes = {code for file in folder.glob("*.py") for code in re.findall(r'Problem\(\s*"([a-z_.]+)"', file.read_text())}
    assert codes and codes <= set(CAUSES)


def test_what_an_export_tells_is_taken(log: AuditLog) -> None:
    marks = {"label": "made", "credentials": "impossible", "watermark": "left_out"}
    facts = {"produce_id": str(uuid.uuid4()), "format": "opus", "sha256": SHA, "voice": VOICE, "mode": "reference"}
    log.hear("export", facts | {"marks": marks, "reason": "for a hearing test"})
    entry = list(log.entries())[-1]
    assert entry.facts["mark_credentials"] == "impossible" and log.reason(entry) == "for a hearing test"


# -- reasons --------------------------------------------------------------------------------------------------


def test_a_reason_is_kept_apart_encrypted_and_can_be_forgotten(store: Store, log: AuditLog, tmp_path: Path) -> None:
    text = "Anna Müller rang and asked for it"
    entry = log.append("voice_frozen", {"voice": VOICE}, reason=text)
    again = log.append("voice_frozen", {"voice": VOICE}, reason=text)
    assert entry.facts["reason"] != again.facts["reason"]  # nobody can tell which reasons are equal, or guess one
    assert log.reason(entry) == text
    log.export(tmp_path / "log.jsonl")
    store.database.scrub()
    for path in tmp_path.rglob("*"):
        assert path.is_dir() or "Müller".encode() not in path.read_bytes()
    log.forget_reason(entry)
    assert log.reason(entry) is None and log.reason(again) == text and log.verify().state == "intact"


def test_a_reason_of_another_entry_is_not_passed_off(store: Store, log: AuditLog) -> None:
    one = log.append("voice_frozen", {"voice": VOICE}, reason="one")
    two = log.append("voice_frozen", {"voice": VOICE}, reason="two")
    tamper(store, "UPDATE audit_reasons SET sealed = (SELECT sealed FROM audit_reasons WHERE commitment = ?)"
           " WHERE commitment = ?", values=(two.facts["reason"], one.facts["reason"]))  # fmt: skip
    with pytest.raises(errors.DamagedError):
        log.reason(one)
    with pytest.raises(AuditFactError, match="2000"):
        log.append("voice_frozen", {"voice": VOICE}, reason="x" * 2001)


# -- changes are seen -----------------------------------------------------------------------------------------


def test_the_tables_refuse_changes_by_mistake(store: Store, log: AuditLog) -> None:
    fill(log)
    for statement in ("UPDATE audit_entries SET hash = ''", "DELETE FROM audit_entries WHERE seq = 25",
                      "INSERT INTO audit_entries VALUES (3, x'00', '')"):  # fmt: skip
        with pytest.raises(sqlite3.IntegrityError), store.database.write() as connection:
            connection.execute(statement)
    assert log.verify().state == "intact"


@pytest.mark.parametrize(
    ("statement", "first"),
    [
        ("DELETE FROM audit_entries WHERE seq > 20", 21),
        ("DELETE FROM audit_entries WHERE seq = 7", 7),
        ("DELETE FROM audit_entries WHERE seq = 1", 1),
        ("DELETE FROM audit_entries", 1),
        ("DELETE FROM audit_head", 0),
        ("UPDATE audit_entries SET entry = replace(entry, 'generate', 'export') WHERE seq = 4", 4),
        ("UPDATE audit_entries SET hash = (SELECT hash FROM audit_entries WHERE seq = 8) WHERE seq = 9", 9),
        ("UPDATE audit_entries SET seq = 26 WHERE seq = 12", 12),
        ("UPDATE audit_head SET seq = 24, hash = (SELECT hash FROM audit_entries WHERE seq = 24)", 25),
        ("INSERT INTO audit_entries SELECT 26, entry, hash FROM audit_entries WHERE seq = 25", 26),
        ("DELETE FROM signing_keys", 0),
        ("DELETE FROM store_facts WHERE name = 'audit_log'", 0),
        ("UPDATE audit_entries SET entry = 3.5 WHERE seq = 5", 5),
        ("UPDATE audit_head SET seq = 'x'", 1),
        ("UPDATE audit_head SET hash = x'00'", 25),
        ("UPDATE audit_head SET hash = x'00', key_id = NULL, signature = NULL", 25),
    ],
)
def test_the_first_broken_entry_is_named_and_stays_so(store: Store, log: AuditLog, statement: str, first: int) -> None:
    fill(log)
    tamper(store, statement)
    report = log.verify()
    assert (report.state, report.first_broken) == ("broken", first) and report.problem
    if "signing_keys" not in statement and "store_facts" not in statement:
        log.append("take_deleted", {"take": VOICE})  # a new entry, with a new signature, covers nothing up
        after = log.verify()
        assert after.state == "broken" and after.first_broken is not None


def test_the_end_cannot_be_cut_off_and_signed_with_an_older_entry(store: Store, log: AuditLog) -> None:
    fill(log)
    entry = list(log.entries())[19]
    tamper(store, "DELETE FROM audit_entries WHERE seq > 20",
           f"UPDATE audit_head SET seq = 20, hash = '{entry.hash}'")  # fmt: skip
    assert log.verify().state == "broken"
    log.append("take_deleted", {"take": VOICE})
    assert log.verify().first_broken == 21


def test_a_whole_new_log_is_seen_by_an_earlier_export(store: Store, log: AuditLog, tmp_path: Path) -> None:
    fill(log, 3)
    log.export(tmp_path / "before.jsonl")
    known = head_of_export(tmp_path / "before.jsonl")
    fill(log, 3)
    assert log.verify(known).state == "intact"
    tamper(store, "DELETE FROM audit_entries", "DELETE FROM audit_head",
           "DELETE FROM store_facts WHERE name = 'audit_log'")  # fmt: skip
    fill(log, 9)
    assert log.verify().state == "intact" and log.verify(known).first_broken == known.seq
    log.export(tmp_path / "after.jsonl")
    assert check_export(tmp_path / "after.jsonl").state == "intact"
    assert check_export(tmp_path / "after.jsonl", known).state == "broken"
    tamper(store, "DELETE FROM audit_entries", "DELETE FROM audit_head",
           "DELETE FROM store_facts WHERE name = 'audit_log'")  # fmt: skip
    fill(log, 1)
    assert "earlier export" in log.verify(known).problem


def flips(seed: int, count: int, sizes: list[int]) -> Iterator[tuple[int, Callable[[bytes], bytes]]]:
    """Random one-byte changes: (which of the things, what to do with it), each byte of all as likely."""
    source = random.Random(seed)
    for _ in range(count):
        which = source.choices(range(len(sizes)), sizes)[0]
        place, change = source.randrange(sizes[which]), source.randrange(1, 256)
        yield (
            which,
            lambda data, place=place, change=change: data[:place] + bytes([data[place] ^ change]) + data[place + 1 :],
        )


def test_every_one_byte_change_to_the_log_is_seen(tmp_path: Path) -> None:
    change_the_log(tmp_path, CHANGES)


def change_the_log(folder: Path, count: int) -> None:
    with opened(folder / "data") as store:
        _change_the_log(store, AuditLog(store.database, store.keys), count)


def _change_the_log(store: Store, log: AuditLog, count: int) -> None:
    fill(log, 6)
    tamper(store)  # without the triggers
    connection = sqlite3.connect(store.database.path, isolation_level=None)
    columns = [("audit_entries", "entry", seq) for seq in range(1, 14)]
    columns += [("audit_entries", "hash", seq) for seq in range(1, 14)]
    columns += [("audit_head", name, None) for name in ("hash", "key_id", "signature")]

    def read(table: str, column: str, seq: int | None) -> bytes | str:
        where = "" if seq is None else f" WHERE seq = {seq}"
        return connection.execute(f"SELECT {column} FROM {table}{where}").fetchone()[0]

    def write(table: str, column: str, seq: int | None, value: bytes | str) -> None:
        connection.execute(
            f"UPDATE {table} SET {column} = ?" + ("" if seq is None else f" WHERE seq = {seq}"), (value,)
        )

    kept = [read(*column) for column in columns]
    for which, change in flips(1, count, [len(value) for value in kept]):
        value = kept[which]
        changed = change(value) if isinstance(value, bytes) else change(value.encode()).decode("latin-1")
        write(*columns[which], changed)
        report = log.verify()
        assert report.state == "broken", columns[which]
        seq = columns[which][2]
        assert seq is None or report.first_broken == seq
        write(*columns[which], value)
    for seq in range(1, 14):
        for other in (seq + 100, 50 + seq // 2):
            connection.execute("UPDATE audit_entries SET seq = ? WHERE seq = ?", (other, seq))
            assert log.verify().state == "broken"
            connection.execute("UPDATE audit_entries SET seq = ? WHERE seq = ?", (seq, other))
    assert log.verify().state == "intact"
    connection.close()


def finding(path: Path) -> AuditReport | None:
    try:
        return check_export(path)
    except AuditFileError:
        return None


def test_every_one_byte_change_to_an_export_is_seen(tmp_path: Path) -> None:
    change_the_export(tmp_path, CHANGES)


def change_the_export(folder: Path, count: int) -> None:
    path = folder / "log.jsonl"
    with opened(folder / "data") as store:
        log = AuditLog(store.database, store.keys)
        fill(log, 6)
        assert log.export(path).state == "intact"
    data = path.read_bytes()
    for _, change in flips(2, count, [len(data)]):
        path.write_bytes(change(data))
        report = finding(path)
        assert report is None or report.state == "broken"
    others = [data[:-1], data + b"\n", data + data.splitlines(keepends=True)[-1], data.replace(b"\n", b"\r\n"), b"",
              b"\n".join(data.splitlines()[:-1]) + b"\n", b"\n" + data, data + b"\0"]  # fmt: skip
    for other in others:
        path.write_bytes(other)
        assert (report := finding(path)) is None or report.state == "broken"
    path.write_bytes(data)
    assert check_export(path).state == "intact"


# -- exports and keys -----------------------------------------------------------------------------------------


def test_an_export_says_so_in_the_log_and_overwrites_nothing(log: AuditLog, tmp_path: Path) -> None:
    fill(log, 2)
    path = tmp_path / "log.jsonl"
    report = log.export(path)
    assert report.entries == 6 and report.head == log.verify().head and report.key_id == log.verify().key_id
    assert list(log.entries())[-1].facts == {"upto": 5}
    with pytest.raises(AuditFileError, match="not overwritten"):
        log.export(path)
    with pytest.raises(AuditFileError, match="cannot be written"):
        log.export(tmp_path / "nowhere" / "log.jsonl")
    assert log.export(path, overwrite=True).entries == 8
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["log.jsonl"]
    (tmp_path / "other.txt").write_text("hello\n")
    with pytest.raises(AuditFileError, match="not an exported"):
        check_export(tmp_path / "other.txt")
    with pytest.raises(AuditFileError, match="cannot be read"):
        check_export(tmp_path / "missing")


def test_a_broken_log_can_be_exported_and_stays_broken(store: Store, log: AuditLog, tmp_path: Path) -> None:
    fill(log)
    tamper(store, "UPDATE audit_entries SET entry = x'0a0a0a' WHERE seq = 5")
    assert log.export(tmp_path / "log.jsonl").first_broken == 5


def test_with_locked_keys_it_goes_on_unsigned_and_says_where(tmp_path: Path) -> None:
    with opened(tmp_path / "data") as store:
        fill(AuditLog(store.database, store.keys), 1)
    with opened(tmp_path / "data", None) as store:
        log = AuditLog(store.database, store.keys)
        log.append("voice_deleted", {"voice": VOICE})
        report = log.verify()
        assert (report.state, report.entries) == ("unsigned", 4) and "not signed" in report.notes[0]
        with pytest.raises(errors.KeysLockedError):
            log.append("voice_frozen", {"voice": VOICE}, reason="a reason cannot be kept now")
        with pytest.raises(errors.KeysLockedError):
            log.export(tmp_path / "log.jsonl")
        assert log.verify().entries == 4 and not (tmp_path / "log.jsonl").exists()
    with opened(tmp_path / "data") as store:
        log = AuditLog(store.database, store.keys)
        log.append("take_deleted", {"take": VOICE})
        assert log.verify().state == "intact"
        assert [(entry.event, entry.facts) for entry in log.entries(after=4)] == [
            ("signing_resumed", {"upto": 4}),
            ("take_deleted", {"take": VOICE}),
        ]


def test_an_end_signed_with_a_stranger_s_key_is_told(store: Store, log: AuditLog) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    fill(log, 2)
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw()
    key_id, signature = audit_chain.key_id_of(public), audit_chain.sign_head(key, log.verify().head)
    tamper(store, "UPDATE audit_head SET key_id = ?, signature = ?", values=(key_id, signature))
    tamper(store, "INSERT INTO signing_keys VALUES (?, ?)", values=(key_id, public))
    assert "another key" in log.verify().notes[0]
    log.append("take_deleted", {"take": VOICE})
    assert [entry.event for entry in log.entries(after=5)] == ["signing_resumed", "take_deleted"]

"""Stored files: named by content, checked when read, never removed too early, and gone when nobody uses them."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.store import blobs as blobs_module
from app.core.store import errors, sealing
from app.core.store.blobs import Blobs
from app.core.store.database import Database

KEY, OTHER = b"k" * 32, b"o" * 32


@pytest.fixture
def database(tmp_path: Path):
    with Database.open(tmp_path / "data" / "library.db") as database:
        yield database


@pytest.fixture
def blobs(database: Database, tmp_path: Path) -> Blobs:
    temporary = tmp_path / "data" / "temp"
    temporary.mkdir()
    return Blobs(database, tmp_path / "data" / "blobs", temporary)


def files(tmp_path: Path) -> list[Path]:
    folders = ("blobs", "temp")
    return sorted(p for name in folders for p in (tmp_path / "data" / name).rglob("*") if p.is_file())


@pytest.mark.parametrize("key", [None, KEY])
@pytest.mark.parametrize("size", [0, 1, sealing.PIECE - 1, sealing.PIECE, sealing.PIECE + 1, 3 * sealing.PIECE])
def test_what_goes_in_comes_out_in_whatever_form_it_was_given(blobs: Blobs, key: bytes | None, size: int) -> None:
    data = os.urandom(size)
    blob_id = blobs.put(data, key=key)
    cuts = [data[start : start + 70_001] for start in range(0, size, 70_001)]
    assert blobs.put(iter(cuts), key=key) == blobs.put(io.BytesIO(data), key=key) == blob_id
    assert blobs.get(blob_id, key=key) == data and blobs.size(blob_id) == size
    assert max((len(piece) for piece in blobs.read(blob_id, key=key)), default=0) <= sealing.PIECE


def test_the_id_of_an_encrypted_file_betrays_nothing(blobs: Blobs, tmp_path: Path) -> None:
    data = b"what was said " * 10
    plain, kept, other = blobs.put(data), blobs.put(data, key=KEY), blobs.put(data, key=OTHER)
    digest = hashlib.sha256(data).hexdigest()
    assert plain == "p" + digest and digest not in kept + other and kept != other
    secret = [path for path in files(tmp_path) if path.name != plain]
    assert len(secret) == 2 and not [path for path in secret if b"what was" in path.read_bytes()]


def test_the_wrong_key_and_every_kind_of_damage_are_told(blobs: Blobs, tmp_path: Path) -> None:
    data = os.urandom(2 * sealing.PIECE + 100)
    for key in (None, KEY):
        blob_id = blobs.put(data, key=key)
        (path,) = (path for path in files(tmp_path) if path.name == blob_id)
        whole = path.read_bytes()
        middle = len(whole) // 2
        first, rest = whole[: len(whole) - 1], whole[-1:]
        for broken in (
            whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
            bytes([whole[0] ^ 1]) + whole[1:],
            first + bytes([rest[0] ^ 1]),
            whole[: sealing.PIECE + 56],  # a cut between two pieces
            whole[:20],
            whole + b"x",
            b"",
        ):
            path.write_bytes(broken)
            with pytest.raises(errors.BlobDamagedError):
                blobs.get(blob_id, key=key)
        assert blobs.put(data, key=key) == blob_id  # putting it again mends it
        assert blobs.get(blob_id, key=key) == data
        path.unlink()
        with pytest.raises(errors.BlobMissingError):
            blobs.get(blob_id, key=key)
    kept = blobs.put(data, key=KEY)
    with pytest.raises(errors.BlobDamagedError):
        blobs.get(kept, key=OTHER)
    for bad, key in ((kept, None), (kept[:-1], KEY), ("../../library.db", None), (kept, b"short")):
        with pytest.raises(ValueError):
            blobs.get(bad, key=key)


def test_every_changed_byte_of_a_sealed_file_is_noticed() -> None:
    sealed = b"".join(sealing.seal(KEY, [b"a record"]))
    assert b"".join(sealing.unseal(KEY, io.BytesIO(sealed))) == b"a record"
    for at in range(len(sealed)):
        changed = sealed[:at] + bytes([sealed[at] ^ 0x40]) + sealed[at + 1 :]
        with pytest.raises(sealing.SealBrokenError):
            list(sealing.unseal(KEY, io.BytesIO(changed)))


@given(st.lists(st.binary(max_size=3 * 64)), st.integers(0, 63))
def test_sealing_does_not_depend_on_how_the_data_is_cut(parts: list[bytes], grain: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sealing, "PIECE", 1 + grain)
        sealed = b"".join(sealing.seal(KEY, parts))
        assert b"".join(sealing.unseal(KEY, io.BytesIO(sealed))) == b"".join(parts)


def test_memory_stays_small_with_a_large_file(blobs: Blobs) -> None:
    part = os.urandom(1 << 20)
    tracemalloc.start()
    try:
        for key in (None, KEY):
            blob_id = blobs.put((part for _ in range(48)), key=key)
            assert sum(len(piece) for piece in blobs.read(blob_id, key=key)) == 48 << 20
        assert tracemalloc.get_traced_memory()[1] < 12 << 20
    finally:
        tracemalloc.stop()


def test_a_file_used_twice_goes_with_its_last_user(blobs: Blobs, tmp_path: Path) -> None:
    shared = blobs.put(b"shared", owner="take:1")
    own = blobs.put(b"own", owner="take:1")
    blobs.use(shared, "take:2")
    blobs.use(shared, "take:2")
    blobs.release("take:1")
    assert blobs.exists(shared) and not blobs.exists(own) and blobs.used_by("take:2") == [shared]
    blobs.release("take:2", shared)
    assert not blobs.exists(shared) and files(tmp_path) == []
    with pytest.raises(errors.BlobMissingError):
        blobs.use(shared, "take:3")


def test_what_is_undone_deletes_nothing_and_leaves_only_garbage(
    blobs: Blobs, database: Database, tmp_path: Path
) -> None:
    kept = blobs.put(b"kept", owner="take:1")
    with pytest.raises(KeyError), database.write():
        blobs.release("take:1")
        undone = blobs.put(b"undone", owner="take:2")
        raise KeyError
    assert blobs.get(kept) == b"kept" and blobs.used_by("take:1") == [kept]
    assert not blobs.exists(undone) and len(files(tmp_path)) == 2
    assert blobs.sweep() == 1
    assert [path.name for path in files(tmp_path)] == [kept]


def test_sweeping_spares_what_is_new_or_used(blobs: Blobs, tmp_path: Path) -> None:
    used, new = blobs.put(b"used", owner="take:1"), blobs.put(b"new")
    (tmp_path / "data" / "blobs" / ".DS_Store").write_bytes(b"what the desktop leaves in a folder that it shows")
    assert blobs.sweep() == 0
    (tmp_path / "data" / "blobs" / ".DS_Store").unlink()
    assert blobs.exists(new) and blobs.sweep(grace_seconds=0) == 1
    assert {path.name for path in files(tmp_path)} == {used} and not blobs.exists(new)
    assert blobs.sweep(grace_seconds=0) == 0 and blobs.get(used) == b"used"
    assert blobs.lost() == []
    files(tmp_path)[0].unlink()
    assert blobs.lost() == [used]


def test_a_full_disk_leaves_nothing_behind(blobs: Blobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(blobs_module.os, "fsync", no_room)
    with pytest.raises(errors.DiskFullError, match="Make room"):
        blobs.put(b"data")
    assert files(tmp_path) == []
    monkeypatch.undo()
    assert blobs.get(blobs.put(b"data")) == b"data"


@pytest.mark.skipif(os.name != "posix", reason="rights of files")
def test_only_the_owner_may_read_the_files(blobs: Blobs, tmp_path: Path) -> None:
    blobs.put(b"data", owner="take:1")
    (path,) = files(tmp_path)
    assert [p.stat().st_mode & 0o777 for p in (path, path.parent, path.parents[1])] == [0o600, 0o700, 0o700]

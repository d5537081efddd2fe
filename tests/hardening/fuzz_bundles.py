"""Bundles of an enemy: 60 and more kinds, each with a right hash at its end where that is not what is wrong."""

from __future__ import annotations

import io
import random
import stat
import struct
import uuid
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from app.core import canonical
from app.core.safe_zip import MANIFEST
from app.core.voice_bundle import export_voice
from tests.app.test_safe_zip import crafted, sealed
from tests.hardening.world import FIRST, World

_PATHS = (
    "../escape.json", "../../../../tmp/escape.json", "/tmp/escape.json", "C:\\escape.json", "..\\escape.json",
    "a/../../escape.json", "a//b.json", "./a.json", "a/./b.json", "con", "nul.txt", "aux.json", "com1.wav", "name.",
    "name ", " name", "a\0b.json", "a\nb.json", "é.json", "ａ.json", "a:b.json", "a*b.json", "x" * 65,
    "a/b/c/d.json", "~/escape.json", "$HOME/escape.json", "%2e%2e/escape.json", "manifest.json/x",
)  # fmt: skip


def _info(**values: Any) -> Callable[[zipfile.ZipInfo], None]:
    def change(info: zipfile.ZipInfo) -> None:
        if info.filename != MANIFEST:
            for name, value in values.items():
                setattr(info, name, value)

    return change


def cases(folder: Path, world: World) -> Iterator[tuple[str, Path]]:
    """Write each bundle and yield what it is and where."""
    path = folder / "hostile.zip"
    export_voice(world.door, FIRST, folder / "good.zip", overwrite=True)
    good = (folder / "good.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(good)) as archive:
        entries = [(name, archive.read(name)) for name in archive.namelist() if name != MANIFEST]
    for bad in _PATHS:
        yield f"bundle, entry named {bad!r}", crafted(path, [*entries, (bad, b"x")], kind="voice")
    yield from _links_and_bombs(path, entries)
    yield from _headers(path, entries, good)
    yield from _contents(path, dict(entries))
    for seed in range(10):
        rng = random.Random(seed)
        data = bytearray(good)
        for _ in range(rng.randrange(1, 30)):
            data[rng.randrange(len(data) - 64)] = rng.randrange(256)
        path.write_bytes(sealed(bytes(data)))
        yield f"bundle with random bytes and a right hash, {seed}", path


def _links_and_bombs(path: Path, entries: list[tuple[str, bytes]]) -> Iterator[tuple[str, Path]]:
    for mode, what in (
        (stat.S_IFLNK, "link"),
        (stat.S_IFDIR, "folder"),
        (stat.S_IFIFO, "pipe"),
        (stat.S_IFCHR, "device"),
    ):
        change = _info(external_attr=(mode | 0o777) << 16)
        yield f"bundle whose entries are a {what}", crafted(path, entries, kind="voice", change=change)
    yield "bundle with a bomb", crafted(path, [*entries, ("bomb.json", bytes(150 << 20))], kind="voice", packed=True)
    big = [(f"part{n}.json", bytes(40 << 20)) for n in range(6)]
    yield "bundle of 240 MiB", crafted(path, big, kind="voice", packed=True)
    many = [(f"n{n}.json", b"") for n in range(70)]
    yield "bundle of 71 entries", crafted(path, many, kind="voice")
    yield "bundle of 5,000 entries", crafted(path, [(f"n{n}.json", b"") for n in range(5000)], kind="voice")
    yield "bundle with an entry twice", crafted(path, [*entries, entries[0]], kind="voice")
    yield "bundle with two lists", crafted(path, [*entries, (MANIFEST, b"{}")], kind="voice")
    yield "bundle with names that differ in case", crafted(path, [("a.json", b""), ("A.json", b"")], kind="voice")
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        change = _info(compress_type=method)
        yield f"bundle packed by method {method}", crafted(path, entries, kind="voice", change=change)


def _headers(path: Path, entries: list[tuple[str, bytes]], good: bytes) -> Iterator[tuple[str, Path]]:
    yield "bundle with huge extra fields", crafted(path, entries, kind="voice", change=_info(extra=bytes(65000)))
    yield "bundle with huge comments", crafted(path, entries, kind="voice", change=_info(comment=b"c" * 65000))
    wide = b'{"entries":{' + b",".join(b'"e%d":{}' % n for n in range(200_000)) + b"}}"
    yield "bundle whose list is huge", crafted(path, entries, kind="voice", manifest=wide)
    yield "bundle whose list is deep", crafted(path, entries, kind="voice", manifest=b"[" * 500_000)
    yield "bundle whose list is no text", crafted(path, entries, kind="voice", manifest=b"\xff\xfe\x00")
    yield "bundle without a hash", crafted(path, entries, kind="voice", seal=False)
    for at, value in ((8, 0xFFFF), (10, 0xFFFF), (12, 0xFFFFFFFF), (16, 0xFFFFFFFF), (16, 0), (12, 1)):
        data = bytearray(good)
        end = len(data) - 71 - 22
        struct.pack_into("<H" if at < 12 else "<I", data, end + at, value)
        path.write_bytes(sealed(bytes(data)))
        yield f"bundle whose end says {value:#x} at {at}", path
    for name, at, size in (("flags", 6, 2), ("method", 8, 2), ("CRC", 14, 4), ("packed size", 18, 4), ("size", 22, 4)):
        data = bytearray(good)
        data[at : at + size] = b"\xff" * size
        path.write_bytes(sealed(bytes(data)))
        yield f"bundle whose first entry has another {name}", path
    path.write_bytes(good[: len(good) // 2])
    yield "bundle cut in half", path
    path.write_bytes(b"")
    yield "bundle of no byte", path
    path.write_bytes(sealed(good + b"sha256:" + b"0" * 64))
    yield "bundle with something behind it", path


def _contents(path: Path, entries: dict[str, bytes]) -> Iterator[tuple[str, Path]]:
    """A sound zip whose content lies: wrong hashes, foreign keys, records of others, sound that is none."""
    listed = {name: {"size": len(data), "sha256": "0" * 64} for name, data in entries.items()}
    manifest = canonical.dump({"format": "voxcpm-bundle", "kind": "voice", "version": 1, "entries": listed})
    yield "bundle with wrong hashes", crafted(path, list(entries.items()), kind="voice", manifest=manifest)
    yield "bundle of another kind", crafted(path, list(entries.items()), kind="consent_answer")
    voice = canonical.load(entries["voice.json"])
    assert isinstance(voice, dict)
    new = str(uuid.uuid4())
    changes: dict[str, dict[str, Any]] = {
        "a foreign key": {"signers": {"0" * 32: "00" * 32}, "voice_id": new},
        "400 keys": {"signers": {f"{n:032x}": "11" * 32 for n in range(400)}, "voice_id": new},
        "an id that is a path": {"voice_id": "../../escape"},
        "a negative count": {"versions": -1},
        "a million versions": {"versions": 10**6},
        "a count that is true": {"versions": True},
        "parts that are paths": {"parts": ["../reference", "reference"], "voice_id": new},
        "a card of lists": {"card": []},
        "a name of a million letters": {"card": {**voice["card"], "name": "x" * 1_000_000}, "voice_id": new},
        "another schema": {"schema": 99},
        "another id than its record": {"voice_id": new},
        "tags of numbers": {"card": {**voice["card"], "tags": [1, 2]}, "voice_id": new},
    }
    for what, change in changes.items():
        changed = {**entries, "voice.json": canonical.dump({**voice, **change})}
        yield f"bundle with {what}", crafted(path, list(changed.items()), kind="voice")
    for name in ("sounds/reference.flac", "record/1.json", "voice.json"):
        for data in (b"", b"\0" * 5000, b"[" * 100_000, b"fLaC" + b"\xff" * 4000):
            changed = {**entries, name: data}
            yield (
                f"bundle whose {name} is {data[:4]!r} x {len(data)}",
                crafted(path, list(changed.items()), kind="voice"),
            )

"""Bundles: zip files with a manifest, for what travels between studios. Read as if an enemy had made them.

A bundle holds ``manifest.json`` (canonical JSON: kind, version and, for every entry, its size and SHA-256) and the
entries that the manifest names, nothing else. The zip comment holds the SHA-256 of every byte before it, so that a
change anywhere, even in a date that nobody reads, shows. A hash is no signature: who made a bundle is a matter of
what lies inside.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
import uuid
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from app.core import canonical
from app.core.atomic_file import sync_names
from app.core.store import errors

MANIFEST = "manifest.json"
FORMAT = "voxcpm-bundle"
_PIECE = 1 << 16
_MARK = b"sha256:"
_COMMENT = len(_MARK) + 64
_END, _END_MAGIC = 22, b"PK\x05\x06"
_LOCATOR64, _LOCATOR64_MAGIC = 20, b"PK\x06\x07"
_MOST_DIRECTORY = 512  # bytes of the central directory for one entry
_DATE = (1980, 1, 1, 0, 0, 0)  # the same bundle is the same bytes, whenever it is made
_SEGMENT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}")
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]{64}")


class BundleError(ValueError):
    """The file is not a bundle that may be read; the message says what is wrong and what to do."""


@dataclass(frozen=True)
class Limits:
    """What one bundle may hold. ``ratio`` is unpacked over packed bytes of an entry above ``free`` bytes."""

    entries: int = 64
    total_bytes: int = 200 << 20
    ratio: int = 100
    manifest_bytes: int = 1 << 20
    free: int = 1 << 16


LIMITS = Limits()


@dataclass(frozen=True)
class Entry:
    """What the manifest says of an entry."""

    size: int
    sha256: str


def write_bundle(
    path: Path, entries: Mapping[str, bytes | Path], *, kind: str, version: int = 1, limits: Limits = LIMITS
) -> str:
    """Write a bundle to ``path`` in one step, over any older file there; returns the file's SHA-256.

    ``entries`` maps names to bytes or to files. Nothing is compressed: sound comes compressed or hardly shrinks. When
    it returns, the file lasts.

    Raises:
        BundleError: a bad name, or more than :func:`read_bundle` would take.
        DiskFullError, ReadOnlyError, StoreAccessError: a file cannot be read or written; nothing was changed.
    """
    _check_names(list(entries), limits)
    with errors.files(path):
        return _write(path, entries, kind, version, limits)


def _write(path: Path, entries: Mapping[str, bytes | Path], kind: str, version: int, limits: Limits) -> str:
    described = {name: _described(source) for name, source in entries.items()}
    total = sum(entry.size for entry in described.values())
    if total > limits.total_bytes:
        raise BundleError(
            f"The bundle would have {total} bytes; at most {limits.total_bytes} are allowed. Leave out some."
        )
    manifest = canonical.dump(
        {
            "format": FORMAT,
            "kind": kind,
            "version": version,
            "entries": {name: {"size": entry.size, "sha256": entry.sha256} for name, entry in described.items()},
        }
    )
    temporary = path.with_name(f".{path.name}-{uuid.uuid4().hex}")
    try:
        with temporary.open("xb+") as stream:
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED, allowZip64=False) as archive:
                archive.comment = _MARK + b"0" * 64
                for name, source in {MANIFEST: manifest, **entries}.items():
                    _add(archive, name, source, described.get(name))
            body, _ = _digests(stream)
            stream.seek(-64, os.SEEK_END)
            stream.write(body.encode())
            stream.flush()
            os.fsync(stream.fileno())
            _, whole = _digests(stream)
        temporary.replace(path)
        sync_names(path.parent)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    return whole


def read_bundle(path: Path, *, kind: str, version: int = 1, limits: Limits = LIMITS) -> Bundle:
    """Open a bundle and check all of it: layout, limits, names, sizes and hashes. Use it in a ``with`` block.

    Nothing is written and no entry is kept in memory. An entry is checked again when it is read.

    Raises:
        BundleError: it is no bundle of this kind, was changed, or is larger than the limits.
        StoreError: the file cannot be read.
    """
    with errors.files(path):
        stream = path.open("rb")
    try:
        return Bundle(stream, kind, version, limits)
    except BaseException as error:
        stream.close()
        damage = _damage(error, "The file")
        if damage is None:
            raise
        raise damage from error


class Bundle(Mapping[str, Entry]):
    """The checked entries of an open bundle, by name, without the manifest. ``sha256`` is the whole file's."""

    def __init__(self, stream: IO[bytes], kind: str, version: int, limits: Limits) -> None:
        self.sha256 = _check_layout(stream, limits)
        self._stream, self._limits = stream, limits
        self._archive = zipfile.ZipFile(stream)
        self._infos = _checked_infos(self._archive, limits)
        manifest = b"".join(self._pieces(MANIFEST, limits.manifest_bytes))
        self._entries = _entries(manifest, kind, version, limits)
        if {MANIFEST, *self._entries} != set(self._infos):
            raise BundleError("The bundle's contents are not those that its list names. Ask for it again.")
        for name in self._entries:
            for _ in self._checked(name):
                pass

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._archive.close()
        self._stream.close()

    def __getitem__(self, name: str) -> Entry:
        return self._entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def read(self, name: str) -> bytes:
        """The whole entry. Raises ``KeyError`` for an unknown name and :class:`BundleError` if the file has changed."""
        return b"".join(self._checked(name))

    def extract(self, name: str, target: Path) -> None:
        """Write an entry to the new file ``target``, piece by piece; a failed one leaves no file.

        The caller chooses the path: a name in a bundle never becomes one. Raises ``FileExistsError`` and as ``read``.
        """
        with target.open("xb") as out:
            try:
                for piece in self._checked(name):
                    out.write(piece)
            except BaseException:
                target.unlink()
                raise

    def _checked(self, name: str) -> Iterator[bytes]:
        entry = self._entries[name]
        digest, size = hashlib.sha256(), 0
        for piece in self._pieces(name, entry.size):
            digest.update(piece)
            size += len(piece)
            yield piece
        if size != entry.size or digest.hexdigest() != entry.sha256:
            raise BundleError(f"{name} in the bundle is not what its list says; it was changed. Ask for it again.")

    def _pieces(self, name: str, most: int) -> Iterator[bytes]:
        """At most ``most`` bytes, counted as they come: what the headers say of sizes may be a lie."""
        info, size = self._infos[name], 0
        try:
            with self._archive.open(info) as source:
                while piece := source.read(_PIECE):
                    size += len(piece)
                    if size > most:
                        raise BundleError(f"{name} in the bundle is larger than it says. Do not use this file.")
                    if size > self._limits.free and size > self._limits.ratio * info.compress_size:
                        raise BundleError(
                            f"{name} in the bundle is packed more than {self._limits.ratio} times; "
                            "such files are made to fill disks. Do not use it."
                        )
                    yield piece
        except Exception as error:
            damage = _damage(error, f"{name} in the bundle")
            if damage is None:
                raise
            raise damage from error


def _damage(error: BaseException, what: str) -> BundleError | None:
    """The error to raise instead: zipfile answers damage with a dozen kinds, from struct.error to MemoryError.

    None leaves it as it is: what was said already, and what the disk says. A seek to before the start says nothing of
    the disk.
    """
    disk = isinstance(error, OSError) and error.errno != errno.EINVAL
    if disk or isinstance(error, BundleError) or not isinstance(error, Exception):
        return None
    return BundleError(f"{what} is damaged or not a bundle ({error}). Ask for it again.")


def check_name(name: str) -> None:
    """Raise :class:`BundleError` unless ``name`` is a relative path of at most three parts, safe on any system."""
    parts = name.split("/")
    if len(parts) > 3 or not all(_SEGMENT.fullmatch(part) for part in parts):
        raise BundleError(f"{name[:80]!r} is no name for an entry of a bundle; use letters, digits, '.', '_' and '-'.")
    if any(part.endswith(".") or _DEVICES.fullmatch(part) for part in parts):
        raise BundleError(f"{name!r} is no file's name on some systems; choose another.")


def _check_names(names: list[str], limits: Limits) -> None:
    for name in names:
        check_name(name)
    folded = {name.casefold() for name in [MANIFEST, *names]}
    if len(folded) != len(names) + 1:
        raise BundleError("Two entries of the bundle have the same name, or one is called manifest.json.")
    if len(names) + 1 > limits.entries:
        raise BundleError(f"The bundle has {len(names) + 1} entries; at most {limits.entries} are allowed.")


def _described(source: bytes | Path) -> Entry:
    if isinstance(source, bytes):
        return Entry(len(source), hashlib.sha256(source).hexdigest())
    with source.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        return Entry(stream.tell(), digest)


def _add(archive: zipfile.ZipFile, name: str, source: bytes | Path, entry: Entry | None) -> None:
    info = zipfile.ZipInfo(name, _DATE)
    info.create_system = 3
    info.external_attr = (stat.S_IFREG | 0o600) << 16
    if isinstance(source, bytes):
        archive.writestr(info, source)
        return
    with source.open("rb") as stream, archive.open(info, "w") as out:
        digest = hashlib.sha256()
        while piece := stream.read(_PIECE):
            digest.update(piece)
            out.write(piece)
    if entry is None or digest.hexdigest() != entry.sha256:
        raise BundleError(f"{source} changed while it was packed. Try again.")


def _digests(stream: IO[bytes]) -> tuple[str, str]:
    """SHA-256 of everything before the hash at the end, and of the whole file."""
    left = stream.seek(0, os.SEEK_END) - 64
    stream.seek(0)
    digest = hashlib.sha256()
    while left > 0 and (piece := stream.read(min(left, _PIECE))):
        digest.update(piece)
        left -= len(piece)
    body = digest.hexdigest()
    digest.update(stream.read(64))
    return body, digest.hexdigest()


def _check_layout(stream: IO[bytes], limits: Limits) -> str:
    """Before zipfile sees it: the file's size, its hash, and a directory small enough to be read. Returns the hash."""
    size = stream.seek(0, os.SEEK_END)
    if size > limits.total_bytes + limits.manifest_bytes + limits.entries * 2 * _MOST_DIRECTORY:
        raise BundleError(f"The file has {size} bytes; a bundle has at most {limits.total_bytes}. Do not use it.")
    tail = _LOCATOR64 + _END + _COMMENT
    stream.seek(max(0, size - tail))
    read = stream.read(tail)
    end, comment = read[-_END - _COMMENT : -_COMMENT], read[-_COMMENT:]
    if len(read) < _END + _COMMENT or not end.startswith(_END_MAGIC) or not comment.startswith(_MARK):
        raise BundleError("The file is not a bundle of this studio, or was packed anew. Ask for the original file.")
    body, whole = _digests(stream)
    if comment[len(_MARK) :] != body.encode():
        raise BundleError("The bundle was changed or damaged on its way. Ask for it again.")
    if read.startswith(_LOCATOR64_MAGIC) and len(read) == tail:
        raise BundleError("The bundle is of a kind made for huge files. Do not use it.")
    entries, directory = int.from_bytes(end[10:12], "little"), int.from_bytes(end[12:16], "little")
    if entries > limits.entries or directory > limits.entries * _MOST_DIRECTORY:
        raise BundleError(f"The bundle has {entries} entries; at most {limits.entries} are allowed. Do not use it.")
    return whole


def _checked_infos(archive: zipfile.ZipFile, limits: Limits) -> dict[str, zipfile.ZipInfo]:
    infos = archive.infolist()
    _check_names([info.filename for info in infos if info.filename != MANIFEST], limits)
    found = {info.filename: info for info in infos}
    if len(found) != len(infos) or MANIFEST not in found:
        raise BundleError("The bundle has no list of its contents, or has two. Ask for it again.")
    for info in infos:
        mode = info.external_attr >> 16
        if info.is_dir() or info.filename != info.orig_filename or (stat.S_IFMT(mode) not in (0, stat.S_IFREG)):
            raise BundleError(f"{info.filename} in the bundle is a link or a folder, not a file. Do not use it.")
        if info.flag_bits & 0x1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise BundleError(f"{info.filename} in the bundle is locked or packed in an unknown way. Do not use it.")
    return found


def _entries(manifest: bytes, kind: str, version: int, limits: Limits) -> dict[str, Entry]:
    try:
        raw: Any = canonical.load(manifest, max_bytes=limits.manifest_bytes)
    except canonical.CanonicalError as error:
        raise BundleError(f"The bundle's list of contents cannot be read: {error}.") from error
    if not isinstance(raw, dict) or set(raw) != {"format", "kind", "version", "entries"} or raw["format"] != FORMAT:
        raise BundleError("The file is not a bundle of this studio.")
    if raw["kind"] != kind:
        raise BundleError(f"The bundle holds {str(raw['kind'])[:40]!r}, not {kind!r}. Open it where that belongs.")
    if raw["version"] != version:
        raise BundleError(
            f"The bundle is of version {raw['version']!r}; this studio reads {version}. Update the studio."
        )
    entries = raw["entries"]
    if not isinstance(entries, dict):
        raise BundleError("The bundle's list of contents is damaged.")
    _check_names(list(entries), limits)
    found = {name: _entry(name, entry) for name, entry in entries.items()}
    total = sum(entry.size for entry in found.values())
    if total > limits.total_bytes:
        raise BundleError(f"The bundle unpacks to {total} bytes; at most {limits.total_bytes} are allowed.")
    return found


def _entry(name: str, raw: Any) -> Entry:
    match raw:
        case {"size": int(size), "sha256": str(digest)} if len(raw) == 2 and type(size) is int and size >= 0:
            if _HEX.fullmatch(digest):
                return Entry(size, digest)
    raise BundleError(f"The bundle's list of contents says nothing sensible of {name}.")

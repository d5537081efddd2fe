"""Makes calls to the disk fail: those of Python, and those of SQLite below it. Nothing of the program is changed.

Points are counted in the order in which the program comes to them: each write, fsync, rename, and what makes a file
or a folder. The n-th fails, and in the persisting kind all that follow it fail too.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import errno
import io
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_SQLITE_CODES = {
    (errno.ENOSPC, "write"): sqlite3.SQLITE_FULL,
    (errno.ENOSPC, "sync"): sqlite3.SQLITE_FULL,
    (errno.ENOSPC, "truncate"): sqlite3.SQLITE_FULL,
    (errno.EIO, "write"): sqlite3.SQLITE_IOERR_WRITE,
    (errno.EIO, "sync"): sqlite3.SQLITE_IOERR_FSYNC,
    (errno.EIO, "truncate"): sqlite3.SQLITE_IOERR_TRUNCATE,
}


@dataclass
class Faults:
    """Which point fails. ``at`` 0 fails none and only counts; ``below`` limits it to files under a folder."""

    below: Path
    at: int = 0
    code: int = errno.ENOSPC
    persistent: bool = False
    points: list[str] = field(default_factory=list)
    hits: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def fails(self, point: str) -> bool:
        """Count one point and tell whether it fails."""
        with self._lock:
            self.points.append(point)
            number = len(self.points)
            hit = bool(self.at) and (number >= self.at if self.persistent else number == self.at)
            self.hits += hit
            return hit

    def check(self, point: str, path: Any) -> None:
        """Count a point of Python's calls; raise the error when it is the one."""
        if self._is_below(path) and self.fails(point):
            raise OSError(self.code, os.strerror(self.code))

    def _is_below(self, path: Any) -> bool:
        if isinstance(path, int):
            try:
                path = os.readlink(f"/proc/self/fd/{path}")
            except OSError:
                return False
        return os.path.abspath(os.fsdecode(path)).startswith(str(self.below))


@contextlib.contextmanager
def injected(faults: Faults) -> Iterator[Faults]:
    """Let ``faults`` happen inside the block, in this process and all its threads."""
    with contextlib.ExitStack() as stack:
        for name, point, which in (
            ("fsync", "fsync", 0), ("write", "write", 0), ("ftruncate", "write", 0), ("replace", "rename", 1),
            ("rename", "rename", 1), ("link", "rename", 1), ("mkdir", "create", 0), ("sendfile", "write", 0),
            ("copy_file_range", "write", 1),
        ):  # fmt: skip
            if hasattr(os, name):
                stack.enter_context(_wrapped(os, name, _checked(getattr(os, name), faults, point, which)))
        opened = os.open

        def open_file(path: Any, flags: int, *args: Any, **kwargs: Any) -> int:
            if flags & os.O_CREAT and not isinstance(path, int) and not os.path.exists(path):
                faults.check("create", path)
            return opened(path, flags, *args, **kwargs)

        stack.enter_context(_wrapped(os, "open", open_file))
        for module in (io, builtins):
            stack.enter_context(_wrapped(module, "open", _opening(io.open, faults)))
        stack.enter_context(_sqlite(faults))
        yield faults


@contextlib.contextmanager
def _wrapped(module: Any, name: str, other: Any) -> Iterator[None]:
    original = getattr(module, name)
    setattr(module, name, other)
    try:
        yield
    finally:
        setattr(module, name, original)


def _checked(original: Any, faults: Faults, point: str, which: int) -> Any:
    def call(*args: Any, **kwargs: Any) -> Any:
        faults.check(point, args[which] if len(args) > which else next(iter(kwargs.values())))
        return original(*args, **kwargs)

    return call


def _opening(original: Any, faults: Faults) -> Any:
    """Files that Python writes: their buffers go to the disk in C, so that a file of our own kind stands below."""

    class File(io.FileIO):
        def write(self, data: Any) -> int:
            faults.check("write", self.fileno())
            return super().write(data)

        def truncate(self, size: int | None = None) -> int:
            faults.check("write", self.fileno())
            return super().truncate(size)

    def open_file(
        file: Any, mode: str = "r", buffering: int = -1, encoding: Any = None, *rest: Any, **more: Any
    ) -> Any:
        if not set(mode) & set("wxa+") or "opener" in more:
            return original(file, mode, buffering, encoding, *rest, **more)
        if not isinstance(file, int) and set(mode) & set("wxa") and not os.path.exists(file):
            faults.check("create", file)
        raw = File(file, mode.replace("b", "").replace("t", ""), closefd=more.get("closefd", True))
        if buffering == 0:
            return raw
        binary = (io.BufferedRandom if "+" in mode else io.BufferedWriter)(raw)  # type: ignore[arg-type]
        if "b" in mode:
            return binary
        return io.TextIOWrapper(binary, encoding, *rest, **{k: v for k, v in more.items() if k != "closefd"})

    return open_file


# -- SQLite -----------------------------------------------------------------------------------------------------------
# A file of SQLite begins with a pointer to a table of functions (https://www.sqlite.org/c3ref/io_methods.html). The
# table of each file that is opened is replaced by a copy in which write, sync and truncate are ours.

_FILE = ctypes.c_void_p
_OPEN = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, _FILE, ctypes.c_int, ctypes.POINTER(ctypes.c_int)
)
_WRITE = ctypes.CFUNCTYPE(ctypes.c_int, _FILE, ctypes.c_void_p, ctypes.c_int, ctypes.c_int64)
_TRUNCATE = ctypes.CFUNCTYPE(ctypes.c_int, _FILE, ctypes.c_int64)
_SYNC = ctypes.CFUNCTYPE(ctypes.c_int, _FILE, ctypes.c_int)
_SLOTS = {"write": (3, _WRITE), "truncate": (4, _TRUNCATE), "sync": (5, _SYNC)}
_METHODS = 19  # an int and 18 pointers, of version 3


class _Vfs(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_int), ("file_size", ctypes.c_int), ("most_path", ctypes.c_int), ("next", ctypes.c_void_p),
        ("name", ctypes.c_char_p), ("data", ctypes.c_void_p), ("open", ctypes.c_void_p), ("delete", ctypes.c_void_p),
    ]  # fmt: skip


class _Below:
    """The functions below SQLite, replaced once in this process; without ``faults`` they only pass on.

    They cannot be taken back: connections that are open go on using them.
    """

    def __init__(self) -> None:
        self.faults: Faults | None = None
        self._kept: list[Any] = []
        self._tables: dict[int, ctypes.Array[ctypes.c_void_p]] = {}
        self._names: dict[int, str] = {}
        library = ctypes.CDLL(_loaded_sqlite())
        library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
        vfs = library.sqlite3_vfs_find(None).contents
        self._open = _OPEN(vfs.open)
        replaced = _OPEN(self._opened)
        self._kept += [library, vfs, replaced]
        vfs.open = ctypes.cast(replaced, ctypes.c_void_p)

    def _opened(self, vfs: Any, name: Any, file: Any, flags: int, out: Any) -> int:
        code = int(self._open(vfs, name, file, flags, out))
        head = ctypes.c_void_p.from_address(file)
        if code == 0 and head.value:
            self._names[file] = ctypes.string_at(name).decode() if name else ""
            if head.value not in self._tables:
                self._tables[head.value] = self._table(head.value)
            head.value = ctypes.addressof(self._tables[head.value])
        return code

    def _table(self, address: int) -> ctypes.Array[ctypes.c_void_p]:
        table = (ctypes.c_void_p * _METHODS).from_buffer_copy(
            ctypes.string_at(address, ctypes.sizeof(ctypes.c_void_p) * _METHODS)
        )
        for point, (slot, kind) in _SLOTS.items():
            function = kind(self._failing(point, kind(table[slot])))
            self._kept.append(function)
            table[slot] = ctypes.cast(function, ctypes.c_void_p)
        return table

    def _failing(self, point: str, original: Any) -> Callable[..., int]:
        def call(file: Any, *args: Any) -> int:
            faults = self.faults
            name = self._names.get(file, "")
            if faults is not None and name.startswith(str(faults.below)) and faults.fails(f"sqlite {point}"):
                return _SQLITE_CODES[faults.code, point]
            return int(original(file, *args))

        return call


_below: _Below | None = None


def sqlite_is_reachable() -> bool:
    """Whether SQLite is a library that can be reached below Python; a Python with its own inside has none."""
    try:
        _loaded_sqlite()
    except OSError:
        return False
    return True


def prepare() -> None:
    """Replace SQLite's functions. Connections that were opened before are not reached."""
    global _below
    if _below is None:
        _below = _Below()


@contextlib.contextmanager
def _sqlite(faults: Faults) -> Iterator[None]:
    prepare()
    assert _below is not None
    _below.faults = faults
    try:
        yield
    finally:
        _below.faults = None


def _loaded_sqlite() -> str:
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            if "libsqlite3" in line:
                return line.split()[-1]
    raise OSError("this Python has its own SQLite inside, which cannot be reached")

"""Writing files so that a reader sees the old content or the new, never half of it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """An open file that becomes ``path`` when the block ends well: a temporary neighbour, flushed to disk, renamed.

    After an error the old file is untouched. The new file has the access rights of any newly made one. Raises
    ``OSError``.
    """
    part = path.parent / f".{path.name}.{secrets.token_hex(4)}.part"
    try:
        with part.open("xb+") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_atomically(path: Path, content: bytes) -> None:
    """Write ``content`` as the new ``path``. Raises ``OSError``; the old file is then untouched."""
    with atomic_file(path) as stream:
        stream.write(content)

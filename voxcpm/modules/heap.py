"""Large blocks of memory that go back to the system one by one, while weights are laid out anew.

glibc raises, block by block that is freed, the size from which a block is mapped on its own, up to 32 MiB. What is
below comes out of heaps, of which each thread has its own, and what is freed there stays with the process as a hole:
laying out the weights of a model in two threads then peaks at a third more than the weights themselves (measured).
"""

from __future__ import annotations

import contextlib
import ctypes
import logging
import os
import platform
from collections.abc import Iterator

logger = logging.getLogger(__name__)

_M_MMAP_THRESHOLD = -3  # malloc.h
_OWN_WISH = "MALLOC_MMAP_THRESHOLD_"
_APART = 4 << 20  # smaller than most layers, larger than what rounding them takes in between
_USUAL = 32 << 20  # where glibc's own ends on 64 bits; it raises it no more once it was set


@contextlib.contextmanager
def large_blocks_apart() -> Iterator[None]:
    """Map each large block on its own until the end.

    Does nothing where the C library is not glibc, and where whoever started the program has set that size.
    """
    set_option = _mallopt()
    if set_option is None:
        yield
        return
    set_option(_M_MMAP_THRESHOLD, _APART)
    try:
        yield
    finally:
        set_option(_M_MMAP_THRESHOLD, _USUAL)


def _mallopt() -> ctypes._NamedFuncPointer | None:
    if platform.libc_ver()[0] != "glibc" or _OWN_WISH in os.environ:
        return None
    try:
        return ctypes.CDLL(None).mallopt
    except (OSError, AttributeError) as error:
        logger.info("mallopt is not there (%s)", error)
        return None

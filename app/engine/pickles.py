"""Which pickled weights this user allows to be read."""

from __future__ import annotations

from pathlib import Path


def allow(file: Path) -> list[str]:
    """Have the pickled weights in the folder of ``file`` read from now on, as they are; returns their names.

    Reads them whole, to know them again. Raises :class:`voxcpm.errors.CheckpointError`.
    """
    from voxcpm.pins import pin

    return sorted(pin(file.parent))
